"""What `pitboss verify` says of a reference that cannot be what submissions are held to, and of drift."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.kits.doubts import difference, doubts_of
from pitboss.kits.verification import problems_of
from pitboss.model.transcript import Shown, Typed
from pitboss.sessions.drivers import find_conditions
from tests.conftest import ROOT

ASSIGNMENT = "title: Numbers\nseeded: no\nstages:\n  - name: one\n    reference: REFERENCE\n"
SPEC = "program: one\ncases:\n  - {name: a name, answers: [Ada]}\n"
ASKS = '#!/usr/bin/env python3\nimport os, random, time\nname = input("Name? ")\n'
CLOCK = (
    "what the reference does depends on the clock or on random numbers, which differ for a submission — seed its "
    "draws from what is typed, read them back, or do not judge such lines (see docs/tutorial-unseeded.md):\n"
    "  --- at one time\n  +++ at another\n  @@ -1,2 +1,2 @@\n   Name? <<Ada>>\n  -"
)


@pytest.fixture
def stage(tmp_path):
    """The stage whose reference is this script, or this Python code with a function `main`."""

    def load(script="", *, code="", spec=SPEC, more=""):
        (tmp_path / "assignment.yaml").write_text(
            ASSIGNMENT.replace("REFERENCE", '"own:main"' if code else "{command: [./one]}") + more
        )
        (tmp_path / "one.yaml").write_text(spec)
        (tmp_path / ("own.py" if code else "one")).write_text(code or script)
        (tmp_path / ("own.py" if code else "one")).chmod(0o755)
        return load_assignment(tmp_path).stages[0]

    return load


@pytest.mark.parametrize(
    "shows", ["time.time()", "random.random()", "os.getpid()", "os.urandom(4)"], ids=["clock", "random", "pid", "bytes"]
)
def test_a_reference_that_depends_on_its_world_is_doubted(stage, tmp_path, shows):
    (doubt,) = doubts_of(stage(f"{ASKS}print({shows})\n"))
    assert doubt.startswith(f"{tmp_path}/one.yaml:3: 'a name': {CLOCK}")
    assert problems_of(stage(f"{ASKS}print({shows})\n"), "numbers") == []


def test_a_reference_that_goes_by_what_is_typed_is_not(stage):
    assert doubts_of(stage(f"{ASKS}random.seed(len(name))\ntime.sleep(1)\nprint(random.random())\n")) == []


def test_what_is_not_judged_may_depend_on_the_clock(stage):
    text = f"{ASKS}print('It is', time.time())\nprint('Bye')\n"
    assert len(doubts_of(stage(text))) == 1
    assert doubts_of(stage(text, more='compare: {not_judged: ["^It is"]}\n')) == []


def test_a_function_that_draws_is_doubted(stage, tmp_path):
    code = "import itertools\n\nnumbers = itertools.count()\n\n\ndef main(console):\n    console.read_line()\n    console.write(f'{next(numbers)}\\n')\n"
    assert doubts_of(stage(code=code)) == [
        f"{tmp_path}/one.yaml:3: 'a name': the reference behaves differently when the same is typed again, but a "
        "submission has to do the same — seed its draws from what is typed, or read them back (see "
        "docs/tutorial-unseeded.md):\n  --- once\n  +++ and again\n  @@ -1,2 +1,2 @@\n   <<Ada>>\n  -0\n  +1"
    ]


def test_a_reference_that_reads_nothing_is_doubted(stage, tmp_path):
    output = "the reference reads none of the typed lines — it has to read them from its standard input"
    assert doubts_of(stage("#!/bin/sh\necho hi\n")) == [f"{tmp_path}/one.yaml:3: 'a name': {output}"]
    assert doubts_of(stage("#!/bin/sh\necho hi\n", spec=SPEC.replace("[Ada]", "[]"))) == []


def test_where_sessions_are_not_watched_nothing_is_doubted(stage, monkeypatch):
    one = stage("#!/bin/sh\necho hi\n")
    monkeypatch.setattr("pitboss.kits.doubts.find_conditions", lambda *_: find_conditions("expecting", "none"))
    assert doubts_of(one) == []


def test_one_that_fails_is_reported_elsewhere(stage):
    assert doubts_of(stage("#!/bin/sh\nkill -SEGV $$\n")) == []


@pytest.mark.parametrize("name", ["dice", "gradebook", "hello", "quiz", "sixes", "teller"])
def test_the_references_of_the_toys_are_not_doubted(name):
    assert [doubt for one in load_assignment(ROOT / "tests" / "toy" / name).stages for doubt in doubts_of(one)] == []


def test_drift_is_a_unified_diff(stage, tmp_path):
    spec = "program: one\ncases:\n  - name: a name\n    transcript: |\n      Name? <<Ada>>\n      Hello Ada\n"
    assert problems_of(stage(f"{ASKS}print('Hullo', name)\n", spec=spec), "numbers") == [
        f"{tmp_path}/one.yaml:3: 'a name' no longer matches the reference; refresh it: pitboss record one "
        "--assignment numbers\n  --- recorded\n  +++ the reference now\n  @@ -1,2 +1,2 @@\n   Name? <<Ada>>\n"
        "  -Hello Ada\n  +Hullo Ada"
    ]


def test_a_long_difference_is_cut_and_shows_no_control_characters():
    before, after = (Shown(b"a\x1b[2J\n" * 40), Typed(b"x")), (Shown(b"b\n" * 40),)
    lines = difference(before, after, ("one", "other")).splitlines()
    assert (len(lines), lines[-1]) == (31, "  … and 54 more lines")
    assert lines[3] == "  -a\\x1b[2J"
