"""Changes to a program in any language, one token, condition or statement at a time, based on its tokens alone.

The meaning of a token is guessed: whether `*` multiplies, for example, or whether `<` compares. A change that makes no
sense in the language does not compile, and is then left out. Types, imports, declarations, the sizes of arrays and
documentation are never changed: such changes usually do not compile, or have no visible effect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from pitboss.experiments.mutants.tokens import Token, TokenKind, lines_of, tokens_of
from pitboss.model.languages import LANGUAGES
from pitboss.model.languages.language import Language

#: The maximum number of characters that a change's id quotes from the changed line.
_MAX_QUOTE = 72
#: How many characters before the change are quoted from a line that is longer.
_QUOTED_BEFORE_CHANGE = 30


def _table(entries: str) -> dict[str, tuple[str, ...]]:
    """The replacements of operators or words; in each entry, the replacements follow what they replace."""
    return {replaced: tuple(others) for replaced, *others in map(str.split, entries.split(","))}


_RELATIONS = _table("< <= >=, <= < >, > >= <=, >= > <, == !=, != ==, ~= ==")
_BINARY_OPERATORS = _RELATIONS | _table(
    "+ -, - +, * +, / *, // *, % /, ** *, && ||, || &&, & |, | &, ^ &, << >>, >> <<, "
    "+= -=, -= +=, *= +=, /= *=, //= *=, %= *=, **= *=, &= |=, |= &=, ^= &=, <<= >>=, >>= <<="
)
#: Operators that are replaced in any context.
_INCREMENTS = _table("++ --, -- ++")
#: The operators of ranges by language.
_RANGES = {"rust": _table(".. ..=, ..= ..")}
_OTHER_WORDS = _table("true false, false true, True False, False True, and or, or and, break continue, continue break")
_OTHER_FUNCTIONS = _table("min max, max min")
#: The comparison operators of a shell's `test`.
_SHELL_COMPARISONS = _table("-lt -le, -le -lt, -gt -ge, -ge -gt, -eq -ne, -ne -eq, = !=, != =")
#: The kinds of tokens after which `+` and `-` are signs; `_ends_value` has the exceptions.
_BEFORE_SIGN = (TokenKind.KEYWORD, TokenKind.OPERATOR, TokenKind.TYPE, TokenKind.SPACE)
#: Words that are values, although they may be keywords.
_VALUE_WORDS = ("true", "false", "True", "False", "None", "null", "this", "self")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
#: The kinds of the tokens that string and character literals consist of.
_LITERAL_KINDS = (TokenKind.TEXT, TokenKind.CHARACTER, TokenKind.QUOTE)
#: First words of statements that are never left out. Statements that begin with a type are not left out either.
_DECLARATION_WORDS = """
using import package typedef struct class enum union static const final let var auto public private protected extern
template namespace case default goto mut unsafe fn use mod impl trait record interface sealed abstract override
"""
#: First words of lines that are never left out in languages without braces.
_KEPT_FIRST_WORDS = """
def class if elif elseif else for while until repeat try except finally with match case async import from global
nonlocal pass then do done fi esac end function ) } ] { ;;
"""
#: Last words of lines that are never left out in languages without braces.
_KEPT_LAST_WORDS = ": then do { ( [ , | && || \\ ;; ="
#: Names of C++ streams, which `<<` writes to and `>>` reads from.
_STREAMS = "cout cin cerr clog endl stringstream ostringstream istringstream out in os is stream"
#: Symbols in type arguments, besides < and >.
_TYPE_ARGUMENT_SYMBOLS = ", . :: ? & * [ ]"
#: Symbols between the type and the name in a declaration.
_DECLARATOR_SYMBOLS = "* & [ ] :: < >"
#: Languages with type arguments between < and >.
_WITH_TYPE_ARGUMENTS = ("cpp", "java", "csharp", "rust")
#: Languages whose strings may contain expressions in braces.
_WITH_INTERPOLATION = ("csharp", "rust", "python")
#: A decimal number: the integer part, the fraction, and letters such as an exponent or a type suffix.
_NUMBER = re.compile(r"([0-9][0-9_']*)(\.[0-9_]*)?([a-zA-Z_0-9]*)")
#: A conversion as in `printf`, or an escape sequence: the letters of these are not changed.
_FORMAT_OR_ESCAPE = re.compile(
    r"%[-+ 0#]*[0-9*]*(?:\.[0-9*]+)?[hlLqjzt]*[a-zA-Z%]|\\(?:x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|.)"
)
#: An expression in braces inside a string.
_INTERPOLATION = re.compile(r"\{[^{}]*\}")


class Edit(NamedTuple):
    """A part of a text, and its replacement."""

    start: int
    end: int
    new: str


class SourceChange(NamedTuple):
    """A change to a file."""

    #: The file, and the line before and after the change, without its line number.
    id: str
    file: str
    #: The number of the line where the change begins, from 1.
    line: int
    edit: Edit


def changes_in(text: str, file: str, language: str) -> list[SourceChange]:
    """All changes to try in a program's file, sorted by position; `text` is the content of the file."""
    counts: Counter[str] = Counter()
    changes = []
    for edit in sorted(set(_edits(text, LANGUAGES[language]))):
        line = text.count("\n", 0, edit.start) + 1
        description = f"{file}: {_before_and_after(text, edit)}".encode("utf-8", "replace").decode()
        counts[description] += 1
        suffix = f" #{counts[description]}" if counts[description] > 1 else ""
        changes.append(SourceChange(f"{description}{suffix}", file, line, edit))
    return changes


def apply_edit(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.new + text[edit.end :]


def _before_and_after(text: str, edit: Edit) -> str:
    """Returns the description `BEFORE → AFTER` of a change: the changed line, stripped and shortened."""
    start = text.rfind("\n", 0, edit.start) + 1
    whole_old_line, whole_new_line = (
        remaining_text.partition("\n")[0] for remaining_text in (text[start:], apply_edit(text, edit)[start:])
    )
    old_line, new_line = whole_old_line.strip(), whole_new_line.strip()
    old_line += " …" if "\n" in text[edit.start : edit.end].rstrip() else ""
    # The index of the change in the stripped line.
    index = edit.start - start - (len(whole_old_line) - len(whole_old_line.lstrip()))
    if not new_line.strip(";: ") or new_line == "pass":
        new_line, index = "left out", 0
    elif max(len(old_line), len(new_line)) > _MAX_QUOTE:
        return f"{_excerpt(old_line, index)} → {_excerpt(new_line, index)}"
    return f"{old_line if len(old_line) <= _MAX_QUOTE else _excerpt(old_line, index)} → {new_line}"


def _excerpt(line: str, index: int) -> str:
    """The part of a line around an index, with an ellipsis for text that is cut off."""
    start, end = max(0, index - _QUOTED_BEFORE_CHANGE), index + _MAX_QUOTE - _QUOTED_BEFORE_CHANGE
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _edits(text: str, language: Language) -> Iterator[Edit]:
    """All edits to try in the text of a file, unsorted and possibly repeated."""
    tokens = [token for token in tokens_of(text, language.name) if token.kind is not TokenKind.SPACE]
    code = [token for token in tokens if token.kind is not TokenKind.COMMENT]
    # An empty token stands after the last token and, as code[-1], before the first one.
    code.append(Token(TokenKind.SPACE, "", code[-1].end if code else 0))
    statements = _removable_statements(code) if language.has_braces else filter(_is_removable, lines_of(tokens, text))
    yield from _edits_of_tokens(code, language)
    yield from filter(None, (_edit_of_literal(literal, language) for literal in _literals(code)))
    yield from _edits_of_conditions(code, text, language)
    for statement in statements:
        start, end = statement[0].start, statement[-1].end
        # The statement's line ends remain, so that no line after it gets another number.
        yield Edit(start, end, language.empty_statement + "\n" * text.count("\n", start, end))


def _edits_of_tokens(code: Sequence[Token], language: Language) -> Iterator[Edit]:
    """Edits of operators, numbers and words."""
    type_indexes = _indexes_of_type_arguments(code) if language.name in _WITH_TYPE_ARGUMENTS else ()
    for index, token in enumerate(code[:-1]):
        if index in type_indexes or _is_in_declaration(code, index):
            continue
        if token.kind is TokenKind.NUMBER:
            yield from _edits_of_number(code, index)
        elif token.kind is TokenKind.KEYWORD and token.text == "not":
            yield Edit(token.start, code[index + 1].start, "")
        else:
            yield from (Edit(token.start, token.end, other) for other in _replacements(code, index, language))


def _replacements(code: Sequence[Token], index: int, language: Language) -> Sequence[str]:
    """The texts that may replace the operator or word at an index."""
    token = code[index]
    if language.name == "shell" and token.text in _SHELL_COMPARISONS and _is_in_shell_test(code, index):
        return _SHELL_COMPARISONS[token.text]
    if token.kind is TokenKind.OPERATOR:
        return _other_operators(code, index, language)
    if token.kind in (TokenKind.KEYWORD, TokenKind.WORD, TokenKind.TYPE):
        return _other_words(code, index)
    return ()


def _other_operators(code: Sequence[Token], index: int, language: Language) -> Sequence[str]:
    """The replacements of the operator at an index; an empty replacement removes a sign or a negation."""
    before, text, after = code[index - 1], code[index].text, code[index + 1]
    for replacements in (_INCREMENTS, _RANGES.get(language.name, {})):
        if text in replacements:
            return replacements[text]
    if text in ("!", "-") and not _ends_value(before):
        return ("",)
    if not _ends_value(before) or after.text in ("", ")", ",", ";", "]", "=", ">"):
        return ()
    is_text = any(token.kind in (TokenKind.TEXT, TokenKind.QUOTE) for token in (before, after))
    if text in ("+", "-", "+=") and is_text:  # strings can only be joined
        return ()
    if text in ("<<", ">>") and language.name == "cpp" and _is_stream_operator(code, index):
        return ()
    return _BINARY_OPERATORS.get(text, ())


def _ends_value(token: Token) -> bool:
    """Whether a token can end a value, so that an operator after it is binary."""
    return token.kind not in _BEFORE_SIGN or token.text in (*_CLOSING, "++", "--", *_VALUE_WORDS)


def _other_words(code: Sequence[Token], index: int) -> Sequence[str]:
    before, token, after = code[index - 1], code[index], code[index + 1]
    if token.text in _OTHER_WORDS:
        return _OTHER_WORDS[token.text]
    if token.text in _OTHER_FUNCTIONS and after.text == "(":
        return _OTHER_FUNCTIONS[token.text]
    if token.kind is TokenKind.KEYWORD and token.text == "is" and after.text != "not":
        return ("is not",)
    is_in = token.kind is TokenKind.KEYWORD and token.text == "in"
    return ("not in",) if is_in and before.text != "not" and not _belongs_to_for(code, index) else ()


def _nesting(token: Token) -> int:
    """1 for an opening bracket, -1 for a closing one, 0 for any other token."""
    return (token.text in _OPENING) - (token.text in _CLOSING)


def _belongs_to_for(code: Sequence[Token], index: int) -> bool:
    """Whether the `in` at an index belongs to a `for`, and so does not test membership."""
    depth = 0
    for token in reversed(code[:index]):
        depth -= _nesting(token)
        if depth < 0 or token.text in (":", "if", "and", "or", "not", "return", "else"):
            return False
        if token.text == "for" and not depth:
            return True
    return False


def _edits_of_number(code: Sequence[Token], index: int) -> Iterator[Edit]:
    """Edits that increase or decrease the number at an index by 1.

    Some lexers put a sign or a binary `+` or `-` into the token of a number. Such a binary operator is also replaced.
    """
    before, token = code[index - 1], code[index]
    if _is_array_size(code, index):
        return
    start, text = token.start, token.text
    is_negative = text.startswith("-") and not _ends_value(before)
    if text.startswith(("-", "+")):
        if not is_negative:
            yield Edit(start, start + 1, *_BINARY_OPERATORS[text[0]])
        start, text = start + 1, text[1:]
    elif before.text == "-" and not _ends_value(code[index - 2]):
        is_negative = True
    for step in (1, -1):
        # `text` has no sign here: to increase a negative number, the digits after the minus sign are decreased.
        new_text = _number_plus(text, -step if is_negative else step)
        if new_text is None:
            return
        needs_parentheses = new_text.startswith("-") and (is_negative or before.text in ("-", "+"))
        yield Edit(start, token.end, f"({new_text})" if needs_parentheses else new_text)


def _number_plus(text: str, step: int) -> str | None:
    """The source text of a number plus `step`; None if the sum cannot be computed."""
    if re.fullmatch(r"0[xX][0-9a-fA-F]+[uUlL]*", text):
        digits = text.rstrip("uUlL")
        return f"{int(digits, 16) + step:#x}{text[len(digits) :]}" if int(digits, 16) + step >= 0 else None
    parts = _NUMBER.fullmatch(text)
    if parts is None or (parts[1].startswith("0") and len(parts[1]) > 1 and not parts[2]):  # 017 may be octal
        return None
    value = int(parts[1].replace("_", "").replace("'", ""))
    if parts[2] and value + step < 0:  # 0.25 - 1 is -0.75, not -1.25
        return None
    return f"{value + step}{parts[2] or ''}{parts[3]}"


def _is_array_size(code: Sequence[Token], index: int) -> bool:
    """Whether the number at an index is the size in an array declaration: another size seldom has a visible effect."""
    if (code[index - 1].text, code[index + 1].text) != ("[", "]"):
        return False
    statement = code[_start_of_statement(code, index, (";", "{", "}", "(")) :]
    return _can_begin_declaration(statement[0]) or all(token.kind is TokenKind.WORD for token in statement[:2])


def _start_of_statement(code: Sequence[Token], index: int, separators: Sequence[str]) -> int:
    """The index after the last of these separators before an index."""
    return next((start for start in range(index, 0, -1) if code[start - 1].text in separators), 0)


def _can_begin_declaration(token: Token) -> bool:
    return token.kind is TokenKind.TYPE or token.text in _DECLARATION_WORDS.split()


def _is_in_declaration(code: Sequence[Token], index: int) -> bool:
    """Whether the token at an index is part of the declaration of a pointer or a reference: `Item *item = …`."""
    before_type, before = code[index - 2], code[index - 1]
    return code[index].text in ("*", "&", "**", "&&") and (
        before.kind is TokenKind.TYPE or (before.kind is TokenKind.WORD and before_type.text in ("", ";", "{", "}"))
    )


def _is_stream_operator(code: Sequence[Token], index: int) -> bool:
    """Whether the `<<` or `>>` at an index in C++ writes to or reads from a stream, instead of shifting bits."""
    separators = (";", "{", "}")
    statement = takewhile(
        lambda token: token.text not in separators, code[_start_of_statement(code, index, separators) :]
    )
    return any(token.text in _STREAMS.split() or token.kind in (TokenKind.TEXT, TokenKind.QUOTE) for token in statement)


def _is_in_shell_test(code: Sequence[Token], index: int) -> bool:
    """Whether the token at an index of a shell script is an argument of `[`, `[[` or `test`."""
    limits = ("[", "[[", "test", ";", "]", "]]", "then", "do")
    last_limit = next((token.text for token in reversed(code[:index]) if token.text in limits), "")
    return last_limit in limits[:3]


def _indexes_of_type_arguments(code: Sequence[Token]) -> set[int]:
    """The indexes of all tokens in type arguments such as `<int, List<String>>`, including < and >."""
    type_indexes: set[int] = set()
    for index, token in enumerate(code):
        if token.text == "<" and index not in type_indexes:
            type_indexes.update(range(index, _end_of_type_arguments(code, index)))
    return type_indexes


def _end_of_type_arguments(code: Sequence[Token], start: int) -> int:
    """The index after the type arguments begun by the `<` at `start`; `start` itself if the `<` compares."""
    depth = 0
    for index, token in enumerate(code[start:], start):
        if token.text == "<":
            depth += 1
        elif token.text in (">", ">>", ">>>"):
            depth -= len(token.text)
            if depth <= 0:
                is_value = code[index + 1].kind in (TokenKind.NUMBER, TokenKind.TEXT, TokenKind.QUOTE)
                # In `a < b >> c`, there are more > than <; in `a < b > 3`, a value follows >. Both are operators there.
                return start if depth < 0 or is_value else index + 1
        elif token.kind not in (TokenKind.WORD, TokenKind.TYPE) and token.text not in _TYPE_ARGUMENT_SYMBOLS.split():
            break
    return start


def _literals(code: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each string and character literal."""
    literal: list[Token] = []
    for token in code:
        if literal and (token.kind not in _LITERAL_KINDS or token.start != literal[-1].end):
            yield literal
            literal = []
        if token.kind in _LITERAL_KINDS:
            literal.append(token)


def _edit_of_literal(literal: Sequence[Token], language: Language) -> Edit | None:
    """The edit that changes the case of a literal's first letter outside formats, escapes and expressions in braces.

    In a string without letters, a character is inserted; in a character literal without letters, it is replaced.
    """
    texts = list(_texts_in(literal))
    for start, text, _ in texts:
        masked = _FORMAT_OR_ESCAPE.sub(_blanks, text)
        if language.name in _WITH_INTERPOLATION:
            masked = _INTERPOLATION.sub(_blanks, masked)
        for index, letter in enumerate(masked, start):
            if letter.isalpha() and letter.swapcase() != letter and len(letter.swapcase()) == 1:
                return Edit(index, index + 1, letter.swapcase())
    for start, text, is_character in texts:
        if text and not is_character:
            return Edit(start, start, "x")
        if len(text) == 1:
            new_digit = "1" if text == "0" else "0"
            return Edit(start, start + 1, new_digit if text.isdigit() else "x")
    return None


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _texts_in(literal: Sequence[Token]) -> Iterator[tuple[int, str, bool]]:
    """The texts between the quotes of a literal: where each begins, the text, and whether it must be one character."""
    is_format = False
    for token in literal:
        if token.kind is not TokenKind.QUOTE and not is_format:
            # Some lexers return the quotes of a literal as separate tokens, others as parts of the text.
            match = re.fullmatch(r"""[a-zA-Z$@#]{0,3}("{1,3}|'|`)(.*)\1#*""", token.text, re.DOTALL)
            begin, text = (match.start(2), match[2]) if match is not None else (0, token.text)
            is_character = token.kind is TokenKind.CHARACTER or (literal[0].text == "'" and len(text) == 1)
            yield token.start + begin, text, is_character
        # In an f-string, the next token is a format specification if this token ends with a colon.
        is_format = token.kind is TokenKind.QUOTE and token.text.endswith(":")


def _edits_of_conditions(code: Sequence[Token], text: str, language: Language) -> Iterator[Edit]:
    """Edits that negate conditions, except conditions that another edit negates, such as single comparisons."""
    for index, token in enumerate(code):
        if token.text not in language.conditions.words or token.kind is not TokenKind.KEYWORD:
            continue
        condition = _condition(code, index + 1, language.conditions.ends)
        if condition and condition[0].text != "let" and not _is_negated_by_other_edit(condition):
            start, end = condition[0].start, condition[-1].end
            yield Edit(start, end, language.conditions.negated.format(text[start:end]))


def _condition(code: Sequence[Token], start: int, ends: Sequence[str]) -> Sequence[Token]:
    """The tokens of the condition that begins at an index, up to one of `ends`; empty if there is no condition."""
    if not ends:  # the language has its conditions in parentheses
        if code[start].text != "(":
            return ()
        start += 1
    depth = 0
    for index, token in enumerate(code[start:], start):
        if not depth and token.text in (*ends, *_CLOSING):
            return code[start:index]
        depth += _nesting(token)
    return ()


def _is_negated_by_other_edit(tokens: Sequence[Token]) -> bool:
    """Whether another edit negates a condition: the condition is a single comparison, a negation, or a constant."""
    depth, outer_texts = 0, list[str]()
    for token in tokens:
        depth -= token.text in _CLOSING
        outer_texts += [token.text] if not depth else []
        depth += token.text in _OPENING
    if not {"&&", "||", "and", "or", "?", "else"}.isdisjoint(outer_texts):
        return False
    relation_count = sum(text in (*_RELATIONS, *_SHELL_COMPARISONS, "is", "in") for text in outer_texts)
    is_constant = len(outer_texts) == 1 and outer_texts[0] in _OTHER_WORDS
    return relation_count == 1 or outer_texts[0] in ("!", "not") or is_constant


def _removable_statements(code: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The statements that may be left out in a language with braces, each with its semicolon."""
    stack: list[str] = []
    # The nesting depths of open parentheses after keywords such as `if`: a statement begins after each closing one.
    head_depths: set[int] = set()
    start = 0
    for index, token in enumerate(code):
        text = token.text
        if text in _OPENING:
            if text == "(" and code[index - 1].text in ("if", "while", "for", "switch", "foreach", "catch"):
                head_depths.add(len(stack))
            stack.append(text)
            start = index + 1 if text == "{" else start
        elif text in _CLOSING and stack:
            stack.pop()
            is_head = text == ")" and len(stack) in head_depths
            head_depths.discard(len(stack))
            start = index + 1 if text == "}" or is_head else start
        elif text in ("else", "do") or (text == ":" and code[start].text in ("case", "default")):
            start = index + 1
        elif text == ";" and (not stack or stack[-1] == "{"):
            statement = code[start : index + 1]
            if stack and len(statement) > 1 and not _is_declaration(statement):
                yield statement
            start = index + 1


def _is_declaration(statement: Sequence[Token]) -> bool:
    """Whether a statement is a declaration, or begins with `while`, `for`, `if`, # or @: such statements are kept."""
    first, *others = statement
    if _can_begin_declaration(first) or first.text in ("while", "for", "if", "#", "@"):
        return True
    # Declarations that begin with the name of a type, the name of the variable being the first plain token after it:
    # Scanner in = …; Item *item = …; List<Item> items = …; int[] counts = …; std::string name;
    plain = next(token for token in others if token.text not in _DECLARATOR_SYMBOLS.split())
    return first.kind is TokenKind.WORD and plain.kind is TokenKind.WORD and others[0].text not in ("=", ".")


def _is_removable(line: Sequence[Token]) -> bool:
    """Whether a line may be left out in a language without braces; declarations such as `count: int` are kept."""
    texts = [token.text for token in line]
    return (
        texts[0] not in _KEPT_FIRST_WORDS.split()
        and texts[0][0] != "@"
        and texts[-1] not in _KEPT_LAST_WORDS.split()
        and (texts[1:2] != [":"] or "=" in texts or "(" in texts)
        and not all(token.kind in (TokenKind.TEXT, TokenKind.QUOTE) for token in line)
    )
