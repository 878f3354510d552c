"""Loads a `grading:` mapping as a grading policy with exact numbers, and checks it against the stages and cases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from pitboss.assignments import keys
from pitboss.assignments.assignment import Recorded, Stage
from pitboss.assignments.grading_policy import (
    Direction,
    EarlyFrom,
    GradingPolicy,
    PartialCredit,
    Rounding,
    StagePolicy,
    StyleOf,
)
from pitboss.assignments.latefile import late_rows_in
from pitboss.assignments.nodes import choice, integer, kind_of, mapping, named_entries, texts
from pitboss.assignments.numbers import amount, share
from pitboss.assignments.yamlfile import Keyed, Node, Text, read_yaml
from pitboss.errors import SpecError, as_found, did_you_mean, listed

_PARTIAL: dict[str, PartialCredit] = {"sessions": "sessions", "cases": "cases", "none": "none"}
_STYLE_OF: dict[str, StyleOf] = {"total": "total", "earned": "earned"}
_EARLY_FROM: dict[str, EarlyFrom] = {"class": "class", "own": "own"}
_DIRECTIONS: dict[str, Direction] = {"nearest": "nearest", "up": "up", "down": "down"}
#: The points of all stages together, unless the policy has points.
_DEFAULT_POINTS = Fraction(100)


def grading_in(node: Node | None, stages: Sequence[Stage]) -> GradingPolicy:
    """Returns the policy of a `grading:` node for an assignment with these stages; docs/grading.md has the defaults.

    Raises SpecError for any mistake.
    """
    entries = mapping(node, keys.GRADING, "grading") if node is not None else {}
    loader = _GradingLoader(entries, stages)
    functionality, style = _weights(entries)
    if "style_of" in entries and not style:
        raise SpecError(
            f"{entries['style_of'].place}: style_of has no effect without a share for style — add one, such as "
            "style: 30%"
        )
    if "early_from" in entries and "late" not in entries:
        raise SpecError(
            f"{entries['early_from'].place}: early_from has no effect without a late table — add the key late"
        )
    policy = GradingPolicy(
        loader.stages(),
        functionality,
        style,
        choice(entries["style_of"], "style_of", _STYLE_OF) if "style_of" in entries else "total",
        amount(entries["most"], "most") if "most" in entries else None,
        late_rows_in(entries["late"]) if "late" in entries else (),
        _rounding(entries["rounding"]) if "rounding" in entries else None,
        choice(entries["early_from"], "early_from", _EARLY_FROM) if "early_from" in entries else "class",
    )
    if node is not None and ("points" in entries or "reached" in entries) and not policy.out_of:
        raise SpecError(f"{node.place}: only extra stages have points — give points to a stage that is not extra")
    return policy


def grading_of_file(path: Path, stages: Sequence[Stage]) -> GradingPolicy:
    """Returns the policy under `grading:` in a file, such as an assignment.yaml; SpecError for any mistake."""
    node = read_yaml(path)
    if not isinstance(node, Keyed) or "grading" not in node.entries:
        raise SpecError(f"{path}:1: there is no key 'grading' — write the policy under it, as in an assignment.yaml")
    return grading_in(node.entries["grading"], stages)


def _weights(entries: dict[str, Node]) -> tuple[Fraction, Fraction]:
    """Returns the weights of functionality and style, which add up to 1; without both keys they are 1 and 0."""
    weights = {name: share(entries[name], name) for name in ("functionality", "style") if name in entries}
    if len(weights) == 2 and sum(weights.values()) != 1:
        raise SpecError(
            f"{entries['style'].place}: functionality is {_text_for_message(entries['functionality'])} and style "
            f"{_text_for_message(entries['style'])} — together they must be 100%"
        )
    functionality = weights.get("functionality", 1 - weights.get("style", Fraction(0)))
    return functionality, 1 - functionality


def _text_for_message(node: Node) -> str:
    """Returns the text of a node, or its kind if it has no text."""
    return node.value if isinstance(node, Text) else kind_of(node)


def _rounding(node: Node) -> Rounding:
    entries = mapping(node, keys.ROUNDING, "rounding")
    step = amount(entries["to"], "to")
    if not step:
        text = _text_for_message(entries["to"])
        raise SpecError(f"{entries['to'].place}: to is {as_found(text)} — it must be a step such as 1 or 0.5")
    return Rounding(
        step, choice(entries["direction"], "direction", _DIRECTIONS) if "direction" in entries else "nearest"
    )


class _GradingLoader:
    """Loads the grading policies of stages."""

    def __init__(self, entries: dict[str, Node], stages: Sequence[Stage]) -> None:
        self._entries = entries
        self._stages = {stage.name: stage for stage in stages}
        #: The names of the stages that are not graded manually, in order.
        self._judged = [stage.name for stage in stages if not stage.is_manual]
        #: The names of the judged stages that are not optional, in order.
        self._required = [stage.name for stage in stages if not stage.is_manual and not stage.is_optional]
        #: The stages under the key `reached`, in order; set by `_points`, and read by `_gates`.
        self._stages_reached: list[str] = []

    def stages(self) -> tuple[StagePolicy, ...]:
        """Return the policy of each stage, in the order of the assignment."""
        points, caps = self._points(), self._caps()
        partial, gates = self._partial_credit(), self._gates()
        dropped = self._dropped()
        lowest = self._drop_lowest(dropped)
        extra = self._extra(points)
        return tuple(
            StagePolicy(
                name,
                points.get(name, Fraction(0)),
                partial.get(name, "sessions"),
                gates.get(name, stage.needs),
                dropped.get(name, ()),
                lowest.get(name, 0),
                name in extra,
                caps.get(name),
                stage.is_optional,
                stage.is_manual,
            )
            for name, stage in self._stages.items()
        )

    def _entries_by_stage(self, key: str, *, must_be_judged: bool = True) -> Keyed:
        """Return the mapping under a key, whose keys are names of stages; empty if the policy lacks the key.

        With `must_be_judged`, raises SpecError if a stage is graded manually.
        """
        if key not in self._entries:
            return Keyed({}, {}, "")
        keyed = named_entries(self._entries[key], key)
        for name, location in keyed.key_places.items():
            self._check_stage(name, key, location, must_be_judged=must_be_judged)
        return keyed

    def _check_stage(self, name: str, key: str, location: str, *, must_be_judged: bool = True) -> None:
        """Raise SpecError if no stage has this name, or with `must_be_judged` if the stage is graded manually."""
        if name not in self._stages:
            raise SpecError(
                f"{location}: {key} has {as_found(name)} — the stages are {listed(self._stages)}"
                f"{did_you_mean(name, self._stages)}"
            )
        if must_be_judged and self._stages[name].is_manual:
            raise SpecError(
                f"{location}: {key} has {as_found(name)} — that stage is graded manually, so it has only points"
            )

    def _points(self) -> dict[str, Fraction]:
        """Return the points of each stage, from the keys `points` and `reached`.

        `reached` has the sum of the points up to each stage. Without these keys, the required stages have equal points;
        if all judged stages are optional, these have equal points.
        """
        points_by_stage = self._entries_by_stage("points", must_be_judged=False)
        reached = self._entries_by_stage("reached")
        if "points" not in self._entries and "reached" not in self._entries:
            stages = self._required or self._judged
            return {name: _DEFAULT_POINTS / len(stages) for name in stages}
        for name in reached.entries:
            if name in points_by_stage.entries:
                raise SpecError(
                    f"{points_by_stage.key_places[name]}: points has {as_found(name)}, and so has reached — "
                    "use only one of them"
                )
        sums_by_stage = self._ascending_amounts(reached, "reached")
        self._stages_reached = list(sums_by_stage)
        points = {name: amount(node, f"the points of {name}") for name, node in points_by_stage.entries.items()}
        previous_sum = Fraction(0)
        for name, stage_sum in sums_by_stage.items():
            points[name], previous_sum = stage_sum - previous_sum, stage_sum
        missing_stage = next((name for name in self._required if name not in points), None)
        if missing_stage is not None:
            key = "points" if "points" in self._entries else "reached"
            raise SpecError(
                f"{self._entries[key].place}: {key} has no {as_found(missing_stage)} — each stage has its own"
            )
        return points

    def _ascending_amounts(self, keyed: Keyed, key: str) -> dict[str, Fraction]:
        """Return the amount of each stage in a mapping.

        Raises SpecError if the stages are not in the order of the assignment, or if the amounts decrease.
        """
        amounts = {name: amount(node, f"{key} of {name}") for name, node in keyed.entries.items()}
        order = list(self._stages)
        for previous_name, name in pairwise(amounts):
            if order.index(name) < order.index(previous_name):
                raise SpecError(
                    f"{keyed.key_places[name]}: {key} has {as_found(name)} after {as_found(previous_name)} — use the "
                    "order of the stages"
                )
            if amounts[name] < amounts[previous_name]:
                raise SpecError(
                    f"{keyed.entries[name].place}: {key} of {name} is less than {key} of {previous_name} — it must not "
                    "decrease from stage to stage"
                )
        return amounts

    def _caps(self) -> dict[str, Fraction]:
        caps = self._entries_by_stage("caps")
        missing_stage = next((name for name in self._required if caps.entries and name not in caps.entries), None)
        if missing_stage is not None:
            raise SpecError(f"{caps.place}: caps has no {as_found(missing_stage)} — each stage has its own")
        return self._ascending_amounts(caps, "caps")

    def _extra(self, points: dict[str, Fraction]) -> tuple[str, ...]:
        if "extra" not in self._entries:
            return ()
        node = self._entries["extra"]
        names = texts(node, "extra")
        for name in names:
            self._check_stage(name, "extra", node.place, must_be_judged=False)
            if name not in points:
                raise SpecError(f"{node.place}: extra has {as_found(name)} — that stage has no points")
        return names

    def _partial_credit(self) -> dict[str, PartialCredit]:
        """Return the partial credit by stage; a judged stage that is not in the result has the default."""
        node = self._entries.get("partial_credit")
        if node is None or isinstance(node, Text):
            partial = choice(node, "partial_credit", _PARTIAL) if node is not None else "sessions"
            return dict.fromkeys(self._judged, partial)
        by_stage = self._entries_by_stage("partial_credit")
        return {
            name: choice(choice_node, f"partial_credit of {name}", _PARTIAL)
            for name, choice_node in by_stage.entries.items()
        }

    def _gates(self) -> dict[str, tuple[str, ...]]:
        """Return, for each stage, the stages that must be perfect before it earns points.

        The result omits stages whose gates are the stages that they need.
        """
        gates = {name: tuple(self._stages_reached[:index]) for index, name in enumerate(self._stages_reached)}
        node = self._entries.get("gates")
        if node is None:
            return gates
        if isinstance(node, Text):
            needs_all_earlier = choice(node, "gates", {"needs": False, "earlier": True})
            if needs_all_earlier:
                return {name: tuple(self._judged_before(name)) for name in self._stages}
            return gates
        by_stage = self._entries_by_stage("gates", must_be_judged=False)
        for name, names_node in by_stage.entries.items():
            if name in self._stages_reached:
                raise SpecError(
                    f"{by_stage.key_places[name]}: gates has {as_found(name)}, which is under reached too — a stage "
                    "under reached earns points only if all stages before it are perfect"
                )
            gates[name] = self._gates_of(name, names_node)
        return gates

    def _judged_before(self, name: str) -> list[str]:
        """Return the judged stages before a stage."""
        order = list(self._stages)
        return [stage for stage in order[: order.index(name)] if stage in self._judged]

    def _gates_of(self, name: str, node: Node) -> tuple[str, ...]:
        """Return the gates that a node lists for a stage; SpecError if one is not a judged stage before this stage."""
        earlier_stages, names = self._judged_before(name), texts(node, f"gates of {name}")
        for gate in names:
            self._check_stage(gate, f"gates of {name}", node.place)
            if gate not in earlier_stages:
                raise SpecError(
                    f"{node.place}: gates of {name} has {as_found(gate)} — a gate must be one of the stages before it: "
                    f"{listed(earlier_stages) or 'none'}"
                )
        return names

    def _dropped(self) -> dict[str, tuple[str, ...]]:
        by_stage = self._entries_by_stage("dropped")
        return {name: self._dropped_of(name, node) for name, node in by_stage.entries.items()}

    def _dropped_of(self, stage: str, node: Node) -> tuple[str, ...]:
        """Return the names of the cases of a stage that are not graded."""
        names, case_names = texts(node, f"dropped of {stage}"), [case.name for case in self._stages[stage].spec.cases]
        for name in names:
            if name not in case_names:
                raise SpecError(
                    f"{node.place}: dropped of {stage} has {as_found(name)} — its cases are {listed(case_names)}"
                    f"{did_you_mean(name, case_names)}"
                )
            session_name = re.compile(re.escape(name) + r"(, seed -?[0-9]+| #[0-9]+)")
            similar_case = next((case for case in case_names if session_name.fullmatch(case)), None)
            if similar_case is not None:
                raise SpecError(
                    f"{node.place}: dropped of {stage} has {as_found(name)} — the case {as_found(similar_case)} is "
                    "named like one of its sessions; rename one of these two cases"
                )
        if not self._graded_cases(stage) - set(names):
            raise SpecError(f"{node.place}: dropped of {stage} has all its cases — at least one must be graded")
        return names

    def _graded_cases(self, stage: str) -> set[str]:
        """Return the names of the cases that are run for a grade: if the stage has a reader, not the recorded cases."""
        graded_stage = self._stages[stage]
        return {
            case.name
            for case in graded_stage.spec.cases
            if not (graded_stage.reader and isinstance(case.session, Recorded))
        }

    def _drop_lowest(self, dropped: Mapping[str, Sequence[str]]) -> dict[str, int]:
        """Return how many of the worst cases are not graded, by stage; at least one graded case must remain."""
        by_stage, lowest = self._entries_by_stage("drop_lowest"), {}
        for name, node in by_stage.entries.items():
            maximum = len(self._graded_cases(name) - set(dropped.get(name, ()))) - 1
            if maximum < 1:
                raise SpecError(
                    f"{by_stage.key_places[name]}: drop_lowest has {as_found(name)} — "
                    "that stage has fewer than two graded cases"
                )
            lowest[name] = integer(node, f"drop_lowest of {name}", 1, maximum)
        return lowest
