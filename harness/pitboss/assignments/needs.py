"""Loads `needs` and `graded_by` of a stage: the stages it needs, and whether it is graded manually."""

from __future__ import annotations

from pitboss.assignments.keys import JUDGED_STAGE_KEYS
from pitboss.assignments.nodes import choice, texts
from pitboss.assignments.yamlfile import Node
from pitboss.errors import SpecError, as_found, did_you_mean, listed

#: The values of `graded_by`, each with whether the stage is then graded manually.
_GRADERS = {"pitboss": False, "hand": True}
#: Old values of `graded_by`, each with the value that replaces it.
_OLD_GRADERS = {"person": "hand"}


def is_manual(entries: dict[str, Node]) -> bool:
    """Whether a stage is graded manually; `entries` are the stage's keys in assignment.yaml, with their nodes."""
    return "graded_by" in entries and choice(entries["graded_by"], "graded_by", _GRADERS, _OLD_GRADERS)


def needs_of(
    entries: dict[str, Node], stage: str, earlier: tuple[str, ...], manual_stages: tuple[str, ...]
) -> tuple[str, ...]:
    """Returns the stages that must be accepted before `stage` is graded; by default all earlier stages that are judged.

    `entries` are the keys of the stage with their nodes, `earlier` the names of the stages before it. The stages in
    `manual_stages` are graded manually, so they need no other stage, and no stage needs them.
    """
    if stage in manual_stages:
        for key in JUDGED_STAGE_KEYS:
            if key in entries:
                raise SpecError(
                    f"{entries[key].place}: stage {as_found(stage)} has {key} — the stage is graded manually and not "
                    f"judged; omit {key}"
                )
        return ()
    judged = tuple(name for name in earlier if name not in manual_stages)
    return _stages_in(entries["needs"], stage, judged, manual_stages) if "needs" in entries else judged


def _stages_in(node: Node, stage: str, judged: tuple[str, ...], manual_stages: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the stages that the `needs:` node of `stage` lists; raises SpecError for a stage that is not in `judged`.

    `judged` are the stages before `stage` that are not graded manually.
    """
    names = texts(node, "needs")
    for name in names:
        if name in manual_stages:
            raise SpecError(
                f"{node.place}: stage {as_found(stage)} needs {as_found(name)} — that stage is graded manually, so it "
                "is never accepted"
            )
        if name not in judged:
            allowed = f"it must be one of the stages before it: {listed(judged)}" if judged else "no stage is before it"
            raise SpecError(
                f"{node.place}: stage {as_found(stage)} needs {as_found(name)} — {allowed}{did_you_mean(name, judged)}"
            )
    return names
