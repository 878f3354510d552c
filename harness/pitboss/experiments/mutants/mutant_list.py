"""The file mutants.yaml beside the specs: mutants that no session can show and lines that none runs, with reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.assignment import Assignment
from pitboss.assignments.nodes import integer, items, mapping, text, texts
from pitboss.assignments.yamlfile import Keyed, Node, read_yaml
from pitboss.errors import SpecError, as_found, did_you_mean, listed
from pitboss.experiments.mutants.trial import MutantResult

MUTANT_FILE = "mutants.yaml"
#: How many mutants a message names.
_NAMED = 3


class ListedMutants(msgspec.Struct, frozen=True):
    """One entry of the file: ids or patterns, and the reason."""

    patterns: tuple[str, ...]
    stages: tuple[str, ...]
    reason: str
    place: str
    #: How many mutants the patterns match; None if each is named.
    count: int | None = None
    #: Whether * matches any text; otherwise it is a literal character of an id.
    has_wildcards: bool = False

    def matches(self, id_: str) -> bool:
        """Whether one of the patterns is this id, or matches it."""
        return id_ in self.patterns or (
            self.has_wildcards and any(_compiled(pattern).fullmatch(id_) for pattern in self.patterns if "*" in pattern)
        )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


class MutantList(msgspec.Struct, frozen=True):
    """The whole file; empty if there is none."""

    equivalent: tuple[ListedMutants, ...] = ()
    unreached: tuple[ListedMutants, ...] = ()

    def has_mutant(self, stage: str, id_: str) -> bool:
        """Whether a mutant of a stage is listed."""
        return any(stage in entry.stages and entry.matches(id_) for entry in self.equivalent)

    def has_line(self, stage: str, line: str) -> bool:
        """Whether a line of a stage's reference is listed."""
        return any(stage in entry.stages and entry.matches(line) for entry in self.unreached)

    def problems(
        self,
        tried: Mapping[str, Sequence[MutantResult]],
        unreached: Mapping[str, Sequence[str]],
        others: Mapping[str, Sequence[str]] = {},
    ) -> list[str]:
        """What is wrong in the file, as sentences with their places, given the results for the mutants of stages.

        `others` are the ids of mutants without a result.
        """
        found = [problem for entry in self.equivalent for problem in _problems_of_mutants(entry, tried, others)]
        return found + [problem for entry in self.unreached for problem in _problems_of_lines(entry, unreached)]


def load_listed(assignment: Assignment) -> MutantList:
    """Load the file of an assignment; raises SpecError with file and line for any mistake in it."""
    path = assignment.folder / MUTANT_FILE
    if not path.is_file():
        return MutantList()
    stages = tuple(stage.name for stage in assignment.stages)
    entries = mapping(read_yaml(path), keys.MUTANT_FILE, "a list of mutants")
    return MutantList(
        tuple(entry for node in _nodes(entries, "equivalent") for entry in _of_mutants(node, stages)),
        tuple(
            _entry(node, mapping(node, keys.UNREACHED, "an entry of lines"), "lines", stages)
            for node in _nodes(entries, "unreached")
        ),
    )


def file_of(assignment: Assignment) -> Path:
    """The path of the file, which need not exist."""
    return assignment.folder / MUTANT_FILE


def _nodes(entries: Mapping[str, Node], name: str) -> tuple[Node, ...]:
    return items(entries[name], name) if name in entries else ()


def _of_mutants(node: Node, stages: tuple[str, ...]) -> Iterator[ListedMutants]:
    """An entry of mutants, or one for each stage that its count names."""
    entries = mapping(node, keys.EQUIVALENT, "an entry of mutants")
    counts = entries.get("count")
    if not isinstance(counts, Keyed):
        yield _entry(node, entries, "mutants", stages)
        return
    if "stages" in entries:
        raise SpecError(f"{entries['stages'].place}: count names the stages of the entry already — leave out stages")
    for name, count in counts.entries.items():
        _check_stage(name, stages, counts.key_places[name])
        yield _entry(node, {**entries, "count": count}, "mutants", (name,))


def _entry(node: Node, entries: Mapping[str, Node], what: str, stages: tuple[str, ...]) -> ListedMutants:
    patterns = texts(entries[what], what)
    if not patterns or not all(patterns):
        raise SpecError(f"{entries[what].place}: {what} is empty or has an empty text — name at least one")
    named = texts(entries["stages"], "stages") if "stages" in entries else stages
    for name in named if "stages" in entries else ():
        _check_stage(name, stages, entries["stages"].place)
    count = integer(entries["count"], "count", 1, keys.MAX_OF_A_LIMIT) if "count" in entries else None
    has_wildcards = what == "lines" or count is not None
    return ListedMutants(patterns, named, text(entries["reason"], "reason"), node.place, count, has_wildcards)


def _check_stage(name: str, stages: tuple[str, ...], place: str) -> None:
    if name not in stages:
        allowed = f"the stages are {listed(stages)}{did_you_mean(name, stages)}"
        raise SpecError(f"{place}: there is no stage {as_found(name)} — {allowed}")


def _problems_of_mutants(
    entry: ListedMutants, tried: Mapping[str, Sequence[MutantResult]], others: Mapping[str, Sequence[str]]
) -> Iterable[str]:
    here = {stage: tried[stage] for stage in entry.stages if stage in tried}
    is_open = any(entry.matches(id_) for stage in entry.stages for id_ in others.get(stage, ()))
    is_whole = len(here) == len(entry.stages) and not is_open
    for pattern in entry.patterns:
        for stage, found in here.items():
            for one in found:
                if one.id == pattern and one.caught_by:
                    yield (
                        f"{entry.place}: {pattern} is caught in {stage} by {one.caught_by!r} — it is not equivalent "
                        "there: remove it, or name the other stages"
                    )
        single = ListedMutants((pattern,), entry.stages, "", "", has_wildcards=entry.has_wildcards)
        if is_whole and not any(single.matches(mutant.id) for mutants in here.values() for mutant in mutants):
            counts = "" if entry.has_wildcards or "*" not in pattern else ", or give with count how many it matches"
            wanted = f"remove it, or write it as it is printed{counts}{did_you_mean(pattern, _ids(here))}"
            yield f"{entry.place}: {pattern} matches no mutant — {wanted}"
    survivors = sorted(id_ for id_ in set(_ids(here)) if entry.matches(id_))
    yield from _caught_elsewhere(entry, here, set(survivors) - set(entry.patterns))
    if entry.count is not None and is_whole and not survivors:
        yield f"{entry.place}: every mutant that matches is caught — remove the entry"
        return
    if entry.count is not None and (len(survivors) > entry.count or (is_whole and len(survivors) < entry.count)):
        some = "; ".join((*survivors[:_NAMED], *(["…"] if len(survivors) > _NAMED else [])))
        matching = f"no session catches {len(survivors)} mutants that match"
        yield f"{entry.place}: {matching}, and count is {entry.count}: {some}"


def _caught_elsewhere(
    entry: ListedMutants, tried: Mapping[str, Sequence[MutantResult]], survivors: set[str]
) -> Iterable[str]:
    """A sentence on each mutant that survives in one of the entry's stages, although another one catches it."""
    for stage, found in tried.items():
        for mutant in found:
            if mutant.id in survivors and mutant.caught_by:
                yield (
                    f"{entry.place}: {mutant.id} is caught in {stage} by {mutant.caught_by!r}, and not in all stages "
                    "of the entry — improve the specs of the others, or give them an entry of their own"
                )


def _ids(tried: Mapping[str, Sequence[MutantResult]]) -> list[str]:
    return [mutant.id for mutants in tried.values() for mutant in mutants if not mutant.caught_by]


def _problems_of_lines(entry: ListedMutants, unreached: Mapping[str, Sequence[str]]) -> Iterable[str]:
    here = [line for stage in entry.stages for line in unreached.get(stage, ())]
    for pattern in entry.patterns if all(stage in unreached for stage in entry.stages) else ():
        if not any(ListedMutants((pattern,), (), "", "", has_wildcards=True).matches(line) for line in here):
            yield f"{entry.place}: {pattern} matches no unreached line — remove it{did_you_mean(pattern, here)}"
