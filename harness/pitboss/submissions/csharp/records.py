"""Rewrites records and `init`: a record becomes a class with the members that the compiler would generate."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource


class Parameter(NamedTuple):
    """A parameter of a record or of a primary constructor."""

    type: str
    name: str
    #: The source text of the parameter, with type and default value.
    declaration: str


class NotRewritten(ValueError):
    """Raised for a record that inherits from a record, or contains something else that cannot be rewritten."""


def records_as_classes(text: str) -> str:
    """The source with its records as classes or structs, and with the changes of `_without_newer_modifiers`.

    A record that cannot be rewritten is left as it is.
    """
    # Each round rewrites one record and splits the new text into tokens, until no record can be rewritten.
    while True:
        source = CSharpSource(text)
        for number in range(len(source)):
            if source.type_declaration_keyword_index(number) != number:
                continue
            try:
                is_rewritten = _rewrite_type(source, number)
            except NotRewritten:
                is_rewritten = False
            if is_rewritten:
                break
        else:
            break
        text = source.edited_text()
    return _without_newer_modifiers(text)


def _is_word(source: CSharpSource, number: int) -> bool:
    """Whether a token is a name or a keyword."""
    return source.is_name(number) or source.kind_at(number) is CSharpKind.KEYWORD


#: Tokens that may come before the accessor `init`.
_BEFORE_INIT = frozenset({";", "}", "{", "private", "protected", "internal"})
#: Tokens that may come before the modifier `required`.
_BEFORE_REQUIRED = frozenset({"public", "internal", "protected", "{", "}", ";"})


def _without_newer_modifiers(text: str) -> str:
    """The source with `init` as `set`, `file` as `internal`, and without the modifiers `required` and `readonly`.

    A correct program behaves the same. Only the `readonly` of types, methods and properties is removed.
    """
    source = CSharpSource(text)
    for number in range(len(source)):
        token, before, after = source.token_at(number), source.token_at(number - 1), source.token_at(number + 1)
        if token == "init" and after in (";", "{", "=>") and before in _BEFORE_INIT:
            source.replace(number, number + 1, "set")
        elif token == "required" and before in _BEFORE_REQUIRED and _is_word(source, number + 1):
            source.replace(number, number + 1, "")
        elif token == "file" and _is_type_modifier(source, number):
            source.replace(number, number + 1, "internal")
        elif token == "readonly" and (_is_type_modifier(source, number) or _is_readonly_member(source, number)):
            source.replace(number, number + 1, "")
    return source.edited_text()


def _is_type_modifier(source: CSharpSource, number: int) -> bool:
    """Whether this token is a modifier before the keyword of a type declaration."""
    return source.type_declaration_keyword_index(number) not in (None, number)


def _is_readonly_member(source: CSharpSource, number: int) -> bool:
    """Whether a `readonly` belongs to a method or property of a struct, not to a field."""
    end = source.type_end(number + 1)
    while end is None and source.token_at(number + 1) in ("override", "public", "static"):  # further modifiers
        number += 1
        end = source.type_end(number + 1)
    return end is not None and source.is_name(end) and source.token_at(end + 1) in ("(", "{", "=>")


def _rewrite_type(source: CSharpSource, number: int) -> bool:
    """Adds the edits that turn the record with this keyword into a class or struct; returns False for other types.

    Raises NotRewritten for a record that cannot be rewritten.
    """
    # A class or struct with a primary constructor, such as `class Point(int x)`, is not rewritten. Its parameters would
    # become fields that a constructor sets, but the initial values of members are computed before a constructor runs,
    # and may use the parameters.
    if source.token_at(number) != "record":
        return False
    is_struct = source.token_at(number + 1) == "struct"
    name_index = number + (2 if source.token_at(number + 1) in ("class", "struct") else 1)
    name_end = name_index + 1
    if source.token_at(name_end) == "<":
        name_end = source.arguments_end(name_end) or name_end
    has_parameters = source.token_at(name_end) == "("
    parameters = _parameters(source, name_end) if has_parameters else []
    parameters_end = source.closing[name_end] + 1 if has_parameters else name_end
    body_start = _body_start(source, parameters_end)
    if source.token_at(parameters_end) == ":":
        if any(source.token_at(index) == "(" for index in range(parameters_end, body_start)):
            raise NotRewritten  # the record passes values to its base class
        if not is_struct and _inherits_record(source, parameters_end):
            raise NotRewritten
    record_name, type_name = source.token_at(name_index), source.text_between(name_index, name_end)
    members = _record_members(source, record_name, type_name, parameters, body_start, is_struct)
    source.replace(number, name_index, "struct " if is_struct else "class ")
    if has_parameters:
        source.replace(name_end, parameters_end, "")
    if source.token_at(body_start) == ";":
        source.replace(body_start, body_start + 1, f"{{ {members} }}")
    else:
        source.insert_after(body_start, f" {members}")
    return True


def _body_start(source: CSharpSource, number: int) -> int:
    """The `{` that begins the body of the type, or the `;` of a type without a body; searched from this token."""
    while number < len(source) and source.token_at(number) not in ("{", ";"):
        number += 1
    return number


def _inherits_record(source: CSharpSource, colon: int) -> bool:
    """Whether the first base after this colon is a record, not an interface.

    By convention, the name of an interface begins with an I and a second capital letter.
    """
    base = source.token_at(colon + 1)
    return not (base[:1] == "I" and base[1:2].isupper())


def _parameters(source: CSharpSource, opening: int) -> list[Parameter]:
    """The parameters in these brackets; raises NotRewritten for a parameter with a modifier such as `ref`."""
    parameters, number, close = [], opening + 1, source.closing[opening]
    while number < close:
        while source.token_at(number) == "[":
            number = source.closing[number] + 1
        if source.token_at(number) in ("ref", "in", "out", "params", "this"):
            raise NotRewritten
        type_start, name_index = number, source.type_end(number)
        if name_index is None or not source.is_name(name_index):
            raise NotRewritten
        number = name_index
        while number < close and source.token_at(number) != ",":  # to the end of the parameter, past inner brackets
            number = source.closing.get(number, number) + 1
        parameters.append(
            Parameter(
                source.text_between(type_start, name_index),
                source.token_at(name_index),
                source.text_between(type_start, number),
            )
        )
        number += 1
    return parameters


_MODIFIERS = frozenset(
    """public private protected internal static override virtual readonly required sealed const new""".split()  # noqa: SIM905
)


def _declared_members(source: CSharpSource, body_start: int) -> tuple[set[str], list[str]]:
    """The names of the members in a record's body, and the names of its public properties and fields in order.

    Raises NotRewritten if the record declares an operator.
    """
    declared_names: set[str] = set()
    public_names: list[str] = []
    if source.token_at(body_start) != "{":
        return declared_names, public_names
    number, close = body_start + 1, source.closing[body_start]
    while number < close:
        start = number
        while source.token_at(number) in _MODIFIERS:
            number += 1
        modifiers = {source.token_at(index) for index in range(start, number)}
        name_index = source.type_end(number)
        if name_index is not None and source.is_name(name_index):
            declared_names.add(source.token_at(name_index))
            is_public = "public" in modifiers and not modifiers & {"static", "const"}
            if is_public and source.token_at(name_index + 1) in ("{", "=>", "=", ";"):
                public_names.append(source.token_at(name_index))
            number = name_index + 1
        elif name_index is not None and source.token_at(name_index) == "operator":
            raise NotRewritten
        while number < close and source.token_at(number) not in (";", "{"):
            number = source.closing[number] + 1 if number in source.closing else number + 1
        number = source.closing[number] + 1 if source.token_at(number) == "{" else number + 1
        if source.token_at(number) == "=":  # the initial value of a property, after its accessors
            while number < close and source.token_at(number) != ";":
                number = source.closing.get(number, number) + 1
            number += 1
    return declared_names, public_names


def _record_members(
    source: CSharpSource,
    record_name: str,
    type_name: str,
    parameters: list[Parameter],
    body_start: int,
    is_struct: bool,
) -> str:
    """The source text of the members that the compiler would generate; `type_name` includes type parameters."""
    declared_names, public_names = _declared_members(source, body_start)
    names = [parameter.name for parameter in parameters]
    members = []
    if parameters:
        parameter_list = ", ".join(parameter.declaration for parameter in parameters)
        assignments = " ".join(f"this.{name} = {name};" for name in names)
        # The constructor of a struct may use properties only once all fields have a value, as they have after `this()`.
        initializer = " : this()" if is_struct else ""
        members.append(f"public {record_name}({parameter_list}){initializer} {{ {assignments} }}")
        members += [
            f"public {parameter.type} {parameter.name} {{ get; set; }}"
            for parameter in parameters
            if parameter.name not in declared_names
        ]
        out_parameters = ", ".join(f"out {parameter.type} {parameter.name}" for parameter in parameters)
        copies = " ".join(f"{name} = this.{name};" for name in names)
        if "Deconstruct" not in declared_names:
            members.append(f"public void Deconstruct({out_parameters}) {{ {copies} }}")
    value_names = [*names, *(name for name in public_names if name not in names)]
    if "ToString" not in declared_names:
        # With the values A and B: "Point { A = " + A + ", B = " + B + " }"
        fields = ' + ", '.join(f'{name} = " + {name}' for name in value_names)
        text = f'"{record_name} {{ {fields} + " }}"' if value_names else f'"{record_name} {{ }}"'
        members.append(f"public override string ToString() {{ return {text}; }}")
    members += _equality_members(type_name, declared_names, value_names, is_struct)
    return " ".join(members)


def _equality_members(type_name: str, declared_names: set[str], value_names: list[str], is_struct: bool) -> list[str]:
    """The members that compare records by value, except those that the record declares."""
    comparisons = " && ".join(["true", *(f"object.Equals(this.{name}, other.{name})" for name in value_names)])
    type_check = "" if is_struct else "(object)other != null && GetType() == other.GetType() && "
    members = []
    if "Equals" not in declared_names:
        members.append(f"public bool Equals({type_name} other) {{ return {type_check}{comparisons}; }}")
        is_equal = f"other is {type_name} && Equals(({type_name})other)"
        members.append(f"public override bool Equals(object other) {{ return {is_equal}; }}")
    if "GetHashCode" not in declared_names:
        hash_steps = "".join(
            f"h = h * 31 + ((object){name} == null ? 0 : {name}.GetHashCode()); " for name in value_names
        )
        members.append(f"public override int GetHashCode() {{ unchecked {{ int h = 17; {hash_steps}return h; }} }}")
    operator_body = "a.Equals(b)" if is_struct else "(object)a == (object)b || ((object)a != null && a.Equals(b))"
    members.append(f"public static bool operator ==({type_name} a, {type_name} b) {{ return {operator_body}; }}")
    members.append(f"public static bool operator !=({type_name} a, {type_name} b) {{ return !(a == b); }}")
    return members
