"""Edits of a text by its tokens, collected and then made at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.submissions.csharp.tokens import Token


class Edits:
    """A text, its tokens, and the edits that are collected on it."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        """No edits yet; tokens are named by their numbers."""
        self.text = text
        self.tokens = tokens
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of the tokens from one to before another; its lines stay as many."""
        first = self.tokens[start].start
        last = self.tokens[end - 1].end if end > start else first
        lost = self.text.count("\n", first, last) - text.count("\n")
        self._edits.append((first, last, text + "\n" * max(0, lost)))

    def insert(self, number: int, text: str) -> None:
        """Put a text before a token, or at the end."""
        start = self.tokens[number].start if number < len(self.tokens) else len(self.text)
        self._edits.append((start, start, text))

    def insert_after(self, number: int, text: str) -> None:
        """Put a text right after a token."""
        end = self.tokens[number].end
        self._edits.append((end, end, text))

    def attempt(self, rewrite: Callable[[], bool]) -> bool:
        """Make the edits of one rewriting, unless they meet those made before; whether they were made.

        One that meets another may hold a text that is about to change: its turn comes when that is done.
        """
        count = len(self._edits)
        is_done = rewrite()
        new = self._edits[count:]
        if is_done and not any(a[0] <= b[1] and b[0] <= a[1] for a in new for b in self._edits[:count]):
            return True
        del self._edits[count:]
        return False

    def edited(self) -> str:
        """The text with its edits; of two that overlap the one that begins first counts."""
        parts, index = [], 0
        for start, end, text in sorted(self._edits, key=lambda edit: edit[:2]):
            if start < index:
                continue
            parts += [self.text[index:start], text]
            index = end
        return "".join(parts) + self.text[index:]
