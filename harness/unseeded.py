"""Judging a stage whose programs draw as they like: what each session drew is read back and replayed.

Sessions go on until every rule of the stage has been met or there are as many as the stage allows. One reference is
chosen for all sessions of a submission, the stage's own or one it tolerates: the one that explains most of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle, islice

import msgspec

from harness.assignment import Generated, Stage
from harness.authored import Patience
from harness.cases import Session
from harness.choosing import Choice, Held
from harness.diagnosing import Witness, with_diagnosis
from harness.drawing import about_never_drawn, begins_alike, is_no_chance, never_drawn, twice_in_a_bag
from harness.errors import HarnessError, as_found
from harness.holding import Attempt, Job, fault, hold_all_freely, not_held
from harness.judging import judged
from harness.pool import Pool
from harness.programs import Program
from harness.readers import Reader, Reading, reader_of, rules_met
from harness.replaying import Replay
from harness.results import Result, StageReport, worst
from harness.verdicts import Verdict

#: How many sessions are held at a time once those of the cases have not met every rule.
_BATCH = 40


def judge_unseeded(job: Job, stage: Stage, program: Program, sessions: Sequence[Session], pool: Pool) -> StageReport:
    """Hold and judge the sessions of a stage that has a reader, and more of them as its rules ask for."""
    judge = Judge(job, stage)
    held = _held(job, program, sessions, pool, judge.read)
    report = judge.report(held)
    while report.verdict is Verdict.ACCEPTED and not job.only and len(held) < stage.most_sessions:
        if not (_unmet(report) or judge.is_undecided(held)):
            break
        number = min(_BATCH, stage.most_sessions - len(held))
        more = list(_more(stage, [one.session for one in held], number))
        if not more:
            break
        held += _held(job, program, more, pool, judge.read)
        report = judge.report(held)
    if report.verdict is Verdict.WRONG_ANSWER:
        return with_diagnosis(report, stage, list(_witnesses(held, report)))
    return report


def _witnesses(held: Sequence[Held], report: StageReport) -> Iterable[Witness]:
    for one, result in zip(held, report.results, strict=True):
        if one.transcript is not None and result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
            is_accepted = result.verdict is Verdict.ACCEPTED
            yield Witness(one.transcript, one.session.case.policy, is_accepted, one.reading, result.expected.events)


def _unmet(report: StageReport) -> bool:
    return any(not met for _, met in report.rules)


def _held(job: Job, program: Program, sessions: Sequence[Session], pool: Pool, read: Reader) -> list[Held]:
    """Hold sessions, and read what they drew."""
    attempts = hold_all_freely(pool, job, program, sessions)
    return [_read(session, attempt, read) for session, attempt in zip(sessions, attempts, strict=True)]


def _read(session: Session, attempt: Attempt | None, read: Reader) -> Held:
    if attempt is None:
        return Held(session, None)
    if attempt.failure:
        return Held(session, attempt.transcript, failure=attempt.failure)
    try:
        return Held(session, attempt.transcript, read(attempt.transcript.events))
    except HarnessError as error:
        return Held(session, attempt.transcript, failure=str(error))


def _more(stage: Stage, before: Sequence[Session], number: int) -> Iterable[Session]:
    """Further sessions of the generated cases, in turn, with numbers of their own."""
    cases = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    counts = {case.name: sum(session.case.name == case.name for session in before) for case in cases}
    for case in islice(cycle(cases), number):
        counts[case.name] += 1
        yield Session(stage, case, None, counts[case.name])


def held_sessions(job: Job, program: Program, sessions: Sequence[Session], pool: Pool, read: Reader) -> list[Held]:
    """Hold sessions that nobody wrote down, and read what they drew."""
    return _held(job, program, sessions, pool, read)


class Judge:
    """Judges the sessions of one submission of one stage."""

    def __init__(self, job: Job, stage: Stage) -> None:
        """Judge by this stage's references, under the conditions of a job."""
        self._job, self._stage = job, stage
        read, self._patience = reader_of(stage), Patience()
        self.read: Reader = lambda events: self._patience.call(read, events)
        self._choice = Choice(stage, job.conditions)
        #: By the reference they were judged by: nothing is judged twice.
        self._results: dict[str, list[Result]] = {}
        self._met: dict[str, list[dict[str, int]]] = {}

    def readings(self, held: Sequence[Held]) -> list[tuple[str | None, ...]]:
        """What each session drew."""
        return [one.reading.draws for one in held if one.can_be_replayed]

    def is_undecided(self, held: Sequence[Held]) -> bool:
        """Whether some value has not come yet, and that may still be chance."""
        readings, source = self.readings(held), self._stage.draws
        return bool(never_drawn(source, readings)) and not is_no_chance(source, readings)

    def report(self, held: Sequence[Held]) -> StageReport:
        """The report on all sessions so far."""
        chosen, replays = self._choice.made(held)
        results, counts = self._results.setdefault(chosen, []), self._met.setdefault(chosen, [])
        for index, (one, replayed) in list(enumerate(zip(held, replays, strict=True)))[len(results) :]:
            is_explained = replayed is not None and replayed.explains
            failure = "" if is_explained else self._choice.failure_of(index)
            result, count = self._met_rules(one, self._result(one, replayed, failure))
            results.append(result)
            counts.append(count)
        verdict = worst(result.verdict for result in results)
        met = {rule.name: sum(count.get(rule.name, 0) for count in counts) for rule in self._stage.rules}
        findings = self._findings(held)
        if len(held) >= self._stage.most_sessions and verdict is Verdict.ACCEPTED:
            findings += [
                f"{name!r} never came up in {len(held)} sessions, and the stage is about it: does the program have it?"
                for name in self._stage.required
                if not met[name]
            ]
        if findings and verdict is Verdict.ACCEPTED:
            verdict = Verdict.WRONG_ANSWER
        return StageReport(
            self._stage.name,
            self._stage.title,
            verdict,
            tuple(results),
            len(results),
            summary=" ".join(findings),
            judged_as=chosen,
            rules=tuple(met.items()),
        )

    def _findings(self, held: Sequence[Held]) -> list[str]:
        findings = []
        readings = self.readings(held)
        if begins_alike(self._stage.draws, readings):
            findings.append(
                f"Every session draws the same, beginning with {', '.join(map(str, readings[0][:4]))}: "
                "each run must draw anew."
            )
        elif never := about_never_drawn(self._stage.draws, readings):
            findings.append(never)
        return findings

    def _result(self, one: Held, replayed: Replay | None, failure: str) -> Result:
        if one.transcript is None:
            return not_held(one.session)
        if replayed is None or failure:
            return fault(one.session, one.failure or failure, self._job)
        result = judged(one.session, replayed.expected, one.transcript, self._job.called)
        return self._explained(result, one.reading, replayed)

    def _met_rules(self, one: Held, result: Result) -> tuple[Result, dict[str, int]]:
        """A result, and how often each rule was met in it, where it is accepted."""
        if result.verdict is not Verdict.ACCEPTED:
            return result, {}
        try:
            return result, self._patience.call(rules_met, self._stage, result.expected.events)
        except HarnessError as error:
            return fault(one.session, str(error), self._job), {}

    def _explained(self, result: Result, reading: Reading, replayed: Replay) -> Result:
        """The result with what the reading tells besides."""
        problem = reading.problem
        if problem is not None and result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
            difference = result.difference
            if difference is None or difference.line >= problem.line:
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
