"""Rewrites the top-level statements of C# 9 as the body of `Main` in a class `Program`.

Local functions among them become methods of that class, and the variables that they use become static fields. Since
`Main` runs only once, a static field behaves like a local variable.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource

#: The prefix of the placeholder that is written for an unknown type, until a compiler message reveals the type.
PLACEHOLDER_PREFIX = "__Unknown_"
#: The type of a number literal, by its suffix in lower case.
_TYPES_BY_SUFFIX = {"m": "decimal", "f": "float", "d": "double", "u": "uint", "l": "long", "ul": "ulong", "lu": "ulong"}


def with_main(text: str) -> str:
    """The source with its top-level statements in a `Main`.

    A source without top-level statements gets a plain Main that calls its async Main, if it has an async Main.
    """
    source = CSharpSource(text)
    first, end = _statement_range(source)
    if first == end:
        return _with_plain_main(source)
    _TopLevelProgram(source, first, end).add_edits()
    return source.edited_text()


def directives_end(source: CSharpSource) -> int:
    """The token after the using directives and assembly attributes at the beginning of a source."""
    number = 0
    while number < len(source):
        if source.token_at(number) == "global" and source.token_at(number + 1) == "using":
            number += 1
        elif source.token_at(number) == "using" and _is_directive(source, number):
            while source.token_at(number) not in (";", ""):
                number += 1
            number += 1
        elif source.token_at(number) == "[" and source.token_at(number + 1) in ("assembly", "module"):
            number = source.closing[number] + 1
        else:
            break
    return number


def _is_directive(source: CSharpSource, number: int) -> bool:
    """Whether this `using` begins a directive, not a statement."""
    if source.token_at(number + 1) in ("static", "unsafe"):
        return True
    if source.token_at(number + 2) == "=" and source.is_name(number + 1):
        return True
    end = source.type_end(number + 1)
    return end is not None and source.token_at(end) == ";"


def _statement_range(source: CSharpSource) -> tuple[int, int]:
    """The first token of the top-level statements, and the token after them; equal if there are no statements."""
    number = directives_end(source)
    while number < len(source):
        keyword = source.type_declaration_keyword_index(number)
        if keyword is not None:
            number = source.type_declaration_end(keyword)
        elif source.token_at(number) == "namespace":
            while number < len(source) and source.token_at(number) not in ("{", ";"):
                number += 1
            number = source.closing.get(number, number) + 1
        else:
            break
    first = number
    while (
        number < len(source)
        and source.type_declaration_keyword_index(number) is None
        and source.token_at(number) != "namespace"
    ):
        number = max(source.statement_end(number), number + 1)
    return first, number


def _with_plain_main(source: CSharpSource) -> str:
    """The source with a plain Main that calls its async Main; the compiler of C# 7.1 generates such a Main itself."""
    for number in range(len(source)):
        if (
            source.token_at(number) != "Main"
            or source.token_at(number + 1) != "("
            or source.token_at(number - 1) not in ("Task", ">")
        ):
            continue
        previous_end = number - 1
        while previous_end >= 0 and source.token_at(previous_end) not in (";", "{", "}"):
            previous_end -= 1
        modifiers = [source.token_at(index) for index in range(previous_end + 1, number)]
        if "async" not in modifiers or "static" not in modifiers:
            continue
        is_int = source.token_at(number - 1) == ">"
        takes_args = source.closing[number + 1] > number + 2
        return_keyword = "return " if is_int else ""
        call = f"{return_keyword}__Main({'args' if takes_args else ''}).GetAwaiter().GetResult();"
        plain_main = f"static {'int' if is_int else 'void'} Main({'string[] args' if takes_args else ''}) {{ {call} }} "
        source.insert(previous_end + 1, plain_main)
        source.replace(number, number + 1, "__Main")
        return source.edited_text()
    return source.text


class _Declarator(NamedTuple):
    """A declared variable, as indexes of tokens."""

    name: int
    #: The first token of the variable's initial value; equal to `value_end` if the variable has no value.
    value: int
    #: The token after the value.
    value_end: int


class _TopLevelProgram:
    """The top-level statements of a source, and the class `Program` that they become.

    `first` is the first token of the statements, `end` the token after them.
    """

    def __init__(self, source: CSharpSource, first: int, end: int) -> None:
        self._source, self._first, self._end = source, first, end
        self._statements = source.statements(first, end)
        functions = {start: source.local_function(start) for start, _ in self._statements}
        #: The local functions among the statements, by their first token.
        self._functions = {start: function for start, function in functions.items() if function}
        #: The declarations of the static fields.
        self._fields: list[str] = []

    def add_edits(self) -> None:
        """Adds the edits that turn the statements into a class."""
        source, captured = self._source, self._captured_names()
        for start, end in self._statements:
            if start not in self._functions:
                self._move_to_fields(start, end, captured)
        body = [index for start, end in self._statements if start not in self._functions for index in range(start, end)]
        returns_value = any(
            source.token_at(index) == "return" and source.token_at(index + 1) != ";"
            for index in self._outside_lambdas(body)
        )
        has_await = any(source.token_at(index) == "await" for index in self._outside_lambdas(body))
        parameter_name = "args"
        if "args" in captured:  # local functions use `args`, so `args` becomes a field
            self._fields.append("static string[] args;")
            parameter_name = "__args"
        source.insert(self._first, self._class_start(returns_value, has_await, parameter_name))
        after_line = source.line_at(self._end)
        tail = f"\n}}\n{self._functions_as_methods()}\n}}\n#line {after_line}\n"
        source.insert(self._end, tail)

    def _class_start(self, returns_value: bool, has_await: bool, parameter_name: str) -> str:
        """The text before the statements: the class, its fields, and the start of the method with the statements."""
        return_type = "int" if returns_value else "void"
        main = f"static {return_type} Main(string[] {parameter_name}) {{"
        if parameter_name == "__args":  # `args` is a field
            main += " Program.args = __args;"
        if has_await:
            task = "System.Threading.Tasks.Task" + ("<int>" if returns_value else "")
            call = f"{'return ' if returns_value else ''}__Main({parameter_name}).GetAwaiter().GetResult();"
            main = f"{main} {call} }} static async {task} __Main(string[] {parameter_name}) {{"
        return f"partial class Program {{ {' '.join(self._fields)} {main}\n#line {self._source.line_at(self._first)}\n"

    def _functions_as_methods(self) -> str:
        """The local functions as methods, with `#line` directives for their original lines.

        Also adds the edits that remove the functions from the statements.
        """
        source, parts = self._source, []
        for function in self._functions.values():
            function_text = source.text_between(function.start, function.end)
            modifiers = [source.token_at(index) for index in range(function.start, function.name)]
            static_modifier = "" if "static" in modifiers else "static "
            parts.append(f"#line {source.line_at(function.start)}\n{static_modifier}{function_text}\n")
            source.replace(function.start, function.end, ";")
        return "".join(parts)

    def _captured_names(self) -> set[str]:
        """All names that occur in the local functions, also the names declared there; without members after a dot."""
        source = self._source
        return {
            source.token_at(number)
            for function in self._functions.values()
            for number in range(function.opening, function.end)
            if source.is_name(number) and source.token_at(number - 1) not in (".", "?.")
        }

    def _outside_lambdas(self, numbers: list[int]) -> list[int]:
        """The tokens among `numbers` that are outside the block bodies of lambdas and anonymous methods.

        Also left out is the `await` of an async lambda without a block, such as `async x => await f(x)`.
        """
        source, skipped_to, outside = self._source, -1, []
        for number in numbers:
            if number < skipped_to:
                continue
            is_lambda = source.token_at(number) == "=>" or source.token_at(number) == "delegate"
            opening = number + 1
            if source.token_at(number) == "delegate" and source.token_at(opening) == "(":
                opening = source.closing[opening] + 1
            if is_lambda and source.token_at(opening) == "{":
                skipped_to = source.closing[opening]
            elif source.token_at(number) == "=>" and self._token_before_parameters(number) == "async":
                skipped_to = number + 2
            outside.append(number)
        return outside

    def _token_before_parameters(self, number: int) -> str:
        """The token before the parameters of the lambda with this `=>`."""
        start = self._source.opening.get(number - 1, number - 1)
        return self._source.token_at(start - 1)

    def _move_to_fields(self, start: int, end: int, captured: set[str]) -> None:
        """Turns all variables that a statement declares into fields, if a local function uses at least one of them.

        But of the variables declared in calls, as in `TryParse(text, out int n)`, only those become fields that a local
        function uses.
        """
        source = self._source
        number = start + 1 if source.token_at(start) == "const" else start
        type_end = source.type_end(number)
        if type_end is not None and source.is_name(type_end) and source.token_at(type_end + 1) in ("=", ";", ","):
            declarators = self._declarators(type_end, end)
            if captured & {source.token_at(name) for name, _, _ in declarators}:
                self._move_declaration(start, number, type_end, declarators, end)
                return
        if self._move_tuple_to_fields(start, captured):
            return
        for index in range(start, end - 2):
            if source.token_at(index) != "out":
                continue
            name = source.type_end(index + 1)
            if name is not None and source.is_name(name) and source.token_at(name) in captured:
                declared_type = source.text_between(index + 1, name)
                self._fields.append(
                    f"static {self._field_type(declared_type, source.token_at(name))} {source.token_at(name)};"
                )
                source.replace(index + 1, name, "")

    def _move_tuple_to_fields(self, start: int, captured: set[str]) -> bool:
        """Turns the variables of `var (a, b) = …` or `(int a, int b) = …` into fields, if a local function uses any.

        Returns whether the variables were turned into fields.
        """
        source = self._source
        is_var = source.token_at(start) == "var"
        opening = start + 1 if is_var else start
        if source.token_at(opening) != "(" or source.token_at(source.closing[opening] + 1) != "=":
            return False
        closing, number, variables = source.closing[opening], opening + 1, []
        while number < closing:
            name = number if is_var else source.type_end(number)
            if name is None or not source.is_name(name) or source.token_at(name + 1) not in (",", ")"):
                return False
            variables.append((number, name))  # where the type begins (with `var`, the name itself), and the name
            number = name + 2
        if not captured & {source.token_at(name) for _, name in variables}:
            return False
        for type_start, name in variables:
            declared_type = source.text_between(type_start, name) or "var"
            if source.token_at(name) != "_":
                self._fields.append(
                    f"static {self._field_type(declared_type, source.token_at(name))} {source.token_at(name)};"
                )
            if type_start != name:
                source.replace(type_start, name, "")
        if is_var:
            source.replace(start, opening, "")
        return True

    def _declarators(self, number: int, end: int) -> list[_Declarator]:
        """The declared variables of a statement; `number` is the name of the first variable."""
        source, declarators = self._source, []
        while number < end:
            name = number
            value = number + 2 if source.token_at(number + 1) == "=" else number + 1
            number = value
            while number < end and source.token_at(number) not in (",", ";"):
                if source.token_at(number) == "<" and (arguments_end := source.arguments_end(number)) is not None:
                    number = arguments_end
                else:
                    number = source.closing.get(number, number) + 1
            declarators.append(_Declarator(name, value, number))
            number += 1
        return declarators

    def _move_declaration(
        self, start: int, type_start: int, type_end: int, declarators: list[_Declarator], end: int
    ) -> None:
        """Turns declared variables into fields; only the assignments of their initial values stay in the statement.

        The statement is the tokens from `start` to `end`; its type is the tokens from `type_start` to `type_end`.
        A constant is moved with its value.
        """
        source, declared_type = self._source, self._source.text_between(type_start, type_end)
        is_constant = source.token_at(start) == "const"
        for name, value, value_end in declarators:
            if is_constant:
                self._fields.append(f"const {declared_type} {source.text_between(name, value_end)};".replace("\n", " "))
                continue
            variable = source.token_at(name)
            value_type = self._value_type(value, value_end) if declared_type == "var" else ""
            self._fields.append(f"static {value_type or self._field_type(declared_type, variable)} {variable};")
            if source.token_at(value) == "{":  # the elements of an array, as in `int[] a = {1, 2};`
                source.insert(value, f"new {declared_type} ")
            if value == value_end and value == name + 1:  # without an initial value, nothing is assigned
                source.replace(name, name + 1, "")
            if source.token_at(value_end) == ",":
                source.replace(value_end, value_end + 1, ";")
        if is_constant:
            source.replace(start, end, ";")
        else:
            source.replace(type_start, type_end, "")

    def _field_type(self, declared_type: str, name: str) -> str:
        """The declared type of a variable; a placeholder if the variable is declared with `var`."""
        return declared_type if declared_type != "var" else PLACEHOLDER_PREFIX + name

    def _value_type(self, value: int, value_end: int) -> str:
        """The type of a value that is a literal or a `new` expression; empty if only the compiler can tell the type."""
        source = self._source
        if value_end == value + 1:
            text = source.token_at(value)
            match source.kind_at(value):
                case CSharpKind.STRING:
                    return "string"
                case CSharpKind.CHAR:
                    return "char"
                case CSharpKind.KEYWORD if text in ("true", "false"):
                    return "bool"
                case CSharpKind.NUMBER if not text.lower().startswith(("0x", "0b")):
                    suffix = re.sub(r"[\d._]|e[+-]?", "", text.lower())
                    default_type = "double" if "." in text or "e" in text.lower() else "int"
                    # An integer literal without a suffix has the type int only if it is below 2**31.
                    if not suffix and default_type == "int" and int(text.replace("_", "") or 0) >= 2**31:
                        return ""
                    return _TYPES_BY_SUFFIX.get(suffix, default_type)
        if source.token_at(value) == "new":
            end = source.type_end(value + 1)
            if end is not None and source.token_at(end) in ("(", "{"):
                closing = source.closing[end]
                if source.token_at(end) == "(" and source.token_at(closing + 1) == "{":
                    closing = source.closing[closing + 1]
                if closing + 1 == value_end:
                    return source.text_between(value + 1, end)
            if end is not None and source.token_at(end) == "[" and source.closing[end] + 1 == value_end:
                commas = sum(source.token_at(index) == "," for index in range(end + 1, source.closing[end]))
                return f"{source.text_between(value + 1, end)}[{',' * commas}]"
        return ""
