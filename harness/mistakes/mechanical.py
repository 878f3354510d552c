"""Programs that behave as the reference with one thing of its code changed, where no known mistake explains them.

The instructor is told the change; the student only what is decided at that place, since the change is one of our
program and not of theirs.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from harness.assignments.assignment import Stage
from harness.judging.outcome import Witness
from harness.mistakes.catalogue import Mistake
from harness.mistakes.explaining import explaining, length
from harness.mistakes.likeness import told_by
from harness.mutation.changes import Mutant
from harness.mutation.copies import Original
from harness.mutation.limits import carefully, loaded, run_of
from harness.mutation.places import Place
from harness.mutation.ran import Ran
from harness.mutation.uses import Statement, used_statements
from harness.running.references import expected_run_in_process

#: The id of all that is told of changes.
ID = "one-change"
#: In how many failed sessions a changed statement has to run, and how many changes are tried at most.
_PROBES, _MOST = 6, 400
#: How many changes that explain everything are kept: they differ in nothing that was seen.
_MOST_ALIKE = 6


def changes_that_explain(stage: Stage, failed: Sequence[Witness], accepted: Sequence[Witness]) -> list[Mistake]:
    """The changes of the reference that explain all of these sessions, a few at most; none that changes only texts."""
    if not stage.reference.function or not failed:
        return []
    original = Original(stage.reference.function)
    failed, accepted = sorted(failed, key=_cost), sorted(accepted, key=_cost)
    found: list[Mistake] = []
    with carefully():
        for mutant in islice(_worth_trying(original, stage, failed[:_PROBES], accepted[:_PROBES]), _MOST):
            one = _as_mistake(mutant, original, stage)
            if one is not None and explaining(stage, [one], [*failed, *accepted]):
                found.append(msgspec.structs.replace(one, title=decided_at(original, mutant)))
                if len(found) == _MOST_ALIKE:
                    break
    return found


def _cost(witness: Witness) -> tuple[bool, int]:
    """Draws that were never shown are guessed, which takes long; and so do long sessions."""
    return None in (witness.draws or ()), length(witness)


def _worth_trying(
    original: Original, stage: Stage, failed: Sequence[Witness], accepted: Sequence[Witness]
) -> Iterator[Mutant]:
    """Changes of what the reference uses in all of these failed sessions, first what it uses in few accepted ones."""
    ran = Ran(original, stage.options)
    used = [_used(ran, original, stage, one) for one in failed]
    counts = Counter(statement for one in accepted for statement in _used(ran, original, stage, one))
    by_count: dict[int, set[Statement]] = defaultdict(set)
    for statement in set.intersection(*used):
        by_count[counts[statement]].add(statement)
    for _, statements in sorted(by_count.items()):
        for name, module in list(original.modules.items()):
            numbers = [number for one, number in statements if one == name]
            yield from (mutant for mutant in module.mutants(numbers) if not mutant.is_of_text)


def _used(ran: Ran, original: Original, stage: Stage, witness: Witness) -> set[Statement]:
    ran.forget()
    told_by(expected_run_in_process(ran.main, stage.name), witness, stage)
    ran.taken()
    return used_statements(original.modules, ran.total)


def _as_mistake(mutant: Mutant, original: Original, stage: Stage) -> Mistake | None:
    main = loaded(mutant, original, stage.options)
    if main is None:
        return None
    note = f"It behaves as the reference with one thing changed: {mutant.id}."
    return Mistake(ID, "", "", note, "", "", {stage.name: run_of(main)})


def decided_at(original: Original, mutant: Mutant) -> str:
    """What is decided at a place of a reference, as the comment or the docstring there says; empty if none does."""
    module = original.module(mutant.module)
    place = module.place_of(mutant.number)
    around = _around(module.tree, place)
    if not around or not isinstance(around[-1], ast.FunctionDef | ast.AsyncFunctionDef):
        comment = _comment_above(module.text, place.node.lineno)
        if comment:
            return comment
    for node in reversed(around):
        told = ast.get_docstring(node)
        if told:
            return _first_sentence(told)
    return ""


def _around(tree: ast.Module, place: Place) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The functions and classes around a statement, or that it is, outermost first."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    first, last = place.node.lineno, place.node.end_lineno or place.node.lineno
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    holding = [node for node in nodes if node.lineno <= first and last <= (node.end_lineno or node.lineno)]
    return sorted(holding, key=lambda node: node.lineno)


def _comment_above(text: str, line: int) -> str:
    """The comment that begins with #: above a line, as one text."""
    found = []
    for above in reversed(text.splitlines()[: line - 1]):
        if not above.strip().startswith("#:"):
            break
        found.append(above.strip().removeprefix("#:").strip())
    return _first_sentence(" ".join(reversed(found)))


def _first_sentence(text: str) -> str:
    """The first sentence of a text on one line, without its full stop."""
    whole = " ".join(text.split("\n\n")[0].split())
    return whole.partition(". ")[0].rstrip(".")
