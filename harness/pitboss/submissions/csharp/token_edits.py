"""Edits of a text by token, collected first and then applied together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitboss.submissions.csharp.csharp_tokens import CSharpToken


class Edits:
    """A text, its tokens, and the edits collected so far."""

    def __init__(self, text: str, tokens: Sequence[CSharpToken]) -> None:
        """Start without edits; methods identify tokens by their index."""
        self.text = text
        self.tokens = tokens
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace the tokens from `start` up to but not including `end`; newlines are added to keep the line count."""
        first = self.tokens[start].start
        last = self.tokens[end - 1].end if end > start else first
        lost = self.text.count("\n", first, last) - text.count("\n")
        self._edits.append((first, last, text + "\n" * max(0, lost)))

    def insert(self, number: int, text: str) -> None:
        """Insert a text before a token, or at the end of the text if `number` is past the last token."""
        start = self.tokens[number].start if number < len(self.tokens) else len(self.text)
        self._edits.append((start, start, text))

    def insert_after(self, number: int, text: str) -> None:
        """Insert a text right after a token."""
        end = self.tokens[number].end
        self._edits.append((end, end, text))

    def attempt(self, rewrite: Callable[[], bool]) -> bool:
        """Run `rewrite`, and drop its edits if they overlap earlier ones; returns whether they were accepted.

        Overlapping edits may contain text that is about to change; the caller repeats them in a later pass.
        """
        count = len(self._edits)
        is_done = rewrite()
        new = self._edits[count:]
        if is_done and not any(a[0] <= b[1] and b[0] <= a[1] for a in new for b in self._edits[:count]):
            return True
        del self._edits[count:]
        return False

    def edited(self) -> str:
        """The text with all edits applied; if two overlap, only the first in the text is applied."""
        parts, index = [], 0
        for start, end, text in sorted(self._edits, key=lambda edit: edit[:2]):
            if start < index:
                continue
            parts += [self.text[index:start], text]
            index = end
        return "".join(parts) + self.text[index:]
