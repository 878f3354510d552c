import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.kits.doubts import doubts_of, session_diff
from pitboss.kits.verification import problems_of
from pitboss.model.transcript import Shown, Typed
from pitboss.sessions.drivers import find_conditions
from tests.conftest import ROOT

ASSIGNMENT = "title: Numbers\nseeded: no\nstages:\n  - name: one\n    reference: REFERENCE\n"
SPEC = "program: one\ncases:\n  - {name: a name, answers: [Ada]}\n"
SCRIPT_START = '#!/usr/bin/env python3\nimport os, random, time\nname = input("Name? ")\n'
CLOCK_DOUBT = (
    "the reference depends on the clock or on random numbers, which differ for a submission — seed its "
    "draws from what is typed, read them back, or do not judge such lines (see docs/tutorial-unseeded.md):\n"
    "  --- as the reference\n  +++ as a submission\n  @@ -1,2 +1,2 @@\n   Name? <<Ada>>\n  -"
)


@pytest.fixture
def load_stage(tmp_path):
    """A function that loads a stage whose reference is this script, or this Python code with a function `main`."""

    def load(script="", *, code="", spec=SPEC, compare=""):
        (tmp_path / "assignment.yaml").write_text(
            ASSIGNMENT.replace("REFERENCE", '"own:main"' if code else "{command: [./one]}") + compare
        )
        (tmp_path / "one.yaml").write_text(spec)
        (tmp_path / ("own.py" if code else "one")).write_text(code or script)
        (tmp_path / ("own.py" if code else "one")).chmod(0o755)
        return load_assignment(tmp_path).stages[0]

    return load


@pytest.mark.parametrize(
    "expression",
    ["time.time()", "random.random()", "os.getpid()", "os.urandom(4)"],
    ids=["clock", "random", "pid", "bytes"],
)
def test_a_reference_that_depends_on_clock_or_chance_is_doubted(load_stage, tmp_path, expression):
    (doubt,) = doubts_of(load_stage(f"{SCRIPT_START}print({expression})\n"))
    assert doubt.startswith(f"{tmp_path}/one.yaml:3: 'a name': {CLOCK_DOUBT}")
    assert problems_of(load_stage(f"{SCRIPT_START}print({expression})\n"), "numbers") == []  # a doubt is not a problem


def test_a_reference_that_depends_only_on_typed_lines_is_not_doubted(load_stage):
    assert doubts_of(load_stage(f"{SCRIPT_START}random.seed(len(name))\ntime.sleep(1)\nprint(random.random())\n")) == []


def test_lines_that_are_not_judged_may_depend_on_the_clock(load_stage):
    text = f"{SCRIPT_START}print('It is', time.time())\nprint('Bye')\n"
    assert len(doubts_of(load_stage(text))) == 1
    assert doubts_of(load_stage(text, compare='compare: {not_judged: ["^It is"]}\n')) == []


def test_a_function_that_differs_between_runs_is_doubted(load_stage, tmp_path):
    code = "import itertools\n\nnumbers = itertools.count()\n\n\ndef main(console):\n    console.read_line()\n    console.write(f'{next(numbers)}\\n')\n"
    assert doubts_of(load_stage(code=code)) == [
        f"{tmp_path}/one.yaml:3: 'a name': the reference behaves differently when the same lines are typed "
        "again, but submissions are compared with it — seed its draws from what is typed, or read them back (see "
        "docs/tutorial-unseeded.md):\n  --- first run\n  +++ second run\n  @@ -1,2 +1,2 @@\n   <<Ada>>\n  -0\n  +1"
    ]


def test_a_reference_that_reads_nothing_is_doubted(load_stage, tmp_path):
    message = "the reference reads none of the typed lines — it has to read them from its standard input"
    assert doubts_of(load_stage("#!/bin/sh\necho hi\n")) == [f"{tmp_path}/one.yaml:3: 'a name': {message}"]
    assert doubts_of(load_stage("#!/bin/sh\necho hi\n", spec=SPEC.replace("[Ada]", "[]"))) == []


def test_nothing_is_doubted_where_sessions_are_not_traced(load_stage, monkeypatch):
    loaded_stage = load_stage("#!/bin/sh\necho hi\n")
    untraced = find_conditions(driver="expecting", sandbox="none")
    monkeypatch.setattr("pitboss.kits.doubts.find_conditions", lambda *_: untraced)
    assert doubts_of(loaded_stage) == []


def test_a_reference_that_crashes_is_not_doubted(load_stage):
    assert doubts_of(load_stage("#!/bin/sh\nkill -SEGV $$\n")) == []


@pytest.mark.parametrize("name", ["dice", "gradebook", "hello", "quiz", "sixes", "teller"])
def test_the_references_of_the_toy_assignments_are_not_doubted(name):
    assert [
        doubt
        for loaded_stage in load_assignment(ROOT / "tests" / "toy" / name).stages
        for doubt in doubts_of(loaded_stage)
    ] == []


def test_a_case_that_no_longer_matches_is_shown_as_a_diff(load_stage, tmp_path):
    spec = "program: one\ncases:\n  - name: a name\n    transcript: |\n      Name? <<Ada>>\n      Hello Ada\n"
    assert problems_of(load_stage(f"{SCRIPT_START}print('Hullo', name)\n", spec=spec), "numbers") == [
        f"{tmp_path}/one.yaml:3: 'a name' no longer matches the reference; refresh it: pitboss record one "
        "--assignment numbers\n  --- recorded\n  +++ the reference now\n  @@ -1,2 +1,2 @@\n   Name? <<Ada>>\n"
        "  -Hello Ada\n  +Hullo Ada"
    ]


def test_a_long_difference_is_cut_and_shows_no_control_characters():
    before, after = (Shown(b"a\x1b[2J\n" * 40), Typed(b"x")), (Shown(b"b\n" * 40),)
    lines = session_diff(before, after, ("one", "other")).splitlines()
    assert (len(lines), lines[-1]) == (31, "  … and 54 more lines")
    assert lines[3] == "  -a\\x1b[2J"
