"""A rule of an assignment: what is found on the screen where it has come up, and its words. Values."""

from __future__ import annotations

import msgspec


class Rule(msgspec.Struct, frozen=True):
    """A rule of a stage; it has come up once its pattern is found on the screen of a right session."""

    name: str
    #: A regular expression for Python's re with MULTILINE; the screen includes the typed lines with their Enter.
    pattern: str
    #: What it asks of a program, a paragraph of Markdown for the handout; empty if the handout leaves it out.
    says: str = ""
