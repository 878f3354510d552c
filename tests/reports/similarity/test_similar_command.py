"""`pitboss similar` from gradebooks to a table, a page and JSON."""

import json
import re

import pytest
from click.testing import CliRunner

from pitboss.cli.similar import similar
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.person_records import SourceFile
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from tests.reports.similarity.test_pair_search import function

ADA, BOB, EVE = Person("Ada", "ada"), Person("Bob", "bob"), Person("Eve", "eve")


@pytest.fixture
def book(tmp_path):
    """Makes a gradebook of people and their programs in C++."""

    def made(name, about=None, **texts):
        path = tmp_path / name
        people = {"ada": ADA, "bob": BOB, "eve": EVE}
        with Gradebook(path, may_be_new=True) as new:
            new.set_facts(**(about or {"assignment": "nowhere", "title": "Blackjack", "called": "nowhere"}))
            for key, text in texts.items():
                new.add_submissions([(ImportedSubmission(people[key], tmp_path / key, source=key), f"{key}1")])
                new.add_sources(f"{key}1", [SourceFile("play.cpp", text)] if text else [])
        return str(path)

    return made


def run(*words):
    found = CliRunner().invoke(similar, words, env={"COLUMNS": "200"}, catch_exceptions=False, standalone_mode=False)
    return found.output


def rows(output):
    return [re.split(r"  +", line.strip()) for line in output.splitlines() if " %" in line]


def test_pairs_of_a_class_and_of_earlier_ones(book):
    text = function("f", 123)
    now = book("now.gradebook", ada=text, bob=function("g", 456), eve=text)
    before = book("2025.gradebook", bob=function("g", 456), ada=function("h", 789))
    assert rows(run(now)) == [["Ada", "100 %", "Eve", "100 %", "1"]]
    assert sorted(rows(run(now, "--with", before))) == [
        ["Ada", "100 %", "Eve", "100 %", "1"],
        ["Bob", "100 %", "Bob (2025), the same person", "100 %", "1"],
    ]


def test_what_was_given_is_left_out_whether_file_header_or_folder(book, tmp_path):
    given = function("f", 123)
    now = book("now.gradebook", ada=given, bob=given, eve=given)
    folder = tmp_path / "kit"
    folder.mkdir()
    (folder / "kit.c").write_text(given)
    (folder / "kit.h").write_text(given)
    assert len(rows(run(now))) == 3
    for starter in (folder, folder / "kit.c", folder / "kit.h"):
        output = run(now, "--starter", str(starter))
        assert rows(output) == []
        assert "Left out: what everybody was given, found in 3 of 3 submissions." in output
        assert "Nothing is left to compare in: Ada, Bob, Eve." in output


def test_the_starter_kit_of_the_assignment_is_left_out(book):
    from pitboss.cli.common_options import template_folder
    from pitboss.cli.prompts import loaded
    from pitboss.kits.starters import kit_of

    kit = kit_of(loaded("ece2036"), "cpp", template_folder())
    text = "".join(text for name, text in sorted(kit.items()) if name.endswith((".cpp", ".h")))
    about = {"assignment": "ece2036", "title": "ECE 2036", "called": "ece2036"}
    assert "Nothing is left to compare in: Ada, Bob." in run(book("now.gradebook", about, ada=text, bob=text))


def test_common_people_and_pairs(book):
    text = function("f", 123)
    now = book("now.gradebook", ada=text, bob=text, eve=text)
    assert rows(run(now, "--common", "2")) == []
    assert len(rows(run(now, "--pairs", "1"))) == 1


def test_a_page_and_json_are_written(book, tmp_path):
    text = function("f", 123)
    now = book("now.gradebook", ada=text, eve=text)
    output = run(now, "--html", str(tmp_path / "s.html"), "--json", "-")
    assert json.loads(output)["gradebook"] == {"assignment": "nowhere", "title": "Blackjack"}
    screen = (tmp_path / "s.html").read_text()
    assert "<h1>Blackjack: similar submissions</h1>" in screen and "Ada and Eve" in screen


def test_an_assignment_that_is_not_found_is_reported_and_the_class_compared(book):
    text = function("f", 123)
    now = book("now.gradebook", ada=text, eve=text)
    output = run(now)
    assert len(rows(output)) == 1
    assert "The assignment's own starter kit is not left out: " in output


@pytest.mark.parametrize(
    ("words", "sentence"),
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
def test_what_is_wrong_is_reported_in_a_sentence(book, tmp_path, words, sentence):
    empty = tmp_path / "empty"
    empty.mkdir()
    places = {"now": book("now.gradebook", ada=function("f", 123)), "empty": empty}
    with pytest.raises(UsageError) as output:
        run(places["now"], *(word.format(**places) for word in words))
    assert str(output.value).startswith(sentence.format(**places))


def test_a_gradebook_without_sources_is_reported(book):
    now = book("now.gradebook", ada="")
    with pytest.raises(UsageError) as output:
        run(now)
    expected = "there are no sources in it to compare; grade the class into it again to add them"
    assert str(output.value) == f"{now}: {expected}"
