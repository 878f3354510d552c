"""A words file holds the title, hint and note of each known mistake; every error in it is reported in one sentence."""

import json
import subprocess
import sys

import pytest

from pitboss.assignments.options import own_keywords, with_setting
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.experiments.catalogue import mistakes_of, mistakes_of_other_settings
from tests.authors import load_error
from tests.conftest import ROOT

ASSIGNMENT = """\
title: Greetings
seeded: no
mistakes: own:catalogue
words: mistakes.yaml
stages: [{name: greet, reference: "own:main"}]
"""
SPEC = """\
program: greet
cases:
  - name: ada
    transcript: |
      Name? <<Ada>>
      Hello Ada!
"""
OWN = """\
from types import SimpleNamespace

def main(console, greeting="Hello", end="!"):
    console.write("Name? ")
    console.write(f"{greeting} {console.read_line()}{end}\\n")

def catalogue():
    return [
        SimpleNamespace(id="goodbye", mains={"greet": lambda console: main(console, "Goodbye")}),
        SimpleNamespace(id="no-mark", mains={"greet": lambda console: main(console, end="")}),
        SimpleNamespace(id="a-tab", mains={"greet": lambda console: main(console, "Hello\\t")}),
    ]
"""
WORDS = """\
source: the sample
mistakes:
  goodbye:
    title: it says goodbye
    hint: Which word comes first?
    note: The end for the beginning.
    source: seen in 2019
  no-mark:
    title: "the mark is missing: !"
    hint: >-
      How does the line
      end?
    note: No mark.
  a-tab:
    title: a tab is shown
    hint: What stands before the name?
    note: \\t.
    invisible: it looks the same
"""


@pytest.fixture
def greet(tmp_path):
    """The folder of an assignment with its mistakes as functions of own.py and their words in mistakes.yaml."""
    folder = tmp_path / "greet"
    folder.mkdir()
    for name, text in {
        "assignment.yaml": ASSIGNMENT,
        "greet.yaml": SPEC,
        "own.py": OWN,
        "mistakes.yaml": WORDS,
    }.items():
        (folder / name).write_text(text)
    return folder


def test_words_and_programs_are_joined_by_id_in_catalogue_order(greet):
    (stage,) = load_assignment(greet).stages
    assert [
        (mistake.id, mistake.title, mistake.hint, mistake.note, mistake.source, mistake.invisible)
        for mistake in mistakes_of(stage)
    ] == [
        ("goodbye", "it says goodbye", "Which word comes first?", "The end for the beginning.", "seen in 2019", ""),
        ("no-mark", "the mark is missing: !", "How does the line end?", "No mark.", "the sample", ""),
        ("a-tab", "a tab is shown", "What stands before the name?", "\\t.", "the sample", "it looks the same"),
    ]


def test_mistakes_are_caught_and_reported_with_their_words(greet, pitboss):
    (greet / "mistakes.yaml").write_text(WORDS.replace("    invisible: it looks the same\n", ""))
    assert pitboss("verify", "-a", greet).out == (
        "greet: the only recorded case matches the reference\ngreet greet: 3 of 3 known mistakes are caught\n"
    )
    (greet / "greet.py").write_text('print("Goodbye", input("Name? ") + "!")\n')
    report = pitboss("check", greet, "-a", greet).out
    assert "  possible mistake: it says goodbye (explains 1 of 1 that failed). Which word   \n  comes first?" in report


HINT_LINE = "    hint: Which word comes first?\n"
ENTRY = "mistake 'goodbye'"
MISTAKE_KEYS = "title, hint, note, source, invisible"
#: By what is wrong: the words file, and the error after its path.
BAD_FILES = {
    "unknown key": (
        WORDS.replace("    hint: Which", "    hnit: Which"),
        f":5: {ENTRY} has no key 'hnit' — allowed are {MISTAKE_KEYS}; did you mean 'hint'?",
    ),
    "unknown key at the top": (
        WORDS.replace("source: the sample", "sources: the sample"),
        ":1: a file of words has no key 'sources' — allowed are source, mistakes; did you mean 'source'?",
    ),
    "ids at the top": (
        "goodbye:\n  title: it says goodbye\n",
        ":1: a file of words has no key 'goodbye' — allowed are source, mistakes",
    ),
    "no mistakes": (
        "source: the sample\n",
        ":1: a file of words lacks the key 'mistakes': the texts of each mistake, by its id",
    ),
    "nothing under mistakes": ("mistakes:\n", ":1: mistakes is empty — it must be a mapping with names as keys"),
    "a list of mistakes": (
        "mistakes:\n  - {id: goodbye}\n",
        ":2: mistakes is a list — it must be a mapping with names as keys",
    ),
    "repeated id": (
        WORDS.replace("  no-mark:", "  goodbye:"),
        ":8: 'goodbye' is on line 3 too — each key can be given only once",
    ),
    "repeated key": (
        WORDS.replace(HINT_LINE, HINT_LINE * 2),
        ":6: 'hint' is on line 5 too — each key can be given only once",
    ),
    "a text for a mistake": (
        "mistakes:\n  goodbye: it says goodbye\n",
        f":2: {ENTRY} is 'it says goodbye' — it must be a mapping with {MISTAKE_KEYS}",
    ),
    "no hint": (
        WORDS.replace(HINT_LINE, ""),
        f":4: {ENTRY} lacks the key 'hint': "
        "a sentence for the student that says where to look without giving the answer away",
    ),
    "no source": (
        WORDS.replace("source: the sample\n", ""),
        ":7: mistake 'no-mark' lacks the key 'source': where the mistake was observed, or what invites it — add "
        "the key here, or at the top for all mistakes",
    ),
    "empty title": (
        WORDS.replace("title: it says goodbye", "title:"),
        f":4: title of {ENTRY} is empty — it must be text",
    ),
    "blank title": (
        WORDS.replace("title: it says goodbye", "title: ' '"),
        f":4: title of {ENTRY} is ' ' — it must be text",
    ),
    "empty source": (WORDS.replace("source: the sample", "source: ''"), ":1: source is empty — it must be text"),
    "two lines": (
        WORDS.replace("hint: >-", "hint: |-"),
        ":10: hint of mistake 'no-mark' is 'How does the line\\nend?' — it must be one line; to write it on several lines, begin with >-",
    ),
    "a line with its end": (
        WORDS.replace("hint: >-", "hint: >"),
        ":10: hint of mistake 'no-mark' is 'How does the line end?\\n' — it must be one line; to write it on several lines, begin with >-",
    ),
    "a list for a hint": (
        WORDS.replace("Which word comes first?", "[Which, word]"),
        f":5: hint of {ENTRY} is a list — it must be text",
    ),
    "no YAML": (
        WORDS.replace("hint: Which", "hint: Look: which"),
        ":5: it cannot be read as YAML: mapping values are not allowed in this context",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_an_error_in_a_words_file_is_reported_at_load_time(greet, name):
    words, sentence = BAD_FILES[name]
    (greet / "mistakes.yaml").write_text(words)
    assert load_error(greet) == f"{greet}/mistakes.yaml{sentence}"


BAD_ASSIGNMENTS = {
    "no such file": (
        ASSIGNMENT.replace("words: mistakes.yaml", "words: words.yaml"),
        ":4: words is 'words.yaml' — there is no such file in {greet}",
    ),
    "no mistakes": (
        ASSIGNMENT.replace("mistakes: own:catalogue\n", ""),
        ":3: the assignment has words — it has no effect without mistakes: name the function that returns the mistakes",
    ),
    "a list": (
        ASSIGNMENT.replace("words: mistakes.yaml", "words: [mistakes.yaml]"),
        ":4: words is a list — it must be text",
    ),
}


@pytest.mark.parametrize("name", BAD_ASSIGNMENTS)
def test_a_words_file_that_is_missing_or_has_no_mistakes_is_reported(greet, name):
    assignment, sentence = BAD_ASSIGNMENTS[name]
    (greet / "assignment.yaml").write_text(assignment)
    assert load_error(greet) == f"{greet}/assignment.yaml{sentence}".replace("{greet}", str(greet))


FUNCTION = "'own:catalogue'"
#: Words and code that do not match: the replacement made in the words, the one made in the code, and the error message.
UNMATCHED = {
    "words without code": (
        ("  no-mark:", "  no-marc:"),
        (),
        f"{{greet}}/mistakes.yaml:8: {FUNCTION} gives no mistake 'no-marc' — it gives goodbye, no-mark, a-tab; "
        "did you mean 'no-mark'?",
    ),
    "words without any code": (
        (),
        ("    return [", "    return []\n    return ["),
        f"{{greet}}/mistakes.yaml:3: {FUNCTION} gives no mistake 'goodbye' — it gives none",
    ),
    "code without words": (
        (),
        ("    return [", '    return [SimpleNamespace(id="x", mains={}), SimpleNamespace(id="y", mains={}),'),
        f"{{greet}}/mistakes.yaml:1: there are no texts for x, y — each mistake of {FUNCTION} must have a title, a hint and a "
        "note here",
    ),
    "an id that code gives twice": (
        (),
        ("    return [", '    return [SimpleNamespace(id="no-mark", mains={}),'),
        f"{{greet}}/mistakes.yaml:8: {FUNCTION} gives mistake 'no-mark' twice — each mistake must have an id of its own",
    ),
    "words in code too": (
        (),
        ('id="no-mark",', 'id="no-mark", hint="Look!",'),
        f"{{greet}}/mistakes.yaml:8: mistake 'no-mark' has its hint in {FUNCTION} too — give it in one place",
    ),
    "words in code alone": (
        (),
        ("    return [", '    return [SimpleNamespace(id="x", title="it does x", mains={}),'),
        f"{{greet}}/mistakes.yaml:1: mistake 'x' has its title in {FUNCTION} too — give it in one place",
    ),
    "no mistake": (
        (),
        ("    return [", "    return [7,"),
        f"mistakes {FUNCTION} gave 7 — it must have the fields id and mains; its texts are in {{greet}}/mistakes.yaml",
    ),
}


@pytest.mark.parametrize("name", UNMATCHED)
def test_words_and_code_that_do_not_match_are_reported(greet, name):
    words_edit, code_edit, sentence = UNMATCHED[name]
    (greet / "mistakes.yaml").write_text(WORDS.replace(*words_edit) if words_edit else WORDS)
    (greet / "own.py").write_text(OWN.replace(*code_edit) if code_edit else OWN)
    (stage,) = load_assignment(greet).stages
    with pytest.raises(SpecError) as error:
        mistakes_of(stage)
    assert str(error.value) == sentence.format(greet=greet)


def test_words_without_code_fail_verify_but_change_no_verdict(greet, pitboss, tmp_path):
    error = UNMATCHED["words without code"][2].format(greet=greet)
    (greet / "mistakes.yaml").write_text(WORDS.replace("  no-mark:", "  no-marc:"))
    done = pitboss("verify", "-a", greet)
    assert (done.code, done.err) == (2, f"pitboss: {error}\n")
    (greet / "greet.py").write_text('print("Goodbye", input("Name? ") + "!")\n')
    done = pitboss("check", greet, "-a", greet, "--json", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert (done.code, report["verdict"], report["faults"]) == (1, "WRONG_ANSWER", [error])


def test_pytest_does_not_collect_the_words_file_as_a_spec(greet):
    first_run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", greet],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in first_run.stdout, first_run.stdout
    (greet / "other.yaml").write_text("program: other\n")
    second_run = subprocess.run(first_run.args, capture_output=True, text=True, check=False)
    assert "other.yaml: no stage of assignment.yaml has this spec file" in second_run.stdout


def with_every_feature(stage):
    """The stage with all its features switched on, since some mistakes can be made only with two of them."""
    return with_setting(stage, [int(bool(option.is_free and option.feature_rule)) for option in stage.options])


@pytest.mark.parametrize(
    ("name", "count"), [("blackjack", 192), ("csc101", 92), ("ece2036", 74), ("tournament", 62), ("bjm0", 71)]
)
def test_every_mistake_has_words_and_a_unique_title(name, count):
    stages = load_assignment(ROOT / "specs" / name).stages
    stages = [variant for stage in stages for variant in (stage, with_every_feature(stage))]
    known_mistakes = {mistake.id: mistake for stage in stages if stage.mistakes for mistake in mistakes_of(stage)}
    catalogue = __import__(f"reference.{name}.mistakes", fromlist=["catalogue"]).catalogue()
    assert sorted(mistake.id for mistake in catalogue) == sorted(known_mistakes)
    assert len(catalogue) == len({mistake.title for mistake in known_mistakes.values()}) == count
    assert all(mistake.mains for mistake in catalogue)
    for mistake in known_mistakes.values():
        assert all((mistake.title, mistake.hint, mistake.note, mistake.source)), mistake.id
        assert mistake.hint[0].isupper()
        assert mistake.hint[-1] in ".?"
        for word in ("EOF", "stdout", "stdin", "SIGSEGV", "buffer"):  # terms that beginners need not know
            assert word not in mistake.title + mistake.hint


def test_a_mistake_of_two_features_is_tried_with_both():
    """Only the stages about one of the two features try such a mistake."""
    stages = load_assignment(ROOT / "specs" / "csc101").stages
    assert {
        stage.name: [
            (mistake.id, own_keywords(variant.options)["betting"])
            for mistake, variant in mistakes_of_other_settings(stage)
        ]
        for stage in stages
    } == {
        # Without error checking, the reference silently refuses a newline, so a program that skips it looks the same.
        "basic": [("newline-is-a-command", False)],
        "reshuffle": [("newline-is-a-command", False)],
        "split": [("no-split-after-double", True), ("newline-is-a-command", False)],
        # What split hands win is counted by the table of winnings.
        "betting": [
            *(
                (id_, True)
                for id_ in (
                    "quit-costs-one-of-two-bets",
                    "split-counts-first-hand",
                    "split-counts-second-hand",
                    "split-drops-the-double",
                )
            ),
            ("newline-is-a-command", True),
        ],
        "errors": [
            (id_, True)
            for id_ in (
                "bet-of-1-refused",
                "highest-bet-refused",
                "too-high-bet-accepted",
                "highest-bet-unchecked",
                "doubles-later",
                "refused-commands-count",
                "bet-zero",
                "number-with-rest",
                "bet-wraps",
                "rest-of-line-is-an-answer",
            )
        ],
    }
