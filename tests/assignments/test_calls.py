"""A call of an assignment's own code is broken off where it comes to no end, and leaves nothing; signals pass through."""

import os
import re
import signal
import time

import pytest

from pitboss.assignments import authored
from pitboss.assignments.authored import CircuitBreaker, call
from pitboss.compare.verdicts import Verdict
from pitboss.errors import AssignmentError, HarnessError
from tests.authors import (
    DICE,
    DICE_OWN,
    DICE_PROGRAM,
    MAIN,
    NOT_HELD,
    ONLY_OTHER,
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
    # It is broken off only where a signal comes between its two loops, which takes some thousand of them.
    [pytest.param(name, marks=[pytest.mark.rotates("faults")] * (name == "loops within loops")) for name in ENDLESS],
)
def test_a_player_that_comes_to_no_end_is_broken_off(greet, hurried, name):
    own = f"{MAIN}def player(shown, typed):\n    {ENDLESS[name]}\n"
    report = greet.checked(own)
    assert verdicts(report) == ONLY_OTHER
    (fault,) = report.faults
    place = re.escape(f"{NOT_HELD}{greet.own}")
    output = "did not come to an end within 10 s of computing or 60 s of waiting"
    assert re.fullmatch(rf"{place}:\d+: player 'other' {output}", fault)


def test_a_player_that_waits_for_ever_is_broken_off(greet, hurried, monkeypatch):
    monkeypatch.setattr(authored, "MAX_S", 0.2)
    own = f"import time\n{MAIN}def player(shown, typed):\n    time.sleep(1000)\n"
    assert verdicts(greet.checked(own)) == ONLY_OTHER


def test_a_time_in_which_pitboss_was_stopped_is_no_waiting(monkeypatch):
    """Ctrl-Z in a check, and fg an hour later."""
    monotonic, on_tick = time.monotonic, authored._on_tick
    stopped_s, ticks = [0.0], []
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + stopped_s[0])
    monkeypatch.setattr(authored, "_on_tick", lambda *said: (ticks.append(1), on_tick(*said)))

    def stopped_for_an_hour():
        stopped_s[0] = 3600.0
        while not ticks:
            pass
        return "done"

    assert authored.call("a player", stopped_for_an_hour) == "done"


def test_after_three_that_come_to_no_end_the_rest_is_not_run(dice, hurried):
    """Each costs all the time that it may take."""
    own = DICE_OWN.replace('    return "y"', "    while True: pass")
    report = dice.checked(own)
    assert [verdict for _, verdict in verdicts(report)] == [Verdict.JUDGE_ERROR] * 3 + [Verdict.SKIPPED] * 3


def test_a_reader_that_comes_to_no_end_is_called_three_times(dice, hurried):
    own = DICE_OWN.replace("    shown = ", "    while True: pass\n    shown = ")
    report = dice.checked(own)
    assert [verdict for _, verdict in verdicts(report)] == [Verdict.JUDGE_ERROR] * 6
    place = (
        f"{NOT_HELD}{dice.own}:15: reader 'own:read' did not come to an end within 10 s of computing or 60 s of waiting"
    )
    assert report.faults == (place, f"{place}; it is not called again after 3 times")


def test_a_rule_that_comes_to_no_end_is_a_fault(dice, hurried):
    rules = DICE.replace('a two: "a 2"', 'a two: "(\\\\w|\\\\w\\\\w)+!"')
    own = DICE_OWN.replace('f"a {draw()}\\n"', 'f"a {draw()}\\n" + "x" * 90 + "\\n"')
    program = DICE_PROGRAM.replace('choice("12"))', 'choice("12"))\nprint("x" * 90)')
    report = dice.checked(own, assignment=rules, program=program)
    place = f"{NOT_HELD}{dice.specs}/assignment.yaml: stage 'dice': the pattern of rule 'a two' did not come to an end"
    assert report.faults[0] == f"{place} within 10 s of computing or 60 s of waiting"


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
    with pytest.raises(AssignmentError, match=r"^\S*test_calls.py:\d+: in it did not come to an end within "):
        call("it", lambda: call("in it", lambda: [0 for _ in iter(int, 1)]))
    with pytest.raises(AssignmentError, match=r"^\S*test_calls.py:\d+: it did not come to an end within "):
        call("it", lambda: [call("in it", int) for _ in iter(int, 1)])


def test_patience_is_for_what_comes_to_no_end():
    patience = CircuitBreaker()

    def fails(*, is_endless):
        raise AssignmentError("it failed", is_endless=is_endless)

    for _ in range(9):
        with pytest.raises(AssignmentError, match=r"^it failed$"):
            patience.call(lambda: fails(is_endless=False))
    for _ in range(3):
        with pytest.raises(AssignmentError, match=r"^it failed$"):
            patience.call(lambda: fails(is_endless=True))
    with pytest.raises(HarnessError, match=r"^it failed; it is not called again after 3 times$"):
        patience.call(lambda: 1)
