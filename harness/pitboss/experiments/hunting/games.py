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

#: The first games are short: (last game number, maximum number of freely chosen lines).
_SHORT = ((60, 2), (300, 4), (900, 10))
#: The maximum number of freely chosen lines in a game.
_MAX_LINES = 150
#: The maximum number of further lines until the game ends.
_MAX_UNTIL_THE_END = 40
#: The highest seed of the first games; later games may have any seed.
_FIRST_SEEDS = 220
#: One in this many seeds is 0, -1 or a bound.
_SPECIAL_SEEDS = 15
#: The weights from which each player picks one for each kind of answer.
_WEIGHTS = (0, 1, 1, 1, 6)
#: The probability that a typed number is not chosen from the numbers in the cases and their neighbours.
_OTHER_NUMBERS = 0.4
#: The probability that this other number is near a number on the screen, which may be a limit.
_SEEN_NUMBERS = 0.7
#: How many characters at the end of a conversation are searched for numbers.
_IN_SIGHT = 300
#: A whole number that is not part of a word or of a longer number.
_NUMBER = re.compile(r"(?<![\w.,])-?[0-9]{1,9}(?![\w.,]*[0-9])")
#: After this many tries in a row without a new game, the games are exhausted.
_MAX_IN_VAIN = 600


class Game(msgspec.Struct, frozen=True):
    """A session to try: the seed, and the lines typed after the seed."""

    seed: int | None
    lines: tuple[bytes, ...]

    @property
    def typed(self) -> tuple[bytes, ...]:
        """All typed lines, the seed first."""
        return (() if self.seed is None else (str(self.seed).encode(),)) + self.lines


class PlayStyle:
    """Random preferences among the answers, so that some players continue for a long time and others stop early."""

    def __init__(self, known: KnownGames, chance: random.Random) -> None:
        """Choose answers with this random generator."""
        self._known_games, self._chance = known, chance
        self._weights: dict[str, list[int]] = {}

    def answer(self, key: str, numbers: Sequence[int] = ()) -> bytes:
        """A line that answers a question; `numbers` were shown or typed recently."""
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
        nearby = [number + self._chance.choice((-1, 0, 0, 1)) for number in seen]
        candidates = [number for number in nearby if max(lowest, 0) <= number <= highest]
        if candidates and self._chance.random() < _SEEN_NUMBERS:
            return str(self._chance.choice(candidates)).encode()
        highest = max(int(highest ** self._chance.random()), lowest, 0)
        return str(self._chance.randint(max(lowest, 0), highest)).encode()

    def closing(self, key: str) -> bytes:
        """A line that brings the game closer to its end."""
        answers = self._known_games.questions[key].answers
        kinds = [kind for kind in self._known_games.towards_end(key) if kind in answers] or list(answers)
        return self._chance.choice(answers[self._chance.choice(kinds)])


class Games:
    """The games of a stage whose programs draw nothing, or draw from a seed."""

    def __init__(self, stage: Stage, known: KnownGames, expected_run: ExpectedRun) -> None:
        """Generate games from the known games; `expected_run` runs the reference."""
        self._stage, self._known_games, self._expected_run = stage, known, expected_run
        self._seeds = seeds_of(stage)
        #: The exit codes that the cases expect; "nonzero" represents any code except 0.
        self._exit_codes = {case.exit_code for case in stage.spec.cases}
        self._seen: set[Game] = set()
        self._number = self._in_vain = 0
        #: Games in which the reference itself failed.
        self.failed: set[Game] = set()
        #: The message of the reference's first failure.
        self.failure = ""

    @property
    def is_exhausted(self) -> bool:
        """Whether no new games can be found."""
        return self._in_vain >= _MAX_IN_VAIN

    def take(self, count: int, *, until: float) -> list[tuple[Game, Transcript]]:
        """The next `count` games with their expected runs; fewer if the time is up or no games are left."""
        new_games: list[tuple[Game, Transcript]] = []
        while len(new_games) < count and not self.is_exhausted and time.monotonic() < until:
            self._in_vain += 1
            game, transcript = self._next()
            if transcript is not None and self._is_new_and_fair(game, transcript):
                new_games.append((game, transcript))
                self._in_vain = 0
        return new_games

    def expected(self, game: Game) -> Transcript | None:
        """The expected run of a game; None if the game was tried before, is incomplete or is not fair."""
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
        """The exit code to expect in a game with this transcript of the reference; None if no case expects the code.

        If no case has exactly this code, but a case accepts any code except 0, the result is "nonzero".
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
        """The next player's game and the reference's transcript; None as the transcript if the reference fails."""
        self._number += 1
        chance = random.Random(self._number)
        seed = self._seed(chance) if self._stage.is_seeded else None
        max_lines = next((lines for number, lines in _SHORT if self._number <= number), _MAX_LINES)
        max_lines = chance.randint(0, min(max_lines, self._known_games.longest))
        style = PlayStyle(self._known_games, chance)
        lines: list[bytes] = []
        seed_lines = [] if seed is None else [str(seed).encode()]

        def input_script(events: Sequence[Event]) -> bytes | None:
            if seed_lines:
                return seed_lines.pop()
            last = events[-1] if events else None
            text = last.text.decode("utf-8", "replace") if isinstance(last, Shown) else ""
            key = key_of(text.rpartition("\n")[2])
            if key not in self._known_games.questions or len(lines) >= max_lines + _MAX_UNTIL_THE_END:
                return None
            lines.append(style.answer(key, _in_sight(events)) if len(lines) < max_lines else style.closing(key))
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
    """A player for a stage whose programs draw at random; the answers to each question are chosen in advance.

    `texts` maps the name of each free text to the text that the program shows.
    """
    chance = random.Random(number)
    style = PlayStyle(known, chance)
    max_lines = chance.randint(0, min(_SHORT[1][1] if number < _SHORT[0][0] else _SHORT[2][1] * 3, known.longest))
    habits = []
    for key, question in known.questions.items():
        free = [style.answer(key) for _ in range(max_lines)]
        ending = [style.closing(key) for _ in range(_MAX_UNTIL_THE_END)]
        answers = Answers((*free, *ending), Then.END)
        habits += [Scripted(prompt, answers) for prompt in _as_patterns(question, stage, texts)]
    return Player(f"wandering {number}", habits=tuple(habits))


def _as_patterns(question: Question, stage: Stage, texts: Mapping[str, bytes | None]) -> tuple[str, ...]:
    """Patterns for the possible wordings of a question, given the policy's free texts, alternatives and blanks."""
    prompts = set(question.prompts)
    for free in stage.policy.free:
        shown_parts = (texts.get(free.name) or b"").decode("utf-8", "surrogateescape").rpartition("\n")
        if free.kind == "prompt" and shown_parts[2]:
            prompts |= {
                prompt.replace(text, shown_parts[2])
                for text in (free.text, *free.synonyms)
                for prompt in question.prompts
            }
    return tuple(sorted(prompt for prompt in wordings_of(prompts, stage.policy) if prompt.strip()))


#: Seeds to try instead of a larger seed.
_SMALL_SEEDS = range(1, 21)
#: Short lines to try instead of longer lines.
_SHORT_LINES = (b"1", b"10")


def size_of(game: Game) -> tuple[int, int, int]:
    """The size of a game, for comparison: the number of lines, the number of bytes in them, and the absolute seed."""
    return len(game.lines), sum(map(len, game.lines)), abs(game.seed or 0)


def smaller_than(game: Game) -> Iterator[Game]:
    """Smaller games, starting with games that omit the most lines; some games may not be playable."""
    lines, count = game.lines, len(game.lines)
    size = count // 2
    while size >= 1:
        for start in range(0, count - size + 1):
            yield msgspec.structs.replace(game, lines=lines[:start] + lines[start + size :])
        size //= 2
    for index, line in enumerate(lines):
        for short_line in _SHORT_LINES:
            if len(short_line) < len(line):
                yield msgspec.structs.replace(game, lines=(*lines[:index], short_line, *lines[index + 1 :]))
    if game.seed is not None and abs(game.seed) > _SMALL_SEEDS[-1]:
        yield from (msgspec.structs.replace(game, seed=seed) for seed in _SMALL_SEEDS)
