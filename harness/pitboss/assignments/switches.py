"""Loads the rules and the options of an assignment, and the options of a stage."""

from __future__ import annotations

import keyword as words_of_python
import re
from collections.abc import Mapping, Sequence

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.names import printable_names
from pitboss.assignments.nodes import kind_of, mapping, named, text, texts
from pitboss.assignments.options import KEY, Option, OptionValue, fixed
from pitboss.assignments.rules import Rule
from pitboss.assignments.yamlfile import Node, Text
from pitboss.errors import SpecError, as_found, listed, near

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
    """A rule, given as its pattern, or as a mapping that also has text for the handout."""
    if isinstance(node, Text):
        return Rule(name, _pattern(node, name))
    return _worded(name, node, f"rule {as_found(name)}")


def _worded(name: str, node: Node, what: str) -> Rule:
    entries = mapping(node, keys.RULE, what)
    return Rule(name, _pattern(entries["pattern"], name), text(entries["says"], f"says of {what}").strip())


def required_in(node: Node | None, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Returns the names in a `required:` node, each the name of a rule."""
    known = [rule.name for rule in rules]
    required = texts(node, "required") if node is not None else ()
    for name in required:
        if name not in known and node is not None:
            hint = near(name, known)
            raise SpecError(f"{node.place}: required names {as_found(name)} — it is one of the stage's rules{hint}")
    return required


def together(outer: Sequence[Rule], inner: Sequence[Rule]) -> tuple[Rule, ...]:
    """Returns the rules of both; of two with one name the inner counts."""
    return tuple(({rule.name: rule for rule in outer} | {rule.name: rule for rule in inner}).values())


def switches_in(node: Node | None) -> dict[str, Switch]:
    """Returns the options of an assignment, by name."""
    if node is None:
        return {}
    found: dict[str, Switch] = {}
    for name, value in printable_names(node, "options").entries.items():
        found[name] = _switch(name, value, found)
    return found


def _switch(name: str, node: Node, earlier: Mapping[str, Switch]) -> Switch:
    what = f"option {as_found(name)}"
    entries = mapping(node, keys.OPTION, what)
    option = Option(name, _keyword(entries["keyword"], what, earlier), _values(entries["values"], what))
    rules = rules_in(entries.get("rules"))
    if "key" in entries:
        option = msgspec.structs.replace(option, key=_key(entries, what))
    if "key_texts" in entries:
        option = msgspec.structs.replace(option, key_texts=_key_texts(entries, what))
    option = _with_words(option, entries, what)
    if "shows" not in entries:
        return Switch(option, rules)
    shows, known = text(entries["shows"], "shows"), [rule.name for rule in rules]
    if shows not in known:
        hint = near(shows, known)
        raise SpecError(f"{entries['shows'].place}: shows is {as_found(shows)} — it is one of the option's rules{hint}")
    if [one.value for one in option.values] != [False, True]:
        raise SpecError(f"{entries['shows'].place}: {what} has shows — its values are no and yes then, in this order")
    return Switch(msgspec.structs.replace(option, shows=shows), rules)


def _with_words(option: Option, entries: Mapping[str, Node], what: str) -> Option:
    """The option with its texts for the handout: rules with other features, or what may be chosen."""
    is_feature = "shows" in entries
    wrong = "choice" if is_feature else "with_others"
    if wrong in entries:
        right = "a feature is not a matter of choice: its words are those of its rules"
        right = right if is_feature else "only a feature has them: say what it shows"
        raise SpecError(f"{entries[wrong].place}: {what} has {wrong} — {right}")
    choice = _worded(option.name, entries["choice"], f"the choice of {what}") if "choice" in entries else None
    others = printable_names(entries["with_others"], "with_others").entries if "with_others" in entries else {}
    with_others = tuple(_worded(name, node, f"rule {as_found(name)}") for name, node in others.items())
    return msgspec.structs.replace(option, choice=choice, with_others=with_others)


def _key(entries: Mapping[str, Node], what: str) -> str:
    key = text(entries["key"], "key")
    if not key.isidentifier() or words_of_python.iskeyword(key):
        raise SpecError(f"{entries['key'].place}: key is {as_found(key)} — it is a keyword of the reference")
    if "shows" not in entries:
        raise SpecError(f"{entries['key'].place}: {what} has a key — only a feature has one: say what it shows")
    return key


def _key_texts(entries: Mapping[str, Node], what: str) -> tuple[tuple[str, str], ...]:
    node = entries["key_texts"]
    if "key" not in entries:
        raise SpecError(f"{node.place}: {what} has key_texts — only a feature with a key has them")
    parts = {
        part: text(other, f"what stands for {as_found(part)}")
        for part, other in named(node, "key_texts").entries.items()
    }
    for part, other in parts.items():
        if KEY not in other:
            place = named(node, "key_texts").entries[part].place
            raise SpecError(
                f"{place}: {as_found(other)} stands for {as_found(part)} — it has {KEY} where the key stands"
            )
    return tuple(parts.items())


def _keyword(node: Node, what: str, earlier: Mapping[str, Switch]) -> str:
    keyword = text(node, "keyword")
    if not keyword.isidentifier() or words_of_python.iskeyword(keyword):
        raise SpecError(f"{node.place}: keyword is {as_found(keyword)} — it is a keyword of the reference")
    other = next((name for name, one in earlier.items() if one.option.keyword == keyword), None)
    if other is not None:
        raise SpecError(
            f"{node.place}: {what} has the keyword {as_found(keyword)}, as {as_found(other)} has — each has its own"
        )
    return keyword


def _values(node: Node, what: str) -> tuple[OptionValue, ...]:
    values: list[OptionValue] = []
    for words, value in printable_names(node, "values").entries.items():
        if not isinstance(value, Text):
            raise SpecError(f"{value.place}: the value of {as_found(words)} is {kind_of(value)} — it is a text")
        given = _YES_NO.get(value.value, value.value)
        if any(one.value == given for one in values):
            raise SpecError(
                f"{value.place}: {what} has the value {as_found(value.value)} twice — each has its own words"
            )
        values.append(OptionValue(words, given))
    if len(values) < 2:
        raise SpecError(f"{node.place}: {what} has {len(values)} value{'s' * (not values)} — it has two or more")
    return tuple(values)


def options_of(
    switches: Mapping[str, Switch], has: Node | None, without: Node | None
) -> tuple[tuple[Option, ...], tuple[Rule, ...]]:
    """Returns the options of a stage, and the rules of the features that it has."""
    had, lacked = _names(has, "with", switches), _names(without, "without", switches)
    both = next((name for name in lacked if name in had), None)
    if both is not None and without is not None:
        raise SpecError(f"{without.place}: without names {as_found(both)} — with names it too")
    options = tuple(
        fixed(one.option, name in had, is_subject=name in had) if name in had or name in lacked else one.option
        for name, one in switches.items()
    )
    return options, tuple(rule for name in had for rule in switches[name].rules)


def _names(node: Node | None, what: str, switches: Mapping[str, Switch]) -> tuple[str, ...]:
    if node is None:
        return ()
    names = texts(node, what)
    for name in names:
        if name not in switches:
            allowed = f"it is one of the options: {listed(switches)}" if switches else "the assignment has no options"
            raise SpecError(f"{node.place}: {what} names {as_found(name)} — {allowed}{near(name, switches)}")
        if {one.value for one in switches[name].option.values} != {True, False}:
            raise SpecError(f"{node.place}: {what} names {as_found(name)} — its values would be yes and no then")
        if names.count(name) > 1:
            raise SpecError(f"{node.place}: {what} names {as_found(name)} twice — each is named once")
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
