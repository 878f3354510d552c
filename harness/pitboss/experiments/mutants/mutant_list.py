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
        return any(self.has_match(pattern, [id_]) for pattern in self.patterns)

    def has_match(self, pattern: str, ids: Iterable[str]) -> bool:
        """Whether one of the patterns, with the wildcards of this entry, matches one of these ids or lines."""
        regex = _regex_of(pattern) if self.has_wildcards and "*" in pattern else None
        return any(id_ == pattern or (regex and regex.fullmatch(id_)) for id_ in ids)


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
        return [
            *(
                problem
                for entry in self.equivalent
                for problem in _problems_of_mutants(entry, tried, ids_without_result)
            ),
            *(problem for entry in self.unreached for problem in _problems_of_lines(entry, unreached)),
        ]


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
) -> Iterator[str]:
    """Sentences that describe mistakes in an entry of mutants."""
    results = [(stage, mutant) for stage in entry.stages for mutant in tried_results.get(stage, ())]
    # An id occurs once for each stage in which it was not caught.
    uncaught_ids = [mutant.id for _, mutant in results if not mutant.caught_by]
    lacks_results = any(entry.matches(id_) for stage in entry.stages for id_ in ids_without_result.get(stage, ()))
    # Whether all mutants of the entry's stages that the entry may match have a result.
    is_complete = all(stage in tried_results for stage in entry.stages) and not lacks_results
    for pattern in entry.patterns:
        for stage, mutant in results:
            if mutant.id == pattern and mutant.caught_by:
                yield (
                    f"{entry.place}: {pattern} is caught in {stage} by {mutant.caught_by!r} — it is not equivalent "
                    "there: remove it, or name the other stages"
                )
        if is_complete and not entry.has_match(pattern, (mutant.id for _, mutant in results)):
            needs_count = "*" in pattern and not entry.has_wildcards
            count_advice = ", or add 'count' with the number of mutants it matches" if needs_count else ""
            suggestion = did_you_mean(pattern, uncaught_ids)
            advice = f"remove it, or write it as it is printed{count_advice}{suggestion}"
            yield f"{entry.place}: {pattern} matches no mutant — {advice}"
    survivors = sorted({id_ for id_ in uncaught_ids if entry.matches(id_)})
    for stage, mutant in results:
        # Mutants that the entry names were reported above.
        if mutant.caught_by and mutant.id in survivors and mutant.id not in entry.patterns:
            yield (
                f"{entry.place}: {mutant.id} is caught in {stage} by {mutant.caught_by!r}, and not in all stages "
                "of the entry — improve the specs of the other stages, or give these stages an entry of their own"
            )
    if entry.count is not None:
        yield from _problems_of_count(entry, entry.count, survivors, is_complete=is_complete)


def _problems_of_count(
    entry: ListedMutants, count: int, survivors: Sequence[str], *, is_complete: bool
) -> Iterator[str]:
    if is_complete and not survivors:
        yield f"{entry.place}: every mutant that matches is caught — remove the entry"
    elif len(survivors) > count or (is_complete and len(survivors) < count):
        examples = "; ".join((*survivors[:_MAX_NAMED], *(["…"] if len(survivors) > _MAX_NAMED else [])))
        matching = f"no session catches {len(survivors)} mutants that match"
        yield f"{entry.place}: {matching}, and 'count' is {count}: {examples}"


def _problems_of_lines(entry: ListedMutants, unreached: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Sentences that describe mistakes in an entry of lines; none while the lines of one of its stages are unknown."""
    lines = [line for stage in entry.stages for line in unreached.get(stage, ())]
    for pattern in entry.patterns if all(stage in unreached for stage in entry.stages) else ():
        if not entry.has_match(pattern, lines):
            yield f"{entry.place}: {pattern} matches no unreached line — remove it{did_you_mean(pattern, lines)}"
