import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare import seeded
from pitboss.compare.results import Verdict
from pitboss.errors import SessionError, SpecError
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.tracing.driver import Loop
from tests.authors import (
    ASSIGNMENT,
    DICE,
    DICE_OWN,
    DICE_PROGRAM,
    DICE_SPEC,
    MAIN,
    ONLY_OTHER_FAILED,
    PLAYER,
    SESSION_FAULT,
    SPEC,
    verdicts,
)
from tests.conftest import ROOT

#: Code that raises an error, and the message in the report.
RAISED_ERRORS = {
    "KeyError": ('{}["T"]', "failed: KeyError: 'T'"),
    "an error without a word": ("assert False", "failed: AssertionError"),
    "an error of many lines": ("raise ValueError('one\\ntwo' * 100)", "failed: ValueError: one two"),
    "an error that cannot be printed": (
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
    "a question to nobody": (
        "input()",
        "failed: OSError: standard input is not available here: a reference reads from its console",
    ),
}


@pytest.mark.parametrize("name", RAISED_ERRORS)
def test_an_exception_in_a_player_is_a_fault_of_its_session(greet, name):
    line, message = RAISED_ERRORS[name]
    own = f"{MAIN}def player(shown, typed):\n    {line}\n"
    report = greet.check_with(own)
    assert verdicts(report) == ONLY_OTHER_FAILED
    (fault,) = report.faults
    assert fault.startswith(f"{SESSION_FAULT}{greet.own_code_file}:5: player 'other' {message}")
    assert len(fault) < len(f"{SESSION_FAULT}{greet.own_code_file}") + 200


@pytest.mark.parametrize("name", RAISED_ERRORS)
def test_an_exception_in_a_reference_is_a_fault_of_its_session(greet, name):
    line, message = RAISED_ERRORS[name]
    own = (
        'def main(console):\n    console.write("Name? ")\n    name = console.read_line()\n'
        f'    if name == "Bob":\n        {line}\n    console.write(f"Hello {{name}}!\\n")\n{PLAYER}'
    )
    report = greet.check_with(own)
    assert verdicts(report) == ONLY_OTHER_FAILED
    assert report.faults[0].startswith(f"{SESSION_FAULT}{greet.own_code_file}:5: the reference of 'greet' {message}")


@pytest.mark.parametrize("name", ["KeyError", "sys.exit(0)", "KeyboardInterrupt", "BaseException", "RecursionError"])
def test_an_exception_in_a_reader_is_a_fault_of_its_session(dice, name):
    """The reader fails only in sessions where a 1 was rolled, so the other sessions are judged."""
    line, message = RAISED_ERRORS[name]
    own = DICE_OWN.replace(
        "    return SimpleNamespace", f'    if "a 1" in shown:\n        {line}\n    return SimpleNamespace'
    )
    program = "import os, random\n" + DICE_PROGRAM.replace("random.choice", "random.SystemRandom().choice")
    assignment = DICE.replace("most_sessions: 12", "most_sessions: 40")
    report = dice.check_with(own, assignment=assignment, spec=DICE_SPEC.replace("6", "40"), program=program)
    summaries = {result.verdict: summary_of(result) for result in report.stages[0].results}
    # In 40 sessions both numbers are rolled, except by chance once in 2 ** 39 runs.
    assert set(summaries) == {Verdict.ACCEPTED, Verdict.JUDGE_ERROR}
    fault = f"{SESSION_FAULT}{dice.own_code_file}:17: reader 'own:read' {message}"
    assert summaries[Verdict.JUDGE_ERROR].startswith(fault)


#: Values returned by a player that are no line of text, and how the report shows them.
INVALID_LINES = {
    "bytes": ('b"Bob"', "b'Bob'"),
    "a number": ("7", "7"),
    "two lines": ('"a\\nb"', "'a\\nb'"),
    "a line that no terminal takes": ('"x" * 5000', f"'{'x' * 118}…"),
    "a gigabyte": ('"x" * (1 << 30)', f"'{'x' * 118}…"),
    "half a character": ('"\\ud800"', "'\\ud800'"),
    "something without a repr": ("type('Odd', (), {'__repr__': lambda self: 1 / 0})()", "a value of type Odd"),
}


@pytest.mark.parametrize("name", INVALID_LINES)
def test_a_player_that_returns_no_line_is_reported(greet, name):
    value, shown_value = INVALID_LINES[name]
    report = greet.check_with(f"{MAIN}def player(shown, typed):\n    return {value}\n")
    assert verdicts(report) == ONLY_OTHER_FAILED
    location = f"{greet.specs}/greet.yaml:4: player 'other'"
    assert report.faults == (
        f"{SESSION_FAULT}{location} returned {shown_value} — it must return one line of text, or None",
    )


def test_a_member_of_a_string_enum_is_accepted_as_text(greet, dice):
    """Also when it is sent from one worker process to another."""
    enum = "from enum import Enum\nclass Name(str, Enum):\n    BOB = 'Bob'\n    ONE = '1'\n    TWO = '2'\n"
    own = f"{enum}{MAIN}def player(shown, typed):\n    return Name.BOB\n"
    assert greet.check_with(own, core_count=2).verdict is Verdict.ACCEPTED
    own = enum + DICE_OWN.replace('re.findall("a ([12])", shown)', 'map(Name, re.findall("a ([12])", shown))')
    spec = DICE_SPEC.replace("6", "24")
    assert dice.check_with(own, spec=spec, core_count=2).verdict is Verdict.ACCEPTED


#: Invalid readings returned by a reader, and how the report shows them.
INVALID_READINGS = {
    "nothing": ("None", "None"),
    "a number as draws": ("SimpleNamespace(draws=3, problem=None)", "namespace(draws=3, problem=None)"),
    "numbers among the draws": ("SimpleNamespace(draws=[1], problem=None)", "namespace(draws=[1], problem=None)"),
    "draws without end": (
        "SimpleNamespace(draws=__import__('itertools').repeat('1'), problem=None)",
        "namespace(draws=repeat('1'), problem=None)",
    ),
    "a problem with two parts of three": (
        "SimpleNamespace(draws=[], problem=(1, 'x'))",
        "namespace(draws=[], problem=(1, 'x'))",
    ),
}


@pytest.mark.parametrize("name", INVALID_READINGS)
def test_a_reader_that_returns_an_invalid_reading_is_reported(dice, name):
    value, shown_value = INVALID_READINGS[name]
    own = DICE_OWN.replace("    return SimpleNamespace", f"    return {value}\n    return SimpleNamespace")
    report = dice.check_with(own)
    (fault,) = report.faults
    assert fault.startswith(
        f"{SESSION_FAULT}{dice.specs}/assignment.yaml: stage 'dice': reader 'own:read' returned {shown_value}"
    )
    assert fault.endswith(
        " — it must return an object with `draws` (each a text or None) and `problem` (None, or a line number, the text "
        "found, and the expected form or None)"
    )


def test_a_draw_outside_the_declared_values_is_reported(dice):
    own = DICE_OWN.replace('re.findall("a ([12])", shown)', '["7"]')
    assert dice.check_with(own).faults == (
        f"{SESSION_FAULT}{dice.specs}/assignment.yaml: stage 'dice': reader 'own:read' read '7' — `draws` has "
        "no such value; if a program shows one, the reader must return a problem with None as the expected form",
    )


#: Code in the `main` of a reference that makes the session impossible, and the message in the report.
BROKEN_REFERENCES = {
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


@pytest.mark.parametrize("name", BROKEN_REFERENCES)
def test_a_reference_that_misbehaves_is_reported(greet, name):
    line, message = BROKEN_REFERENCES[name]
    own = f'def main(console):\n    console.write("Name? ")\n    {line}\n{PLAYER}'
    report = greet.check_with(own, spec=SPEC.replace("  - {name: by ada, player: ada}\n", "\n"))
    assert report.faults == (SESSION_FAULT + message.format(own=greet.own_code_file, specs=greet.specs),)


def test_a_failing_player_is_reported_even_if_the_reference_catches_everything(greet):
    own = (
        'def main(console):\n    console.write("Name? ")\n    try:\n        name = console.read_line()\n'
        '    except:\n        name = "Bob"\n    console.write(f"Hello {name}!\\n")\n'
        "def player(shown, typed):\n    return {}[0]\n"
    )
    report = greet.check_with(own)
    assert verdicts(report) == ONLY_OTHER_FAILED
    assert report.faults == (f"{SESSION_FAULT}{greet.own_code_file}:9: player 'other' failed: KeyError: 0",)


#: A catalogue of mistakes, and the message in the report.
BROKEN_CATALOGUES = {
    "it raises": ("def catalogue():\n    return {}[0]\n", "{own}:22: mistakes 'own:catalogue' failed: KeyError: 0"),
    "it exits": (
        "def catalogue():\n    raise SystemExit\n",
        "{own}:22: mistakes 'own:catalogue' called sys.exit() — it has to return",
    ),
    "its generator raises": (
        "def catalogue():\n    yield 1 / 0\n",
        "{own}:22: mistakes 'own:catalogue' failed: ZeroDivisionError: division by zero",
    ),
    "one of its mistakes is a number": (
        "def catalogue():\n    return [7]\n",
        "mistakes 'own:catalogue' gave 7 — it must have the fields id, title, hint, note, source, invisible and mains",
    ),
    "it is not defined": ("", "mistakes 'own:catalogue': module 'own' has no function 'catalogue'"),
}


@pytest.mark.parametrize("name", BROKEN_CATALOGUES)
def test_a_broken_catalogue_of_mistakes_is_a_fault_but_keeps_the_verdict(dice, name):
    catalogue, message = BROKEN_CATALOGUES[name]
    own = DICE_OWN.replace("def catalogue():\n    return []\n", catalogue)
    report = dice.check_with(own, program=DICE_PROGRAM.replace('"a"', '"an a"'))
    assert {verdict for _, verdict in verdicts(report)} == {Verdict.WRONG_ANSWER}
    assert report.faults == (message.format(own=dice.own_code_file),)


def test_a_failing_tolerated_reference_rejects_no_program(dice):
    """A session that does not match the main reference might match the tolerated reference that failed."""
    own = DICE_OWN.replace('    console.write(f"it is a', '    {}["x"]\n    console.write(f"it is a')
    assert dice.check_with(own).verdict is Verdict.ACCEPTED
    report = dice.check_with(own, program=DICE_PROGRAM.replace('"a"', '"it is a"'))
    assert report.verdict is Verdict.JUDGE_ERROR
    assert report.faults == (
        f"{SESSION_FAULT}{dice.own_code_file}:12: the tolerated reference 'in other words' failed: KeyError: 'x'",
    )


def test_a_reference_failing_on_lines_typed_for_another_question_is_no_fault(dice):
    """The wrong program asks “Again?” in place of “How many?”, so the reference fails to convert “y” to a number."""
    own = DICE_OWN.replace(
        '    console.write(f"a {draw()}\\n")\n\ndef other',
        '    console.write(f"a {draw()}\\nHow many? ")\n    console.write(f"{int(console.read_line())}\\n")\n\ndef other',
    ).replace('return "y"', 'return "5" if "many" in shown else "y"')
    correct_program = DICE_PROGRAM + 'print(int(input("How many? ")))\n'
    assert dice.check_with(own, program=correct_program).verdict is Verdict.ACCEPTED
    wrong_program = DICE_PROGRAM + 'input("Again? ")\nprint(5)\n'
    report = dice.check_with(own, program=wrong_program)
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.faults == ()


def test_missing_functions_are_reported_before_any_program_is_run(greet, dice):
    with pytest.raises(SpecError) as error_info:
        greet.check_with(MAIN)
    location = f"{greet.specs}/greet.yaml:4: player 'other'"
    assert str(error_info.value) == f"{location}: module 'own' has no function 'player'"
    with pytest.raises(SpecError) as error_info:
        dice.check_with("import sys\nsys.exit(0)\n")
    location = f"{dice.specs}/assignment.yaml: stage 'dice': 'own:main'"
    assert (
        str(error_info.value)
        == f"{dice.own_code_file}:2: {location} cannot be imported: it called sys.exit(0) — it has to return"
    )


def test_a_temporary_failure_of_the_reference_is_not_cached(monkeypatch):
    """A reference that could not be run for one submission is run again for the next."""
    assignment = load_assignment(ROOT / "tests" / "toy" / "teller")
    (stage,) = assignment.stages
    job = Job(assignment, (stage,), find_conditions("watched", "none"), "teller")
    correct_program = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
    # This first check also runs the trial program of the language.
    assert check(job, correct_program, cores=1).verdict is Verdict.ACCEPTED
    monkeypatch.setattr(seeded, "_expectations", {})
    with monkeypatch.context() as patch:
        patch.setattr(Loop, "run", raise_session_error)
        assert check(job, correct_program, cores=1).verdict is Verdict.JUDGE_ERROR
    assert check(job, correct_program, cores=1).verdict is Verdict.ACCEPTED


def raise_session_error(self, *_, **__):
    raise SessionError("there is no terminal left")


#: A reference that asks until “Ada” is typed or the input ends, and a player that never types “Ada”.
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
ENDLESS_MESSAGE = "does not end: the reference asked for more than 2000 lines."
#: A player that never ends the session, and the end of the message.
ENDLESS_PLAYERS = {
    "a function": (
        "own:player",
        "The player 'other' keeps typing 'Cy', 'Bob' at “Name? ” (PLACE) — make it type lines that end the session, or "
        "return None",
    ),
    "answers": (
        '[{prompt: "Name? ", answers: [Bob, Cy]}]',
        "The player 'other' keeps answering “Name? ” with 'Cy' (PLACE) — give answers there that end the session, or "
        "<eof> as the last answer",
    ),
    "answers that begin again": (
        '[{prompt: "Name? ", answers: [Bob, Cy, Dan, Eve, ...]}]',
        "The player 'other' keeps answering “Name? ” with 'Bob', 'Cy', 'Dan' … (PLACE) — give answers there that "
        "end the session, or <eof> as the last answer",
    ),
}


@pytest.mark.parametrize("name", ENDLESS_PLAYERS)
def test_a_player_that_types_for_ever_is_a_fault_of_the_assignment(greet, name):
    """Even if the program loops without end after the end of the input, which this player never types."""
    player, message = ENDLESS_PLAYERS[name]
    location = f"{greet.specs}/assignment.yaml:7"
    fault = f"{SESSION_FAULT}{greet.specs}/greet.yaml:4: 'by the other' {ENDLESS_MESSAGE} {message.replace('PLACE', location)}"
    for program in (ASKING_PROGRAM, ASKING_PROGRAM.replace("EOFError:\n        break", "EOFError:\n        pass")):
        report = greet.check_with(ASKING, assignment=ASSIGNMENT.replace("own:player", player), program=program)
        assert verdicts(report) == ONLY_OTHER_FAILED
        assert report.faults == (fault,)


def test_a_case_may_have_more_answers_than_would_be_repeated(greet):
    answers = ", ".join([*["Bob"] * 2500, "Ada"])
    spec = SPEC.replace("player: other", f"answers: [{answers}]")
    report = greet.check_with(ASKING, spec=spec, program=ASKING_PROGRAM)
    assert (report.faults, report.verdict) == ((), Verdict.ACCEPTED)


def test_answers_repeated_for_ever_are_a_fault_of_the_assignment(greet):
    for answers, message in (
        ("[Bob, Cy]", "The last of its answers is typed again and again: 'Cy' at “Name? ”"),
        ("[Bob, Cy, ...]", "Its answers are typed again and again: 'Bob', 'Cy' at “Name? ”"),
    ):
        spec = SPEC.replace("player: other", f"answers: {answers}")
        report = greet.check_with(ASKING, spec=spec, program=ASKING_PROGRAM)
        fault = f"{SESSION_FAULT}{greet.specs}/greet.yaml:4: 'by the other' {ENDLESS_MESSAGE}"
        assert report.faults == (f"{fault} {message} — give answers that end the session, or <eof> as the last answer",)


def test_an_endless_player_is_named_even_if_the_output_limit_comes_first(greet):
    """The program prints over a thousand bytes at each question, so its output reaches the limit before 2000 lines."""
    program = ASKING_PROGRAM.replace("    try:", '    print("so many names " * 80)\n    try:')
    (greet.specs / "reference.py").write_text(program)
    assignment = ASSIGNMENT.replace('"own:main"', "{command: [python3, ./reference.py]}")
    (fault,) = greet.check_with(ASKING, assignment=assignment, program=program).faults
    start = f"{SESSION_FAULT}{greet.specs}/greet.yaml:4: 'by the other' does not end: "
    assert fault.startswith(start)
    assert "did not end by itself: over the output limit. The player 'other' keeps typing 'Cy', 'Bob' at" in fault


#: The own code of an assignment whose reference asks again after each “n”.
OWN_ASKING_AGAIN = DICE_OWN.replace(
    "    console.read_line()\n", '    while console.read_line() == "n":\n        console.write("Roll? ")\n'
)
#: A program that asks again after each “n”, too, until the input ends.
PROGRAM_ASKING_AGAIN = """\
import random
try:
    while input("Roll? ") == "n":
        pass
except EOFError:
    pass
print("a", random.choice("12"))
"""


def test_an_endless_player_of_an_unseeded_game_fails_no_program(dice):
    spec, players = DICE_SPEC.replace("6", "1"), '[{prompt: "Roll? ", answers: [n]}]'
    endless = DICE.replace("own:player", players)
    fault = (
        f"{SESSION_FAULT}{dice.specs}/dice.yaml:3: 'rolls' {ENDLESS_MESSAGE} The player 'somebody' keeps answering “Roll? ” "
        f"with 'n' ({dice.specs}/assignment.yaml:13) — give answers there that end the session, or <eof> as the last answer"
    )
    for end_of_input_code in ("pass", "while True: input()", "raise"):
        program = PROGRAM_ASKING_AGAIN.replace("EOFError:\n    pass", f"EOFError:\n    {end_of_input_code}")
        report = dice.check_with(OWN_ASKING_AGAIN, assignment=endless, spec=spec, program=program)
        assert {verdict for _, verdict in verdicts(report)} == {Verdict.JUDGE_ERROR}
        assert set(report.faults) == {fault}


def test_a_program_that_asks_for_ever_is_wrong_and_its_player_is_not_blamed(dice):
    report = dice.check_with(OWN_ASKING_AGAIN, program=PROGRAM_ASKING_AGAIN.replace('"n"', '"y"'))
    assert report.faults == ()
    assert report.verdict is Verdict.WRONG_ANSWER
