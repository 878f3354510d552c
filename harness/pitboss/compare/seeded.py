"""Judges a stage whose programs draw nothing, or from a seed: the expected run is known before a session runs.

A diagnosis also needs sessions whose typed lines respond to what the program itself shows. A seeded stage is judged
with the lines typed to the correct program. Once a submission differs from that program, these lines may answer
questions that the submission does not ask. Only a player that responds to the submission can reveal how it continues
after that difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

from pitboss.assignments.assignment import Recorded, Stage
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_of
from pitboss.compare.comparison import first_difference, has_left_expected_path
from pitboss.compare.outcome import (
    JudgedSession,
    Outcome,
    fault_result,
    judged_result,
    judged_session_of,
    observed_session,
    skipped_result,
    trimmed,
)
from pitboss.compare.results import FAILED, Failed, Result
from pitboss.compare.submission_texts import accepted_differences, texts_in
from pitboss.errors import HarnessError, SessionError
from pitboss.machine import progress
from pitboss.machine.pool import Pool
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Paused, Transcript
from pitboss.sessions.attempts import Part, attempts, shared_sessions
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.references import ExpectedRun, expectation_of, expected_run_of


def judged_on_live_input(job: Job, program: Program, sessions: Sequence[Session]) -> list[JudgedSession]:
    """Run generated sessions of one stage, with players that respond to the program's own screens.

    Returns the judged sessions, without sessions that could not be run or judged because of a fault.
    """
    if not sessions:
        return []
    expected_run = expected_run_of(sessions[0].stage, job.conditions.driver_of)

    def script(number: int) -> Script:
        session = sessions[number]
        return Script(
            input_of(session),
            free=session.case.policy.free,
            environment_seed=session.environment_seed,
            invocation=session.case.invocation,
        )

    judged_sessions: dict[int, JudgedSession] = {}
    for number, attempt in attempts(range(len(sessions)), job, program, sessions[0].stage.limits, script):
        judged = None if attempt.failure else _judged_session(sessions[number], attempt.transcript, expected_run)
        if judged is not None:
            judged_sessions[number] = judged
    return [judged_sessions[number] for number in sorted(judged_sessions)]


def _judged_session(session: Session, actual: Transcript, expected_run: ExpectedRun) -> JudgedSession | None:
    """Returns the session, compared with the correct program after the same typed lines; None if that program fails."""
    case = session.case
    try:
        expected = expected_run(script_of_lines(actual.lines), invocation=case.invocation)
    except HarnessError:
        return None
    is_accepted = first_difference(expected, actual, case.policy) is None and expected.ending.admits(actual.ending)
    return JudgedSession(
        actual,
        case.policy,
        is_accepted,
        expected=expected.events,
        invocation=case.invocation,
        is_live_input=True,
        environment_seed=session.environment_seed,
    )


def judge_seeded(job: Job, stage: Stage, program: Program, sessions: Sequence[Session], pool: Pool) -> Outcome:
    """Run and judge sessions of a stage without a reader: see `outcome.StageJudge`."""
    results = run_all(pool, job, program, sessions)
    policies = [session.case.policy for session in sessions]
    observed_sessions = list(map(observed_session, sessions, results))
    texts = texts_in(filter(None, observed_sessions))
    if any(policy.free for policy in policies):
        # Needed even if `texts` is empty: a session judged alone may have mistaken for a free text a line that the
        # reference shows in another session.
        policies = [policy.with_accepted_texts(texts) for policy in policies]
        results = [
            # Judged again, now that the submission's free texts are known.
            judged_result(session, result.expected, result.actual, job.called, policy)
            if policy.free and observed is not None
            else result
            for session, result, policy, observed in zip(sessions, results, policies, observed_sessions, strict=True)
        ]
    results = list(map(trimmed, results))
    judged_sessions = (
        judged_session_of(session, result, policy=policy)
        for session, result, policy in zip(sessions, results, policies, strict=True)
    )
    accepted = (
        observed
        for observed, result in zip(observed_sessions, results, strict=True)
        if observed is not None and result.is_accepted
    )
    return Outcome(
        tuple(results),
        tuple(filter(None, judged_sessions)),
        accepted_differences=accepted_differences(accepted, texts),
    )


def run_all(pool: Pool, job: Job, program: Program, sessions: Sequence[Session]) -> list[Result]:
    """Run and judge sessions of one stage on the workers of a pool; return the results in the order of the sessions."""
    order = running_order(job, sessions)
    ordered_sessions = [sessions[number] for number in order]

    def fault_of(number: int, detail: str) -> Result:
        return fault_result(ordered_sessions[number], detail, job)

    results = shared_sessions(
        pool, run_numbered_sessions, job, program, ordered_sessions, count=len(ordered_sessions), fault_of=fault_of
    )
    by_number = {order[number]: result for number, result in results.items()}
    return [by_number.get(number) or skipped_result(session) for number, session in enumerate(sessions)]


def running_order(job: Job, sessions: Sequence[Session]) -> list[int]:
    """Returns the indexes of sessions in the order in which they are run.

    In real time, sessions with short pauses come first, so that most results arrive early; sessions with unknown
    pauses come last. Otherwise sessions keep their order.
    """
    numbers = range(len(sessions))
    if job.conditions.skips_pauses:
        return list(numbers)
    return sorted(numbers, key=lambda number: _pauses_s(sessions[number]))


def known_pauses_s(sessions: Iterable[Session]) -> float:
    """Returns how long sessions pause in total, in seconds, as far as that is known before they are run."""
    return sum(seconds for session in sessions if (seconds := _pauses_s(session)) != math.inf)


def _pauses_s(session: Session) -> float:
    """Returns how long a session pauses, in seconds; infinite if unknown.

    If the reference is a command, the pauses are not computed: running the command would take as long as the session.
    """
    stage, case_session = session.stage, session.case.session
    if isinstance(case_session, Recorded):
        events = case_session.events
    elif stage.reference.command or stage.reader:
        return math.inf
    else:
        try:
            events = _expectation(session, expected_run_here(stage)).events
        except HarnessError:  # reported when the session is run
            return math.inf
    return sum(event.duration_ms for event in events if isinstance(event, Paused)) / 1000


def run_numbered_sessions(
    numbers: Iterable[int], job: Job, program: Program, sessions: Sequence[Session]
) -> Part[Result]:
    """Run and judge the sessions with these numbers in this process; return the results by number."""
    expected: dict[int, Transcript] = {}
    expected_run = expected_run_of(sessions[0].stage, job.conditions.driver_of)

    def script(number: int) -> Script:
        expected[number] = _expectation(sessions[number], expected_run)
        transcript, case = expected[number], sessions[number].case
        return Script(
            script_of_lines(transcript.lines),
            transcript.events,
            free=case.policy.free,
            environment_seed=sessions[number].environment_seed,
            invocation=case.invocation,
            has_left_expected_path=partial(has_left_expected_path, transcript.events, policy=case.policy),
        )

    part, is_failure_reported = Part[Result]({}, {}), False
    for number, attempt in attempts(numbers, job, program, sessions[0].stage.limits, script):
        if attempt.failure:
            part.results[number] = fault_result(sessions[number], attempt.failure, job)
        else:
            result = judged_result(sessions[number], expected.pop(number), attempt.transcript, job.called)
            part.results[number] = result
            # With free texts, the session may be accepted once the submission's texts are known.
            if (
                result.verdict in FAILED
                and not is_failure_reported
                and not any(session.case.policy.free for session in sessions)
            ):
                is_failure_reported = True
                progress.notify(Failed(result))
        if attempt.endless_weight:
            part.endless_weights[number] = attempt.endless_weight
    return part


#: The expected transcripts, cached so that each process runs the reference once for all submissions that it checks.
#: Errors are cached too, unless the machine caused them and not the assignment.
_expectations: dict[tuple[object, ...], Transcript | HarnessError] = {}
#: The maximum size of the cache: more sessions than any assignment has. Generated further sessions may exceed this
#: size, but each of these sessions is run only once.
_MAX_EXPECTATIONS = 10_000


def _expectation(session: Session, expected_run: ExpectedRun) -> Transcript:
    """Returns the expected transcript of a session, from the cache if possible; raises a cached error again."""
    case = session.case
    if isinstance(case.session, Recorded) and not case.invocation.needs_reference:
        return expectation_of(session, expected_run)
    session_input = case.session.events if isinstance(case.session, Recorded) else case.session.answers
    key = (session.stage.reference, case.place, session.seed, session_input, case.exit_code, case.invocation)
    if key not in _expectations:
        if len(_expectations) >= _MAX_EXPECTATIONS:
            _expectations.clear()
        try:
            _expectations[key] = expectation_of(session, expected_run)
        except SessionError:
            raise
        except HarnessError as error:
            _expectations[key] = error
    cached = _expectations[key]
    if isinstance(cached, HarnessError):
        raise cached
    return cached
