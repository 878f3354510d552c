"""A rule of an assignment: the pattern by which a session shows that it came up, and its text. Values."""

from __future__ import annotations

import msgspec


class Rule(msgspec.Struct, frozen=True):
    """A rule of a stage; it has come up if its pattern matches on the screen of a correct session."""

    name: str
    #: A regular expression for Python's re with MULTILINE; the screen includes the typed lines with their Enter.
    pattern: str
    #: What it requires of a program, as a paragraph of Markdown for the handout; empty if the handout omits it.
    says: str = ""
