"""Reads from sessions what a submission shows instead of the reference's free texts.

Both sessions are compared up to the first free text whose counterpart in the program is unknown. The text that the
program shows at that position becomes the counterpart if it does not mean the same as another known text or line, and
both sessions continue alike after it. The kind of the free text determines where the counterpart ends. No other
difference is ever accepted: a known counterpart is compared like any other text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.equality import equality
from pitboss.model.free_texts import (
    Replacements,
    line_typed_before,
    names_in,
    replace_free_texts,
    with_varying_parts,
    without_varying_parts,
)
from pitboss.model.line_rules import with_permitted_lines
from pitboss.model.transcript import Event, events_of_flat, flat, shared_length

#: The program's texts by the names of the free texts. None or empty if the program shows nothing: see `AcceptedText`.
Texts = Mapping[str, bytes | None]
_NO_TEXTS: Texts = {}
#: The maximum number of marked sessions that a pair of sessions caches: see `_marked_session`.
_MAX_MARKED = 16
#: The placeholder in a flat session for the first free text, if its counterpart is unknown; others follow it.
_FIRST_PLACEHOLDER = 0x400
_PLACEHOLDER = re.compile("[\u0400-\U0010ffff]")
#: A line of the screen, and the text that the program shows up to its next pause, read or end, in a flat session.
_LINE, _SHOWN_TEXT = re.compile("[^\n\u0100-\u03ff]*"), re.compile("[^\u0100-\u03ff]*")
_EVENT = re.compile("[\u0100-\u03ff]")
#: The first characters of a typed line and of an end of input, in a flat session.
_READ_STARTS = ("\u0200", "\u0101")
#: What bytes.strip strips.
_WHITESPACE = " \t\n\r\v\f"


@functools.lru_cache(maxsize=65_536)
def meaning_of(text: bytes) -> str:
    """Returns the meaning of a text: its words in lower case; the stripped text itself if it has no words."""
    decoded = text.decode("utf-8", "replace")
    return " ".join(re.findall(r"\w+", decoded.casefold())) or decoded.strip()


def meanings_in(expected: tuple[Event, ...], policy: Policy) -> frozenset[str]:
    """Returns the meanings of the lines that the reference shows in a session, without its free texts."""
    session = replace_free_texts(flat(expected), policy.free, {text.name: None for text in policy.free})
    lines = set(re.split("[^\0-\t\x0b-\xff]+", session))
    return frozenset(meaning_of(line.encode("latin-1")) for line in lines if line.strip(_WHITESPACE))


@functools.lru_cache(maxsize=256)
def _without_numbers(meanings: frozenset[str]) -> frozenset[str]:
    """Returns the meanings, each also without its numbers if it has other words."""
    words_of = (" ".join(word for word in meaning.split() if not word.isdigit()) for meaning in meanings)
    return meanings | {words for words in words_of if words}


class PossibleTexts(NamedTuple):
    """Texts that a program may show for a free text: each explains the session equally well; the first is preferred."""

    #: The name of the free text.
    name: str
    texts: tuple[bytes | None, ...]
    #: Whether each of these texts makes both sessions the same up to their ends, or up to the next unknown text.
    is_whole: bool


class SessionPair:
    """The reference's session and the program's session, under a policy with free texts."""

    def __init__(
        self,
        expected: tuple[Event, ...],
        actual: tuple[Event, ...],
        policy: Policy,
        meanings: frozenset[str] = frozenset(),
    ) -> None:
        """`meanings` are further meanings that no free text may have, as returned by `meaning_of`."""
        self.policy, self._equal, self._meanings = policy, equality(policy), meanings
        self._sessions = expected, actual
        #: The reference's session, the program's session, and the latter normalized, with its places and without.
        self.expected, self._actual = (
            self._equal.without_ignored_pauses(flat(events)) for events in (expected, actual)
        )
        self._located_actual = self._equal.normalize(self._actual)
        self._normalized_actual = self._located_actual.text
        #: See `_marked_session`; by the texts.
        self._marked: dict[frozenset[tuple[str, bytes | None]], str] = {}
        #: The names of the free texts in the reference's session, in order.
        self._names = names_in(expected, policy.free)

    def first_unknown(self, texts: Texts) -> str | None:
        """Return the name of the session's first free text that is not in `texts`; None if `texts` has all of them."""
        return next((name for name in self._names if name not in texts), None)

    def possible_texts(self, texts: Texts) -> PossibleTexts | None:
        """Return the texts that the program may show for this session's first free text that is not in `texts`.

        Returns None if `texts` has all free texts, or if the sessions differ earlier. They may differ because the
        program replaces another text of the reference, a synonym of a free text, by its text for that free text. Then
        the sessions are compared as if the synonym were the free text. But no prompt is read in this way: the program
        might show its text for the prompt or for one of the prompt's synonyms there.
        """
        if self.first_unknown(texts) is None:
            return None
        possible = self._next_possible_texts(texts)
        if possible is not None or not any(text.synonyms for text in self.policy.free):
            return possible
        # A name with a null byte stands for a single occurrence: see `with_varying_parts`.
        policy = self.policy.with_accepted_texts({name: text for name, text in texts.items() if "\0" not in name})
        possible = SessionPair(*self._sessions, policy, self._meanings)._next_possible_texts(texts)
        is_prompt = any(possible and text.name == possible.name and text.kind == "prompt" for text in policy.free)
        return None if is_prompt else possible

    def _next_possible_texts(self, texts: Texts) -> PossibleTexts | None:
        """Return the same as `possible_texts`, but None if a synonym makes the sessions differ earlier."""
        marked = self._marked_session(texts)
        placeholder = _PLACEHOLDER.search(marked)
        if placeholder is None:
            return None
        free, start = self.policy.free[ord(placeholder[0]) - _FIRST_PLACEHOLDER], placeholder.start()
        is_reached = self._equal.fold(marked[:start]) == self._equal.fold(self._normalized_actual[:start])
        shown_texts = self._candidates(free, start) if is_reached else []
        if free.numbers_vary:
            # A text may have a word that was typed by chance, so both readings are possible.
            words = (line_typed_before(self._normalized_actual, start), b"")
            shown_texts = [text and without_varying_parts(text, word) for text in shown_texts for word in words]
            shown_texts = list(dict.fromkeys(shown_texts))
        candidates = [text for text in shown_texts if self._is_permitted_text(free, text, texts)]
        if free.may_be_missing or free.kind == "after":
            candidates += [None, b""]
        scored = [(candidate, self._score(free, candidate, start, texts)) for candidate in candidates]
        best_score = max((score for _, score in scored if score is not None), default=None)
        if best_score is None:
            return PossibleTexts(free.name, (), False) if is_reached else None
        best_texts = [text for text, score in scored if score == best_score]
        if None in best_texts and b"" in best_texts:
            best_texts.remove(b"")  # nothing in this session distinguishes it from None: see `AcceptedText`
        is_whole, _ = best_score
        return PossibleTexts(free.name, tuple(best_texts), is_whole)

    def read(self, known_texts: Texts = _NO_TEXTS) -> dict[str, bytes | None]:
        """Return the text that the program shows for each free text of this session, as far as the sessions agree.

        The texts in `known_texts` are not read again, but returned too.
        """
        _, texts = self._read_best(dict(known_texts))
        return texts

    def _read_best(self, texts: dict[str, bytes | None]) -> tuple[tuple[bool, int], dict[str, bytes | None]]:
        """Complete `texts`, and return the best score and the completed texts, which have this score.

        The score is whether the sessions are the same with these texts, and how many leading bytes are the same.
        """
        while (possible := self.possible_texts(texts)) is not None:
            if len(possible.texts) > 1:
                scored = [self._read_best({**texts, possible.name: text}) for text in possible.texts]
                return max(scored, key=lambda score_and_texts: score_and_texts[0])
            if not possible.texts:
                break
            texts[possible.name] = possible.texts[0]
        return (self.is_explained(texts), self._agreed_length(self._marked_session(texts))), texts

    def is_explained(self, texts: Texts) -> bool:
        """Whether the sessions are the same if the reference shows `texts`, and its own text for each other name."""
        session = self._normalized_session(with_varying_parts(texts, self.policy.free, self._actual, texts))
        return self._equal.fold(session) == self._equal.fold(self._normalized_actual)

    def _marked_session(self, texts: Texts) -> str:
        """Return the reference's session as one text, with `texts`, and a placeholder for each other free text."""
        key = frozenset(texts.items())
        if key in self._marked:
            return self._marked[key]
        free = self.policy.free
        placeholders = {text.name: chr(_FIRST_PLACEHOLDER + number) for number, text in enumerate(free)}
        marked = self._normalized_session({**placeholders, **with_varying_parts(texts, free, self._actual, texts)})
        if len(self._marked) >= _MAX_MARKED:
            self._marked.clear()
        self._marked[key] = marked
        return marked

    def _normalized_session(self, texts: Replacements) -> str:
        """Return the reference's session with these texts, normalized, with the program's lines where permitted."""
        session = self._equal.normalize(replace_free_texts(self.expected, self.policy.free, texts))
        return with_permitted_lines(session, self._located_actual, self._equal).text

    def _candidates(self, free: FreeText, start: int) -> list[bytes | None]:
        """Return the program's texts from `start` on that have the form of this free text.

        For a prompt, the only such text is everything up to the next read. For other kinds, the texts are the next
        line, the next two lines, and so on up to `free.lines` lines; empty lines alone only after a typed line.
        """
        if free.kind == "prompt":
            prompt = _SHOWN_TEXT.match(self._normalized_actual, start)
            assert prompt is not None
            is_prompt = (
                self._normalized_actual.startswith(_READ_STARTS, prompt.end()) and prompt[0].count("\n") < free.lines
            )
            return [prompt[0].encode("latin-1")] if is_prompt and prompt[0].strip(_WHITESPACE) else []
        candidates: list[bytes | None] = []
        end = start
        for _ in range(free.lines):
            line = _LINE.match(self._normalized_actual, end)
            assert line is not None
            text = self._normalized_actual[start : line.end()]
            following = self._normalized_actual[line.end() : line.end() + 1]
            has_text = text.strip(_WHITESPACE) or (free.kind == "after" and following)
            if has_text and following in ("", "\n"):
                candidates.append((text + following if free.kind == "after" else text).encode("latin-1"))
            if following != "\n":
                break
            end = line.end() + 1
        return list(dict.fromkeys(candidates))

    def _is_permitted_text(self, free: FreeText, text: bytes | None, texts: Texts) -> bool:
        """Whether the program may show `text` for this free text.

        `text` must not have the meaning of another text, and no line of `text` may have a reserved meaning.
        """
        assert text is not None
        policy = self.policy
        others = [other for other in policy.free if other.name != free.name]
        equal_names = {
            other.name
            for other in others
            if free.may_equal_text_of(other)
            # The reference shows nothing for either text, and the screen line before them distinguishes the two.
            or free.kind == other.kind == "after"
        }
        other_texts = {other.name: texts.get(other.name, other.reference_text) for other in others}
        allowed_meanings = {meaning_of(allowed.encode()) for allowed in (*free.may_equal, *free.synonyms)} | {
            meaning_of(free.reference_text)
        }
        other_meanings = {
            meaning_of(other_text) for name, other_text in other_texts.items() if other_text and name not in equal_names
        }
        reserved = {meaning_of(reserved_text.encode()) for reserved_text in policy.reserved} - allowed_meanings
        line_meanings = {meaning_of(line) for line in text.split(b"\n")}
        # A text whose numbers vary has no numbers here, so it is compared with other lines without theirs.
        own_lines = _without_numbers(self._meanings) if free.numbers_vary else self._meanings
        return meaning_of(text) not in other_meanings | (own_lines - allowed_meanings) and not line_meanings & reserved

    def _score(self, free: FreeText, text: bytes | None, start: int, texts: Texts) -> tuple[bool, int] | None:
        """Return the score of a text that the program may show for a free text; None if nothing confirms the text.

        The score is whether both sessions are the same up to their ends or the next unknown text, and if not, how many
        bytes after the text are the same. The reference's own text needs no confirmation. Any other text must be
        followed by text that is the same in both sessions and not blank. After a missing text, both sessions must be
        the same until a line is typed, since a missing text alone is no evidence.
        """
        marked = self._marked_session({**texts, free.name: text})
        end = min(start + len(text or b""), len(marked))
        agreed_length = self._agreed_length(marked)
        placeholder = _PLACEHOLDER.search(marked)
        is_whole = (
            agreed_length >= placeholder.start()
            if placeholder
            else agreed_length == len(marked) == len(self._normalized_actual)
        )
        is_own = text is not None and agreed_length >= start and self._equal.same(text, free.reference_text)
        agreed_text = marked[end:agreed_length]
        # Where both sessions pause, read or end, even in different ways, the text ends.
        ends_in_both = all(_EVENT.match(session, agreed_length) for session in (marked, self._normalized_actual))
        is_followed = ends_in_both or agreed_text.strip(" \t\r\n") if text else _READ_STARTS[0] in agreed_text
        if is_whole or is_own or is_followed:
            return is_whole, 0 if is_whole else agreed_length - end
        return None

    def _agreed_length(self, marked: str) -> int:
        """Return how many leading bytes of the reference's marked session and the program's session are the same."""
        return shared_length(self._equal.fold(marked), self._equal.fold(self._normalized_actual))


#: The maximum number of sessions that vote on a text; more sessions add nothing to a majority.
_MAX_VOTES = 40


def texts_by_majority(pairs: Sequence[SessionPair]) -> dict[str, bytes | None]:
    """Returns the text that a submission shows for each free text in its sessions, by a majority of the sessions.

    The clearest free text is read first: the one with the most sessions in which only one text is possible, above all
    one that explains the whole session. It is then known in all sessions, and the next one is read in the same way.
    The text of a free text with a common synonym is read only if no other text is clear: it is accepted here anyway.
    """
    free = {each.name: each for pair in pairs for each in pair.policy.free}
    texts: dict[str, bytes | None] = {}
    while True:
        votes: dict[str, list[PossibleTexts]] = {}
        for pair in pairs:
            name = pair.first_unknown(texts)
            if name is None or len(votes.get(name, ())) == _MAX_VOTES:
                continue
            possible = pair.possible_texts(texts)
            if possible is not None and possible.texts:
                votes.setdefault(name, []).append(possible)
        ranked = [(_weight(name_votes)[:2], name) for name, name_votes in votes.items() if name_votes]
        if not ranked:
            return texts
        _, clearest = max(ranked, key=lambda candidate: candidate[0])
        accepted = {text for name, text in texts.items() if text and free[name].has_common_synonym(free[clearest])}
        weights = {
            text: _weight([vote for vote in votes[clearest] if text in vote.texts])
            for text in dict.fromkeys(text for vote in votes[clearest] for text in vote.texts)
        }
        texts[clearest] = max(  # of texts with equal votes the first
            weights, key=lambda text: (text not in accepted and weights[text][1] > 0, weights[text])
        )


def _weight(votes: Sequence[PossibleTexts]) -> tuple[int, int, int]:
    """Returns how many votes have a single text that explains the whole session, how many a single text, how many any.

    Votes of the first kind outweigh all others, and votes of the second kind those of the third.
    """
    clear = [vote for vote in votes if len(vote.texts) == 1]
    return sum(vote.is_whole for vote in clear), len(clear), len(votes)


def with_submission_texts(
    expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy
) -> tuple[tuple[Event, ...], Policy]:
    """Returns the reference's session with the submission's texts as its free texts, and the policy with these texts.

    If the policy does not have the submission's texts, they are read from the program's session.
    """
    if not policy.free or (policy.accepted_texts is None and expected == actual):
        return expected, policy
    if policy.accepted_texts is None:
        pair = SessionPair(expected, actual, policy)
        if pair.is_explained(_NO_TEXTS):
            return expected, policy
        policy = policy.with_accepted_texts(pair.read())
    equal, names = equality(policy), {accepted.name for accepted in policy.accepted_texts or ()}
    actual_session = equal.without_ignored_pauses(flat(actual))
    texts = with_varying_parts(policy.changed_free_texts, policy.free, actual_session, names)
    if not texts:
        return expected, policy
    session = equal.without_ignored_pauses(flat(expected))
    return events_of_flat(replace_free_texts(session, policy.free, texts)), policy
