"""Loads a `compare:` mapping: which differences a comparison accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.kinds import mapping
from pitboss.assignments.names import program_named
from pitboss.assignments.nodes import Items, Node, items, printable_names
from pitboss.errors import SpecError, as_found
from pitboss.model.comparison_policy import IGNORABLE, OWN_TEXT, Checker, FreeText, Policy, Tolerance

#: The keys of `compare:` with lists that are added to those of the outer policy, each with the policy's field.
_LISTS = {
    **{name: name for name in ("not_judged", "free_lines", "matches", "alternatives", "reserved")},
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
    values = entries.present_values(*IGNORABLE)
    for name, field in _LISTS.items():
        if name in entries:
            values[field] = (*getattr(outer, field), *entries.value(name))
    for group in values.get("alternatives", ()):
        if OWN_TEXT in group[0]:
            message = f"{as_found(group[0])} is the first text of its group — write it without {OWN_TEXT}"
            raise SpecError(f"{entries['alternatives'].place}: {message}")
    if "numbers" in entries:
        # The first tolerance that applies to a line is used, so the node's tolerances come before those of `outer`.
        values["numbers"] = (*_tolerances(entries["numbers"]), *outer.numbers)
    if "judged_from" in entries:
        values["begins"] = entries.value("judged_from")
    if "free" in entries:
        free_texts = {free_text.name: free_text for free_text in outer.free}
        for name, free_text_node in printable_names(entries["free"], "free").entries.items():
            free_texts[name] = _free_text(name, free_text_node)
        values["free"] = tuple(free_texts.values())
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


def _tolerances(node: Node) -> Iterator[Tolerance]:
    """Yields the tolerances of a `numbers:` node: a mapping, or a list of mappings."""
    for item in items(node, "numbers", at_least=1) if isinstance(node, Items) else (node,):
        entries = mapping(item, keys.NUMBERS, "numbers")
        yield Tolerance(**entries.present_values("within", "relative", "lines"))


def _check_line_rules(policy: Policy, entries: Mapping[str, Node]) -> None:
    """Raise SpecError if the policy has rules for lines but compares words.

    `not_judged` does not count as a rule for lines: its lines are left out before words are compared.
    """
    if policy.blanks != "ignored":
        return
    line_rules = [name for name in ("free_lines", "matches", "lines_in_any_order") if getattr(policy, _LISTS[name])]
    line_rules += ["numbers: lines"] if any(tolerance.lines for tolerance in policy.numbers) else []
    if line_rules:
        location = next(iter(entries.values())).place
        raise SpecError(f"{location}: blanks are ignored, so words are compared — {line_rules[0]} applies to lines")


def _free_text(name: str, node: Node) -> FreeText:
    """Returns the free text of this name from its node."""
    label = f"the free text {as_found(name)}"
    entries = mapping(node, keys.FREE, label)
    kind = next(kind for kind in keys.FREE_KINDS if kind in entries)
    return FreeText(
        name,
        entries.value(kind, f"{kind} of {label}"),
        kind,  # type: ignore[arg-type]
        when=entries.value("when").strip(),
        place=node.place,
        **entries.values_of("may_be_missing", "numbers_vary", "lines", "may_equal", "synonyms"),
    )


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
