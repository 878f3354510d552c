"""Searching sessions that show what no session of a spec does: mutants that get through, and lines that none runs.

Tried are the cases' own players with other seeds, and the games of a hunt, whose lines are those that the cases allow,
with the numbers added that the reference compares with. How many is fixed, so that a search finds the same every time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.authored import Patience
from pitboss.assignments.cases import Session
from pitboss.errors import HarnessError
from pitboss.experiments.relation import experiment_in
from pitboss.hunting.examples import known_games
from pitboss.hunting.games import Game, Games, session_of
from pitboss.hunting.questions import Known, Question, kind_of
from pitboss.hunting.shrinking import size_of, smaller_than
from pitboss.mutants.trial import Trial
from pitboss.mutation.changes import Mutant
from pitboss.mutation.limits import carefully, run_of
from pitboss.mutation.uses import Statement
from pitboss.running.references import ExpectedRun, expected_run_in_process
from pitboss.transcripts.transcript import Transcript

#: How many seeds are tried with each case, and how many games.
SEEDS, GAMES = 300, 1500
#: Seeds at the bounds of what can be one.
_SPECIAL_SEEDS = (0, -1, -2, -(1 << 31), (1 << 31) - 1, (1 << 31) - 2, -(1 << 31) + 1, 1 << 16)
#: A number that a program compares with may be typed if it has at most this many digits.
_MOST_DIGITS = 12
#: How many smaller games are tried for each game that shows a mutant.
_SMALLER = 60
_FOREVER = float("inf")


class Found(NamedTuple):
    """A session that shows what no session of the spec does."""

    session: Session
    expected: Transcript
    #: The ids of the mutants that it shows, and the lines that it runs.
    mutants: frozenset[str]
    lines: frozenset[str]

    @property
    def game(self) -> Game:
        """The session as its seed and lines."""
        lines = self.expected.lines
        return Game(int(lines[0]), lines[1:]) if self.session.stage.is_seeded else Game(None, lines)


class Search:
    """Looks for sessions of one stage."""

    def __init__(self, trial: Trial, survivors: Sequence[str]) -> None:
        """Look for sessions that show these mutants, and for such as run a line that none has run."""
        self._trial, self._stage = trial, trial.stage
        by_id = {mutant.id: mutant for mutant in trial.mutants}
        loaded = {id_: trial.load(by_id[id_]) for id_ in survivors}
        self._mutants: dict[str, tuple[Mutant, ExpectedRun | None]] = {
            id_: (by_id[id_], None if main is None else run_of(main)) for id_, main in loaded.items()
        }
        self._run: ExpectedRun = expected_run_in_process(trial.ran.main, "the reference")
        self._unreached = set(trial.unreached())
        self._patience = Patience()
        self._ran: set[Statement] = set()
        #: How many sessions were tried.
        self.count = 0

    def found(self) -> list[Found]:
        """All sessions, of those tried, that show something."""
        with carefully():
            return [one for one in self._all() if one.mutants or one.lines]

    def _all(self) -> Iterator[Found]:
        for session in _other_seeds(self._stage):
            try:
                experiment = self._patience.call(self._trial.experiment, session, self._run)
            except HarnessError:
                continue
            yield self._shown(session, experiment.done)
        known = with_numbers(known_games(self._stage, until=_FOREVER), numbers_compared(self._trial))
        games = Games(self._stage, known, self._run)
        self._trial.ran.taken()
        for _ in range(GAMES):
            for game, told in games.take(1, until=_FOREVER):
                found = self._shown(session_of(self._stage, game), told)
                yield found
                if found.mutants:
                    yield from self._smaller(game, games)

    def _smaller(self, game: Game, games: Games) -> Iterator[Found]:
        """Smaller games that show something too."""
        for smaller in islice(smaller_than(game), _SMALLER):
            told = games.expected(smaller)
            if told is not None:
                yield self._shown(session_of(self._stage, smaller), told)

    def _shown(self, session: Session, told: Transcript) -> Found:
        """What a session shows that no session of the spec does."""
        self.count += 1
        ran = self._trial.ran.taken()
        experiment = experiment_in(session, told)
        mutants = frozenset(
            id_
            for id_, (mutant, run) in self._mutants.items()
            if run is not None and self._trial.may_show(mutant, ran) and experiment.differs(run)
        )
        return Found(session, told, mutants, self._lines(ran))

    def _lines(self, ran: set[Statement]) -> frozenset[str]:
        """The lines that no session before this one has run."""
        if ran <= self._ran:
            return frozenset()
        self._ran |= ran
        left = set(self._trial.unreached())
        lines, self._unreached = frozenset(self._unreached - left), left
        return lines


def _other_seeds(stage: Stage) -> Iterator[Session]:
    """The generated cases with seeds that they do not have."""
    for case in stage.spec.cases:
        # A case with arguments or files of its own cannot be proposed: a new case has those of the stage.
        if stage.is_seeded and isinstance(case.session, Generated) and case.invocation == stage.invocation:
            for seed in (*range(1, SEEDS + 1), *_SPECIAL_SEEDS):
                if seed not in case.session.seeds:
                    yield Session(stage, case, seed)


def fewest(found: Sequence[Found]) -> list[Found]:
    """Few sessions that together show all that these show: the one that shows most first, of several the smallest."""
    mutants: set[str] = set().union(*(one.mutants for one in found))
    lines: set[str] = set().union(*(one.lines for one in found))
    chosen = []
    while mutants or lines:
        best = min(found, key=lambda one: (-len(one.mutants & mutants) - len(one.lines & lines), size_of(one.game)))
        chosen.append(best)
        mutants -= best.mutants
        lines -= best.lines
    return chosen


def smallest_for(found: Sequence[Found]) -> Mapping[str, Found]:
    """For each mutant the smallest session that shows it."""
    best: dict[str, Found] = {}
    for one in found:
        for id_ in one.mutants:
            if id_ not in best or size_of(one.game) < size_of(best[id_].game):
                best[id_] = one
    return best


def numbers_compared(trial: Trial) -> list[int]:
    """The whole numbers that the code of a stage compares with, and those beside them, in order."""
    found: set[int] = set()
    for name, module in trial.original.modules.items():
        for place in module.places:
            if not trial.ran.total[name][place.number]:
                continue
            for node in ast.walk(place.node):
                match node:
                    case ast.Compare(left=left, comparators=others):
                        found |= {value for one in (left, *others) if (value := _number(one)) is not None}
                    case ast.Assign(value=value) if place.function is None and not place.scope:
                        parts = value.elts if isinstance(value, ast.Tuple) else [value]
                        found |= {number for one in parts if (number := _number(one)) is not None}
    return sorted({number + step for number in found for step in (-1, 0, 1)})


def _number(node: ast.expr) -> int | None:
    """The value of a whole number, or of an expression of such; None for anything else."""
    parts = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    if not all(isinstance(one, parts) for one in ast.walk(node)):
        return None
    try:
        value = eval(compile(ast.Expression(node), "<number>", "eval"), {"__builtins__": {}})
    except (ArithmeticError, TypeError, ValueError, MemoryError):
        return None
    return value if type(value) is int and len(str(abs(value))) <= _MOST_DIGITS else None


def with_numbers(known: Known, numbers: Sequence[int]) -> Known:
    """What is known of a stage's games, with further numbers to type where numbers are typed.

    Whether a game with one of them may be tried is decided as for all others: by the steps that the cases take.
    """
    questions = {key: _with_numbers(question, numbers) for key, question in known.questions.items()}
    return msgspec.structs.replace(known, questions=questions)


def _with_numbers(question: Question, numbers: Sequence[int]) -> Question:
    if question.numbers is None:
        return question
    answers = dict(question.answers)
    for number in numbers:
        line = str(number).encode()
        kind = kind_of(line, frozenset())
        answers[kind] = tuple(dict.fromkeys((*answers.get(kind, ()), line)))
    return msgspec.structs.replace(question, answers=answers)
