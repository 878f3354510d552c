"""Calls of an assignment's own code: endless calls are interrupted and leave nothing behind; signals pass through."""

import os
import re
import signal
import time

import pytest

from pitboss.assignments import authored
from pitboss.assignments.authored import CircuitBreaker, call
from pitboss.compare.results import Verdict
from pitboss.errors import AssignmentError, HarnessError
from tests.authors import (
    DICE,
    DICE_OWN,
    DICE_PROGRAM,
    MAIN,
    ONLY_OTHER_FAILED,
    SESSION_FAULT,
    verdicts,
)

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


@pytest.mark.parametrize(
    "name",
    [
        # A signal ends both of these loops only if it arrives between them, so thousands of signals are needed.
        pytest.param(name, marks=pytest.mark.rotates("faults") if name == "loops within loops" else ())
        for name in ENDLESS
    ],
)
def test_an_endless_player_is_interrupted(greet, hurried, name):
    own_code = f"{MAIN}def player(shown, typed):\n    {ENDLESS[name]}\n"
    report = greet.check_with(own_code)
    assert verdicts(report) == ONLY_OTHER_FAILED
    (fault,) = report.faults
    prefix = re.escape(f"{SESSION_FAULT}{greet.own_code_file}")
    sentence = "did not come to an end within 10 s of computing or 60 s of waiting"
    assert re.fullmatch(rf"{prefix}:\d+: player 'other' {sentence}", fault)


def test_a_player_that_sleeps_too_long_is_interrupted(greet, hurried, monkeypatch):
    monkeypatch.setattr(authored, "MAX_S", 0.2)
    own_code = f"import time\n{MAIN}def player(shown, typed):\n    time.sleep(1000)\n"
    assert verdicts(greet.check_with(own_code)) == ONLY_OTHER_FAILED


def test_time_while_pitboss_is_suspended_is_not_waiting_time(monkeypatch):
    """As if somebody pressed Ctrl-Z during a check, and resumed it with fg an hour later."""
    monotonic, on_tick = time.monotonic, authored._on_tick
    stopped_s, tick_count = 0.0, 0

    def on_counted_tick(*arguments):
        nonlocal tick_count
        tick_count += 1
        on_tick(*arguments)

    def wait_as_if_stopped_for_an_hour():
        nonlocal stopped_s
        stopped_s = 3600.0
        while not tick_count:
            pass
        return "done"

    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + stopped_s)
    monkeypatch.setattr(authored, "_on_tick", on_counted_tick)

    assert authored.call("a player", wait_as_if_stopped_for_an_hour) == "done"


def test_after_three_endless_players_the_other_sessions_are_skipped(dice, hurried):
    """Each endless call uses up its whole time limit."""
    own_code = DICE_OWN.replace('    return "y"', "    while True: pass")
    report = dice.check_with(own_code)
    assert [verdict for _, verdict in verdicts(report)] == [Verdict.JUDGE_ERROR] * 3 + [Verdict.SKIPPED] * 3


def test_an_endless_reader_is_called_only_three_times(dice, hurried):
    own_code = DICE_OWN.replace("    shown = ", "    while True: pass\n    shown = ")
    report = dice.check_with(own_code)
    assert [verdict for _, verdict in verdicts(report)] == [Verdict.JUDGE_ERROR] * 6
    fault = f"{SESSION_FAULT}{dice.own_code_file}:15: reader 'own:read' did not come to an end within 10 s of computing or 60 s of waiting"
    assert report.faults == (fault, f"{fault}; after 3 such calls it is not called again")


def test_an_endless_pattern_of_a_rule_is_a_fault(dice, hurried):
    rules = DICE.replace('a two: "a 2"', 'a two: "(\\\\w|\\\\w\\\\w)+!"')
    own_code = DICE_OWN.replace('f"a {draw()}\\n"', 'f"a {draw()}\\n" + "x" * 90 + "\\n"')
    program = DICE_PROGRAM.replace('choice("12"))', 'choice("12"))\nprint("x" * 90)')
    report = dice.check_with(own_code, assignment=rules, program=program)
    sentence = (
        f"{SESSION_FAULT}{dice.specs}/assignment.yaml: stage 'dice': the pattern of rule 'a two' did not come to an end"
    )
    assert report.faults[0] == f"{sentence} within 10 s of computing or 60 s of waiting"


def test_output_of_assignment_code_goes_to_stderr(capsys):
    call("a player", print, "for debugging")
    assert capsys.readouterr() == ("", "for debugging\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_passes_through_code_that_catches_everything(number):
    """But a KeyboardInterrupt that the code itself raises is an error of the code."""

    def kill_and_catch():
        try:
            os.kill(os.getpid(), number)
        except BaseException:
            pass
        return "caught"

    def raise_keyboard_interrupt():
        raise KeyboardInterrupt("by the code")

    def stop(*_):
        raise KeyboardInterrupt("by the handler")

    before = signal.signal(number, stop)
    try:
        with pytest.raises(KeyboardInterrupt, match=r"^by the handler$"):
            call("a player", kill_and_catch)
        with pytest.raises(KeyboardInterrupt, match=r"^by the handler$"):
            call("outer code", lambda: call("inner code", kill_and_catch))
        with pytest.raises(KeyboardInterrupt, match=r"^by the handler$"):
            call("a player", os.kill, os.getpid(), number)
        assert signal.getsignal(number) is stop
        with pytest.raises(AssignmentError, match=r": a player failed: KeyboardInterrupt: by the code$"):
            call("a player", raise_keyboard_interrupt)
    finally:
        signal.signal(number, before)


def loop_forever():
    # iter(int, 1) never ends: int() is 0 each time.
    for _ in iter(int, 1):
        pass


def test_an_interrupted_call_leaves_no_handler_timer_or_deadline(hurried):
    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)
    with pytest.raises(AssignmentError):
        call("outer code", lambda: call("inner code", loop_forever))
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert authored._deadlines == []


def test_the_endless_one_of_two_nested_calls_is_named(hurried):
    with pytest.raises(AssignmentError, match=r"^\S*test_calls.py:\d+: inner code did not come to an end within "):
        call("outer code", lambda: call("inner code", loop_forever))
    with pytest.raises(AssignmentError, match=r"^\S*test_calls.py:\d+: outer code did not come to an end within "):
        call("outer code", lambda: [call("inner code", int) for _ in iter(int, 1)])


def test_the_circuit_breaker_counts_only_endless_calls():
    breaker = CircuitBreaker()

    def fail(*, is_endless):
        raise AssignmentError("it failed", is_endless=is_endless)

    for _ in range(9):
        with pytest.raises(AssignmentError, match=r"^it failed$"):
            breaker.call(lambda: fail(is_endless=False))
    for _ in range(3):
        with pytest.raises(AssignmentError, match=r"^it failed$"):
            breaker.call(lambda: fail(is_endless=True))
    with pytest.raises(HarnessError, match=r"^it failed; after 3 such calls it is not called again$"):
        breaker.call(pytest.fail, "called again")
