"""Sessions whose lines are chosen from what the program itself shows, beside the right program with the same lines."""

from pathlib import Path

import msgspec
import pytest

from pitboss.assignments.assignment import Generated
from pitboss.assignments.cases import sessions_of
from pitboss.compare import live_input
from pitboss.compare.live_input import judged_on_live_input
from pitboss.errors import SessionError, SpecError
from pitboss.model.comparison_policy import FreeText
from pitboss.model.invocation import Invocation
from pitboss.model.scripts import Script
from pitboss.model.transcript import EndingKind
from pitboss.sandbox import scratch
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from tests.conftest import TOY

TELLER = (TOY / "teller").read_text()
#: It asks for the amount first, so that lines meant for the right program would answer other questions.
ASKS_OTHERWISE = TELLER.replace(
    '            command = input("Deposit',
    '            amount = int(input("Amount: "))\n            command = input("Deposit',
).replace('        amount = int(input("Amount: "))\n        if', "        if")
FORGETS = TELLER.replace("balance -= amount", "pass")


@pytest.fixture
def sessions(toy):
    return [one for one in sessions_of(toy.stages[0]) if isinstance(one.case.session, Generated)]


def watched(toy, text, sessions):
    job = Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller")
    with scratch.folder("playing") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "teller.py"
        path.write_text(text)
        path.chmod(0o644)
        return judged_on_live_input(job, Program(("/usr/bin/python3", str(path)), Path(folder)), sessions)


def test_a_right_program_is_accepted_with_the_lines_of_its_player(toy, sessions):
    (one, *others) = watched(toy, TELLER, sessions)
    assert len(others) == len(sessions) - 1
    assert one.actual.lines == (b"100", b"d", b"10", b"d", b"20", b"w", b"500", b"w", b"30", b"c")
    assert (one.is_accepted, one.is_in_step) == (True, True)
    assert one.expected == one.actual.events
    assert (one.policy, one.invocation) == (sessions[0].case.policy, sessions[0].case.invocation)
    assert (one.draws, one.reach) == (None, None)


def test_the_player_answers_the_programs_own_questions_and_the_right_one_gets_the_same_lines(toy, sessions):
    assert ASKS_OTHERWISE.count("Amount") == 1
    (one, *_) = watched(toy, ASKS_OTHERWISE, sessions[:1])
    assert one.actual.lines[:5] == (b"100", b"10", b"d", b"20", b"d")
    assert not one.is_accepted and one.is_in_step
    typed = [event.line for event in one.expected if hasattr(event, "line")]
    assert typed == list(one.actual.lines[: len(typed)]) and len(typed) >= 2


def test_a_program_that_shows_something_else_is_not_accepted(toy, sessions):
    (one,) = watched(toy, FORGETS, sessions[:1])
    assert not one.is_accepted
    assert one.expected != one.actual.events


def test_a_program_that_ends_otherwise_is_not_accepted_although_it_shows_the_same(toy, sessions):
    (one,) = watched(toy, f"{TELLER}\nraise SystemExit(3)\n", sessions[:1])
    assert (one.actual.ending.kind, one.actual.ending.exit_code) == (EndingKind.EXITED, 3)
    assert one.expected == one.actual.events
    assert not one.is_accepted


def test_without_sessions_nothing_is_run(toy, tmp_path):
    job = Job(toy, toy.stages, None, "teller")
    assert judged_on_live_input(job, Program(("/none",), tmp_path), []) == []


def test_sessions_that_fail_on_our_side_are_left_out_and_the_others_stay_in_their_order(toy, sessions, monkeypatch):
    real, count = live_input.input_script_of, iter(range(9))

    def fails_once(*arguments):
        if next(count) == 1:
            raise SpecError("the player cannot be read")
        return real(*arguments)

    every = [msgspec.structs.replace(sessions[0], number=number) for number in (1, 2, 3)]
    monkeypatch.setattr(live_input, "input_script_of", fails_once)
    assert len(watched(toy, TELLER, every)) == 2


def test_a_session_with_whose_lines_the_right_program_fails_is_left_out(toy, sessions, monkeypatch):
    def fails(*_, **__):
        raise SessionError("it does not end")

    monkeypatch.setattr(live_input, "expected_run_of", lambda *_: fails)
    assert watched(toy, TELLER, sessions[:1]) == []


def test_the_witnesses_are_in_the_order_of_their_sessions(toy, sessions, monkeypatch):
    """Sessions may end in another order."""
    real = live_input.attempts
    monkeypatch.setattr(live_input, "attempts", lambda *arguments: reversed(list(real(*arguments))))
    cases = [
        msgspec.structs.replace(
            sessions[0].case, policy=msgspec.structs.replace(sessions[0].case.policy, pauses=pauses)
        )
        for pauses in ("exact", "ignored")
    ]
    every = [msgspec.structs.replace(sessions[0], case=case) for case in cases]
    found = watched(toy, TELLER, every)
    assert [one.policy for one in found] == [one.policy for one in cases]


def test_a_session_has_the_world_the_free_texts_and_the_invocation_of_its_case(toy, sessions, monkeypatch):
    made = []
    monkeypatch.setattr(live_input, "Script", lambda *given, **named: made.append(named) or Script(*given, **named))
    free = (FreeText("a greeting", "Hello", "line"),)
    invocation = Invocation(arguments=("7",))
    policy = msgspec.structs.replace(sessions[0].case.policy, free=free)
    case = msgspec.structs.replace(sessions[0].case, policy=policy, invocation=invocation)
    every = [msgspec.structs.replace(sessions[0], case=case, number=number) for number in (1, 2)]
    found = watched(toy, TELLER, every)
    assert made == [{"free": free, "environment_seed": one.environment_seed, "invocation": invocation} for one in every]
    assert made[0]["environment_seed"] != made[1]["environment_seed"]
    assert [(one.policy, one.invocation) for one in found] == [(policy, invocation)] * 2
