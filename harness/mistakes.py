"""The known mistakes of an assignment: wrong references, each the right one with one thing changed.

A catalogue is a function `module:catalogue` that gives values with the fields of `Mistake`, `mains` being functions
called as references are. Beside it the module may have `together(one, other)`, which gives the `mains` of a program
that makes both mistakes; it tells what a submission with two mistakes does. And it may have
`tolerating(mistake, right)`, which gives the program that makes a mistake where `right`, a reference that is tolerated,
is the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations
from typing import Any

import msgspec

from harness.assignment import Stage
from harness.authored import call, shown
from harness.errors import SpecError
from harness.references import ExpectedRun, expected_run_in_process
from harness.resolving import resolved

_FIELDS = ("id", "title", "hint", "note", "source", "invisible")


class Mistake(msgspec.Struct, frozen=True):
    """One mistake, or two made together."""

    id: str
    title: str
    #: Points the student to the place, and does not give the answer away.
    hint: str
    #: For the instructor.
    note: str
    source: str
    #: Why no session can show it; empty where one can.
    invisible: str
    #: Runs the wrong program of a stage.
    performances: Mapping[str, ExpectedRun]

    def performance(self, stage: str) -> ExpectedRun | None:
        """How to run it, None for a stage that cannot have it."""
        return self.performances.get(stage)


def mistakes_of(stage: Stage) -> tuple[Mistake, ...]:
    """The known mistakes that a stage can have; SpecError for a catalogue that cannot be read."""
    if not stage.mistakes:
        return ()
    return tuple(one for one in _catalogue(stage.mistakes) if one.performance(stage.name))


def mistakes_beside(stage: Stage, tolerated: str) -> tuple[Mistake, ...]:
    """The known mistakes of a stage where one of its tolerated references is the right one; none that cannot be so."""
    reference = next((one.reference for one in stage.tolerated if one.name == tolerated), None)
    tolerating = _function_beside(stage.mistakes, "tolerating") if stage.mistakes else None
    if reference is None or not reference.function or tolerating is None:
        return ()
    right = resolved(reference.function, tolerated)
    given = _by_id(stage.mistakes)
    found = []
    for one in mistakes_of(stage):
        main = call(f"mistakes {stage.mistakes!r}: tolerating", tolerating, given[one.id], right)
        if main is not None:
            performances = {stage.name: expected_run_in_process(main, f"mistake {one.id!r}")}
            found.append(msgspec.structs.replace(one, performances=performances))
    return tuple(found)


def pairs_of(stage: Stage, is_worth_trying: Callable[[str, str], bool] = lambda _, __: True) -> Iterator[Mistake]:
    """Two known mistakes made together, for every two of them that can be and are worth trying, by their ids."""
    for one, other in combinations([one for one in mistakes_of(stage) if not one.invisible], 2):
        if not is_worth_trying(one.id, other.id):
            continue
        mains = _together(stage.mistakes, one.id, other.id)
        if stage.name in mains:
            yield Mistake(
                f"{one.id}+{other.id}",
                f"{one.title}; and {other.title}",
                f"{one.hint} {other.hint}",
                f"{one.note} {other.note}",
                f"{one.source}; {other.source}",
                "",
                {stage.name: expected_run_in_process(mains[stage.name], f"mistake {one.id}+{other.id}")},
            )


@cache
def _catalogue(name: str) -> tuple[Mistake, ...]:
    return tuple(_read(given, name) for given in _given(name))


@cache
def _given(name: str) -> tuple[Any, ...]:
    what = f"mistakes {name!r}"
    return tuple(call(what, resolved(name, what), read=tuple))


def _by_id(name: str) -> dict[str, Any]:
    return {one.id: given for one, given in zip(_catalogue(name), _given(name), strict=True)}


def _read(given: Any, name: str) -> Mistake:
    return call(f"mistakes {name!r}", _mistake, given, name)  # type: ignore[no-any-return]


def _mistake(given: Any, name: str) -> Mistake:
    try:
        texts = {field: str(getattr(given, field)) for field in _FIELDS}
        mains: Mapping[str, Callable[..., int]] = dict(given.mains)
    except (AttributeError, TypeError, ValueError) as error:
        wanted = f"a mistake has {', '.join(_FIELDS)} and mains"
        raise SpecError(f"mistakes {name!r} gave {shown(given)} — {wanted}") from error
    what = f"mistake {texts['id']!r}"
    return Mistake(**texts, performances={stage: expected_run_in_process(main, what) for stage, main in mains.items()})


def _together(name: str, one: str, other: str) -> Mapping[str, Callable[..., int]]:
    together = _function_beside(name, "together")
    if together is None:
        return {}
    given = _by_id(name)
    what = f"mistakes {name!r}: together"
    return call(what, together, given[one], given[other], read=lambda mains: dict(mains or {}))  # type: ignore[no-any-return]


@cache
def _function_beside(catalogue: str, name: str) -> Callable[..., Any] | None:
    """A function that a catalogue's module may have, None where it has none."""
    module, _, _ = catalogue.rpartition(":")
    try:
        function: Callable[..., Any] = resolved(f"{module}:{name}", "mistakes")
    except SpecError:
        return None
    return function
