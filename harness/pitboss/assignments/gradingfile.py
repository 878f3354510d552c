"""Loads a `grading:` mapping: the grading policy, in exact numbers, checked against the stages and their cases."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from pitboss.assignments.nodes import choice, integer, kind_of, mapping, named, texts
from pitboss.assignments.numbers import amount, share
from pitboss.assignments.yamlfile import Keyed, Node, Text, read_yaml
from pitboss.errors import SpecError, as_found, listed, near

_PARTIAL: dict[str, PartialCredit] = {"sessions": "sessions", "cases": "cases", "none": "none"}
_STYLE_OF: dict[str, StyleOf] = {"total": "total", "earned": "earned"}
_EARLY_FROM: dict[str, EarlyFrom] = {"class": "class", "own": "own"}
_DIRECTIONS: dict[str, Direction] = {"nearest": "nearest", "up": "up", "down": "down"}
#: What all stages are worth together by default.
_ALL = Fraction(100)


def grading_in(node: Node | None, stages: Sequence[Stage]) -> GradingPolicy:
    """Returns the policy of a `grading:` node for an assignment with these stages; docs/grading.md has the defaults.

    Raises SpecError for any mistake.
    """
    given = mapping(node, keys.GRADING, "grading") if node is not None else {}
    loader = _GradingLoader(given, stages)
    functionality, style = _weights(given)
    if "style_of" in given and not style:
        raise SpecError(f"{given['style_of'].place}: style_of is given — style has no share; say one, as in style: 30%")
    if "early_from" in given and "late" not in given:
        raise SpecError(f"{given['early_from'].place}: early_from is given — it needs a late table beside it")
    policy = GradingPolicy(
        loader.stages(),
        functionality,
        style,
        choice(given["style_of"], "style_of", _STYLE_OF) if "style_of" in given else "total",
        amount(given["most"], "most") if "most" in given else None,
        late_rows_in(given["late"]) if "late" in given else (),
        _rounding(given["rounding"]) if "rounding" in given else None,
        choice(given["early_from"], "early_from", _EARLY_FROM) if "early_from" in given else "class",
    )
    if node is not None and ("points" in given or "reached" in given) and not policy.out_of:
        raise SpecError(f"{node.place}: no stage has points but extra ones — what is a grade out of?")
    return policy


def grading_of_file(path: Path, stages: Sequence[Stage]) -> GradingPolicy:
    """Returns the policy in a file that has `grading:`, such as an assignment.yaml; SpecError for any mistake in it."""
    node = read_yaml(path)
    if not isinstance(node, Keyed) or "grading" not in node.entries:
        raise SpecError(f"{path}:1: there is no grading: here — a policy stands under it, as in an assignment.yaml")
    return grading_in(node.entries["grading"], stages)


def _weights(given: dict[str, Node]) -> tuple[Fraction, Fraction]:
    """The weights of functionality and style; a missing one is the rest."""
    found = {name: share(given[name], name) for name in ("functionality", "style") if name in given}
    if len(found) == 2 and sum(found.values()) != 1:
        raise SpecError(
            f"{given['style'].place}: functionality is {_text(given['functionality'])} and style "
            f"{_text(given['style'])} — together they are 100%"
        )
    functionality = found.get("functionality", 1 - found.get("style", Fraction(0)))
    return functionality, 1 - functionality


def _text(node: Node) -> str:
    return node.value if isinstance(node, Text) else kind_of(node)


def _rounding(node: Node) -> Rounding:
    given = mapping(node, keys.ROUNDING, "rounding")
    step = amount(given["to"], "to")
    if not step:
        raise SpecError(f"{given['to'].place}: to is {as_found(_text(given['to']))} — it is a step such as 1 or 0.5")
    return Rounding(step, choice(given["direction"], "direction", _DIRECTIONS) if "direction" in given else "nearest")


class _GradingLoader:
    """Loads what a grading policy says of the stages."""

    def __init__(self, given: dict[str, Node], stages: Sequence[Stage]) -> None:
        self._given = given
        self._known = {stage.name: stage for stage in stages}
        #: The names of the judged stages, and of those among them that are not optional, in order.
        self._judged = [one.name for one in stages if not one.is_manual]
        self._wanted = [one.name for one in stages if not one.is_manual and not one.is_optional]
        self._ladder: list[str] = []

    def stages(self) -> tuple[StagePolicy, ...]:
        """Return what each stage is worth, in the order of the assignment."""
        points, caps = self._points(), self._caps()
        partial, gates, dropped, lowest = self._partial(), self._gates(), self._dropped(), self._lowest()
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
            for name, stage in self._known.items()
        )

    def _by_stage(self, what: str, *, judged: bool = True) -> Keyed:
        """The mapping from stages under a key; with `judged` none may be graded manually."""
        if what not in self._given:
            return Keyed({}, {}, "")
        found = named(self._given[what], what)
        for name, place in found.key_places.items():
            self._check(name, what, place, judged=judged)
        return found

    def _check(self, name: str, what: str, place: str, *, judged: bool = True) -> None:
        if name not in self._known:
            raise SpecError(
                f"{place}: {what} has {as_found(name)} — the stages are {listed(self._known)}{near(name, self._known)}"
            )
        if judged and self._known[name].is_manual:
            raise SpecError(
                f"{place}: {what} has {as_found(name)} — that stage is graded by hand, so it has points and nothing "
                "else"
            )

    def _points(self) -> dict[str, Fraction]:
        """What each stage adds, by `points` and by the differences of `reached`; without these the same for each."""
        own, reached = self._by_stage("points", judged=False), self._by_stage("reached")
        if "points" not in self._given and "reached" not in self._given:
            stages = self._wanted or self._judged
            return {name: _ALL / len(stages) for name in stages}
        for name in reached.entries:
            if name in own.entries:
                raise SpecError(f"{own.key_places[name]}: points has {as_found(name)}, and so has reached — say one")
        steps = self._amounts(reached, "reached")
        self._ladder = list(steps)
        points = {name: amount(node, f"the points of {name}") for name, node in own.entries.items()}
        before = Fraction(0)
        for name, sum_of_all in steps.items():
            points[name], before = sum_of_all - before, sum_of_all
        missing = next((name for name in self._wanted if name not in points), None)
        if missing is not None:
            key = "points" if "points" in self._given else "reached"
            raise SpecError(f"{self._given[key].place}: {key} has no {as_found(missing)} — each stage has its own")
        return points

    def _amounts(self, found: Keyed, what: str) -> dict[str, Fraction]:
        """Sums by stage, which must be in the order of the stages and not fall."""
        amounts = {name: amount(node, f"{what} of {name}") for name, node in found.entries.items()}
        order = list(self._known)
        for before, name in pairwise(amounts):
            if order.index(name) < order.index(before):
                raise SpecError(
                    f"{found.key_places[name]}: {what} has {as_found(name)} after {as_found(before)} — the order is "
                    "that of the stages"
                )
            if amounts[name] < amounts[before]:
                raise SpecError(
                    f"{found.entries[name].place}: {what} of {name} is less than that of {before} — a further stage is "
                    "never worth less"
                )
        return amounts

    def _caps(self) -> dict[str, Fraction]:
        found = self._by_stage("caps")
        missing = next((name for name in self._wanted if found.entries and name not in found.entries), None)
        if missing is not None:
            raise SpecError(f"{found.place}: caps has no {as_found(missing)} — each stage has its own")
        return self._amounts(found, "caps")

    def _extra(self, points: dict[str, Fraction]) -> tuple[str, ...]:
        if "extra" not in self._given:
            return ()
        node = self._given["extra"]
        names = texts(node, "extra")
        for name in names:
            self._check(name, "extra", node.place, judged=False)
            if name not in points:
                raise SpecError(f"{node.place}: extra has {as_found(name)} — that stage has no points")
        return names

    def _partial(self) -> dict[str, PartialCredit]:
        node = self._given.get("partial_credit")
        if node is None or isinstance(node, Text):
            partial = choice(node, "partial_credit", _PARTIAL) if node is not None else "sessions"
            return dict.fromkeys(self._judged, partial)
        found = self._by_stage("partial_credit")
        return {name: choice(one, f"partial_credit of {name}", _PARTIAL) for name, one in found.entries.items()}

    def _gates(self) -> dict[str, tuple[str, ...]]:
        """The stages that must be perfect before one counts, where these are not the ones that it needs."""
        gates = {name: tuple(self._ladder[:number]) for number, name in enumerate(self._ladder)}
        node = self._given.get("gates")
        if node is None:
            return gates
        if isinstance(node, Text):
            if choice(node, "gates", {"needs": False, "earlier": True}):
                earlier = {name: self._judged[: self._judged.index(name)] for name in self._judged}
                people = {name: self._before(name) for name in self._known if name not in self._judged}
                gates = {name: tuple(names) for name, names in (earlier | people).items()}
            return gates
        found = self._by_stage("gates", judged=False)
        for name, one in found.entries.items():
            if name in self._ladder:
                raise SpecError(
                    f"{found.key_places[name]}: gates has {as_found(name)}, which stands under reached — there each "
                    "stage counts only when all before it are perfect"
                )
            gates[name] = self._gates_of(name, one)
        return gates

    def _before(self, name: str) -> list[str]:
        """The judged stages before one."""
        order = list(self._known)
        return [one for one in order[: order.index(name)] if one in self._judged]

    def _gates_of(self, name: str, node: Node) -> tuple[str, ...]:
        before, names = self._before(name), texts(node, f"gates of {name}")
        for one in names:
            self._check(one, f"gates of {name}", node.place)
            if one not in before:
                raise SpecError(
                    f"{node.place}: gates of {name} has {as_found(one)} — a gate is one of the stages before it: "
                    f"{listed(before) or 'there is none'}"
                )
        return names

    def _dropped(self) -> dict[str, tuple[str, ...]]:
        return {name: self._dropped_of(name, node) for name, node in self._by_stage("dropped").entries.items()}

    def _dropped_of(self, stage: str, node: Node) -> tuple[str, ...]:
        names, known = texts(node, f"dropped of {stage}"), [case.name for case in self._known[stage].spec.cases]
        for name in names:
            if name not in known:
                raise SpecError(
                    f"{node.place}: dropped of {stage} has {as_found(name)} — its cases are {listed(known)}"
                    f"{near(name, known)}"
                )
            like = re.compile(re.escape(name) + r"(, seed -?[0-9]+| #[0-9]+)")
            other = next((one for one in known if like.fullmatch(one)), None)
            if other is not None:
                raise SpecError(
                    f"{node.place}: dropped of {stage} has {as_found(name)} — the case {as_found(other)} has a name "
                    "like its sessions; give one of them another"
                )
        if not self._counted(stage) - set(names):
            raise SpecError(f"{node.place}: dropped of {stage} has all its cases — one of them at least counts")
        return names

    def _counted(self, stage: str) -> set[str]:
        """The cases that are run when a class is graded: recorded ones are not if draws are read back."""
        one = self._known[stage]
        return {case.name for case in one.spec.cases if not (one.reader and isinstance(case.session, Recorded))}

    def _lowest(self) -> dict[str, int]:
        dropped, found, lowest = self._dropped(), self._by_stage("drop_lowest"), {}
        for name, node in found.entries.items():
            most = len(self._counted(name) - set(dropped.get(name, ()))) - 1
            if not most:
                raise SpecError(
                    f"{found.key_places[name]}: drop_lowest has {as_found(name)} — that stage has one case that counts"
                )
            lowest[name] = integer(node, f"drop_lowest of {name}", 1, most)
        return lowest
