"""Generates distinct games, short games first, and makes games smaller.

The first lines of a game are random; then come closing lines, which lead to the end of the game in the fewest steps.
A smaller game has fewer lines, shorter lines or a smaller seed.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from pitboss.assignments.assignment import Answers, Case, Generated, Player, PromptAnswers, Stage, Then
from pitboss.assignments.cases import Session
from pitboss.errors import HarnessError
from pitboss.experiments.hunting.questions import KnownGames, Question, key_of, seed_range, steps_of
from pitboss.model.invocation import InputScript, script_of_lines
from pitboss.model.line_rules import likely_variants_of
from pitboss.model.transcript import Event, ExitCode, InputEnded, Shown, Transcript, Typed
from pitboss.sessions.references import ExpectedRun

#: The first games are short. In each pair: the number of the last game with this limit, and the maximum number of its
#: random lines.
_LINE_LIMITS = ((60, 2), (300, 4), (900, 10))
#: The number of the last game with the lowest limit.
_LAST_SHORTEST_GAME = _LINE_LIMITS[0][0]
#: The number of the last game with one of these limits.
_LAST_SHORT_GAME = _LINE_LIMITS[-1][0]
#: The maximum number of random lines in any later game.
_MAX_LINES = 150
#: For a stage whose programs draw at random: the maximum number of random lines of each player with a number below
#: _LAST_SHORTEST_GAME.
_MAX_LINES_OF_FIRST_PLAYERS = 4
#: For such a stage: the maximum number of random lines of each other player.
_MAX_LINES_OF_LATER_PLAYERS = 30
#: The maximum number of closing lines in a game; a game that needs more is given up.
_MAX_CLOSING_LINES = 40
#: The highest seed of the short first games, except special seeds; later games may have any seed.
_MAX_FIRST_SEED = 220
#: One game in this many has a special seed: 0, -1, or the lowest or highest seed that the stage allows.
_SPECIAL_SEED_INTERVAL = 15
#: The possible weights of a kind of answer; each player picks one of these weights for each kind.
_WEIGHTS = (0, 1, 1, 1, 6)
#: The probability that a typed number is chosen freely, instead of from the numbers in the cases and their neighbours.
_FREE_NUMBER_PROBABILITY = 0.4
#: The probability that a freely chosen number is near a number that was shown or typed recently, which may be a limit.
_NEARBY_NUMBER_PROBABILITY = 0.7
#: How many events at the end of a session are searched for recent numbers.
_SEARCHED_EVENTS = 8
#: How many characters at the end of the text of these events are searched.
_SEARCHED_CHARACTERS = 300
#: A whole number that is not part of a word or of a longer number.
_NUMBER = re.compile(r"(?<![\w.,])-?[0-9]{1,9}(?![\w.,]*[0-9])")
#: After this many tries in a row without a new, fair game, the search for games stops.
_MAX_FAILED_TRIES = 600


class Game(msgspec.Struct, frozen=True):
    """A session to try: the seed, and the lines typed after the seed."""

    seed: int | None
    lines: tuple[bytes, ...]

    @property
    def typed(self) -> tuple[bytes, ...]:
        """All typed lines, the seed first."""
        return (() if self.seed is None else (str(self.seed).encode(),)) + self.lines


class PlayStyle:
    """A player's random preferences among the answers: some players continue for a long time, others stop early."""

    def __init__(self, known: KnownGames, rng: random.Random) -> None:
        """Choose answers with this random generator."""
        self._known_games, self._rng = known, rng
        self._weights: dict[str, list[int]] = {}

    def answer(self, key: str, numbers: Sequence[int] = ()) -> bytes:
        """A random line that answers the question with this key; `numbers` were shown or typed recently."""
        question = self._known_games.questions[key]
        kinds = list(question.answers)
        if key not in self._weights:
            weights = self._rng.choices(_WEIGHTS, k=len(kinds))
            self._weights[key] = weights if any(weights) else [1] * len(kinds)
        (kind,) = self._rng.choices(kinds, self._weights[key])
        # "#" is the kind of whole numbers without a sign: see `kind_of`.
        if kind == "#" and question.numbers and self._rng.random() < _FREE_NUMBER_PROBABILITY:
            return self._number(*question.numbers, numbers)
        return self._rng.choice(question.answers[kind])

    def _number(self, lowest: int, highest: int, recent_numbers: Sequence[int]) -> bytes:
        """A number in the range: near one of `recent_numbers`, or chosen at random on a logarithmic scale."""
        near_numbers = [number + self._rng.choice((-1, 0, 0, 1)) for number in recent_numbers]
        candidates = [number for number in near_numbers if max(lowest, 0) <= number <= highest]
        if candidates and self._rng.random() < _NEARBY_NUMBER_PROBABILITY:
            return str(self._rng.choice(candidates)).encode()
        highest = max(int(highest ** self._rng.random()), lowest, 0)
        return str(self._rng.randint(max(lowest, 0), highest)).encode()

    def closing_answer(self, key: str) -> bytes:
        """A random line among the answers that lead to the end of the game in the fewest steps."""
        answers = self._known_games.questions[key].answers
        kinds = [kind for kind in self._known_games.kinds_towards_end(key) if kind in answers] or list(answers)
        return self._rng.choice(answers[self._rng.choice(kinds)])


class Games:
    """The games of a stage whose programs draw nothing, or take all draws from a seed."""

    def __init__(self, stage: Stage, known: KnownGames, expected_run: ExpectedRun) -> None:
        """Generate games from the known games; `expected_run` runs the reference."""
        self._stage, self._known_games, self._expected_run = stage, known, expected_run
        self._seeds = seed_range(stage)
        #: The exit codes that the cases expect; "nonzero" represents any code except 0.
        self._exit_codes = {case.exit_code for case in stage.spec.cases}
        self._tried_games: set[Game] = set()
        #: The number of the last game that was generated.
        self._number = 0
        #: How many tries in a row found no new, fair game.
        self._failed_tries = 0
        #: Games in which the reference itself failed.
        self.failed: set[Game] = set()
        #: The message of the reference's first failure.
        self.failure = ""

    @property
    def is_exhausted(self) -> bool:
        return self._failed_tries >= _MAX_FAILED_TRIES

    def take(self, count: int, *, until: float) -> list[tuple[Game, Transcript]]:
        """The next `count` games with their expected runs; fewer if the time is up or no games are left."""
        new_games: list[tuple[Game, Transcript]] = []
        while len(new_games) < count and not self.is_exhausted and time.monotonic() < until:
            self._failed_tries += 1
            game, transcript = self._next_game()
            if transcript is not None and self._add_if_new_and_fair(game, transcript):
                new_games.append((game, transcript))
                self._failed_tries = 0
        return new_games

    def expected(self, game: Game) -> Transcript | None:
        """The expected run of a game; None if the game was tried before, is incomplete or is not fair."""
        if game in self._tried_games:
            return None
        transcript = self._transcript(script_of_lines(game.typed), lambda: game)
        return transcript if transcript is not None and self._add_if_new_and_fair(game, transcript) else None

    def _add_if_new_and_fair(self, game: Game, transcript: Transcript) -> bool:
        """Record a game as tried; return whether the game is new, complete, ends as some case does, and is fair."""
        if game in self._tried_games:
            return False
        self._tried_games.add(game)
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
        """The reference's transcript; if the reference fails, record its failure in `game()` and return None."""
        try:
            return self._expected_run(input_script, invocation=self._stage.invocation)
        except HarnessError as error:
            self.failed.add(game())
            lines = str(error).strip().splitlines()
            self.failure = self.failure or " ".join(dict.fromkeys((lines[0], lines[-1])))
            return None

    def _next_game(self) -> tuple[Game, Transcript | None]:
        """The next game and the reference's transcript of the game; the transcript is None if the reference fails."""
        self._number += 1
        rng = random.Random(self._number)
        seed = self._seed(rng) if self._stage.is_seeded else None
        max_lines = next((lines for number, lines in _LINE_LIMITS if self._number <= number), _MAX_LINES)
        random_line_count = rng.randint(0, min(max_lines, self._known_games.longest))
        style = PlayStyle(self._known_games, rng)
        lines: list[bytes] = []
        seed_lines = [] if seed is None else [str(seed).encode()]

        def input_script(events: Sequence[Event]) -> bytes | None:
            if seed_lines:
                return seed_lines.pop()
            last_event = events[-1] if events else None
            text = last_event.text.decode("utf-8", "replace") if isinstance(last_event, Shown) else ""
            key = key_of(text.rpartition("\n")[2])
            if key not in self._known_games.questions or len(lines) >= random_line_count + _MAX_CLOSING_LINES:
                return None
            lines.append(
                style.answer(key, _recent_numbers(events))
                if len(lines) < random_line_count
                else style.closing_answer(key)
            )
            return lines[-1]

        transcript = self._transcript(input_script, lambda: Game(seed, tuple(lines)))
        return Game(seed, tuple(lines)), transcript

    def _seed(self, rng: random.Random) -> int:
        """The seed of the next game: small seeds first, then any seed, with special seeds at regular intervals."""
        lowest, highest = self._seeds
        if self._number % _SPECIAL_SEED_INTERVAL == 0:
            return rng.choice([seed for seed in (0, -1, lowest, highest) if lowest <= seed <= highest])
        if self._number <= _LAST_SHORTEST_GAME:
            return 1 + (self._number - 1) % _MAX_FIRST_SEED
        if self._number <= _LAST_SHORT_GAME:
            return rng.randint(max(lowest, -2), _MAX_FIRST_SEED)
        return rng.choice((rng.randint(lowest, highest), rng.randint(1, 10_000), rng.choice(self._seeds)))


def _recent_numbers(events: Sequence[Event]) -> list[int]:
    """The numbers at the end of a session's text, shown or typed."""
    text = b" ".join(map(_text_of, events[-_SEARCHED_EVENTS:])).decode("utf-8", "replace")
    return [int(number) for number in _NUMBER.findall(text[-_SEARCHED_CHARACTERS:])]


def _text_of(event: Event) -> bytes:
    match event:
        case Shown(text) | Typed(text):
            return text
    return b" "


def session_of(stage: Stage, game: Game, *, exit_code: ExitCode = 0) -> Session:
    generated = Generated((game.seed,), Answers(game.lines))
    case = Case(
        "hunted",
        generated,
        stage.lenient_policy,
        exit_code=exit_code,
        place=str(stage.spec.path),
        invocation=stage.invocation,
    )
    return Session(stage, case, game.seed)


_NO_TEXTS: Mapping[str, bytes | None] = {}


def random_player(
    stage: Stage, known: KnownGames, number: int, texts: Mapping[str, bytes | None] = _NO_TEXTS
) -> Player:
    """Player `number` for a stage whose programs draw at random; its answers to each question are chosen in advance.

    `texts` maps the name of each free text (one that programs may word freely, `compare: free`) to the text that the
    program shows; None if the program shows no such text.
    """
    rng = random.Random(number)
    style = PlayStyle(known, rng)
    max_lines = _MAX_LINES_OF_FIRST_PLAYERS if number < _LAST_SHORTEST_GAME else _MAX_LINES_OF_LATER_PLAYERS
    random_line_count = rng.randint(0, min(max_lines, known.longest))
    prompt_answers = []
    for key, question in known.questions.items():
        random_answers = [style.answer(key) for _ in range(random_line_count)]
        closing_answers = [style.closing_answer(key) for _ in range(_MAX_CLOSING_LINES)]
        answers = Answers((*random_answers, *closing_answers), Then.END)
        prompt_answers += [PromptAnswers(prompt, answers) for prompt in _prompt_patterns(question, stage, texts)]
    return Player(f"wandering {number}", prompt_answers=tuple(prompt_answers))


def _prompt_patterns(question: Question, stage: Stage, texts: Mapping[str, bytes | None]) -> tuple[str, ...]:
    """Patterns for likely wordings of a question that the stage's policy allows.

    For `texts` see `random_player`: a question that contains a free text may also have the program's own text there.
    """
    prompts = set(question.prompts)
    for free_text in stage.policy.free:
        shown_text = (texts.get(free_text.name) or b"").decode("utf-8", "surrogateescape")
        shown_prompt = shown_text.rpartition("\n")[2]
        if free_text.kind == "prompt" and shown_prompt:
            prompts |= {
                prompt.replace(text, shown_prompt)
                for text in (free_text.text, *free_text.synonyms)
                for prompt in question.prompts
            }
    return tuple(sorted(prompt for prompt in likely_variants_of(prompts, stage.policy) if prompt.strip()))


#: Seeds that replace a larger seed in a smaller game.
_REPLACEMENT_SEEDS = range(1, 21)
#: Lines that replace a longer line in a smaller game.
_REPLACEMENT_LINES = (b"1", b"10")


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
        for short_line in _REPLACEMENT_LINES:
            if len(short_line) < len(line):
                yield msgspec.structs.replace(game, lines=(*lines[:index], short_line, *lines[index + 1 :]))
    if game.seed is not None and abs(game.seed) > _REPLACEMENT_SEEDS[-1]:
        yield from (msgspec.structs.replace(game, seed=seed) for seed in _REPLACEMENT_SEEDS)
