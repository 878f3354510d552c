"""Answers the question of all experiments: does a program behave differently in a session than another did there?

An `Experiment` is a session that any program can repeat. The experiment fixes the typed lines, the draws, how the
program is started, and the transcript to compare with: of the correct program or of a submission. A program that fails
or does not exit differs from every other program.

`SessionOrder` decides in which order to try a program on several sessions, until it differs in a session.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Generic, TypeVar

import msgspec

from pitboss.assignments.assignment import Player, Recorded, Stage
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_of, input_script_of
from pitboss.compare.comparison import Difference, first_difference
from pitboss.compare.outcome import JudgedSession
from pitboss.errors import HarnessError, ShortageError
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.invocation import InputScript, Invocation, script_of_lines
from pitboss.model.transcript import Ending, Event, Transcript, canonical, cut_after_read
from pitboss.sessions.references import DrawSource, ExpectedRun
from pitboss.unseeded.replay import GivenDraws, replay

S = TypeVar("S")


class Observation(msgspec.Struct, frozen=True):
    """What a program does in an experiment, and its first difference from `Experiment.baseline`."""

    transcript: Transcript
    #: The draws that the program used; empty if the program got no draws.
    draws: tuple[str, ...]
    difference: Difference | None
    #: Whether the program ends with another exit code; False if exit codes are not compared.
    ends_differently: bool

    @property
    def differs(self) -> bool:
        """Whether the program does anything different from `Experiment.baseline`."""
        return self.difference is not None or self.ends_differently


class Experiment(msgspec.Struct, frozen=True):
    """A session that any program can repeat.

    Methods that run a program raise ShortageError if this machine is at fault, and not the program.
    """

    #: The transcript that programs are compared with: of a submission if `is_submission`, else of the correct program.
    baseline: Transcript
    policy: Policy
    stage: Stage
    invocation: Invocation | None = None
    #: The draws of the session, with None for each draw that was never shown. None instead of a tuple if programs get
    #: no draws.
    draws: tuple[str | None, ...] | None = None
    #: Returns an input script that reacts to the program's output. If the argument is True, the script may stop the
    #: session at the first difference. Without this function, the lines of `baseline` are typed.
    script: Callable[[bool], InputScript] | None = None
    #: The number, from 1, of the last read up to which programs are compared; None for the whole session.
    reach: int | None = None
    #: Whether `baseline` is the transcript of a submission. The submission's free texts (texts that a program may word
    #: freely) may then differ from those of the correct program.
    is_submission: bool = False

    def observed(self, program: ExpectedRun) -> Observation | None:
        """What a program does; None if it fails or does not exit. Draws that were never shown get arbitrary values."""
        return self._observed(program, may_stop=False)

    def differs(self, program: ExpectedRun) -> bool:
        """Whether a program behaves differently. Draws that were never shown get arbitrary values."""
        observation = self._observed(program, may_stop=True)
        return observation is None or observation.differs

    def is_explained_by(self, program: ExpectedRun) -> bool:
        """Whether a program behaves like `baseline` for some values of the draws that were never shown."""
        return self._can_be_explained_by(program) if None in (self.draws or ()) else not self.differs(program)

    def _observed(self, program: ExpectedRun, *, may_stop: bool) -> Observation | None:
        draws = None if self.draws is None else GivenDraws(self.draws, self.stage.draws)
        script = self.script(may_stop) if self.script is not None else script_of_lines(self.baseline.lines)
        try:
            transcript = self._compared_part(program(script, draws, invocation=self.invocation))
        except ShortageError:
            raise
        except HarnessError:
            return None
        baseline = self._compared_part(self.baseline)
        expected_and_actual = (transcript, baseline) if self.is_submission else (baseline, transcript)
        # If the policy has the submission's own free texts, these replace the reference's in the expected transcript
        # before the comparison. So transcripts that are equal before this replacement may differ after it.
        is_same = transcript == baseline and not self.policy.changed_free_texts
        difference = None if is_same else first_difference(*expected_and_actual, self.policy)
        # The exit code of a submission is not compared if its draws were read back: a wrong ending is then reported
        # separately, and a mistake is recognised by what is shown.
        compares_endings = not self.is_submission or self.draws is None
        ends_differently = compares_endings and not _ends_alike(baseline.ending, transcript.ending)
        return Observation(transcript, draws.given if draws else (), difference, ends_differently)

    def _can_be_explained_by(self, program: ExpectedRun) -> bool:
        def run(*arguments: Any, **keywords: Any) -> Transcript:
            return self._compared_part(program(*arguments, **keywords))

        baseline, draws = self._compared_part(self.baseline), self.draws or ()
        try:
            replayed = replay(baseline, draws, self.stage, self.policy, run, invocation=self.invocation)
        except ShortageError:
            raise
        except HarnessError:
            return False
        return replayed.difference is None

    def _compared_part(self, transcript: Transcript) -> Transcript:
        return transcript if self.reach is None else cut_after_read(transcript, self.reach)


def _ends_alike(baseline: Ending, other: Ending) -> bool:
    """Whether two programs end with the same exit code, or with any nonzero codes if `baseline` allows all of them."""
    return baseline.exit_code == other.exit_code or (baseline.is_any_failure and baseline.admits(other))


def run_in_session(program: ExpectedRun, session: Session, draws: DrawSource | None = None) -> Transcript:
    """Runs a program in a session of a spec, with the input of the session's case; returns the transcript."""
    return program(input_of(session), draws, invocation=session.case.invocation)


def pairs_that_differ(
    programs: Mapping[str, ExpectedRun], session: Session, draws: Callable[[], DrawSource] | None = None
) -> set[tuple[str, str]]:
    """Returns the pairs of names of programs that behave differently in a session; two programs that both fail do not.

    `draws` is called once for each program, and must return the same draws each time.
    """
    transcripts: dict[str, Transcript | None] = {}
    for name, program in programs.items():
        try:
            transcripts[name] = run_in_session(program, session, draws() if draws is not None else None)
        except HarnessError:
            transcripts[name] = None

    def differ(transcript: Transcript | None, other: Transcript | None) -> bool:
        if transcript is None or other is None:
            return transcript is not other
        return first_difference(transcript, other, session.case.policy) is not None

    return {pair for pair in combinations(programs, 2) if differ(transcripts[pair[0]], transcripts[pair[1]])}


def experiment_in(
    session: Session, baseline: Transcript, draws: tuple[str | None, ...] | None = None, policy: Policy | None = None
) -> Experiment:
    """Returns the experiment of a spec's session; `baseline` is the transcript of the correct program.

    `draws` is None if programs get no draws; `policy` is None for the policy of the session's case.
    """
    case = session.case
    policy = case.policy if policy is None else policy

    def script(may_stop: bool) -> InputScript:
        # Other policies may accept the first difference, so the session must go on.
        return _script_of_session(session, baseline, stops=may_stop and policy == EXACT)

    return Experiment(baseline, policy, session.stage, case.invocation, draws, script)


def experiment_of(judged: JudgedSession, stage: Stage) -> Experiment:
    """Returns the experiment of a judged session: programs are compared with what the submission did."""
    return Experiment(
        judged.actual,
        judged.policy,
        stage,
        judged.invocation,
        judged.draws,
        reach=judged.last_relevant_read,
        is_submission=True,
    )


def _script_of_session(session: Session, baseline: Transcript, *, stops: bool) -> InputScript:
    """Returns an input script: the lines of `baseline` until a program differs from it, then the player's lines.

    Until a program differs, the player would type the same lines, only more slowly: it searches the whole screen for
    each line. With `stops`, the session ends at the first difference.
    """
    case_input = session.case.session
    if isinstance(case_input, Recorded):
        player = script_of_lines(baseline.lines)
    else:
        player = input_script_of(case_input, session.seed, session.case.place)
        has_player_function = isinstance(case_input.answers, Player) and case_input.answers.function
        if not has_player_function and not stops:
            return player  # this player counts the lines that it has typed, so it must type all lines of the session
    lines, seen_count, is_same_so_far = iter(baseline.lines), 0, True

    def type_next(events: Sequence[Event]) -> bytes | None:
        nonlocal seen_count, is_same_so_far
        if is_same_so_far and tuple(events[seen_count:]) != baseline.events[seen_count : len(events)]:
            # Equal output may be divided differently into events, so neighbouring events are joined before comparing.
            canonical_events = canonical(events)
            is_same_so_far = canonical_events == baseline.events[: len(canonical_events)]
            if not is_same_so_far and stops:
                raise HarnessError("it behaves differently")
        else:
            seen_count = len(events)
        return next(lines, None) if is_same_so_far else player(events)

    return type_next


class SessionOrder(Generic[S]):
    """The order in which programs are tried on sessions.

    First come the sessions in which programs differed most recently: a session that shows one mistake tends to show
    other mistakes too.
    """

    def __init__(self, sessions: Sequence[S], max_recent: int | None = None) -> None:
        """Begin with the order of `sessions`. At most `max_recent` sessions in which programs differed come first."""
        self._sessions = sessions
        self._recent: deque[int] = deque(maxlen=max_recent)

    def first(self, differs: Callable[[S], bool], among: Collection[int] | None = None) -> S | None:
        """Return the first session for which `differs` returns True; None if there is no such session.

        With `among`, only the sessions with these indexes are tried.
        """
        for index in self._ordered_indexes(range(len(self._sessions)) if among is None else among):
            if differs(self._sessions[index]):
                if index in self._recent:
                    self._recent.remove(index)
                self._recent.appendleft(index)
                return self._sessions[index]
        return None

    def _ordered_indexes(self, among: Collection[int]) -> Iterator[int]:
        recent = tuple(self._recent)
        possible = set(among) if recent else ()
        yield from (index for index in recent if index in possible)
        yield from (index for index in among if index not in recent)
