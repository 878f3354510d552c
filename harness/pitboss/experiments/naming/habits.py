"""Finds habits by comparing texts. A habit is one change throughout the text of a program.

A habit is named if it is the only mistake: if undoing it turns every failed session into the expected session. Habits
are Windows line ends, trailing blanks, different letter case, another encoding, exchanged special characters, one line
too many, or the same change of words throughout (a slip).

A wrong word may be a slip in the text itself. Or a wrong condition in the program may lead to the text of another
outcome. A wrong word is reported as a slip only if no line of any session shows the right word between the same other
words, if the correct program does not show the wrong line elsewhere, and if the word is not a number, since numbers are
computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

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


_ENCODING = Habit(
    "text-encoding",
    "special characters such as € or ♣",
    "Only special characters differ: your program prints different ones, or the source file is not saved as UTF-8 (a "
    "setting of the editor).",
)
#: The habits that can be undone in one session alone; functions below detect all others by comparing sessions. Each
#: function normalizes the events of a session, so that two sessions that differ only by the habit become equal.
_UNDO: Mapping[Habit, Callable[[Events], Events]] = {
    Habit(
        "text-crlf", "lines end as on Windows", "Your lines end with '\\r' and '\\n': is the '\\r' wanted?"
    ): _on_each_text(lambda text: text.replace(b"\r\n", b"\n")),
    Habit(
        "text-last-newline",
        "the newline at the very end is missing, or there is one too many",
        "Compare the very end of your program's output with the expected output.",
    ): _without_last_newline,
    Habit(
        "text-blanks-at-ends",
        "spaces at the ends of lines",
        "The texts are right except for spaces at the ends of lines, which cannot be seen: look at what is printed "
        "before each line end.",
    ): _on_each_text(lambda text: re.sub(rb"[ \t]+(?=\n)|[ \t]+\Z", b"", text)),
    Habit(
        "text-case",
        "upper and lower case",
        "The texts are right except for upper and lower case: copy them from the assignment letter by letter.",
    ): _on_each_text(bytes.lower),
    Habit(
        "text-blanks", "spaces", "The texts are right except for spaces: too many, too few, or tabs for spaces."
    ): _on_each_text(lambda text: re.sub(rb"[ \t]+", b"", text)),
    Habit(
        "text-blank-lines", "empty lines", "The texts are right except for empty lines: too many, or too few."
    ): _on_each_text(lambda text: re.sub(rb"\n+", b"\n", text)),
    _ENCODING: _on_each_text(_with_masked_characters),
}


def habit_of(sessions: Sequence[EventsPair], accepted: Sequence[EventsPair] = ()) -> Habit | None:
    """The habit that alone explains every one of these failed sessions, or None.

    Each session is a pair of expected and actual events. The result is None if the events differ in more than text, or
    if an accepted session shows that the program does not always have the habit.
    """
    if not sessions or any(expected == actual for expected, actual in sessions):
        return None
    for habit, undo in _UNDO.items():
        is_undone = all(undo(expected) == undo(actual) for expected, actual in sessions)
        # To undo the encoding, any special character is taken for any other.
        if is_undone and (habit is not _ENCODING or _prints_no_expected_character(sessions)):
            return habit
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
    hint = "This one thing is all that differs: look at where that text is printed, or should be."
    return Habit("text-one-change", _clause(*slip), hint)


def _clause(expected: bytes, actual: bytes) -> str:
    """A clause that says which text is printed for which, or that a text is missing."""
    pairs = enumerate(zip(expected, actual, strict=False))
    first_difference = next((index for index, pair in pairs if pair[0] != pair[1]), 0)
    shared_start = expected[: character_start(expected.decode("latin-1"), first_difference)]
    right, wrong, remark = quoted_pair(
        (shared_start, expected[len(shared_start) :]), (shared_start, actual[len(shared_start) :])
    )
    if not actual.strip():
        return f"{right} is missing each time"
    return f"{wrong} is printed for {right} each time{remark}"


#: The expected and the actual line.
LinePair = tuple[bytes, bytes]
_TOKENS = re.compile(rb"\w+|\s+|[^\w\s]+")
_WORD = re.compile(rb"\w")
#: Replaces each number when lines of different outcomes are compared.
_NUMBER_MARK = b"#"


class WordChange(NamedTuple):
    """A word that is shown instead of the expected word."""

    expected: bytes
    actual: bytes


class _Context(NamedTuple):
    """A change in a line, and the tokens before and after the change, each beginning with the nearest token."""

    change: WordChange
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


def line_pairs(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> list[LinePair] | None:
    """The lines of two sessions side by side; None if the sessions differ in more than the text of lines."""
    if len(expected) != len(actual):
        return None
    all_pairs: list[LinePair] = []
    for expected_event, actual_event in zip(expected, actual, strict=True):
        if isinstance(expected_event, Shown) and isinstance(actual_event, Shown):
            expected_lines, actual_lines = expected_event.text.split(b"\n"), actual_event.text.split(b"\n")
            if len(expected_lines) != len(actual_lines):
                return None
            all_pairs += zip(expected_lines, actual_lines, strict=True)
        elif expected_event != actual_event:
            return None
    return all_pairs


def only_slip_in(pairs: Iterable[LinePair], others: Iterable[LinePair]) -> WordChange | None:
    """The one slip of the text that explains all pairs of differing lines; None if no slip does.

    The slip is widened by surrounding words until no pair of `pairs` and `others` shows its expected text correctly.
    """
    all_pairs = {*pairs, *others}
    differing = [pair for pair in all_pairs if pair[0] != pair[1]]
    contexts = [context for pair in differing for context in _contexts(*pair)]
    changes = {context.change for context in contexts}
    if len(changes) != 1:
        return None
    (change,) = changes
    expected_lines = {tuple(map(_with_number_masked, _tokens(expected))) for expected, _ in all_pairs}
    is_computed = change.expected.isdigit() and change.actual.isdigit()
    if is_computed or any(_belongs_to_other_outcome(pair, change, expected_lines) for pair in differing):
        return None
    unchanged = {_joined_tokens(expected) for expected, actual in all_pairs if expected == actual}
    return next(
        (
            widened
            for widened in _widened_changes(change, contexts)
            if not any(_joined_tokens(widened.expected) in line for line in unchanged)
        ),
        None,
    )


def _widened_changes(change: WordChange, contexts: Sequence[_Context]) -> Iterator[WordChange]:
    """Yields the change, widened by more and more of the tokens around it that all contexts share.

    Changes whose expected text contains no word, or which are widened by a blank at an end, are left out.
    """
    before, after = (
        _common_beginning([getattr(context, side) for context in contexts]) for side in ("before", "after")
    )
    extents = (
        (before_count, after_count) for before_count in range(len(before) + 1) for after_count in range(len(after) + 1)
    )
    for before_count, after_count in sorted(extents, key=lambda extent: (sum(extent), extent[1])):
        start, end = b"".join(reversed(before[:before_count])), b"".join(after[:after_count])
        widened = WordChange(start + change.expected + end, start + change.actual + end)
        # If the expected text is blank, a word must stand on both sides: a blank is visible only between two words.
        words = (start, end) if change.expected and not change.expected.strip() else (widened.expected,)
        if all(map(_WORD.search, words)) and not start[:1].isspace() and not end[-1:].isspace():
            yield widened


def _common_beginning(contexts: Sequence[tuple[bytes, ...]]) -> tuple[bytes, ...]:
    tokens_by_distance = zip(*contexts, strict=False)
    return tuple(tokens[0] for tokens in takewhile(lambda tokens: len(set(tokens)) == 1, tokens_by_distance))


def _belongs_to_other_outcome(pair: LinePair, change: WordChange, expected_lines: set[tuple[bytes, ...]]) -> bool:
    """Whether the correct program shows the actual line elsewhere: then the line belongs to another outcome."""
    actual = _tokens(pair[1])
    if not pair[1].strip() or not change.actual.strip():
        return False
    changed_tokens = set(_tokens(change.actual))
    return tuple(token if token in changed_tokens else _with_number_masked(token) for token in actual) in expected_lines


def _joined_tokens(line: bytes) -> bytes:
    """The tokens of a line, with zero bytes around each token."""
    return b"\0" + b"".join(token + b"\0" for token in _tokens(line))


def _tokens(line: bytes) -> list[bytes]:
    return _TOKENS.findall(line)


def _with_number_masked(token: bytes) -> bytes:
    """The token, or `#` if it is a number."""
    return _NUMBER_MARK if token.isdigit() else token


@lru_cache(maxsize=4096)
def _contexts(expected: bytes, actual: bytes) -> tuple[_Context, ...]:
    expected_tokens, actual_tokens = _tokens(expected), _tokens(actual)
    matcher = SequenceMatcher(None, expected_tokens, actual_tokens, autojunk=False)
    return tuple(
        _Context(
            WordChange(b"".join(expected_tokens[start:end]), b"".join(actual_tokens[actual_start:actual_end])),
            tuple(reversed(expected_tokens[:start])),
            tuple(expected_tokens[end:]),
        )
        for kind, start, end, actual_start, actual_end in matcher.get_opcodes()
        if kind != "equal"
    )
