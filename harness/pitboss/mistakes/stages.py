"""Programs that still do what another stage asks: the commonest way to be wrong throughout.

The reference of every other stage of an assignment is a candidate, as a known mistake is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pitboss.assignments.assignment import Stage
from pitboss.assignments.functions import resolved
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.mistakes.catalogue import Mistake
from pitboss.running.references import expected_run_in_process

_HINT = "In every session it does what {other} asks, and nothing that only {stage} asks: is this the right file?"


def as_other_stages(stage: Stage, stages: Sequence[Stage]) -> Iterator[Mistake]:
    """The references of the other stages as mistakes of this one, nearest first; without those that are commands."""
    names = [one.name for one in stages]
    place = names.index(stage.name) if stage.name in names else 0
    others = [one for one in stages if one.name != stage.name and one.reference.function and not one.is_for_person]
    for other in sorted(others, key=lambda one: abs(names.index(one.name) - place)):
        if other.reference == stage.reference:
            continue  # one program for both: they differ in options, which say more
        main = resolved(other.reference.function, other.name)
        run = expected_run_in_process(main, other.name, accepted_by(main, own_keywords(stage.options)))
        yield Mistake(
            id=f"as-{other.name}",
            title=f"the program does what {other.name} does",
            hint=_HINT.format(other=other.name, stage=stage.name),
            note=f"The same as the reference of {other.name} in every session.",
            source="the reference of another stage",
            invisible="",
            runs={stage.name: run},
        )
