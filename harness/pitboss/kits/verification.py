"""Finds problems in an assignment's own specs: recorded cases that are out of date, generated cases that do not end.

With a reader, the draws read back from the reference's own sessions must be the draws that the reference made. The
reference must draw each value of its assignment, and no value less often than the assignment says: else a correct
program would be rejected for never drawing the value. Programs of known mistakes must use the draws that they get.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from pitboss.assignments.assignment import Answers, Case, Generated, Recorded, Stage, Then
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.players import input_of
from pitboss.compare.checkers import rejection_of
from pitboss.compare.findings import Oddity
from pitboss.errors import EndlessError, HarnessError, as_found
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.relation import run_in_session
from pitboss.kits.coverage import lines_at_prompts, untyped_sentences
from pitboss.kits.doubts import are_equal_sessions, session_diff
from pitboss.model.equality import equality
from pitboss.model.invocation import Invocation, script_of_lines
from pitboss.model.transcript import Event, ExitCode, InputEnded, Transcript, exited
from pitboss.reports.finding_sentences import sentence_on_draws
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import DRAWS_VARIABLE, ExpectedRun, check_max_lines, checked_run, expectation_of
from pitboss.sessions.session_files import with_contents
from pitboss.unseeded.randomness import (
    MAX_TIMES,
    MIN_EXPECTED,
    expected_count,
    is_undecided,
    never_drawn,
    odd_draws,
)
from pitboss.unseeded.reader import DrawnSession, invented_draws, reader_of
from pitboss.unseeded.replay import GivenDraws, Replay, replay
from pitboss.unseeded.used_up import end_of_bag

#: The environment seed for a repeated session of a reference command, different from the session's own seed.
_REPEAT_ENVIRONMENT_SEED = 1
#: The most frequent cause of wrong draws if the reference is a command.
_DRAWS_HINT = f" — does the reference take its draws from {DRAWS_VARIABLE}, if that is set?"
#: The draws are examined after every batch of this many sessions.
_BATCH = 24
#: Counting how often each value is drawn needs this many times as many draws as detecting a value that is never drawn.
_COUNTING_FACTOR = 8
#: The number of different sequences of draws that are tried to see whether a program uses its draws.
_DRAW_TRIALS = 6


def run_reference_on(
    stage: Stage,
    events: tuple[Event, ...],
    expected_run: ExpectedRun,
    *,
    exit_code: ExitCode | None = None,
    place: str = "",
    invocation: Invocation | None = None,
) -> Transcript:
    """Run the reference on the lines typed in a session and, with a reader, on the draws of the session.

    Raises SpecError if the reference fails; with an `exit_code`, also if it does not end as the case at `place` says.
    """
    lines = script_of_lines(Transcript(events).lines)
    draws = GivenDraws(reader_of(stage)(events).draws, stage.draws) if stage.reader else None
    transcript = expected_run(lines, draws, invocation=invocation)
    return transcript if exit_code is None else checked_run(transcript, exit_code, place)


def expected_and_actual_transcripts(session: Session, expected_run: ExpectedRun) -> tuple[Transcript, Transcript]:
    """The transcript that the spec expects, and the reference's transcript; they are equal if the spec is correct."""
    stage, case = session.stage, session.case
    match case.session:
        case Recorded(events):
            bare_invocation = case.invocation.without_contents
            actual = run_reference_on(
                stage, events, expected_run, exit_code=case.exit_code, place=case.place, invocation=bare_invocation
            )
            equality(case.policy).check_anything_is_judged(actual.events, case.place)
            return Transcript(events, exited(case.exit_code)), actual
        case Generated() if stage.reader:
            actual, bare_invocation = unseeded_transcript(session, expected_run), case.invocation.without_contents
            equality(case.policy).check_anything_is_judged(actual.events, case.place)
            reading = reader_of(stage)(actual.events)
            # In the same seeded environment a command would repeat its draws even if it ignored the given draws.
            repeated_run = expected_run
            if stage.reference.command:
                repeated_run = expected_run_here(stage, environment_seed=_REPEAT_ENVIRONMENT_SEED)

            def replay_of(end: DrawnSession) -> Replay:
                assert end.transcript is not None
                draws, run = end.reading.draws, repeated_run
                return replay(end.transcript, draws, stage, case.policy, run, invocation=bare_invocation)

            drawn = DrawnSession(session, actual, reading)
            whole = replay_of(drawn)
            used_up = end_of_bag(drawn, whole, stage.draws, replay_of)
            if used_up is not None and used_up.session.transcript is not None:
                return used_up.replayed.expected, used_up.session.transcript
            return whole.expected, actual
    # Without a reader, a generated case expects whatever the reference does.
    expected = expectation_of(session, expected_run)
    return expected, expected


def _files_problem(session: Session, expected_run: ExpectedRun, actual: Transcript) -> str:
    """A sentence on a file, or standard error, in which reference and spec differ.

    Empty if they do not differ, or if the stage has a reader.
    """
    case = session.case
    if case.invocation == case.invocation.without_contents or session.stage.reader:
        return ""
    rerun = run_reference_on(session.stage, actual.events, expected_run, invocation=case.invocation.without_contents)
    specified = with_contents(rerun, case.invocation)
    is_wrongly_silent = specified.accepts_any_errors and not (rerun.errors or b"").strip()
    if specified.errors != rerun.errors or is_wrongly_silent:
        return f"{case.place}: the standard error of {case.name!r} is not what the reference writes now"
    expected = {file.name: file for file in specified.written}
    for file in rerun.written:
        if expected[file.name] != file:
            return f"{case.place}: {file.name} of {case.name!r} is not what the reference writes now"
    return ""


def _checker_problem(case: Case, expected: Transcript) -> str:
    """A sentence on a checker that fails or rejects the expected session; empty if the checker accepts the session."""
    if case.policy.checker is None:
        return ""
    try:
        # The checker judges the expected session as if it were a submission's.
        rejection = rejection_of(expected, expected, case.policy.checker)
    except HarnessError as error:
        return _with_location(case.place, str(error))
    if rejection is None:
        return ""
    line = "" if rejection.line is None else f" line {rejection.line} of"
    reason = f": {rejection.sentence}" if rejection.sentence else ""
    return f"{case.place}: the checker rejects{line} what is expected in {case.name!r}{reason}"


def draws_summary(stages: Sequence[Stage]) -> str:
    """The end of a sentence on the cases whose draws are read back without a problem; empty without such cases."""
    stages_with_reader = (stage for stage in stages if stage.reader)
    count = sum(isinstance(case.session, Generated) for stage in stages_with_reader for case in stage.spec.cases)
    cases = "the one case" if count == 1 else f"each of the {count} cases"
    return f"; {cases} was played, and its draws were read back and played again, with the same result" if count else ""


def problems_of(stage: Stage, assignment: str) -> list[str]:
    """The distinct problems of a stage's spec, as sentences with their locations."""
    expected_run, breaker = expected_run_here(stage), CircuitBreaker()
    problems: dict[str, None] = {}  # as an ordered set
    endless_cases: set[str] = set()
    typed: set[tuple[str, str]] = set()
    for session in all_sessions_of(stage):
        case = session.case
        if case.name in endless_cases:
            continue
        try:
            run = seeded_reference_run(session) if stage.reader else expected_run
            expected, actual = breaker.call(expected_and_actual_transcripts, session, run)
        except EndlessError as error:  # skip the case's other sessions: each takes long and most likely fails, too
            endless_cases.add(case.name)
            problems[str(error)] = None
            continue
        except HarnessError as error:
            problems[_with_location(case.place, str(error))] = None
            continue
        typed |= set(lines_at_prompts(actual.events))
        is_same = are_equal_sessions(expected.events, actual.events, case.policy)
        if not is_same or not expected.ending.admits(actual.ending):
            if isinstance(case.session, Recorded):
                command = f"pitboss record {stage.name} --assignment {assignment}"
                problem = f"{case.place}: {case.name!r} no longer matches the reference; refresh it: {command}"
                drift = session_diff(expected.events, actual.events, ("recorded", "the reference now"))
                problems[f"{problem}\n{drift}".rstrip()] = None
            else:
                problem = (
                    f"{case.place}: the draws read back from a session of {case.name!r} are not the draws that it made"
                )
                problems[f"{problem}{_DRAWS_HINT}" if stage.reference.command else problem] = None
        elif problem := _checker_problem(case, expected) or _files_problem(session, expected_run, actual):
            problems[problem] = None
        elif _runs_out_of_answers(session, actual):
            problems[f"{case.place}: the answers of {case.name!r} do not end its session; add some"] = None
    if problems:
        return list(problems)
    try:
        problem = draws_problem(stage) if stage.reader else ""
    except HarnessError as error:
        problem = _with_location(str(stage.spec.path), str(error))
    return [*untyped_sentences(stage, typed), *([problem] if problem else [])]


def _with_location(place: str, sentence: str) -> str:
    """The sentence preceded by the location of its case, unless it already begins with a location."""
    return sentence if re.match(r"\S+:\d+: ", sentence) else f"{place}: {sentence}"


def _runs_out_of_answers(session: Session, transcript: Transcript) -> bool:
    """Whether the input of a generated session ended although its case does not say that it ends after the answers."""
    answers = session.case.session.answers if isinstance(session.case.session, Generated) else None
    return isinstance(answers, Answers) and answers.then is not Then.END and InputEnded() in transcript.events


def seeded_reference_run(session: Session) -> ExpectedRun:
    """How to run the reference in a session.

    A command with a reader gets the session's own environment seed, so that it draws differently in each session.
    """
    stage = session.stage
    return expected_run_here(
        stage, environment_seed=session.environment_seed if stage.reader and stage.reference.command else 0
    )


def unseeded_transcript(session: Session, run: ExpectedRun) -> Transcript:
    """The transcript of a generated session in which the reference makes its own draws.

    Raises SpecError if the reference fails or does not end.
    """
    case = session.case
    transcript = run(input_of(session), invocation=case.invocation.without_contents)
    check_max_lines(session, transcript.events)
    return checked_run(transcript, case.exit_code, case.place)


def draws_problem(stage: Stage) -> str:
    """A sentence on how the draws of a stage's reference are not random; empty without a problem.

    Repeats the sessions of the stage's cases until each value has been drawn, or chance cannot explain a missing value.
    If the reference is a function, runs many more sessions, to count how often each value is drawn. Runs at most as
    many sessions as the longest check, and only a few if even that many would not suffice. Raises HarnessError if the
    reference or the reader fails.
    """
    max_sessions, source, breaker = MAX_TIMES * stage.most_sessions, stage.draws, CircuitBreaker()
    may_count = not stage.reference.command and not source.bag
    readings: list[tuple[str | None, ...]] = []
    for session in _endless_sessions(stage) if source.values else ():
        transcript = breaker.call(unseeded_transcript, session, seeded_reference_run(session))
        readings.append(tuple(breaker.call(reader_of(stage), transcript.events).draws))
        if len(readings) % _BATCH:
            continue
        needed = (_COUNTING_FACTOR if may_count and not never_drawn(source, readings) else 1) * MIN_EXPECTED
        most_expected = expected_count(source, readings) * max_sessions / len(readings)
        is_enough = expected_count(source, readings) >= needed or most_expected < MIN_EXPECTED
        if is_enough and not is_undecided(source, readings, max_sessions / len(readings)):
            break
        if len(readings) >= max_sessions:
            break
    odd = odd_draws(source, readings)
    if odd is None:
        return ""
    hint = "" if source.bag else "; if the values are not equally likely, `rarest` says how likely the rarest value is"
    values_hint = " — only what can be drawn belongs among the `values`" if odd.kind is Oddity.MISSING else ""
    return (
        f"{stage.spec.path}: when the reference makes its own draws: {sentence_on_draws(odd)} "
        f"A correct program would be rejected for that{values_hint}{hint}"
    )


def ignored_draws_sentences(stage: Stage) -> Iterator[str]:
    """Sentences on programs of known mistakes that ignore the draws they are given.

    Such a program behaves the same with all draws, although the reference does not. Raises SpecError if a program
    cannot be built.
    """
    locations = {folder.words.id: folder.words.place for folder in stage.mistake_folders}
    session = next(_endless_sessions(stage), None) if stage.reader and locations else None
    if session is None:
        return
    for mistake in mistakes_of(stage):
        run = mistake.run_of(stage.name)
        if mistake.id in locations and run is not None and _ignores_draws(run, session):
            yield (
                f"{locations[mistake.id]}: mistake {as_found(mistake.id)} behaves the same with all draws — does its "
                f"program take its draws from {DRAWS_VARIABLE}, if that is set?"
            )


def _ignores_draws(run: ExpectedRun, session: Session) -> bool:
    """Whether a program behaves the same with all draws, although the reference does not; false if either fails."""
    reference_run = expected_run_here(session.stage)
    try:
        of_program, of_reference = _behaviours(run, session), _behaviours(reference_run, session)
    except HarnessError:
        return False
    return len(of_program) == 1 and len(of_reference) > 1


def _behaviours(run: ExpectedRun, session: Session) -> set[Transcript]:
    """The different behaviours of a program in a session with several sequences of draws."""
    return {run_in_session(run, session, invented_draws(session.stage.draws, number)) for number in range(_DRAW_TRIALS)}


def _endless_sessions(stage: Stage) -> Iterator[Session]:
    """Sessions of the generated cases in turn, endlessly; none if there is no such case."""
    cases: list[Case] = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    if not cases:
        return
    for number in itertools.count(1):
        yield from (Session(stage, case, None, number) for case in cases)
