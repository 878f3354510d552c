"""What an assignment's own code does wrong is a fault of the session in which it was called, and of no other."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare import seeded
from pitboss.compare.verdicts import Verdict
from pitboss.errors import SessionError, SpecError
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.tracing.loop import Loop
from tests.authors import (
    ASSIGNMENT,
    DICE,
    DICE_OWN,
    DICE_PROGRAM,
    DICE_SPEC,
    MAIN,
    NOT_HELD,
    ONLY_OTHER,
    PLAYER,
    SPEC,
    verdicts,
)
from tests.conftest import ROOT

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
    "a question to nobody": ("input()", "failed: OSError: nobody can type here: a reference reads from its console"),
}


@pytest.mark.parametrize("name", RAISES)
def test_whatever_a_player_raises_is_a_fault_of_its_session(greet, name):
    line, output = RAISES[name]
    own = f"{MAIN}def player(shown, typed):\n    {line}\n"
    report = greet.checked(own)
    assert verdicts(report) == ONLY_OTHER
    (fault,) = report.faults
    assert fault.startswith(f"{NOT_HELD}{greet.own}:5: player 'other' {output}")
    assert len(fault) < len(f"{NOT_HELD}{greet.own}") + 200


@pytest.mark.parametrize("name", RAISES)
def test_whatever_a_reference_raises_is_a_fault_of_its_session(greet, name):
    line, output = RAISES[name]
    own = (
        'def main(console):\n    console.write("Name? ")\n    name = console.read_line()\n'
        f'    if name == "Bob":\n        {line}\n    console.write(f"Hello {{name}}!\\n")\n{PLAYER}'
    )
    report = greet.checked(own)
    assert verdicts(report) == ONLY_OTHER
    assert report.faults[0].startswith(f"{NOT_HELD}{greet.own}:5: the reference of 'greet' {output}")


@pytest.mark.parametrize("name", ["KeyError", "sys.exit(0)", "KeyboardInterrupt", "BaseException", "RecursionError"])
def test_whatever_a_reader_raises_is_a_fault_of_its_session(dice, name):
    """And of no other: it fails where a one was rolled."""
    line, message = RAISES[name]
    own = DICE_OWN.replace(
        "    return SimpleNamespace", f'    if "a 1" in shown:\n        {line}\n    return SimpleNamespace'
    )
    program = "import os, random\n" + DICE_PROGRAM.replace("random.choice", "random.SystemRandom().choice")
    many = DICE.replace("most_sessions: 12", "most_sessions: 40")
    report = dice.checked(own, assignment=many, spec=DICE_SPEC.replace("6", "40"), program=program)
    output = {result.verdict: summary_of(result) for result in report.stages[0].results}
    assert set(output) <= {Verdict.ACCEPTED, Verdict.JUDGE_ERROR}
    place = f"{NOT_HELD}{dice.own}:17: reader 'own:read' {message}"
    assert output.get(Verdict.JUDGE_ERROR, place).startswith(place)
    assert len(output) == 2  # chance is against it once in 2 ** 39 times


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
def test_what_a_player_gives_that_is_no_line_is_reported(greet, name):
    value, output = LINES[name]
    report = greet.checked(f"{MAIN}def player(shown, typed):\n    return {value}\n")
    assert verdicts(report) == ONLY_OTHER
    place = f"{greet.specs}/greet.yaml:4: player 'other'"
    assert report.faults == (f"{NOT_HELD}{place} returned {output} — it must return one line of text, or None",)


def test_a_member_of_an_enum_is_a_text_like_any_other(greet, dice):
    """Also on its way from one process to another."""
    enum = "from enum import Enum\nclass Name(str, Enum):\n    BOB = 'Bob'\n    ONE = '1'\n    TWO = '2'\n"
    own = f"{enum}{MAIN}def player(shown, typed):\n    return Name.BOB\n"
    assert greet.checked(own, count=2).verdict is Verdict.ACCEPTED
    own = enum + DICE_OWN.replace('re.findall("a ([12])", shown)', 'map(Name, re.findall("a ([12])", shown))')
    spec = DICE_SPEC.replace("6", "24")
    assert dice.checked(own, spec=spec, count=2).verdict is Verdict.ACCEPTED


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
def test_what_a_reader_gives_that_is_no_reading_is_reported(dice, name):
    value, output = READINGS[name]
    own = DICE_OWN.replace("    return SimpleNamespace", f"    return {value}\n    return SimpleNamespace")
    report = dice.checked(own)
    (fault,) = report.faults
    assert fault.startswith(
        f"{NOT_HELD}{dice.specs}/assignment.yaml: stage 'dice': reader 'own:read' returned {output}"
    )
    assert fault.endswith(
        " — it must return draws, each a text or None, and a problem, None or a line number and two texts"
    )


def test_a_draw_that_there_is_not_is_reported(dice):
    own = DICE_OWN.replace('re.findall("a ([12])", shown)', '["7"]')
    assert dice.checked(own).faults == (
        f"{NOT_HELD}{dice.specs}/assignment.yaml: stage 'dice': reader 'own:read' read '7' — `draws` has "
        "no such value; if a program shows one, the reader must return a problem without a form",
    )


#: What a reference does that is no session, by what stands in its main, and what is said.
REFERENCES = {
    "a text for an exit code": (
        "return 'x'",
        "the reference of 'greet' returned 'x' — it must return its exit code, 0 to 255, or nothing",
    ),
    "an exit code too large": (
        "return 256",
        "the reference of 'greet' returned 256 — it must return its exit code, 0 to 255, or nothing",
    ),
    "another exit code": (
        "return 3",
        "{specs}/greet.yaml:4: the reference ended with exit code 3 and printed “Name?”; the case expects 0 — fix the reference, or write `exit: 3`",
    ),
    "bytes on the screen": (
        "console.write(b'x')",
        "{own}:3: the reference of 'greet' failed: TypeError: bytes instead of text",
    ),
    "half a character": (
        "console.write('\\ud800')",
        "{own}:3: the reference of 'greet' failed: UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0: surrogates not allowed",
    ),
    "a pause before it began": (
        "console.pause(-1)",
        "{own}:3: the reference of 'greet' failed: ValueError: a pause of -1 s",
    ),
    "a pause without end": (
        "console.pause(float('inf'))",
        "{own}:3: the reference of 'greet' failed: ValueError: a pause of inf s",
    ),
    "text without end": (
        "while True: console.write('x' * 4096)",
        "the reference of 'greet' does not end by itself: it shows more than 4 MB of text",
    ),
    "text without end, whatever is raised": (
        "try:\n        while True: console.write('x' * 4096)\n    except BaseException:\n        return 0",
        "the reference of 'greet' does not end by itself: it shows more than 4 MB of text",
    ),
    "questions without end": (
        "while True: console.read_line()",
        "{specs}/greet.yaml:4: 'by the other' does not end: the reference of 'greet' does not end by itself: it reads, "
        "writes and pauses more than 100,000 times. The player 'other' keeps typing 'Bob' ({specs}/assignment.yaml:7) — "
        "make it type lines that end the session, or return None",
    ),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_what_a_reference_does_that_is_no_session_is_reported(greet, name):
    line, output = REFERENCES[name]
    own = f'def main(console):\n    console.write("Name? ")\n    {line}\n{PLAYER}'
    report = greet.checked(own, spec=SPEC.replace("  - {name: by ada, player: ada}\n", "\n"))
    assert report.faults == (NOT_HELD + output.format(own=greet.own, specs=greet.specs),)


def test_a_player_that_fails_is_reported_also_where_the_reference_catches_everything(greet):
    own = (
        'def main(console):\n    console.write("Name? ")\n    try:\n        name = console.read_line()\n'
        '    except:\n        name = "Bob"\n    console.write(f"Hello {name}!\\n")\n'
        "def player(shown, typed):\n    return {}[0]\n"
    )
    report = greet.checked(own)
    assert verdicts(report) == ONLY_OTHER
    assert report.faults == (f"{NOT_HELD}{greet.own}:9: player 'other' failed: KeyError: 0",)


CATALOGUES = {
    "it raises": ("def catalogue():\n    return {}[0]\n", "{own}:22: mistakes 'own:catalogue' failed: KeyError: 0"),
    "it exits": (
        "def catalogue():\n    raise SystemExit\n",
        "{own}:22: mistakes 'own:catalogue' called sys.exit() — it has to return",
    ),
    "its generator raises": (
        "def catalogue():\n    yield 1 / 0\n",
        "{own}:22: mistakes 'own:catalogue' failed: ZeroDivisionError: division by zero",
    ),
    "its mistakes are none": (
        "def catalogue():\n    return [7]\n",
        "mistakes 'own:catalogue' gave 7 — a mistake has id, title, hint, note, source, invisible and mains",
    ),
    "there is none": ("", "mistakes 'own:catalogue': module 'own' has no function 'catalogue'"),
}


@pytest.mark.parametrize("name", CATALOGUES)
def test_mistakes_that_cannot_be_tried_are_a_fault_and_the_verdict_stands(dice, name):
    catalogue, output = CATALOGUES[name]
    own = DICE_OWN.replace("def catalogue():\n    return []\n", catalogue)
    report = dice.checked(own, program=DICE_PROGRAM.replace('"a"', '"an a"'))
    assert {verdict for _, verdict in verdicts(report)} == {Verdict.WRONG_ANSWER}
    assert report.faults == (output.format(own=dice.own),)


def test_a_tolerated_reference_that_fails_judges_nobody(dice):
    """A session that the right one does not explain might be right by the other."""
    own = DICE_OWN.replace('    console.write(f"it is a', '    {}["x"]\n    console.write(f"it is a')
    assert dice.checked(own).verdict is Verdict.ACCEPTED
    report = dice.checked(own, program=DICE_PROGRAM.replace('"a"', '"it is a"'))
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
    assert dice.checked(own, program=right).verdict is Verdict.ACCEPTED
    wrong = DICE_PROGRAM + 'input("Again? ")\nprint(5)\n'
    report = dice.checked(own, program=wrong)
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.faults == ()


def test_names_that_are_not_there_are_reported_before_anything_is_run(greet, dice):
    with pytest.raises(SpecError) as refused:
        greet.checked(MAIN)
    place = f"{greet.specs}/greet.yaml:4: player 'other'"
    assert str(refused.value) == f"{place}: module 'own' has no function 'player'"
    with pytest.raises(SpecError) as refused:
        dice.checked("import sys\nsys.exit(0)\n")
    place = f"{dice.specs}/assignment.yaml: stage 'dice': 'own:main'"
    assert str(refused.value) == f"{dice.own}:2: {place} cannot be imported: it called sys.exit(0) — it has to return"


def test_what_the_machine_lacked_for_a_moment_is_not_remembered(monkeypatch):
    """A reference that could not be run for one submission is run again for the next."""
    assignment = load_assignment(ROOT / "tests" / "toy" / "teller")
    (stage,) = assignment.stages
    job = Job(assignment, (stage,), find_conditions("watched", "none"), "teller")
    right = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
    assert check(job, right, count=1).verdict is Verdict.ACCEPTED  # the language has been tried, too
    monkeypatch.setattr(seeded, "_expectations", {})
    with monkeypatch.context() as short:
        short.setattr(Loop, "run", _fails)
        assert check(job, right, count=1).verdict is Verdict.JUDGE_ERROR
    assert check(job, right, count=1).verdict is Verdict.ACCEPTED


def _fails(self, *_, **__):
    raise SessionError("there is no terminal left")


#: It asks until it is given Ada, and ends where the input does.
ASKING = """\
def main(console):
    name = None
    while name != "Ada":
        console.write("Name? ")
        name = console.read_line()
        if name is None:
            return 0
    console.write("Hello Ada!\\n")

def player(shown, typed):
    return "Bob" if len(typed) % 2 else "Cy"
"""
ASKING_PROGRAM = """\
while True:
    try:
        if input("Name? ") == "Ada":
            print("Hello Ada!")
            break
    except EOFError:
        break
"""
ENDLESS = "does not end: the reference asked for more than 2000 lines."
GOES_ON = {
    "a function": (
        "own:player",
        "The player 'other' keeps typing 'Cy', 'Bob' at “Name? ” (PLACE) — make it type lines that end the session, or "
        "return None",
    ),
    "a habit": (
        '[{prompt: "Name? ", answers: [Bob, Cy]}]',
        "The player 'other' keeps answering “Name? ” with 'Cy' (PLACE) — give it answers there that end the session, or "
        "<eof> as the last",
    ),
    "a habit that begins again": (
        '[{prompt: "Name? ", answers: [Bob, Cy, Dan, Eve, ...]}]',
        "The player 'other' keeps answering “Name? ” with 'Bob', 'Cy', 'Dan' … (PLACE) — give it answers there that "
        "end the session, or <eof> as the last",
    ),
}


@pytest.mark.parametrize("name", GOES_ON)
def test_a_player_who_types_for_ever_is_the_assignments_fault(greet, name):
    """Also where the program does something else at the end of the input, to which the player never comes by itself."""
    player, output = GOES_ON[name]
    place = f"{greet.specs}/assignment.yaml:7"
    fault = f"{NOT_HELD}{greet.specs}/greet.yaml:4: 'by the other' {ENDLESS} {output.replace('PLACE', place)}"
    for program in (ASKING_PROGRAM, ASKING_PROGRAM.replace("EOFError:\n        break", "EOFError:\n        pass")):
        report = greet.checked(ASKING, assignment=ASSIGNMENT.replace("own:player", player), program=program)
        assert verdicts(report) == ONLY_OTHER
        assert report.faults == (fault,)


def test_answers_that_are_typed_for_ever_are_the_assignments_fault(greet):
    for answers, output in (
        ("[Bob, Cy]", "The last of its answers is typed again and again: 'Cy' at “Name? ”"),
        ("[Bob, Cy, ...]", "Its answers are typed again and again: 'Bob', 'Cy' at “Name? ”"),
    ):
        spec = SPEC.replace("player: other", f"answers: {answers}")
        report = greet.checked(ASKING, spec=spec, program=ASKING_PROGRAM)
        place = f"{NOT_HELD}{greet.specs}/greet.yaml:4: 'by the other' {ENDLESS}"
        assert report.faults == (f"{place} {output} — give answers that end it, or <eof> as the last",)


def test_a_player_is_named_where_the_reference_shows_too_much_before(greet):
    """A thousand bytes at each question come to the limit of the output before the maximum number of lines are typed."""
    program = ASKING_PROGRAM.replace("    try:", '    print("so many names " * 80)\n    try:')
    (greet.specs / "reference.py").write_text(program)
    assignment = ASSIGNMENT.replace('"own:main"', "{command: [python3, ./reference.py]}")
    (fault,) = greet.checked(ASKING, assignment=assignment, program=program).faults
    start = f"{NOT_HELD}{greet.specs}/greet.yaml:4: 'by the other' does not end: "
    assert fault.startswith(start)
    assert "did not end by itself: over the output limit. The player 'other' keeps typing 'Cy', 'Bob' at" in fault


#: A game whose player says no for ever, and one that never ends where it should.
REFUSING = DICE_OWN.replace(
    "    console.read_line()\n", '    while console.read_line() == "n":\n        console.write("Roll? ")\n'
)
REFUSED = """\
import random
try:
    while input("Roll? ") == "n":
        pass
except EOFError:
    pass
print("a", random.choice("12"))
"""


def test_a_player_who_types_for_ever_is_no_ones_failure_without_a_seed(dice):
    spec, players = DICE_SPEC.replace("6", "1"), '[{prompt: "Roll? ", answers: [n]}]'
    endless = DICE.replace("own:player", players)
    output = (
        f"{NOT_HELD}{dice.specs}/dice.yaml:3: 'rolls' {ENDLESS} The player 'somebody' keeps answering “Roll? ” with 'n' "
        f"({dice.specs}/assignment.yaml:13) — give it answers there that end the session, or <eof> as the last"
    )
    for at_the_end in ("pass", "while True: input()", "raise"):
        program = REFUSED.replace("EOFError:\n    pass", f"EOFError:\n    {at_the_end}")
        report = dice.checked(REFUSING, assignment=endless, spec=spec, program=program)
        assert {verdict for _, verdict in verdicts(report)} == {Verdict.JUDGE_ERROR}
        assert set(report.faults) == {output}


def test_a_program_that_asks_for_ever_is_no_fault_of_its_player(dice):
    report = dice.checked(REFUSING, program=REFUSED.replace('"n"', '"y"'))
    assert report.faults == ()
    assert report.verdict is Verdict.WRONG_ANSWER
