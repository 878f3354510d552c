"""The statements of a reference that may be what a wrong program does otherwise, the likeliest first.

A program that fails in some sessions does something else there, and mostly there only: what the reference uses in all
of the failed sessions and in few of the accepted ones is the likeliest to be it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from pitboss.harness.assignments.assignment import Stage
from pitboss.harness.errors import HarnessError
from pitboss.harness.judging.outcome import Witness
from pitboss.harness.mistakes.likeness import told_by
from pitboss.harness.mutation.copies import Original
from pitboss.harness.mutation.ran import Ran
from pitboss.harness.mutation.uses import Statement, Uses
from pitboss.harness.running.references import expected_run_in_process
from pitboss.harness.transcripts.policy import EXACT


def suspects_in(
    original: Original, stage: Stage, failed: Sequence[Witness], accepted: Sequence[Witness]
) -> list[dict[str, list[int]]]:
    """The statements that the reference uses in all of these failed sessions: groups of numbers by module.

    What it uses in fewer of the accepted sessions comes first; then what is its own before what several assignments
    share, and what functions do before constants, for to change one is to load the modules that know it anew.
    """
    ran = Ran(original, stage.options)
    runs = [_ran(ran, stage, one) for one in (*failed, *accepted)]
    uses = Uses(original.modules)
    used = [uses.of(run) for run in runs]
    counts = Counter(statement for statements in used[len(failed) :] for statement in statements)

    def rank(statement: Statement) -> tuple[int, bool, bool]:
        return counts[statement], original.is_shared(statement[0]), original.is_constant(*statement)

    groups: dict[tuple[int, bool, bool], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    places = {name: place for place, name in enumerate(original.modules)}
    for statement in sorted(set.intersection(*used[: len(failed)]), key=lambda one: (places[one[0]], one[1])):
        name, number = statement
        groups[rank(statement)][name].append(number)
    return [groups[key] for key in sorted(groups)]


def _ran(ran: Ran, stage: Stage, witness: Witness) -> dict[str, bytearray]:
    """What of the reference runs in a session, where possible only up to where the two part."""
    is_exact = witness.policy == EXACT and not witness.is_accepted

    def main(console: Any, *arguments: Any, **keywords: Any) -> object:
        shown = _Comparing(console, witness.actual.text) if is_exact else console
        return ran.main(shown, *arguments, **keywords)

    ran.forget()
    told_by(expected_run_in_process(main, stage.name), witness, stage)
    ran.taken()
    return ran.total


class _Parted(HarnessError):
    """The reference has shown something else."""


class _Comparing:
    """A reference's console that ends the session where it shows something else than a program did."""

    def __init__(self, console: Any, text: bytes) -> None:
        self._console, self._text, self._count = console, text, 0

    def write(self, text: str) -> None:
        self._console.write(text)
        shown = text.encode()
        self._count += len(shown)
        if self._text[self._count - len(shown) : self._count] != shown:
            raise _Parted("it shows something else")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._console, name)
