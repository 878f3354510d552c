"""The JSON schemas accept the same files as the loader, except for rules that JSON Schema cannot express."""

import copy
import io
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jsonschema
import pytest
import regress
from check_jsonschema.parsers.yaml import construct_yaml_implementation, impl2loader
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments import keys
from pitboss.assignments.keys import schema_files
from pitboss.assignments.kinds import KeyTable
from pitboss.assignments.specfile import load_assignment
from pitboss.assignments.wordfile import load_words
from pitboss.errors import SpecError
from pitboss.experiments.mutants.mutant_list import load_listed
from tests.conftest import ROOT

#: Rules that only the loader checks. For each: why no schema can, and a pattern for the loader's messages about the rule.
BEYOND_SCHEMAS = {
    "a name refers to something in another file, in another list or in the file system": (
        "a schema sees one file, and cannot compare one place of it with another",
        r"there is no (player|such file|such folder|stage)|this is the spec of|^.* needs '|required has '|"
        r"is under (with|without)|which is under sources too|the (stages|cases) are|its cases are|shows is|"
        r"is under reached too|be one of the stages before it|that stage (has no points|has fewer than two graded cases|is graded manually)|"
        r"has no '\w+' — each stage has its own|no option has the key shows|says? one$|use only one of them|"
        r"only an option with the values yes and no|the values no and yes|its values must then be no and yes|"
        r"cannot be (read|used)|a (spec file|file of words) is|which is in `reserved` too|the alternatives have|cannot be distinguished|a reader and a checker|so words are compared|needs stderr: compared|"
        r"this assignment is not seeded|the case has no seeds|in this assignment the seeds determine them|is below '|an item of not_typed is|its stage must then have",
    ),
    "a name, a day or a value is listed only once": (
        "a schema compares whole items of a list, and keys letter by letter",
        r"is (listed|used) twice|is on line \d+ too|twice — each|(twice|with and without) — list it once|each (\w+ )?(needs|has) its own|each must be a different text|list each (day|value)",
    ),
    "numbers are in order, and add up": (
        "a schema does not calculate",
        r"a range needs a larger|must not leave more|must not decrease|is less than|use the order of the stages|together they must be 100%|"
        r"the rarest has|only extra stages have points|it must be a whole number from 1 to|values has only 1 value",
    ),
    "a regular expression is one of Python's, and not matching every line": (
        "a schema uses those of ECMAScript",
        r"it is no regular expression|it matches an empty line",
    ),
    "a transcript is in the notation": (
        "the notation is a grammar, and not one pattern",
        r"transcript is empty|cannot be seen|control character|<<|<eof>|<no-eol>|byte|escape|begins a tag|backslash",
    ),
    "a name has at most so many bytes, and identifiers and file names have only certain kinds of characters": (
        "a schema counts characters, and implementations disagree on patterns for kinds of characters",
        r"at most \d+ bytes|a terminal takes at most|in the program's folder|beside the spec file",
    ),
}


#: The good files, which together have every key. The fixture `folders` creates the files that they name.
DRAWN = """
title: Dice and words
language: C
versions: {python: "3.12", java: 21, csharp: 8, rust: 1.70.0, lua: "5.4"}
seeded: no
reference: sound.module:function
reader: reading:rolls
needs: []
tolerated: {another way: "a.b:c", a third: {command: [./there.txt, 1]}}
rules: {six: "^6$", worded: {pattern: x, says: Some words.}}
required: [six]
most_sessions: 100
submitted_as: [Two]
sources: [one.c, 2.c]
flags: [-Werror=vla]
given: folder
requires: [array, {construct: call draw, says: Use it., points: 2.5}]
forbids: [goto]
draws: {values: [1..4, x], bag: 5, called: [card, deck, hand]}
options:
  order: {keyword: order, values: {p before d: pd, d before p: dp}, choice: Either way.}
  split:
    keyword: split
    values: {without: no, with: yes}
    shows: a split
    key: split_key
    key_texts: {s(p)lit: "({key}) split"}
    rules: {a split: ^Split, told: {pattern: told, says: Tell it.}}
    with_others: {both: {pattern: ^Both, says: Both.}}
declared_in: features.txt
mistakes: wrong:mistakes
words: words.yaml
compare:
  pauses: ignored
  trailing_blanks: ignored
  blank_lines: exact
  blanks: exact
  letter_case: ignored
  alternatives: [[€, EUR], [Z, 3]]
  not_judged: [^Debug]
  free_lines: [^Hello]
  matches: [^Today]
  lines_in_any_order: [^-]
  numbers: [{within: 0.01, lines: [^Mean]}, {relative: 1.5}]
  judged_from: ^Begin
  free:
    push: {line: Push., lines: 2, may_equal: [x], synonyms: [Lost.], when: it is a push, may_be_missing: no}
    busts: {end_of_line: " You bust!"}
    asking: {prompt: "Hit? "}
    leaving: {after: "again: q", numbers_vary: yes}
  reserved: [You win.]
prompts:
  "Bet: ": {lines: numbers, not_typed: {Nobody says.: [plus signs], Open.: [decimals]}}
  "Hit? ": {lines: [y, n], not_typed: {Open.: [end of input]}}
stages:
  - name: one
    title: The first
    prompts: {"Hit? ": {lines: {yes: "[yY]"}}}
    spec: one.yaml
    is_optional: yes
    graded_by: pitboss
    needs: []
    reference: {command: [./there.txt, -v, 2]}
    with: [split]
    limits: {cpu_s: 1}
    compare: {pauses: exact}
    required: []
    rules: {}
    handout: there.txt
    files: {a.txt: text, b/c.txt: {file: there.txt, may_be_submitted: yes}, d.txt: }
    expected_files: {o.txt: 12, p.txt: {file: there.txt}, q.txt: {is_absent: yes}}
    stderr: compared
  - name: two
    reference: a.b:c
    without: [split]
    needs: [one]
    tolerated: {}
    most_sessions: 9
    submitted_as: []
    sources: []
    given: folder
    requires: []
    forbids: [{construct: global variable}]
    reader: reading:rolls
    not_checked: It has no screen.
    expected_files: [o.txt]
    stderr: shown
"""
SEEDED = """
title: Seeded
checker: a.b:check
draws: {values: 2..12, rarest: 2.7%}
players:
  a saver: [{prompt: "Deposit? ", answers: [12, <eof>]}]
  coded: players:coded
  players: [hit below 17, stand]
limits: {cpu_s: 2, idle_s: 3, session_s: 60, memory_mb: 256, output_kb: 10, processes: 3, starts: 4, file_mb: 5}
handout: there.txt
generator: glibc
ship_reference: yes
bundle: no
grading:
  points: {person: 5.5, three: 7}
  reached: {one: 10, two: 20.25}
  partial_credit: {one: cases, two: none}
  gates: {person: [one]}
  caps: {one: 30, two: 40, three: 40}
  most: 60
  extra: [person]
  dropped: {one: [a player]}
  drop_lowest: {one: 1}
  functionality: 70%
  style: 30%
  style_of: earned
  late: {1 day early: +5%, on time: 0%, 1 day late: -10%, 2 days late: no credit}
  early_from: own
  rounding: {to: 0.5, direction: up}
stages:
  - {name: one, reference: a.b:c, stderr: compared}
  - {name: two, spec: two.yaml, reference: a.b:c}
  - {name: three, reference: a.b:c, needs: [two], checker: {command: [./there.txt, -v]}}
  - {name: person, graded_by: hand, reference: a.b:c}
"""
CASES = """
program: one
cases:
  - name: recorded
    transcript: |
      Seed: <<7>>
      <pause 2s>done
    exit: 3
    points: 2
    visibility: hidden
    covers: [a rule, 2]
    hint: Look at the loop.
    environment: {LANG: de_DE.UTF-8, LEVEL: 3, EMPTY: }
    compare: {pauses: ignored, judged_from: ""}
  - name: 12
    seeds: [1, 3..5, -2]
    answers: [1, yes, "", quit]
    arguments: [-v, 3, ""]
    files: {a.txt: text, b.txt: {file: there.txt}}
    expected_files: {c.txt: {file: there.txt}, d.txt: {is_absent: yes}}
    kept_files: [e.txt, 12]
    after:
      - {lines: [1, yes, "", "a\tb"], arguments: [-v, 3], environment: {LEVEL: 3}}
      - lines: []
    expected_stderr: wrong
    checker: a.b:check
  - name: a player
    seeds: 1..100
    player: a saver
    expected_files: [x.txt]
    expected_stderr: {file: there.txt}
  - {name: another, seeds: 7, player: stand, visibility: after due, expected_stderr: {is_empty: no}}
  - {name: from a file, input_file: there.txt}
  - {name: recorded from a file, input_file: there.txt, transcript: done}
"""
UNSEEDED_CASES = """
program: one
cases:
  - {name: one, answers: [], sessions: 20, exit: nonzero}
  - {name: a player, answers: [x], visibility: public}
"""
#: The spec file of each stage, except where the spec file itself is the good file.
OTHER_SPEC = "program: NAME\ncases: [{name: one, SEEDS, answers: [x]}, {name: a player, SEEDS, answers: []}, {name: 3, SEEDS, answers: []}]\n"
WORDS = """
source: seen in class
mistakes:
  late: {title: It is late, hint: Look at the clock., note: Nothing., source: a book, invisible: none can see it}
  12: {title: 12, hint: 1.5, note: Nothing else.}
"""
MUTANTS = """
equivalent:
  - {mutants: ["a:1 < for <="], stages: [one], reason: It is the same.}
  - {mutants: ["a:*"], count: 2, reason: They are.}
  - {mutants: ["b:*", 3], count: {one: 3, two: 1}, reason: They are.}
unreached:
  - {lines: ["a.py:3 *"], stages: [two], reason: Nobody comes here.}
"""


def to_yaml(value, indent=0):
    """A value as YAML, with all texts in quotes, so that every reader of YAML gets the same value."""
    margin = " " * indent
    match value:
        case dict() if value:
            lines = (f"{margin}{quote(key)}:{_nested_yaml(item, indent)}" for key, item in value.items())
            return "\n" + "\n".join(lines)
        case list() if value:
            return "\n" + "\n".join(f"{margin}-{_nested_yaml(item, indent)}" for item in value)
        case dict() | list():
            return " {}" if isinstance(value, dict) else " []"
        case str():
            return f" {quote(value)}"
        case None:
            return ""
        case bool() | int():
            return f" {json.dumps(value)}"
        case float():
            return f" {value:f}"


def _nested_yaml(value, indent):
    return to_yaml(value, indent + 1)


def quote(text):
    """A text in double quotes, with everything but ASCII letters and digits escaped."""
    return '"' + "".join(char if char.isalnum() and char.isascii() else f"\\U{ord(char):08x}" for char in text) + '"'


@cache
def _compile(pattern):
    return regress.Regex(pattern, flags="u")  # ECMAScript's syntax, as in editors and check-jsonschema


def _check_pattern(validator, pattern, value, schema):
    if validator.is_type(value, "string") and not _compile(pattern).find(value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


def _check_pattern_properties(validator, patterns, value, schema):
    for pattern, inner in patterns.items() if validator.is_type(value, "object") else ():
        for key, item in value.items():
            if _compile(pattern).find(key):
                yield from validator.descend(item, inner, path=key, schema_path=pattern)


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator, {"pattern": _check_pattern, "patternProperties": _check_pattern_properties}
)
SCHEMAS = {name.partition(".")[0]: Validator(json.loads(text)) for name, text in schema_files().items()}


class Kind(NamedTuple):
    """A kind of file that has a schema, and what is needed to load one."""

    schema: str
    file: str
    #: A text of the file that is accepted.
    good: str
    #: The other files that the loader reads.
    others: dict[str, str]
    load: Callable[[Path], object]


ONE_STAGE = "title: One\nseeded: SEEDED\nplayers: {a saver: a.b:c, stand: a.b:c}\nstages: [{name: one, reference: a.b:c, STDERR}]\n"
SEEDED_ASSIGNMENT = {"assignment.yaml": ONE_STAGE.replace("SEEDED", "yes").replace("STDERR", "stderr: compared")}
UNSEEDED_ASSIGNMENT = {
    "assignment.yaml": ONE_STAGE.replace("SEEDED", "no").replace(", STDERR", "").replace("saver", "player")
}
TWO_STAGES = "title: Two\nseeded: no\nstages: [{name: one, reference: a.b:c}, {name: two, reference: a.b:c}]\n"
KINDS = {
    "an assignment that draws": Kind("assignment", "assignment.yaml", DRAWN, {"words.yaml": WORDS}, load_assignment),
    "a seeded assignment": Kind("assignment", "assignment.yaml", SEEDED, {}, load_assignment),
    "cases": Kind("spec", "one.yaml", CASES, SEEDED_ASSIGNMENT, load_assignment),
    "unseeded cases": Kind("spec", "one.yaml", UNSEEDED_CASES, UNSEEDED_ASSIGNMENT, load_assignment),
    "words": Kind("words", "words.yaml", WORDS, {}, lambda folder: load_words(folder / "words.yaml")),
    "mutants": Kind(
        "mutants",
        "mutants.yaml",
        MUTANTS,
        {"assignment.yaml": TWO_STAGES},
        lambda folder: load_listed(load_assignment(folder)),
    ),
}
_load_yaml = impl2loader(construct_yaml_implementation())


def value_of(text):
    """The value of a YAML document, as editors and CI read it."""
    return _load_yaml(io.BytesIO(text.encode()))


GOOD = {name: value_of(kind.good) for name, kind in KINDS.items()}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder for each kind, with the files that its good file names."""
    folder_by_kind = {}
    for name, kind in KINDS.items():
        folder_by_kind[name] = tmp_path_factory.mktemp("kind")
        (folder_by_kind[name] / "folder").mkdir()
        (folder_by_kind[name] / "there.txt").write_text("there")
        seeds = "seeds: 1, " if name == "a seeded assignment" else ""
        for stage in ("one", "two", "three", "person"):
            text = OTHER_SPEC.replace("NAME", stage).replace("SEEDS, ", seeds)
            (folder_by_kind[name] / f"{stage}.yaml").write_text(text)
        for file, text in kind.others.items():
            (folder_by_kind[name] / file).write_text(text)
    return folder_by_kind


def load_and_validate(kind_name, text, folder):
    """The loader's message on a file (None if it accepts the file), and whether the schema refuses the file."""
    kind = KINDS[kind_name]
    (folder / kind.file).write_text(text)
    try:
        kind.load(folder)
        message = None
    except SpecError as error:
        message = str(error)
    return message, not SCHEMAS[kind.schema].is_valid(value_of(text))


def rule_beyond_schemas(message):
    """The rule of BEYOND_SCHEMAS whose pattern fits this message of the loader, or None."""
    return next((rule for rule, (_, pattern) in BEYOND_SCHEMAS.items() if re.search(pattern, message)), None)


def paths(value, path=()):
    """The path of each value in a document, as a tuple of keys and indexes; the whole document's is empty."""
    yield path
    children = {}
    if isinstance(value, dict):
        children = value
    elif isinstance(value, list):
        children = dict(enumerate(value))
    for key, child in children.items():
        yield from paths(child, (*path, key))


def value_at(value, path):
    """The value at this path of a document."""
    for step in path:
        value = value[step]
    return value


#: Values for changed documents: both sides of the limits of many keys.
VALUES = (
    *(None, True, False, 0, 1, -1, 2, 12, 255, 256, 300, 10_001, 10**7, 2**31, -(2**31), 0.5, 2.5, -1.5, 1e6 + 0.25),
    *("", " ", "x", "a b", "yes", "no", "12", "007", "-0", "300", "5-9", "1..100", "9..1", "1...3", "2.5"),
    *("100%", "100.0 %", "101%", "0%", "2.7%", "-10%", "+5%", "no credit", "1 day late", "on time", "01 days late"),
    *(
        "two\nlines",
        "line\n",
        "a\tb",
        "\x1b[2J",
        "\u2028",
        "\u202e",
        "\x85",
        "\ufeff",
        "\x1c",
        "ä",
        "→",
        "Ω:ä",
        "\U0001f0a1",
    ),
    *("module:function", "a.b:c", "a..b:c", "a:b:c", ":b", "a.b", "1a:b", "class", "None", "{key}", "_1"),
    *("/there.txt", "there.txt", "../there.txt", "folder", "folder/x", "a//b", "./x", ".", "..", "...", "a/"),
    *("x" * 200, "x" * 201, "é" * 150, "x" * 5000, "<<open", "<eof>", "\\q", "(", "^", "a|", "x*"),
    *("ignored", "exact", "compared", "person", "pitboss", "hidden", "up", "earned", "earlier", "cases", "glibc"),
    *("PATH", "LD_PRELOAD", "LC_ALL", "nonzero", "one", "two", "a player", "a saver", "six", "split", "order"),
    *([], {}, [""], [None], ["a", "b"], ["a", "a"], [1, 2], [2.5, True], [[]], [{}], [["a", "b"]], ["1..3"], ["one"]),
    *([300, "x"], ["x"] * 101, ["x" * 4095], ["a\nb"], [{"prompt": "x", "answers": []}], [-5], ["5-9"]),
    *(
        {"a": "b"},
        {"a": None},
        {"file": "there.txt"},
        {"file": "gone.txt"},
        {"is_absent": True},
        {"a": {}},
        {"a": ["b"]},
    ),
    *(
        {"is_absent": "no", "file": "there.txt"},
        {"is_absent": "yes", "file": "there.txt"},
        {"is_absent": False},
        {"is_empty": "no"},
        {"PATH": "/"},
        {"LD_X": 1},
        {"LANG": "C"},
        {"A B": ""},
        {"A": None},
        {"A": []},
        {"is_empty": True, "file": "there.txt"},
    ),
    *({"one": 5}, {"one": "cases"}, {"one": ["two"]}, {"nobody": 3}, {"command": ["x"]}, {"command": []}, {"": "x"}),
    *({"a\nb": "x"}, {"../x": "y"}, {"1 day late": "-5%"}, {"2 day late": "5%"}, {"late": "-5%"}),
)
#: The tables of keys in `keys`: those of an assignment, a stage, a case and so on.
KEY_TABLES = [table for table in vars(keys).values() if isinstance(table, KeyTable)]
KEY_NAMES = sorted({name for table in KEY_TABLES for name in table})


@st.composite
def changed_documents(draw, good):
    """A good document after one to three random changes."""
    document = copy.deepcopy(good)
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3)))):
        paths_of_parts = [path for path in paths(document) if path]
        if not paths_of_parts:
            return document
        *parent_path, key = draw(st.sampled_from(paths_of_parts))
        parent, value = value_at(document, parent_path), draw(_values(document))
        match draw(st.sampled_from(("replace", "remove", "add"))):
            case "replace":
                parent[key] = value
            case "remove":
                del parent[key]
            case "add" if isinstance(parent, dict):
                parent[draw(st.sampled_from(KEY_NAMES) | st.text(max_size=3))] = value
            case "add":
                parent.insert(key, value)
    return document


def _values(document):
    """Values of all types, among them copies of other parts of the document."""
    copies = st.sampled_from(sorted(paths(document), key=str)).map(lambda path: copy.deepcopy(value_at(document, path)))
    numbers = st.integers(-(10**12), 10**12) | st.integers(-(10**9), 10**9).map(lambda number: number + 0.5)
    return st.sampled_from(VALUES).map(copy.deepcopy) | copies | numbers | st.text(max_size=6)


@pytest.mark.parametrize("name", KINDS)
def test_the_good_files_are_accepted(name, folders):
    assert load_and_validate(name, KINDS[name].good, folders[name]) == (None, False)
    assert load_and_validate(name, to_yaml(GOOD[name]), folders[name]) == (None, False)
    assert value_of(to_yaml(GOOD[name])) == GOOD[name]


def test_the_good_files_have_every_key():
    used_keys = {path[-1] for good in GOOD.values() for path in paths(good) if path}
    assert [name for name in KEY_NAMES if name not in used_keys] == []


@pytest.mark.parametrize("name", KINDS)
@given(st.data())
def test_a_schema_and_the_loader_accept_the_same_files(name, folders, data):
    text = to_yaml(data.draw(changed_documents(GOOD[name])))
    message, schema_refuses = load_and_validate(name, text, folders[name])
    if message is None:
        assert not schema_refuses
    else:
        assert schema_refuses or rule_beyond_schemas(message), message


#: For each rule, a replacement in CASES that breaks the rule but that the schema accepts.
MISTAKES_BEYOND_SCHEMAS = {
    "a name refers to something in another file, in another list or in the file system": ("a saver\n", "nobody\n"),
    "a name, a day or a value is listed only once": ("name: a player", "name: recorded"),
    "numbers are in order, and add up": ("1..100", "100..1"),
    "a regular expression is one of Python's, and not matching every line": ('judged_from: ""', "judged_from: ("),
    "a transcript is in the notation": ("<<7>>", "<<7"),
    "a name has at most so many bytes, and identifiers and file names have only certain kinds of characters": (
        "a.txt",
        "\u00a0.txt",
    ),
}


@pytest.mark.parametrize("rule", BEYOND_SCHEMAS)
def test_only_the_loader_refuses_files_that_break_a_rule_beyond_schemas(rule, folders):
    text = CASES.replace(*MISTAKES_BEYOND_SCHEMAS[rule])
    message, schema_refuses = load_and_validate("cases", text, folders["cases"])
    assert (rule_beyond_schemas(message), schema_refuses) == (rule, False)


#: Values that the schema and the loader read differently: `0x10` is the number 16 in YAML, but the loader reads its text.
#: Each is a part of CASES, its replacement, and whether the schema and the loader accept the replacement.
SCALARS = [
    ("exit: 3", "exit: 0x10", True, False),
    ("exit: 3", "exit: 1.0", True, False),
    ("exit: 3", "exit: +3", True, False),
    (
        "expected_files: {c.txt: {file: there.txt}, d.txt: {is_absent: yes}}",
        "expected_files: {d.txt: {is_absent: TRUE}}",
        True,
        False,
    ),
    ("name: 12", "name: null", False, True),
    ("name: 12", "name: ~", False, True),
    ("is_absent: yes", 'is_absent: "true"', False, True),
]


@pytest.mark.parametrize(("good", "replacement", "schema_accepts", "loader_accepts"), SCALARS)
def test_a_schema_checks_the_yaml_value_and_the_loader_its_text(
    good, replacement, schema_accepts, loader_accepts, folders
):
    assert good in CASES
    message, schema_refuses = load_and_validate("cases", CASES.replace(good, replacement), folders["cases"])
    assert (not schema_refuses, message is None) == (schema_accepts, loader_accepts)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("exit: 3", "exit: 300"),
        ("seeds: 1..100", "seeds: 5-9"),
        ("player: stand", "player: stand, answers: [x]"),
        ("player: stand, ", ""),
        ("from a file, input_file: there.txt}", "from a file, input_file: there.txt, seeds: 7}"),
        ("input_file: there.txt, transcript: done", "input_file: /there.txt, transcript: done"),
        ("input_file: there.txt, transcript: done", "input_file: there.txt, answers: [x]"),
        ("    transcript: |", "    answers: [x]\n    transcript: |"),
        ("  - name: recorded", "  - seeds: 7\n    name: recorded"),
    ],
)
def test_the_schema_refuses_mistakes_in_cases(good, bad, folders):
    assert good in CASES
    message, schema_refuses = load_and_validate("cases", CASES.replace(good, bad), folders["cases"])
    assert (bool(message), schema_refuses) == (True, True)


@pytest.mark.parametrize(
    ("name", "good", "replacement"),
    [
        ("an assignment that draws", "keyword: split\n", "keyword: →\n"),
        ("a seeded assignment", "bundle: no\n", "bundle: no\nmost_sessions: 7\n"),
        ("a seeded assignment", "  functionality: 70%\n  style: 30%\n", "  style: 0%\n"),
    ],
)
def test_the_schema_and_the_loader_both_accept_what_has_no_effect(name, good, replacement, folders):
    assert good in KINDS[name].good
    assert load_and_validate(name, KINDS[name].good.replace(good, replacement), folders[name]) == (None, False)


@pytest.mark.parametrize(
    "row", ["late: -5%", "2 days late: 5", "2 days late: 150%", "0 days late: 0%", "2days late: 0%"]
)
def test_the_schema_refuses_mistakes_in_late_rows(row, folders):
    good, name = "2 days late: no credit", "a seeded assignment"
    assert good in SEEDED
    message, schema_refuses = load_and_validate(name, SEEDED.replace(good, row), folders[name])
    assert (bool(message), schema_refuses) == (True, True)


def _repository_files():
    """The files of the assignments in the repository, each with the name of its schema."""
    for file in sorted([*ROOT.glob("specs/*/assignment.yaml"), *ROOT.glob("*/*/*/assignment.yaml")]):
        yield pytest.param("assignment", file, id=f"{file.parent.name}/{file.name}")
        for other_file in sorted(file.parent.glob("*.yaml")):
            if other_file != file:
                schema = {"mistakes.yaml": "words", "mutants.yaml": "mutants"}.get(other_file.name, "spec")
                yield pytest.param(schema, other_file, id=f"{file.parent.name}/{other_file.name}")


@pytest.mark.parametrize(("schema", "file"), [*_repository_files()])
def test_the_assignment_files_of_this_repository_fit_their_schemas(schema, file):
    assert jsonschema.exceptions.best_match(SCHEMAS[schema].iter_errors(value_of(file.read_text()))) is None
