"""Loads the rules, options, draws and required constructs of an assignment, and the options of a stage.

The parameter `label` names an option or a rule in messages: "option 'x'".

`draws` has all values that can be drawn, the size of the bag, and the lowest probability; `requires` and `forbids` the
constructs that a program's sources must have, or must not have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.assignment import Draws
from pitboss.assignments.kinds import Entries, mapping
from pitboss.assignments.nodes import (
    Node,
    Text,
    check_pattern,
    drawn_values,
    integer,
    items,
    kind_of,
    printable_names,
    text,
    texts,
)
from pitboss.assignments.options import Option, OptionValue, Rule, fixed_option
from pitboss.errors import SpecError, as_found, did_you_mean, listed
from pitboss.model.construct_rules import Requirement
from pitboss.model.languages import CONSTRUCTS
from pitboss.model.words import counted, joined


def draws_in(node: Node) -> Draws:
    """Returns the draws of a `draws:` node.

    Raises SpecError if there are fewer than two values, a value is repeated, `rarest` or `called` is impossible.
    """
    entries = mapping(node, keys.DRAWS, "draws")
    values = drawn_values(entries["values"])
    location = entries["values"].place
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        raise SpecError(f"{location}: values lists {as_found(repeated[0])} twice — list each value once")
    if len(values) < 2:
        raise SpecError(f"{location}: values has only {counted(len(values), 'value')} — give at least two")
    bag = integer(entries["bag"], "bag", 1, len(values)) if "bag" in entries else 0
    draws = Draws(values, bag, _rarest(entries, len(values)) if "rarest" in entries else None)
    return msgspec.structs.replace(draws, nouns=entries.value("called")) if "called" in entries else draws


def _rarest(entries: Entries, count: int) -> Fraction:
    """Returns the probability of the rarest of `count` values."""
    node = entries["rarest"]
    rarest: Fraction = entries.value("rarest")
    if not 0 < rarest <= Fraction(1, count):
        raise SpecError(
            f"{node.place}: rarest is {as_found(text(node, 'rarest'))} — with {count} values the rarest has a "
            f"probability above 0% and at most {100 / count:.4g}%, the probability of each if all are equally likely"
        )
    return rarest


_CALL = re.compile(rf"call ({keys.CALLEE})")


def requirements_in(entries: Entries) -> tuple[Requirement, ...]:
    """Returns the requirements of a stage: first the required and then the forbidden constructs.

    `entries` are the keys of the stage with their nodes. Raises SpecError for an unknown construct.
    """
    return tuple(
        _requirement(node, key)
        for key in ("requires", "forbids")
        if key in entries
        for node in items(entries[key], key)
    )


def _requirement(node: Node, key: str) -> Requirement:
    """Returns the requirement in an item of `requires` or `forbids`: only a construct, or a mapping with more keys."""
    is_forbidden = key == "forbids"
    if isinstance(node, Text):
        return Requirement(*_construct(node, key), is_forbidden)
    entries = mapping(node, keys.REQUIREMENT, f"an item of {key}")
    return Requirement(
        *_construct(entries["construct"], key), is_forbidden, entries.value("says"), entries.value("points")
    )


def _construct(node: Node, key: str) -> tuple[str, str]:
    """Returns a construct and the name of the called function, which is empty if the construct is not `call NAME`."""
    value = text(node, f"an item of {key}")
    if match := _CALL.fullmatch(value):
        return "call", match[1]
    if value not in CONSTRUCTS:
        allowed = joined([*CONSTRUCTS, "call NAME"], "or")
        hint = did_you_mean(value, CONSTRUCTS)
        raise SpecError(f"{node.place}: an item of {key} is {as_found(value)} — it must be {allowed}{hint}")
    return value, ""


_YES_NO = {"yes": True, "no": False}


def rules_in(node: Node | None) -> tuple[Rule, ...]:
    """Returns the rules in a `rules:` node; none if there is no node."""
    if node is None:
        return ()
    return tuple(_rule(name, value) for name, value in printable_names(node, "rules").entries.items())


def _rule(name: str, node: Node) -> Rule:
    """Returns the rule in a node, which is the rule's pattern, or a mapping with the pattern and a handout text."""
    if isinstance(node, Text):
        return Rule(name, _pattern(node, name))
    return _rule_with_text(name, node, f"rule {as_found(name)}")


def _rule_with_text(name: str, node: Node, label: str) -> Rule:
    """Returns the rule in a mapping with the pattern and a text for the handout."""
    entries = mapping(node, keys.RULE, label)
    return Rule(name, _pattern(entries["pattern"], name), text(entries["says"], f"says of {label}").strip())


def required_in(node: Node | None, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Returns the names in a `required:` node; raises SpecError for a name that no rule in `rules` has."""
    rule_names = [rule.name for rule in rules]
    required = texts(node, "required") if node is not None else ()
    for name in required:
        if name not in rule_names and node is not None:
            hint = did_you_mean(name, rule_names)
            raise SpecError(f"{node.place}: required has {as_found(name)} — it must be one of the stage's rules{hint}")
    return required


def defined_options_in(node: Node | None) -> dict[str, Option]:
    """Returns the options in the `options:` node of an assignment, by name."""
    if node is None:
        return {}
    defined_options: dict[str, Option] = {}
    for name, value in printable_names(node, "options").entries.items():
        defined_options[name] = _defined_option(name, value, defined_options)
    return defined_options


def _defined_option(name: str, node: Node, earlier: Mapping[str, Option]) -> Option:
    """Returns the option in a node; `earlier` are the options before it, whose keywords it must not have."""
    label = f"option {as_found(name)}"
    entries = mapping(node, keys.OPTION, label)
    rules = rules_in(entries.get("rules"))
    others = printable_names(entries["with_others"], "with_others").entries if "with_others" in entries else {}
    option = Option(
        name,
        _keyword(entries, label, earlier),
        _values(entries["values"], label),
        rules=rules,
        with_others=tuple(_rule_with_text(rule, other, f"rule {as_found(rule)}") for rule, other in others.items()),
        key_texts=tuple(entries.value("key_texts").items()),
        choice=entries.value("choice", f"the choice of {label}").strip(),
        key=entries.value("key"),
    )
    if "shows" not in entries:
        return option
    shows, rule_names = entries.value("shows"), [rule.name for rule in rules]
    if shows not in rule_names:
        hint = did_you_mean(shows, rule_names)
        raise SpecError(
            f"{entries['shows'].place}: shows is {as_found(shows)} — it must be one of the option's rules{hint}"
        )
    if [option_value.value for option_value in option.values] != [False, True]:
        raise SpecError(
            f"{entries['shows'].place}: {label} has shows — its values must then be no and yes, in this order"
        )
    return msgspec.structs.replace(option, feature_rule=shows)


def _keyword(entries: Entries, label: str, earlier: Mapping[str, Option]) -> str:
    """Returns the keyword argument of an option; raises SpecError if one of the `earlier` options has it already."""
    keyword: str = entries.value("keyword")
    option_with_keyword = next((name for name, option in earlier.items() if option.keyword == keyword), None)
    if option_with_keyword is not None:
        raise SpecError(
            f"{entries['keyword'].place}: {label} has the keyword {as_found(keyword)}, like "
            f"{as_found(option_with_keyword)} — each option needs its own keyword"
        )
    return keyword


def _values(node: Node, label: str) -> tuple[OptionValue, ...]:
    """Returns the values of an option, in the order of the file; raises SpecError for fewer than two values."""
    values: list[OptionValue] = []
    for description, value in printable_names(node, "values").entries.items():
        if not isinstance(value, Text):
            raise SpecError(
                f"{value.place}: the value of {as_found(description)} is {kind_of(value)} — it must be text"
            )
        option_value = _YES_NO.get(value.value, value.value)
        if any(earlier_value.value == option_value for earlier_value in values):
            raise SpecError(
                f"{value.place}: {label} has the value {as_found(value.value)} twice — each value needs one description"
            )
        values.append(OptionValue(description, option_value))
    if len(values) < 2:
        raise SpecError(f"{node.place}: {label} has {counted(len(values), 'value')} — give at least two")
    return tuple(values)


def options_of(
    defined_options: Mapping[str, Option], with_node: Node | None, without: Node | None
) -> tuple[Option, ...]:
    """Returns the options of a stage.

    An option under `with:` must have the value yes in the stage, an option under `without:` the value no.
    `defined_options` are the assignment's options; `with_node` and `without` are the nodes of `with:` and `without:` in
    the stage.
    """
    present = feature_names_in(with_node, "with", defined_options)
    absent = feature_names_in(without, "without", defined_options)
    conflicting = next((name for name in absent if name in present), None)
    if conflicting is not None and without is not None:
        raise SpecError(f"{without.place}: {as_found(conflicting)} is under with and without — list it once")
    return tuple(
        fixed_option(option, name in present, is_tested=name in present) if name in (*present, *absent) else option
        for name, option in defined_options.items()
    )


def feature_names_in(node: Node | None, key: str, defined_options: Mapping[str, Option]) -> tuple[str, ...]:
    """Returns the options that a `with:` or `without:` node lists; raises SpecError if one cannot be listed there."""
    if node is None:
        return ()
    names = texts(node, key)
    for name in names:
        if name not in defined_options:
            allowed = (
                f"it must be one of the options: {listed(defined_options)}"
                if defined_options
                else "the assignment has no options"
            )
            raise SpecError(
                f"{node.place}: {as_found(name)} is under {key} — {allowed}{did_you_mean(name, defined_options)}"
            )
        if {option_value.value for option_value in defined_options[name].values} != {True, False}:
            raise SpecError(
                f"{node.place}: {as_found(name)} is under {key} — only an option with the values yes and no can be "
                "listed there"
            )
        if names.count(name) > 1:
            raise SpecError(f"{node.place}: {as_found(name)} is under {key} twice — list it once")
    return names


def _pattern(node: Node, name: str) -> str:
    """Returns the pattern of the rule `name`; raises SpecError if the pattern is not a regular expression."""
    return check_pattern(text(node, f"rule {as_found(name)}"), node.place, f"rule {as_found(name)}")
