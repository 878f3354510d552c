"""Generates distinct games with random players, and makes games smaller.

A random player has random answers to each question, few of them in the first games, and then closing answers, which
lead to the end of the game in the fewest steps. A smaller game has fewer lines, shorter lines or a smaller seed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from pitboss.assignments.assignment import Answers, Case, Generated, Player, PromptAnswers, Spec, Stage, Then
from pitboss.assignments.cases import Session
from pitboss.errors import HarnessError
from pitboss.experiments.hunting.questions import KnownGames, Question, key_of, seed_range, steps_of
from pitboss.model.equality import equality
from pitboss.model.invocation import InputScript, script_of_lines
from pitboss.model.transcript import Event, ExitCode, InputEnded, Shown, Transcript
from pitboss.sessions.references import ExpectedRun

#: Random players with lower numbers have at most _FEW_ANSWERS random answers to each question, others at most
#: _MANY_ANSWERS. In games whose expected run is known, this limit is 1 at first and grows by 1 every _GROWTH_INTERVAL.
_MIN_NUMBER_OF_LONG_GAMES = 60
_FEW_ANSWERS, _MANY_ANSWERS = 4, 30
_GROWTH_INTERVAL = 20
#: The number of closing answers to each question; a player that needs more ends the input.
_CLOSING_ANSWERS = 40
#: The possible weights of a kind of answer: some players continue for a long time, others stop early.
_WEIGHTS = (0, 1, 1, 1, 6)
#: The probability that a typed number is chosen freely, instead of from the numbers in the cases and their neighbours.
_FREE_NUMBER_PROBABILITY = 0.4
#: The highest seed of half of the games.
_MAX_SMALL_SEED = 220
#: One game in this many has a special seed: 0, -1, or the lowest or highest seed that the stage allows.
_SPECIAL_SEED_INTERVAL = 15
#: After this many tries in a row without a new, fair game, the search for games stops.
_MAX_FAILED_TRIES = 600

#: The typed lines of a game, the seed first if the stage has one.
Lines = tuple[bytes, ...]


def _random_answers(known: KnownGames, number: int, max_count: int) -> dict[str, Iterator[bytes]]:
    """The answers of random player `number` to each question, by the question's key; at most `max_count` are random."""
    rng = random.Random(number)
    count = rng.randint(0, min(max_count, known.longest))
    return {key: _answers_to(key, known, count, rng) for key in known.questions}


def _answers_to(key: str, known: KnownGames, count: int, rng: random.Random) -> Iterator[bytes]:
    """`count` random answers to a question, and then closing answers."""
    question = known.questions[key]
    kinds = tuple(question.answers)
    weights = rng.choices(_WEIGHTS, k=len(kinds)) if count else []
    for _ in range(count):
        (kind,) = rng.choices(kinds, weights if any(weights) else None)
        # "#" is the kind of whole numbers without a sign: see `kind_of`.
        if kind == "#" and question.numbers and rng.random() < _FREE_NUMBER_PROBABILITY:
            lowest, highest = (max(number, 0) for number in question.numbers)
            yield b"%d" % rng.randint(lowest, max(int(highest ** rng.random()), lowest))
        else:
            yield rng.choice(question.answers[kind])
    closing_kinds = [kind for kind in known.kinds_towards_end(key) if kind in question.answers] or kinds
    for _ in range(_CLOSING_ANSWERS):
        yield rng.choice(question.answers[rng.choice(closing_kinds)])


def random_player(stage: Stage, known: KnownGames, number: int, texts: Mapping[str, bytes | None]) -> Player:
    """Random player `number` for any program of a stage, which may word its prompts as the stage's policy allows.

    `texts` maps the name of each free text (one that programs may word freely, `compare: free`) to the text that the
    program shows; None if the program shows no such text.
    """
    prompt_answers = []
    max_count = _FEW_ANSWERS if number < _MIN_NUMBER_OF_LONG_GAMES else _MANY_ANSWERS
    for key, lines in _random_answers(known, number, max_count).items():
        answers = Answers(tuple(lines), Then.END)
        prompts = _prompt_patterns(known.questions[key], stage, texts)
        prompt_answers += [PromptAnswers(prompt, answers) for prompt in prompts]
    return Player(f"wandering {number}", prompt_answers=tuple(prompt_answers))


def _prompt_patterns(question: Question, stage: Stage, texts: Mapping[str, bytes | None]) -> list[str]:
    """Likely wordings of a question; a question that contains a free text may have the program's own text there."""
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
    variants = set[str]().union(*map(equality(stage.policy).variants, prompts))
    return sorted(prompt for prompt in variants if prompt.strip())


def session_of(
    stage: Stage, answers: Answers | Player, seed: int | None = None, *, number: int = 0, exit_code: ExitCode = 0
) -> Session:
    """A session that belongs to no case."""
    generated, policy, place = Generated((seed,), answers), stage.lenient_policy, str(stage.spec.path)
    case = Case("hunted", generated, policy, exit_code=exit_code, place=place, invocation=stage.invocation)
    return Session(stage, case, seed, number)


class Games:
    """The games of a stage whose programs draw nothing, or take all draws from a seed.

    A game is a pair of a session that types fixed lines, and the reference's transcript in it.
    """

    def __init__(self, stage: Stage, known: KnownGames, expected_run: ExpectedRun) -> None:
        """Generate games from the known games; `expected_run` runs the reference."""
        self._known_games, self._expected_run, self._seeds = known, expected_run, seed_range(stage)
        #: The exit codes that the cases expect; "nonzero" represents any code except 0.
        self._exit_codes = {case.exit_code for case in stage.spec.cases}
        #: Without cases a stage is cheap to send to a worker.
        self._stage = msgspec.structs.replace(stage, spec=Spec(stage.spec.path, stage.spec.program, ()))
        self._tried: set[Lines] = set()
        #: The number of the last random player, and how many of the last players in a row played no new, fair game.
        self._number = self._failed_tries = 0
        #: How the reference failed, by the lines that were typed.
        self.reference_failures: dict[Lines, str] = {}

    @property
    def is_exhausted(self) -> bool:
        return self._failed_tries >= _MAX_FAILED_TRIES

    def take(self, count: int, *, until: float) -> list[tuple[Session, Transcript]]:
        """The next `count` games; fewer if the time is up or no games are left."""
        games: list[tuple[Session, Transcript]] = []
        while len(games) < count and not self.is_exhausted and time.monotonic() < until:
            self._number += 1
            game = self._game(self._random_script())
            self._failed_tries = 0 if game else self._failed_tries + 1
            games += [game] if game else []
        return games

    def with_lines(self, lines: Lines) -> tuple[Session, Transcript] | None:
        """The game in which these lines are typed; None if it was tried before, is incomplete or is not fair."""
        return None if lines in self._tried else self._game(script_of_lines(lines))

    def _random_script(self) -> InputScript:
        """Types what the next random player answers to the questions of the reference."""
        max_count = min(1 + self._number // _GROWTH_INTERVAL, _MANY_ANSWERS)
        answers = _random_answers(self._known_games, self._number, max_count)
        seed_lines = [b"%d" % self._seed()] if self._stage.is_seeded else []

        def script(events: Sequence[Event]) -> bytes | None:
            if seed_lines:
                return seed_lines.pop()
            text = events[-1].text.decode("utf-8", "replace") if events and isinstance(events[-1], Shown) else ""
            return next(answers.get(key_of(text.rpartition("\n")[2]), iter(())), None)

        return script

    def _seed(self) -> int:
        """The seed of the next game: small seeds first, then any seed, with special seeds at regular intervals."""
        (lowest, highest), rng = self._seeds, random.Random(f"seed {self._number}")
        if self._number % _SPECIAL_SEED_INTERVAL == 0:
            return rng.choice([seed for seed in (0, -1, lowest, highest) if lowest <= seed <= highest])
        if self._number < _MIN_NUMBER_OF_LONG_GAMES:
            return self._number
        return rng.choice((rng.randint(lowest, highest), rng.randint(max(lowest, -2), _MAX_SMALL_SEED)))

    def _game(self, script: InputScript) -> tuple[Session, Transcript] | None:
        """The game in which a script types; None if it is not new, complete and fair, or ends as no case does."""
        typed: list[bytes] = []

        def record(events: Sequence[Event]) -> bytes | None:
            line = script(events)
            typed.extend([] if line is None else [line])
            return line

        try:
            transcript = self._expected_run(record, invocation=self._stage.invocation)
        except HarnessError as error:
            lines = str(error).strip().splitlines()
            self.reference_failures[tuple(typed)] = " ".join(dict.fromkeys((lines[0], lines[-1])))
            return None
        typed_lines, events, is_seeded = transcript.lines, transcript.events, self._stage.is_seeded
        if typed_lines in self._tried:
            return None
        self._tried.add(typed_lines)
        code: ExitCode = transcript.ending.exit_code
        if code and code not in self._exit_codes:
            code = "nonzero"
        is_complete = code in self._exit_codes and not any(isinstance(event, InputEnded) for event in events)
        if not is_complete or not self._known_games.is_fair(steps_of(events, is_seeded=is_seeded)):
            return None
        seed = int(typed_lines[0]) if is_seeded else None
        return session_of(self._stage, Answers(typed_lines[is_seeded:]), seed, exit_code=code), transcript


#: Seeds that replace a larger seed in a smaller game.
_REPLACEMENT_SEEDS = range(1, 21)
#: Lines that replace a longer line in a smaller game.
_REPLACEMENT_LINES = (b"1", b"10")


def smaller_than(lines: Lines, *, has_seed: bool) -> Iterator[Lines]:
    """The lines of smaller games, starting with games that omit the most lines; some games may not be playable."""
    seed, answers = lines[:has_seed], lines[has_seed:]
    size = len(answers) // 2
    while size >= 1:
        for start in range(len(answers) - size + 1):
            yield seed + answers[:start] + answers[start + size :]
        size //= 2
    for index, line in enumerate(answers):
        for short_line in _REPLACEMENT_LINES:
            if len(short_line) < len(line):
                yield (*seed, *answers[:index], short_line, *answers[index + 1 :])
    if seed and abs(int(seed[0])) > _REPLACEMENT_SEEDS[-1]:
        yield from ((b"%d" % number, *answers) for number in _REPLACEMENT_SEEDS)
