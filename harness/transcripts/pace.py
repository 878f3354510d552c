"""How fast a session is played again: what a program shows comes at once, and who types thinks first."""

from __future__ import annotations

#: What passes before a line is typed, and with each of its letters.
THINKS_MS, LETTER_MS = 800, 60
