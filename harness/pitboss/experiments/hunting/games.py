"""Generates distinct games, short games first, and makes games smaller.

A smaller game has fewer lines, shorter lines or a smaller seed.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from pitboss.assignments.assignment import Answers, Case, Generated, Player, Scripted, Stage, Then
from pitboss.assignments.cases import Session
from pitboss.errors import HarnessError
from pitboss.experiments.hunting.examples import seeds_of
from pitboss.experiments.hunting.questions import KnownGames, Question, key_of, steps_of
from pitboss.model.line_rules import wordings_of
from pitboss.model.scripts import InputScript, typing
from pitboss.model.transcript import Event, ExitCode, InputEnded, Shown, Transcript, Typed
from pitboss.sessions.references import ExpectedRun

#: The first games have few lines that the player chooses freely: (last game number, maximum number of lines).
_SHORT = ((60, 2), (300, 4), (900, 10))
#: The maximum number of free lines of a game, and the maximum number of further lines until it ends.
_MAX_LINES, _MAX_UNTIL_THE_END = 150, 40
#: The highest seed of the first games; later games may have any seed.
_FIRST_SEEDS = 220
#: One in this many seeds is 0, -1 or a bound.
_SPECIAL_SEEDS = 15
#: The weights from which each player picks one for each kind of answer.
_WEIGHTS = (0, 1, 1, 1, 6)
#: The probability that a number is typed that is neither in the cases nor a neighbour of such a number; and that it is
#: then near a number on the screen, since limits such as the remaining money are shown there.
_OTHER_NUMBERS, _SEEN_NUMBERS = 0.4, 0.7
#: How many characters at the end of a conversation are searched for numbers, and the pattern of a number.
_IN_SIGHT, _NUMBER = 300, re.compile(r"(?<![\w.,])-?[0-9]{1,9}(?![\w.,]*[0-9])")
#: After this many tries in a row without a new game, the games are exhausted.
_MAX_IN_VAIN = 600


class Game(msgspec.Struct, frozen=True):
    """A session to try: its seed, and what is typed after it."""

    seed: int | None
    lines: tuple[bytes, ...]

    @property
    def typed(self) -> tuple[bytes, ...]:
        """All typed lines, the seed first."""
        return (() if self.seed is None else (str(self.seed).encode(),)) + self.lines


class PlayStyle:
    """Random preferences among the answers, so that some players play on for long and others leave early."""

    def __init__(self, known: KnownGames, chance: random.Random) -> None:
        """Choose with this random generator."""
        self._known_games, self._chance = known, chance
        self._weights: dict[str, list[int]] = {}

    def answer(self, key: str, numbers: Sequence[int] = ()) -> bytes:
        """A line that answers a question; `numbers` were shown or typed near the end of the screen."""
        question = self._known_games.questions[key]
        kinds = list(question.answers)
        if key not in self._weights:
            weights = self._chance.choices(_WEIGHTS, k=len(kinds))
            self._weights[key] = weights if any(weights) else [1] * len(kinds)
        (kind,) = self._chance.choices(kinds, self._weights[key])
        if kind == "#" and question.numbers and self._chance.random() < _OTHER_NUMBERS:
            return self._number(*question.numbers, numbers)
        return self._chance.choice(question.answers[kind])

    def _number(self, lowest: int, highest: int, seen: Sequence[int]) -> bytes:
        """A number near one of `seen`, or any number in the range on a logarithmic scale."""
        beside = [number + self._chance.choice((-1, 0, 0, 1)) for number in seen]
        fitting = [number for number in beside if max(lowest, 0) <= number <= highest]
        if fitting and self._chance.random() < _SEEN_NUMBERS:
            return str(self._chance.choice(fitting)).encode()
        highest = max(int(highest ** self._chance.random()), lowest, 0)
        return str(self._chance.randint(max(lowest, 0), highest)).encode()

    def closing(self, key: str) -> bytes:
        """A line that leads towards the end."""
        answers = self._known_games.questions[key].answers
        kinds = [kind for kind in self._known_games.towards_end(key) if kind in answers] or list(answers)
        return self._chance.choice(answers[self._chance.choice(kinds)])


class Games:
    """The games of a stage that draws nothing, or draws from a seed."""

    def __init__(self, stage: Stage, known: KnownGames, expected_run: ExpectedRun) -> None:
        """Generate games from the known games; `expected_run` runs the reference."""
        self._stage, self._known_games, self._expected_run = stage, known, expected_run
        self._seeds = seeds_of(stage)
        #: If the reference ends with any other exit code, it has failed, since no case expects that.
        self._exit_codes = {case.exit_code for case in stage.spec.cases}
        self._seen: set[Game] = set()
        self._number = self._in_vain = 0
        #: Games in which the reference itself failed, and the message of the first failure.
        self.failed: set[Game] = set()
        self.failure = ""

    @property
    def is_exhausted(self) -> bool:
        """Whether no new games can be found any more."""
        return self._in_vain >= _MAX_IN_VAIN

    def take(self, count: int, *, until: float) -> list[tuple[Game, Transcript]]:
        """The next `count` games with their expected runs; fewer if the time is up or there are no more."""
        found: list[tuple[Game, Transcript]] = []
        while len(found) < count and not self.is_exhausted and time.monotonic() < until:
            self._in_vain += 1
            game, transcript = self._next()
            if transcript is not None and self._is_new_and_fair(game, transcript):
                found.append((game, transcript))
                self._in_vain = 0
        return found

    def expected(self, game: Game) -> Transcript | None:
        """The expected run of a new game; None if it was tried before, is incomplete or is not fair."""
        if game in self._seen:
            return None
        transcript = self._transcript(typing(game.typed), lambda: game)
        return transcript if transcript is not None and self._is_new_and_fair(game, transcript) else None

    def _is_new_and_fair(self, game: Game, transcript: Transcript) -> bool:
        if game in self._seen:
            return False
        self._seen.add(game)
        if len(transcript.lines) < len(game.typed) or any(isinstance(event, InputEnded) for event in transcript.events):
            return False
        if self.exit_code_in(transcript) is None:
            return False
        return self._known_games.is_fair(steps_of(transcript.events, is_seeded=self._stage.is_seeded))

    def exit_code_in(self, transcript: Transcript) -> ExitCode | None:
        """The exit code to expect if the reference does this; None if no case expects its code.

        If no case has exactly this code, but a case accepts any code except 0, the game accepts any such code too.
        """
        code = transcript.ending.exit_code
        if code in self._exit_codes:
            return code
        return "nonzero" if code and "nonzero" in self._exit_codes else None

    def _transcript(self, input_script: InputScript, game: Callable[[], Game]) -> Transcript | None:
        try:
            return self._expected_run(input_script, invocation=self._stage.invocation)
        except HarnessError as error:
            self.failed.add(game())
            lines = str(error).strip().splitlines()
            self.failure = self.failure or " ".join(dict.fromkeys((lines[0], lines[-1])))
            return None

    def _next(self) -> tuple[Game, Transcript | None]:
        """The next player's game and the reference's run of it; None if the reference fails in it."""
        self._number += 1
        chance = random.Random(self._number)
        seed = self._seed(chance) if self._stage.is_seeded else None
        most = next((lines for number, lines in _SHORT if self._number <= number), _MAX_LINES)
        most = chance.randint(0, min(most, self._known_games.longest))
        style = PlayStyle(self._known_games, chance)
        lines: list[bytes] = []
        first = [] if seed is None else [str(seed).encode()]

        def input_script(events: Sequence[Event]) -> bytes | None:
            if first:
                return first.pop()
            last = events[-1] if events else None
            text = last.text.decode("utf-8", "replace") if isinstance(last, Shown) else ""
            key = key_of(text.rpartition("\n")[2])
            if key not in self._known_games.questions or len(lines) >= most + _MAX_UNTIL_THE_END:
                return None
            lines.append(style.answer(key, _in_sight(events)) if len(lines) < most else style.closing(key))
            return lines[-1]

        transcript = self._transcript(input_script, lambda: Game(seed, tuple(lines)))
        return Game(seed, tuple(lines)), transcript

    def _seed(self, chance: random.Random) -> int:
        lowest, highest = self._seeds
        if self._number % _SPECIAL_SEEDS == 0:
            return chance.choice([seed for seed in (0, -1, lowest, highest) if lowest <= seed <= highest])
        if self._number <= _SHORT[0][0]:
            return 1 + (self._number - 1) % _FIRST_SEEDS
        if self._number <= _SHORT[-1][0]:
            return chance.randint(max(lowest, -2), _FIRST_SEEDS)
        return chance.choice((chance.randint(lowest, highest), chance.randint(1, 10_000), chance.choice(self._seeds)))


def _in_sight(events: Sequence[Event]) -> list[int]:
    """The numbers shown or typed at the end of a conversation."""
    text = b" ".join(map(_text_of, events[-8:])).decode("utf-8", "replace")
    return [int(number) for number in _NUMBER.findall(text[-_IN_SIGHT:])]


def _text_of(event: Event) -> bytes:
    match event:
        case Shown(text) | Typed(text):
            return text
    return b" "


def session_of(stage: Stage, game: Game, *, exit_code: ExitCode = 0) -> Session:
    """A game as a session of the stage."""
    generated = Generated((game.seed,), Answers(game.lines))
    case = Case(
        "hunted",
        generated,
        stage.lenient,
        exit_code=exit_code,
        place=str(stage.spec.path),
        invocation=stage.invocation,
    )
    return Session(stage, case, game.seed)


_NO_TEXTS: Mapping[str, bytes | None] = {}


def wandering(stage: Stage, known: KnownGames, number: int, texts: Mapping[str, bytes | None] = _NO_TEXTS) -> Player:
    """A player for a stage whose programs draw at random; its answers to each question are chosen in advance.

    `texts` are what the program shows for the free texts.
    """
    chance = random.Random(number)
    style = PlayStyle(known, chance)
    most = chance.randint(0, min(_SHORT[1][1] if number < _SHORT[0][0] else _SHORT[2][1] * 3, known.longest))
    habits = []
    for key, question in known.questions.items():
        free = [style.answer(key) for _ in range(most)]
        ending = [style.closing(key) for _ in range(_MAX_UNTIL_THE_END)]
        answers = Answers((*free, *ending), Then.END)
        habits += [Scripted(prompt, answers) for prompt in _as_patterns(question, stage, texts)]
    return Player(f"wandering {number}", habits=tuple(habits))


def _as_patterns(question: Question, stage: Stage, texts: Mapping[str, bytes | None]) -> tuple[str, ...]:
    """Patterns for a question as programs may word it, given the policy's free texts, alternatives and blanks."""
    prompts = set(question.prompts)
    for free in stage.policy.free:
        own = (texts.get(free.name) or b"").decode("utf-8", "surrogateescape").rpartition("\n")
        if free.kind == "prompt" and own[2]:
            prompts |= {p.replace(text, own[2]) for text in (free.text, *free.synonyms) for p in question.prompts}
    return tuple(sorted(prompt for prompt in wordings_of(prompts, stage.policy) if prompt.strip()))


#: Seeds to try instead of a larger one.
_SMALL_SEEDS = range(1, 21)
#: Short lines to try instead of longer ones.
_SHORT_LINES = (b"1", b"10")


def size_of(game: Game) -> tuple[int, int, int]:
    """The size of a game, for comparison: the number of lines, then of bytes to type, then the seed."""
    return len(game.lines), sum(map(len, game.lines)), abs(game.seed or 0)


def smaller_than(game: Game) -> Iterator[Game]:
    """Smaller games, beginning with the most lines left out; some of them may not be playable."""
    lines, count = game.lines, len(game.lines)
    size = count // 2
    while size >= 1:
        for start in range(0, count - size + 1):
            yield msgspec.structs.replace(game, lines=lines[:start] + lines[start + size :])
        size //= 2
    for place, line in enumerate(lines):
        for other in _SHORT_LINES:
            if len(other) < len(line):
                yield msgspec.structs.replace(game, lines=(*lines[:place], other, *lines[place + 1 :]))
    if game.seed is not None and abs(game.seed) > _SMALL_SEEDS[-1]:
        yield from (msgspec.structs.replace(game, seed=seed) for seed in _SMALL_SEEDS)
