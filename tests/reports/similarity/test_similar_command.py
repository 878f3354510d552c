import json
import re

import pytest
from click.testing import CliRunner

from pitboss.cli.common_options import template_folder
from pitboss.cli.resolving import resolve_assignment
from pitboss.cli.similar import similar
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.people import SourceFile
from pitboss.kits.starters import kit_of
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from tests.reports.similarity.test_pair_search import c_function

ADA, BOB, EVE = Person("Ada", "ada"), Person("Bob", "bob"), Person("Eve", "eve")


@pytest.fixture
def create_gradebook(tmp_path):
    """A function that creates a gradebook and returns its path; each keyword is a person's key and C++ source."""

    def create(name, facts=None, **texts):
        path = tmp_path / name
        people = {"ada": ADA, "bob": BOB, "eve": EVE}
        with Gradebook(path, may_be_new=True) as gradebook:
            gradebook.set_facts(**(facts or {"assignment": "nowhere", "title": "Blackjack", "called": "nowhere"}))
            for key, text in texts.items():
                gradebook.add_submissions([(ImportedSubmission(people[key], tmp_path / key, source=key), f"{key}1")])
                gradebook.add_sources(f"{key}1", [SourceFile("play.cpp", text)] if text else [])
        return str(path)

    return create


def run_similar(*arguments):
    result = CliRunner().invoke(
        similar, arguments, env={"COLUMNS": "200"}, catch_exceptions=False, standalone_mode=False
    )
    return result.output


def pair_rows(output):
    """The cells of each row of the printed table of pairs."""
    return [re.split(r"  +", line.strip()) for line in output.splitlines() if " %" in line]


def test_pairs_with_earlier_classes_are_listed_on_request(create_gradebook):
    text = c_function("f", 123)
    current = create_gradebook("now.gradebook", ada=text, bob=c_function("g", 456), eve=text)
    earlier = create_gradebook("2025.gradebook", bob=c_function("g", 456), ada=c_function("h", 789))
    assert pair_rows(run_similar(current)) == [["Ada", "100 %", "Eve", "100 %", "1"]]
    assert sorted(pair_rows(run_similar(current, "--with", earlier))) == [
        ["Ada", "100 %", "Eve", "100 %", "1"],
        ["Bob", "100 %", "Bob (2025), the same person", "100 %", "1"],
    ]


def test_starter_code_in_a_source_a_header_or_a_folder_is_left_out(create_gradebook, tmp_path):
    starter_code = c_function("f", 123)
    current = create_gradebook("now.gradebook", ada=starter_code, bob=starter_code, eve=starter_code)
    folder = tmp_path / "kit"
    folder.mkdir()
    (folder / "kit.c").write_text(starter_code)
    (folder / "kit.h").write_text(starter_code)
    assert len(pair_rows(run_similar(current))) == 3
    for starter in (folder, folder / "kit.c", folder / "kit.h"):
        output = run_similar(current, "--starter", str(starter))
        assert pair_rows(output) == []
        assert "Left out: what everybody was given, found in 3 of 3 submissions." in output
        assert "Nothing is left to compare in: Ada, Bob, Eve." in output


def test_the_starter_kit_of_the_assignment_is_left_out(create_gradebook):
    kit = kit_of(resolve_assignment("ece2036"), "cpp", template_folder())
    text = "".join(text for name, text in sorted(kit.items()) if name.endswith((".cpp", ".h")))
    facts = {"assignment": "ece2036", "title": "ECE 2036", "called": "ece2036"}
    assert "Nothing is left to compare in: Ada, Bob." in run_similar(
        create_gradebook("now.gradebook", facts, ada=text, bob=text)
    )


def test_the_options_common_and_pairs_limit_the_table(create_gradebook):
    text = c_function("f", 123)
    current = create_gradebook("now.gradebook", ada=text, bob=text, eve=text)
    assert pair_rows(run_similar(current, "--common", "2")) == []  # more than two people have the text
    assert len(pair_rows(run_similar(current, "--pairs", "1"))) == 1


def test_a_page_and_json_are_written(create_gradebook, tmp_path):
    text = c_function("f", 123)
    current = create_gradebook("now.gradebook", ada=text, eve=text)
    output = run_similar(current, "--html", str(tmp_path / "s.html"), "--json", "-")
    assert json.loads(output)["gradebook"] == {"assignment": "nowhere", "title": "Blackjack"}
    page = (tmp_path / "s.html").read_text()
    assert "<h1>Blackjack: similar submissions</h1>" in page and "Ada and Eve" in page


def test_a_class_of_an_unknown_assignment_is_compared(create_gradebook):
    text = c_function("f", 123)
    current = create_gradebook("now.gradebook", ada=text, eve=text)
    output = run_similar(current)
    assert len(pair_rows(output)) == 1
    assert "The assignment's own starter kit is not left out: " in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--with", "{now}"], "{now}: this gradebook is given twice"),
        (
            ["--starter", "/no/such"],
            "/no/such: there is no such file or folder; --starter names what all students were given",
        ),
        (["--starter", "{empty}"], "{empty}: there is no source in it; --starter names what all students were given"),
        (["--with", "/no/such"], "/no/such: there is no such gradebook"),
    ],
)
def test_a_wrong_option_value_is_reported(create_gradebook, tmp_path, arguments, sentence):
    empty = tmp_path / "empty"
    empty.mkdir()
    paths = {"now": create_gradebook("now.gradebook", ada=c_function("f", 123)), "empty": empty}
    with pytest.raises(UsageError) as error:
        run_similar(paths["now"], *(argument.format(**paths) for argument in arguments))
    assert str(error.value).startswith(sentence.format(**paths))


def test_a_gradebook_without_sources_is_reported(create_gradebook):
    current = create_gradebook("now.gradebook", ada="")
    with pytest.raises(UsageError) as error:
        run_similar(current)
    expected = "there are no sources in it to compare; grade the class into it again to add them"
    assert str(error.value) == f"{current}: {expected}"
