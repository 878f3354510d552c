"""What an assignment's own code does wrong is a fault of the session in which it was called, and of no other."""

from __future__ import annotations

import os
import re
import signal

import pytest

from harness.assignments import authored
from harness.assignments.authored import Patience, call
from harness.assignments.specfile import load_assignment
from harness.errors import AssignmentError, HarnessError, SessionError, SpecError
from harness.grading.check import check
from harness.judging import seeded
from harness.judging.verdicts import Verdict
from harness.running.drivers import find_conditions
from harness.running.job import Job
from harness.running.watching.loop import Loop
from tests.conftest import ROOT

#: An assignment in which a program asks for a name and greets, and a right program for it.
ASSIGNMENT = """\
title: Greetings
seeded: no
stages:
  - {name: greet, reference: "own:main"}
players:
  ada: [{prompt: "Name? ", answers: [Ada]}]
  other: own:player
"""
SPEC = """\
program: greet
cases:
  - {name: by ada, player: ada}
  - {name: by the other, player: other}
"""
MAIN = 'def main(console):\n    console.write("Name? ")\n    console.write(f"Hello {console.read_line()}!\\n")\n'
PLAYER = 'def player(shown, typed):\n    return "Bob"\n'
GREET = 'print("Hello " + input("Name? ") + "!")\n'

#: A game that draws: the program rolls once and shows it.
DICE = """\
title: Dice
seeded: no
draws: {values: ["1", "2"]}
mistakes: own:catalogue
stages:
  - name: dice
    reference: own:main
    reader: own:read
    rules: {a one: "a 1", a two: "a 2"}
    most_sessions: 12
    tolerated: {"in other words": own:other}
players:
  somebody: own:player
"""
DICE_SPEC = "program: dice\ncases:\n  - {name: rolls, player: somebody, sessions: 6}\n"
DICE_OWN = """\
import re
from types import SimpleNamespace

def main(console, draw):
    console.write("Roll? ")
    console.read_line()
    console.write(f"a {draw()}\\n")

def other(console, draw):
    console.write("Roll? ")
    console.read_line()
    console.write(f"it is a {draw()}\\n")

def read(conversation):
    shown = "".join(text for kind, text in conversation if kind == "shown")
    return SimpleNamespace(draws=re.findall("a ([12])", shown), problem=None)

def player(shown, typed):
    return "y"

def catalogue():
    return []
"""
DICE_PROGRAM = 'import random\ninput("Roll? ")\nprint("a", random.choice("12"))\n'


class Tried:
    """An assignment and a submission in folders of their own."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.specs, self.submission = folder / name / "specs", folder / name / "submission"
        self.specs.mkdir(parents=True)
        self.submission.mkdir()
        #: Where the assignment's own code stands, as messages begin.
        self.own = self.specs / "own.py"

    def checked(self, assignment, spec, own, program, count=1):
        (self.specs / "assignment.yaml").write_text(assignment)
        (self.specs / f"{self.name}.yaml").write_text(spec)
        self.own.write_text(own)
        (self.submission / f"{self.name}.py").write_text(program)
        loaded = load_assignment(self.specs)
        return check(Job(loaded, loaded.stages, find_conditions("watched", "none"), "it"), self.submission, count=count)


@pytest.fixture
def greet(tmp_path):
    return Tried(tmp_path, "greet")


@pytest.fixture
def dice(tmp_path):
    return Tried(tmp_path, "dice")


@pytest.fixture
def hurried(monkeypatch):
    """Calls may compute a fifth of a second only."""
    monkeypatch.setattr(authored, "MOST_CPU_S", 0.2)
    monkeypatch.setattr(authored, "_TICK_S", 0.02)


def verdicts(report):
    return [(result.case, result.verdict) for stage in report.stages for result in stage.results]


NOT_HELD = "This session could not be held, which is no fault of the program: "
ONLY_OTHER = [("by ada", Verdict.ACCEPTED), ("by the other", Verdict.JUDGE_ERROR)]

#: What code raises, by the line that raises it, and what is said of it.
RAISES = {
    "KeyError": ('{}["T"]', "failed: KeyError: 'T'"),
    "an error without a word": ("assert False", "failed: AssertionError"),
    "an error of many lines": ("raise ValueError('one\\ntwo' * 100)", "failed: ValueError: one two"),
    "an error that cannot be told": (
        "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})",
        "failed: Mute",
    ),
    "sys.exit(0)": ("import sys; sys.exit(0)", "called sys.exit(0) — it has to return"),
    "sys.exit()": ("import sys; sys.exit()", "called sys.exit() — it has to return"),
    "sys.exit with a text": ("raise SystemExit('no')", "called sys.exit('no') — it has to return"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "failed: KeyboardInterrupt"),
    "GeneratorExit": ("raise GeneratorExit", "failed: GeneratorExit"),
    "StopIteration": ("next(iter(()))", "failed: StopIteration"),
    "BaseException": ("raise BaseException('x')", "failed: BaseException: x"),
    "RecursionError": ("f = lambda: f(); f()", "failed: RecursionError: maximum recursion depth exceeded"),
    "MemoryError": ("bytearray(1 << 60)", "failed: MemoryError"),
    "a question to nobody": ("input()", "failed: OSError: there is nobody to type: a reference reads from its console"),
}


@pytest.mark.parametrize("name", RAISES)
def test_whatever_a_player_raises_is_a_fault_of_its_session(greet, name):
    line, said = RAISES[name]
    own = f"{MAIN}def player(shown, typed):\n    {line}\n"
    report = greet.checked(ASSIGNMENT, SPEC, own, GREET)
    assert verdicts(report) == ONLY_OTHER
    (fault,) = report.faults
    assert fault.startswith(f"{NOT_HELD}{greet.own}:5: player 'other' {said}")
    assert len(fault) < len(f"{NOT_HELD}{greet.own}") + 200


@pytest.mark.parametrize("name", RAISES)
def test_whatever_a_reference_raises_is_a_fault_of_its_session(greet, name):
    line, said = RAISES[name]
    own = (
        'def main(console):\n    console.write("Name? ")\n    name = console.read_line()\n'
        f'    if name == "Bob":\n        {line}\n    console.write(f"Hello {{name}}!\\n")\n{PLAYER}'
    )
    report = greet.checked(ASSIGNMENT, SPEC, own, GREET)
    assert verdicts(report) == ONLY_OTHER
    assert report.faults[0].startswith(f"{NOT_HELD}{greet.own}:5: the reference of 'greet' {said}")


@pytest.mark.parametrize("name", ["KeyError", "sys.exit(0)", "KeyboardInterrupt", "BaseException", "RecursionError"])
def test_whatever_a_reader_raises_is_a_fault_of_its_session(dice, name):
    """And of no other: it fails where a one was rolled."""
    line, said = RAISES[name]
    own = DICE_OWN.replace(
        "    return SimpleNamespace", f'    if "a 1" in shown:\n        {line}\n    return SimpleNamespace'
    )
    program = "import os, random\n" + DICE_PROGRAM.replace("random.choice", "random.SystemRandom().choice")
    report = dice.checked(DICE, DICE_SPEC.replace("6", "24"), own, program)
    told = {result.verdict: result.summary for result in report.stages[0].results}
    assert set(told) <= {Verdict.ACCEPTED, Verdict.JUDGE_ERROR}
    place = f"{NOT_HELD}{dice.own}:17: reader '{dice.own}:read' {said}"
    assert told.get(Verdict.JUDGE_ERROR, place).startswith(place)
    assert len(told) == 2  # chance is against it once in 2,048 times


#: What a player gives that is no line of text, as it is told.
LINES = {
    "bytes": ('b"Bob"', "b'Bob'"),
    "a number": ("7", "7"),
    "two lines": ('"a\\nb"', "'a\\nb'"),
    "a line that no terminal takes": ('"x" * 5000', f"'{'x' * 118}…"),
    "a gigabyte": ('"x" * (1 << 30)', f"'{'x' * 118}…"),
    "half a character": ('"\\ud800"', "'\\ud800'"),
    "something without a repr": ("type('Odd', (), {'__repr__': lambda self: 1 / 0})()", "a value of type Odd"),
}


@pytest.mark.parametrize("name", LINES)
def test_what_a_player_gives_that_is_no_line_is_told(greet, name):
    value, shown = LINES[name]
    report = greet.checked(ASSIGNMENT, SPEC, f"{MAIN}def player(shown, typed):\n    return {value}\n", GREET)
    assert verdicts(report) == ONLY_OTHER
    place = f"{greet.specs}/greet.yaml:4: player 'other'"
    assert report.faults == (f"{NOT_HELD}{place} typed {shown} — it types one line of text, or None",)


def test_a_member_of_an_enum_is_a_text_like_any_other(greet, dice):
    """Also on its way from one process to another."""
    enum = "from enum import Enum\nclass Name(str, Enum):\n    BOB = 'Bob'\n    ONE = '1'\n    TWO = '2'\n"
    own = f"{enum}{MAIN}def player(shown, typed):\n    return Name.BOB\n"
    assert greet.checked(ASSIGNMENT, SPEC, own, GREET, count=2).verdict is Verdict.ACCEPTED
    own = enum + DICE_OWN.replace('re.findall("a ([12])", shown)', 'map(Name, re.findall("a ([12])", shown))')
    spec = DICE_SPEC.replace("6", "24")
    assert dice.checked(DICE, spec, own, DICE_PROGRAM, count=2).verdict is Verdict.ACCEPTED


#: What a reader gives that is no reading, as it is told.
READINGS = {
    "nothing": ("None", "None"),
    "a number as draws": ("SimpleNamespace(draws=3, problem=None)", "namespace(draws=3, problem=None)"),
    "numbers among the draws": ("SimpleNamespace(draws=[1], problem=None)", "namespace(draws=[1], problem=None)"),
    "draws without end": (
        "SimpleNamespace(draws=__import__('itertools').repeat('1'), problem=None)",
        "namespace(draws=repeat('1'), problem=None)",
    ),
    "half a problem": ("SimpleNamespace(draws=[], problem=(1, 'x'))", "namespace(draws=[], problem=(1, 'x'))"),
}


@pytest.mark.parametrize("name", READINGS)
def test_what_a_reader_gives_that_is_no_reading_is_told(dice, name):
    value, shown = READINGS[name]
    own = DICE_OWN.replace("    return SimpleNamespace", f"    return {value}\n    return SimpleNamespace")
    report = dice.checked(DICE, DICE_SPEC, own, DICE_PROGRAM)
    (fault,) = report.faults
    assert fault.startswith(
        f"{NOT_HELD}{dice.specs}/assignment.yaml: stage 'dice': reader '{dice.own}:read' gave {shown}"
    )
    assert fault.endswith(
        " — it gives draws, each a text or None, and a problem, None or a line's number and two texts"
    )


def test_a_draw_that_there_is_not_is_told(dice):
    own = DICE_OWN.replace('re.findall("a ([12])", shown)', '["7"]')
    assert dice.checked(DICE, DICE_SPEC, own, DICE_PROGRAM).faults == (
        f"{NOT_HELD}{dice.specs}/assignment.yaml: stage 'dice': reader '{dice.own}:read' read '7' — under draws there is "
        "no such value",
    )


#: What a reference does that is no session, by what stands in its main, and what is said.
REFERENCES = {
    "a text for an exit code": ("return 'x'", "the reference of 'greet' returned 'x' — it returns its exit code, 0 to 255, or nothing"),
    "an exit code too large": ("return 256", "the reference of 'greet' returned 256 — it returns its exit code, 0 to 255, or nothing"),
    "another exit code": ("return 3", "{specs}/greet.yaml:4: the reference ended with exit code 3 and said “Name?”; the case says 0 — mend the reference, or say `exit: 3`"),
    "bytes on the screen": ("console.write(b'x')", "{own}:3: the reference of 'greet' failed: TypeError: bytes instead of text"),
    "half a character": ("console.write('\\ud800')", "{own}:3: the reference of 'greet' failed: UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0: surrogates not allowed"),
    "a pause before it began": ("console.pause(-1)", "{own}:3: the reference of 'greet' failed: ValueError: a pause of -1 s"),
    "a pause without end": ("console.pause(float('inf'))", "{own}:3: the reference of 'greet' failed: ValueError: a pause of inf s"),
    "text without end": ("while True: console.write('x' * 4096)", "the reference of 'greet' does not end by itself: it shows more than 4 MB of text"),
    "text without end, whatever is raised": (
        "try:\n        while True: console.write('x' * 4096)\n    except BaseException:\n        return 0",
        "the reference of 'greet' does not end by itself: it shows more than 4 MB of text",
    ),
    "questions without end": ("while True: console.read_line()", "the reference of 'greet' does not end by itself: it reads, writes and pauses more than 100,000 times"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCES)
def test_what_a_reference_does_that_is_no_session_is_told(greet, name):
    line, said = REFERENCES[name]
    own = f'def main(console):\n    console.write("Name? ")\n    {line}\n{PLAYER}'
    report = greet.checked(ASSIGNMENT, SPEC.replace("  - {name: by ada, player: ada}\n", "\n"), own, GREET)
    assert report.faults == (NOT_HELD + said.format(own=greet.own, specs=greet.specs),)


def test_a_player_that_fails_is_told_also_where_the_reference_catches_everything(greet):
    own = (
        'def main(console):\n    console.write("Name? ")\n    try:\n        name = console.read_line()\n'
        '    except:\n        name = "Bob"\n    console.write(f"Hello {name}!\\n")\n'
        "def player(shown, typed):\n    return {}[0]\n"
    )
    report = greet.checked(ASSIGNMENT, SPEC, own, GREET)
    assert verdicts(report) == ONLY_OTHER
    assert report.faults == (f"{NOT_HELD}{greet.own}:9: player 'other' failed: KeyError: 0",)


ENDLESS = {
    "a loop": "while True: pass",
    "a loop that catches everything": "while True:\n        try:\n            sum(range(1000))\n        except: pass",
    "loops within loops": (
        "while True:\n        try:\n            while True:\n                try: len(shown)\n                except: continue\n"
        "        except BaseException: pass"
    ),
    "a pattern": "import re; re.match('(a|aa)+$', 'a' * 99 + 'b')",
    "a finally": "while True:\n        try: pass\n        finally: continue",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_player_that_comes_to_no_end_is_broken_off(greet, hurried, name):
    own = f"{MAIN}def player(shown, typed):\n    {ENDLESS[name]}\n"
    report = greet.checked(ASSIGNMENT, SPEC, own, GREET)
    assert verdicts(report) == ONLY_OTHER
    (fault,) = report.faults
    place = re.escape(f"{NOT_HELD}{greet.own}")
    said = "did not come to an end within 10 s of computing or 60 s of waiting"
    assert re.fullmatch(rf"{place}:\d+: player 'other' {said}", fault)


def test_a_player_that_waits_for_ever_is_broken_off(greet, hurried, monkeypatch):
    monkeypatch.setattr(authored, "MOST_S", 0.2)
    own = f"import time\n{MAIN}def player(shown, typed):\n    time.sleep(1000)\n"
    assert verdicts(greet.checked(ASSIGNMENT, SPEC, own, GREET)) == ONLY_OTHER


def test_after_three_that_come_to_no_end_the_rest_is_not_run(dice, hurried):
    """Each costs all the time that it may take."""
    own = DICE_OWN.replace('    return "y"', "    while True: pass")
    report = dice.checked(DICE, DICE_SPEC, own, DICE_PROGRAM)
    assert [verdict for _, verdict in verdicts(report)] == [Verdict.JUDGE_ERROR] * 3 + [Verdict.SKIPPED] * 3


def test_a_reader_that_comes_to_no_end_is_called_three_times(dice, hurried):
    own = DICE_OWN.replace("    shown = ", "    while True: pass\n    shown = ")
    report = dice.checked(DICE, DICE_SPEC, own, DICE_PROGRAM)
    assert [verdict for _, verdict in verdicts(report)] == [Verdict.JUDGE_ERROR] * 6
    place = f"{NOT_HELD}{dice.own}:15: reader '{dice.own}:read' did not come to an end within 10 s of computing or 60 s of waiting"
    assert report.faults == (place, f"{place}; after 3 times it is not called again")


def test_a_rule_that_comes_to_no_end_is_a_fault(dice, hurried):
    rules = DICE.replace('a two: "a 2"', 'a two: "(\\\\w|\\\\w\\\\w)+!"')
    own = DICE_OWN.replace('f"a {draw()}\\n"', 'f"a {draw()}\\n" + "x" * 90 + "\\n"')
    program = DICE_PROGRAM.replace('choice("12"))', 'choice("12"))\nprint("x" * 90)')
    report = dice.checked(rules, DICE_SPEC, own, program)
    place = f"{NOT_HELD}{dice.specs}/assignment.yaml: stage 'dice': the pattern of rule 'a two' did not come to an end"
    assert report.faults[0] == f"{place} within 10 s of computing or 60 s of waiting"


CATALOGUES = {
    "it raises": ("def catalogue():\n    return {}[0]\n", "{own}:22: mistakes '{own}:catalogue' failed: KeyError: 0"),
    "it exits": ("def catalogue():\n    raise SystemExit\n", "{own}:22: mistakes '{own}:catalogue' called sys.exit() — it has to return"),
    "its generator raises": ("def catalogue():\n    yield 1 / 0\n", "{own}:22: mistakes '{own}:catalogue' failed: ZeroDivisionError: division by zero"),
    "its mistakes are none": ("def catalogue():\n    return [7]\n", "mistakes '{own}:catalogue' gave 7 — a mistake has id, title, hint, note, source, invisible and mains"),
    "there is none": ("", "mistakes '{own}:catalogue': module '{own}' has no function 'catalogue'"),
}  # fmt: skip


@pytest.mark.parametrize("name", CATALOGUES)
def test_mistakes_that_cannot_be_tried_are_a_fault_and_the_verdict_stands(dice, name):
    catalogue, said = CATALOGUES[name]
    own = DICE_OWN.replace("def catalogue():\n    return []\n", catalogue)
    report = dice.checked(DICE, DICE_SPEC, own, DICE_PROGRAM.replace('"a"', '"an a"'))
    assert {verdict for _, verdict in verdicts(report)} == {Verdict.WRONG_ANSWER}
    assert report.faults == (said.format(own=dice.own),)


def test_a_tolerated_reference_that_fails_judges_nobody(dice):
    """A session that the right one does not explain might be right by the other."""
    own = DICE_OWN.replace('    console.write(f"it is a', '    {}["x"]\n    console.write(f"it is a')
    assert dice.checked(DICE, DICE_SPEC, own, DICE_PROGRAM).verdict is Verdict.ACCEPTED
    report = dice.checked(DICE, DICE_SPEC, own, DICE_PROGRAM.replace('"a"', '"it is a"'))
    assert report.verdict is Verdict.JUDGE_ERROR
    assert report.faults == (
        f"{NOT_HELD}{dice.own}:12: the tolerated reference 'in other words' failed: KeyError: 'x'",
    )


def test_a_reference_that_fails_on_lines_for_another_question_is_no_fault(dice):
    """The program parted from it before: it is wrong, and told where."""
    own = DICE_OWN.replace(
        '    console.write(f"a {draw()}\\n")\n\ndef other',
        '    console.write(f"a {draw()}\\nHow many? ")\n    console.write(f"{int(console.read_line())}\\n")\n\ndef other',
    ).replace('return "y"', 'return "5" if "many" in shown else "y"')
    right = DICE_PROGRAM + 'print(int(input("How many? ")))\n'
    assert dice.checked(DICE, DICE_SPEC, own, right).verdict is Verdict.ACCEPTED
    wrong = DICE_PROGRAM + 'input("Again? ")\nprint(5)\n'
    report = dice.checked(DICE, DICE_SPEC, own, wrong)
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.faults == ()


def test_names_that_are_not_there_are_told_before_anything_is_run(greet, dice):
    with pytest.raises(SpecError) as refused:
        greet.checked(ASSIGNMENT, SPEC, MAIN, GREET)
    place = f"{greet.specs}/greet.yaml:4: player 'other'"
    assert str(refused.value) == f"{place}: module '{greet.own}' has no function 'player'"
    with pytest.raises(SpecError) as refused:
        dice.checked(DICE, DICE_SPEC, "import sys\nsys.exit(0)\n", DICE_PROGRAM)
    place = f"{dice.specs}/assignment.yaml: stage 'dice': '{dice.own}:main'"
    assert str(refused.value) == f"{dice.own}:2: {place} cannot be imported: it called sys.exit(0) — it has to return"


def test_what_an_assignment_prints_is_not_mixed_with_results(capsys):
    call("it", print, "seen while it was written")
    assert capsys.readouterr() == ("", "seen while it was written\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_passes_through_code_that_catches_everything(number):
    def catches():
        try:
            os.kill(os.getpid(), number)
        except BaseException:
            pass
        return "caught"

    def stop(*_):
        raise KeyboardInterrupt("really")

    before = signal.signal(number, stop)
    try:
        with pytest.raises(KeyboardInterrupt, match=r"^really$"):
            call("it", catches)
        with pytest.raises(KeyboardInterrupt, match=r"^really$"):
            call("it", lambda: call("in it", catches))
        with pytest.raises(KeyboardInterrupt, match=r"^really$"):
            call("it", os.kill, os.getpid(), number)
        assert signal.getsignal(number) is stop
        with pytest.raises(AssignmentError, match=r": it failed: KeyboardInterrupt: own$"):
            call("it", own)
    finally:
        signal.signal(number, before)


def own():
    raise KeyboardInterrupt("own")


def test_nothing_is_left_of_a_call(hurried):
    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)
    with pytest.raises(AssignmentError):
        call("it", lambda: call("in it", lambda: [0 for _ in iter(int, 1)]))
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert authored._watches == []


def test_who_comes_to_no_end_within_another_call_is_named(hurried):
    with pytest.raises(AssignmentError, match=r"^\S*test_faults.py:\d+: in it did not come to an end within "):
        call("it", lambda: call("in it", lambda: [0 for _ in iter(int, 1)]))
    with pytest.raises(AssignmentError, match=r"^\S*test_faults.py:\d+: it did not come to an end within "):
        call("it", lambda: [call("in it", int) for _ in iter(int, 1)])


def test_patience_is_for_what_comes_to_no_end():
    patience = Patience()

    def fails(*, is_endless):
        raise AssignmentError("it failed", is_endless=is_endless)

    for _ in range(9):
        with pytest.raises(AssignmentError, match=r"^it failed$"):
            patience.call(lambda: fails(is_endless=False))
    for _ in range(3):
        with pytest.raises(AssignmentError, match=r"^it failed$"):
            patience.call(lambda: fails(is_endless=True))
    with pytest.raises(HarnessError, match=r"^it failed; after 3 times it is not called again$"):
        patience.call(lambda: 1)


def test_what_the_machine_lacked_for_a_moment_is_not_remembered(monkeypatch):
    """A reference that could not be run for one submission is run again for the next."""
    assignment = load_assignment(ROOT / "tests" / "toy" / "teller")
    (stage,) = assignment.stages
    job = Job(assignment, (stage,), find_conditions("watched", "none"), "teller")
    monkeypatch.setattr(seeded, "_expectations", {})
    with monkeypatch.context() as short:
        short.setattr(Loop, "run", _fails)
        assert check(job, ROOT / "tests" / "submissions" / "ACCEPTED" / "plain", count=1).verdict is Verdict.JUDGE_ERROR
    assert check(job, ROOT / "tests" / "submissions" / "ACCEPTED" / "plain", count=1).verdict is Verdict.ACCEPTED


def _fails(self, *_, **__):
    raise SessionError("there is no terminal left")
