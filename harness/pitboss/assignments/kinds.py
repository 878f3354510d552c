"""Kinds of values in an assignment's files, how each is read, and its JSON Schema; keys, and the rules between them.

The loader reads every scalar as its text in the file, but a schema sees the value to which YAML converts it: 12 is a
number, `true` a boolean, an empty value null. So the schema of a text accepts numbers and booleans too, and null if
the text may be empty. Patterns are ECMAScript regular expressions, as in JSON Schema, and mean the same in Python.

`title` describes a value, for editors, messages and the documentation. `errorMessage` is what an editor shows for a
wrong value. The parameter `what` names the value in the message of a SpecError: "limits", "an item of sources".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pitboss.assignments.nodes import (
    Keyed,
    Node,
    Text,
    any_text,
    check_pattern,
    choice,
    integer,
    items,
    kind_of,
    named_entries,
    printable_name,
    printable_names,
    printable_text,
    text,
)
from pitboss.errors import SpecError, as_found, did_you_mean
from pitboss.model.words import joined

Schema = Mapping[str, object]


class Kind(NamedTuple):
    """A kind of value."""

    schema: Schema
    #: Reads a node as such a value; raises SpecError for any other. By default the loader reads the node itself.
    read: Callable[[Node, str], Any] = lambda node, what: node


class Key(NamedTuple):
    """A key that a mapping in a YAML file may have."""

    kind: Kind
    #: A description of the key's value, for messages and the documentation.
    meaning: str
    is_required: bool = False
    #: The value if the mapping lacks the key.
    default: Any = None

    @property
    def description(self) -> str:
        """The meaning, with the default if it is a word or a number."""
        match self.default:
            case bool(value):
                return f"{self.meaning} (default: {'yes' if value else 'no'})"
            case None | () | "" | {}:
                return self.meaning
            case value:
                return f"{self.meaning} (default: {value})"


class KeyTable(dict[str, Key]):
    """The keys that a mapping may have, by name, and the rules between them."""

    def __init__(self, *rules: KeyRule, **keys: Key) -> None:
        super().__init__(keys)
        self.rules = rules


class Entries(dict[str, Node]):
    """The entries of a mapping that has only keys of a table, and satisfies the table's rules."""

    def __init__(self, nodes: Mapping[str, Node], keys: KeyTable) -> None:
        super().__init__(nodes)
        self._keys = keys

    def value(self, name: str, what: str = "") -> Any:
        """Return the value of a key, read as its kind; the key's default if the mapping lacks it."""
        key = self._keys[name]
        return key.kind.read(self[name], what or name) if name in self else key.default

    def present_values(self, *names: str) -> dict[str, Any]:
        """Return the values of these keys by name, or of all keys, without the keys that the mapping lacks."""
        return {name: self.value(name) for name in names or self if name in self}

    def values_of(self, *names: str) -> dict[str, Any]:
        """Return the values of these keys by name, with defaults for the keys that the mapping lacks."""
        return {name: self.value(name) for name in names}

    def with_defaults(self, nodes: Mapping[str, Node]) -> Entries:
        """Return these entries, and those of `nodes` whose keys this mapping lacks."""
        return Entries({**nodes, **self}, self._keys)


def mapping(node: Node, keys: KeyTable, what: str) -> Entries:
    """Returns the entries of a mapping.

    Raises SpecError if it has a key that is not in `keys`, lacks a required key, or breaks a rule.
    """
    if not isinstance(node, Keyed):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it must be a mapping with {', '.join(keys)}")
    for name, location in node.key_places.items():
        if name not in keys:
            raise SpecError(
                f"{location}: {what} has no key {as_found(name)} — allowed are {', '.join(keys)}"
                f"{did_you_mean(name, keys)}"
            )
    for name, key in keys.items():
        if key.is_required and name not in node.entries:
            raise SpecError(f"{node.place}: {what} lacks the key {as_found(name)}: {key.meaning}")
    for rule in keys.rules:
        rule.check(node, what)
    return Entries(node.entries, keys)


# Rules between the keys of a mapping


class KeyRule(NamedTuple):
    """A rule for a mapping."""

    schema: Schema
    #: Raises SpecError if a mapping breaks the rule. By default the loader checks the rule, with more than the mapping.
    check: Callable[[Keyed, str], None] = lambda node, what: None


class Condition(NamedTuple):
    """A condition for a mapping."""

    schema: Schema
    holds: Callable[[Mapping[str, Node]], bool]


def has(name: str, word: str = "") -> Condition:
    """Returns the condition that a mapping has this key; with `word`, that the key's value is this word."""
    value = {"properties": {name: {"const": word}}} if word else {}

    def holds(entries: Mapping[str, Node]) -> bool:
        node = entries.get(name)
        return node is not None and (not word or (isinstance(node, Text) and node.value == word))

    return Condition({"required": [name], **value}, holds)


def lacks(*names: str) -> Condition:
    """Returns the condition that a mapping has none of these keys."""
    alternatives = [{"required": [name]} for name in names]
    schema = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
    return Condition({"not": schema}, lambda entries: not any(name in entries for name in names))


def excludes(condition: Condition, *names: str, because: str) -> KeyRule:
    """Returns the rule that a mapping for which the condition holds has none of these keys."""

    def check(node: Keyed, what: str) -> None:
        for name in names if condition.holds(node.entries) else ():
            if name in node.entries:
                raise SpecError(f"{node.entries[name].place}: {what} has {name} — {because}")

    absent = {"properties": dict.fromkeys(names, False), "errorMessage": because}
    return KeyRule({"if": condition.schema, "then": absent}, check)


def exactly_one(*names: str, unless: str = "") -> KeyRule:
    """Returns the rule that a mapping has exactly one of these keys; one with the key `unless` may have any of them."""
    message = f"it must have exactly one of {', '.join(names)}"
    alternatives = [{"required": [name]} for name in names]
    pairs = [
        {
            "if": {"required": [name]},
            "then": {"properties": dict.fromkeys(names[index:], False), "errorMessage": message},
        }
        for index, name in enumerate(names[:-1], 1)
    ]
    schema = {"allOf": [{"anyOf": [{**alternative, "errorMessage": message} for alternative in alternatives]}, *pairs]}

    def check(node: Keyed, what: str) -> None:
        present = [name for name in names if name in node.entries]
        if len(present) != 1 and unless not in node.entries:
            problem = f"has {' and '.join(present)}" if present else f"has no {joined(names, 'or')}"
            raise SpecError(f"{node.place}: {what} {problem} — it must have exactly one of them")

    return KeyRule({"if": {"required": [unless]}, "else": schema} if unless else schema, check)


def at_least_one(*names: str, because: str) -> KeyRule:
    """Returns the rule that a mapping has at least one of these keys."""

    def check(node: Keyed, what: str) -> None:
        if not any(name in node.entries for name in names):
            raise SpecError(f"{node.place}: {what} has no {joined(names, 'or')} — {because}")

    return KeyRule({"anyOf": [{"required": [name], "errorMessage": because} for name in names]}, check)


# Kinds

#: The JSON types of a value that the loader reads as text.
SCALAR = ("string", "number", "boolean")
#: Characters that a displayed line must not have: control characters, line ends, marks of writing direction.
_UNPRINTABLE = r"\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069"
#: The pattern of a text that can be displayed on one line.
ONE_LINE_PATTERN = rf"^[^{_UNPRINTABLE}]*$"
#: The blanks as listed characters, because Python and ECMAScript define `\s` differently.
_BLANK = r"\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
#: A lookahead to put before another pattern: the text must have a character that is not blank.
NOT_BLANK = rf"(?=[\s\S]*[^{_BLANK}])"


def of_kind(title: str, *types: str, read: Callable[[Node, str], Any] = text, **constraints: object) -> Kind:
    """Returns the kind of a value of one of these JSON types, which `read` reads.

    Each constraint of the schema applies only to values of the type that it is for: a `pattern` only to strings.
    """
    json_type: object = types[0] if len(types) == 1 else list(types)
    return Kind({"type": json_type, "title": title, "errorMessage": f"it must be a {title}", **constraints}, read)


def _any_line(node: Node, what: str) -> str:
    return printable_name(node.place, any_text(node, what), what)


def _pattern(node: Node, what: str) -> str:
    return check_pattern(any_text(node, what), node.place, what)


def _line_pattern(node: Node, what: str) -> str:
    pattern = _pattern(node, what)
    if re.search(pattern, ""):
        raise SpecError(
            f"{node.place}: {what} is {as_found(pattern)} — it matches an empty line, and so every line; write how "
            "those lines begin"
        )
    return pattern


def _nonblank_line(node: Node, what: str) -> str:
    line = printable_text(node, what)
    if not line.strip():
        raise SpecError(f"{node.place}: {what} is {as_found(line)} — it must be text")
    return line


#: ANY_TEXT and ANY_LINE may be empty. LINE, ANY_LINE and SENTENCE are text that can be displayed on one line; a
#: SENTENCE is not blank.
TEXT = Kind({"type": list(SCALAR), "minLength": 1}, text)
ANY_TEXT = Kind({"type": [*SCALAR, "null"]}, any_text)
LINE = of_kind("text on one line", *SCALAR, minLength=1, pattern=ONE_LINE_PATTERN, read=printable_text)
ANY_LINE = of_kind("text on one line", *SCALAR, "null", pattern=ONE_LINE_PATTERN, read=_any_line)
SENTENCE = of_kind("text on one line", *SCALAR, pattern=rf"^{NOT_BLANK}{ONE_LINE_PATTERN[1:]}", read=_nonblank_line)


def matching(
    title: str, pattern: str, *others: str, convert: Callable[[str], Any] = str, **constraints: object
) -> Kind:
    """Returns the kind of a text that a pattern matches completely; `convert` makes its value.

    YAML may also convert the text to one of the JSON types `others`.
    """

    def read(node: Node, what: str) -> Any:
        value = text(node, what)
        if not re.fullmatch(pattern, value):
            raise SpecError(f"{node.place}: {what} is {as_found(value)} — it must be a {title}")
        return convert(value)

    return of_kind(title, "string", *others, pattern=f"^(?:{pattern})$", read=read, **constraints)


def list_of(item: Kind, at_least: int = 0, at_most: int | None = None) -> Kind:
    """Returns the kind of a list of such items, read as a tuple."""

    def read(node: Node, what: str) -> tuple[Any, ...]:
        values = tuple(item.read(item_node, f"an item of {what}") for item_node in items(node, what, at_least))
        if at_most is not None and len(values) > at_most:
            raise SpecError(f"{node.place}: {what} has {len(values)} items — it has at most {at_most}")
        return values

    lengths = {"minItems": at_least or None, "maxItems": at_most}
    lengths = {name: length for name, length in lengths.items() if length is not None}
    return Kind({"type": "array", "items": item.schema, **lengths}, read)


TEXTS = list_of(ANY_TEXT)
#: A regular expression, and a list of those for lines.
PATTERN = ANY_TEXT._replace(read=_pattern)
PATTERNS = list_of(TEXT._replace(read=_line_pattern))
_YES_NO = {"yes": True, "no": False, "true": True, "false": False}
YES_OR_NO = Kind({"enum": ["yes", "no", True, False]}, lambda node, what: choice(node, what, _YES_NO))
YES: Schema = {"enum": ["yes", True]}
NO: Schema = {"enum": ["no", False]}


def one_of(*words: str) -> Kind:
    """Returns the kind of a value that is one of these strings."""
    return Kind({"enum": list(words)}, lambda node, what: choice(node, what, {word: word for word in words}))


def either(*kinds: Kind) -> Kind:
    """Returns the kind of a value that has at least one of these kinds; the loader reads it."""
    return Kind({"anyOf": [kind.schema for kind in kinds]})


def whole(low: int, high: int) -> Kind:
    """Returns the kind of a whole number from `low` to `high`; the number may be in quotes."""
    kind = matching(
        f"whole number from {low:,} to {high:,}", whole_pattern(low, high), "integer", minimum=low, maximum=high
    )
    return kind._replace(read=lambda node, what: integer(node, what, low, high))


def whole_pattern(low: int, high: int) -> str:
    """Returns a pattern for the whole numbers from `low` (at most 1) to `high`, with any leading zeros.

    >>> import re
    >>> [bool(re.fullmatch(whole_pattern(-2, 255), text)) for text in ("-2", "007", "255", "-3", "256", "2.0", "")]
    [True, True, True, False, False, False, False]
    """
    zero = "" if low > 0 else "-?0+|"
    negative = f"|-0*(?:{_positive_pattern(-low)})" if low < 0 else ""
    return f"{zero}0*(?:{_positive_pattern(high)}){negative}"


def _positive_pattern(high: int) -> str:
    """Returns a pattern for the whole numbers from 1 to `high` (at least 1)."""
    digits = str(high)
    # First the numbers with fewer digits. Then for each digit of `high` the numbers that have the same digits before it
    # and a smaller digit in its place. Finally `high` itself.
    alternatives = [f"[1-9][0-9]{{0,{len(digits) - 2}}}"] if len(digits) > 1 else []
    for index, digit in enumerate(digits):
        lowest_digit = 1 if index == 0 else 0
        if int(digit) > lowest_digit:
            remaining_digits = len(digits) - index - 1
            alternatives.append(
                f"{digits[:index]}[{lowest_digit}-{int(digit) - 1}]"
                + (f"[0-9]{{{remaining_digits}}}" if remaining_digits else "")
            )
    return "|".join([*alternatives, digits])


#: What the names of a mapping must be.
NAMES_ON_ONE_LINE: Schema = {"pattern": ONE_LINE_PATTERN, "errorMessage": "a name is a text on one line"}


def by_name(value: Kind, names: Schema | None = None, **constraints: object) -> Kind:
    """Returns the kind of a mapping with values of one kind, read as a dict; its keys have the schema `names`.

    Without `names`, any keys are allowed.
    """
    named = {"propertyNames": names} if names else {}

    def read(node: Node, what: str) -> dict[str, Any]:
        keyed = printable_names(node, what) if names else named_entries(node, what)
        return {name: value.read(entry, f"{what} of {name}") for name, entry in keyed.entries.items()}

    return Kind({"type": "object", **named, "additionalProperties": value.schema, **constraints}, read)


def with_keys(keys: KeyTable) -> Kind:
    """Returns the kind of a mapping that may have only these keys and satisfies their rules, read as Entries."""
    rules = [rule.schema for rule in keys.rules]
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, key in keys.items() if key.is_required],
        "properties": {name: {**key.kind.schema, "description": key.description} for name, key in keys.items()},
        **({"allOf": rules} if rules else {}),
    }
    return Kind(schema, lambda node, what: mapping(node, keys, what))
