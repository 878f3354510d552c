"""Loads which stages a stage of assignment.yaml needs, and whether it is graded by hand."""

from __future__ import annotations

from pitboss.assignments.keys import ONLY_JUDGED
from pitboss.assignments.nodes import choice, texts
from pitboss.assignments.yamlfile import Node
from pitboss.errors import SpecError, as_found, listed, near

#: The values of `graded_by`, and whether the stage is graded by hand.
_GRADERS = {"pitboss": False, "hand": True}
_OLD_GRADERS = {"person": "hand"}


def is_manual(entries: dict[str, Node]) -> bool:
    """Whether a stage with these entries is graded by hand."""
    return "graded_by" in entries and choice(entries["graded_by"], "graded_by", _GRADERS, _OLD_GRADERS)


def needs_of(
    entries: dict[str, Node], stage: str, earlier: tuple[str, ...], manual_stages: tuple[str, ...]
) -> tuple[str, ...]:
    """Returns the stages that must be accepted before this one counts; by default all earlier ones that are judged.

    A stage in `manual_stages` is graded by hand: it needs no other stage, and no other needs it.
    """
    if stage in manual_stages:
        for key in ONLY_JUDGED:
            if key in entries:
                raise SpecError(
                    f"{entries[key].place}: stage {as_found(stage)} has {key} — it is graded by hand, so nothing of "
                    f"it is judged; leave {key} out"
                )
        return ()
    judged = tuple(one for one in earlier if one not in manual_stages)
    return _named(entries["needs"], stage, judged, manual_stages) if "needs" in entries else judged


def _named(node: Node, stage: str, earlier: tuple[str, ...], manual_stages: tuple[str, ...]) -> tuple[str, ...]:
    names = texts(node, "needs")
    for name in names:
        if name in manual_stages:
            raise SpecError(
                f"{node.place}: stage {as_found(stage)} needs {as_found(name)} — that is graded by hand, so it is "
                "never accepted"
            )
        if name not in earlier:
            allowed = f"it is one of the stages before it: {listed(earlier)}" if earlier else "no stage is before it"
            raise SpecError(
                f"{node.place}: stage {as_found(stage)} needs {as_found(name)} — {allowed}{near(name, earlier)}"
            )
    return names
