"""A reference that takes long to start is not started for what it is known to do; what is found is the same."""

import io

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from pitboss.assignments.assignment import Draws
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.checking.partial import CheckProgress
from pitboss.compare.check_events import Begun, Replayed, StageWork
from pitboss.compare.verdicts import Verdict
from pitboss.model.comparison_policy import EXACT
from pitboss.model.scripts import typing
from pitboss.reports.progress_bar import ProgressLine
from pitboss.sandbox import progress
from pitboss.sandbox.progress import WorkProgress
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.replay import replay
from pitboss.unseeded.replay_memory import Memory
from tests.conftest import ROOT
from tests.unseeded.test_unseeded import PIG

MOST = 9
STAGE = msgspec.structs.replace(
    load_assignment(ROOT / "tests" / "toy" / "dice").stages[0],
    draws=Draws(tuple(str(number) for number in range(1, MOST + 1))),
)


def guessing(console, draw, *, low="Too low.", last="Bye.", counts=1, ends_at=99):
    """The game, and by its keywords programs that do otherwise; what was drawn is shown where it was guessed."""
    number, count = int(draw()), 0
    while count < ends_at:
        console.write("Guess: ")
        line = console.read_line()
        if line is None:
            console.write(f"{last}\n")
            return
        count += counts
        if line == str(number):
            console.write(f"Right: {count}\n")
            return
        console.write(f"{low}\n" if line < str(number) else "Too high.\n")


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "low": st.sampled_from(["Too low.", "Too small.", "Too high."]),
        "last": st.sampled_from(["Bye.", "Bye", "It ended."]),
        "counts": st.sampled_from([1, 2]),
        "ends_at": st.integers(1, 4),
    },
)
GUESSES = st.lists(st.sampled_from("123456789"), max_size=4).map(tuple)


def drew(number):
    return lambda: str(number)


@settings(max_examples=60)
@given(
    changes=CHANGES,
    sessions=st.lists(st.tuples(st.integers(1, MOST), GUESSES), min_size=1, max_size=5),
    policy=st.sampled_from(["exact", "ignored"]),
)
def test_what_is_found_is_the_same_with_a_memory(changes, sessions, policy):
    """Any program, any draws that nobody saw and any lines, one session after the other with one memory."""
    run, memory = expected_run_in_process(guessing, "the reference"), Memory()
    policy = msgspec.structs.replace(EXACT, letter_case=policy, blank_lines=policy)
    for number, lines in sessions:
        program = expected_run_in_process(guessing, "a program", changes)
        actual = program(typing(tuple(line.encode() for line in lines)), drew(number))
        draws = (str(number),) if b"Right" in actual.text else (None,)
        assert replay(actual, draws, STAGE, policy, run, memory=memory) == replay(actual, draws, STAGE, policy, run)


def test_what_was_never_shown_is_not_invented_though_few_values_fit():
    """The program ends without a word; what it drew is 7, 8 or 9, and none of these is told."""

    def right(console, draw):
        number = draw()
        console.write("Guess: ")
        console.write("Too low.\n" if console.read_line() < number else "Too high.\n")
        console.write(f"It was {number}.\n")

    run = expected_run_in_process(right, "the reference")
    output = run(typing((b"6",)), drew(8))
    actual = msgspec.structs.replace(output, events=(*output.events[:-1], type(output.events[-1])(b"Too low.\n")))
    assert replay(actual, (None,), STAGE, EXACT, run).open_line == "It was ….".encode()


def wrong_sessions():
    """Sessions of a program that counts twice and never says what it drew, with the guesses that halve what is left."""
    program = expected_run_in_process(guessing, "a program", {"counts": 2, "ends_at": 5})
    for number in range(1, MOST + 1):
        low, high, lines = 1, MOST, []
        while low <= high and len(lines) < 2:
            lines.append((low + high) // 2)
            low, high = (lines[-1] + 1, high) if lines[-1] < number else (low, lines[-1] - 1)
        yield program(typing(tuple(b"%d" % line for line in lines)), drew(number))


def starts(memory):
    """How often the reference is started to replay all these sessions."""
    count, run = 0, expected_run_in_process(guessing, "the reference")

    def counted(*arguments, **keywords):
        nonlocal count
        count += 1
        return run(*arguments, **keywords)

    for actual in wrong_sessions():
        # Nothing explains a farewell that the reference does not have.
        other = msgspec.structs.replace(actual, events=(*actual.events[:-1], *spoilt(actual.events[-1])))
        replay(other, (None,), STAGE, EXACT, counted, memory=memory)
    return count


def spoilt(event):
    return (msgspec.structs.replace(event, text=event.text + b"What?\n"),)


def test_what_a_reference_is_known_to_do_is_not_done_again():
    """Nine values in nine sessions: each value is played through with each list of lines only where it gets that far."""
    assert starts(None) > 9 * 15
    assert starts(Memory()) < 9 * 6


def test_whoever_waits_hears_how_often_a_command_was_started(tmp_path):
    dice = load_assignment(ROOT / "tests" / "toy" / "dice")
    (tmp_path / "pig.c").write_text(PIG.replace("points += roll;", "points += roll + 1;"))
    output = []
    with progress.subscribe(output.append):
        (report,) = check(Job(dice, dice.stages, find_conditions("watched", "none"), "dice"), tmp_path).stages
    counts = [one.count for one in output if isinstance(one, Replayed)]
    assert report.verdict is Verdict.WRONG_ANSWER
    assert counts and counts[0] == 1 and max(counts) > 10


def told_of(*heard):
    known = CheckProgress(Job(DICE, DICE.stages, find_conditions("watched", "none"), "dice"), "ada")
    for one in heard:
        known.hear(one)
    return known.report().stopped


DICE = load_assignment(ROOT / "tests" / "toy" / "dice")
BEGUN = Begun(StageWork.RUNNING, "pig", is_open=True)


def test_a_check_that_was_stopped_says_that_it_replayed():
    rest = ": this report is partial. Not judged completely: pig."
    assert (
        told_of(BEGUN, WorkProgress(16, 24), Replayed(7))
        == f"Stopped while the reference was replaying sessions of pig{rest}"
    )
    assert (
        told_of(BEGUN, WorkProgress(16, 24), Replayed(7), WorkProgress(17, 24))
        == f"Stopped while running the sessions of pig, at session 17{rest}"
    )


def test_the_line_says_that_sessions_are_replayed(monkeypatch):
    monkeypatch.setattr("pitboss.reports.progress_bar._MIN_INTERVAL_S", 0)
    screen = io.StringIO()
    with ProgressLine(Console(file=screen, force_terminal=True, width=80, color_system=None), "reading") as printed:
        for one in (BEGUN, WorkProgress(16, 24), Replayed(7), WorkProgress(17, 24)):
            printed.show_event(one)
    output = [line.strip() for line in screen.getvalue().replace("\x1b[2K", "\n").split("\n")]
    lines = [line for line in output if line.startswith("pig: ")]
    assert list(dict.fromkeys(lines)) == [
        "pig: sessions …",
        "pig: sessions … 16",
        "pig: sessions, replayed … 7",
        "pig: sessions … 17",
    ]
