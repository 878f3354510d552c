"""What must have been shown before a program is accepted: wrong programs, each with a name.

The catalogue of known mistakes is one source of them. Another source is a function of the same form, added to SOURCES.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.mistakes.catalogue import mistakes_beside, mistakes_of
from pitboss.running.references import ExpectedRun


class Wrong(msgspec.Struct, frozen=True):
    """A wrong program: a program that behaves like it must be rejected."""

    id: str
    #: What it does wrong, as a clause that can be quoted.
    title: str
    #: Runs it on an input script and draws, as a reference is run.
    run: ExpectedRun


#: Wrong programs of a stage; the text names the tolerated reference that is right here, empty for the stage's own.
Source = Callable[[Stage, str], Iterable[Wrong]]


def known_mistakes(stage: Stage, judged_as: str) -> Iterable[Wrong]:
    """The known mistakes of a stage, without those that no session can show.

    Raises SpecError if the catalogue cannot be read.
    """
    known = mistakes_beside(stage, judged_as) if judged_as else mistakes_of(stage)
    for one in known:
        run = one.run_of(stage.name)
        if run is not None and not one.invisible:
            yield Wrong(one.id, one.title, run)


SOURCES: tuple[Source, ...] = (known_mistakes,)


def wrong_programs(stage: Stage, judged_as: str, sources: Sequence[Source] = SOURCES) -> tuple[Wrong, ...]:
    """All wrong programs that the sessions of a stage must have shown; raises SpecError if a source cannot be read."""
    return tuple(one for source in sources for one in source(stage, judged_as))
