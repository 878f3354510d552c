"""Sources with their strings and comments blanked, so that what is in them is never taken for code."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from pitboss.model.languages import BY_SUFFIX, HEADERS
from pitboss.model.languages import LANGUAGES as ALL

#: The languages that are looked at, by the suffixes of their files in lower case.
LANGUAGES = {suffix: language.name for suffix, language in BY_SUFFIX.items() if language.not_code} | dict.fromkeys(
    HEADERS, "cpp"
)
_COMPILED = {language.name: re.compile(language.not_code, re.DOTALL) for language in ALL.values() if language.not_code}
_NOT_A_LINE_END = re.compile(r"[^\n]")


def language_of(path: str) -> str | None:
    """The language of a file by its suffix; None for a file that is not examined."""
    return LANGUAGES.get(PurePosixPath(path).suffix.lower())


def unified(text: str) -> str:
    """The text with line ends of one kind, and without a mark of its encoding."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def masked(text: str, language: str) -> str:
    """The text with comments blank and a 0 for each string; every other character stays where it is.

    >>> masked('puts("{"); // {', "c")
    'puts( 0 );     '
    """
    return _COMPILED[language].sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    blank = _NOT_A_LINE_END.sub(" ", found[0])
    is_comment = found["comment"] is not None
    return blank if is_comment or len(blank) < 2 or blank[1] == "\n" else f"{blank[0]}0{blank[2:]}"
