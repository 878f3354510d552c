"""Reads from sessions what a submission shows instead of the reference's free texts.

A session is followed up to the first free text whose counterpart is unknown. What the program shows there, delimited
by the kind of the text, is taken as the program's text if that text has no other meaning and both sessions continue
alike after it. So no other difference is ever accepted: a known text is compared like any other.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.free_texts import names_in, replace_free_texts, with_numbers, without_numbers
from pitboss.model.relaxation import (
    BLANKS,
    read_alone,
    reading_of,
    relaxed,
    shared_length,
    with_permitted_lines,
    without_ignored_pauses,
)
from pitboss.model.transcript import Event, Paused, Shown, Typed, with_texts

Texts = Mapping[str, bytes | None]
_NOTHING: Texts = {}
#: A placeholder for a free text whose counterpart is unknown. The placeholder is not UTF-8, so no policy changes it.
_MARK = re.compile(rb"\xfd\x04([0-9]+)\x04")
#: A line of the screen, in a session that `_flat_event` has encoded.
_LINE = re.compile(rb"(?:[^\n\xfd]|\xfd\x00)*")
_SHOWN = re.compile(rb"(?:[^\xfd]|\xfd\x00)*")
_READS = (b"\xfd\x01", b"\xfd\x02")


@functools.lru_cache(maxsize=65_536)
def meaning_of(text: bytes) -> str:
    """Returns what a text says: its words in lower case; the text itself if it has no words."""
    decoded = text.decode("utf-8", "replace")
    return " ".join(re.findall(r"\w+", decoded.casefold())) or decoded.strip()


def meanings_in(expected: tuple[Event, ...], policy: Policy) -> frozenset[str]:
    """Returns the meanings of the lines that the reference shows in a session, without its free texts."""
    rest = replace_free_texts(expected, policy.free, {text.name: None for text in policy.free})
    screen = b"".join(event.text if isinstance(event, Shown) else b"\n" for event in rest)
    return frozenset(meaning_of(line) for line in set(screen.split(b"\n")) if line.strip())


class Options(NamedTuple):
    """Texts that a program may show for a free text: each explains the session equally well; the first is preferred."""

    name: str
    texts: tuple[bytes | None, ...]
    #: Whether both sessions then agree up to their ends, or to the next unknown text.
    is_whole: bool


class SessionPair:
    """The reference's session and the program's, under a policy with free texts."""

    def __init__(
        self,
        expected: tuple[Event, ...],
        actual: tuple[Event, ...],
        policy: Policy,
        meanings: frozenset[str] = frozenset(),
    ) -> None:
        """`meanings` are further meanings that no free text may have, as returned by `meaning_of`."""
        self.policy, self.expected = policy, without_ignored_pauses(expected, policy)
        self._session = without_ignored_pauses(actual, policy)
        self._read_as = reading_of(policy)
        self._escaped = with_texts(self.expected, _escaped)
        self._events = with_texts(relaxed(actual, policy), _escaped)
        self._actual, self._meanings = b"".join(map(_flat_event, self._events)), meanings
        self._names = names_in(self._escaped, policy.free)

    def first_unknown(self, texts: Texts) -> str | None:
        """Return the name of the session's first free text that is not in `texts`; None if `texts` has them all."""
        return next((name for name in self._names if name not in texts), None)

    def options(self, texts: Texts) -> Options | None:
        """Return what the first free text not in `texts` may be; None if all are in it, or the sessions differ earlier.

        If the sessions differ because a synonym replaces a text, reading continues as if the two were the same. Prompts
        are the exception: it would then be unclear whether the program shows the text or its synonym.
        """
        if self.first_unknown(texts) is None:
            return None
        options = self._options(texts)
        if options is not None or not any(text.synonyms for text in self.policy.free):
            return options
        policy = self.policy.with_accepted_texts({name: text for name, text in texts.items() if "\0" not in name})
        options = SessionPair(self.expected, self._session, policy, self._meanings)._options(texts)
        is_question = any(options and text.name == options.name and text.kind == "prompt" for text in policy.free)
        return None if is_question else options

    def _options(self, texts: Texts) -> Options | None:
        marked = self._marked(texts)
        mark = _MARK.search(marked)
        if mark is None:
            return None
        free, start = self.policy.free[int(mark[1])], mark.start()
        is_reached = self._is_alike(marked[:start])
        possible = self._candidates(free, start) if is_reached else []
        if free.numbers_vary:
            possible = [text and without_numbers(text) for text in possible]
        candidates = [text for text in possible if self._may_be(free, text, texts)]
        if free.may_be_missing or free.kind == "after":
            candidates += [None, b""]
        scored = [(candidate, self._score(free, candidate, start, texts)) for candidate in candidates]
        best = max((score for _, score in scored if score is not None), default=None)
        if best is None:
            return Options(free.name, (), False) if is_reached else None
        explaining = [text for text, score in scored if score == best]
        if None in explaining and b"" in explaining:
            explaining.remove(b"")  # equivalent here
        return Options(free.name, tuple(explaining), best[0])

    def read(self, known: Texts = _NOTHING) -> dict[str, bytes | None]:
        """Return what the program shows in this session for each free text, as far as the sessions agree."""
        return self._read(dict(known))[1]

    def _read(self, texts: dict[str, bytes | None]) -> tuple[tuple[bool, int], dict[str, bytes | None]]:
        """Return whether and how far the sessions agree with the texts that explain most, and these texts."""
        while (options := self.options(texts)) is not None:
            if len(options.texts) > 1:
                tried = [self._read({**texts, options.name: text}) for text in options.texts]
                return max(tried, key=lambda attempt: attempt[0])
            if not options.texts:
                break
            texts[options.name] = options.texts[0]
        return (self.is_explained(texts), self._agreed(self._marked(texts))), texts

    def is_explained(self, texts: Texts) -> bool:
        """Whether the sessions are the same if the reference shows these texts, and its own texts otherwise."""
        changed = replace_free_texts(
            self.expected, self.policy.free, with_numbers(texts, self.policy.free, self._session)
        )
        return self._read_as(self._flat(with_texts(changed, _escaped))) == self._read_as(self._actual)

    def _marked(self, texts: Texts) -> bytes:
        """The session of the reference with these texts, and a placeholder for each other free text."""
        free = self.policy.free
        marks = {text.name: b"\xfd\x04%d\x04" % number for number, text in enumerate(free) if text.name not in texts}
        numbered = with_numbers(texts, free, self._session)
        escaped = {name: _escaped(text) if text else text for name, text in numbered.items()}
        marked = replace_free_texts(self._escaped, free, {**marks, **escaped})
        return self._flat(marked)

    def _flat(self, expected: tuple[Event, ...]) -> bytes:
        """A session of the reference as one text, with the program's lines where any line is allowed."""
        expected = with_permitted_lines(relaxed(expected, self.policy), self._events, self.policy)
        return b"".join(map(_flat_event, expected))

    def _candidates(self, free: FreeText, start: int) -> list[bytes | None]:
        """The texts from `start` on that may be this free text: all up to the next read, or one or more lines."""
        if free.kind == "prompt":
            prompt = _SHOWN.match(self._actual, start)
            assert prompt is not None
            is_prompt = self._actual.startswith(_READS, prompt.end()) and prompt[0].count(b"\n") < free.lines
            return [_unescaped(prompt[0])] if is_prompt and prompt[0].strip() else []
        candidates: list[bytes | None] = []
        end = start
        for _ in range(free.lines):
            line = _LINE.match(self._actual, end)
            assert line is not None
            text = self._actual[start : line.end()]
            after = self._actual[line.end() : line.end() + 1]
            if text.strip() and after in (b"", b"\n"):
                candidates.append(_unescaped(text + after if free.kind == "after" else text))
            if after != b"\n":
                break
            end = line.end() + 1
        return list(dict.fromkeys(candidates))

    def _may_be(self, free: FreeText, text: bytes | None, texts: Texts) -> bool:
        """Whether this free text may be `text`: neither `text` nor a line of `text` has another meaning."""
        assert text is not None
        policy = self.policy
        others = [text for text in policy.free if text.name != free.name]
        equal_names = {
            other.name
            for other in others
            if other.text in (*free.may_equal, *free.synonyms)
            or free.text in (*other.may_equal, *other.synonyms)
            # The reference shows nothing for either text, and what was typed before distinguishes the two.
            or free.kind == other.kind == "after"
        }
        other_texts = {other.name: texts.get(other.name, other.own_text) for other in others}
        allowed = {meaning_of(text.encode()) for text in (*free.may_equal, *free.synonyms)} | {
            meaning_of(free.own_text)
        }
        other_meanings = {meaning_of(text) for name, text in other_texts.items() if text and name not in equal_names}
        reserved = {meaning_of(text.encode()) for text in policy.reserved} - allowed
        line_meanings = {meaning_of(line) for line in text.split(b"\n")}
        return meaning_of(text) not in other_meanings | (self._meanings - allowed) and not line_meanings & reserved

    def _score(self, free: FreeText, text: bytes | None, start: int, texts: Texts) -> tuple[bool, int] | None:
        """Return whether a text explains the session to its end, or else how far; None if nothing confirms the text.

        The reference's own text needs no confirmation. An empty text does: both sessions must continue alike until a
        line is typed, since a missing text is no evidence by itself.
        """
        marked = self._marked({**texts, free.name: text})
        end = min(start + len(_escaped(text or b"")), len(marked))
        agreed = self._agreed(marked)
        mark = _MARK.search(marked)
        is_whole = agreed >= mark.start() if mark else agreed == len(marked) == len(self._actual)
        is_own = text is not None and agreed >= start and self._is_read_as_own(text, free)
        after = marked[end:agreed]
        if is_whole or is_own or (after.strip(BLANKS + b"\n") if text else _READS[0] in after):
            return is_whole, 0 if is_whole else agreed - end
        return None

    def _agreed(self, marked: bytes) -> int:
        return shared_length(self._read_as(marked), self._read_as(self._actual))

    def _is_alike(self, text: bytes) -> bool:
        return self._read_as(text) == self._read_as(self._actual[: len(text)])

    def _is_read_as_own(self, text: bytes, free: FreeText) -> bool:
        return read_alone(text, self.policy) == read_alone(free.own_text, self.policy)


#: The maximum number of sessions that vote on a text; more add nothing to a majority.
_VOTES = 40


def texts_of(pairs: Sequence[SessionPair]) -> dict[str, bytes | None]:
    """Returns what a submission shows for each free text that occurs in its sessions, by majority.

    Clear texts, for which sessions leave only one option, are read first, and are then known in all sessions.
    """
    texts: dict[str, bytes | None] = {}
    while True:
        votes: dict[str, list[Options]] = {}
        for pair in pairs:
            name = pair.first_unknown(texts)
            if name is None or len(votes.get(name, ())) == _VOTES:
                continue
            options = pair.options(texts)
            if options is not None and options.texts:
                votes.setdefault(name, []).append(options)
        ranked = [(_rank(name_votes), name) for name, name_votes in votes.items() if name_votes]
        if not ranked:
            return texts
        _, clearest = max(ranked, key=lambda candidate: candidate[0])
        texts[clearest] = _winner(votes[clearest])


def _rank(votes: Sequence[Options]) -> tuple[int, int]:
    """Returns how clear votes are: how many have one option that explains the session, and how many have one option."""
    clear = [vote for vote in votes if len(vote.texts) == 1]
    return sum(vote.is_whole for vote in clear), len(clear)


def _winner(votes: Sequence[Options]) -> bytes | None:
    """Returns the text with the most votes, clear ones before others; ties go to the first text."""
    counts: dict[bytes | None, list[int]] = {}
    for vote in votes:
        for text in vote.texts:
            count = counts.setdefault(text, [0, 0, 0])
            is_clear = len(vote.texts) == 1
            count[0] += is_clear and vote.is_whole
            count[1] += is_clear
            count[2] += 1
    return max(counts, key=lambda text: counts[text])


def settled(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> tuple[tuple[Event, ...], Policy]:
    """Returns the reference's session with the submission's texts as its free texts, and the policy with these texts.

    If the policy does not have these texts, they are read from the program's session.
    """
    if not policy.free or (policy.accepted_texts is None and expected == actual):
        return expected, policy
    if policy.accepted_texts is None:
        pair = SessionPair(expected, actual, policy)
        if pair.is_explained(_NOTHING):
            return expected, policy
        policy = policy.with_accepted_texts(pair.read())
    texts = policy.texts
    if texts:
        expected, actual = without_ignored_pauses(expected, policy), without_ignored_pauses(actual, policy)
    return replace_free_texts(expected, policy.free, with_numbers(texts, policy.free, actual)), policy


def _flat_event(event: Event) -> bytes:
    """Encodes an event as text; shown text is escaped already, and looks like no other event or placeholder."""
    match event:
        case Shown(text):
            return text
        case Typed(line):
            return b"\xfd\x01%b\xfd\x01" % _escaped(line)
        case Paused(duration_ms):
            return b"\xfd\x03%d\xfd\x03" % duration_ms
    return b"\xfd\x02"


def _escaped(text: bytes) -> bytes:
    return text.replace(b"\xfd", b"\xfd\x00")


def _unescaped(text: bytes) -> bytes:
    return text.replace(b"\xfd\x00", b"\xfd")
