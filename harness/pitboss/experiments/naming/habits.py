"""Finds habits by comparing texts. A habit is one change throughout the text of a program.

A habit is named if it is the only mistake: if undoing it turns every failed session into the expected session. Habits
are Windows line ends, trailing blanks, different letter case, another encoding, exchanged special characters, one line
too many, or the same change of words throughout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pitboss.experiments.naming.text_rewrites import LinePair, WordChange, line_pairs, only_slip_in
from pitboss.model.quoting import quoted, quoted_pair
from pitboss.model.transcript import Event, Shown, character_start, with_texts

Events = tuple[Event, ...]
_NON_ASCII = re.compile(rb"[\x80-\xff]+")
#: The expected and the actual events of a session.
EventsPair = tuple[Events, Events]


class Habit(NamedTuple):
    """A change made to the whole text."""

    id: str
    #: What differs, as a short phrase or clause.
    title: str
    #: The hint for the student.
    hint: str


class HabitDetector(NamedTuple):
    """A habit, and a function that undoes it."""

    habit: Habit
    #: Normalizes the events of one session, so that two sessions that differ only by this habit become equal.
    undo: Callable[[Events], Events]
    #: Tells whether this habit can be the cause of the differences that `undo` removes from these sessions: `undo` may
    #: also remove other differences.
    is_plausible: Callable[[Sequence[EventsPair]], bool] = lambda _: True


def _on_each_text(undo: Callable[[bytes], bytes]) -> Callable[[Events], Events]:
    """Returns a function that applies `undo` to every text in the events of a session."""
    return lambda events: with_texts(events, undo)


def _without_last_newline(events: Events) -> Events:
    last = events[-1] if events else None
    return (*events[:-1], Shown(last.text.rstrip(b"\n"))) if isinstance(last, Shown) else events


def _with_masked_characters(text: bytes) -> bytes:
    """The text with each non-ASCII character replaced by a zero byte.

    A text that is not UTF-8 is assumed to have one byte for each character.
    """
    try:
        return re.sub(r"[^\x00-\x7f]", "\x00", text.decode("utf-8")).encode()
    except UnicodeDecodeError:
        return re.sub(rb"[\x80-\xff]", b"\x00", text)


def _prints_no_expected_character(sessions: Sequence[EventsPair]) -> bool:
    """Whether none of the special characters that the submission prints wrongly is expected anywhere in these sessions.

    Otherwise the cause is not the encoding.
    """
    expected_sequences = {sequence for expected, _ in sessions for sequence in _non_ascii_sequences(expected)}
    expected_characters = {
        character for sequence in expected_sequences for character in sequence.decode("utf-8", "replace")
    }
    pairs = {pair for session in sessions for pair in zip(*map(_non_ascii_sequences, session), strict=False)}
    wrong_characters = {
        character for expected, actual in pairs if expected != actual for character in actual.decode("utf-8", "ignore")
    }
    return not wrong_characters & expected_characters


def _non_ascii_sequences(events: Events) -> list[bytes]:
    """The sequences of consecutive non-ASCII bytes."""
    return [sequence for event in events if isinstance(event, Shown) for sequence in _NON_ASCII.findall(event.text)]


#: The habits that can be undone in one session alone; functions below detect all others by comparing sessions.
DETECTORS = (
    HabitDetector(
        Habit("text-crlf", "lines end as on Windows", "Your lines end with '\\r' and '\\n': is the '\\r' wanted?"),
        _on_each_text(lambda text: text.replace(b"\r\n", b"\n")),
    ),
    HabitDetector(
        Habit(
            "text-last-newline",
            "the newline at the very end is missing, or there is one too many",
            "Compare the very end of your program's output with the expected output.",
        ),
        _without_last_newline,
    ),
    HabitDetector(
        Habit(
            "text-blanks-at-ends",
            "spaces at the ends of lines",
            "The texts are right except for spaces at the ends of lines, which cannot be seen: look at what is printed "
            "before each line end.",
        ),
        _on_each_text(lambda text: re.sub(rb"[ \t]+(?=\n)|[ \t]+\Z", b"", text)),
    ),
    HabitDetector(
        Habit(
            "text-case",
            "upper and lower case",
            "The texts are right except for upper and lower case: copy them from the assignment letter by letter.",
        ),
        _on_each_text(bytes.lower),
    ),
    HabitDetector(
        Habit("text-blanks", "spaces", "The texts are right except for spaces: too many, too few, or tabs for spaces."),
        _on_each_text(lambda text: re.sub(rb"[ \t]+", b"", text)),
    ),
    HabitDetector(
        Habit(
            "text-blank-lines",
            "empty lines",
            "The texts are right except for empty lines: too many, or too few.",
        ),
        _on_each_text(lambda text: re.sub(rb"\n+", b"\n", text)),
    ),
    HabitDetector(
        Habit(
            "text-encoding",
            "special characters such as € or ♣",
            "Only special characters differ: your program prints different ones, or the source file is not saved as "
            "UTF-8 (a setting of the editor).",
        ),
        _on_each_text(_with_masked_characters),
        _prints_no_expected_character,
    ),
)


def habit_of(sessions: Sequence[EventsPair], accepted: Sequence[EventsPair] = ()) -> Habit | None:
    """The habit that alone explains every one of these failed sessions, or None.

    Each session is a pair of expected and actual events. The result is None if the events differ in more than text, or
    if an accepted session shows that the program does not always have the habit.
    """
    if not sessions or any(expected == actual for expected, actual in sessions):
        return None
    for detector in DETECTORS:
        is_undone = all(detector.undo(expected) == detector.undo(actual) for expected, actual in sessions)
        if is_undone and detector.is_plausible(sessions):
            return detector.habit
    return (
        _exchanged_characters_habit(sessions, accepted)
        or _extra_line_habit(sessions, accepted)
        or _word_change_habit(sessions, accepted)
    )


def _exchanged_characters_habit(sessions: Sequence[EventsPair], accepted: Sequence[EventsPair]) -> Habit | None:
    """The habit of consistently printing one special character instead of another, such as ♥ and ♦ exchanged."""
    printed_for: dict[str, str] = {}
    for expected, actual in (*sessions, *accepted):
        expected_characters, printed_characters = _characters(expected), _characters(actual)
        if with_texts(expected, _with_masked_characters) != with_texts(actual, _with_masked_characters) or len(
            expected_characters
        ) != len(printed_characters):
            return None
        if any(
            printed_for.setdefault(character, printed) != printed
            for character, printed in zip(expected_characters, printed_characters, strict=True)
        ):
            return None
    changes = [
        WordChange(character.encode(), printed.encode())
        for character, printed in printed_for.items()
        if character != printed
    ]
    hint = "In which order does your program list these characters? Compare it with the assignment's."
    return (
        Habit("text-characters-exchanged", "; ".join(_clause(*change) for change in changes), hint) if changes else None
    )


def _characters(events: Events) -> str:
    """All special characters; invalid UTF-8 becomes U+FFFD."""
    return "".join(sequence.decode("utf-8", "replace") for sequence in _non_ascii_sequences(events))


def _extra_line_habit(sessions: Sequence[EventsPair], accepted: Sequence[EventsPair]) -> Habit | None:
    """The habit of printing one extra line, which the correct program never prints, and everything else correctly."""
    expected_lines = {line for expected, _ in (*sessions, *accepted) for line in _lines(expected)}
    _, first_actual = sessions[0]
    extra_lines = set(_lines(first_actual)) - expected_lines
    if len(extra_lines) != 1:
        return None
    line = extra_lines.pop()
    pattern = re.compile(rb"^%s\n" % re.escape(line), re.MULTILINE)
    if any(expected != with_texts(actual, lambda text: pattern.sub(b"", text)) for expected, actual in sessions):
        return None
    title = f"{quoted(line)} is printed on a line of its own and does not belong there"
    return Habit("text-line-too-many", title, "This line is all that differs: look at where your program prints it.")


def _lines(events: Events) -> list[bytes]:
    """All non-empty lines that end with a newline."""
    texts = [event.text for event in events if isinstance(event, Shown)]
    return [line for text in texts for line in text.split(b"\n")[:-1] if line]


def _word_change_habit(sessions: Sequence[EventsPair], accepted: Sequence[EventsPair]) -> Habit | None:
    """The habit of printing one text instead of another throughout, and everything else correctly."""
    all_pairs: list[LinePair] = []
    for expected, actual in sessions:
        pairs = line_pairs(expected, actual)
        if pairs is None:
            return None
        all_pairs += pairs
    accepted_pairs = (line_pairs(expected, actual) for expected, actual in accepted)
    slip = only_slip_in(all_pairs, [pair for pairs in accepted_pairs for pair in pairs or ()])
    if slip is None:
        return None
    return habit_of_changes([slip])


def habit_of_changes(changes: Sequence[WordChange]) -> Habit:
    """The habit of printing some words instead of others."""
    hint = "This one thing is all that differs: look at where that text is printed, or should be."
    return Habit("text-one-change", "; ".join(_clause(*change) for change in changes), hint)


def _clause(expected: bytes, actual: bytes) -> str:
    """A clause that says which text is printed for which, or that a text is missing."""
    pairs = enumerate(zip(expected, actual, strict=False))
    first_difference = next((index for index, pair in pairs if pair[0] != pair[1]), 0)
    shared_start = expected[: character_start(expected, first_difference)]
    right, wrong, remark = quoted_pair(
        (shared_start, expected[len(shared_start) :]), (shared_start, actual[len(shared_start) :])
    )
    if not actual.strip():
        return f"{right} is missing each time"
    return f"{wrong} is printed for {right} each time{remark}"
