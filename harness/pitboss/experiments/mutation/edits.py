"""Changes to a program in any language, one token, condition or statement at a time, based on its tokens alone.

The meaning of tokens is guessed: whether `*` multiplies, and whether `<` compares. A change that makes no sense in the
language does not compile, and is then left out. Changes that usually do not compile, or have no visible effect, are not
tried: types, imports, declarations, the sizes of arrays, documentation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pitboss.experiments.mutation.tokens import Token, TokenKind, tokens_of
from pitboss.model.languages import LANGUAGES
from pitboss.model.languages.language import Language

#: A change is quoted with its line; only this many characters of a longer line are quoted.
_LONGEST = 72
#: How many of the characters quoted from a longer line are before the change.
_AROUND = 30
_RELATIONS = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "~=": ("==",),
}
_BINARY = {
    **_RELATIONS,
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "//": ("*",),
    "%": ("/",),
    "**": ("*",),
    "&&": ("||",),
    "||": ("&&",),
    "&": ("|",),
    "|": ("&",),
    "^": ("&",),
    "<<": (">>",),
    ">>": ("<<",),
    "+=": ("-=",),
    "-=": ("+=",),
    "*=": ("+=",),
    "/=": ("*=",),
    "//=": ("*=",),
    "%=": ("*=",),
    "**=": ("*=",),
    "&=": ("|=",),
    "|=": ("&=",),
    "^=": ("&=",),
    "<<=": (">>=",),
    ">>=": ("<<=",),
}
#: Operators that are exchanged in any context.
_ANYWHERE = {"++": "--", "--": "++"}
#: Operators of ranges, by language.
_RANGES = {"rust": {"..": "..=", "..=": ".."}}
_WORDS = {
    "true": "false",
    "false": "true",
    "True": "False",
    "False": "True",
    "and": "or",
    "or": "and",
    "break": "continue",
    "continue": "break",
}
_FUNCTIONS = {"min": "max", "max": "min"}
#: The comparison operators of a shell's `test`.
_TESTS = {"-lt": "-le", "-le": "-lt", "-gt": "-ge", "-ge": "-gt", "-eq": "-ne", "-ne": "-eq", "=": "!=", "!=": "="}
#: Kinds of tokens after which `+` and `-` are signs; `_ends_value` has the exceptions.
_BEFORE_SIGN = (TokenKind.KEYWORD, TokenKind.OPERATOR, TokenKind.TYPE)
_VALUES = ("true", "false", "True", "False", "None", "null", "this", "self")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
#: First words of statements that are never left out. Statements that begin with a type are not left out either.
_DECLARING = """
using import package typedef struct class enum union static const final let var auto public private protected extern
template namespace case default goto mut unsafe fn use mod impl trait record interface sealed abstract override
"""
#: First words of lines that are never left out in languages without braces.
_OPENING = """
def class if elif elseif else for while until repeat try except finally with match case async import from global
nonlocal pass then do done fi esac end function ) } ] { ;;
"""
#: Last words of lines that are never left out in languages without braces.
_OPENED = ": then do { ( [ , | && || \\ ;; ="
#: Names of C++ streams, which `<<` writes to and `>>` reads from.
_STREAMS = "cout cin cerr clog endl stringstream ostringstream istringstream out in os is stream"
_GENERIC = ("cpp", "java", "csharp", "rust")
#: Languages whose strings may contain names in braces.
_WITH_HOLES = ("csharp", "rust", "python")
_NUMBER = re.compile(r"([0-9][0-9_']*)(\.[0-9_]*)?([a-zA-Z_0-9]*)")
_NOT_LETTERS = re.compile(r"%[-+ 0#]*[0-9*]*(?:\.[0-9*]+)?[hlLqjzt]*[a-zA-Z%]|\\(?:x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|.)")
_HOLE = re.compile(r"\{[^{}]*\}")


class Edit(NamedTuple):
    """A part of a text, and its replacement."""

    start: int
    end: int
    new: str


class SourceChange(NamedTuple):
    """A change to a file."""

    #: The file, and the line before and after the change; independent of the line's number.
    id: str
    file: str
    #: The number of the line where the change begins, from 1.
    line: int
    edit: Edit


def changes_in(text: str, file: str, language: str) -> list[SourceChange]:
    """All changes to try in a program's file, sorted by where they begin."""
    counts: Counter[str] = Counter()
    changes = []
    for edit in sorted(set(_edits(text, LANGUAGES[language]))):
        line = text.count("\n", 0, edit.start) + 1
        description = f"{file}: {_before_and_after(text, edit)}".encode("utf-8", "replace").decode()
        counts[description] += 1
        suffix = f" #{counts[description]}" if counts[description] > 1 else ""
        changes.append(SourceChange(f"{description}{suffix}", file, line, edit))
    return changes


def changed(text: str, edit: Edit) -> str:
    """The text after an edit."""
    return text[: edit.start] + edit.new + text[edit.end :]


def _before_and_after(text: str, edit: Edit) -> str:
    """Describes a change by its line, before and after the change."""
    start = text.rfind("\n", 0, edit.start) + 1
    before, after = (text_part.partition("\n") for text_part in (text[start:], changed(text, edit)[start:]))
    was, now = before[0].strip(), after[0].strip()
    was += " …" if "\n" in text[edit.start : edit.end].rstrip() else ""
    index = edit.start - start - (len(before[0]) - len(before[0].lstrip()))
    if not now.strip(";: ") or now == "pass":
        now, index = "left out", 0
    elif max(len(was), len(now)) > _LONGEST:
        return f"{_cut(was, index)} → {_cut(now, index)}"
    return f"{was if len(was) <= _LONGEST else _cut(was, index)} → {now}"


def _cut(line: str, index: int) -> str:
    """The part of a line around an index, with … for the text that is cut off."""
    start, end = max(0, index - _AROUND), index + _LONGEST - _AROUND
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _edits(text: str, language: Language) -> Iterator[Edit]:
    tokens = [token for token in tokens_of(text, language.name) if token.kind is not TokenKind.SPACE]
    code = [token for token in tokens if token.kind is not TokenKind.COMMENT]
    types = _in_types(code, language)
    statements = list(_statements(code, language) if language.has_braces else _lines(tokens, text, language))
    yield from _of_tokens(code, language, types)
    yield from _of_texts(code, language)
    yield from _of_conditions(code, text, language)
    for statement in statements:
        start, end = statement[0].start, statement[-1].end
        yield Edit(start, end, language.nothing + "\n" * text.count("\n", start, end))


def _of_tokens(code: Sequence[Token], language: Language, types: set[int]) -> Iterator[Edit]:
    """Changes of operators, numbers and words."""
    for index, token in enumerate(code):
        before, after = (
            code[neighbour] if 0 <= neighbour < len(code) else None for neighbour in (index - 1, index + 1)
        )
        if index in types or (token.kind is TokenKind.OPERATOR and _is_declared(code, index)):
            continue
        if token.kind is TokenKind.NUMBER:
            yield from _of_number(code, index, language)
        elif language.name == "shell" and token.text in _TESTS and _is_in_test(code, index):
            yield Edit(token.start, token.end, _TESTS[token.text])
        elif token.kind is TokenKind.OPERATOR:
            others = _other_operators(token.text, before, after, language)
            if token.text in ("<<", ">>") and language.name == "cpp" and _is_stream(code, index):
                others = ()
            yield from (Edit(token.start, token.end, other) for other in others)
        elif token.kind in (TokenKind.KEYWORD, TokenKind.WORD, TokenKind.TYPE):
            yield from _of_word(code, index)


def _other_operators(text: str, before: Token | None, after: Token | None, language: Language) -> Sequence[str]:
    if text in _ANYWHERE:
        return (_ANYWHERE[text],)
    if text in _RANGES.get(language.name, {}):
        return (_RANGES[language.name][text],)
    if text in ("!", "-") and not _ends_value(before):
        return ("",)
    if not _ends_value(before) or after is None or after.text in (")", ",", ";", "]", "=", ">"):
        return ()
    is_text = any(token is not None and token.kind in (TokenKind.TEXT, TokenKind.QUOTE) for token in (before, after))
    if text in ("+", "-", "+=") and is_text:  # strings can only be joined
        return ()
    return _BINARY.get(text, ())


def _ends_value(token: Token | None) -> bool:
    """Whether a token can end a value, so that an operator after it is binary."""
    if token is None:
        return False
    if token.kind in _BEFORE_SIGN:
        return token.text in (")", "]", "}", "++", "--", *_VALUES)
    return True


def _of_word(code: Sequence[Token], index: int) -> Iterator[Edit]:
    token = code[index]
    after = code[index + 1].text if index + 1 < len(code) else ""
    before = code[index - 1].text if index else ""
    next_start = code[index + 1].start if index + 1 < len(code) else token.end
    if token.text in _WORDS:
        yield Edit(token.start, token.end, _WORDS[token.text])
    elif token.text in _FUNCTIONS and after == "(":
        yield Edit(token.start, token.end, _FUNCTIONS[token.text])
    elif token.kind is not TokenKind.KEYWORD:
        return
    elif token.text == "not":
        yield Edit(token.start, next_start, "")
    elif token.text == "is" and after != "not":
        yield Edit(token.start, token.end, "is not")
    elif token.text == "in" and before != "not" and not _is_of_loop(code, index):
        yield Edit(token.start, token.end, "not in")


def _is_of_loop(code: Sequence[Token], index: int) -> bool:
    """Whether an `in` belongs to a `for`."""
    depth = 0
    for token in reversed(code[:index]):
        depth += (token.text in _PAIRS.values()) - (token.text in _PAIRS)
        if depth < 0 or token.text in (":", "if", "and", "or", "not", "return", "else"):
            return False
        if token.text == "for" and not depth:
            return True
    return False


def _of_number(code: Sequence[Token], index: int, language: Language) -> Iterator[Edit]:
    token = code[index]
    before = code[index - 1] if index else None
    if _is_size(code, index):
        return
    start, text = token.start, token.text
    is_negative = text.startswith("-") and not _ends_value(before)
    if text.startswith(("-", "+")):
        if not is_negative:
            yield Edit(start, start + 1, {"-": "+", "+": "-"}[text[0]])
        start, text = start + 1, text[1:]
    elif before is not None and before.text == "-" and not _ends_value(code[index - 2] if index > 1 else None):
        is_negative = True
    for step in (1, -1):
        new_text = _number_plus(text, -step if is_negative else step)
        if new_text is None:
            return
        has_sign = new_text.startswith("-") and (is_negative or (before is not None and before.text in ("-", "+")))
        yield Edit(start, token.end, f"({new_text})" if has_sign else new_text)


def _number_plus(text: str, step: int) -> str | None:
    """The source of a number increased by a step; None if the sum cannot be computed."""
    if re.fullmatch(r"0[xX][0-9a-fA-F]+[uUlL]*", text):
        digits = text.rstrip("uUlL")
        return f"{int(digits, 16) + step:#x}{text[len(digits) :]}" if int(digits, 16) + step >= 0 else None
    parts = _NUMBER.fullmatch(text)
    if parts is None or (parts[1].startswith("0") and len(parts[1]) > 1 and not parts[2]):
        return None
    value = int(parts[1].replace("_", "").replace("'", ""))
    if parts[2] and value + step < 0:  # -1 + 0.25 is not -1.25
        return None
    return f"{value + step}{parts[2] or ''}{parts[3]}"


def _is_size(code: Sequence[Token], index: int) -> bool:
    """Whether a number is the size in an array declaration, where one more or less seldom has a visible effect."""
    before, after = code[index - 1 : index], code[index + 1 : index + 2]
    if not before or not after or (before[0].text, after[0].text) != ("[", "]"):
        return False
    start = next((position for position in range(index - 1, -1, -1) if code[position].text in (";", "{", "}", "(")), -1)
    first = code[start + 1]
    return (
        first.kind is TokenKind.TYPE or first.text in _DECLARING.split() or _is_two_words(code[start + 1 : start + 3])
    )


def _is_two_words(tokens: Sequence[Token]) -> bool:
    return len(tokens) == 2 and all(token.kind is TokenKind.WORD for token in tokens)


def _is_declared(code: Sequence[Token], index: int) -> bool:
    """Whether an operator is part of the declaration of a pointer or a reference: `Item *item = …`."""
    if code[index].text not in ("*", "&", "**", "&&") or index < 1:
        return False
    before = code[index - 1]
    first = code[index - 2] if index > 1 else None
    return before.kind is TokenKind.TYPE or (
        before.kind is TokenKind.WORD and (first is None or first.text in (";", "{", "}"))
    )


def _is_stream(code: Sequence[Token], index: int) -> bool:
    """Whether `<<` or `>>` in C++ writes to or reads from a stream, instead of shifting bits."""
    start = next((position for position in range(index, -1, -1) if code[position].text in (";", "{", "}")), -1)
    end = next((position for position in range(index, len(code)) if code[position].text in (";", "{", "}")), len(code))
    return any(
        token.text in _STREAMS.split() or token.kind in (TokenKind.TEXT, TokenKind.QUOTE)
        for token in code[start + 1 : end]
    )


def _is_in_test(code: Sequence[Token], index: int) -> bool:
    """Whether a token of a shell script is an argument of `[`, `[[` or `test`."""
    for token in reversed(code[:index]):
        if token.text in ("[", "[[", "test"):
            return True
        if token.text in (";", "]", "]]", "then", "do"):
            return False
    return False


def _in_types(code: Sequence[Token], language: Language) -> set[int]:
    """The indexes of the tokens of type arguments, including their < and >."""
    type_indexes: set[int] = set()
    for index, token in enumerate(code) if language.name in _GENERIC else ():
        if token.text == "<" and index not in type_indexes and (end := _end_of_types(code, index)) is not None:
            type_indexes |= set(range(index, end + 1))
    return type_indexes


def _end_of_types(code: Sequence[Token], start: int) -> int | None:
    """The index of the token that ends the type arguments begun by the `<` at `start`; None if the `<` compares."""
    depth = 0
    for index, token in enumerate(code[start:], start):
        if token.text == "<":
            depth += 1
        elif token.text in (">", ">>", ">>>"):
            depth -= len(token.text)
            if depth <= 0:
                after = code[index + 1] if index + 1 < len(code) else None
                is_value = after is not None and after.kind in (TokenKind.NUMBER, TokenKind.TEXT, TokenKind.QUOTE)
                return None if depth < 0 or is_value else index
        elif token.kind not in (TokenKind.WORD, TokenKind.TYPE) and token.text not in (
            ",",
            ".",
            "::",
            "?",
            "&",
            "*",
            "[",
            "]",
        ):
            return None
    return None


def _of_texts(code: Sequence[Token], language: Language) -> Iterator[Edit]:
    """Changes the case of one letter in each string; inserts or replaces a character in a string without letters."""
    literal: list[Token] = []
    for token, after in pairwise([*code, Token(TokenKind.OPERATOR, "", -1)]):
        literal += [token] if token.kind in (TokenKind.TEXT, TokenKind.CHARACTER, TokenKind.QUOTE) else []
        if literal and (
            after.start != token.end or after.kind not in (TokenKind.TEXT, TokenKind.CHARACTER, TokenKind.QUOTE)
        ):
            yield from _of_literal(literal, language)
            literal = []


def _of_literal(literal: Sequence[Token], language: Language) -> Iterator[Edit]:
    is_format = False
    first: Edit | None = None
    for token in literal:
        if token.kind is not TokenKind.QUOTE and not is_format:
            begin, end = _span_without_quotes(token)
            text = token.text[begin:end]
            index = _letter_in(text, language)
            if index is not None:
                start = token.start + begin + index
                yield Edit(start, start + 1, text[index].swapcase())
                return
            if first is None and text:
                first = _without_letter(token.start + begin, text, token, literal[0].text)
        is_format = token.kind is TokenKind.QUOTE and token.text.endswith(":")  # in an f-string, a format follows
    if first is not None:
        yield first


def _without_letter(start: int, text: str, token: Token, quote: str) -> Edit | None:
    is_character = token.kind is TokenKind.CHARACTER or (quote == "'" and len(text) == 1)
    if not is_character:
        return Edit(start, start, "x")
    if len(text) != 1:
        return None
    return Edit(start, start + 1, "1" if text == "0" else "0" if text.isdigit() else "x")


def _span_without_quotes(token: Token) -> tuple[int, int]:
    """The start and end of the text in a token of a literal, without quotes; some lexers return quotes separately."""
    match = re.fullmatch(r"""[a-zA-Z$@#]{0,3}("{1,3}|'|`)(.*)\1#*""", token.text, re.DOTALL)
    return (match.start(2), match.end(2)) if match is not None else (0, len(token.text))


def _letter_in(text: str, language: Language) -> int | None:
    """The index of the first letter that is not part of a format or an escape; None if there is no such letter."""
    masked = _NOT_LETTERS.sub(lambda match: " " * len(match[0]), text)
    if language.name in _WITH_HOLES:
        masked = _HOLE.sub(lambda match: " " * len(match[0]), masked)
    return next(
        (
            index
            for index, character in enumerate(masked)
            if character.swapcase() != character and len(character.swapcase()) == 1 and character.isalpha()
        ),
        None,
    )


def _of_conditions(code: Sequence[Token], text: str, language: Language) -> Iterator[Edit]:
    """Negations of conditions. Excludes conditions that another change negates, such as single comparisons."""
    for index, token in enumerate(code):
        if token.text not in language.conditions.words or token.kind is not TokenKind.KEYWORD:
            continue
        condition = _condition(code, index, language)
        if condition and condition[0].text != "let" and not _is_negated_otherwise(condition):
            start, end = condition[0].start, condition[-1].end
            yield Edit(start, end, language.conditions.negated.format(text[start:end]))


def _condition(code: Sequence[Token], keyword_index: int, language: Language) -> Sequence[Token]:
    """The tokens of the condition after a keyword; empty if there is no condition."""
    ends, depth = language.conditions.ends, 0
    start = keyword_index + 1 if ends else keyword_index + 2
    if not ends and (keyword_index + 1 >= len(code) or code[keyword_index + 1].text != "("):
        return ()
    for index in range(start, len(code)):
        text = code[index].text
        if not depth and (text in ends or text in _PAIRS.values()):
            return code[start:index]
        depth += (text in _PAIRS) - (text in _PAIRS.values())
    return ()


def _is_negated_otherwise(tokens: Sequence[Token]) -> bool:
    """Whether another change negates a condition: a single comparison, a negation, or a constant."""
    depth, outer = 0, list[str]()
    for token in tokens:
        depth -= token.text in _PAIRS.values()
        outer += [token.text] if not depth else []
        depth += token.text in _PAIRS
    connectives = [token for token in outer if token in ("&&", "||", "and", "or", "?", "else")]
    relations = [token for token in outer if token in (*_RELATIONS, *_TESTS, "is", "in")]
    is_one = len(relations) == 1 or outer[0] in ("!", "not") or (len(outer) == 1 and outer[0] in _WORDS)
    return is_one and not connectives


def _statements(code: Sequence[Token], language: Language) -> Iterator[Sequence[Token]]:
    """The statements that may be left out in a language with braces, each with its semicolon."""
    stack: list[str] = []
    heads: set[int] = set()
    start = 0
    for index, token in enumerate(code):
        text = token.text
        if text in _PAIRS:
            if text == "(" and index and code[index - 1].text in ("if", "while", "for", "switch", "foreach", "catch"):
                heads.add(len(stack))
            stack.append(text)
            start = index + 1 if text == "{" else start
        elif text in _PAIRS.values() and stack:
            stack.pop()
            is_head = text == ")" and len(stack) in heads
            heads.discard(len(stack))
            start = index + 1 if text == "}" or is_head else start
        elif text in ("else", "do") or (text == ":" and code[start].text in ("case", "default")):
            start = index + 1
        elif text == ";" and (not stack or stack[-1] == "{"):
            statement = code[start : index + 1]
            if stack and len(statement) > 1 and not _declares(statement):
                yield statement
            start = index + 1


def _declares(tokens: Sequence[Token]) -> bool:
    first, *others = tokens
    if (
        first.kind is TokenKind.TYPE
        or first.text in _DECLARING.split()
        or first.text in ("while", "for", "if", "#", "@")
    ):
        return True
    # Scanner in = …; Item *item = …; List<Item> items = …; int[] counts = …; std::string name;
    between = ("*", "&", "[", "]", "::", "<", ">")
    plain = [other for other in others if other.kind is not TokenKind.OPERATOR or other.text not in between]
    return (
        first.kind is TokenKind.WORD
        and bool(plain)
        and plain[0].kind is TokenKind.WORD
        and others[0].text not in ("=", ".")
    )


def _lines(tokens: Sequence[Token], text: str, language: Language) -> Iterator[Sequence[Token]]:
    """The lines that may be left out in a language without braces; text in brackets counts as one line."""
    line: list[Token] = []
    depth = 0
    for token in tokens:
        begins = line and "\n" in text[line[-1].end : token.start] and not depth
        if begins and not text[: token.start].rstrip().endswith("\\"):
            yield from _line(line)
            line = []
        line += [token] if token.kind is not TokenKind.COMMENT else []
        depth = max(0, depth + (token.text in _PAIRS) - (token.text in _PAIRS.values()))
    yield from _line(line)


def _line(line: Sequence[Token]) -> Iterator[Sequence[Token]]:
    is_text = all(token.kind in (TokenKind.TEXT, TokenKind.QUOTE) for token in line)
    if (
        line
        and line[0].text not in _OPENING.split()
        and line[0].text[0] != "@"
        and line[-1].text not in _OPENED.split()
        and not is_text
    ):
        yield line
