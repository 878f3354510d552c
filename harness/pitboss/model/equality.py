"""Which sessions and texts a policy treats as equal.

`Equal` works on flat sessions (`transcript.flat`). Each kind of difference that a policy ignores is a step of
`Equal.normalize`, which also knows where in the original each character comes from. Letter case is folded only when
texts are compared, so that a difference shows the texts as they are. Lines that may differ from the expected line are
handled in `line_rules`. Nothing else reads these options of a policy, except to load or to describe them.
"""

from __future__ import annotations

import functools
import itertools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from pitboss.errors import SpecError, as_found
from pitboss.model.comparison_policy import OWN_TEXT, Policy
from pitboss.model.transcript import (
    FLAT_PAUSE,
    REPEATED_EVENT,
    Event,
    decoded,
    events_of_flat,
    flat,
    joined_neighbours,
    shared_length,
)

#: What nobody sees at the end of a line; a line of Windows ends in "\r\n".
BLANKS = b" \t\r"
#: A start and an end offset in a flat session.
Range = tuple[int, int]
#: The maximum number of sessions whose normalized form is cached: a session is compared with many others.
_MAX_CACHED = 32
#: The maximum number of lines whose changes by alternatives are cached.
_MAX_CACHED_LINES = 4_096

# In flat sessions [\u0100-\u01ff] belongs to a pause or an end of input, [\u0200-\u03ff] to a typed line, and any other
# character is output. Possessive quantifiers keep the time for long blanks linear.
_OUTPUT = re.compile("[^\u0100-\u03ff]+")
_OTHER = re.compile("[\u0100-\u03ff]+")
_PAUSE = re.compile(FLAT_PAUSE)
_PAUSE_OR_OUTPUT = re.compile(f"[^\u0100-\u03ff]+|{FLAT_PAUSE}")
_LINE = re.compile("([^\n\u0200]*+)(\n|\u0200[\u0300-\u03ff]*+|\\Z)")
_TEXT = re.compile("[^\n\u0100-\u03ff]+")
_CAPITALS = re.compile("[A-Z]+")
#: Blanks, with pauses and ends of input between them; group 1 matches at the end of a line.
_LINE_END = re.compile("[ \t\r](?=[ \t\r\n\u0100-\u0200]|\\Z)[ \t\r\u0100-\u01ff]*+((?=\n|\u0200|\\Z))?")
#: The end of a line and the blank lines after it, which are group 1.
_BLANK_LINES = re.compile("[\n\u0200-\u03ff]((?:[ \t\r\u0100-\u01ff]*+\n)+)")
_BLANKS = re.compile("[ \t\r]+")
#: The blanks at which bytes.split splits words, or a pause that interrupts a word.
_WORD_CHARACTER = "[^\t-\r \u0100-\u03ff]"
_WORD_LIMIT = re.compile(f"[ \t\n\r\v\f]++|(?<={_WORD_CHARACTER}){FLAT_PAUSE}(?={_WORD_CHARACTER})")
#: `OWN_TEXT` as a pattern, and the start of a line of output.
_OWN_TEXT, _LINE_START = "[^\n:\u0100-\u03ff]{0,30}", "(?<![^\n\u0200-\u03ff])"
#: A mark for a word that a pause interrupts: it precedes the part after the pause. Without it, the word would look like
#: two words. Since the mark is not UTF-8, no text contains it.
_CONTINUED_WORD = "\xfd\x05"


class Replacement(NamedTuple):
    """A range of a flat session, and the text that replaces it."""

    start: int
    end: int
    text: str = ""


#: A kind of changes to a session, by the session.
_Step = Callable[[str], list[Replacement]]


def with_changes(text: str, changes: Sequence[Replacement]) -> str:
    """Returns the text after these changes, which must be sorted and must not overlap."""
    parts, position = [], 0
    for start, end, new in changes:
        parts += [text[position:start], new]
        position = end
    return "".join((*parts, text[position:]))


class Located(NamedTuple):
    """A flat session after some steps of changes, with the place in the original session for each character."""

    original: str
    text: str
    steps: tuple[Sequence[Replacement], ...] = ()

    def changed(self, changes: Sequence[Replacement]) -> Located:
        """Return the session after further changes."""
        if not changes:
            return self
        return Located(self.original, with_changes(self.text, changes), (*self.steps, changes))

    def origin(self, start: int, end: int) -> Range:
        """Return the range of the original that the text from `start` to `end` comes from; it must not be empty."""
        for changes in reversed(self.steps):
            start, end = _range_before(start, changes)[0], _range_before(end - 1, changes)[1]
        return start, end

    def is_boundary(self, count: int) -> bool:
        """Whether the session can be cut after `count` characters without cutting a replaced text in two."""
        if not 0 < count < len(self.text):
            return True
        return self.origin(count, count + 1)[0] >= self.origin(count - 1, count)[1]

    def cut(self, count: int) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """Return the original session cut in two where the first `count` characters end."""
        offset = self.origin(count, count + 1)[0] if count < len(self.text) else len(self.original)
        offset = shared_length(self.original[:offset], self.original)  # never inside a character
        return events_of_flat(self.original[:offset]), events_of_flat(self.original[offset:])


def _range_before(index: int, changes: Sequence[Replacement]) -> Range:
    """Returns the range of the text before these changes that the character at `index` comes from."""
    grown = 0
    for start, end, text in changes:
        if index < start + grown:
            break
        if index < start + grown + len(text):
            return start, end
        grown += len(text) - (end - start)
    return index - grown, index - grown + 1


class LocatedLine(NamedTuple):
    """A line of the screen in a flat session."""

    #: The program's text on the line, without the newline.
    text: str
    start: int
    #: The line in the flat session, with its newline or typed line.
    flat: str
    #: How the line ends: with a newline, with the start of a typed line, or, if the session ends there, with nothing.
    ending: str

    @property
    def ranges(self) -> list[Range]:
        """Where the text is in the session: several ranges if other events interrupt it."""
        return [(self.start + match.start(), self.start + match.end()) for match in _TEXT.finditer(self.flat)]

    @property
    def may_move(self) -> bool:
        """Whether the line can be moved: it has text that no other event interrupts, and ends with a newline."""
        return self.ending == "\n" and len(self.ranges) == 1


def lines_in(session: str) -> Iterator[LocatedLine]:
    """Yields the lines of the screen in a flat session; the last, unfinished line may be empty."""
    for match in _LINE.finditer(session):
        yield LocatedLine(_OTHER.sub("", match[1]), match.start(), match[0], match[2][:1])
        if not match[2]:
            return


class Equal:
    """Which sessions and texts are equal under a policy: use `equality`, which caches."""

    def __init__(self, policy: Policy) -> None:
        """Choose the steps by which this policy normalizes a text."""
        self.policy = policy
        #: The groups of alternatives, with a pattern that matches the longest text of the group.
        self.alternatives: list[tuple[tuple[str, ...], re.Pattern[str]]] = []
        alternative_steps: list[tuple[bool, _Step]] = []
        self._steps: list[_Step] = []
        flags = re.ASCII | re.IGNORECASE if policy.letter_case == "ignored" else re.ASCII
        for group in policy.alternatives:
            # The longest match comes first. A text with a newline may have more blanks before it than others.
            ranks = {text: ("\n" in text, len(text.replace(OWN_TEXT, ""))) for text in group if text}
            texts = sorted(ranks, key=ranks.__getitem__, reverse=True)
            pattern = re.compile("|".join(map(self._alternative_pattern, texts)), flags)
            self.alternatives.append((group, pattern))
            # If a group has an empty text, each of its other texts may be missing, so all of them are removed.
            first = "" if "" in group else _encoded(group[0])
            # A part of each text that changes: it is found faster than a pattern.
            changed = [text for text in texts if _encoded(text) != first]
            parts = [_encoded(max(text.replace(OWN_TEXT, "\n").split("\n"), key=len)) for text in changed]
            parts = [""] if policy.letter_case == "ignored" else parts
            crosses_lines = any("\n" in text for text in texts)
            alternative_steps.append((crosses_lines, functools.partial(_substitutions, pattern, first, parts)))
        #: The changes of alternatives, in order: those of neighbouring groups without a newline are found line by line.
        self._alternative_changes: list[Callable[[Located], Located]] = []
        for crosses_lines, run in itertools.groupby(alternative_steps, key=operator.itemgetter(0)):
            steps = [step for _, step in run]
            in_order = functools.partial(_changed_in_order, steps)
            self._alternative_changes.append(in_order if crosses_lines else _StepsInLines(steps).changed)
        if policy.blanks == "ignored":
            self._steps.append(_word_limits)
        else:
            self._steps += [_blank_lines] if policy.blank_lines == "ignored" else []
            self._steps += [_trailing_blanks] if policy.trailing_blanks == "ignored" else []
        self._ignores_case = policy.letter_case == "ignored"
        self.normalize = functools.lru_cache(_MAX_CACHED)(self._normalize)

    def _alternative_pattern(self, text: str) -> str:
        """Return a pattern of flat sessions for a text of a group of alternatives, which may have `OWN_TEXT`."""
        pattern = re.escape(_encoded(text)).replace(re.escape(OWN_TEXT), _OWN_TEXT)
        if self.policy.trailing_blanks == "ignored":  # they are removed only later
            pattern = pattern.replace("\\\n", "[ \t\r]*\n")
        return _LINE_START + pattern if text.startswith(OWN_TEXT) else pattern

    def without_ignored_pauses(self, session: str) -> str:
        """Return a session without pauses, if the policy ignores them."""
        return session if self.policy.pauses == "exact" else joined_neighbours(_PAUSE.sub("", session))

    def _normalize(self, session: str) -> Located:
        """Return a session without the differences that the policy ignores, except letter case.

        Two sessions that are equal under the policy have the same normalized text, apart from lines that may differ.
        The original is the session without ignored pauses.
        """
        session = self.without_ignored_pauses(session)
        return self._normalized(Located(session, session).changed(self._unjudged(session)[0]))

    def _normalized(self, located: Located, *, alternatives_only: bool = False) -> Located:
        for change in self._alternative_changes:
            located = change(located)
        located = _changed_in_order(() if alternatives_only else self._steps, located)
        return located.changed(_repetitions(located.text)) if located.steps else located

    def normalized(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Return the events of the normalized session."""
        return events_of_flat(self.normalize(flat(events)).text)

    def fold(self, text: str) -> str:
        """Return a normalized text as it is compared, with its length unchanged: in lower case, if case is ignored."""
        return _CAPITALS.sub(lambda match: match[0].lower(), text) if self._ignores_case else text

    def differ_in_alternatives_only(self, *sessions: str) -> bool:
        """Whether two sessions are equal apart from alternative texts, before lines are left out."""
        if not self.alternatives:
            return False
        normalized = (self._normalized(Located(session, session), alternatives_only=True) for session in sessions)
        return len({located.text for located in normalized}) == 1

    def same(self, first: bytes, second: bytes) -> bool:
        """Whether two texts outside a session are equal, as complete lines."""
        lines = (f"{text.decode('latin-1')}\n" for text in (first, second))
        return len({self.fold(self._normalized(Located(line, line)).text) for line in lines}) == 1

    def variants(self, line: str) -> set[str]:
        """Return the line and likely lines that are equal to it: with other alternatives, with other blanks."""
        variants = {line}
        for group in self.policy.alternatives:
            for text in tuple(variants):
                variants |= {
                    text.replace(part, alternative)
                    for part in group
                    if part and part in text
                    for alternative in group
                    if OWN_TEXT not in alternative
                }
        if "ignored" in (self.policy.trailing_blanks, self.policy.blanks):
            variants |= {text.rstrip(" ") for text in variants} | {text.rstrip(" ") + " " for text in variants}
        return variants

    # Which lines are judged

    def _unjudged(self, session: str) -> tuple[list[Replacement], int]:
        """Return the changes that remove the lines that are not judged, and how many of these lines have text.

        Typed lines and ends of input are always judged, wherever they are.
        """
        if not (self.policy.begins or self.policy.not_judged):
            return [], 0
        changes, count, first = [], 0, self._first_judged_line(session)
        for line in lines_in(session):
            is_before_first = first is None or line.start < first.start
            removed: list[re.Match[str]] = []
            if self.policy.begins and line == first and line.text:  # nor are its pauses before its text
                removed += _PAUSE.finditer(session, line.start, line.ranges[0][0])
            if is_before_first or (line.text and _has_match(self.policy.not_judged, line)):
                pattern = _PAUSE_OR_OUTPUT if is_before_first else _OUTPUT
                removed += pattern.finditer(session, line.start, line.start + len(line.flat))
                count += bool(line.text)
            changes += [Replacement(*match.span()) for match in removed]
        return changes, count

    def _first_judged_line(self, session: str) -> LocatedLine | None:
        lines = lines_in(session)
        return next((line for line in lines if not self.policy.begins or _has_match((self.policy.begins,), line)), None)

    def judged_part(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Return the events without the lines that are not judged."""
        session = flat(events)
        return events_of_flat(with_changes(session, self._unjudged(session)[0]))

    def count_unjudged_lines(self, events: tuple[Event, ...]) -> int:
        """Return the number of lines with text that are not judged."""
        return self._unjudged(flat(events))[1] if self.policy.begins or self.policy.not_judged else 0

    def first_judged_line(self, events: tuple[Event, ...]) -> bytes | None:
        """Return the text of the line at which judging begins; None if it never begins."""
        line = self._first_judged_line(flat(events)) if self.policy.begins else LocatedLine("", 0, "", "")
        return None if line is None else line.text.encode("latin-1")

    def check_anything_is_judged(self, events: tuple[Event, ...], place: str) -> None:
        """Raise SpecError if nothing that a reference shows is judged; `place` is the location of the case."""
        if self.first_judged_line(events) is None:
            raise SpecError(
                f"{place}: the reference never shows a line with {as_found(self.policy.begins)}, where judging begins "
                '— correct `judged_from`, or write `compare: {judged_from: ""}` in this case'
            )
        lines = [line for line in lines_in(flat(events)) if line.text] if self.policy.not_judged else []
        if lines and all(_has_match(self.policy.not_judged, line) for line in lines):
            raise SpecError(f"{place}: nothing that the reference shows is judged: all of it matches `not_judged`")


@functools.lru_cache(_MAX_CACHED)
def equality(policy: Policy) -> Equal:
    """Returns what is equal under a policy."""
    return Equal(policy)


def _encoded(text: str) -> str:
    """Returns a text as it is in flat sessions."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


@functools.cache
def compile_patterns(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Returns the regular expressions, compiled."""
    return tuple(map(re.compile, patterns))


def _has_match(patterns: tuple[str, ...], line: LocatedLine) -> bool:
    text = decoded(line.text)
    return any(pattern.search(text) for pattern in compile_patterns(patterns))


def _substitutions(pattern: re.Pattern[str], first: str, parts: Iterable[str], text: str) -> list[Replacement]:
    """Returns the changes that put the first text of a group of alternatives in place of each of its texts.

    In a text that contains none of these parts, nothing changes.
    """
    if not any(part in text for part in parts):
        return []
    return [Replacement(*match.span(), first) for match in pattern.finditer(text) if match[0] != first]


def _changed_in_order(steps: Sequence[_Step], located: Located) -> Located:
    for step in steps:
        located = located.changed(step(located.text))
    return located


class _StepsInLines:
    """Steps that change each line by itself. Most lines come again and again, so their changes are cached."""

    def __init__(self, steps: Sequence[_Step]) -> None:
        self._steps = steps
        self._changes_of = functools.lru_cache(_MAX_CACHED_LINES)(self._changes_in)

    def _changes_in(self, line: str) -> Sequence[Sequence[Replacement]]:
        """The changes of each step; empty if no step changes the line."""
        all_changes = []
        for step in self._steps:
            all_changes.append(step(line))
            line = with_changes(line, all_changes[-1])
        return all_changes if any(all_changes) else ()

    def changed(self, located: Located) -> Located:
        """Return the session after the steps."""
        starts, changes_of_lines, start = [], [], 0
        for line in located.text.split("\n"):
            if changes := self._changes_of(line):
                starts.append(start)
                changes_of_lines.append(changes)
            start += len(line) + 1
        for changes_of_step in zip(*changes_of_lines, strict=True):
            all_changes, shift = [], 0
            for index, changes in enumerate(changes_of_step):
                start = starts[index]
                starts[index] += shift
                for each in changes:
                    all_changes.append(Replacement(start + each.start, start + each.end, each.text))
                    shift += len(each.text) - (each.end - each.start)
            located = located.changed(all_changes)
        return located


def _blank_lines(text: str) -> list[Replacement]:
    """Returns the changes that remove blank lines, but not the pauses in them."""
    lines = (match.span(1) for match in _BLANK_LINES.finditer("\n" + text))
    return [
        Replacement(*blanks.span()) for start, end in lines for blanks in _OUTPUT.finditer(text, start - 1, end - 1)
    ]


def _trailing_blanks(text: str) -> list[Replacement]:
    """Returns the changes that remove blanks at the ends of lines, also blanks before a pause at the end of a line."""
    ends = (match.span() for match in _LINE_END.finditer(text) if match[1] is not None)
    return [Replacement(*blanks.span()) for end in ends for blanks in _BLANKS.finditer(text, *end)]


def _word_limits(text: str) -> list[Replacement]:
    """Returns the changes that leave one blank between two words of a text, and none at its ends or beside a pause."""
    changes = []
    for match in _WORD_LIMIT.finditer(text):
        start, end = match.span()
        if text[start] == "\u0100":  # a pause in a word
            changes.append(Replacement(end, end + 1, _CONTINUED_WORD + text[end]))
            continue
        neighbours = text[max(0, start - 1) : start], text[end : end + 1]
        is_between = all(map(_OUTPUT.match, neighbours))
        if match[0] != " " or not is_between:
            changes.append(Replacement(start, end, " " if is_between else ""))
    return changes


def _repetitions(text: str) -> list[Replacement]:
    """Returns the changes that join pauses, and ends of input, that became neighbours."""
    return [Replacement(*match.span(), flat(events_of_flat(match[0]))) for match in REPEATED_EVENT.finditer(text)]
