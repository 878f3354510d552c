"""Searches for sessions that show surviving mutants, or run lines that no session of a spec runs.

The search tries the cases' own players with other seeds, and the games of a hunt, with the lines that the cases allow
and the numbers that the reference compares with. The number of tries is fixed, so a search always has the same result.

The result can be added to a spec file: as a seed of a generated case, or else as a recorded case. The rest of the file
does not change.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.assignments.recording import with_new_case
from pitboss.assignments.yamlfile import Items, Keyed, Text, read_yaml
from pitboss.errors import HarnessError
from pitboss.experiments.hunting.examples import known_games
from pitboss.experiments.hunting.games import Game, Games, session_of, size_of, smaller_than
from pitboss.experiments.hunting.questions import KnownGames, Question, kind_of
from pitboss.experiments.mutants.trial import Trial
from pitboss.experiments.mutation.module_mutants import Mutant
from pitboss.experiments.mutation.mutant_limits import run_of, within_mutant_limits
from pitboss.experiments.mutation.uses import Statement
from pitboss.experiments.relation import experiment_in
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import ExpectedRun, expected_run_in_process

#: How many seeds are tried with each case.
SEEDS = 300
#: How many games are tried.
GAMES = 1500
#: Boundary values for seeds.
_SPECIAL_SEEDS = (0, -1, -2, -(1 << 31), (1 << 31) - 1, (1 << 31) - 2, -(1 << 31) + 1, 1 << 16)
#: A number that a program compares with may be typed if it has at most this many digits.
_MAX_DIGITS = 12
#: How many smaller games are tried for each game that shows a mutant.
_SMALLER = 60
_FOREVER = float("inf")


class Found(NamedTuple):
    """A session that was tried, and what this session shows but no session of the spec shows."""

    session: Session
    expected: Transcript
    #: The ids of the surviving mutants that the session shows.
    mutants: frozenset[str]
    #: The lines that the session is the first to run.
    lines: frozenset[str]

    @property
    def game(self) -> Game:
        """The session as a game."""
        lines = self.expected.lines
        return Game(int(lines[0]), lines[1:]) if self.session.stage.is_seeded else Game(None, lines)


class SessionSearch:
    """Looks for sessions of one stage."""

    def __init__(self, trial: Trial, survivors: Sequence[str]) -> None:
        """Look for sessions that show one of these mutants, or run a line that no session has run."""
        self._trial, self._stage = trial, trial.stage
        by_id = {mutant.id: mutant for mutant in trial.mutants}
        loaded = {id_: trial.load(by_id[id_]) for id_ in survivors}
        self._mutants: dict[str, tuple[Mutant, ExpectedRun | None]] = {
            id_: (by_id[id_], None if main is None else run_of(main)) for id_, main in loaded.items()
        }
        self._run: ExpectedRun = expected_run_in_process(trial.ran.main, "the reference")
        self._unreached = set(trial.unreached())
        self._patience = CircuitBreaker()
        self._ran: set[Statement] = set()
        #: How many sessions were tried.
        self.count = 0

    def useful_sessions(self) -> list[Found]:
        """All sessions that show something new, among those tried."""
        with within_mutant_limits():
            return [hit for hit in self._all() if hit.mutants or hit.lines]

    def _all(self) -> Iterator[Found]:
        for session in _other_seeds(self._stage):
            try:
                experiment = self._patience.call(self._trial.experiment, session, self._run)
            except HarnessError:
                continue
            yield self._what_is_new(session, experiment.done)
        known = with_numbers(known_games(self._stage, until=_FOREVER), numbers_compared(self._trial))
        games = Games(self._stage, known, self._run)
        self._trial.ran.take()
        for _ in range(GAMES):
            for game, transcript in games.take(1, until=_FOREVER):
                hit = self._what_is_new(session_of(self._stage, game), transcript)
                yield hit
                if hit.mutants:
                    yield from self._smaller(game, games)

    def _smaller(self, game: Game, games: Games) -> Iterator[Found]:
        """Tries games smaller than `game`; yields what each game shows."""
        for smaller in islice(smaller_than(game), _SMALLER):
            transcript = games.expected(smaller)
            if transcript is not None:
                yield self._what_is_new(session_of(self._stage, smaller), transcript)

    def _what_is_new(self, session: Session, transcript: Transcript) -> Found:
        """Returns a session with the surviving mutants that it shows and the lines that it is the first to run."""
        self.count += 1
        ran = self._trial.ran.take()
        experiment = experiment_in(session, transcript)
        mutants = frozenset(
            id_
            for id_, (mutant, run) in self._mutants.items()
            if run is not None and self._trial.can_reveal(mutant, ran) and experiment.differs(run)
        )
        return Found(session, transcript, mutants, self._lines(ran))

    def _lines(self, ran: set[Statement]) -> frozenset[str]:
        """Returns the lines that this session is the first to run."""
        if ran <= self._ran:
            return frozenset()
        self._ran |= ran
        still_unreached = set(self._trial.unreached())
        lines, self._unreached = frozenset(self._unreached - still_unreached), still_unreached
        return lines


def _other_seeds(stage: Stage) -> Iterator[Session]:
    """Sessions of the generated cases with seeds that the cases do not have."""
    for case in stage.spec.cases:
        # A case with its own arguments or files cannot be proposed: a new case uses those of the stage.
        if stage.is_seeded and isinstance(case.session, Generated) and case.invocation == stage.invocation:
            for seed in (*range(1, SEEDS + 1), *_SPECIAL_SEEDS):
                if seed not in case.session.seeds:
                    yield Session(stage, case, seed)


def fewest(found: Sequence[Found]) -> list[Found]:
    """Selects a few sessions that together show everything that `found` shows.

    Each selected session shows the most of what is left; ties go to the smallest session.
    """
    mutants: set[str] = set().union(*(hit.mutants for hit in found))
    lines: set[str] = set().union(*(hit.lines for hit in found))
    selected = []
    while mutants or lines:
        best = min(found, key=lambda hit: (-len(hit.mutants & mutants) - len(hit.lines & lines), size_of(hit.game)))
        selected.append(best)
        mutants -= best.mutants
        lines -= best.lines
    return selected


def smallest_for(found: Sequence[Found]) -> Mapping[str, Found]:
    """The smallest session that shows each mutant, by the mutant's id."""
    best: dict[str, Found] = {}
    for hit in found:
        for id_ in hit.mutants:
            if id_ not in best or size_of(hit.game) < size_of(best[id_].game):
                best[id_] = hit
    return best


def numbers_compared(trial: Trial) -> list[int]:
    """The whole numbers in comparisons and module constants of a stage's executed code, and their neighbours."""
    numbers: set[int] = set()
    for name, module in trial.original.modules.items():
        for place in module.places:
            if not trial.ran.total[name][place.number]:
                continue
            for node in ast.walk(place.node):
                match node:
                    case ast.Compare(left=first_operand, comparators=comparators):
                        numbers |= {
                            value
                            for expression in (first_operand, *comparators)
                            if (value := _number(expression)) is not None
                        }
                    case ast.Assign(value=value) if place.function is None and not place.scope:
                        parts = value.elts if isinstance(value, ast.Tuple) else [value]
                        numbers |= {number for part in parts if (number := _number(part)) is not None}
    return sorted({number + step for number in numbers for step in (-1, 0, 1)})


def _number(node: ast.expr) -> int | None:
    """The value of a whole number, or of an expression of whole numbers; None for anything else."""
    node_types = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    if not all(isinstance(node, node_types) for node in ast.walk(node)):
        return None
    try:
        value = eval(compile(ast.Expression(node), "<number>", "eval"), {"__builtins__": {}})
    except (ArithmeticError, TypeError, ValueError, MemoryError):
        return None
    return value if type(value) is int and len(str(abs(value))) <= _MAX_DIGITS else None


def with_numbers(known: KnownGames, numbers: Sequence[int]) -> KnownGames:
    """Returns the known games with further numbers for the questions that numbers answer.

    A game with these numbers is fair under the same condition as any other game: its steps occur in the cases.
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


#: A line with a list of seeds.
_LIST = re.compile(r"(\s*seeds: )\[(.*)\](\s*)")
#: A line with one seed or one range of seeds.
_RANGE = re.compile(r"(\s*seeds: )(-?[0-9]+(?:\.\.-?[0-9]+)?)(\s*)")
#: The maximum length of a change's description in the name of a case.
_LONGEST = 60


def grown(path: Path, found: Found, name: str) -> tuple[str, str]:
    """Returns the text of a spec file with one more session, and a phrase that names the addition.

    The seed of a generated session is added to its case if the case's seeds are on one line; any other session is
    added as a recorded case called `name`.
    """
    case, seed = found.session.case, found.session.seed
    if isinstance(case.session, Generated) and seed is not None:
        text = with_seed(path, case.name, seed)
        if text is not None:
            return text, f"seed {seed} of {case.name!r}"
    exit_code = found.expected.ending.exit_code or 0
    return with_new_case(path, name, found.expected.events, exit_code=exit_code), f"case {name!r}"


def case_name(found: Found, names: Sequence[str]) -> str:
    """A name for a recorded case that no other case has."""
    shortest = min(found.mutants | found.lines, key=len)
    name = f"shows {shortest if len(shortest) <= _LONGEST else shortest[: _LONGEST - 1] + '…'}"
    number = 2
    unique = name
    while unique in names:
        unique = f"{name} ({number})"
        number += 1
    return unique


def with_seed(path: Path, case: str, seed: int) -> str | None:
    """The text of a spec file with a seed added to a case; None if the case's seeds are not found on one line."""
    number = _line_of_seeds(path, case)
    if number is None:
        return None
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    line = lines[number - 1]
    if (match := _LIST.fullmatch(line)) or (match := _RANGE.fullmatch(line)):
        lines[number - 1] = f"{match[1]}[{match[2]}, {seed}]{match[3]}"
    else:
        return None
    return "".join(lines)


def _line_of_seeds(path: Path, name: str) -> int | None:
    """The line number of a case's `seeds:` key, counted from 1."""
    root = read_yaml(path)
    cases = root.entries.get("cases") if isinstance(root, Keyed) else None
    for case in cases.items if isinstance(cases, Items) else ():
        if isinstance(case, Keyed) and "seeds" in case.entries:
            name_node = case.entries.get("name")
            if isinstance(name_node, Text) and name_node.value == name:
                return int(case.key_places["seeds"].rpartition(":")[2])
    return None
