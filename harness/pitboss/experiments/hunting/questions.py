"""The questions of a stage and the lines typed there, learned from its cases.

An assignment does not specify everything: it may leave open the reaction to a key that is not offered, or to a number
below the minimum. A hunt must not report games that depend on this. So a game is fair only if each of its steps (a
question, a kind of answer, and what follows) is a step of some case. Any answer of a known kind may be generated:
numbers between the lowest and the highest number that the cases type, and, if the cases type a letter that is not
offered, other letters that are not offered.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from pitboss.model.transcript import Event, InputEnded, Shown, Typed

#: A question is identified by its last sentences: as many as are needed for this many characters.
_SHORTEST_KEY = 12
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_TYPED_NUMBER = re.compile(r"\s*([+-]?)([0-9]+)([.,][0-9]+)?\s*")
_KEYS_IN_BRACKETS = re.compile(r"[\[(]([^\[\]()]{1,40})[\])]")
_KEY_IN_QUOTES = re.compile(r"['\"‘“]([^\W_]{1,10})['\"’”]")
#: A whole number with more digits than this tests overflow, and does not extend the range of numbers to try.
_MAX_DIGITS = 9
#: The maximum number of typed lines that are stored for one question.
_MAX_ANSWERS = 80

#: Used instead of the next question at the end of a session.
END = "\0"


class AnswerStep(msgspec.Struct, frozen=True):
    """The kind of answer to a question, and what follows the answer."""

    question: str
    kind: str
    #: How many nonempty lines are shown before the next question; 2 means two or more.
    shown_lines: int
    #: The next question; END at the end of the session.
    then: str


class Question(msgspec.Struct, frozen=True):
    """A question of a stage, and lines that answer it."""

    #: The texts that may be last on the screen when the question is asked.
    prompts: tuple[str, ...]
    #: Lines to type, grouped by kind.
    answers: dict[str, tuple[bytes, ...]]
    #: The lowest and the highest whole number typed in answer; None if no whole number was typed.
    numbers: tuple[int, int] | None
    #: Keys that the question offers but no case types.
    untried: frozenset[str]


class KnownGames(msgspec.Struct, frozen=True):
    """What the cases of a stage show about its games."""

    questions: dict[str, Question]
    steps: frozenset[AnswerStep]
    #: The maximum number of lines that a case types after the seed.
    longest: int
    #: The minimum number of answers from each question to the end.
    distances: dict[str, int]

    def is_fair(self, steps: Iterable[AnswerStep]) -> bool:
        """Whether each step occurs in the cases, or answers with a key that the question offers but no case types."""
        return all(step in self.steps or self._is_offered(step) for step in steps)

    def _is_offered(self, step: AnswerStep) -> bool:
        question = self.questions.get(step.question)
        return question is not None and step.kind in question.untried

    def towards_end(self, question: str) -> tuple[str, ...]:
        """The kinds of answers that lead to the end in the fewest steps."""
        options = [
            (self.distances.get(step.then, 1 << 30), step.kind) for step in self.steps if step.question == question
        ]
        nearest = min((distance for distance, _ in options), default=0)
        return tuple(sorted({kind for distance, kind in options if distance == nearest}))


@lru_cache(4096)
def tail_of(line: str) -> str:
    """The end of a prompt line that identifies the question: its last sentences."""
    parts = _SENTENCE.split(line.strip())
    tail = parts.pop()
    while parts and len(tail) < _SHORTEST_KEY:
        tail = f"{parts.pop()} {tail}"
    return tail


@lru_cache(4096)
def key_of(line: str) -> str:
    """The key of a question: the end of its line, with each number replaced by #."""
    return _NUMBER.sub("#", tail_of(line))


@lru_cache(4096)
def offered_in(question: str) -> frozenset[str]:
    """The answers that a question names: `[h/s]`, `(y/n)`, `(h)it`, `'q'`."""
    keys: set[str] = set(_KEY_IN_QUOTES.findall(question))
    for bracketed in _KEYS_IN_BRACKETS.findall(question):
        parts = [part.strip() for part in re.split(r"[/,|]", bracketed)]
        if (len(parts) > 1 or len(parts[0]) == 1) and all(re.fullmatch(r"[^\W_]{1,10}", part) for part in parts):
            keys.update(parts)
    return frozenset(keys)


def kind_of(line: bytes, offered: frozenset[str]) -> str:
    """The kind of a typed line. Plain numbers share a kind, and so do single letters that are not offered."""
    text = line.decode("utf-8", "surrogateescape")
    if text in offered:
        return text
    number = _TYPED_NUMBER.fullmatch(text)
    if number:
        blanks = "_" if text != text.strip() else ""
        size = "#" if len(number[2]) <= _MAX_DIGITS else "##"
        return f"{blanks}{number[1]}{size}{'.#' if number[3] else ''}"
    if offered and len(text) == 1 and text in string.ascii_letters:
        return "a letter" if text.lower() not in offered else "another case"
    return f"={text}"


def steps_of(events: Sequence[Event], *, is_seeded: bool) -> tuple[AnswerStep, ...]:
    """The steps of a session, except answers to the question that asks for the seed."""
    return tuple(step for step, _, _ in _answered(events, is_seeded=is_seeded))


def _answered(events: Sequence[Event], *, is_seeded: bool) -> list[tuple[AnswerStep, str, bytes]]:
    """Like `steps_of`, but returns each step with the prompt line and the typed line."""
    answers: list[tuple[AnswerStep, str, bytes]] = []
    text, question, typed, seed_question = "", "", None, None
    for event in (*events, None):
        if isinstance(event, Shown):
            text += event.text.decode("utf-8", "replace")
        elif event is None or isinstance(event, Typed | InputEnded):
            shown, _, line = text.rpartition("\n") if event is not None else (text, "", "")
            if typed is not None:
                count = sum(1 for line in shown.split("\n") if line.strip())
                then = key_of(line) if event is not None else END
                step = AnswerStep(key_of(question), kind_of(typed, offered_in(question)), min(count, 2), then)
                answers.append((step, question, typed))
            if not isinstance(event, Typed):
                break
            question, typed, text = line, event.line, ""
            seed_question = key_of(line) if is_seeded and seed_question is None else seed_question
    return [answer for answer in answers if answer[0].question != seed_question]


def learned(sessions: Iterable[Sequence[Event]], *, is_seeded: bool) -> KnownGames:
    """The questions and steps of a stage that occur in these sessions."""
    steps: set[AnswerStep] = set()
    lines: dict[str, dict[str, None]] = {}
    typed: dict[str, dict[bytes, None]] = {}
    longest = 0
    for events in sessions:
        answered = _answered(events, is_seeded=is_seeded)
        longest = max(longest, len(answered))
        for step, line, answer in answered:
            steps.add(step)
            lines.setdefault(step.question, {})[line] = None
            typed.setdefault(step.question, {})[answer] = None
    questions = {key: _question(tuple(lines[key]), tuple(typed[key])) for key in lines}
    return KnownGames(questions, frozenset(steps), longest, _distances(steps))


def _question(lines: tuple[str, ...], typed: tuple[bytes, ...]) -> Question:
    offered = frozenset().union(*(offered_in(tail_of(line)) for line in lines))
    numbers = _range(typed)
    kinds = {kind_of(line, offered) for line in typed}
    untried = offered - kinds
    lines_by_kind: dict[str, dict[bytes, None]] = {}
    for line in (*typed[:_MAX_ANSWERS], *(key.encode() for key in sorted(untried)), *_boundaries(typed, numbers)):
        lines_by_kind.setdefault(kind_of(line, offered), {})[line] = None
    if "a letter" in kinds:
        letters = (letter.encode() for letter in string.ascii_lowercase if letter not in offered)
        lines_by_kind["a letter"] |= dict.fromkeys(letters)
    return Question(
        _prompts(lines), {kind: tuple(answers) for kind, answers in lines_by_kind.items()}, numbers, frozenset(untried)
    )


def _prompts(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The possible ends of a prompt: the text after the last number, if long enough, and the last sentences."""
    ends = {re.split(r"[0-9]", line)[-1] for line in lines}
    tails = {line[line.find(tail_of(line)) :] for line in lines[:_MAX_ANSWERS]}
    return tuple(sorted({end for end in ends if len(end.strip()) >= _SHORTEST_KEY} | tails))


def _whole_number(line: bytes) -> int | None:
    """The whole number that a line consists of; None if the line is something else or has too many digits."""
    text = line.decode("utf-8", "replace")
    return int(text) if re.fullmatch(rf"-?[0-9]{{1,{_MAX_DIGITS}}}", text) else None


def _range(typed: Iterable[bytes]) -> tuple[int, int] | None:
    numbers = [number for number in map(_whole_number, typed) if number is not None]
    return (min(numbers), max(numbers)) if numbers else None


def _boundaries(typed: Iterable[bytes], numbers: tuple[int, int] | None) -> list[bytes]:
    """Lines to try: the typed numbers, their neighbours, and -1, 0 and 1, all within the range of typed numbers."""
    if numbers is None:
        return []
    candidates = {number + step for number in map(_whole_number, typed) if number is not None for step in (-1, 0, 1)}
    candidates |= {0, 1, -1}
    return [str(number).encode() for number in sorted(candidates, key=abs) if numbers[0] <= number <= numbers[1]]


def _distances(steps: set[AnswerStep]) -> dict[str, int]:
    """The minimum number of answers from each question to the end."""
    distances = {END: 0}
    changes = True
    while changes:
        changes = False
        for step in steps:
            distance = distances.get(step.then, 1 << 30) + 1
            if distance < distances.get(step.question, 1 << 30):
                distances[step.question] = distance
                changes = True
    return distances
