"""Loads a `compare:` mapping: which differences a comparison accepts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.names import printable_names, program_named
from pitboss.assignments.nodes import choice, integer, items, kind_of, mapping, text, texts
from pitboss.assignments.numbers import distance
from pitboss.assignments.yamlfile import Items, Node, Text
from pitboss.errors import SpecError, as_found
from pitboss.model.comparison_policy import IGNORABLE, Checker, FreeText, Policy, Tolerance

_STRICTNESS = {"exact": "exact", "ignored": "ignored"}
_YES_OR_NO = {"yes": True, "no": False, "true": True, "false": False}
#: The keys that are lists of patterns for lines, with the fields of the policy.
_PATTERNS = {
    "not_judged": "not_judged",
    "free_lines": "free_lines",
    "matches": "matches",
    "lines_in_any_order": "any_order",
}


def policy_in(node: Node | None, outer: Policy) -> Policy:
    """Returns the policy of a `compare:` node; what the node does not name comes from `outer`."""
    if node is None:
        return outer
    given = mapping(node, keys.COMPARE, "compare")
    values: dict[str, object] = {name: choice(given[name], name, _STRICTNESS) for name in IGNORABLE if name in given}
    for name, field in _PATTERNS.items():
        if name in given:
            values[field] = (*getattr(outer, field), *_patterns(given[name], name))
    if "numbers" in given:
        values["numbers"] = (*_tolerances(given["numbers"]), *outer.numbers)
    if "judged_from" in given:
        values["begins"] = _beginning(given["judged_from"])
    if "alternatives" in given:
        groups = tuple(_group(group) for group in items(given["alternatives"], "alternatives"))
        values["alternatives"] = (*outer.alternatives, *groups)
    if "free" in given:
        free = {one.name: one for one in (*outer.free, *map(_free, *_entries(given["free"])))}
        values["free"] = tuple(free.values())
    if "reserved" in given:
        values["reserved"] = (*outer.reserved, *texts(given["reserved"], "reserved"))
    policy = msgspec.structs.replace(outer, **values)
    _check_free(policy)
    _check_lines(policy, given)
    return policy


def with_checker(policy: Policy, entries: Mapping[str, Node], folder: Path) -> Policy:
    """Returns the policy with the `checker`, if any, that a stage or a case of the assignment in this folder names."""
    if "checker" not in entries:
        return policy
    checker = Checker(*program_named(entries["checker"], "checker", folder))
    return msgspec.structs.replace(policy, checker=checker)


def _group(node: Node) -> tuple[str, ...]:
    group = texts(node, "a group of alternatives")
    if len(group) < 2:
        raise SpecError(f"{node.place}: a group of alternatives has {len(group)} — it has two texts or more")
    return group


def _patterns(node: Node, what: str) -> tuple[str, ...]:
    """A list of regular expressions, each to be found in a line."""
    patterns = texts(node, what)
    for pattern, item in zip(patterns, items(node, what), strict=True):
        _checked_pattern(pattern, item, f"an item of {what}")
        if re.search(pattern, ""):
            raise SpecError(
                f"{item.place}: an item of {what} is {as_found(pattern)} — it is found in an empty line, and so in "
                "every line; write what those lines begin with"
            )
    return patterns


def _tolerances(node: Node) -> Iterator[Tolerance]:
    if isinstance(node, Items) and not node.items:
        raise SpecError(f"{node.place}: numbers is an empty list — it is a mapping, or a list of such")
    for item in node.items if isinstance(node, Items) else (node,):
        given = mapping(item, keys.NUMBERS, "numbers")
        if not {"within", "relative"} & given.keys():
            raise SpecError(f"{item.place}: numbers has no within or relative — say how far off a number may be")
        distances = {name: distance(given[name], name) for name in ("within", "relative") if name in given}
        yield Tolerance(**distances, lines=_patterns(given["lines"], "lines") if "lines" in given else ())


def _check_lines(policy: Policy, given: Mapping[str, Node]) -> None:
    """Raise SpecError for rules on lines if words are compared instead of lines."""
    if policy.blanks != "ignored":
        return
    of_lines = [name for name, field in _PATTERNS.items() if name != "not_judged" and getattr(policy, field)]
    of_lines += ["numbers: lines"] if any(one.lines for one in policy.numbers) else []
    if of_lines:
        place = next(iter(given.values())).place
        raise SpecError(f"{place}: blanks are ignored, so words are compared — {of_lines[0]} is for whole lines")


def _beginning(node: Node) -> str:
    """The regular expression of the line from which a session is judged; empty for its first line."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: judged_from is {kind_of(node)} — it is a regular expression")
    _checked_pattern(node.value, node, "judged_from")
    return node.value


def _checked_pattern(pattern: str, node: Node, what: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise SpecError(f"{node.place}: {what} is {as_found(pattern)} — it is no regular expression: {error}") from None


def _entries(node: Node) -> tuple[Iterable[str], Iterable[Node]]:
    entries = printable_names(node, "free").entries
    return entries.keys(), entries.values()


def _free(name: str, node: Node) -> FreeText:
    what = f"the free text {as_found(name)}"
    given = mapping(node, keys.FREE, what)
    kinds = [kind for kind in keys.FREE_KINDS if kind in given]
    if len(kinds) != 1:
        found = f"has {' and '.join(kinds)}" if kinds else "has no line, end_of_line, prompt or after"
        raise SpecError(f"{node.place}: {what} {found} — it has exactly one of them")
    (kind,) = kinds
    own = text(given[kind], kind)
    if "\n" in own or not own.strip():
        problem = "has a newline" if "\n" in own else "is blank"
        raise SpecError(f"{given[kind].place}: {kind} of {what} {problem} — it is the reference's text, on one line")
    if "numbers_vary" in given and kind != "after":
        raise SpecError(f"{given['numbers_vary'].place}: {what} has numbers_vary — only a text after a typed line has")
    if "when" in given and kind == "after":
        raise SpecError(f"{given['when'].place}: {what} has when — a text after a typed line says itself when it comes")
    return FreeText(
        name,
        own,
        kind,  # type: ignore[arg-type]
        may_be_missing=_yes(given, "may_be_missing"),
        numbers_vary=_yes(given, "numbers_vary"),
        lines=integer(given["lines"], "lines", 1, keys.MAX_LINES) if "lines" in given else 1,
        may_equal=texts(given["may_equal"], "may_equal") if "may_equal" in given else (),
        synonyms=texts(given["synonyms"], "synonyms") if "synonyms" in given else (),
        when=text(given["when"], "when").strip() if "when" in given else "",
        place=node.place,
    )


def _yes(given: dict[str, Node], key: str) -> bool:
    return key in given and choice(given[key], key, _YES_OR_NO)


def _check_free(policy: Policy) -> None:
    """Raise SpecError for a free text that equals another one, or that comparison would change."""
    for number, one in enumerate(policy.free):
        what = f"{one.place}: the free text {as_found(one.name)} is {as_found(one.text)}"
        for other in policy.free[:number]:
            if one.text == other.text and (one.kind == other.kind or {one.kind, other.kind} == {"line", "end_of_line"}):
                raise SpecError(f"{what}, and so is {as_found(other.name)} — each stands for a text of its own")
        if one.kind == "after":
            continue
        if one.text in policy.reserved:
            raise SpecError(f"{what}, which is in `reserved` too — `reserved` has the texts that no free text may be")
        for group in policy.alternatives:
            overlaps = (text for text in group if text and (one.text in text or _is_changed(one, text, group)))
            alternative = next(overlaps, "")
            if alternative:
                raise SpecError(
                    f"{what}, and the alternatives have {as_found(alternative)} — a text is free, or has alternatives"
                )


def _is_changed(free: FreeText, text: str, group: tuple[str, ...]) -> bool:
    """Whether comparison replaces this alternative in a free text."""
    return text in free.text and ("" in group or text != group[0])
