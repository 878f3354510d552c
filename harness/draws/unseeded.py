"""Judging a stage whose programs draw at random: the draws of each session are read back and replayed.

Sessions are run until every rule of the stage has come up, or until there are as many as the stage allows. One
reference is used for all sessions of a submission: the stage's own or a tolerated one, whichever explains most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice

import msgspec

from harness.assignments.assignment import Generated, Stage
from harness.assignments.authored import Patience
from harness.assignments.cases import Session
from harness.assignments.players import input_script_of
from harness.draws.choice import Choice, DrawnSession
from harness.draws.randomness import about_never_drawn, begins_alike, is_no_chance, never_drawn, twice_in_a_bag
from harness.draws.reader import Reader, Reading, reader_of, rules_met
from harness.draws.replay import Replay
from harness.errors import HarnessError, as_found
from harness.judging.judgement import judged
from harness.judging.outcome import Outcome, fault, not_run, witness_of
from harness.judging.results import Result, worst
from harness.judging.verdicts import Verdict
from harness.machine.pool import Pool
from harness.running.attempts import Attempt, Part, attempts, counted
from harness.running.job import Job
from harness.running.programs import Program
from harness.transcripts.scripts import Script

#: How many further sessions are run at a time if not every rule came up in those of the cases.
_BATCH = 40


def judge_unseeded(job: Job, stage: Stage, program: Program, sessions: Sequence[Session], pool: Pool) -> Outcome:
    """Run and judge sessions of a stage with a reader, and further ones until its rules have come up.

    See `outcome.StageJudge`.
    """
    judge = Judge(job, stage)
    drawn = run_and_read(job, program, sessions, pool, judge.read)
    outcome = judge.outcome(drawn)
    while outcome.verdict is Verdict.ACCEPTED and not job.only and len(drawn) < stage.most_sessions:
        if not (_has_unmet(outcome) or judge.is_undecided(drawn)):
            break
        number = min(_BATCH, stage.most_sessions - len(drawn))
        more = list(_more(stage, [one.session for one in drawn], number))
        if not more:
            break
        drawn += run_and_read(job, program, more, pool, judge.read)
        outcome = judge.outcome(drawn)
    return outcome


def _has_unmet(outcome: Outcome) -> bool:
    return any(not met for _, met in outcome.rules)


def run_and_read(
    job: Job, program: Program, sessions: Sequence[Session], pool: Pool, read: Reader
) -> list[DrawnSession]:
    """Run sessions with free draws on the workers of a pool, and read their draws."""
    tried = run_all_freely(pool, job, program, sessions)
    return [_read(session, attempt, read) for session, attempt in zip(sessions, tried, strict=True)]


def run_all_freely(pool: Pool, job: Job, program: Program, sessions: Sequence[Session]) -> list[Attempt | None]:
    """Run sessions with free draws on the workers of a pool; None for those that were not run."""
    made = counted(pool.share(run_freely, job, program, sessions, count=len(sessions)))
    return [made.get(number) for number in range(len(sessions))]


def run_freely(numbers: Iterable[int], job: Job, program: Program, sessions: Sequence[Session]) -> Part[Attempt]:
    """Run the sessions with these numbers in this process; return the attempts by number."""

    def script(number: int) -> Script:
        case = sessions[number].case
        assert isinstance(case.session, Generated)
        return Script(input_script_of(case.session, None, case.place), invocation=case.invocation)

    made = dict(attempts(numbers, job, program, sessions[0].stage.limits, script))
    return Part(made, {number for number, attempt in made.items() if attempt.is_endless})


def _read(session: Session, attempt: Attempt | None, read: Reader) -> DrawnSession:
    if attempt is None:
        return DrawnSession(session, None)
    if attempt.failure:
        return DrawnSession(session, attempt.transcript, failure=attempt.failure)
    try:
        return DrawnSession(session, attempt.transcript, read(attempt.transcript.events))
    except HarnessError as error:
        return DrawnSession(session, attempt.transcript, failure=str(error))


def _more(stage: Stage, before: Sequence[Session], number: int) -> Iterable[Session]:
    """Further sessions of the generated cases, in turn, with new numbers."""
    cases = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    counts = {case.name: sum(session.case.name == case.name for session in before) for case in cases}
    for case in islice(cycle(cases), number):
        counts[case.name] += 1
        yield Session(stage, case, None, counts[case.name])


class Judge:
    """Judges the sessions of one submission of one stage."""

    def __init__(self, job: Job, stage: Stage) -> None:
        """Judge by this stage's references, under the conditions of a job."""
        self._job, self._stage = job, stage
        read, self._patience = reader_of(stage), Patience()
        self.read: Reader = lambda events: self._patience.call(read, events)
        self._choice = Choice(stage, job.conditions)
        #: By the name of the reference, so that nothing is judged twice.
        self._results: dict[str, list[Result]] = {}
        self._met: dict[str, list[dict[str, int]]] = {}

    def readings(self, drawn: Sequence[DrawnSession]) -> list[tuple[str | None, ...]]:
        """The draws of each session that can be replayed."""
        return [one.reading.draws for one in drawn if one.can_be_replayed]

    def is_undecided(self, drawn: Sequence[DrawnSession]) -> bool:
        """Whether some value was never drawn so far, and that may still be chance."""
        readings, source = self.readings(drawn), self._stage.draws
        return bool(never_drawn(source, readings)) and not is_no_chance(source, readings)

    def outcome(self, drawn: Sequence[DrawnSession]) -> Outcome:
        """The outcome of all sessions so far."""
        chosen, results, met = self._judged(drawn)
        findings = self._findings(drawn)
        if worst(result.verdict for result in results) is Verdict.ACCEPTED:
            findings += self._never_met(len(drawn), met)
        witnesses = (
            witness_of(one.session, result, actual=one.transcript, draws=one.reading.draws)
            for one, result in zip(drawn, results, strict=True)
        )
        return Outcome(
            tuple(results),
            tuple(witness for witness in witnesses if witness is not None),
            tuple(findings),
            judged_as=chosen,
            rules=tuple(met.items()),
        )

    def _judged(self, drawn: Sequence[DrawnSession]) -> tuple[str, list[Result], dict[str, int]]:
        """The name of the chosen reference, the results by it, and how often each rule came up in them."""
        chosen, replays = self._choice.made(drawn)
        results, counts = self._results.setdefault(chosen, []), self._met.setdefault(chosen, [])
        for index, (one, replayed) in list(enumerate(zip(drawn, replays, strict=True)))[len(results) :]:
            is_explained = replayed is not None and replayed.explains
            failure = "" if is_explained else self._choice.failure_of(index)
            result, count = self._met_rules(one, self._result(one, replayed, failure))
            results.append(result)
            counts.append(count)
        return chosen, results, {rule.name: sum(one.get(rule.name, 0) for one in counts) for rule in self._stage.rules}

    def _never_met(self, count: int, met: Mapping[str, int]) -> list[str]:
        """A sentence on each required rule that never came up, once the stage's most sessions were run."""
        if count < self._stage.most_sessions:
            return []
        return [
            f"{name!r} never came up in {count} sessions, and the stage is about it: does the program have it?"
            for name in self._stage.required
            if not met[name]
        ]

    def _findings(self, drawn: Sequence[DrawnSession]) -> list[str]:
        findings = []
        readings = self.readings(drawn)
        if begins_alike(self._stage.draws, readings):
            findings.append(
                f"Every session draws the same, beginning with {', '.join(map(str, readings[0][:4]))}: "
                "each run must draw anew."
            )
        elif never := about_never_drawn(self._stage.draws, readings):
            findings.append(never)
        return findings

    def _result(self, one: DrawnSession, replayed: Replay | None, failure: str) -> Result:
        if one.transcript is None:
            return not_run(one.session)
        if replayed is None or failure:
            return fault(one.session, one.failure or failure, self._job)
        result = judged(one.session, replayed.expected, one.transcript, self._job.called)
        return self._explained(result, one.reading, replayed)

    def _met_rules(self, one: DrawnSession, result: Result) -> tuple[Result, dict[str, int]]:
        """A result, and how often each rule came up in it if it is accepted."""
        if result.verdict is not Verdict.ACCEPTED:
            return result, {}
        try:
            return result, self._patience.call(rules_met, self._stage, result.expected.events)
        except HarnessError as error:
            return fault(one.session, str(error), self._job), {}

    def _explained(self, result: Result, reading: Reading, replayed: Replay) -> Result:
        """The result with what the reading adds to it."""
        problem = reading.problem
        if problem is not None and result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
            difference = result.difference
            if difference is None or difference.place or difference.line >= problem.line:
                summary = (
                    f"What was drawn cannot be read from line {problem.line}: it is {as_found(problem.found)}, "
                    f"and should look like {problem.form!r}."
                )
                return msgspec.structs.replace(result, verdict=Verdict.WRONG_ANSWER, summary=summary)
        twice = twice_in_a_bag(self._stage.draws, reading.draws) if self._stage.draws.bag else ""
        if twice and result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
            return msgspec.structs.replace(result, verdict=Verdict.WRONG_ANSWER, summary=twice)
        if replayed.ran_out and result.verdict is Verdict.WRONG_ANSWER:
            return msgspec.structs.replace(
                result, summary=f"{result.summary} What should be drawn here is not known; any would do."
            )
        return result
