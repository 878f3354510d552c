"""The words of known mistakes in a file beside the specs: all that can be wrong with them is told in one sentence."""

import json
import subprocess
import sys

import pytest

from pitboss.assignments.options import own_keywords, with_setting
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.experiments.catalogue import mistakes_of, mistakes_with_more, pairs_of
from tests.authors import refusal
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

def together(one, other):
    return {"greet": lambda console: main(console, "Goodbye", "")}
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
    """The folder of an assignment whose catalogue stands in code and whose words in a file."""
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


def test_words_and_programs_are_joined_by_id_in_the_order_of_the_code(greet):
    (stage,) = load_assignment(greet).stages
    assert [(one.id, one.title, one.hint, one.note, one.source, one.invisible) for one in mistakes_of(stage)] == [
        ("goodbye", "it says goodbye", "Which word comes first?", "The end for the beginning.", "seen in 2019", ""),
        ("no-mark", "the mark is missing: !", "How does the line end?", "No mark.", "the sample", ""),
        ("a-tab", "a tab is shown", "What stands before the name?", "\\t.", "the sample", "it looks the same"),
    ]
    (pair,) = pairs_of(stage)
    assert (pair.id, pair.title) == ("goodbye+no-mark", "it says goodbye; and the mark is missing: !")
    assert pair.hint == "Which word comes first? How does the line end?"


def test_each_wrong_program_is_caught_under_its_words(greet, pitboss):
    (greet / "mistakes.yaml").write_text(WORDS.replace("    invisible: it looks the same\n", ""))
    assert pitboss("verify", "-a", greet).out == (
        "greet: the only recorded case matches the reference\ngreet greet: 3 of 3 known mistakes are caught\n"
    )
    (greet / "greet.py").write_text('print("Goodbye", input("Name? ") + "!")\n')
    output = pitboss("check", greet, "-a", greet).out
    assert "  possible mistake: it says goodbye (explains 1 of 1 that failed). Which word   \n  comes first?" in output


LINE_5 = "    hint: Which word comes first?\n"
ENTRY = "mistake 'goodbye'"
MISTAKE_KEYS = "title, hint, note, source, invisible"
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
        ":1: a file of words has no 'mistakes' — it needs one: the texts of each mistake, by its id",
    ),
    "nothing under mistakes": ("mistakes:\n", ":1: mistakes is empty — it must be a mapping from names"),
    "a list of mistakes": (
        "mistakes:\n  - {id: goodbye}\n",
        ":2: mistakes is a list — it must be a mapping from names",
    ),
    "repeated id": (
        WORDS.replace("  no-mark:", "  goodbye:"),
        ":8: 'goodbye' is on line 3 too — each key can be given only once",
    ),
    "repeated key": (
        WORDS.replace(LINE_5, LINE_5 * 2),
        ":6: 'hint' is on line 5 too — each key can be given only once",
    ),
    "a text for a mistake": (
        "mistakes:\n  goodbye: it says goodbye\n",
        f":2: {ENTRY} is 'it says goodbye' — it must be a mapping with {MISTAKE_KEYS}",
    ),
    "no hint": (
        WORDS.replace(LINE_5, ""),
        f":4: {ENTRY} has no 'hint' — it needs one: "
        "a sentence for the student that says where to look without giving the answer away",
    ),
    "no source": (
        WORDS.replace("source: the sample\n", ""),
        ":7: mistake 'no-mark' has no 'source' — it needs one: where it was observed, or what invites it, or one at "
        "the top for all mistakes",
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
        ":10: hint of mistake 'no-mark' is 'How does the line\\nend?' — it must be one line; folded text begins with >-",
    ),
    "a line with its end": (
        WORDS.replace("hint: >-", "hint: >"),
        ":10: hint of mistake 'no-mark' is 'How does the line end?\\n' — it must be one line; folded text begins with >-",
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
def test_what_is_wrong_in_a_file_of_words_is_reported_when_the_assignment_is_loaded(greet, name):
    words, sentence = BAD_FILES[name]
    (greet / "mistakes.yaml").write_text(words)
    assert refusal(greet) == f"{greet}/mistakes.yaml{sentence}"


BAD_NAMES = {
    "no such file": (
        ASSIGNMENT.replace("words: mistakes.yaml", "words: words.yaml"),
        ":4: words is '{greet}/words.yaml' — there is no such file",
    ),
    "no mistakes": (
        ASSIGNMENT.replace("mistakes: own:catalogue\n", ""),
        ":3: there are words and no mistakes — name the function that returns them: mistakes",
    ),
    "a list": (
        ASSIGNMENT.replace("words: mistakes.yaml", "words: [mistakes.yaml]"),
        ":4: words is a list — it must be text",
    ),
}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_file_of_words_that_is_not_there_or_has_nothing_to_speak_of_is_reported(greet, name):
    assignment, sentence = BAD_NAMES[name]
    (greet / "assignment.yaml").write_text(assignment)
    assert refusal(greet) == f"{greet}/assignment.yaml{sentence}".replace("{greet}", str(greet))


FUNCTION = "'own:catalogue'"
#: What code and words do not share: what is otherwise in the words and in the code, and what is said.
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
        f"{{greet}}/mistakes.yaml:1: there are no words for x, y — each mistake of {FUNCTION} has a title, a hint and a "
        "note here",
    ),
    "an id that code gives twice": (
        (),
        ("    return [", '    return [SimpleNamespace(id="no-mark", mains={}),'),
        f"{{greet}}/mistakes.yaml:8: {FUNCTION} gives mistake 'no-mark' twice — each mistake has an id of its own",
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
        f"mistakes {FUNCTION} gave 7 — a mistake has id and mains, and its words in {{greet}}/mistakes.yaml",
    ),
}


@pytest.mark.parametrize("name", UNMATCHED)
def test_words_and_code_that_do_not_match_are_reported_when_both_are_read(greet, name):
    in_words, in_code, sentence = UNMATCHED[name]
    (greet / "mistakes.yaml").write_text(WORDS.replace(*in_words) if in_words else WORDS)
    (greet / "own.py").write_text(OWN.replace(*in_code) if in_code else OWN)
    (stage,) = load_assignment(greet).stages
    with pytest.raises(SpecError) as caught:
        mistakes_of(stage)
    assert str(caught.value) == sentence.format(greet=greet)


def test_words_without_code_fail_a_verify_and_cost_no_student_anything(greet, pitboss, tmp_path):
    output = UNMATCHED["words without code"][2].format(greet=greet)
    (greet / "mistakes.yaml").write_text(WORDS.replace("  no-mark:", "  no-marc:"))
    done = pitboss("verify", "-a", greet)
    assert (done.code, done.err) == (2, f"pitboss: {output}\n")
    (greet / "greet.py").write_text('print("Goodbye", input("Name? ") + "!")\n')
    done = pitboss("check", greet, "-a", greet, "--json", tmp_path / "told.json")
    message = json.loads((tmp_path / "told.json").read_text())
    assert (done.code, message["verdict"], message["faults"]) == (1, "WRONG_ANSWER", [output])


def test_pytest_takes_the_words_for_no_spec_file(greet):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", greet],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout
    (greet / "other.yaml").write_text("program: other\n")
    again = subprocess.run(done.args, capture_output=True, text=True, check=False)
    assert "other.yaml: no stage of assignment.yaml has this spec file" in again.stdout


def with_every_feature(stage):
    """The stage of a program that has all features, since some mistakes can be made only with two of them."""
    return with_setting(stage, [int(bool(option.is_free and option.shows)) for option in stage.options])


@pytest.mark.parametrize(
    ("name", "count"), [("blackjack", 192), ("csc101", 84), ("ece2036", 73), ("tournament", 62), ("bjm0", 71)]
)
def test_the_words_of_every_mistake_are_there_and_its_name_is_its_own(name, count):
    stages = load_assignment(ROOT / "specs" / name).stages
    stages = [every for stage in stages for every in (stage, with_every_feature(stage))]
    known = {one.id: one for stage in stages if stage.mistakes for one in mistakes_of(stage)}
    catalogue = __import__(f"reference.{name}.mistakes", fromlist=["catalogue"]).catalogue()
    assert sorted(one.id for one in catalogue) == sorted(known)
    assert len(catalogue) == len({one.title for one in known.values()}) == count
    assert all(one.mains for one in catalogue)
    for one in known.values():
        assert all((one.title, one.hint, one.note, one.source)), one.id
        assert one.hint[0].isupper()
        assert one.hint[-1] in ".?"
        for word in ("EOF", "stdout", "stdin", "SIGSEGV", "buffer"):
            assert word not in one.title + one.hint


def test_a_mistake_that_needs_another_feature_too_is_tried_in_a_program_with_both():
    """In a stage that is about one of the features; a stage about none leaves it to these."""
    stages = load_assignment(ROOT / "specs" / "csc101").stages
    assert {
        stage.name: [
            (mistake.id, own_keywords(other.options)["betting"]) for mistake, other in mistakes_with_more(stage)
        ]
        for stage in stages
    } == {
        # Without error checking a line end is refused in silence, as in a program that skips it.
        "basic": [("newline-is-a-command", False)],
        "reshuffle": [("newline-is-a-command", False)],
        "split": [
            *(
                (id_, True)
                for id_ in (
                    "quit-costs-one-of-two-bets",
                    "no-split-after-double",
                    "split-counts-first-hand",
                    "split-counts-second-hand",
                    "split-drops-the-double",
                )
            ),
            ("newline-is-a-command", False),
        ],
        "betting": [("newline-is-a-command", True)],
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
                "rest-of-line-is-an-answer",
            )
        ],
    }
