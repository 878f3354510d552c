from itertools import count
from pathlib import Path

import msgspec
import pytest

from pitboss.assignments.assignment import Generated
from pitboss.assignments.cases import sessions_of
from pitboss.compare import seeded
from pitboss.compare.seeded import judged_on_live_input
from pitboss.errors import SessionError, SpecError
from pitboss.machine import scratch
from pitboss.model.comparison_policy import FreeText
from pitboss.model.invocation import Invocation, Script
from pitboss.model.transcript import EndingKind
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from tests.conftest import TOY

TELLER = (TOY / "teller").read_text()
#: Asks for the amount before the command, so that lines chosen for the reference would answer the wrong questions.
ASKS_AMOUNT_FIRST = TELLER.replace(
    '            command = input("Deposit',
    '            amount = int(input("Amount: "))\n            command = input("Deposit',
).replace('        amount = int(input("Amount: "))\n        if', "        if")
FORGETS_WITHDRAWALS = TELLER.replace("balance -= amount", "pass")


@pytest.fixture
def generated_sessions(toy):
    """The sessions of the teller stage whose lines a player types."""
    return [session for session in sessions_of(toy.stages[0]) if isinstance(session.case.session, Generated)]


def judge_live(toy, text, generated_sessions):
    """The results of these sessions with a program of this text as the submission for the teller stage."""
    job = Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller")
    with scratch.folder("playing") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "teller.py"
        path.write_text(text)
        path.chmod(0o644)
        return judged_on_live_input(job, Program(("/usr/bin/python3", str(path)), Path(folder)), generated_sessions)


def test_a_correct_program_is_accepted_with_the_lines_of_its_player(toy, generated_sessions):
    (first, *rest) = judge_live(toy, TELLER, generated_sessions)
    assert len(rest) == len(generated_sessions) - 1
    assert first.actual.lines == (b"100", b"d", b"10", b"d", b"20", b"w", b"500", b"w", b"30", b"c")
    assert (first.is_accepted, first.is_live_input) == (True, True)
    assert first.expected == first.actual.events
    assert (first.policy, first.invocation) == (
        generated_sessions[0].case.policy,
        generated_sessions[0].case.invocation,
    )
    assert (first.draws, first.last_relevant_read) == (None, None)


def test_the_player_answers_the_program_and_the_reference_gets_the_same_lines(toy, generated_sessions):
    assert ASKS_AMOUNT_FIRST.count("Amount") == 1
    (result, *_) = judge_live(toy, ASKS_AMOUNT_FIRST, generated_sessions[:1])
    assert result.actual.lines[:5] == (b"100", b"10", b"d", b"20", b"d")
    assert not result.is_accepted and result.is_live_input
    typed = [event.line for event in result.expected if hasattr(event, "line")]
    assert typed == list(result.actual.lines[: len(typed)]) and len(typed) >= 2


def test_a_program_with_other_output_is_not_accepted(toy, generated_sessions):
    (result,) = judge_live(toy, FORGETS_WITHDRAWALS, generated_sessions[:1])
    assert not result.is_accepted
    assert result.expected != result.actual.events


def test_a_program_with_another_exit_code_but_equal_output_is_not_accepted(toy, generated_sessions):
    (result,) = judge_live(toy, f"{TELLER}\nraise SystemExit(3)\n", generated_sessions[:1])
    assert (result.actual.ending.kind, result.actual.ending.exit_code) == (EndingKind.EXITED, 3)
    assert result.expected == result.actual.events
    assert not result.is_accepted


def test_without_sessions_nothing_is_run(toy, tmp_path):
    job = Job(toy, toy.stages, None, "teller")
    assert judged_on_live_input(job, Program(("/none",), tmp_path), []) == []


def test_a_session_whose_player_fails_is_left_out_and_the_rest_judged(toy, generated_sessions, monkeypatch):
    real_input_of, call_numbers = seeded.input_of, count(1)

    def fail_at_second_call(*arguments):
        if next(call_numbers) == 2:
            raise SpecError("the player cannot be read")
        return real_input_of(*arguments)

    numbered_sessions = [msgspec.structs.replace(generated_sessions[0], number=number) for number in (1, 2, 3)]
    monkeypatch.setattr(seeded, "input_of", fail_at_second_call)
    assert len(judge_live(toy, TELLER, numbered_sessions)) == 2


def test_a_session_in_which_the_reference_fails_is_left_out(toy, generated_sessions, monkeypatch):
    def reference_that_fails(*_, **__):
        raise SessionError("it does not end")

    monkeypatch.setattr(seeded, "expected_run_of", lambda *_: reference_that_fails)
    assert judge_live(toy, TELLER, generated_sessions[:1]) == []


def test_results_are_in_the_order_of_their_sessions(toy, generated_sessions, monkeypatch):
    """The sessions may end in another order. The policies show which result is of which session."""
    real_attempts = seeded.attempts
    monkeypatch.setattr(seeded, "attempts", lambda *arguments: reversed(list(real_attempts(*arguments))))
    session = generated_sessions[0]
    policies = [msgspec.structs.replace(session.case.policy, pauses=pauses) for pauses in ("exact", "ignored")]
    cases = [msgspec.structs.replace(session.case, policy=policy) for policy in policies]
    results = judge_live(toy, TELLER, [msgspec.structs.replace(session, case=case) for case in cases])
    assert [result.policy for result in results] == policies


def test_a_session_has_the_environment_free_texts_and_invocation_of_its_case(toy, generated_sessions, monkeypatch):
    script_options = []
    monkeypatch.setattr(
        seeded,
        "Script",
        lambda *positional, **options: script_options.append(options) or Script(*positional, **options),
    )
    free = (FreeText("a greeting", "Hello", "line"),)
    invocation = Invocation(arguments=("7",))
    policy = msgspec.structs.replace(generated_sessions[0].case.policy, free=free)
    case = msgspec.structs.replace(generated_sessions[0].case, policy=policy, invocation=invocation)
    numbered_sessions = [msgspec.structs.replace(generated_sessions[0], case=case, number=number) for number in (1, 2)]
    results = judge_live(toy, TELLER, numbered_sessions)
    assert script_options == [
        {"free": free, "environment_seed": session.environment_seed, "invocation": invocation}
        for session in numbered_sessions
    ]
    assert script_options[0]["environment_seed"] != script_options[1]["environment_seed"]
    assert [(result.policy, result.invocation) for result in results] == [(policy, invocation)] * 2
