"""Loads `needs` and `graded_by` of a stage: the stages it needs, and whether it is graded manually."""

from __future__ import annotations

from pitboss.assignments.keys import ONLY_JUDGED
from pitboss.assignments.nodes import choice, texts
from pitboss.assignments.yamlfile import Node
from pitboss.errors import SpecError, as_found, did_you_mean, listed

#: The values of `graded_by`, and whether the stage is graded by hand.
_GRADERS = {"pitboss": False, "hand": True}
_OLD_GRADERS = {"person": "hand"}


def is_manual(entries: dict[str, Node]) -> bool:
    """Whether a stage with these entries is graded manually."""
    return "graded_by" in entries and choice(entries["graded_by"], "graded_by", _GRADERS, _OLD_GRADERS)


def needs_of(
    entries: dict[str, Node], stage: str, earlier: tuple[str, ...], manual_stages: tuple[str, ...]
) -> tuple[str, ...]:
    """Returns the stages that must be accepted before this stage is graded; by default all earlier judged stages.

    The stages in `manual_stages` are graded manually: they need no other stage, and no stage needs them.
    """
    if stage in manual_stages:
        for key in ONLY_JUDGED:
            if key in entries:
                raise SpecError(
                    f"{entries[key].place}: stage {as_found(stage)} has {key} — it is graded manually and not "
                    f"judged; omit {key}"
                )
        return ()
    judged = tuple(name for name in earlier if name not in manual_stages)
    return _named_stages(entries["needs"], stage, judged, manual_stages) if "needs" in entries else judged


def _named_stages(node: Node, stage: str, earlier: tuple[str, ...], manual_stages: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the stages in a `needs:` node, each of which must be an earlier judged stage."""
    names = texts(node, "needs")
    for name in names:
        if name in manual_stages:
            raise SpecError(
                f"{node.place}: stage {as_found(stage)} needs {as_found(name)} — that stage is graded manually, so it "
                "is never accepted"
            )
        if name not in earlier:
            allowed = (
                f"it must be one of the stages before it: {listed(earlier)}" if earlier else "no stage is before it"
            )
            raise SpecError(
                f"{node.place}: stage {as_found(stage)} needs {as_found(name)} — {allowed}{did_you_mean(name, earlier)}"
            )
    return names
