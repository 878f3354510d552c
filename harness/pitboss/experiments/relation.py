"""Answers the question of all experiments: does a program behave differently from what was done in a session?

An `Experiment` is a session that any program can repeat. The experiment fixes what is typed and drawn, how the program
is started, and what the correct program or a submission did. A program that fails, or that does not end by itself,
differs from every other program.

`SessionOrder` decides on which sessions to try a program first, until a session shows that the program differs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Generic, TypeVar

import msgspec

from pitboss.assignments.assignment import Generated, Player, Recorded, Stage
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_script_of
from pitboss.compare.comparison import Difference
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.side_outputs import first_difference
from pitboss.errors import HarnessError, ShortageError
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.invocation import Invocation
from pitboss.model.scripts import InputScript, typing
from pitboss.model.transcript import Ending, Event, InputEnded, Transcript, Typed, canonical
from pitboss.sessions.references import DrawSource, ExpectedRun
from pitboss.unseeded.replay import GivenDraws, replay

S = TypeVar("S")


class Observation(msgspec.Struct, frozen=True):
    """What a program does in an experiment, and its first difference from what was done."""

    transcript: Transcript
    #: The draws that the program used; empty if it got none.
    draws: tuple[str, ...]
    difference: Difference | None
    #: Whether the program ends with another exit code, if exit codes are compared.
    ends_differently: bool

    @property
    def differs(self) -> bool:
        """Whether the program does anything different from what was done."""
        return self.difference is not None or self.ends_differently


class Experiment(msgspec.Struct, frozen=True):
    """A session that any program can repeat.

    Methods that run a program raise ShortageError if this machine is at fault, and not the program.
    """

    #: What was done in the session.
    done: Transcript
    policy: Policy
    stage: Stage
    invocation: Invocation | None = None
    #: The draws of the session, with None for each draw that was never shown; None if a program gets no draws.
    draws: tuple[str | None, ...] | None = None
    #: Makes an input script that reacts to what the program shows. If the argument is True, the script may stop the
    #: session at the first difference. Without this function, the lines of `done` are typed.
    script: Callable[[bool], InputScript] | None = None
    #: Programs are compared up to and including this read, counted from 1; None for the whole session.
    reach: int | None = None
    #: Whether `done` is from a submission, whose own texts replace free texts; if not, it is from the correct program.
    is_submission: bool = False

    def observed(self, program: ExpectedRun) -> Observation | None:
        """What a program does; None if it fails or does not end. Draws that were never shown get arbitrary values."""
        return self._observed(program, may_stop=False)

    def differs(self, program: ExpectedRun) -> bool:
        """Whether a program behaves differently. Draws that were never shown get arbitrary values."""
        observed = self._observed(program, may_stop=True)
        return observed is None or observed.differs

    def is_explained_by(self, program: ExpectedRun) -> bool:
        """Whether a program does the same for some values of the draws that were never shown."""
        return self._can_be_explained_by(program) if None in (self.draws or ()) else not self.differs(program)

    def _observed(self, program: ExpectedRun, *, may_stop: bool) -> Observation | None:
        draws = None if self.draws is None else GivenDraws(self.draws, self.stage.draws)
        script = self.script(may_stop) if self.script is not None else typing(self.done.lines)
        try:
            transcript, done = program(script, draws, invocation=self.invocation), self.done
        except ShortageError:
            raise
        except HarnessError:
            return None
        if self.reach is not None:
            transcript, done = cut_after_read(transcript, self.reach), cut_after_read(done, self.reach)
        pair = (transcript, done) if self.is_submission else (done, transcript)
        is_same = transcript == done and not self.policy.texts
        difference = None if is_same else first_difference(*pair, self.policy)
        # If draws were read back, a wrong ending is reported separately: a mistake is recognised by what is shown.
        ends_differently = not _ends_alike(done.ending, transcript.ending)
        is_compared = not self.is_submission or self.draws is None
        return Observation(transcript, draws.given if draws else (), difference, is_compared and ends_differently)

    def _can_be_explained_by(self, program: ExpectedRun) -> bool:
        reach, done = self.reach, self.done
        if reach is not None:
            program, done = (
                with_reading(program, lambda transcript: cut_after_read(transcript, reach)),
                cut_after_read(done, reach),
            )
        try:
            replayed = replay(
                done,
                self.draws or (),
                self.stage,
                self.policy,
                program,
                is_reported=False,
                invocation=self.invocation,
            )
        except ShortageError:
            raise
        except HarnessError:
            return False
        return replayed.difference is None


def _ends_alike(done: Ending, other: Ending) -> bool:
    """Whether two programs end with the same exit code, or both with nonzero codes if any nonzero code is right."""
    return done.exit_code == other.exit_code or (done.is_any_failure and done.admits(other))


def with_reading(program: ExpectedRun, reading: Callable[[Transcript], Transcript]) -> ExpectedRun:
    """The program with this function applied to the transcript of each session."""

    def run(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        return reading(program(input_script, draws, invocation=invocation))

    return run


def cut_after_read(transcript: Transcript, reads: int) -> Transcript:
    """The session up to and including this read, as if it ended normally there; unchanged if it has fewer reads."""
    read_count = 0
    for index, event in enumerate(transcript.events):
        read_count += isinstance(event, Typed | InputEnded)
        if read_count == reads:
            return Transcript(transcript.events[: index + 1])
    return transcript


def played(program: ExpectedRun, session: Session, draws: DrawSource | None = None) -> Transcript:
    """The transcript of a program in a session of a spec, with the input of its case."""
    case = session.case
    match case.session:
        case Recorded(events):
            script = typing(Transcript(events).lines)
        case Generated() as generated:
            script = input_script_of(generated, session.seed, case.place)
    return program(script, draws, invocation=case.invocation)


def parting(
    programs: Mapping[str, ExpectedRun], session: Session, draws: Callable[[], DrawSource] | None = None
) -> set[tuple[str, str]]:
    """The pairs of programs that behave differently in a session; failing programs count as equal.

    `draws` is called once for each program, and must return the same draws each time.
    """
    done: dict[str, Transcript | None] = {}
    for name, program in programs.items():
        try:
            done[name] = played(program, session, draws() if draws is not None else None)
        except HarnessError:
            done[name] = None

    def differ(transcript: Transcript | None, other: Transcript | None) -> bool:
        if transcript is None or other is None:
            return transcript is not other
        return first_difference(transcript, other, session.case.policy) is not None

    return {pair for pair in combinations(programs, 2) if differ(done[pair[0]], done[pair[1]])}


def experiment_in(
    session: Session, done: Transcript, draws: tuple[str | None, ...] | None = None, policy: Policy | None = None
) -> Experiment:
    """Returns the experiment of a spec's session in which the correct program did `done`."""
    case = session.case
    policy = case.policy if policy is None else policy

    def script(may_stop: bool) -> InputScript:
        return _script(session, done, stops=may_stop and policy == EXACT)

    return Experiment(done, policy, session.stage, case.invocation, draws, script)


def experiment_of(judged: JudgedSession, stage: Stage) -> Experiment:
    """Returns the experiment of a judged session: programs are compared with what the submission did."""
    return Experiment(
        judged.actual,
        judged.policy,
        stage,
        judged.invocation,
        judged.draws,
        reach=judged.reach,
        is_submission=True,
    )


class _Parted(HarnessError):
    """A program has behaved differently from the correct one."""


def _script(session: Session, done: Transcript, *, stops: bool) -> InputScript:
    """An input script that types the correct program's lines until another program differs, then the player's lines.

    Until the programs differ, the player would type the same lines, but would search the whole screen each time. With
    `stops`, the session ends at the first difference.
    """
    generated = session.case.session
    if isinstance(generated, Recorded):
        player = typing(done.lines)
    else:
        player = input_script_of(generated, session.seed, session.case.place)
        is_player = isinstance(generated.answers, Player) and generated.answers.function
        if not is_player and not stops:
            return player  # this player counts the lines that it has typed, so it cannot take over later
    lines, seen_count, is_alike = iter(done.lines), 0, True

    def type_next(events: Sequence[Event]) -> bytes | None:
        nonlocal seen_count, is_alike
        if is_alike and tuple(events[seen_count:]) != done.events[seen_count : len(events)]:
            canonical_events = canonical(events)
            is_alike = canonical_events == done.events[: len(canonical_events)]
            if not is_alike and stops:
                raise _Parted("it behaves differently")
        else:
            seen_count = len(events)
        return next(lines, None) if is_alike else player(events)

    return type_next


class SessionOrder(Generic[S]):
    """The order of the sessions on which programs are tried.

    The sessions in which programs differed most recently come first, at most `most` of them: a session that shows one
    mistake tends to show others too.
    """

    def __init__(self, sessions: Sequence[S], most: int | None = None) -> None:
        """Begin in the given order. Without `most`, all sessions in which programs differed come first."""
        self._sessions = sessions
        self._last: deque[int] = deque(maxlen=most)

    def first(self, differs: Callable[[S], bool], among: Collection[int] | None = None) -> S | None:
        """Return the first session in which a program differs, of all or only those with indexes `among`; else None."""
        for index in self._numbers(range(len(self._sessions)) if among is None else among):
            if differs(self._sessions[index]):
                if index in self._last:
                    self._last.remove(index)
                self._last.appendleft(index)
                return self._sessions[index]
        return None

    def _numbers(self, among: Collection[int]) -> Iterator[int]:
        recent = tuple(self._last)
        possible = set(among) if recent else ()
        yield from (index for index in recent if index in possible)
        yield from (index for index in among if index not in recent)
