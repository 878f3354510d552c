"""A rule of an assignment: a situation in a session, with a pattern that detects it and a text for the handout."""

from __future__ import annotations

import msgspec


class Rule(msgspec.Struct, frozen=True):
    """A rule of a stage. The rule has come up if its pattern matches the screen of a correct session."""

    name: str
    #: A regular expression for Python's re with MULTILINE. The screen includes each typed line and its newline.
    pattern: str
    #: What the rule requires of a program, as a paragraph of Markdown; empty if the handout omits the rule.
    says: str = ""
