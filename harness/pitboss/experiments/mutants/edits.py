"""Changes to a program in any language, one token, condition or statement at a time, based on its tokens alone.

The meaning of a token is guessed: whether `*` multiplies, for example, or whether `<` compares. A change that makes no
sense in the language does not compile, and is then left out. Types, imports, declarations, the sizes of arrays and
documentation are never changed: such changes usually do not compile, or have no visible effect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pitboss.experiments.mutants.tokens import Token, TokenKind, lines_of, tokens_of
from pitboss.model.languages import LANGUAGES
from pitboss.model.languages.language import Language

#: The maximum number of characters that a change's id quotes from the changed line.
_MAX_QUOTE = 72
#: How many characters before the change are quoted from a line that is longer.
_QUOTED_BEFORE_CHANGE = 30
#: Comparison operators, each with the operators that replace it.
_RELATIONS = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "~=": ("==",),
}
#: Binary operators, each with the operators that replace it.
_BINARY_OPERATORS = {
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
#: Operators that are replaced in any context, each with its replacement.
_INCREMENTS = {"++": "--", "--": "++"}
#: The operators of ranges by language, each with its replacement.
_RANGES = {"rust": {"..": "..=", "..=": ".."}}
#: Words, each with its replacement.
_OTHER_WORDS = {
    "true": "false",
    "false": "true",
    "True": "False",
    "False": "True",
    "and": "or",
    "or": "and",
    "break": "continue",
    "continue": "break",
}
#: Functions, each with its replacement.
_OTHER_FUNCTIONS = {"min": "max", "max": "min"}
#: The comparison operators of a shell's `test`, each with its replacement.
_SHELL_COMPARISONS = {
    "-lt": "-le",
    "-le": "-lt",
    "-gt": "-ge",
    "-ge": "-gt",
    "-eq": "-ne",
    "-ne": "-eq",
    "=": "!=",
    "!=": "=",
}
#: The kinds of tokens after which `+` and `-` are signs; `_ends_value` has the exceptions.
_BEFORE_SIGN = (TokenKind.KEYWORD, TokenKind.OPERATOR, TokenKind.TYPE)
#: Words that are values, although they may be keywords.
_VALUE_WORDS = ("true", "false", "True", "False", "None", "null", "this", "self")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
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
    type_indexes = _indexes_of_type_arguments(code, language)
    statements = (
        _removable_statements(code, language) if language.has_braces else filter(_is_removable, lines_of(tokens, text))
    )
    yield from _edits_of_tokens(code, language, type_indexes)
    yield from _edits_of_strings(code, language)
    yield from _edits_of_conditions(code, text, language)
    for statement in statements:
        start, end = statement[0].start, statement[-1].end
        # The statement's line ends remain, so that no line after it gets another number.
        yield Edit(start, end, language.empty_statement + "\n" * text.count("\n", start, end))


def _edits_of_tokens(code: Sequence[Token], language: Language, type_indexes: set[int]) -> Iterator[Edit]:
    """Edits of operators, numbers and words; tokens with an index in `type_indexes` are not changed."""
    for index, token in enumerate(code):
        before, after = (
            code[neighbour] if 0 <= neighbour < len(code) else None for neighbour in (index - 1, index + 1)
        )
        if index in type_indexes or (token.kind is TokenKind.OPERATOR and _is_in_declaration(code, index)):
            continue
        if token.kind is TokenKind.NUMBER:
            yield from _edits_of_number(code, index, language)
        elif language.name == "shell" and token.text in _SHELL_COMPARISONS and _is_in_shell_test(code, index):
            yield Edit(token.start, token.end, _SHELL_COMPARISONS[token.text])
        elif token.kind is TokenKind.OPERATOR:
            others = _other_operators(token.text, before, after, language)
            if token.text in ("<<", ">>") and language.name == "cpp" and _is_stream_operator(code, index):
                others = ()
            yield from (Edit(token.start, token.end, other) for other in others)
        elif token.kind in (TokenKind.KEYWORD, TokenKind.WORD, TokenKind.TYPE):
            yield from _edits_of_word(code, index)


def _other_operators(text: str, before: Token | None, after: Token | None, language: Language) -> Sequence[str]:
    """The replacements of an operator between two tokens; an empty replacement removes a sign or a negation."""
    if text in _INCREMENTS:
        return (_INCREMENTS[text],)
    if text in _RANGES.get(language.name, {}):
        return (_RANGES[language.name][text],)
    if text in ("!", "-") and not _ends_value(before):
        return ("",)
    if not _ends_value(before) or after is None or after.text in (")", ",", ";", "]", "=", ">"):
        return ()
    is_text = any(token is not None and token.kind in (TokenKind.TEXT, TokenKind.QUOTE) for token in (before, after))
    if text in ("+", "-", "+=") and is_text:  # strings can only be joined
        return ()
    return _BINARY_OPERATORS.get(text, ())


def _ends_value(token: Token | None) -> bool:
    """Whether a token can end a value, so that an operator after it is binary."""
    if token is None:
        return False
    if token.kind in _BEFORE_SIGN:
        return token.text in (")", "]", "}", "++", "--", *_VALUE_WORDS)
    return True


def _edits_of_word(code: Sequence[Token], index: int) -> Iterator[Edit]:
    token = code[index]
    after = code[index + 1].text if index + 1 < len(code) else ""
    before = code[index - 1].text if index else ""
    next_start = code[index + 1].start if index + 1 < len(code) else token.end
    if token.text in _OTHER_WORDS:
        yield Edit(token.start, token.end, _OTHER_WORDS[token.text])
    elif token.text in _OTHER_FUNCTIONS and after == "(":
        yield Edit(token.start, token.end, _OTHER_FUNCTIONS[token.text])
    elif token.kind is not TokenKind.KEYWORD:
        return
    elif token.text == "not":
        yield Edit(token.start, next_start, "")
    elif token.text == "is" and after != "not":
        yield Edit(token.start, token.end, "is not")
    elif token.text == "in" and before != "not" and not _belongs_to_for(code, index):
        yield Edit(token.start, token.end, "not in")


def _belongs_to_for(code: Sequence[Token], index: int) -> bool:
    """Whether the `in` at an index belongs to a `for`, and so does not test membership."""
    depth = 0
    for token in reversed(code[:index]):
        depth += (token.text in _BRACKETS.values()) - (token.text in _BRACKETS)
        if depth < 0 or token.text in (":", "if", "and", "or", "not", "return", "else"):
            return False
        if token.text == "for" and not depth:
            return True
    return False


def _edits_of_number(code: Sequence[Token], index: int, language: Language) -> Iterator[Edit]:
    """Edits that increase or decrease the number at an index by 1.

    Some lexers put a sign or a binary `+` or `-` into the token of a number. Such a binary operator is also replaced.
    """
    token = code[index]
    before = code[index - 1] if index else None
    if _is_array_size(code, index):
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
        # `text` has no sign here: to increase a negative number, the digits after the minus sign are decreased.
        new_text = _number_plus(text, -step if is_negative else step)
        if new_text is None:
            return
        needs_parentheses = new_text.startswith("-") and (
            is_negative or (before is not None and before.text in ("-", "+"))
        )
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
    before, after = code[index - 1 : index], code[index + 1 : index + 2]
    if not before or not after or (before[0].text, after[0].text) != ("[", "]"):
        return False
    start = next((position for position in range(index - 1, -1, -1) if code[position].text in (";", "{", "}", "(")), -1)
    first = code[start + 1]
    return (
        first.kind is TokenKind.TYPE
        or first.text in _DECLARATION_WORDS.split()
        or _is_two_words(code[start + 1 : start + 3])
    )


def _is_two_words(tokens: Sequence[Token]) -> bool:
    """Whether these tokens are two names, such as a type and a variable."""
    return len(tokens) == 2 and all(token.kind is TokenKind.WORD for token in tokens)


def _is_in_declaration(code: Sequence[Token], index: int) -> bool:
    """Whether the operator at an index is part of the declaration of a pointer or a reference: `Item *item = …`."""
    if code[index].text not in ("*", "&", "**", "&&") or index < 1:
        return False
    before = code[index - 1]
    before_type = code[index - 2] if index > 1 else None
    return before.kind is TokenKind.TYPE or (
        before.kind is TokenKind.WORD and (before_type is None or before_type.text in (";", "{", "}"))
    )


def _is_stream_operator(code: Sequence[Token], index: int) -> bool:
    """Whether the `<<` or `>>` at an index in C++ writes to or reads from a stream, instead of shifting bits."""
    start = next((position for position in range(index, -1, -1) if code[position].text in (";", "{", "}")), -1)
    end = next((position for position in range(index, len(code)) if code[position].text in (";", "{", "}")), len(code))
    return any(
        token.text in _STREAMS.split() or token.kind in (TokenKind.TEXT, TokenKind.QUOTE)
        for token in code[start + 1 : end]
    )


def _is_in_shell_test(code: Sequence[Token], index: int) -> bool:
    """Whether the token at an index of a shell script is an argument of `[`, `[[` or `test`."""
    for token in reversed(code[:index]):
        if token.text in ("[", "[[", "test"):
            return True
        if token.text in (";", "]", "]]", "then", "do"):
            return False
    return False


def _indexes_of_type_arguments(code: Sequence[Token], language: Language) -> set[int]:
    """The indexes of all tokens in type arguments such as `<int, List<String>>`, including < and >."""
    type_indexes: set[int] = set()
    for index, token in enumerate(code) if language.name in _WITH_TYPE_ARGUMENTS else ():
        if token.text == "<" and index not in type_indexes and (end := _end_of_type_arguments(code, index)) is not None:
            type_indexes |= set(range(index, end + 1))
    return type_indexes


def _end_of_type_arguments(code: Sequence[Token], start: int) -> int | None:
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
                # In `a < b >> c`, there are more > than <; in `a < b > 3`, a value follows >. Both are operators there.
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


def _edits_of_strings(code: Sequence[Token], language: Language) -> Iterator[Edit]:
    """Edits that change the case of one letter in each string.

    In a string without letters, a character is inserted; in a character literal without letters, it is replaced.
    """
    literal: list[Token] = []
    # The added token ends a literal at the end of the file.
    for token, after in pairwise([*code, Token(TokenKind.OPERATOR, "", -1)]):
        literal += [token] if token.kind in (TokenKind.TEXT, TokenKind.CHARACTER, TokenKind.QUOTE) else []
        if literal and (
            after.start != token.end or after.kind not in (TokenKind.TEXT, TokenKind.CHARACTER, TokenKind.QUOTE)
        ):
            yield from _edits_of_literal(literal, language)
            literal = []


def _edits_of_literal(literal: Sequence[Token], language: Language) -> Iterator[Edit]:
    """At most one edit of a string or character literal, which may consist of several tokens."""
    is_format = False
    edit_without_letter: Edit | None = None
    for token in literal:
        if token.kind is not TokenKind.QUOTE and not is_format:
            begin, end = _span_without_quotes(token)
            text = token.text[begin:end]
            index = _index_of_letter(text, language)
            if index is not None:
                start = token.start + begin + index
                yield Edit(start, start + 1, text[index].swapcase())
                return
            if edit_without_letter is None and text:
                edit_without_letter = _edit_of_text_without_letters(token.start + begin, text, token, literal[0].text)
        # In an f-string, the next token is a format specification if this token ends with a colon.
        is_format = token.kind is TokenKind.QUOTE and token.text.endswith(":")
    if edit_without_letter is not None:
        yield edit_without_letter


def _edit_of_text_without_letters(start: int, text: str, token: Token, quote: str) -> Edit | None:
    """The edit of a text in a literal: inserts an x, or replaces the character of a character literal.

    `start` is the index of the text in the file, and `quote` the first token of the literal.
    """
    is_character = token.kind is TokenKind.CHARACTER or (quote == "'" and len(text) == 1)
    if not is_character:
        return Edit(start, start, "x")
    if len(text) != 1:
        return None
    new_digit = "1" if text == "0" else "0"
    return Edit(start, start + 1, new_digit if text.isdigit() else "x")


def _span_without_quotes(token: Token) -> tuple[int, int]:
    """The start and end of the text between the quotes in a token; the whole token if it has no quotes.

    Some lexers return the quotes of a literal as separate tokens.
    """
    match = re.fullmatch(r"""[a-zA-Z$@#]{0,3}("{1,3}|'|`)(.*)\1#*""", token.text, re.DOTALL)
    return (match.start(2), match.end(2)) if match is not None else (0, len(token.text))


def _index_of_letter(text: str, language: Language) -> int | None:
    """The index of the first letter outside formats, escape sequences and expressions in braces; None if no letter."""
    masked = _FORMAT_OR_ESCAPE.sub(lambda match: " " * len(match[0]), text)
    if language.name in _WITH_INTERPOLATION:
        masked = _INTERPOLATION.sub(lambda match: " " * len(match[0]), masked)
    return next(
        (
            index
            for index, character in enumerate(masked)
            if character.swapcase() != character and len(character.swapcase()) == 1 and character.isalpha()
        ),
        None,
    )


def _edits_of_conditions(code: Sequence[Token], text: str, language: Language) -> Iterator[Edit]:
    """Edits that negate conditions, except conditions that another edit negates, such as single comparisons."""
    for index, token in enumerate(code):
        if token.text not in language.conditions.words or token.kind is not TokenKind.KEYWORD:
            continue
        condition = _condition(code, index, language)
        if condition and condition[0].text != "let" and not _is_negated_by_other_edit(condition):
            start, end = condition[0].start, condition[-1].end
            yield Edit(start, end, language.conditions.negated.format(text[start:end]))


def _condition(code: Sequence[Token], keyword_index: int, language: Language) -> Sequence[Token]:
    """The tokens of the condition after a keyword; empty if there is no condition."""
    ends, depth = language.conditions.ends, 0
    # Without words or symbols that end a condition, the language has its conditions in parentheses.
    start = keyword_index + 1 if ends else keyword_index + 2
    if not ends and (keyword_index + 1 >= len(code) or code[keyword_index + 1].text != "("):
        return ()
    for index in range(start, len(code)):
        text = code[index].text
        if not depth and (text in ends or text in _BRACKETS.values()):
            return code[start:index]
        depth += (text in _BRACKETS) - (text in _BRACKETS.values())
    return ()


def _is_negated_by_other_edit(tokens: Sequence[Token]) -> bool:
    """Whether another edit negates a condition: the condition is a single comparison, a negation, or a constant."""
    depth, outer_texts = 0, list[str]()
    for token in tokens:
        depth -= token.text in _BRACKETS.values()
        outer_texts += [token.text] if not depth else []
        depth += token.text in _BRACKETS
    connectives = [text for text in outer_texts if text in ("&&", "||", "and", "or", "?", "else")]
    relations = [text for text in outer_texts if text in (*_RELATIONS, *_SHELL_COMPARISONS, "is", "in")]
    is_simple = (
        len(relations) == 1
        or outer_texts[0] in ("!", "not")
        or (len(outer_texts) == 1 and outer_texts[0] in _OTHER_WORDS)
    )
    return is_simple and not connectives


def _removable_statements(code: Sequence[Token], language: Language) -> Iterator[Sequence[Token]]:
    """The statements that may be left out in a language with braces, each with its semicolon."""
    stack: list[str] = []
    # The nesting depths of open parentheses after keywords such as `if`: a statement begins after each closing one.
    head_depths: set[int] = set()
    start = 0
    for index, token in enumerate(code):
        text = token.text
        if text in _BRACKETS:
            if text == "(" and index and code[index - 1].text in ("if", "while", "for", "switch", "foreach", "catch"):
                head_depths.add(len(stack))
            stack.append(text)
            start = index + 1 if text == "{" else start
        elif text in _BRACKETS.values() and stack:
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


def _is_declaration(tokens: Sequence[Token]) -> bool:
    """Whether a statement is a declaration, or begins with `while`, `for`, `if`, # or @: such statements are kept."""
    first, *others = tokens
    if (
        first.kind is TokenKind.TYPE
        or first.text in _DECLARATION_WORDS.split()
        or first.text in ("while", "for", "if", "#", "@")
    ):
        return True
    # Declarations that begin with the name of a type, the name of the variable being the first plain token after it:
    # Scanner in = …; Item *item = …; List<Item> items = …; int[] counts = …; std::string name;
    declarator_symbols = ("*", "&", "[", "]", "::", "<", ">")
    plain_tokens = [
        other for other in others if other.kind is not TokenKind.OPERATOR or other.text not in declarator_symbols
    ]
    return (
        first.kind is TokenKind.WORD
        and bool(plain_tokens)
        and plain_tokens[0].kind is TokenKind.WORD
        and others[0].text not in ("=", ".")
    )


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
