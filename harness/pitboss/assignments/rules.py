"""A rule of an assignment: the pattern that shows on the screen that it came up, and its text. Values."""

from __future__ import annotations

import msgspec


class Rule(msgspec.Struct, frozen=True):
    """A rule of a stage; it has come up if its pattern is found on the screen of a right session."""

    name: str
    #: A regular expression for Python's re with MULTILINE; the screen includes the typed lines with their Enter.
    pattern: str
    #: What it requires of a program, a paragraph of Markdown for the handout; empty if the handout leaves it out.
    says: str = ""
