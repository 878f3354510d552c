"""What a wrong reference is: the right one with one thing changed, and the words that go with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from reference.console import Console


class Mistake(NamedTuple):
    """One mistake that students make."""

    #: Small letters, digits and hyphens.
    id: str
    #: What is wrong, in a few words: "every ace counts 11".
    title: str
    #: A sentence for the student that points to the place and does not give the answer away.
    hint: str
    #: What an instructor should know: how it comes about, what else it does.
    note: str
    #: Where it was seen, or what in a brief invites it.
    source: str
    #: For each stage that can have it, the wrong program: called just as the right one is.
    mains: Mapping[str, Callable[..., int]]
    #: Why no session can show it; empty where one can.
    invisible: str = ""


#: A program of an assignment.
Main = Callable[[Console], int]
