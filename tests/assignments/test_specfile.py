"""Files of assignments: how they are read, and the message on each error, with its line and what is allowed."""

import shutil
from decimal import Decimal
from fractions import Fraction

import pytest
import yaml

from pitboss.assignments import keys
from pitboss.assignments.assignment import Answers, Generated, Player, PromptAnswers, Recorded, Then
from pitboss.assignments.keys import schema_files
from pitboss.assignments.nodes import Text, integer
from pitboss.assignments.specfile import assignments_in, load_assignment, load_assignment_named
from pitboss.errors import SpecError, UsageError
from pitboss.model.comparison_policy import Policy
from pitboss.model.notation import events_in, notation_of
from pitboss.model.transcript import Shown, Typed
from pitboss.sandbox.limits import Limits
from tests.authors import load_error
from tests.conftest import ROOT

ASSIGNMENT = """title: Small
seeded: yes
stages:
  - name: one
    reference: somewhere.one:main
players:
  nobody: somewhere.players:nobody
"""
SPEC = """program: one
cases:
  - name: first
    transcript: |
      a? <<1>>
      b
"""


@pytest.fixture
def folder(tmp_path):
    """The folder of a small assignment, with one stage and one case."""
    path = tmp_path / "small"
    path.mkdir()
    (path / "assignment.yaml").write_text(ASSIGNMENT)
    (path / "one.yaml").write_text(SPEC)
    return path


def test_a_small_assignment_is_loaded_with_its_defaults(folder):
    assignment = load_assignment(folder)
    (stage,) = assignment.stages
    (case,) = stage.spec.cases
    assert (assignment.name, assignment.title, assignment.is_seeded) == ("small", "Small", True)
    assert (stage.name, stage.title, stage.needs, stage.limits) == ("one", "one", (), Limits())
    assert case.session == Recorded((Shown(b"a? "), Typed(b"1"), Shown(b"b\n")), line=5)
    assert (case.policy, case.exit_code, case.points, case.visibility) == (Policy(), 0, 1, "public")
    assert case.place == f"{folder}/one.yaml:3"


def test_seeds_answers_and_policies_are_read(folder):
    (folder / "one.yaml").write_text(
        "program: one\ncases:\n  - name: many\n    seeds: [-1, 3..5, 0]\n    answers: [no, 12:30, '']\n"
        "    compare: {letter_case: ignored, alternatives: [[yes, no]]}\n    exit: 3\n    visibility: after due\n"
    )
    (case,) = load_assignment(folder).stages[0].spec.cases
    assert case.session == Generated((-1, 3, 4, 5, 0), Answers((b"no", b"12:30", b"")))
    assert case.policy == Policy(letter_case="ignored", alternatives=(("yes", "no"),))
    assert (case.exit_code, case.visibility) == (3, "after due")


@pytest.mark.parametrize(
    ("answers", "parsed"),
    [
        ("[a, <eof>]", Answers((b"a",), Then.END)),
        ("[<eof>]", Answers((), Then.END)),
        ("[a, b, ...]", Answers((b"a", b"b"), Then.FIRST_AGAIN)),
        (r"[\<eof>, \..., a]", Answers((b"<eof>", b"...", b"a"))),
        (r"[\\<eof>, '\\...', <eof>]", Answers((b"\\<eof>", b"\\..."), Then.END)),
        (r"[a\b, \n, '\', <eof> a, ....]", Answers((b"a\\b", b"\\n", b"\\", b"<eof> a", b"...."))),
    ],
)
def test_the_last_answer_may_end_the_input_or_repeat_the_answers(folder, answers, parsed):
    (folder / "one.yaml").write_text(f"program: one\ncases:\n  - name: a\n    seeds: 1\n    answers: {answers}\n")
    players = f"players:\n  somebody:\n    - {{prompt: '? ', answers: {answers}}}\n"
    (folder / "assignment.yaml").write_text(ASSIGNMENT.partition("players:")[0] + players)
    assignment = load_assignment(folder)
    assert assignment.stages[0].spec.cases[0].session == Generated((1,), parsed)
    place = f"{folder}/assignment.yaml:8"
    assert assignment.players == (
        Player("somebody", prompt_answers=(PromptAnswers("? ", parsed, place),), place=place),
    )


@pytest.mark.parametrize(
    ("shared", "sentence"),
    [
        ("reference: nowhere", "reference is 'nowhere' — write it as package.module:function"),
        ("most_sessions: 0", "most_sessions is '0' — it must be a whole number from 1 to 1000000"),
        ("tolerated: {also: nowhere}", "reference is 'nowhere' — write it as package.module:function"),
        ("needs: one", "needs is 'one' — it must be a list"),
    ],
)
def test_an_error_in_a_key_for_all_stages_is_reported_even_if_each_stage_overrides_it(folder, shared, sentence):
    stage_keys = "    reference: somewhere.one:main\n    most_sessions: 3\n    tolerated: {}\n    needs: []\n"
    text = ASSIGNMENT.replace("    reference: somewhere.one:main\n", stage_keys).replace(
        "stages:", f"{shared}\nstages:"
    )
    (folder / "assignment.yaml").write_text(text)
    assert load_error(folder) == f"{folder}/assignment.yaml:3: {sentence}"


@pytest.mark.parametrize("points", ["2.5", "0", "1000000"])
def test_the_points_of_a_case_may_be_decimals(folder, points):
    (folder / "one.yaml").write_text(SPEC + f"    points: {points}\n")
    assert load_assignment(folder).stages[0].spec.cases[0].points == Decimal(points)


@pytest.mark.parametrize("points", ["-1", "1e3", "2,5", "0.1234567", "half"])
def test_points_in_any_other_form_are_refused(folder, points):
    (folder / "one.yaml").write_text(SPEC + f"    points: {points}\n")
    assert load_error(folder) == f"{folder}/one.yaml:7: points is {points!r} — it must be a number such as 40 or 2.5"


def test_cases_inherit_policies_and_limits_of_stage_and_assignment(folder):
    text = ASSIGNMENT.replace("stages:", "compare: {pauses: ignored}\nlimits: {cpu_s: 3}\nstages:")
    text = text.replace("    reference", "    compare: {blank_lines: ignored}\n    limits: {idle_s: 4}\n    reference")
    (folder / "assignment.yaml").write_text(text)
    (stage,) = load_assignment(folder).stages
    assert stage.spec.cases[0].policy == Policy(pauses="ignored", blank_lines="ignored")
    assert stage.limits == Limits(cpu_s=3, idle_s=4)


CASE_KEYS = ", ".join(keys.CASE)
#: By test id: the text of one.yaml, and the sentence that is reported, after the file's path.
BAD_SPECS = {
    "unknown key": (
        SPEC.replace("    transcript", "    trancript"),
        f":4: a case has no key 'trancript' — allowed are {CASE_KEYS}; did you mean 'transcript'?",
    ),
    "repeated key": (
        SPEC.replace("    transcript", "    name: again\n    transcript"),
        ":4: 'name' is on line 3 too — each key can be given only once",
    ),
    "no cases": (
        "program: one\ncases: []\n",
        ":2: cases is an empty list — a spec without cases would accept every program",
    ),
    "cases missing": ("program: one\n", ":1: a spec file lacks the key 'cases': the cases, in order"),
    "wrong program": (SPEC.replace("program: one", "program: two"), ":1: program is 'two' — this is the spec of 'one'"),
    "case twice": (
        SPEC + SPEC.partition("cases:\n")[2],
        ":7: case 'first' is on line 3 too — each case needs its own name",
    ),
    "bad mark": (
        SPEC.replace("      b", "      <pasue 2s>b"),
        ":6: '<pasue 2s>' is not a mark — allowed are <<a typed line>>, <pause 2s>, <eof>, and <no-eol> at the very end; "
        "a plain < is written \\<; did you mean <pause 2s>?",
    ),
    "trailing blank": (
        SPEC.replace("      b", "      b "),
        ":6: a blank at the end of a line cannot be seen — write the last blank of the line as \\x20",
    ),
    "no session": (
        "program: one\ncases:\n  - name: first\n",
        ":3: a case has no transcript, answers or player — it must have exactly one of them",
    ),
    "two sessions": (
        SPEC + "    answers: [h]\n",
        ":3: a case has transcript and answers — it must have exactly one of them",
    ),
    "no seeds": (
        "program: one\ncases:\n  - name: first\n    answers: [h]\n",
        ":3: the case has no seeds — in this assignment the first line typed is a seed",
    ),
    "seeds of a recorded case": (
        SPEC + "    seeds: 3\n",
        ":7: a case has seeds — a recorded case is one session, with its seed in its transcript",
    ),
    "wrong seed": (
        "program: one\ncases:\n  - name: first\n    seeds: 1.5\n    answers: []\n",
        ":4: seeds is '1.5' — it must be a number such as 7, a range such as 1..100, or a list",
    ),
    "range that goes down": (
        "program: one\ncases:\n  - name: first\n    seeds: 9..1\n    answers: []\n",
        ":4: seeds is '9..1' — a range needs a larger second number, and has at most 1,000,000 seeds",
    ),
    "seed too large": (
        "program: one\ncases:\n  - name: first\n    seeds: 2147483648\n    answers: []\n",
        ":4: seeds is '2147483648' — a seed is a C int, from -2147483648 to 2147483647",
    ),
    "unknown player": (
        "program: one\ncases:\n  - name: first\n    seeds: 1\n    player: nobdy\n",
        ":5: there is no player 'nobdy' — known are nobody; did you mean 'nobody'?",
    ),
    "wrong number": (
        SPEC + "    exit: many\n",
        ":7: exit is 'many' — it must be a whole number from 0 to 255, or nonzero",
    ),
    "wrong word": (
        SPEC + "    visibility: pubic\n",
        ":7: visibility is 'pubic' — it must be public, hidden or after due; did you mean 'public'?",
    ),
    "wrong strictness": (
        SPEC + "    compare: {pauses: maybe}\n",
        ":7: pauses is 'maybe' — it must be exact or ignored",
    ),
    "one alternative": (
        SPEC + "    compare: {alternatives: [[a]]}\n",
        ":7: an item of alternatives has only 1 item — give at least 2",
    ),
    "a list for a text": ("program: [one]\ncases: []\n", ":1: program is a list — it must be text"),
    "a text for a list": ("program: one\ncases: none\n", ":2: cases is 'none' — it must be a list"),
    "a text for a mapping": (
        "program: one\ncases: [none]\n",
        f":2: a case is 'none' — it must be a mapping with {CASE_KEYS}",
    ),
    "an alias": ("program: &a one\ncases: *a\n", ":1: &a is an anchor — these files cannot have anchors"),
    "a tag": ("program: !!str one\ncases: []\n", ":1: tag:yaml.org,2002:str is a tag — these files cannot have tags"),
    "two documents": (SPEC + "---\na: b\n", ":8: a second document begins (---) — a file can have only one"),
    "an empty file": ("", ": the file is empty"),
    "bad YAML": ("program: one\ncases: [\n", ":3: it cannot be read as YAML: did not find expected node content"),
    "a tab": (
        "program: one\n\tcases: 3\n",
        ":2: it cannot be read as YAML: found a tab character that violates indentation",
    ),
    "an empty transcript": (
        "program: one\ncases:\n  - name: first\n    transcript: ''\n",
        ":4: transcript is empty — a session must have output or input",
    ),
    "answers after the end of input": (
        "program: one\ncases:\n  - name: first\n    seeds: 1\n    answers:\n      - a\n      - <eof>\n      - b\n",
        r":8: answers has 'b' after <eof>, which ends the input — <eof> must come last; to type this text, write \<eof>",
    ),
    "answers after those that begin again": (
        "program: one\ncases:\n  - name: first\n    seeds: 1\n    answers: [a, ..., <eof>]\n",
        r":5: answers has '<eof>' after ..., which repeats the answers — ... must come last; to type this text, write \...",
    ),
    "no answers that could begin again": (
        "program: one\ncases:\n  - name: first\n    seeds: 1\n    answers: [...]\n",
        r":5: answers has ... with no answer before it to repeat — to type this text, write \...",
    ),
    "a line too long": (
        f"program: one\ncases:\n  - name: first\n    seeds: 1\n    answers: [{'x' * 5000}]\n",
        ":5: a typed line has 5000 bytes — a terminal takes at most 4094",
    ),
}


@pytest.mark.parametrize("name", BAD_SPECS)
def test_an_error_in_a_spec_file_is_reported_as_one_sentence(folder, name):
    text, sentence = BAD_SPECS[name]
    (folder / "one.yaml").write_text(text)
    assert load_error(folder) == f"{folder}/one.yaml{sentence}"


#: By test id: the text of assignment.yaml, and the sentence that is reported, after the file's path.
BAD_ASSIGNMENTS = {
    "unknown key": (
        ASSIGNMENT.replace("seeded:", "seded:"),
        f":2: the assignment has no key 'seded' — allowed are {', '.join(keys.ASSIGNMENT)}; did you mean 'seeded'?",
    ),
    "rule without words": (
        ASSIGNMENT + "rules:\n  win: {pattern: '^Win$'}\n",
        ":9: rule 'win' lacks the key 'says': a paragraph of Markdown for the handout: what is required of a program",
    ),
    "rule that is no expression": (
        ASSIGNMENT + "rules:\n  win:\n    pattern: '('\n    says: You win.\n",
        ":10: rule 'win' is '(' — it is no regular expression: missing ), unterminated subpattern at position 0",
    ),
    "unknown generator": (
        ASSIGNMENT + "generator: glib\n",
        ":8: generator is 'glib' — it must be glibc; did you mean 'glibc'?",
    ),
    "no stages": ("title: Small\nstages: []\n", ":2: stages is an empty list — give at least 1"),
    "wrong reference": (
        ASSIGNMENT.replace("somewhere.one:main", "somewhere.one"),
        ":5: reference is 'somewhere.one' — write it as package.module:function",
    ),
    "needs no earlier stage": (
        ASSIGNMENT.replace("    reference", "    needs: [two]\n    reference"),
        ":5: stage 'one' needs 'two' — no stage is before it",
    ),
    "stage twice": (
        ASSIGNMENT.replace("\nplayers:", "\n  - name: one\n    reference: a.b:c\nplayers:"),
        ":6: stage 'one' is listed twice — each stage needs its own name",
    ),
    "a name with a slash": (
        ASSIGNMENT.replace("name: one", "name: ../one"),
        ":4: name is '../one' — it must be a name of at most 200 letters, digits, - and _",
    ),
    "a limit of 0": (
        ASSIGNMENT + "limits: {cpu_s: 0}\n",
        ":8: cpu_s is '0' — it must be a whole number from 1 to 1000000",
    ),
    "seeded perhaps": (
        ASSIGNMENT.replace("seeded: yes", "seeded: perhaps"),
        ":2: seeded is 'perhaps' — it must be yes, no, true or false",
    ),
    "an empty command": (
        ASSIGNMENT.replace("reference: somewhere.one:main", "reference: {command: []}"),
        ":5: command is an empty list — give at least 1",
    ),
}


@pytest.mark.parametrize("name", BAD_ASSIGNMENTS)
def test_an_error_in_an_assignment_file_is_reported_as_one_sentence(folder, name):
    text, sentence = BAD_ASSIGNMENTS[name]
    (folder / "assignment.yaml").write_text(text)
    assert load_error(folder) == f"{folder}/assignment.yaml{sentence}"


def test_a_missing_spec_file_is_reported(folder):
    (folder / "one.yaml").unlink()
    assert (
        load_error(folder)
        == f"{folder}/one.yaml: there is no such file — pitboss record one creates it, with a first case"
    )


def test_a_file_in_latin_1_is_reported_with_its_line(folder):
    (folder / "one.yaml").write_bytes(SPEC.replace("      b", "      b£").encode("latin-1"))
    assert load_error(folder) == f"{folder}/one.yaml:6: byte 0xa3 is not UTF-8 — save it as UTF-8"


def test_an_unknown_assignment_is_reported_with_the_known_assignments(folder):
    assert assignments_in((folder.parent,)) == {"small": folder}
    with pytest.raises(UsageError) as caught:
        load_assignment_named("smal", (folder.parent,))
    assert str(caught.value) == "there is no assignment 'smal' — known are small; did you mean 'small'?"
    with pytest.raises(UsageError) as caught:
        load_assignment_named("./nowhere", (folder.parent,))
    assert str(caught.value) == "./nowhere: there is no assignment.yaml in this folder"


def test_the_schemas_in_docs_are_up_to_date():
    for name, text in schema_files().items():
        assert (ROOT / "docs" / name).read_text() == text, "refresh them: pitboss schema docs"


def test_every_recorded_case_of_blackjack_is_in_canonical_notation(blackjack):
    for stage in blackjack.stages:
        spec = yaml.safe_load((ROOT / "specs" / "blackjack" / f"{stage.name}.yaml").read_text())
        transcripts = {case["name"]: case.get("transcript") for case in spec["cases"]}
        for case in stage.spec.cases:
            if isinstance(case.session, Recorded):
                assert notation_of(case.session.events) == transcripts[case.name]
                assert events_in(transcripts[case.name]) == case.session.events


def test_folders_without_an_assignment_are_skipped(tmp_path):
    shutil.copytree(ROOT / "tests" / "toy" / "teller", tmp_path / "teller")
    (tmp_path / "notes").mkdir()
    assert list(assignments_in((tmp_path, tmp_path / "missing"))) == ["teller"]


DRAWN = "title: Drawn\nseeded: no\ndraws: {DRAWS}\nstages:\n  - name: one\n    reference: a.b:c\n    reader: a.b:r\n"


@pytest.mark.parametrize("values", ["[1..4]", "1..4", "[1, 2..3, 4]"])
def test_drawn_values_may_be_given_as_a_range(tmp_path, values):
    (tmp_path / "assignment.yaml").write_text(DRAWN.replace("DRAWS", f"values: {values}"))
    (tmp_path / "one.yaml").write_text(SPEC)
    assert load_assignment(tmp_path).stages[0].draws.values == ("1", "2", "3", "4")


@pytest.mark.parametrize("values", ["4..1", "1..1", "1..999999"])
def test_a_range_of_values_must_ascend_and_be_limited(tmp_path, values):
    (tmp_path / "assignment.yaml").write_text(DRAWN.replace("DRAWS", f"values: [{values}]"))
    prefix = f"{tmp_path}/assignment.yaml:3"
    assert (
        load_error(tmp_path)
        == f"{prefix}: values has '{values}' — a range needs a larger second number, and has at most 10,000 numbers"
    )


@pytest.mark.parametrize(("rarest", "share"), [("2.7%", Fraction(27, 1000)), ("25%", Fraction(1, 4))])
def test_the_probability_of_the_rarest_value_can_be_given(tmp_path, rarest, share):
    (tmp_path / "assignment.yaml").write_text(DRAWN.replace("DRAWS", f"values: 1..4, rarest: {rarest}"))
    (tmp_path / "one.yaml").write_text(SPEC)
    assert load_assignment(tmp_path).stages[0].draws.rarest == share


RAREST_OF_FOUR = "with 4 values the rarest has a probability above 0% and at most 25%, the probability of each if all are equally likely"


@pytest.mark.parametrize(
    ("draws", "sentence"),
    [
        ("1..4, called: [card, deck]", "called has only 2 items — give at least 3"),
        ("1..4, rarest: 26%", f"rarest is '26%' — {RAREST_OF_FOUR}"),
        ("1..4, rarest: 0%", f"rarest is '0%' — {RAREST_OF_FOUR}"),
        ("1..4, rarest: 1/36", "rarest is '1/36' — it must be a percentage from 0% to 100%, such as 70%"),
        ("[1]", "values has only 1 value — give at least two"),
        ("[1..4, 3]", "values lists '3' twice — list each value once"),
        (
            "1..4, bag: 4, rarest: 2%",
            "draws has rarest — all values drawn from a bag are equally likely",
        ),
    ],
)
def test_impossible_draws_are_refused(tmp_path, draws, sentence):
    (tmp_path / "assignment.yaml").write_text(DRAWN.replace("DRAWS", f"values: {draws}"))
    assert load_error(tmp_path) == f"{tmp_path}/assignment.yaml:3: {sentence}"


@pytest.mark.parametrize(
    ("digits", "number"),
    [("7", 7), ("-007", -7), ("-0", 0), ("0" * 5000 + "7", 7), ("1" * 5000, None), ("--1", None)],
    ids=lambda value: f"{len(value)} characters" if isinstance(value, str) else str(value),
)
def test_a_whole_number_may_have_any_number_of_leading_zeros(digits, number):
    """Python's int() raises ValueError for more than 4300 digits."""
    node = Text(digits, "spec.yaml:1", (1, 2))
    if number is None:
        with pytest.raises(SpecError, match=r"^spec\.yaml:1: seed is .* — it must be a whole number from -9 to 9$"):
            integer(node, "seed", -9, 9)
    else:
        assert integer(node, "seed", -9, 9) == number


@pytest.mark.parametrize(("exit_code", "expected"), [("0" * 5000 + "20", 20), ("-0", 0), ("nonzero", "nonzero")])
def test_an_exit_code_may_have_any_number_of_leading_zeros(tmp_path, exit_code, expected):
    (tmp_path / "one.yaml").write_text(
        f"program: one\ncases:\n  - {{name: a, seeds: 1, answers: [], exit: '{exit_code}'}}\n"
    )
    (tmp_path / "assignment.yaml").write_text("title: One\nstages:\n  - {name: one, title: one, reference: it:main}\n")
    ((case,),) = (stage.spec.cases for stage in load_assignment(tmp_path).stages)
    assert case.exit_code == expected
