"""Loads the rules and the options of an assignment, and the options of a stage."""

from __future__ import annotations

import keyword as python_keywords
import re
from collections.abc import Mapping, Sequence

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.names import printable_names
from pitboss.assignments.nodes import kind_of, mapping, named_entries, text, texts
from pitboss.assignments.options import KEY, Option, OptionValue, fixed_option
from pitboss.assignments.rules import Rule
from pitboss.assignments.yamlfile import Node, Text
from pitboss.errors import SpecError, as_found, did_you_mean, listed

_YES_NO = {"yes": True, "no": False}


class Switch(msgspec.Struct, frozen=True):
    """An option as defined in the assignment, with the rules of its feature."""

    option: Option
    rules: tuple[Rule, ...] = ()


def rules_in(node: Node | None) -> tuple[Rule, ...]:
    """Returns the rules of a `rules:` node."""
    if node is None:
        return ()
    return tuple(_rule(name, value) for name, value in printable_names(node, "rules").entries.items())


def _rule(name: str, node: Node) -> Rule:
    """Returns a rule, given as its pattern, or as a mapping that also has text for the handout."""
    if isinstance(node, Text):
        return Rule(name, _pattern(node, name))
    return _rule_with_text(name, node, f"rule {as_found(name)}")


def _rule_with_text(name: str, node: Node, label: str) -> Rule:
    entries = mapping(node, keys.RULE, label)
    return Rule(name, _pattern(entries["pattern"], name), text(entries["says"], f"says of {label}").strip())


def required_in(node: Node | None, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Returns the names in a `required:` node; SpecError for one that is not the name of a rule."""
    rule_names = [rule.name for rule in rules]
    required = texts(node, "required") if node is not None else ()
    for name in required:
        if name not in rule_names and node is not None:
            hint = did_you_mean(name, rule_names)
            raise SpecError(
                f"{node.place}: required names {as_found(name)} — it must be one of the stage's rules{hint}"
            )
    return required


def merged_rules(outer: Sequence[Rule], inner: Sequence[Rule]) -> tuple[Rule, ...]:
    """Returns the rules of both; if two have the same name, the inner rule is used."""
    return tuple(({rule.name: rule for rule in outer} | {rule.name: rule for rule in inner}).values())


def switches_in(node: Node | None) -> dict[str, Switch]:
    """Returns the options of an assignment, by name."""
    if node is None:
        return {}
    switches: dict[str, Switch] = {}
    for name, value in printable_names(node, "options").entries.items():
        switches[name] = _switch(name, value, switches)
    return switches


def _switch(name: str, node: Node, earlier: Mapping[str, Switch]) -> Switch:
    label = f"option {as_found(name)}"
    entries = mapping(node, keys.OPTION, label)
    option = Option(name, _keyword(entries["keyword"], label, earlier), _values(entries["values"], label))
    rules = rules_in(entries.get("rules"))
    if "key" in entries:
        option = msgspec.structs.replace(option, key=_key(entries, label))
    if "key_texts" in entries:
        option = msgspec.structs.replace(option, key_texts=_key_texts(entries, label))
    option = _with_handout_texts(option, entries, label)
    if "shows" not in entries:
        return Switch(option, rules)
    shows, rule_names = text(entries["shows"], "shows"), [rule.name for rule in rules]
    if shows not in rule_names:
        hint = did_you_mean(shows, rule_names)
        raise SpecError(
            f"{entries['shows'].place}: shows is {as_found(shows)} — it must be one of the option's rules{hint}"
        )
    if [option_value.value for option_value in option.values] != [False, True]:
        raise SpecError(
            f"{entries['shows'].place}: {label} has shows — its values must then be no and yes, in this order"
        )
    return Switch(msgspec.structs.replace(option, shows=shows), rules)


def _with_handout_texts(option: Option, entries: Mapping[str, Node], label: str) -> Option:
    """Returns the option with its texts for the handout: rules with other features, or its choice."""
    is_feature = "shows" in entries
    misused_key = "choice" if is_feature else "with_others"
    if misused_key in entries:
        explanation = "a feature is not a choice: its rules describe it"
        explanation = explanation if is_feature else "only a feature can have it: give the rule that it shows"
        raise SpecError(f"{entries[misused_key].place}: {label} has {misused_key} — {explanation}")
    choice = _rule_with_text(option.name, entries["choice"], f"the choice of {label}") if "choice" in entries else None
    nodes_by_name = printable_names(entries["with_others"], "with_others").entries if "with_others" in entries else {}
    with_others = tuple(_rule_with_text(name, node, f"rule {as_found(name)}") for name, node in nodes_by_name.items())
    return msgspec.structs.replace(option, choice=choice, with_others=with_others)


def _key(entries: Mapping[str, Node], label: str) -> str:
    key = text(entries["key"], "key")
    if not key.isidentifier() or python_keywords.iskeyword(key):
        raise SpecError(f"{entries['key'].place}: key is {as_found(key)} — it must be a keyword of the reference")
    if "shows" not in entries:
        raise SpecError(
            f"{entries['key'].place}: {label} has a key — only a feature can have one: give the rule that it shows"
        )
    return key


def _key_texts(entries: Mapping[str, Node], label: str) -> tuple[tuple[str, str], ...]:
    node = entries["key_texts"]
    if "key" not in entries:
        raise SpecError(f"{node.place}: {label} has key_texts — only a feature with a key can have them")
    parts = {
        part: text(replacement, f"the replacement of {as_found(part)}")
        for part, replacement in named_entries(node, "key_texts").entries.items()
    }
    for part, replacement in parts.items():
        if KEY not in replacement:
            location = named_entries(node, "key_texts").entries[part].place
            raise SpecError(
                f"{location}: {as_found(replacement)} replaces {as_found(part)} — "
                f"it must have {KEY} in place of the key"
            )
    return tuple(parts.items())


def _keyword(node: Node, label: str, earlier: Mapping[str, Switch]) -> str:
    keyword = text(node, "keyword")
    if not keyword.isidentifier() or python_keywords.iskeyword(keyword):
        raise SpecError(f"{node.place}: keyword is {as_found(keyword)} — it must be a keyword of the reference")
    other = next((name for name, switch in earlier.items() if switch.option.keyword == keyword), None)
    if other is not None:
        raise SpecError(
            f"{node.place}: {label} has the keyword {as_found(keyword)}, like {as_found(other)} — each needs its own"
        )
    return keyword


def _values(node: Node, label: str) -> tuple[OptionValue, ...]:
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
        raise SpecError(f"{node.place}: {label} has {len(values)} value{'s' * (not values)} — give at least two")
    return tuple(values)


def options_of(
    switches: Mapping[str, Switch], has: Node | None, without: Node | None
) -> tuple[tuple[Option, ...], tuple[Rule, ...]]:
    """Returns the options of a stage, and the rules of the features that it has."""
    present, absent = _feature_names(has, "with", switches), _feature_names(without, "without", switches)
    conflicting = next((name for name in absent if name in present), None)
    if conflicting is not None and without is not None:
        raise SpecError(f"{without.place}: without names {as_found(conflicting)} — with names it too")
    options = tuple(
        fixed_option(switch.option, name in present, is_subject=name in present)
        if name in present or name in absent
        else switch.option
        for name, switch in switches.items()
    )
    return options, tuple(rule for name in present for rule in switches[name].rules)


def _feature_names(node: Node | None, key: str, switches: Mapping[str, Switch]) -> tuple[str, ...]:
    if node is None:
        return ()
    names = texts(node, key)
    for name in names:
        if name not in switches:
            allowed = (
                f"it must be one of the options: {listed(switches)}" if switches else "the assignment has no options"
            )
            raise SpecError(f"{node.place}: {key} names {as_found(name)} — {allowed}{did_you_mean(name, switches)}")
        if {option_value.value for option_value in switches[name].option.values} != {True, False}:
            raise SpecError(
                f"{node.place}: {key} names {as_found(name)} — only an option with the values yes and no can be named"
            )
        if names.count(name) > 1:
            raise SpecError(f"{node.place}: {key} names {as_found(name)} twice — name it once")
    return names


def _pattern(node: Node, name: str) -> str:
    pattern = text(node, f"rule {as_found(name)}")
    try:
        re.compile(pattern)
    except re.error as error:
        raise SpecError(
            f"{node.place}: rule {as_found(name)} is {as_found(pattern)} — it is no regular expression: {error}"
        ) from None
    return pattern
