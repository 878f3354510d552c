"""Loads which stages a stage of assignment.yaml needs, and whether it is graded manually."""

from __future__ import annotations

from pitboss.assignments.keys import ONLY_JUDGED
from pitboss.assignments.nodes import choice, texts
from pitboss.assignments.yamlfile import Node
from pitboss.errors import SpecError, as_found, listed, near

#: The values of `graded_by`, and whether the stage is graded manually.
_GRADERS = {"pitboss": False, "person": True}


def is_for_person(entries: dict[str, Node]) -> bool:
    """Whether a stage with these entries is graded manually."""
    return "graded_by" in entries and choice(entries["graded_by"], "graded_by", _GRADERS)


def needs_of(
    entries: dict[str, Node], stage: str, earlier: tuple[str, ...], for_person: tuple[str, ...]
) -> tuple[str, ...]:
    """Returns the stages that must be accepted before this one counts; by default all earlier ones that are judged.

    A stage in `for_person` is graded manually: it needs no other stage, and no other needs it.
    """
    if stage in for_person:
        for key in ONLY_JUDGED:
            if key in entries:
                raise SpecError(
                    f"{entries[key].place}: stage {as_found(stage)} has {key} — a person grades it, so nothing of "
                    f"it is judged; leave {key} out"
                )
        return ()
    judged = tuple(one for one in earlier if one not in for_person)
    return _named(entries["needs"], stage, judged, for_person) if "needs" in entries else judged


def _named(node: Node, stage: str, earlier: tuple[str, ...], for_person: tuple[str, ...]) -> tuple[str, ...]:
    names = texts(node, "needs")
    for name in names:
        if name in for_person:
            raise SpecError(
                f"{node.place}: stage {as_found(stage)} needs {as_found(name)} — a person grades that, so it is never "
                "accepted"
            )
        if name not in earlier:
            allowed = f"it is one of the stages before it: {listed(earlier)}" if earlier else "no stage is before it"
            raise SpecError(
                f"{node.place}: stage {as_found(stage)} needs {as_found(name)} — {allowed}{near(name, earlier)}"
            )
    return names
