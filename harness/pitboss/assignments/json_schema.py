"""What the values of an assignment's files look like, as parts of JSON Schemas: texts, numbers, words, mappings, rules.

The loader takes every scalar as the text that stands in the file; a schema sees what YAML makes of it: 12 is a number,
`true` a boolean, nothing at all is null. So a text is any of these here. Patterns are for ECMAScript's regular
expressions, as JSON Schema has them, and mean the same in Python's.

`title` says what a value is, for the editor and the documents; `errorMessage` is what an editor says where it is not.
"""

from __future__ import annotations

from collections.abc import Mapping

from pitboss.assignments.nodes import Keys

Schema = Mapping[str, object]
#: The folder of an assignment that has the schemas of its files, for editors.
FOLDER = ".schemas"

SCALAR = ("string", "number", "boolean")
#: What no line that people read may have: control characters, line ends, and marks that turn the direction of writing.
_UNSHOWN = r"\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069"
SHOWN = rf"^[^{_UNSHOWN}]*$"
#: Something in a text that is no blank, where a pattern stands after it. Python's blanks are others than ECMAScript's.
_BLANK = r"\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
NOT_BLANK = rf"(?=[\s\S]*[^{_BLANK}])"


def of_kind(title: str, *kinds: str, **constraints: object) -> Schema:
    """A value of one of these JSON types, within constraints that each concern one type alone."""
    kind: object = kinds[0] if len(kinds) == 1 else list(kinds)
    return {"type": kind, "title": title, "errorMessage": f"it is a {title}", **constraints}


#: A text that is not empty; one that may be; the same on one line, since people are shown it there.
TEXT: Schema = {"type": list(SCALAR), "minLength": 1}
ANY_TEXT: Schema = {"type": [*SCALAR, "null"]}
LINE = of_kind("text on one line", *SCALAR, minLength=1, pattern=SHOWN)
ANY_LINE = of_kind("text on one line", *SCALAR, "null", pattern=SHOWN)


def matching(title: str, pattern: str, *others: str, **constraints: object) -> Schema:
    """A text that a pattern matches as a whole, or a value of another JSON type."""
    return of_kind(title, "string", *others, pattern=f"^(?:{pattern})$", **constraints)


def list_of(item: Schema, **constraints: object) -> Schema:
    """A list of such values."""
    return {"type": "array", "items": item, **constraints}


TEXTS = list_of(ANY_TEXT)
YES_OR_NO: Schema = {"enum": ["yes", "no", True, False]}
YES: Schema = {"enum": ["yes", True]}
NO: Schema = {"enum": ["no", False]}


def one_of(*words: str) -> Schema:
    """One of these words."""
    return {"enum": list(words)}


def either(*schemas: Schema) -> Schema:
    """A value of one of these forms."""
    return {"anyOf": list(schemas)}


def whole(low: int, high: int) -> Schema:
    """A whole number in these bounds, which may be in quotes."""
    title = f"whole number from {low:,} to {high:,}"
    return matching(title, whole_pattern(low, high), "integer", minimum=low, maximum=high)


def whole_pattern(low: int, high: int) -> str:
    """A pattern for the whole numbers from `low`, which is 1 at most, to `high`, with any zeros in front.

    >>> import re
    >>> [bool(re.fullmatch(whole_pattern(-2, 255), one)) for one in ("-2", "007", "255", "-3", "256", "2.0", "")]
    [True, True, True, False, False, False, False]
    """
    zero = "" if low > 0 else "-?0+|"
    below = f"|-0*(?:{_up_to(-low)})" if low < 0 else ""
    return f"{zero}0*(?:{_up_to(high)}){below}"


def _up_to(high: int) -> str:
    """A pattern for the whole numbers from 1 to `high`, which is 1 at least."""
    digits = str(high)
    shorter = [f"[1-9][0-9]{{0,{len(digits) - 2}}}"] if len(digits) > 1 else []
    for index, digit in enumerate(digits):
        least = 1 if index == 0 else 0
        if int(digit) > least:
            rest = len(digits) - index - 1
            shorter.append(f"{digits[:index]}[{least}-{int(digit) - 1}]" + (f"[0-9]{{{rest}}}" if rest else ""))
    return "|".join([*shorter, digits])


#: Names that people are shown.
SHOWN_NAMES: Schema = {"pattern": SHOWN, "errorMessage": "a name is a text on one line"}


def by_name(value: Schema, names: Schema | None = None, **constraints: object) -> Schema:
    """A mapping from such names, or any, to such values."""
    named = {"propertyNames": names} if names else {}
    return {"type": "object", **named, "additionalProperties": value, **constraints}


def with_keys(keys: Keys, *rules: Schema) -> Schema:
    """A mapping that may have these keys alone, for which all of the rules hold."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, key in keys.items() if key.is_required],
        "properties": {
            **{name: {**key.schema, "description": key.meaning} for name, key in keys.items()},
            **{key.was: {**key.schema, "deprecated": True} for key in keys.values() if key.was},
        },
        **({"allOf": list(rules)} if rules else {}),
    }


def exactly_one(what: str, *names: str) -> tuple[Schema, ...]:
    """Rules for a mapping, called so in messages, that has one of these keys."""
    says = f"{what} has exactly one of {', '.join(names)}"
    return (
        {"anyOf": [{**has(name), "errorMessage": says} for name in names]},
        *(if_then(has(name), without(says, *names[index + 1 :])) for index, name in enumerate(names[:-1])),
    )


def without(says: str, *names: str) -> Schema:
    """The rule that a mapping has none of these keys, and what an editor says of one."""
    return {"properties": dict.fromkeys(names, False), "errorMessage": says}


def has(name: str, value: Schema | None = None) -> Schema:
    """The condition or rule that a mapping has a key, or one with such a value."""
    return {"required": [name], **({} if value is None else {"properties": {name: value}})}


def if_then(condition: Schema, rule: Schema) -> Schema:
    """The rule that another one holds on a condition."""
    return {"if": condition, "then": rule}


def never(condition: Schema) -> Schema:
    """The condition that another one does not hold."""
    return {"not": condition}


def schema_line(name: str) -> str:
    r"""The first line of a file of an assignment, which tells editors its schema: it stands beside it, in FOLDER.

    >>> schema_line("spec")
    '# yaml-language-server: $schema=.schemas/spec.schema.json\n'
    """
    return f"# yaml-language-server: $schema={FOLDER}/{name}.schema.json\n"


def schema_of(title: str, whole_file: Schema) -> Schema:
    """The JSON Schema of a file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **whole_file}
