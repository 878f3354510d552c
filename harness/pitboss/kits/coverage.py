"""Finds what a spec lacks: classes of lines that no case types at a prompt, seeds, and texts that no session shows.

To find seeds, tries a thousand seeds, and selects sessions that show something that no case shows.

Similar sessions differ in their numbers, so lines are compared by their shape, in which `#` replaces varying words.
Three things are compared: consecutive lines, how often a line is repeated (as the rows of a table are), and consecutive
lines without a number, ignoring the lines with numbers between them (as the results of two rounds are). Differences
without a new shape, such as one value that is scored differently, are left to the rules in assignment.yaml, the known
mistakes and the mutants.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby, pairwise
from operator import attrgetter
from types import FrameType

import msgspec

from pitboss.assignments.assignment import Answers, Case, Generated, Player, Prompt, Recorded, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.options import settings_near, with_setting
from pitboss.assignments.players import input_of
from pitboss.errors import HarnessError, as_found
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.free_texts import names_in
from pitboss.model.invocation import Invocation
from pitboss.model.transcript import Event, InputEnded, Shown, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import ExpectedRun, RecordingConsole, expectation_of

#: The seeds that are tried with each generated case.
SEEDS = range(1, 1001)
#: Seeds are tried until their sessions have this many lines in all: one long session shows as much as many short ones.
_MAX_LINES = 60_000
#: After about this many failed seeds, no further seeds are tried with a case: its fixed list of answers may not fit
#: other seeds. A failed seed counts as _MAX_LINES / _MAX_FAILED_SEEDS lines.
_MAX_FAILED_SEEDS = 40
#: A word is treated as varying, as colours do, if this many words occur in its position in otherwise equal lines.
_MIN_VARIANTS = 8
#: The end of a typed line in the compared lines.
_TYPED_END = ">>"
#: The placeholder for a varying word.
_PLACEHOLDER = "#"
#: Matches in words that are always treated as varying.
_ALWAYS_VARIES = re.compile(r"\d|[^\x00-\x7f]")
#: How often the sessions are run with a reader, since a text may be rare if programs draw at random.
_ROUNDS = 8
#: The position of a free text of each kind, after "no session of a reference has it".
_POSITIONS = {
    "line": "as a whole line",
    "end_of_line": "at the end of a line",
    "prompt": "where the program reads a line",
    "after": "at the end of a line with typed input",
}


class ScreenPassage(msgspec.Struct, frozen=True):
    """Something that a session shows: a line, `times` times in a row, or a line and the next different line."""

    line: str
    next_line: str = ""
    times: int = 1


class Gap(msgspec.Struct, frozen=True):
    """A session that no case has, and the passages in it that no case shows."""

    #: The name of the case whose answers or player the session has.
    case: str
    seed: int
    passages: tuple[ScreenPassage, ...]


def lines_at_prompts(events: Sequence[Event]) -> Iterator[tuple[str, str]]:
    """Yields each typed line of a session, or a NUL for the end of its input, with the prompt before it.

    The prompt is the last line on the screen that is not blank, without what was typed.
    """
    prompt, line = "", ""
    for event in events:
        if isinstance(event, Shown):
            *_, line = lines = (line + event.text.decode("utf-8", "replace")).split("\n")
            prompt = next(filter(str.strip, reversed(lines)), prompt)
        elif isinstance(event, Typed | InputEnded):
            yield prompt, event.line.decode("utf-8", "replace") if isinstance(event, Typed) else "\0"
            line = ""


def prompt_of(stage: Stage, shown: str) -> Prompt | None:
    """Returns the stage's prompt with which a line on the screen ends; None if `prompts` has no such entry."""
    return next((prompt for prompt in stage.prompts if shown.endswith(prompt.text)), None)


def untyped_sentences(stage: Stage, typed: Iterable[tuple[str, str]]) -> list[str]:
    """A sentence on each prompt at which no case types some class of lines, or one of which `not_typed` says so.

    `typed` has all typed lines, each with the prompt before it. Returns nothing for a stage that has no `prompts`, or
    is graded by hand.
    """
    lines: defaultdict[Prompt, list[str]] = defaultdict(list)
    unlisted: set[str] = set()
    for shown, line in sorted(typed) if stage.prompts and not stage.is_manual else ():
        if prompt := prompt_of(stage, shown):
            lines[prompt].append(line)
        else:
            unlisted.add(_ALWAYS_VARIES.sub(_PLACEHOLDER, shown))
    sentences = [f"{stage.spec.path}: prompts has no entry for {as_found(shown)}" for shown in sorted(unlisted)]
    for prompt, typed_lines in lines.items():
        start, missing = f"{prompt.place}: at {as_found(prompt.text)} {stage.name} types", []
        for name, pattern in prompt.classes:
            example = next(filter(re.compile(pattern).fullmatch, typed_lines), None)
            if example is None and name not in prompt.not_typed:
                missing.append(name)
            elif example is not None and name in prompt.not_typed:
                sentences.append(f"{start} {as_found(example)}, but not_typed has {name}")
        sentences += [f"{start} no line of these classes: {', '.join(missing)}"] if missing else []
    return sentences


def gaps_of(stage: Stage) -> list[Gap]:
    """Returns a few sessions that show what the cases of a stage lack; the session that shows most comes first.

    Returns no sessions for an unseeded stage, whose cases cannot choose their draws, and none for a reference that is
    a command, since a thousand runs take too long.
    """
    if stage.reader or not stage.is_seeded or stage.reference.command:
        return []
    run = expected_run_here(stage)
    spec_sessions = [lines for session in all_sessions_of(stage) if (lines := _lines(session, run)) is not None]
    tried_sessions = {(case.name, seed): lines for case, seed, lines in _try_seeds(stage, run)}
    varying_words = _varying_words([*tried_sessions.values(), *spec_sessions])
    covered = set().union(*(screen_passages(lines, varying_words) for lines in spec_sessions))
    uncovered = {key: screen_passages(lines, varying_words) - covered for key, lines in tried_sessions.items()}
    known = {key: passages for key, passages in uncovered.items() if _has_only_known_answers(passages)}
    return list(_greedy_cover(known))


def _has_only_known_answers(passages: Iterable[ScreenPassage]) -> bool:
    """Whether the cases type every line typed in these passages: the assignment may not say what other lines do.

    No case shows any of `passages`. So a typed line that is a passage of its own, not one of a pair and not repeated,
    is typed in no case.
    """
    return not any(
        passage.line.endswith(_TYPED_END) for passage in passages if passage.times == 1 and not passage.next_line
    )


def _greedy_cover(sessions: Mapping[tuple[str, int], set[ScreenPassage]]) -> Iterator[Gap]:
    """Yields sessions that together show all passages; each next session shows the most of the remaining passages."""
    remaining = set().union(*sessions.values())
    while remaining:
        case, seed = max(sessions, key=lambda key: len(sessions[key] & remaining))
        new_passages = sessions[case, seed] & remaining
        yield Gap(case, seed, tuple(sorted(new_passages, key=attrgetter("next_line", "line", "times"))))
        remaining -= new_passages


def _try_seeds(stage: Stage, run: ExpectedRun) -> Iterator[tuple[Case, int, tuple[str, ...]]]:
    """Runs each generated case with many seeds, and yields the case, the seed and the lines of the session.

    Of several cases with equal answers (or player) and invocation, only the first is run.
    """
    tried_inputs: set[tuple[Answers | Player, Invocation]] = set()
    for case in (case for case in stage.spec.cases if case.invocation.input_file is None):  # a file has its own seed
        if isinstance(case.session, Generated) and (case.session.answers, case.invocation) not in tried_inputs:
            tried_inputs.add((case.session.answers, case.invocation))
            remaining_lines, limited_run = _MAX_LINES, partial(CircuitBreaker().call, run)
            for seed in SEEDS:
                lines = _lines(Session(stage, case, seed), limited_run)
                remaining_lines -= _MAX_LINES // _MAX_FAILED_SEEDS if lines is None else len(lines)
                if lines is not None:
                    yield case, seed, lines
                if remaining_lines <= 0:
                    break


def _lines(session: Session, run: ExpectedRun) -> tuple[str, ...] | None:
    """The nonempty shown and typed lines of a session, with single blanks; None if the reference fails."""
    try:
        events = expectation_of(session, run).events
    except HarnessError:
        return None  # for the spec's own sessions, `pitboss verify` reports the error
    return tuple(" ".join(line.split()) for line in "".join(map(_text, events)).split("\n") if line.strip())


def _text(event: Event) -> str:
    """The text of an event, with typed lines marked; empty for events without text."""
    match event:
        case Shown(text):
            return text.decode("utf-8", "replace")
        case Typed(line):
            return f"<<{line.decode('utf-8', 'replace')}{_TYPED_END}\n"
    return ""


def screen_passages(lines: Sequence[str], varying_words: frozenset[str] = frozenset()) -> set[ScreenPassage]:
    """The passages in the lines of a session; words in `varying_words` are treated as varying."""
    repetitions = [(shape, len(list(run))) for shape, run in groupby(_shape(line, varying_words) for line in lines)]
    shapes = [shape for shape, _ in repetitions]
    constant_shapes = [shape for shape in shapes if _PLACEHOLDER not in shape and not shape.endswith(_TYPED_END)]
    repeated_lines = {ScreenPassage(shape, times=times) for shape, times in repetitions}
    return repeated_lines | {
        ScreenPassage(line, next_line) for series in (shapes, constant_shapes) for line, next_line in pairwise(series)
    }


@lru_cache(maxsize=65_536)
def _shape(line: str, varying_words: frozenset[str]) -> str:
    return " ".join(
        _PLACEHOLDER if word in varying_words or _ALWAYS_VARIES.search(word) else word for word in line.split()
    )


def _varying_words(sessions: Iterable[Sequence[str]]) -> frozenset[str]:
    """Returns the words in positions where many different words occur in otherwise equal lines: see `_MIN_VARIANTS`."""
    shapes = {_shape(line, frozenset()) for line in {line for lines in sessions for line in lines}}
    words_by_context: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for words in map(str.split, shapes):
        for index, word in enumerate(words):
            words_by_context[(*words[:index], "", *words[index + 1 :])].add(word)
    return frozenset().union(
        *(words - {_PLACEHOLDER} for words in words_by_context.values() if len(words) >= _MIN_VARIANTS)
    )


def unused_text_sentences(stages: Sequence[Stage]) -> tuple[list[str], list[str]]:
    """Sentences on free texts and prompts that the stages' references never show, and on texts with several places.

    A text has the places where the references, if they are functions, write it. They are run with any values of the
    stages' options.
    """
    policies = [policy for stage in stages for policy in (stage.policy, *(case.policy for case in stage.spec.cases))]
    texts = {text: None for policy in policies for text in policy.free}
    prompts = {prompt: None for stage in stages for prompt in stage.prompts}
    if not (texts or prompts):
        return [], []
    unused, unread, writes = set(texts), set(prompts), set[tuple[str, str, int]]()
    places: dict[FreeText, set[tuple[str, int]]] = {text: set() for text in texts}

    def note_write(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is RecordingConsole.write.__code__ and frame.f_back is not None:
            last_line = str(frame.f_locals["text"]).rstrip("\n").rpartition("\n")[2]
            writes.add((last_line, os.path.basename(frame.f_back.f_code.co_filename), frame.f_back.f_lineno))

    sys.setprofile(note_write)
    try:
        for number in range(_ROUNDS):
            for variant in [*stages, *(variant for stage in stages for variant in _variants(stage))]:
                # Without a reader, further rounds would only repeat the sessions of the first.
                more_rounds = (unused or unread) and variant.reader
                for policy, events in _sessions(variant) if number == 0 or more_rounds else ():
                    names = names_in(events, policy.free)
                    unused -= {text for text in policy.free if text.name in names}
                    unread -= {prompt_of(variant, shown) for shown, _ in lines_at_prompts(events) if unread}
                # Each variant is a program of its own: what two of them write is not told apart by either.
                for text in texts:
                    here = {(file, line_number) for line, file, line_number in writes if _ends_line(text, line)}
                    places[text] = max(places[text], here, key=len)
                writes.clear()
    finally:
        sys.setprofile(None)
    never_shown = [
        f"{text.place}: the free text {as_found(text.name)} is {as_found(text.text)}, and no session of a reference "
        f"has it {_POSITIONS[text.kind]}"
        for text in texts
        if text in unused
    ]
    never_shown += [
        f"{prompt.place}: prompts has {as_found(prompt.text)}, and no session of a reference reads a line there"
        for prompt in prompts
        if prompt in unread
    ]
    warnings = []
    for text in texts:
        if len(places[text]) > 1:
            in_words = " and ".join(f"{file}:{number}" for file, number in sorted(places[text]))
            warnings.append(
                f"{text.place}: the reference writes the free text {as_found(text.name)} at {in_words} — if these are "
                "different reasons, give each a text of its own: programs may tell them apart"
            )
    return never_shown, warnings


def _ends_line(text: FreeText, line: str) -> bool:
    """Whether a line that a reference writes has the free text; prompts are left out: a question is asked again."""
    return line == text.text if text.kind == "line" else text.kind == "end_of_line" and line.endswith(text.text)


def _variants(stage: Stage) -> Iterator[Stage]:
    """Variants of the stage: with each tolerated reference, and with other values of its options."""
    yield from (msgspec.structs.replace(stage, reference=variant.reference) for variant in stage.tolerated)
    if stage.reader:
        yield from (with_setting(stage, setting) for setting in settings_near(stage.options))


def _sessions(stage: Stage) -> Iterator[tuple[Policy, tuple[Event, ...]]]:
    """Sessions of a stage's reference, each with the policy of its case, except sessions in which it fails."""
    expected_run, breaker = expected_run_here(stage), CircuitBreaker()
    for session in all_sessions_of(stage):
        try:
            yield session.case.policy, breaker.call(_events, session, expected_run)
        except HarnessError:
            continue


def _events(session: Session, expected_run: ExpectedRun) -> tuple[Event, ...]:
    """The events of a session of the reference; with a reader, a recorded session is returned as recorded."""
    if session.stage.reader and isinstance(session.case.session, Recorded):
        return session.case.session.events
    return expected_run(input_of(session), invocation=session.case.invocation).events
