"""Searches for sessions that show surviving mutants, or run lines that no session of a spec runs.

A session *shows* a mutant if the mutant differs from the reference in this session. The search tries the players of the
cases with other seeds. Then the search tries games as `pitboss hunt` does. In a game, the typed lines are lines that
the cases allow, or numbers that the reference compares with. The number of tries is fixed, so a search always has the
same result.

A session can be added to a spec file: as a seed of a generated case, or otherwise as a recorded case. Nothing else in
the file changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.casefile import line_of_key
from pitboss.assignments.cases import Session
from pitboss.assignments.recording import with_new_case
from pitboss.errors import HarnessError, fitted
from pitboss.experiments.hunting.games import Games, smaller_than
from pitboss.experiments.hunting.questions import KnownGames, Question, kind_of, known_games
from pitboss.experiments.mutants.coverage import Line
from pitboss.experiments.mutants.function_mutants import FunctionMutants, within_mutant_limits
from pitboss.experiments.mutants.trial import Trial
from pitboss.experiments.relation import experiment_in
from pitboss.model.transcript import Transcript

#: How many seeds are tried with each case.
SEED_COUNT = 300
#: How many games are tried.
GAME_COUNT = 1500
#: Boundary values for seeds.
_SPECIAL_SEEDS = (0, -1, -2, -(1 << 31), (1 << 31) - 1, (1 << 31) - 2, -(1 << 31) + 1, 1 << 16)
#: The maximum number of smaller games that are tried for each game that shows a mutant.
_MAX_SMALLER_GAMES = 60
#: A search ends after a fixed number of games, never at a deadline.
_NO_DEADLINE = float("inf")


class TriedSession(NamedTuple):
    """A session that was tried; useless if both its `mutants` and its `lines` are empty."""

    session: Session
    #: The transcript of the reference in this session.
    expected: Transcript
    #: The ids of the surviving mutants that the session shows.
    mutants: frozenset[str]
    #: The lines that the session is the first to run.
    lines: frozenset[str]

    @property
    def shown(self) -> frozenset[str]:
        """The mutants and the lines together."""
        return self.mutants | self.lines

    @property
    def size(self) -> tuple[int, int, int]:
        """The number of lines after the seed, the number of bytes in them, and the absolute seed."""
        lines = self.expected.lines[self.session.stage.is_seeded :]
        return len(lines), sum(map(len, lines)), abs(self.session.seed or 0)


class SessionSearch:
    """Searches for sessions of one stage."""

    def __init__(self, trial: Trial, mutants: FunctionMutants, survivors: Sequence[str]) -> None:
        """Search for sessions that show a mutant with one of these ids, or run a line that no session has run."""
        self._trial, self._reference, self._stage = trial, mutants, trial.stage
        with mutants.opened() as make:
            made = [(change, make(change)) for change in mutants.changes if change.id in set(survivors)]
        #: The surviving mutants that can be loaded, each with the function that runs it.
        self._mutants = [(change, mutant.run) for change, mutant in made if mutant.run is not None]
        #: The lines that no session has run so far.
        self._unreached = set(mutants.unreached())
        self._breaker = CircuitBreaker()
        #: The statements that the sessions tried so far have run.
        self._ran: set[Line] = set()
        #: How many sessions were tried.
        self.count = 0

    def useful_sessions(self) -> list[TriedSession]:
        """Try sessions, and return the sessions that show a surviving mutant or are the first to run a line."""
        with within_mutant_limits():
            return [tried for tried in self._try_sessions() if tried.shown]

    def _try_sessions(self) -> Iterator[TriedSession]:
        for session in _sessions_with_other_seeds(self._stage):
            try:
                experiment = self._breaker.call(self._trial.experiment, session)
            except HarnessError:
                continue
            yield self._evaluate(session, experiment.baseline)
        known = with_numbers(known_games(self._stage, until=_NO_DEADLINE), self._reference.coverage.numbers_compared())
        games = Games(self._stage, known, self._reference.reference)
        self._reference.coverage.take()  # discards the statements that ran before the first game
        # One game at a time: `_evaluate` takes the statements that ran since its last call.
        for _ in range(GAME_COUNT):
            for session, transcript in games.take(1, until=_NO_DEADLINE):
                tried = self._evaluate(session, transcript)
                yield tried
                if tried.mutants:
                    smaller = smaller_than(transcript.lines, has_seed=self._stage.is_seeded)
                    found = map(games.with_lines, islice(smaller, _MAX_SMALLER_GAMES))
                    yield from (self._evaluate(*game) for game in found if game is not None)

    def _evaluate(self, session: Session, transcript: Transcript) -> TriedSession:
        """Returns a session with the surviving mutants that it shows and the lines that it is the first to run."""
        self.count += 1
        ran = self._reference.coverage.take()
        experiment = experiment_in(session, transcript)
        mutants = frozenset(
            change.id
            for change, run in self._mutants
            if self._reference.can_reveal(change, ran) and experiment.differs(run)
        )
        return TriedSession(session, transcript, mutants, self._first_run_lines(ran))

    def _first_run_lines(self, ran: set[Line]) -> frozenset[str]:
        if ran <= self._ran:
            return frozenset()
        self._ran |= ran
        still_unreached = set(self._reference.unreached())
        lines, self._unreached = frozenset(self._unreached - still_unreached), still_unreached
        return lines


def _sessions_with_other_seeds(stage: Stage) -> Iterator[Session]:
    for case in stage.spec.cases:
        # A case with its own arguments or files cannot be proposed: a new case has the stage's arguments and files.
        if stage.is_seeded and isinstance(case.session, Generated) and case.invocation == stage.invocation:
            for seed in (*range(1, SEED_COUNT + 1), *_SPECIAL_SEEDS):
                if seed not in case.session.seeds:
                    yield Session(stage, case, seed)


def smallest_cover(found: Sequence[TriedSession]) -> list[TriedSession]:
    """Selects a few sessions that together show all mutants and run all lines of the sessions in `found`.

    Each step selects the session with the most mutants and lines that no selected session has, and the smallest of
    several such sessions.
    """
    uncovered: set[str] = set().union(*(session.shown for session in found))
    selected = []
    while uncovered:
        best = min(found, key=lambda session: (-len(session.shown & uncovered), session.size))
        selected.append(best)
        uncovered -= best.shown
    return selected


def smallest_for(found: Sequence[TriedSession]) -> Mapping[str, TriedSession]:
    """The smallest session that shows each mutant, by the mutant's id."""
    smallest_first = sorted(found, key=lambda session: session.size)
    return {id_: session for session in reversed(smallest_first) for id_ in session.mutants}


def with_numbers(known: KnownGames, numbers: Sequence[int]) -> KnownGames:
    """Returns `known` with `numbers` as further answers to each question that some case answers with a whole number.

    A game is still fair, as `hunting.questions` defines it, only if the program reacts to a number as in some case.
    """
    questions = {key: _with_numbers(question, numbers) for key, question in known.questions.items()}
    return msgspec.structs.replace(known, questions=questions)


def _with_numbers(question: Question, numbers: Sequence[int]) -> Question:
    if question.numbers is None:  # no case answers with a whole number
        return question
    answers = dict(question.answers)
    for line in (b"%d" % number for number in numbers):
        kind = kind_of(line, frozenset())
        answers[kind] = tuple(dict.fromkeys((*answers.get(kind, ()), line)))
    return msgspec.structs.replace(question, answers=answers)


#: A line with a list of seeds, with one seed or with one range of seeds.
_SEEDS_LINE = re.compile(r"(\s*seeds: )(\[.*\]|-?[0-9]+(?:\.\.-?[0-9]+)?)(\s*)")
#: The maximum number of characters of a change's description in the name of a case.
_MAX_DESCRIPTION = 60


def spec_with_session(path: Path, tried: TriedSession, name: str) -> tuple[str, str]:
    """Returns the text of a spec file with one more session, and a phrase that names the new seed or case.

    The seed of a generated session is added to its case if the case's seeds are on one line. Any other session is
    added as a recorded case called `name`.
    """
    case, seed = tried.session.case, tried.session.seed
    if isinstance(case.session, Generated) and seed is not None:
        text = with_seed(path, case.name, seed)
        if text is not None:
            return text, f"seed {seed} of {case.name!r}"
    exit_code = tried.expected.ending.exit_code
    return with_new_case(path, name, tried.expected.events, exit_code=exit_code), f"case {name!r}"


def case_name(tried: TriedSession, names: Sequence[str]) -> str:
    """A new name for a recorded case: none of `names`, the names of the other cases."""
    name = f"shows {fitted(min(tried.shown, key=len), _MAX_DESCRIPTION)}"
    candidates = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(candidate for candidate in candidates if candidate not in names)


def with_seed(path: Path, name: str, seed: int) -> str | None:
    """The text of a spec file with a seed added to the case `name`; None if its seeds are not found on one line."""
    line_number = line_of_key(path, name, "seeds")
    if line_number is None:
        return None
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    match = _SEEDS_LINE.fullmatch(lines[line_number - 1])
    if match is None:
        return None
    seeds = match[2].removeprefix("[").removesuffix("]")
    lines[line_number - 1] = f"{match[1]}[{seeds}, {seed}]{match[3]}"
    return "".join(lines)
