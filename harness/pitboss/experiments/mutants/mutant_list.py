"""Reads mutants.yaml beside the specs. The file lists accepted gaps of the specs, each with a reason.

A mutant under `equivalent` behaves like the reference in every session. A line of a reference under `unreached` is run
by no session.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.assignment import Assignment
from pitboss.assignments.kinds import Entries, mapping
from pitboss.assignments.nodes import Keyed, Node, integer, items, read_yaml
from pitboss.errors import SpecError, as_found, did_you_mean, listed

MUTANT_FILE = "mutants.yaml"
#: The maximum number of mutants that a message names.
_MAX_NAMED = 3


class ExclusionReason(Enum):
    """Why a mutant is left out, as a phrase about it."""

    NOT_BUILT = "rejected by the compiler"
    EQUAL = "without effect on the compiled program"
    #: What it does differently is what the stage accepts: by `compare:`, a checker, an option or a tolerated reference.
    ACCEPTED = "with differences that are accepted"
    #: Another mutant that no session catches is the same program.
    TWICE = "identical to another mutant"


class MutantResult(NamedTuple):
    """The result for a mutant."""

    id: str
    #: The name of the session that caught the mutant; empty if no session did.
    caught_by: str
    #: Why the mutant is left out; None if it is not.
    exclusion: ExclusionReason | None = None
    #: A digest of the mutant's program; empty if unknown.
    program: str = ""


class ListedMutants(msgspec.Struct, frozen=True):
    """One entry of the file: mutants or lines, the stages for which they are listed, and the reason."""

    #: The ids of mutants, or lines of the reference; possibly with wildcards.
    patterns: tuple[str, ...]
    stages: tuple[str, ...]
    reason: str
    #: The file and the line of the entry, for messages.
    place: str
    #: The number of uncaught mutants that the patterns must match; None if the entry names each mutant.
    count: int | None = None
    #: Whether * in a pattern matches any text; if not, * is an ordinary character of an id.
    has_wildcards: bool = False

    def matches(self, id_: str) -> bool:
        """Whether one of the patterns equals or matches this id of a mutant, or this line."""
        return id_ in self.patterns or (
            self.has_wildcards and any(_regex_of(pattern).fullmatch(id_) for pattern in self.patterns if "*" in pattern)
        )


@cache
def _regex_of(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


class MutantList(msgspec.Struct, frozen=True):
    """All entries of the file; empty if the file does not exist."""

    equivalent: tuple[ListedMutants, ...] = ()
    unreached: tuple[ListedMutants, ...] = ()

    def has_mutant(self, stage: str, id_: str) -> bool:
        return any(stage in entry.stages and entry.matches(id_) for entry in self.equivalent)

    def has_line(self, stage: str, line: str) -> bool:
        """Whether a line of a stage's reference is listed as unreached."""
        return any(stage in entry.stages and entry.matches(line) for entry in self.unreached)

    def problems(
        self,
        tried: Mapping[str, Sequence[MutantResult]],
        unreached: Mapping[str, Sequence[str]],
        ids_without_result: Mapping[str, Sequence[str]] = {},
    ) -> list[str]:
        """Sentences that describe mistakes in the file, each with its file and line.

        For each stage, `tried` has the results of mutants, `unreached` has the lines of the reference that no session
        runs, and `ids_without_result` has the ids of mutants that were left out or not tried.
        """
        problems: list[str] = []
        for entry in self.equivalent:
            problems += _problems_of_mutants(entry, tried, ids_without_result)
        for entry in self.unreached:
            problems += _problems_of_lines(entry, unreached)
        return problems


def load_listed(assignment: Assignment) -> MutantList:
    """Load the mutant list of an assignment. Raises SpecError with file and line for a mistake in the list."""
    path = assignment.folder / MUTANT_FILE
    if not path.is_file():
        return MutantList()
    stages = tuple(stage.name for stage in assignment.stages)
    fields = mapping(read_yaml(path), keys.MUTANT_FILE, "a list of mutants")
    return MutantList(
        tuple(entry for node in _items_of(fields, "equivalent") for entry in _mutant_entries(node, stages)),
        tuple(
            _listed_mutants(node, mapping(node, keys.UNREACHED, "an entry of lines"), "lines", stages)
            for node in _items_of(fields, "unreached")
        ),
    )


def file_of(assignment: Assignment) -> Path:
    """The path of an assignment's mutant list, which need not exist."""
    return assignment.folder / MUTANT_FILE


def _items_of(fields: Entries, name: str) -> tuple[Node, ...]:
    return items(fields[name], name) if name in fields else ()


def _mutant_entries(node: Node, stages: tuple[str, ...]) -> Iterator[ListedMutants]:
    """One entry of mutants; if `count` maps stages to numbers, an entry for each of these stages."""
    fields = mapping(node, keys.EQUIVALENT, "an entry of mutants")
    counts = fields.get("count")
    if not isinstance(counts, Keyed):
        yield _listed_mutants(node, fields, "mutants", stages, counts)
        return
    for name, count in counts.entries.items():
        _check_stage(name, stages, counts.key_places[name])
        yield _listed_mutants(node, fields, "mutants", (name,), count)


def _listed_mutants(
    node: Node, fields: Entries, key: str, stages: tuple[str, ...], count_node: Node | None = None
) -> ListedMutants:
    stage_names = fields.value("stages") if "stages" in fields else stages
    for name in stage_names if "stages" in fields else ():
        _check_stage(name, stages, fields["stages"].place)
    count = integer(count_node, "count", 1, keys.MAX_OF_A_LIMIT) if count_node is not None else None
    has_wildcards = key == "lines" or count is not None
    return ListedMutants(fields.value(key), stage_names, fields.value("reason"), node.place, count, has_wildcards)


def _check_stage(name: str, stages: tuple[str, ...], place: str) -> None:
    if name not in stages:
        allowed = f"the stages are {listed(stages)}{did_you_mean(name, stages)}"
        raise SpecError(f"{place}: there is no stage {as_found(name)} — {allowed}")


def _problems_of_mutants(
    entry: ListedMutants,
    tried_results: Mapping[str, Sequence[MutantResult]],
    ids_without_result: Mapping[str, Sequence[str]],
) -> Iterable[str]:
    """Sentences that describe mistakes in an entry of mutants."""
    results_by_stage = {stage: tried_results[stage] for stage in entry.stages if stage in tried_results}
    lacks_results = any(entry.matches(id_) for stage in entry.stages for id_ in ids_without_result.get(stage, ()))
    # Whether all mutants of the entry's stages that the entry may match have a result.
    is_complete = len(results_by_stage) == len(entry.stages) and not lacks_results
    for pattern in entry.patterns:
        for stage, results in results_by_stage.items():
            for mutant in results:
                if mutant.id == pattern and mutant.caught_by:
                    yield (
                        f"{entry.place}: {pattern} is caught in {stage} by {mutant.caught_by!r} — it is not equivalent "
                        "there: remove it, or name the other stages"
                    )
        single_pattern = ListedMutants((pattern,), entry.stages, "", "", has_wildcards=entry.has_wildcards)
        if is_complete and not any(
            single_pattern.matches(mutant.id) for mutants in results_by_stage.values() for mutant in mutants
        ):
            count_advice = (
                ""
                if entry.has_wildcards or "*" not in pattern
                else ", or add 'count' with the number of mutants it matches"
            )
            suggestion = did_you_mean(pattern, _uncaught_ids(results_by_stage))
            advice = f"remove it, or write it as it is printed{count_advice}{suggestion}"
            yield f"{entry.place}: {pattern} matches no mutant — {advice}"
    survivors = sorted(id_ for id_ in set(_uncaught_ids(results_by_stage)) if entry.matches(id_))
    # Mutants that the entry names were reported above.
    yield from _problems_of_survivors(entry, results_by_stage, set(survivors) - set(entry.patterns))
    if entry.count is not None and is_complete and not survivors:
        yield f"{entry.place}: every mutant that matches is caught — remove the entry"
        return
    if entry.count is not None and (len(survivors) > entry.count or (is_complete and len(survivors) < entry.count)):
        examples = "; ".join((*survivors[:_MAX_NAMED], *(["…"] if len(survivors) > _MAX_NAMED else [])))
        matching = f"no session catches {len(survivors)} mutants that match"
        yield f"{entry.place}: {matching}, and 'count' is {entry.count}: {examples}"


def _problems_of_survivors(
    entry: ListedMutants, results_by_stage: Mapping[str, Sequence[MutantResult]], survivors: set[str]
) -> Iterable[str]:
    """A sentence on each mutant that is uncaught in one stage of the entry (`survivors`) but caught in another."""
    for stage, results in results_by_stage.items():
        for mutant in results:
            if mutant.id in survivors and mutant.caught_by:
                yield (
                    f"{entry.place}: {mutant.id} is caught in {stage} by {mutant.caught_by!r}, and not in all stages "
                    "of the entry — improve the specs of the other stages, or give these stages an entry of their own"
                )


def _uncaught_ids(results_by_stage: Mapping[str, Sequence[MutantResult]]) -> list[str]:
    """The ids of the mutants that were not caught; an id occurs once for each stage in which it was not caught."""
    return [mutant.id for mutants in results_by_stage.values() for mutant in mutants if not mutant.caught_by]


def _problems_of_lines(entry: ListedMutants, unreached: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """Sentences that describe mistakes in an entry of lines; none while the lines of one of its stages are unknown."""
    lines = [line for stage in entry.stages for line in unreached.get(stage, ())]
    for pattern in entry.patterns if all(stage in unreached for stage in entry.stages) else ():
        if not any(ListedMutants((pattern,), (), "", "", has_wildcards=True).matches(line) for line in lines):
            yield f"{entry.place}: {pattern} matches no unreached line — remove it{did_you_mean(pattern, lines)}"
