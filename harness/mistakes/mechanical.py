"""Programs that behave as the reference with one thing of its code changed, where no known mistake explains them.

The instructor is told the change; the student only what is decided at that place, since the change is one of our
program and not of theirs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import msgspec

from pitboss.harness.assignments.assignment import Stage
from pitboss.harness.assignments.functions import resolved
from pitboss.harness.judging.outcome import Witness
from pitboss.harness.mistakes.catalogue import Mistake
from pitboss.harness.mistakes.explaining import cost, does_all, explaining
from pitboss.harness.mistakes.likeness import does_same
from pitboss.harness.mistakes.suspects import suspects_in
from pitboss.harness.mutation.changes import Mutant
from pitboss.harness.mutation.copies import Original
from pitboss.harness.mutation.limits import BRIEFLY_S, carefully, loaded, run_of
from pitboss.harness.mutation.patched import Patched
from pitboss.harness.mutation.places import Function, Place

#: A line that gives a name a value.
_IS_NAMED = re.compile(r"\s*\w+(?:: [^=]+)? = ")
#: The id of all that is told of changes.
ID = "one-change"
#: In how many failed sessions a changed statement has to run.
_PROBES = 6
#: How many changes are tried: the more, the longer the failed sessions took. One of a constant counts as several, since
#: it takes so many times as long.
_TRIED, _TRIED_A_SESSION, _CONSTANT = 60, 0.5, 7
#: How many changes that explain everything are kept: they differ in nothing that was seen.
_MOST_ALIKE = 6


def changes_that_explain(stage: Stage, failed: Sequence[Witness], accepted: Sequence[Witness]) -> list[Mistake]:
    """The changes of the reference that explain all of these sessions, a few at most; none that changes only texts."""
    if not stage.reference.function or not failed:
        return []
    resolved(stage.reference.function, stage.name)  # a copy's classes need modules that Python knows
    original = Original(stage.reference.function)
    failed, accepted = sorted(failed, key=cost), sorted(accepted, key=cost)
    seen, found = [*failed, *accepted], []
    with carefully():
        patched = Patched(original, stage.options)
        left = _TRIED + _TRIED_A_SESSION * len(failed)
        for mutant in _worth_trying(original, stage, failed[:_PROBES], accepted[:_PROBES]):
            left -= _CONSTANT if original.is_constant(mutant.module, mutant.number) else 1
            if left < 0:
                break
            if not _may_explain(patched, mutant, stage, seen):
                continue
            one = _as_mistake(mutant, original, stage)
            if one is not None and explaining(stage, [one], seen):
                found.append(msgspec.structs.replace(one, title=decided_at(original, mutant)))
                if len(found) == _MOST_ALIKE:
                    break
    return found


def _may_explain(patched: Patched, mutant: Mutant, stage: Stage, seen: list[Witness]) -> bool:
    """Whether a mutant explains all of these sessions in the copy that all share."""
    with patched.having(mutant) as main:
        if main is None:
            return False
        run = run_of(main, BRIEFLY_S)
        return does_all(lambda one: does_same(run, one, stage), seen)


def _worth_trying(
    original: Original, stage: Stage, failed: Sequence[Witness], accepted: Sequence[Witness]
) -> Iterator[Mutant]:
    """Changes of what the reference uses in all of these failed sessions, the likeliest first; none of a text."""
    for group in suspects_in(original, stage, failed, accepted):
        for name, numbers in group.items():
            yield from (mutant for mutant in original.module(name).mutants(numbers) if not mutant.is_of_text)


def _as_mistake(mutant: Mutant, original: Original, stage: Stage) -> Mistake | None:
    main = loaded(mutant, original, stage.options)
    if main is None:
        return None
    note = f"It behaves as the reference with one thing changed: {mutant.id}."
    return Mistake(ID, "", "", note, "", "", {stage.name: run_of(main)})


def decided_at(original: Original, mutant: Mutant) -> str:
    """What is decided at a place of a reference, as the docstring or the comment there says; empty if none does.

    What assignments share, such as reading a number, has words for programmers and none of the task's rules.
    """
    if original.is_shared(mutant.module):
        return ""
    module = original.module(mutant.module)
    place = module.place_of(mutant.number)
    around = _functions_around(module.tree, place)
    if not around:
        return _comment_above(module.text.splitlines(), place.node.lineno - 1)
    if around[-1].name == original.function:
        return ""
    return _first_sentence(ast.get_docstring(around[-1]) or "")


def _functions_around(tree: ast.Module, place: Place) -> list[Function]:
    """The functions around a statement, or that it is, outermost first."""
    first, last = place.node.lineno, place.node.end_lineno or place.node.lineno
    nodes = [node for node in ast.walk(tree) if isinstance(node, Function)]
    holding = [node for node in nodes if node.lineno <= first and last <= (node.end_lineno or node.lineno)]
    return sorted(holding, key=lambda node: node.lineno)


def _comment_above(lines: Sequence[str], number: int) -> str:
    """The comment that begins with #: above a line, or above other lines of its group."""
    while number > 0 and _IS_NAMED.match(lines[number - 1]):
        number -= 1
    found = []
    while number > 0 and lines[number - 1].strip().startswith("#:"):
        number -= 1
        found.append(lines[number].strip().removeprefix("#:").strip())
    return _first_sentence(" ".join(reversed(found)))


def _first_sentence(text: str) -> str:
    """The first sentence of a text on one line, without its full stop."""
    whole = " ".join(text.split("\n\n")[0].split()).replace("`", "")
    return whole.partition(". ")[0].rstrip(".")
