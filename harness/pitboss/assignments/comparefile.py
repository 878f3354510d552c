"""Loads a `compare:` mapping: which differences a comparison accepts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.names import printable_names, program_named
from pitboss.assignments.nodes import (
    Items,
    Node,
    Text,
    check_pattern,
    choice,
    integer,
    items,
    kind_of,
    mapping,
    text,
    texts,
)
from pitboss.assignments.numbers import distance
from pitboss.errors import SpecError, as_found
from pitboss.model.comparison_policy import IGNORABLE, Checker, FreeText, Policy, Tolerance

_STRICTNESS = {"exact": "exact", "ignored": "ignored"}
_YES_NO = {"yes": True, "no": False, "true": True, "false": False}
#: The keys of `compare:` that are lists of patterns for lines, each with the field of the policy for these patterns.
_PATTERNS = {
    "not_judged": "not_judged",
    "free_lines": "free_lines",
    "matches": "matches",
    "lines_in_any_order": "any_order",
}


def policy_in(node: Node | None, outer: Policy) -> Policy:
    """Returns the policy of a `compare:` node; for keys that the node omits, it has the values of `outer`.

    `outer` is the policy one level above: of a case's stage, of the assignment, or the default. Lists are added to the
    lists of `outer`. Free texts, which a program may word freely, are added too, except that a free text replaces the
    free text of `outer` with the same name.
    """
    if node is None:
        return outer
    entries = mapping(node, keys.COMPARE, "compare")
    values: dict[str, object] = {
        name: choice(entries[name], name, _STRICTNESS) for name in IGNORABLE if name in entries
    }
    for name, field in _PATTERNS.items():
        if name in entries:
            values[field] = (*getattr(outer, field), *_patterns(entries[name], name))
    if "numbers" in entries:
        # The first tolerance that applies to a line is used, so the node's tolerances come before those of `outer`.
        values["numbers"] = (*_tolerances(entries["numbers"]), *outer.numbers)
    if "judged_from" in entries:
        values["begins"] = _judged_from(entries["judged_from"])
    if "alternatives" in entries:
        groups = tuple(_alternatives(group) for group in items(entries["alternatives"], "alternatives"))
        values["alternatives"] = (*outer.alternatives, *groups)
    if "free" in entries:
        free_texts = {free_text.name: free_text for free_text in (*outer.free, *_free_texts(entries["free"]))}
        values["free"] = tuple(free_texts.values())
    if "reserved" in entries:
        values["reserved"] = (*outer.reserved, *texts(entries["reserved"], "reserved"))
    policy = msgspec.structs.replace(outer, **values)
    _check_free_texts(policy)
    _check_line_rules(policy, entries)
    return policy


def with_checker(policy: Policy, entries: Mapping[str, Node], folder: Path) -> Policy:
    """Returns the policy with the `checker` in a stage's or case's entries, if any; `folder` is the assignment's."""
    if "checker" not in entries:
        return policy
    checker = Checker(*program_named(entries["checker"], "checker", folder))
    return msgspec.structs.replace(policy, checker=checker)


def _alternatives(node: Node) -> tuple[str, ...]:
    """Returns one group of interchangeable texts."""
    group = texts(node, "a group of alternatives")
    if len(group) < 2:
        count_text = "1 text" if group else "0 texts"
        raise SpecError(f"{node.place}: a group of alternatives has only {count_text} — give at least two")
    return group


def _patterns(node: Node, key: str) -> tuple[str, ...]:
    """Returns the regular expressions in a list; raises SpecError if one is invalid or matches every line."""
    patterns = texts(node, key)
    for pattern, item in zip(patterns, items(node, key), strict=True):
        check_pattern(pattern, item.place, f"an item of {key}")
        if re.search(pattern, ""):
            raise SpecError(
                f"{item.place}: an item of {key} is {as_found(pattern)} — it matches an empty line, and so "
                "every line; write how those lines begin"
            )
    return patterns


def _tolerances(node: Node) -> Iterator[Tolerance]:
    """Yields the tolerances of a `numbers:` node: a mapping, or a list of mappings."""
    if isinstance(node, Items) and not node.items:
        raise SpecError(f"{node.place}: numbers is an empty list — give a mapping, or a list of mappings")
    for item in node.items if isinstance(node, Items) else (node,):
        entries = mapping(item, keys.NUMBERS, "numbers")
        if not {"within", "relative"} & entries.keys():
            raise SpecError(f"{item.place}: numbers has no within or relative — say how far off a number may be")
        distances = {name: distance(entries[name], name) for name in ("within", "relative") if name in entries}
        yield Tolerance(**distances, lines=_patterns(entries["lines"], "lines") if "lines" in entries else ())


def _check_line_rules(policy: Policy, entries: Mapping[str, Node]) -> None:
    """Raise SpecError if the policy has rules for lines but compares words.

    `not_judged` does not count as a rule for lines: its lines are left out before words are compared.
    """
    if policy.blanks != "ignored":
        return
    line_rules = [name for name, field in _PATTERNS.items() if name != "not_judged" and getattr(policy, field)]
    line_rules += ["numbers: lines"] if any(tolerance.lines for tolerance in policy.numbers) else []
    if line_rules:
        location = next(iter(entries.values())).place
        raise SpecError(f"{location}: blanks are ignored, so words are compared — {line_rules[0]} applies to lines")


def _judged_from(node: Node) -> str:
    """Returns the regular expression of the line from which a session is judged."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: judged_from is {kind_of(node)} — it must be a regular expression")
    check_pattern(node.value, node.place, "judged_from")
    return node.value


def _free_texts(node: Node) -> Iterator[FreeText]:
    """Yields the free texts of a `free:` node, a mapping by their names."""
    for name, free_text_node in printable_names(node, "free").entries.items():
        yield _free_text(name, free_text_node)


def _free_text(name: str, node: Node) -> FreeText:
    """Returns the free text of this name from its node."""
    label = f"the free text {as_found(name)}"
    entries = mapping(node, keys.FREE, label)
    kinds = [kind for kind in keys.FREE_KINDS if kind in entries]
    if len(kinds) != 1:
        problem = f"has {' and '.join(kinds)}" if kinds else "has no line, end_of_line, prompt or after"
        raise SpecError(f"{node.place}: {label} {problem} — it must have exactly one of them")
    (kind,) = kinds
    reference_text = text(entries[kind], kind)
    if "\n" in reference_text or not reference_text.strip():
        problem = "has a newline" if "\n" in reference_text else "is blank"
        raise SpecError(
            f"{entries[kind].place}: {kind} of {label} {problem} — it must be the reference's text, on one line"
        )
    if "when" in entries and kind == "after":
        raise SpecError(f"{entries['when'].place}: {label} has when — a text after a typed line has no other condition")
    return FreeText(
        name,
        reference_text,
        kind,  # type: ignore[arg-type]
        may_be_missing=_is_yes(entries, "may_be_missing"),
        numbers_vary=_is_yes(entries, "numbers_vary"),
        lines=integer(entries["lines"], "lines", 1, keys.MAX_FREE_TEXT_LINES) if "lines" in entries else 1,
        may_equal=texts(entries["may_equal"], "may_equal") if "may_equal" in entries else (),
        synonyms=texts(entries["synonyms"], "synonyms") if "synonyms" in entries else (),
        when=text(entries["when"], "when").strip() if "when" in entries else "",
        place=node.place,
    )


def _is_yes(entries: dict[str, Node], key: str) -> bool:
    return key in entries and choice(entries[key], key, _YES_NO)


def _check_free_texts(policy: Policy) -> None:
    """Raise SpecError for a free text that equals another free text or a reserved text, or overlaps an alternative."""
    for index, free_text in enumerate(policy.free):
        message_start = f"{free_text.place}: the free text {as_found(free_text.name)} is {as_found(free_text.text)}"
        for other in policy.free[:index]:
            # A line that equals a text also ends with the text: then a `line` and an `end_of_line` would both apply.
            may_both_apply = free_text.kind == other.kind or {free_text.kind, other.kind} == {"line", "end_of_line"}
            if free_text.text == other.text and may_both_apply:
                raise SpecError(f"{message_start}, and so is {as_found(other.name)} — each must be a different text")
        if free_text.kind == "after":  # then `text` is not the free text itself, but comes before it
            continue
        if free_text.text in policy.reserved:
            raise SpecError(f"{message_start}, which is in `reserved` too — no free text may equal a reserved text")
        for group in policy.alternatives:
            overlaps = (
                member
                for member in group
                if member and (free_text.text in member or _is_replaced(free_text, member, group))
            )
            alternative = next(overlaps, "")
            if alternative:
                raise SpecError(
                    f"{message_start}, and the alternatives have {as_found(alternative)} — a text is free or has "
                    "alternatives"
                )


def _is_replaced(free_text: FreeText, alternative: str, group: tuple[str, ...]) -> bool:
    """Whether comparison would replace or remove this alternative of the group in the free text.

    A comparison replaces each alternative by the first of the group. If one alternative of the group is empty, a
    comparison removes the others.
    """
    return alternative in free_text.text and ("" in group or alternative != group[0])
