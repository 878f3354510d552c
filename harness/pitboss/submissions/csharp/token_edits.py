"""Edits of a text by token, collected first and then applied together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitboss.submissions.csharp.csharp_tokens import CSharpToken


class Edits:
    """A text, its tokens, and the edits collected so far."""

    def __init__(self, text: str, tokens: Sequence[CSharpToken]) -> None:
        """Starts without edits; methods identify tokens by their index."""
        self.text = text
        self.tokens = tokens
        #: For each edit: the offset where the replaced text starts, the offset where it ends, and the new text.
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, text: str) -> None:
        """Replaces the tokens from `start` up to but not including `end`: no token if `start` equals `end`.

        If `text` has fewer newlines than the replaced tokens, newlines are added: later lines keep their numbers.
        """
        start_offset = self.tokens[start].start
        end_offset = self.tokens[end - 1].end if end > start else start_offset
        lost_newlines = self.text.count("\n", start_offset, end_offset) - text.count("\n")
        self._edits.append((start_offset, end_offset, text + "\n" * max(0, lost_newlines)))

    def insert(self, number: int, text: str) -> None:
        """Inserts a text before a token, or at the end of the text if `number` is past the last token."""
        start = self.tokens[number].start if number < len(self.tokens) else len(self.text)
        self._edits.append((start, start, text))

    def insert_after(self, number: int, text: str) -> None:
        """Inserts a text right after a token."""
        end = self.tokens[number].end
        self._edits.append((end, end, text))

    def attempt(self, rewrite: Callable[[], bool]) -> bool:
        """Runs `rewrite`, which adds edits and returns whether it rewrote anything; returns whether the edits are kept.

        If a new edit overlaps or touches an earlier edit, all new edits are dropped: their text may contain what the
        earlier edit replaces. The caller rewrites again in a later pass.
        """
        earlier_count = len(self._edits)
        is_rewritten = rewrite()
        earlier_edits, new_edits = self._edits[:earlier_count], self._edits[earlier_count:]
        if is_rewritten and not any(
            start <= earlier_end and earlier_start <= end
            for start, end, _ in new_edits
            for earlier_start, earlier_end, _ in earlier_edits
        ):
            return True
        del self._edits[earlier_count:]
        return False

    def edited_text(self) -> str:
        """The text with all edits applied; of two overlapping edits, only the one with the lower offset is applied."""
        parts, offset = [], 0
        for start, end, text in sorted(self._edits, key=lambda edit: edit[:2]):
            if start < offset:
                continue
            parts += [self.text[offset:start], text]
            offset = end
        return "".join(parts) + self.text[offset:]
