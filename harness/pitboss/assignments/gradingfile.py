"""Loads a `grading:` mapping as a grading policy with exact numbers, and checks it against the stages and cases.

The table `late:` says how each day early or late changes the score. A rubric has comments that a grader picks for a
submission, each with the points that it adds or deducts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.assignment import Recorded, Stage
from pitboss.assignments.grading_policy import GradingPolicy, LateRow, PartialCredit, Rounding, StagePolicy
from pitboss.assignments.kinds import TEXT, Entries, Key, KeyTable, mapping, matching
from pitboss.assignments.nodes import Keyed, Node, Text, choice, integer, items, named_entries, read_yaml, text, texts
from pitboss.errors import SpecError, as_found, did_you_mean, listed

_EXAMPLES = ("1 day early", keys.ON_TIME, "1 day late", "2 days late")


def late_rows_in(node: Node) -> tuple[LateRow, ...]:
    """Returns the rows of the `late:` table in a node, the earliest day first.

    If the table has no row for on-time submissions, a row without a change is added. Raises SpecError for any mistake,
    and if a submission on a later day would get more of its score than on an earlier day.
    """
    rows = named_entries(node, "late")
    if not rows.entries:
        raise SpecError(f"{node.place}: late is an empty mapping — give rows such as 1 day late: -10%")
    row_texts: dict[int, str] = {}
    rows_by_day: dict[int, LateRow] = {}
    for row_text, value in rows.entries.items():
        days = _days(row_text, rows)
        if days in row_texts:
            raise SpecError(
                f"{rows.key_places[row_text]}: late has {as_found(row_texts[days])} and {as_found(row_text)} — list "
                "each day only once"
            )
        row_texts[days], rows_by_day[days] = row_text, LateRow(days, keys.CHANGE.read(value, row_text))
    rows_by_day.setdefault(0, LateRow(0, Fraction(0)))
    row_texts.setdefault(0, keys.ON_TIME)
    for days, next_days in pairwise(sorted(rows_by_day)):
        if rows_by_day[next_days].change > rows_by_day[days].change:
            # The row for on-time submissions has no location if it was added above.
            location = rows.key_places.get(row_texts[next_days]) or rows.key_places[row_texts[days]]
            raise SpecError(
                f"{location}: {row_texts[next_days]} leaves more of the score than {row_texts[days]} — a later day "
                "must not leave more than an earlier one"
            )
    return tuple(rows_by_day[days] for days in sorted(rows_by_day))


def _days(row_text: str, rows: Keyed) -> int:
    """Returns how many days late a row is for, such as 2 for `2 days late`; negative for an early day, 0 for on time.

    `rows` is the whole table, for the location in a SpecError.
    """
    if row_text == keys.ON_TIME:
        return 0
    match = re.fullmatch(keys.DAYS, row_text)
    if match is None:
        raise SpecError(
            f"{rows.key_places[row_text]}: late has an unknown row {as_found(row_text)} — write rows like "
            f"{', '.join(_EXAMPLES)}{did_you_mean(row_text, _EXAMPLES)}"
        )
    return int(match[1]) * (-1 if match[2] == "early" else 1)


#: The maximum number of items of a rubric: all are displayed beside each submission.
_MAX_ITEMS = 60
_ITEM_KEYS = KeyTable(
    key=Key(
        matching(
            "word of at most 40 letters, digits, _ and -, which begins with a letter", r"[A-Za-z][A-Za-z0-9_-]{0,39}"
        ),
        "a short name by which a grader picks the item",
        True,
    ),
    text=Key(TEXT, "the comment for the student", True),
    points=Key(
        matching("number such as -5, 2 or 0.5", rf"[+-]?{keys.AMOUNT}", convert=Fraction),
        "the points that the item adds, or deducts with a minus",
        default=Fraction(0),
    ),
)


class RubricItem(msgspec.Struct, frozen=True):
    """A comment of a rubric, with its points."""

    #: A short name by which a grader picks the comment.
    key: str
    #: The comment for the student, on one line.
    text: str
    #: The points that the item adds, or deducts if negative, as the text of a Fraction: "2", "-1/2".
    points: str = "0"


def read_rubric(path: Path) -> tuple[RubricItem, ...]:
    """Returns the items of a rubric file, which is a list of mappings with key, text and points.

    Raises SpecError, with file and line, for any mistake.
    """
    rubric_items: dict[str, RubricItem] = {}
    root = read_yaml(path)
    for node in items(root, "a rubric"):
        entries = mapping(node, _ITEM_KEYS, "an item of a rubric")
        key, comment = entries.value("key"), " ".join(entries.value("text").split())
        if not comment:
            raise SpecError(f"{entries['text'].place}: text is empty — give the comment for the student")
        item = RubricItem(key, comment, str(entries.value("points")))
        if key in rubric_items:
            place = entries["key"].place
            raise SpecError(f"{place}: the key {as_found(key)} is used twice — each item needs its own key")
        rubric_items[key] = item
    if not 0 < len(rubric_items) <= _MAX_ITEMS:
        raise SpecError(f"{root.place}: the rubric has {len(rubric_items)} items — it must have from 1 to {_MAX_ITEMS}")
    return tuple(rubric_items.values())


#: The points of all stages together, unless the policy has points.
_DEFAULT_POINTS = Fraction(100)


def grading_in(node: Node | None, stages: Sequence[Stage]) -> GradingPolicy:
    """Returns the policy of a `grading:` node for an assignment with these stages; docs/grading.md has the defaults.

    Raises SpecError for any mistake.
    """
    entries = mapping(node, keys.GRADING, "grading") if node is not None else Entries({}, keys.GRADING)
    loader = _GradingLoader(entries, stages)
    functionality, style = _weights(entries)
    rounding: Entries | None = entries.value("rounding")
    policy = GradingPolicy(
        loader.stages(),
        functionality,
        style,
        entries.value("style_of"),
        entries.value("most"),
        late_rows_in(entries["late"]) if "late" in entries else (),
        Rounding(rounding.value("to"), rounding.value("direction")) if rounding is not None else None,
        entries.value("early_from"),
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


def _weights(entries: Entries) -> tuple[Fraction, Fraction]:
    """Returns the weights of functionality and style, which add up to 1; without both keys they are 1 and 0."""
    weights = entries.present_values("functionality", "style")
    if len(weights) == 2 and sum(weights.values()) != 1:
        raise SpecError(
            f"{entries['style'].place}: functionality is {text(entries['functionality'], 'functionality')} and style "
            f"{text(entries['style'], 'style')} — together they must be 100%"
        )
    functionality = weights.get("functionality", 1 - weights.get("style", Fraction(0)))
    return functionality, 1 - functionality


class _GradingLoader:
    """Loads the grading policies of stages."""

    def __init__(self, entries: Entries, stages: Sequence[Stage]) -> None:
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
        dropped = {name: self._dropped(name, node) for name, node in self._entries_by_stage("dropped").entries.items()}
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
        points = {
            name: keys.NUMBER.read(node, f"the points of {name}") for name, node in points_by_stage.entries.items()
        }
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
        amounts = {name: keys.NUMBER.read(node, f"{key} of {name}") for name, node in keyed.entries.items()}
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
        if isinstance(node, Text):
            return dict.fromkeys(self._judged, keys.CREDIT.read(node, "partial_credit"))
        by_stage = self._entries_by_stage("partial_credit")
        return {name: keys.CREDIT.read(node, f"partial_credit of {name}") for name, node in by_stage.entries.items()}

    def _gates(self) -> dict[str, tuple[str, ...]]:
        """Return, for each stage, the stages that must be perfect before it earns points.

        The result omits stages whose gates are the stages that they need.
        """
        gates = {name: tuple(self._stages_reached[:index]) for index, name in enumerate(self._stages_reached)}
        node = self._entries.get("gates")
        if node is None:
            return gates
        if isinstance(node, Text):
            is_earlier = choice(node, "gates", {"needs": False, "earlier": True})
            return {name: tuple(self._judged_before(name)) for name in self._stages} if is_earlier else gates
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

    def _dropped(self, stage: str, node: Node) -> tuple[str, ...]:
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

    def _graded_cases(self, name: str) -> set[str]:
        """Return the names of the cases that are run for a grade: if the stage has a reader, not the recorded cases."""
        stage = self._stages[name]
        return {case.name for case in stage.spec.cases if not (stage.reader and isinstance(case.session, Recorded))}

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
