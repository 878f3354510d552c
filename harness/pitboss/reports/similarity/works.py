"""Values of a comparison: the compared works, pairs of works, and the passages that a pair shares.

Programs become sequences of symbols that stay the same when names, literals, comments and layout are changed. Winnowing
selects a few fingerprints of a sequence. Sequences with a long common run share at least one fingerprint.

The algorithm and its guarantee: S. Schleimer, D. S. Wilkerson, A. Aiken, Winnowing: Local Algorithms for Document
Fingerprinting, SIGMOD 2003.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from zlib import crc32

import msgspec

from pitboss.model.languages import BY_SUFFIX, HEADERS, LANGUAGES, suffix_of


class Work(msgspec.Struct, frozen=True):
    """The files that one person handed in."""

    #: The person's key in the gradebook.
    key: str
    #: The person's name.
    name: str
    #: The path and the text of each file; both are untrusted.
    files: tuple[tuple[str, str], ...]
    #: The name of the earlier class that the work is from; empty for a work of the class that is compared.
    earlier: str = ""

    @property
    def title(self) -> str:
        """The person's name, followed by the name of the class if the work is from an earlier class."""
        return f"{self.name} ({self.earlier})" if self.earlier else self.name


class Lines(msgspec.Struct, frozen=True):
    """A range of lines of a file, from `first` to `last` inclusive, counted from 1."""

    path: str
    first: int
    last: int
    #: These lines as they were handed in; untrusted.
    text: str


class Passage(msgspec.Struct, frozen=True):
    """A run of tokens that two works share and that cannot be extended, with its lines in both works."""

    left: Lines
    right: Lines
    tokens: int


class Pair(msgspec.Struct, frozen=True):
    """Two works that share fingerprints."""

    left: Work
    right: Work
    #: The number of distinct fingerprints that both works have. Here and below, fingerprints left out do not count.
    shared: int
    #: The number of distinct fingerprints of the left work.
    of_left: int
    #: The number of distinct fingerprints of the right work.
    of_right: int
    #: The shared passages, the longest first.
    passages: tuple[Passage, ...] = ()

    @property
    def share_of_left(self) -> float:
        """The share of the left work's fingerprints that the right work has too, from 0 to 1."""
        return self.shared / self.of_left

    @property
    def share_of_right(self) -> float:
        """The share of the right work's fingerprints that the left work has too."""
        return self.shared / self.of_right

    @property
    def is_same_person(self) -> bool:
        """Whether both works have the same key: one person handed them in, in two classes."""
        return self.left.key == self.right.key


class Alike(msgspec.Struct, frozen=True):
    """Works that are alike in code that too many people have. This code is left out, so no pair shows the works."""

    titles: tuple[str, ...]
    #: The lowest limit on people that would leave out no fingerprint of the first work.
    max_people: int


class Comparison(msgspec.Struct, frozen=True):
    """The result of comparing the works of a class with each other and with works of earlier classes."""

    #: The pairs that share most, the largest share first.
    pairs: tuple[Pair, ...]
    #: The number of all pairs that share fingerprints.
    count: int
    #: The number of compared works of this class that have a file.
    works: int
    #: The number of compared works of earlier classes that have a file.
    earlier_works: int
    #: The number of works in which code was left out because the course gave it to everybody.
    given: int
    #: The number of distinct fingerprints that were left out because too many people have them.
    common: int
    #: The limit on people: a fingerprint is left out if more people of one class have it.
    max_people: int
    #: Titles of works with code that was left out entirely, except works in `alike`.
    nothing_left: tuple[str, ...] = ()
    #: Titles of works that were too long, so that only their beginnings were compared.
    cut: tuple[str, ...] = ()
    #: Groups of works that are alike in code that was left out.
    alike: tuple[Alike, ...] = ()


#: The maximum number of characters of a work that are compared, about 4,000 lines. Longer works are reported as cut.
MAX_CHARACTERS = 1 << 17
#: The name of the language of each file suffix, in lower case, for the languages that are examined.
_NAME_BY_SUFFIX = {
    suffix: language.name for suffix, language in BY_SUFFIX.items() if language.not_code
} | dict.fromkeys(HEADERS, "cpp")
#: By language: a pattern that matches comments and literals.
_COMMENTS_AND_LITERALS = {
    language.name: re.compile(language.not_code, re.DOTALL) for language in LANGUAGES.values() if language.not_code
}
_NOT_A_LINE_END = re.compile(r"[^\n]")
#: Imports and preprocessor lines that begin every program and are not compared.
_IMPORTS = re.compile(
    r"(?m)^[ \t]*(?:#[ \t]*(?:include|pragma)|import\b|from\b[^\n]{0,200}\bimport\b|using\b|package\b)[^\n]*"
)
#: A blanked string on its own line, such as a function's docstring: it is treated as a comment.
_STANDALONE_TEXT = re.compile(r"(?m)^[ \t]* 0[ \t]*$")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\S")
#: The symbol number between the files of a work, which is never part of a fingerprint.
SEPARATOR = 255
#: Symbols for kinds of tokens. They contain spaces, so no token equals them.
_NAME, _LITERAL, _TYPE, _OTHER = "a name", "a literal", "a type", "anything else"
#: Types with the common symbol `_TYPE`, in languages with braces.
_TYPES = """
auto bool boolean byte char decimal double float int long short size_t string String var void
"""
#: Modifiers, which are ignored: adding them rarely changes what a program does.
_MODIFIERS = """
const final inline internal override private protected public readonly register sealed signed static unsigned virtual
volatile
"""
_OPERATORS = "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"
_KEYWORDS = sorted({word for language in LANGUAGES.values() for word in language.keywords})
_SYMBOLS = (_NAME, _LITERAL, _TYPE, _OTHER, *_OPERATORS, *_KEYWORDS)
#: The number that stands for a symbol, which fits into a byte.
_SYMBOL_NUMBERS = {symbol: number for number, symbol in enumerate(_SYMBOLS)}


def _symbol_numbers(keywords: Iterable[str], types: Iterable[str]) -> dict[str, int]:
    return {word: _SYMBOL_NUMBERS[word] for word in (*keywords, *_OPERATORS)} | dict.fromkeys(
        types, _SYMBOL_NUMBERS[_TYPE]
    )


#: By language: the symbol number of each keyword, operator and type.
_NUMBERS_BY_LANGUAGE = {
    name: _symbol_numbers(language.keywords, _TYPES.split() if language.has_braces else ())
    for name, language in LANGUAGES.items()
}
_IGNORED_TOKENS = frozenset(_MODIFIERS.split())


class Tokens(msgspec.Struct, frozen=True):
    """The tokens of the files of a work, in one sequence."""

    #: The path and the text of each file.
    files: tuple[tuple[str, str], ...]
    #: A byte for each token. All names share one byte, and so do all literals and all types; each keyword and each
    #: operator has its own byte. Each file ends with `SEPARATOR`.
    symbols: bytes
    #: For each token, the index of its file and its offset in the file's text.
    places: tuple[tuple[int, int], ...]

    def lines(self, first: int, last: int) -> Lines:
        """Returns the lines of the tokens from `first` to `last`, which are in one file."""
        file, first_offset = self.places[first]
        path, text = self.files[file]
        line_starts = [0, *(newline.end() for newline in re.finditer("\n", text))]
        first_line = bisect_right(line_starts, first_offset)
        last_line = bisect_right(line_starts, self.places[last][1])
        end_offset = line_starts[last_line] - 1 if last_line < len(line_starts) else len(text)
        return Lines(path, first_line, last_line, text[line_starts[first_line - 1] : end_offset])


def language_of(path: str) -> str | None:
    """Returns the name of a file's language by the suffix; None for a file that is not compared."""
    return _NAME_BY_SUFFIX.get(suffix_of(path))


def tokens_of(files: Iterable[tuple[str, str]]) -> tuple[Tokens, bool]:
    """Returns the tokens of the sources among these files, and whether the sources were cut as too long together."""
    sources: list[tuple[str, str]] = []
    symbols = bytearray()
    places: list[tuple[int, int]] = []
    remaining_characters, is_cut = MAX_CHARACTERS, False
    for path, raw in files:
        language = language_of(path)
        if language is None:
            continue
        is_cut = is_cut or len(raw) > remaining_characters
        text = raw[:remaining_characters].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        remaining_characters -= min(remaining_characters, len(raw))
        numbers = _NUMBERS_BY_LANGUAGE[language]
        for match in _TOKEN.finditer(code_of(text, language)):
            token = match[0]
            if token not in _IGNORED_TOKENS:
                symbols.append(numbers[token] if token in numbers else _symbol_number(token[0]))
                places.append((len(sources), match.start()))
        symbols.append(SEPARATOR)
        places.append((len(sources), len(text)))
        sources.append((path, text))
    return Tokens(tuple(sources), bytes(symbols), tuple(places)), is_cut


def code_of(text: str, language: str) -> str:
    """Returns the text with spaces for comments, imports and docstrings, and a 0 for a string; code keeps its place.

    >>> code_of('puts("{"); // {', "c")
    'puts( 0 );     '
    """
    code = _IMPORTS.sub(_blanks, _COMMENTS_AND_LITERALS[language].sub(_blank_unless_string, text))
    return _STANDALONE_TEXT.sub(_blanks, code) if language == "python" else code


def _blank_unless_string(match: re.Match[str]) -> str:
    spaces = _NOT_A_LINE_END.sub(" ", match[0])
    is_comment = match["comment"] is not None
    return spaces if is_comment or len(spaces) < 2 or spaces[1] == "\n" else f"{spaces[0]}0{spaces[2:]}"


def _symbol_number(first: str) -> int:
    """Returns the symbol number of a token that is no keyword, operator or type, by the token's first character."""
    return _SYMBOL_NUMBERS[_LITERAL if first.isdigit() else _NAME if first.isidentifier() else _OTHER]


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


#: The length of a fingerprint in tokens. Shorter common runs are considered idioms, and never reported.
K = 24
#: At least one of every W consecutive runs of K tokens is a fingerprint.
W = 9
#: A run of this many tokens that two programs share is always found.
ALWAYS_FOUND = W + K - 1
_UNMASKED = re.compile(rb"\0+")
#: The mask of each symbol if nothing is left out.
_MASK = bytes(2 * (symbol == SEPARATOR) for symbol in range(256))


def grams(symbols: bytes, k: int = K) -> Iterator[bytes]:
    """All runs of `k` symbols, in order."""
    return (symbols[start : start + k] for start in range(len(symbols) - k + 1))


def fingerprints(symbols: bytes, k: int = K, w: int = W) -> list[tuple[int, bytes]]:
    """Returns the selected runs of `k` symbols with their indexes: the minimum of each window of `w` runs.

    Among equal minima the run already selected is preferred, else the rightmost (robust winnowing). If there are fewer
    than `w` runs, the minimum of all is selected. The runs themselves are the fingerprints, so there are no hash
    collisions. They are ordered by CRC-32, which is equal on all machines.
    """
    selected_runs: list[tuple[int, bytes]] = []
    window: deque[tuple[tuple[int, bytes], int]] = deque()
    total = len(symbols) - k + 1
    for index, gram in enumerate(grams(symbols, k)):
        value = (crc32(gram), gram)
        while window and window[-1][0] >= value:
            window.pop()
        window.append((value, index))
        if window[0][1] <= index - w:
            window.popleft()
        (_, minimum), minimum_index = window[0]
        is_selected = bool(selected_runs) and selected_runs[-1][0] > index - w and selected_runs[-1][1] == minimum
        if index >= min(w, total) - 1 and not is_selected:
            selected_runs.append((minimum_index, minimum))
    return selected_runs


def coverage_mask(symbols: bytes, left_out: Collection[bytes]) -> bytearray:
    """Returns a mask of the symbols: 1 for a symbol in a run of K that is in `left_out`, 2 for a separator, else 0."""
    mask = bytearray(symbols.translate(_MASK))
    if left_out:
        for index, gram in enumerate(grams(symbols)):
            if gram in left_out:
                mask[index : index + K] = b"\1" * K
    return mask


def fingerprints_outside_mask(symbols: bytes, mask: bytearray) -> list[tuple[int, bytes]]:
    """Returns the fingerprints in the stretches of symbols whose `mask` is 0, with their indexes.

    Each stretch is winnowed separately.
    """
    selected_runs: list[tuple[int, bytes]] = []
    for stretch in _UNMASKED.finditer(mask):
        start, end = stretch.span()
        selected_runs += [(start + index, gram) for index, gram in fingerprints(symbols[start:end])]
    return selected_runs
