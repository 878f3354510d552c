import io

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from pitboss.assignments.assignment import Draws
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.checking.partial import CheckProgress
from pitboss.compare.results import Begun, Replayed, StageWork, Verdict
from pitboss.machine import progress
from pitboss.machine.progress import WorkProgress
from pitboss.model.comparison_policy import EXACT
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import Shown
from pitboss.reports.progress_bar import ProgressLine
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.replay import Memory, draws_with_other_values, replay, with_open_line
from tests.conftest import ROOT
from tests.unseeded.test_unseeded import PIG

#: Numbers from 1 to this one are drawn.
HIGHEST = 9
DICE = load_assignment(ROOT / "tests" / "toy" / "dice")
STAGE = msgspec.structs.replace(DICE.stages[0], draws=Draws(tuple(str(number) for number in range(1, HIGHEST + 1))))


def guessing_game(console, draw, *, low="Too low.", last="Bye.", step=1, ends_at=99):
    """The reference: the player guesses the drawn number; only a right guess shows it.

    The keywords make other programs: the texts for a low guess and for the end of input, by how much each guess
    increases the count of guesses, and the count at which the program ends.
    """
    number, count = int(draw()), 0
    while count < ends_at:
        console.write("Guess: ")
        line = console.read_line()
        if line is None:
            console.write(f"{last}\n")
            return
        count += step
        if line == str(number):
            console.write(f"Right: {count}\n")
            return
        console.write(f"{low}\n" if line < str(number) else "Too high.\n")


#: Keywords of `guessing_game`, none to all of them.
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "low": st.sampled_from(["Too low.", "Too small.", "Too high."]),
        "last": st.sampled_from(["Bye.", "Bye", "It ended."]),
        "step": st.sampled_from([1, 2]),
        "ends_at": st.integers(1, 4),
    },
)
GUESSES = st.lists(st.sampled_from("123456789"), max_size=4).map(tuple)


def draw_of(number):
    """A `draw` that always gives this number."""
    return lambda: str(number)


@settings(max_examples=60)
@given(
    changes=CHANGES,
    sessions=st.lists(st.tuples(st.integers(1, HIGHEST), GUESSES), min_size=1, max_size=5),
    strictness=st.sampled_from(["exact", "ignored"]),
)
def test_a_replay_finds_the_same_with_and_without_a_memory(changes, sessions, strictness):
    """For any program, any draws that were not shown and any lines; all sessions share one memory."""
    run, memory = expected_run_in_process(guessing_game, "the reference"), Memory()
    policy = msgspec.structs.replace(EXACT, letter_case=strictness, blank_lines=strictness)
    for number, lines in sessions:
        run_program = expected_run_in_process(guessing_game, "a program", changes)
        actual = run_program(script_of_lines(tuple(line.encode() for line in lines)), draw_of(number))
        draws = (str(number),) if b"Right" in actual.text else (None,)
        assert replay(actual, draws, STAGE, policy, run, memory=memory) == replay(actual, draws, STAGE, policy, run)


def test_a_draw_that_was_never_shown_is_not_quoted_even_if_few_values_fit():
    """The program does not show its number. Since 6 is too low, only 7, 8 and 9 fit, but the report quotes none."""

    def correct(console, draw):
        number = draw()
        console.write("Guess: ")
        console.write("Too low.\n" if console.read_line() < number else "Too high.\n")
        console.write(f"It was {number}.\n")

    run = expected_run_in_process(correct, "the reference")
    transcript = run(script_of_lines((b"6",)), draw_of(8))
    actual = msgspec.structs.replace(transcript, events=(*transcript.events[:-1], Shown(b"Too low.\n")))
    replayed = replay(actual, (None,), STAGE, EXACT, run)
    variants = draws_with_other_values(replayed, (None,), STAGE.draws)
    assert with_open_line(replayed, variants, actual, STAGE, EXACT, run).open_line == "It was ….".encode()


def wrong_sessions():
    """One session for each number, with two guesses by binary search, of a program that counts each guess twice."""
    program = expected_run_in_process(guessing_game, "a program", {"step": 2, "ends_at": 5})
    for number in range(1, HIGHEST + 1):
        low, high, lines = 1, HIGHEST, []
        while low <= high and len(lines) < 2:
            lines.append((low + high) // 2)
            low, high = (lines[-1] + 1, high) if lines[-1] < number else (low, lines[-1] - 1)
        yield program(script_of_lines(tuple(b"%d" % line for line in lines)), draw_of(number))


def count_starts(memory):
    """How often the reference is started to replay all `wrong_sessions`, each with an extra last line.

    No draw explains the extra line, so all possible draws are tried.
    """
    count, run = 0, expected_run_in_process(guessing_game, "the reference")

    def counted_run(*arguments, **keywords):
        nonlocal count
        count += 1
        return run(*arguments, **keywords)

    for session in wrong_sessions():
        last_event = msgspec.structs.replace(session.events[-1], text=session.events[-1].text + b"What?\n")
        actual = msgspec.structs.replace(session, events=(*session.events[:-1], last_event))
        replay(actual, (None,), STAGE, EXACT, counted_run, memory=memory)
    return count


def test_a_memory_saves_most_starts_of_the_reference():
    """Per session, the nine possible values take more than 15 starts without a memory, and fewer than 6 with one."""
    session_count = len(list(wrong_sessions()))
    assert count_starts(None) > session_count * 15
    assert count_starts(Memory()) < session_count * 6


def test_the_number_of_replays_is_reported_as_progress(tmp_path):
    (tmp_path / "pig.c").write_text(PIG.replace("points += roll;", "points += roll + 1;"))
    events = []
    with progress.subscribe(events.append):
        (report,) = check(Job(DICE, DICE.stages, find_conditions("watched", "none"), "dice"), tmp_path).stages
    counts = [event.count for event in events if isinstance(event, Replayed)]
    assert report.verdict is Verdict.WRONG_ANSWER
    assert counts and counts[0] == 1 and max(counts) > 10


#: The first event of the checks below.
BEGUN = Begun(StageWork.RUNNING, "pig", is_open=True)


def report_stopped_after(*events):
    """What the report says of a check that was stopped after these events."""
    check_progress = CheckProgress(Job(DICE, DICE.stages, find_conditions("watched", "none"), "dice"), "ada")
    for event in events:
        check_progress.record_event(event)
    return check_progress.report().stopped


def test_a_stopped_check_says_whether_it_was_replaying():
    rest = ": this report is partial. Not judged completely: pig."
    assert (
        report_stopped_after(BEGUN, WorkProgress(16, 24), Replayed(7))
        == f"Stopped while the reference was replaying sessions of pig{rest}"
    )
    assert (
        report_stopped_after(BEGUN, WorkProgress(16, 24), Replayed(7), WorkProgress(17, 24))
        == f"Stopped while running the sessions of pig, at session 17{rest}"
    )


def test_the_progress_line_says_that_sessions_are_replayed(monkeypatch):
    monkeypatch.setattr("pitboss.reports.progress_bar._MIN_INTERVAL_S", 0)
    screen = io.StringIO()
    with ProgressLine(
        Console(file=screen, force_terminal=True, width=80, color_system=None), "reading"
    ) as progress_line:
        for event in (BEGUN, WorkProgress(16, 24), Replayed(7), WorkProgress(17, 24)):
            progress_line.show_event(event)
    screen_lines = [line.strip() for line in screen.getvalue().replace("\x1b[2K", "\n").split("\n")]
    stage_lines = [line for line in screen_lines if line.startswith("pig: ")]
    assert list(dict.fromkeys(stage_lines)) == [
        "pig: sessions …",
        "pig: sessions … 16",
        "pig: sessions, replayed … 7",
        "pig: sessions … 17",
    ]
