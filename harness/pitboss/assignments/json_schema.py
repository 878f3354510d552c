"""Builds JSON Schemas for the values in an assignment's files: texts, numbers, keywords, mappings, rules.

The loader reads every scalar as its text in the file, but a schema sees the value to which YAML converts it: 12 is a
number, `true` a boolean, an empty value null. So the schema of a text accepts numbers and booleans too, and null if
the text may be empty. Patterns are ECMAScript regular expressions, as in JSON Schema, and mean the same in Python.

`title` describes a value, for editors and the documentation. `errorMessage` is what an editor shows for a wrong value.
"""

from __future__ import annotations

from collections.abc import Mapping

from pitboss.assignments.nodes import Keys

Schema = Mapping[str, object]
#: The folder in an assignment's folder with the schemas of the assignment's files, for editors.
FOLDER = ".schemas"

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


def of_kind(title: str, *kinds: str, **constraints: object) -> Schema:
    """Returns the schema of a value of one of these JSON types.

    Each constraint applies only to values of the type that it is for: a `pattern` only to strings.
    """
    kind: object = kinds[0] if len(kinds) == 1 else list(kinds)
    return {"type": kind, "title": title, "errorMessage": f"it must be a {title}", **constraints}


#: ANY_TEXT and ANY_LINE may be empty. LINE and ANY_LINE are text that can be displayed on one line.
TEXT: Schema = {"type": list(SCALAR), "minLength": 1}
ANY_TEXT: Schema = {"type": [*SCALAR, "null"]}
LINE = of_kind("text on one line", *SCALAR, minLength=1, pattern=ONE_LINE_PATTERN)
ANY_LINE = of_kind("text on one line", *SCALAR, "null", pattern=ONE_LINE_PATTERN)


def text_matching(title: str, pattern: str, *others: str, **constraints: object) -> Schema:
    """Returns the schema of a text that a pattern matches completely, or a value of one of the JSON types `others`."""
    return of_kind(title, "string", *others, pattern=f"^(?:{pattern})$", **constraints)


def list_of(item: Schema, **constraints: object) -> Schema:
    """Returns the schema of a list whose items have the schema `item`."""
    return {"type": "array", "items": item, **constraints}


TEXTS = list_of(ANY_TEXT)
YES_OR_NO: Schema = {"enum": ["yes", "no", True, False]}
YES: Schema = {"enum": ["yes", True]}
NO: Schema = {"enum": ["no", False]}


def one_of(*words: str) -> Schema:
    """Returns the schema of a value that is one of these strings."""
    return {"enum": list(words)}


def either(*schemas: Schema) -> Schema:
    """Returns the schema of a value that satisfies at least one of these schemas."""
    return {"anyOf": list(schemas)}


def whole(low: int, high: int) -> Schema:
    """Returns the schema of a whole number from `low` to `high`; the number may be in quotes."""
    title = f"whole number from {low:,} to {high:,}"
    return text_matching(title, whole_pattern(low, high), "integer", minimum=low, maximum=high)


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


#: The schema of names that can be displayed on one line.
NAMES_ON_ONE_LINE: Schema = {"pattern": ONE_LINE_PATTERN, "errorMessage": "a name is a text on one line"}


def by_name(value: Schema, names: Schema | None = None, **constraints: object) -> Schema:
    """Returns the schema of a mapping whose values have the schema `value`, and whose keys have the schema `names`.

    Without `names`, any keys are allowed.
    """
    named = {"propertyNames": names} if names else {}
    return {"type": "object", **named, "additionalProperties": value, **constraints}


def with_keys(keys: Keys, *rules: Schema) -> Schema:
    """Returns the schema of a mapping that may have only these keys, and must satisfy all of the rules."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, key in keys.items() if key.is_required],
        "properties": {name: {**key.schema, "description": key.meaning} for name, key in keys.items()},
        **({"allOf": list(rules)} if rules else {}),
    }


def exactly_one(what: str, *names: str) -> tuple[Schema, ...]:
    """Returns rules for a mapping: it must have exactly one of these keys. `what` names the mapping in messages."""
    message = f"{what} has exactly one of {', '.join(names)}"
    return (
        {"anyOf": [{**has(name), "errorMessage": message} for name in names]},
        *(if_then(has(name), lacks_keys(message, *names[index + 1 :])) for index, name in enumerate(names[:-1])),
    )


def lacks_keys(says: str, *names: str) -> Schema:
    """Returns a rule for a mapping: it must have none of these keys. `says` is what an editor shows otherwise."""
    return {"properties": dict.fromkeys(names, False), "errorMessage": says}


def has(name: str, value: Schema | None = None) -> Schema:
    """Returns a condition or rule for a mapping: it has a key, whose value has the schema `value` (by default any)."""
    return {"required": [name], **({} if value is None else {"properties": {name: value}})}


def if_then(condition: Schema, rule: Schema) -> Schema:
    """Returns a rule: a value that satisfies `condition` must satisfy `rule` too."""
    return {"if": condition, "then": rule}


def never(condition: Schema) -> Schema:
    """Returns the condition that a value does not satisfy `condition`."""
    return {"not": condition}


def schema_line(name: str) -> str:
    r"""Returns the first line of one of an assignment's files, which names the file's schema in FOLDER for editors.

    >>> schema_line("spec")
    '# yaml-language-server: $schema=.schemas/spec.schema.json\n'
    """
    return f"# yaml-language-server: $schema={FOLDER}/{name}.schema.json\n"


def schema_of(title: str, whole_file: Schema) -> Schema:
    """Returns the JSON Schema of a file, from the schema of its content."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **whole_file}
