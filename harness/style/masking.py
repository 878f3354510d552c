"""Sources with their strings and comments blanked, so that what is in them is never taken for code."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from pitboss.harness.languages import BY_SUFFIX, HEADERS

#: The languages that are looked at, by the suffixes of their files in lower case.
LANGUAGES = {suffix: one.name for suffix, one in BY_SUFFIX.items() if one.name != "shell"} | dict.fromkeys(
    HEADERS, "cpp"
)
# What has no end counts up to the end of its line or of the file, so that no text takes longer than its length.
_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
#: The apostrophe of 1'000'000 begins nothing.
_QUOTED = r'"(?:\\.|[^"\\\n])*"?|(?<![0-9])' + r"'(?:\\.|[^'\\\n])*'?"
_PATTERNS = {
    "c": rf"(?P<comment>{_COMMENT})|{_QUOTED}",
    "cpp": rf'(?P<comment>{_COMMENT})|R"(?P<mark>[^()\\\s"]{{0,16}})\(.*?(?:\)(?P=mark)"|\Z)|{_QUOTED}',
    "csharp": rf'(?P<comment>{_COMMENT})|"""+.*?(?:"""+|\Z)|(?:@\$?|\$@)"(?:[^"]|"")*"?|{_QUOTED}',
    "java": rf'(?P<comment>{_COMMENT})|"""(?:\\.|[^\\])*?(?:"""|\Z)|{_QUOTED}',
    "python": r"(?P<comment>\#[^\n]*)"
    r"|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?",
}
_COMPILED = {language: re.compile(pattern, re.DOTALL) for language, pattern in _PATTERNS.items()}
_NOT_A_LINE_END = re.compile(r"[^\n]")


def language_of(path: str) -> str | None:
    """The language of a file by its suffix; None of one that is not looked at."""
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
