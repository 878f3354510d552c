"""Rewrites the top-level statements of C# 9 as the body of `Main` in a class `Program`.

Local functions among them become methods of that class, and the variables that they use become static fields. Since
`Main` runs only once, a static field behaves like a local variable.
"""

from __future__ import annotations

import re

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource

#: The prefix of a placeholder for a type, used until a compiler message reveals the type.
UNKNOWN = "__Unknown_"
_NUMBERS = {"m": "decimal", "f": "float", "d": "double", "u": "uint", "l": "long", "ul": "ulong", "lu": "ulong"}


def with_main(text: str) -> str:
    """The source with its top-level statements in a `Main`; if it has none, with a plain Main around an async one."""
    source = CSharpSource(text)
    first, last = _statements_in(source)
    if first == last:
        return _with_plain_main(source)
    _TopLevelProgram(source, first, last).add_edits()
    return source.edited()


def directives_end(source: CSharpSource) -> int:
    """The token after the using directives and the attributes of the assembly."""
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
    if source.token_at(number + 1) in ("static", "unsafe"):
        return True
    if source.token_at(number + 2) == "=" and source.is_name(number + 1):
        return True
    end = source.type_end(number + 1)
    return end is not None and source.token_at(end) == ";"


def _statements_in(source: CSharpSource) -> tuple[int, int]:
    """The first token of the top-level statements, and the token after them."""
    number = directives_end(source)
    while number < len(source):
        declared = source.type_declaration(number)
        if declared is not None:
            number = source.type_declaration_end(declared)
        elif source.token_at(number) == "namespace":
            while number < len(source) and source.token_at(number) not in ("{", ";"):
                number += 1
            number = source.closing.get(number, number) + 1
        else:
            break
    first = number
    while number < len(source) and source.type_declaration(number) is None and source.token_at(number) != "namespace":
        number = max(source.statement_end(number), number + 1)
    return first, number


def _with_plain_main(source: CSharpSource) -> str:
    """The source with a plain Main that calls its async Main, as the compiler of C# 7.1 generates it."""
    for number in range(len(source)):
        if (
            source.token_at(number) != "Main"
            or source.token_at(number + 1) != "("
            or source.token_at(number - 1) not in ("Task", ">")
        ):
            continue
        before = number - 1
        while before >= 0 and source.token_at(before) not in (";", "{", "}"):
            before -= 1
        modifiers = [source.token_at(index) for index in range(before + 1, number)]
        if "async" not in modifiers or "static" not in modifiers:
            continue
        is_int = source.token_at(number - 1) == ">"
        takes_args = source.closing[number + 1] > number + 2
        result = "return " if is_int else ""
        call = f"{result}__Main({'args' if takes_args else ''}).GetAwaiter().GetResult();"
        plain = f"static {'int' if is_int else 'void'} Main({'string[] args' if takes_args else ''}) {{ {call} }} "
        source.insert(before + 1, plain)
        source.replace(number, number + 1, "__Main")
        return source.edited()
    return source.text


class _TopLevelProgram:
    """The top-level statements of a source, and the class that they become."""

    def __init__(self, source: CSharpSource, first: int, last: int) -> None:
        self._source, self._first, self._last = source, first, last
        self._statements = source.statements(first, last)
        functions = {start: source.local_function(start) for start, _ in self._statements}
        self._functions = {start: function for start, function in functions.items() if function}
        self._fields: list[str] = []

    def add_edits(self) -> None:
        """Add the edits that make the class to the source."""
        source, captured = self._source, self._captured()
        for start, end in self._statements:
            if start not in self._functions:
                self._turn_into_fields(start, end, captured)
        body = [
            number for start, end in self._statements if start not in self._functions for number in range(start, end)
        ]
        returns = any(
            source.token_at(index) == "return" and source.token_at(index + 1) != ";"
            for index in self._outside_lambdas(body)
        )
        awaits = any(source.token_at(index) == "await" for index in self._outside_lambdas(body))
        args = "args"
        if "args" in captured:
            self._fields.append("static string[] args;")
            args = "__args"
        source.insert(self._first, self._head(returns, awaits, args))
        after_line = source.line(self._last)
        tail = f"\n}}\n{self._methods()}\n}}\n#line {after_line}\n"
        source.insert(self._last, tail)

    def _head(self, returns: bool, awaits: bool, args: str) -> str:
        result = "int" if returns else "void"
        main = f"static {result} Main(string[] {args}) {{"
        if "__args" in args:
            main += " Program.args = __args;"
        if awaits:
            task = "System.Threading.Tasks.Task" + ("<int>" if returns else "")
            call = f"{'return ' if returns else ''}__Main({args}).GetAwaiter().GetResult();"
            main = f"{main} {call} }} static async {task} __Main(string[] {args}) {{"
        return f"partial class Program {{ {' '.join(self._fields)} {main}\n#line {self._source.line(self._first)}\n"

    def _methods(self) -> str:
        """The local functions as methods, with `#line` directives for their original lines."""
        source, parts = self._source, []
        for function in self._functions.values():
            text = source.between(function.start, function.end)
            modifiers = [source.token_at(index) for index in range(function.start, function.name)]
            static = "" if "static" in modifiers else "static "
            parts.append(f"#line {source.line(function.start)}\n{static}{text}\n")
            source.replace(function.start, function.end, ";")
        return "".join(parts)

    def _captured(self) -> set[str]:
        """The names that the local functions use."""
        source = self._source
        return {
            source.token_at(number)
            for function in self._functions.values()
            for number in range(function.opening, function.end)
            if source.is_name(number) and source.token_at(number - 1) not in (".", "?.")
        }

    def _outside_lambdas(self, numbers: list[int]) -> list[int]:
        """The tokens outside the block bodies of lambdas and anonymous methods."""
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
            elif is_lambda and source.token_at(number) == "=>" and "async" in self._text_before(number):
                skipped_to = number + 2
            outside.append(number)
        return outside

    def _text_before(self, number: int) -> set[str]:
        start = self._source.opening.get(number - 1, number - 1)
        return {self._source.token_at(start - 1)}

    def _turn_into_fields(self, start: int, end: int, captured: set[str]) -> None:
        """Turn the variables of a statement that local functions use into fields."""
        source = self._source
        number = start + 1 if source.token_at(start) == "const" else start
        type_end = source.type_end(number)
        if type_end is not None and source.is_name(type_end) and source.token_at(type_end + 1) in ("=", ";", ","):
            declarators = self._declarators(type_end, end)
            if captured & {source.token_at(name) for name, _, _ in declarators}:
                self._move_declaration(start, number, type_end, declarators, end)
                return
        if self._split_variables(start, captured):
            return
        for position in range(start, end - 2):
            if source.token_at(position) != "out":
                continue
            name = source.type_end(position + 1)
            if name is not None and source.is_name(name) and source.token_at(name) in captured:
                declared = source.between(position + 1, name)
                self._fields.append(f"static {self._type(declared, source.token_at(name))} {source.token_at(name)};")
                source.replace(position + 1, name, "")

    def _split_variables(self, start: int, captured: set[str]) -> bool:
        """Turn the variables of `var (a, b) = …` or `(int a, int b) = …` into fields; returns whether it did."""
        source = self._source
        is_var = source.token_at(start) == "var"
        opening = start + is_var
        if source.token_at(opening) != "(" or source.token_at(source.closing[opening] + 1) != "=":
            return False
        close, number, variables = source.closing[opening], opening + 1, []
        while number < close:
            name = number if is_var else source.type_end(number)
            if name is None or not source.is_name(name) or source.token_at(name + 1) not in (",", ")"):
                return False
            variables.append((number, name))
            number = name + 2
        if not captured & {source.token_at(name) for _, name in variables}:
            return False
        for number, name in variables:
            declared = source.between(number, name) or "var"
            if source.token_at(name) != "_":
                self._fields.append(f"static {self._type(declared, source.token_at(name))} {source.token_at(name)};")
            if number != name:
                source.replace(number, name, "")
        if is_var:
            source.replace(start, opening, "")
        return True

    def _declarators(self, number: int, end: int) -> list[tuple[int, int, int]]:
        """For each declared variable: its name, the first token of its value, and the token after the value."""
        source, declarators = self._source, []
        while number < end:
            name = number
            value = number + 2 if source.token_at(number + 1) == "=" else number + 1
            number = value
            while number < end and source.token_at(number) not in (",", ";"):
                if source.token_at(number) == "<" and (after := source.arguments_end(number)) is not None:
                    number = after
                else:
                    number = source.closing.get(number, number) + 1
            declarators.append((name, value, number))
            number += 1
        return declarators

    def _move_declaration(
        self, start: int, number: int, type_end: int, declarators: list[tuple[int, int, int]], end: int
    ) -> None:
        source, declared = self._source, self._source.between(number, type_end)
        is_constant = source.token_at(start) == "const"
        for name, value, after in declarators:
            if is_constant:
                self._fields.append(f"const {declared} {source.between(name, after)};".replace("\n", " "))
                continue
            kind = self._value_type(value, after) if declared == "var" else ""
            self._fields.append(
                f"static {kind or self._type(declared, source.token_at(name))} {source.token_at(name)};"
            )
            if source.token_at(value) == "{":
                source.insert(value, f"new {declared} ")
            if value == after and value == name + 1:
                source.replace(name, name + 1, "")
            if source.token_at(after) == ",":
                source.replace(after, after + 1, ";")
        if is_constant:
            source.replace(start, end, ";")
        else:
            source.replace(number, type_end, "")

    def _type(self, declared: str, name: str) -> str:
        return declared if declared != "var" else UNKNOWN + name

    def _value_type(self, value: int, after: int) -> str:
        """The type of a literal or a `new` expression; empty if only the compiler knows it."""
        source = self._source
        if after == value + 1:
            text = source.token_at(value)
            match source.kind(value):
                case CSharpKind.STRING:
                    return "string"
                case CSharpKind.CHAR:
                    return "char"
                case CSharpKind.KEYWORD if text in ("true", "false"):
                    return "bool"
                case CSharpKind.NUMBER if not text.lower().startswith(("0x", "0b")):
                    suffix = re.sub(r"[\d._]|e[+-]?", "", text.lower())
                    plain = "double" if "." in text or "e" in text.lower() else "int"
                    is_small = plain == "double" or int(text.replace("_", "") or 0) < 1 << 31 if not suffix else True
                    return _NUMBERS.get(suffix, plain if is_small else "")
        if source.token_at(value) == "new":
            end = source.type_end(value + 1)
            if end is not None and source.token_at(end) in ("(", "{"):
                last = source.closing[end]
                if source.token_at(end) == "(" and source.token_at(last + 1) == "{":
                    last = source.closing[last + 1]
                if last + 1 == after:
                    return source.between(value + 1, end)
            if end is not None and source.token_at(end) == "[" and source.closing[end] + 1 == after:
                commas = sum(source.token_at(index) == "," for index in range(end + 1, source.closing[end]))
                return f"{source.between(value + 1, end)}[{',' * commas}]"
        return ""
