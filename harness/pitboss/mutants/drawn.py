"""Trying the mutants of a stage without a seed: each plays on fixed draws, and the stage's judge decides.

A mutant is caught if the judge, who may choose a tolerated reference, does not accept it. One reference judges all
sessions of a program, so what it refuses for some sessions it refuses for more: few are tried first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, cycle, islice

from pitboss.assignments.assignment import Assignment, Generated, Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.assignments.players import MOST_LINES
from pitboss.draws.drawn import DrawnSession, made_up
from pitboss.draws.reader import reader_of
from pitboss.draws.replay import GivenDraws
from pitboss.draws.unseeded import Judge
from pitboss.errors import HarnessError, SessionError
from pitboss.judging.apart import first_difference
from pitboss.judging.verdicts import Verdict
from pitboss.mutants.judges import Judges
from pitboss.mutants.playing import Expected, Main, following
from pitboss.mutants.trial import Trial
from pitboss.mutation.changes import Mutant
from pitboss.mutation.limits import run_of
from pitboss.running.drivers import find_conditions
from pitboss.running.job import Job
from pitboss.transcripts.transcript import Transcript

#: How many sessions that differ in the same way are judged: what the judge takes for a free text in so many it takes in
#: all. Where it would not, a mutant counts as not caught, and somebody looks at it.
_MOST_OF_A_KIND = 6
_NOT_REFUSED = (Verdict.ACCEPTED, Verdict.JUDGE_ERROR)


class DrawnTrial(Trial):
    """The mutants of a Python reference of a stage whose draws are read back."""

    def __init__(self, assignment: Assignment, stage: Stage) -> None:
        """Run the reference on fixed draws in as many sessions as a submission may have."""
        self.job = Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name)
        self.judges = Judges(self.job, stage)
        self._read = reader_of(stage)
        self._numbers: dict[tuple[str, int], int] = {}
        super().__init__(stage)

    def all_sessions(self) -> Sequence[Session]:
        """The sessions of the cases, and further ones of these up to the most of the stage."""
        return further(self.stage, sessions_of(self.stage))

    def draws(self, session: Session) -> GivenDraws:
        """The draws of a session: the same whenever it is played."""
        number = self._numbers.setdefault((session.case.name, session.number), len(self._numbers))
        return made_up(self.stage.draws, number)

    def catches(self, mutant: Mutant) -> str:
        """See Trial: the sessions in which the mutant does otherwise are judged, one, two, four and so on together."""
        main = self.load(mutant)
        if main is None:
            return "all sessions"
        judge = self.judges.judge()
        different: list[DrawnSession] = []
        kinds: Counter[object] = Counter()
        for index in self._in_order(mutant, ()):
            expected = self.sessions[index]
            try:
                drawn = self.differing(main, expected)
            except HarnessError:
                return expected.session.name
            if drawn is None or drawn.transcript is None:
                continue
            kind = kind_of_difference(expected.transcript, drawn.transcript)
            kinds[kind] += 1
            if kinds[kind] > _MOST_OF_A_KIND:
                continue
            different.append(drawn)
            if len(different).bit_count() == 1 and is_refused(judge, different):
                return expected.session.name
        return different[-1].session.name if different and is_refused(self.judges.judge(), different) else ""

    def differing(self, main: Main, expected: Expected) -> DrawnSession | None:
        """A session of a program, if it differs from the reference's; raises HarnessError if the program fails."""
        session = expected.session
        told = run_of(main)(following(expected), self.draws(session), invocation=session.case.invocation)
        if len(told.lines) >= MOST_LINES:
            raise SessionError("it would have gone on reading")
        return None if _is_alike(expected, told) else DrawnSession(session, told, self._read(told.events))

    def _in_order(self, mutant: Mutant, recent: Iterable[int]) -> Iterator[int]:
        """See Trial; short sessions come before long ones, since they are played and judged sooner.

        What caught other mutants does not count: a judge who has few sessions may refuse what more of them would let
        pass, as a feature of the program's own. Then it would hang on the mutants before whether one is caught.
        """
        order = list(super()._in_order(mutant, recent))
        return iter(sorted(order, key=lambda index: len(self.sessions[index].transcript.text)))


def _is_alike(expected: Expected, told: Transcript) -> bool:
    """Whether a session ended as the reference's did, and the comparison sees no difference, in free texts neither.

    What one session shows may be a free text; whether it is the same in all of them only the judge can tell.
    """
    right = expected.transcript
    if told == right:
        return True
    if told.ending.exit_code != right.ending.exit_code:
        return False
    policy = expected.session.case.policy.with_taken({})
    return first_difference(right, told, policy) is None


def kind_of_difference(right: Transcript, told: Transcript) -> object:
    """What a session shows that the reference's does not, and the other way round, as far as whole lines tell."""
    ours, theirs = (frozenset(one.text.split(b"\n")) for one in (right, told))
    return ours - theirs, theirs - ours, told.ending.exit_code, len(told.lines) - len(right.lines)


def is_refused(judge: Judge, drawn: Sequence[DrawnSession]) -> bool:
    """Whether the judge does not accept a program with these sessions."""
    outcome = judge.outcome(drawn)
    if outcome.verdict not in _NOT_REFUSED:
        return True
    return any(result.verdict not in _NOT_REFUSED for result in outcome.results)


def further(stage: Stage, sessions: Sequence[Session]) -> list[Session]:
    """Sessions, and after them further ones of the generated cases in turn, as many as the stage allows."""
    cases = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    counts = {case.name: count(1 + sum(one.case.name == case.name for one in sessions)) for case in cases}
    more: Iterable[Session] = (Session(stage, case, None, next(counts[case.name])) for case in cycle(cases))
    return [*sessions, *islice(more, max(0, stage.most_sessions - len(sessions)))]
