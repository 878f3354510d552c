"""The comment at the top of a program, for a person who grades it."""

from __future__ import annotations

import re

from pitboss.model.languages import BY_SUFFIX, LANGUAGES
from pitboss.model.languages.language import Language
from pitboss.sandbox.files import text_of
from pitboss.submissions.sources import Source, language_of_source

_FIRST_LINE = re.compile(r"﻿?(?:#![^\n]*\n)?")
#: Lines such as #include may stand before it.
_DIRECTIVES = re.compile(r"\s*(?:(?:#|using |import |package )[^\n]*\n\s*)*")
_STAR = re.compile(r"(?m)^[ \t]*\*?[ \t]?")
_MOST_CHARACTERS, _MOST_LINES = 1 << 16, 40


def top_comment(source: Source) -> str:
    """What a program's first comment says, without its marks; empty if it does not begin with one."""
    file = file_of(source)
    if file is None or (source.folder / file).is_symlink():  # it may lead to what is not the student's
        return ""
    try:
        text = text_of(source.folder / file, _MOST_CHARACTERS)
    except OSError:
        return ""
    return _printable(_first_comment(text, LANGUAGES[language_of_source(file)]))


def file_of(source: Source) -> str | None:
    """The program's own file; of a makefile's program the source of its name."""
    if source.language != "make":
        return source.file
    named = (f"{source.program}{suffix}" for suffix in BY_SUFFIX)
    return next((name for name in named if (source.folder / name).is_file()), None)


def _first_comment(text: str, language: Language) -> str:
    """What the first comment of a text says; empty if it does not begin with one, or with directives before it."""
    text = text[_FIRST_LINE.match(text).end() :]  # type: ignore[union-attr]
    starts = (0, _DIRECTIVES.match(text).end()) if language.has_braces else (0,)  # type: ignore[union-attr]
    mark = re.escape(language.line_comment)
    of_lines = re.compile(rf"\s*((?:{mark}{'(?!!)' if language.is_interpreted else ''}[^\n]*\n?[ \t]*)+)")
    for start in starts:
        if language.block_comment and (block := re.compile(rf"\s*{language.block_comment}", re.S).match(text, start)):
            lines = block["text"].splitlines()
            return "\n".join(_STAR.sub("", line) if language.has_braces else line for line in lines)
        if found := of_lines.match(text, start):
            return re.sub(rf"(?m)^[ \t]*{mark}{mark[-1]}*!?[ \t]?", "", found[1])
    return ""


def _printable(text: str) -> str:
    """The text without blank lines around it, characters that a terminal would obey, and lines beyond the first 40."""
    kept = "".join(one if one == "\n" or one.isprintable() else " " if one == "\t" else "�" for one in text)
    lines = [line.rstrip() for line in kept.replace("\r", "").strip("\n").splitlines()]
    more = len(lines) - _MOST_LINES
    return "\n".join([*lines[:_MOST_LINES], *([f"… {more} more lines …"] if more > 0 else [])]).strip()
