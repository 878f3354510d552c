"""The questions of a stage and the lines typed there, learned from its cases.

An assignment does not specify everything: it may leave open the reaction to a letter that is not offered, or to a
number below the minimum. A hunt must not report games that depend on such open points. So a game is fair only if each
step (a question, a kind of answer, and what follows) is a step of some case. Any answer of a known kind may be
generated: numbers between the lowest and the highest number that the cases type, and, if the cases type a letter that
is not offered, other letters that are not offered.
"""

from __future__ import annotations

import re
import string
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, zip_longest

import msgspec

from pitboss.assignments.assignment import Case, Recorded, Stage
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.options import Option, settings_near, with_setting
from pitboss.compare.comparison import Difference
from pitboss.errors import HarnessError
from pitboss.experiments.relation import run_in_session
from pitboss.model.transcript import Event, InputEnded, Shown, Transcript, Typed, count_typed_lines, exited
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import ExpectedRun, expectation_of
from pitboss.unseeded.reader import invented_draws

#: A question is identified by the last sentence of its line, with earlier sentences until it has this many characters.
_MIN_KEY_LENGTH = 12
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_TYPED_NUMBER = re.compile(r"\s*([+-]?)([0-9]+)([.,][0-9]+)?\s*")
_ANSWERS_IN_BRACKETS = re.compile(r"[\[(]([^\[\]()]{1,40})[\])]")
_ANSWER_IN_QUOTES = re.compile(r"['\"‘“]([^\W_]{1,10})['\"’”]")
#: A whole number with more digits than this tests overflow, and does not extend the range of numbers to try.
_MAX_DIGITS = 9
_WHOLE_NUMBER = re.compile(rb"-?[0-9]{1,%d}" % _MAX_DIGITS)
#: The maximum number of typed lines that are stored for one question.
_MAX_ANSWERS = 80

#: Used instead of the key of the next question at the end of a session.
END = "\0"
#: The distance of a question from which no known steps lead to the end of a session.
_UNREACHABLE = 1 << 30


class AnswerStep(msgspec.Struct, frozen=True):
    """The kind of answer to a question, and what the program does after the answer."""

    #: The key of the question: see `key_of`.
    question: str
    #: The kind of the typed line: see `kind_of`.
    kind: str
    #: How many nonempty lines are shown before the next question; 2 means two or more.
    shown_lines: int
    #: The key of the next question; END at the end of the session.
    next_question: str


class Question(msgspec.Struct, frozen=True):
    """A question of a stage, and lines that answer it."""

    #: The question is asked if the output ends with any of these texts.
    prompts: tuple[str, ...]
    #: Lines that answer the question, grouped by kind.
    answers: dict[str, tuple[bytes, ...]]
    #: The lowest and the highest whole number that the cases type at this question; None if they type none.
    numbers: tuple[int, int] | None
    #: Answers that the question offers but no case types.
    untried: frozenset[str]


class KnownGames(msgspec.Struct, frozen=True):
    """The questions and steps of a stage's games, as far as the cases show them."""

    #: The questions by their keys.
    questions: dict[str, Question]
    #: All steps that occur in the cases.
    steps: frozenset[AnswerStep]
    #: The maximum number of lines that a case types after the seed.
    longest: int
    #: The minimum number of answers from each question, by its key, to the end of a session.
    distances: dict[str, int]

    def is_fair(self, steps: Iterable[AnswerStep]) -> bool:
        """Whether each step occurs in the cases, or gives an answer that the question offers but no case types."""
        return all(
            step in self.steps
            or (step.question in self.questions and step.kind in self.questions[step.question].untried)
            for step in steps
        )

    def is_fair_before(self, difference: Difference | None, expected: Transcript, actual: Transcript) -> bool:
        """Whether each step before the first difference of a session without a seed is fair."""
        agreed_events = expected.events if difference is None else difference.matched
        # A player ends the input at an unknown question, and no case defines what is right after that.
        if any(isinstance(event, InputEnded) for event in (*agreed_events, *actual.events)):
            return False
        steps = steps_of(expected.events, is_seeded=False)
        return self.is_fair(steps[: count_typed_lines(agreed_events)])

    def kinds_towards_end(self, question: str) -> tuple[str, ...]:
        """The kinds of answers to a question that lead to the end of a session in the fewest steps."""
        distances_and_kinds = {
            (self.distances.get(step.next_question, _UNREACHABLE), step.kind)
            for step in self.steps
            if step.question == question
        }
        min_distance, _ = min(distances_and_kinds, default=(0, ""))
        return tuple(sorted(kind for distance, kind in distances_and_kinds if distance == min_distance))


@lru_cache(4096)
def tail_of(line: str) -> str:
    """The end of a prompt line that identifies the question: its last sentences."""
    parts = _SENTENCE.split(line.strip())
    tail = parts.pop()
    while parts and len(tail) < _MIN_KEY_LENGTH:
        tail = f"{parts.pop()} {tail}"
    return tail


@lru_cache(4096)
def key_of(line: str) -> str:
    """The key of a question: the end of its line, with each number replaced by #."""
    return _NUMBER.sub("#", tail_of(line))


@lru_cache(4096)
def offered_answers(question: str) -> frozenset[str]:
    """The answers that a question offers, as in `[h/s]`, `(y/n)`, `(h)it` or `'q'`."""
    offered: set[str] = set(_ANSWER_IN_QUOTES.findall(question))
    for bracketed in _ANSWERS_IN_BRACKETS.findall(question):
        parts = [part.strip() for part in re.split(r"[/,|]", bracketed)]
        if (len(parts) > 1 or len(parts[0]) == 1) and all(re.fullmatch(r"[^\W_]{1,10}", part) for part in parts):
            offered.update(parts)
    return frozenset(offered)


def kind_of(line: bytes, offered: frozenset[str]) -> str:
    """The kind of a typed line; lines of one kind are treated as interchangeable answers to a question.

    The kind of 12 is "#", of -3 "-#", of 1.5 "#.#"; with blanks around it "_#", with more than _MAX_DIGITS digits "##".
    If answers are offered, "a letter" is a single letter that is not offered, and "another letter case" a capital
    letter of which only the small letter is offered. Each offered answer, and each other line, has a kind of its own.
    """
    text = line.decode("utf-8", "surrogateescape")
    if text in offered:
        return text
    number = _TYPED_NUMBER.fullmatch(text)
    if number:
        blanks = "_" if text != text.strip() else ""
        size = "#" if len(number[2]) <= _MAX_DIGITS else "##"
        return f"{blanks}{number[1]}{size}{'.#' if number[3] else ''}"
    if offered and len(text) == 1 and text in string.ascii_letters:
        return "a letter" if text.lower() not in offered else "another letter case"
    return f"={text}"


def steps_of(events: Sequence[Event], *, is_seeded: bool) -> tuple[AnswerStep, ...]:
    """The steps of a session. Answers to the question that asks for the seed are left out."""
    return tuple(step for step, _, _ in _steps_with_lines(events, is_seeded=is_seeded))


def _steps_with_lines(events: Sequence[Event], *, is_seeded: bool) -> list[tuple[AnswerStep, str, bytes]]:
    """The steps that `steps_of` returns, each with the prompt line and the typed line."""
    steps_with_lines: list[tuple[AnswerStep, str, bytes]] = []
    text, prompt, typed_line, seed_question = "", "", None, None
    for event in (*events, None):  # None represents the end of the session
        if isinstance(event, Shown):
            text += event.text.decode("utf-8", "replace")
        elif event is None or isinstance(event, Typed | InputEnded):
            output, _, next_prompt = text.rpartition("\n") if event is not None else (text, "", "")
            if typed_line is not None:
                line_count = sum(1 for line in output.split("\n") if line.strip())
                next_question = key_of(next_prompt) if event is not None else END
                step = AnswerStep(
                    key_of(prompt), kind_of(typed_line, offered_answers(prompt)), min(line_count, 2), next_question
                )
                steps_with_lines.append((step, prompt, typed_line))
            if not isinstance(event, Typed):
                break
            prompt, typed_line, text = next_prompt, event.line, ""
            if is_seeded and seed_question is None:  # the first question asks for the seed
                seed_question = key_of(next_prompt)
    return [entry for entry in steps_with_lines if entry[0].question != seed_question]


def _question_from_lines(prompt_lines: tuple[str, ...], typed_lines: tuple[bytes, ...]) -> Question:
    """The question that these prompt lines ask, with the typed lines and further lines to try as answers."""
    offered = frozenset().union(*(offered_answers(tail_of(line)) for line in prompt_lines))
    kinds = {kind_of(line, offered) for line in typed_lines}
    untried = offered - kinds
    numbers = [int(line) for line in typed_lines if _WHOLE_NUMBER.fullmatch(line)]
    number_range = (min(numbers), max(numbers)) if numbers else None
    # The typed numbers, their neighbours, and -1, 0 and 1, all within the range of typed numbers.
    boundaries = {number + step for number in numbers for step in (-1, 0, 1)}
    boundaries |= {0, 1, -1}
    boundary_lines = [
        b"%d" % number
        for number in sorted(boundaries, key=abs)
        if number_range and number_range[0] <= number <= number_range[1]
    ]
    lines_by_kind: dict[str, dict[bytes, None]] = {}
    for line in (*typed_lines[:_MAX_ANSWERS], *(answer.encode() for answer in sorted(untried)), *boundary_lines):
        lines_by_kind.setdefault(kind_of(line, offered), {})[line] = None
    if "a letter" in kinds:
        letters = (letter.encode() for letter in string.ascii_lowercase if letter not in offered)
        lines_by_kind["a letter"] |= dict.fromkeys(letters)
    # A prompt is recognised by its last sentences, or by its end after the last digit, if that is long enough.
    ends = {re.split(r"[0-9]", line)[-1] for line in prompt_lines}
    tails = {line[line.find(tail_of(line)) :] for line in prompt_lines[:_MAX_ANSWERS]}
    return Question(
        tuple(sorted({end for end in ends if len(end.strip()) >= _MIN_KEY_LENGTH} | tails)),
        {kind: tuple(answers) for kind, answers in lines_by_kind.items()},
        number_range,
        untried,
    )


def _distances(steps: set[AnswerStep]) -> dict[str, int]:
    """The minimum number of answers from each question to the end of a session."""
    distances = {END: 0}
    while nearest := {
        step.question: distances[step.next_question] + 1
        for step in steps
        if step.next_question in distances and step.question not in distances
    }:
        distances |= nearest
    return distances


#: The maximum number of sessions that are used for each case.
_MAX_PER_CASE = 6
#: The maximum number of sessions that are used for a stage.
_MAX_PER_STAGE = 200


def known_games(stage: Stage, *, until: float) -> KnownGames:
    """The questions and steps in the cases of a stage.

    Stops at the time `until` (time.monotonic), but uses at least one session.
    """
    stage = with_common_cases(stage)
    steps: set[AnswerStep] = set()
    prompt_lines: dict[str, dict[str, None]] = {}
    typed_lines: dict[str, dict[bytes, None]] = {}
    longest = 0
    for _, transcript in _example_sessions(stage):
        steps_with_lines = _steps_with_lines(transcript.events, is_seeded=stage.is_seeded)
        longest = max(longest, len(steps_with_lines))
        for step, prompt, answer in steps_with_lines:
            steps.add(step)
            prompt_lines.setdefault(step.question, {})[prompt] = None
            typed_lines.setdefault(step.question, {})[answer] = None
        if time.monotonic() > until:
            break
    questions = {key: _question_from_lines(tuple(prompt_lines[key]), tuple(typed_lines[key])) for key in prompt_lines}
    return KnownGames(questions, frozenset(steps), longest, _distances(steps))


def with_common_cases(stage: Stage) -> Stage:
    """The stage with only the cases that have the stage's own arguments and files, with which all games run."""
    return stage.with_cases(case for case in stage.spec.cases if case.invocation == stage.invocation)


def examples_of(stage: Stage) -> Iterator[tuple[Case, Transcript]]:
    """Sessions of the public cases, run by the stage's own reference, each with its case.

    A recorded case's transcript has the recorded events; standard error and files that the case does not specify are
    the reference's.
    """
    stage = msgspec.structs.replace(stage, tolerated=(), options=fixed_options(stage))
    return _example_sessions(stage.with_cases(stage.spec.public_cases))


def fixed_options(stage: Stage) -> tuple[Option, ...]:
    return tuple(msgspec.structs.replace(option, is_free=False) for option in stage.options)


def seed_range(stage: Stage) -> tuple[int, int]:
    """The lowest and the highest seed to type: 1, or the lowest seed in the cases if that is lower; and 2**31 - 1."""
    seeds = [session.seed for session in all_sessions_of(stage) if session.seed is not None]
    for case in stage.spec.cases:
        first_lines = Transcript(case.session.events).lines[:1] if isinstance(case.session, Recorded) else ()
        seeds += [int(line) for line in first_lines if _WHOLE_NUMBER.fullmatch(line)]
    return min((1, *seeds)), (1 << 31) - 1


def _example_sessions(stage: Stage) -> Iterator[tuple[Case, Transcript]]:
    """The first session of each case, then the second of each case, and so on, run by the stage's reference.

    If the stage has a reader, each generated session is also run by tolerated references and with other settings.
    """
    sessions_by_case: dict[str, list[Session]] = {}
    for session in all_sessions_of(stage):
        sessions_by_case.setdefault(session.case.name, []).append(session)
    turns = zip_longest(*(sessions[:_MAX_PER_CASE] for sessions in sessions_by_case.values()))
    variant_stages = [msgspec.structs.replace(stage, reference=variant.reference) for variant in stage.tolerated]
    variant_stages += [with_setting(stage, setting) for setting in settings_near(stage.options)]
    runs = [expected_run_here(run_stage) for run_stage in (stage, *(variant_stages if stage.reader else ()))]
    for session in islice(filter(None, chain.from_iterable(turns)), _MAX_PER_STAGE):
        # A recording is the same with every reference.
        for run in runs[:1] if isinstance(session.case.session, Recorded) else runs:
            with suppress(HarnessError):  # `pitboss verify` reports the error
                yield session.case, _expected_transcript(session, run)


def _expected_transcript(session: Session, expected_run: ExpectedRun) -> Transcript:
    if not session.stage.reader:
        return expectation_of(session, expected_run)
    if isinstance(session.case.session, Recorded):
        return Transcript(session.case.session.events, exited(session.case.exit_code))
    return run_in_session(expected_run, session, invented_draws(session.stage.draws, session.number))
