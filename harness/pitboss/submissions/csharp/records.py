"""Rewrites records and `init`: a record becomes a class with the members that the compiler would generate."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource


class Parameter(NamedTuple):
    """A parameter of a record or of a primary constructor."""

    type: str
    name: str
    #: Its text in the list, with type and default value.
    declaration: str


class NotRewritten(ValueError):
    """A record inherits, or contains something else that cannot be rewritten."""


def with_classes(text: str) -> str:
    """The source with its records as classes, and without `init` and `required`."""
    while True:
        source = CSharpSource(text)
        for number in range(len(source)):
            if source.type_declaration(number) != number:
                continue
            try:
                is_rewritten = _rewrite_type(source, number)
            except NotRewritten:
                is_rewritten = False
            if is_rewritten:
                break
        else:
            break
        text = source.edited()
    return _without_init(text)


def _is_word(source: CSharpSource, number: int) -> bool:
    return source.is_name(number) or source.kind(number) is CSharpKind.KEYWORD


_BEFORE_INIT = frozenset({";", "}", "{", "private", "protected", "internal"})
_BEFORE_REQUIRED = frozenset({"public", "internal", "protected", "{", "}", ";"})


def _without_init(text: str) -> str:
    """The source with `init` as `set`, and without `required` and `readonly`: a correct program behaves the same."""
    source = CSharpSource(text)
    for number in range(len(source)):
        text, before, after = source.token_at(number), source.token_at(number - 1), source.token_at(number + 1)
        if text == "init" and after in (";", "{", "=>") and before in _BEFORE_INIT:
            source.replace(number, number + 1, "set")
        elif text == "required" and before in _BEFORE_REQUIRED and _is_word(source, number + 1):
            source.replace(number, number + 1, "")
        elif text == "file" and source.type_declaration(number) not in (None, number):
            source.replace(number, number + 1, "internal")
        elif (text == "readonly" and source.type_declaration(number) not in (None, number)) or (
            text == "readonly" and _is_readonly_member(source, number)
        ):
            source.replace(number, number + 1, "")
    return source.edited()


def _is_readonly_member(source: CSharpSource, number: int) -> bool:
    end = source.type_end(number + 1)
    while end is None and source.token_at(number + 1) in ("override", "public", "static"):
        number += 1
        end = source.type_end(number + 1)
    return end is not None and source.is_name(end) and source.token_at(end + 1) in ("(", "{", "=>")


def _rewrite_type(source: CSharpSource, number: int) -> bool:
    is_record = source.token_at(number) == "record"
    name = number + (2 if source.token_at(number + 1) in ("class", "struct") else 1)
    is_struct = source.token_at(number) == "struct" or (is_record and source.token_at(number + 1) == "struct")
    after = name + 1
    if source.token_at(after) == "<":
        after = source.arguments_end(after) or after
    has_list = source.token_at(after) == "("
    if not is_record and not (has_list and source.token_at(number) in ("class", "struct")):
        return False
    parameters = _parameters(source, after) if has_list else []
    rest = source.closing[after] + 1 if has_list else after
    if source.token_at(rest) == ":" and any(
        source.token_at(index) == "(" for index in range(rest, _body(source, rest))
    ):
        raise NotRewritten  # it passes values to its base class
    if is_record and not is_struct and source.token_at(rest) == ":" and _inherits_record(source, rest):
        raise NotRewritten
    kind = source.between(name, after)
    body = _body(source, rest)
    if is_record:
        members = _record_members(source, source.token_at(name), kind, parameters, body, is_struct)
    else:
        members = _primary(source.token_at(name), parameters)
    if is_record:
        source.replace(number, name, "struct " if is_struct else "class ")
    if has_list:
        source.replace(after, source.closing[after] + 1, "")
    if source.token_at(body) == ";":
        source.replace(body, body + 1, f"{{ {members} }}")
    else:
        source.insert_after(body, f" {members}")
    return True


def _body(source: CSharpSource, number: int) -> int:
    """The `{` that begins the body of a type, or the `;` of a type without a body."""
    while number < len(source) and source.token_at(number) not in ("{", ";"):
        number += 1
    return number


def _inherits_record(source: CSharpSource, colon: int) -> bool:
    """Whether the base is a record, not an interface: names of interfaces begin with an I and a capital letter."""
    base = source.token_at(colon + 1)
    return not (base[:1] == "I" and base[1:2].isupper())


def _parameters(source: CSharpSource, opening: int) -> list[Parameter]:
    parameters, number, close = [], opening + 1, source.closing[opening]
    while number < close:
        while source.token_at(number) == "[":
            number = source.closing[number] + 1
        if source.token_at(number) in ("ref", "in", "out", "params", "this"):
            raise NotRewritten
        start, end = number, source.type_end(number)
        if end is None or not source.is_name(end):
            raise NotRewritten
        number = end
        while number < close and source.token_at(number) != ",":
            number = source.closing.get(number, number) + 1
        parameters.append(Parameter(source.between(start, end), source.token_at(end), source.between(start, number)))
        number += 1
    return parameters


def _primary(name: str, parameters: list[Parameter]) -> str:
    """A primary constructor of a class is not rewritten; always raises NotRewritten.

    Its parameters would become fields, but initial values of members, which may use them, are computed before a
    constructor runs.
    """
    raise NotRewritten


_MODIFIERS = frozenset(
    """public private protected internal static override virtual readonly required sealed const new""".split()  # noqa: SIM905
)


def _own_members(source: CSharpSource, body: int) -> tuple[set[str], list[str]]:
    """The names of the members in a record's body, and the names of its public properties and fields in order."""
    declared: set[str] = set()
    public: list[str] = []
    if source.token_at(body) != "{":
        return declared, public
    number, close = body + 1, source.closing[body]
    while number < close:
        start = number
        while source.token_at(number) in _MODIFIERS:
            number += 1
        modifiers = {source.token_at(index) for index in range(start, number)}
        end = source.type_end(number)
        if end is not None and source.is_name(end):
            declared.add(source.token_at(end))
            is_public = "public" in modifiers and not modifiers & {"static", "const"}
            if is_public and source.token_at(end + 1) in ("{", "=>", "=", ";"):
                public.append(source.token_at(end))
            number = end + 1
        elif end is not None and source.token_at(end) == "operator":
            raise NotRewritten
        while number < close and source.token_at(number) not in (";", "{"):
            number = source.closing[number] + 1 if number in source.closing else number + 1
        number = source.closing[number] + 1 if source.token_at(number) == "{" else number + 1
        if source.token_at(number) == "=":
            while number < close and source.token_at(number) != ";":
                number = source.closing.get(number, number) + 1
            number += 1
    return declared, public


def _record_members(
    source: CSharpSource, name: str, kind: str, parameters: list[Parameter], body: int, is_struct: bool
) -> str:
    declared, public = _own_members(source, body)
    names = [parameter.name for parameter in parameters]
    members = []
    if parameters:
        listed = ", ".join(parameter.declaration for parameter in parameters)
        assignments = " ".join(f"this.{name} = {name};" for name in names)
        chained = " : this()" if is_struct else ""
        members.append(f"public {name}({listed}){chained} {{ {assignments} }}")
        members += [
            f"public {parameter.type} {parameter.name} {{ get; set; }}"
            for parameter in parameters
            if parameter.name not in declared
        ]
        outs = ", ".join(f"out {parameter.type} {parameter.name}" for parameter in parameters)
        copies = " ".join(f"{name} = this.{name};" for name in names)
        if "Deconstruct" not in declared:
            members.append(f"public void Deconstruct({outs}) {{ {copies} }}")
    values = [*names, *(name for name in public if name not in names)]
    if "ToString" not in declared:
        fields = ' + ", '.join(f'{value} = " + {value}' for value in values)
        text = f'"{name} {{ {fields} + " }}"' if values else f'"{name} {{ }}"'
        members.append(f"public override string ToString() {{ return {text}; }}")
    members += _equality(kind, declared, values, is_struct)
    return " ".join(members)


def _equality(kind: str, declared: set[str], values: list[str], is_struct: bool) -> list[str]:
    comparison = " && ".join(["true", *(f"object.Equals(this.{value}, other.{value})" for value in values)])
    guard = "" if is_struct else "(object)other != null && GetType() == other.GetType() && "
    members = []
    if "Equals" not in declared:
        members.append(f"public bool Equals({kind} other) {{ return {guard}{comparison}; }}")
        members.append(
            f"public override bool Equals(object other) {{ return other is {kind} && Equals(({kind})other); }}"
        )
    if "GetHashCode" not in declared:
        hashed = "".join(f"h = h * 31 + ((object){value} == null ? 0 : {value}.GetHashCode()); " for value in values)
        members.append(f"public override int GetHashCode() {{ unchecked {{ int h = 17; {hashed}return h; }} }}")
    equal = "a.Equals(b)" if is_struct else "(object)a == (object)b || ((object)a != null && a.Equals(b))"
    members.append(f"public static bool operator ==({kind} a, {kind} b) {{ return {equal}; }}")
    members.append(f"public static bool operator !=({kind} a, {kind} b) {{ return !(a == b); }}")
    return members
