"""Blanks the strings and comments of sources, so that their content is never mistaken for code."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from pitboss.model.languages import BY_SUFFIX, HEADERS, LANGUAGES

#: The name of the language of each file suffix, in lower case, for the languages that are examined.
_NAME_BY_SUFFIX = {
    suffix: language.name for suffix, language in BY_SUFFIX.items() if language.not_code
} | dict.fromkeys(HEADERS, "cpp")
#: By language: a pattern that matches comments and literals.
_COMMENTS_AND_LITERALS = {
    language.name: re.compile(language.not_code, re.DOTALL) for language in LANGUAGES.values() if language.not_code
}
_NOT_A_LINE_END = re.compile(r"[^\n]")


def language_of(path: str) -> str | None:
    """Returns the name of a file's language by the suffix; None for a file that is not examined."""
    return _NAME_BY_SUFFIX.get(PurePosixPath(path).suffix.lower())


def normalize_newlines(text: str) -> str:
    """Returns the text with newlines as its only line ends, and without a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def blank_comments_and_strings(text: str, language: str) -> str:
    """Returns the text with spaces for each comment, and a 0 between spaces for each string; code keeps its position.

    >>> blank_comments_and_strings('puts("{"); // {', "c")
    'puts( 0 );     '
    """
    return _COMMENTS_AND_LITERALS[language].sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    spaces = _NOT_A_LINE_END.sub(" ", match[0])
    is_comment = match["comment"] is not None
    return spaces if is_comment or len(spaces) < 2 or spaces[1] == "\n" else f"{spaces[0]}0{spaces[2:]}"
