"""The comment at the top of a program, for a person who grades it."""

from __future__ import annotations

import re

from pitboss.harness.languages import BY_SUFFIX, LANGUAGES
from pitboss.harness.machine.files import text_of
from pitboss.harness.submissions.sources import Source, language_of_source

_BLOCK = re.compile(r"\s*/\*(.*?)\*/", re.DOTALL)
_SLASHES = re.compile(r"\s*((?://[^\n]*\n?[ \t]*)+)")
_HASHES = re.compile(r"\s*((?:#(?!!)[^\n]*\n?)+)")
_TEXT = re.compile(r'\s*[rR]?("""|\'\'\')(.*?)\1', re.DOTALL)
_FIRST_LINE = re.compile(r"﻿?(?:#![^\n]*\n)?")
#: Lines such as #include may stand before it.
_DIRECTIVES = re.compile(r"\s*(?:(?:#|using |import |package )[^\n]*\n\s*)*")
_STAR = re.compile(r"(?m)^[ \t]*\*?[ \t]?")
_MOST_CHARACTERS, _MOST_LINES = 1 << 16, 40


def top_comment(source: Source) -> str:
    """What a program's first comment says, without its marks; empty if it does not begin with one."""
    file = _file(source)
    if file is None or (source.folder / file).is_symlink():  # it may lead to what is not the student's
        return ""
    try:
        text = text_of(source.folder / file, _MOST_CHARACTERS)
    except OSError:
        return ""
    return _shown(_with_hashes(text) if LANGUAGES[language_of_source(file)].has_hashes else _with_slashes(text))


def _file(source: Source) -> str | None:
    """The program's own file; of a makefile's program the source of its name."""
    if source.language != "make":
        return source.file
    named = (f"{source.program}{suffix}" for suffix in BY_SUFFIX)
    return next((name for name in named if (source.folder / name).is_file()), None)


def _with_slashes(text: str) -> str:
    text = text[_FIRST_LINE.match(text).end() :]  # type: ignore[union-attr]
    for start in (0, _DIRECTIVES.match(text).end()):  # type: ignore[union-attr]
        if block := _BLOCK.match(text, start):
            return "\n".join(_STAR.sub("", line) for line in block[1].splitlines())
        if lines := _SLASHES.match(text, start):
            return re.sub(r"(?m)^[ \t]*//+[ \t]?", "", lines[1])
    return ""


def _with_hashes(text: str) -> str:
    start = _FIRST_LINE.match(text).end()  # type: ignore[union-attr]
    if quoted := _TEXT.match(text, start):
        return quoted[2]
    hashes = _HASHES.match(text, start)
    return re.sub(r"(?m)^#+[ \t]?", "", hashes[1]) if hashes else ""


def _shown(text: str) -> str:
    """The text without blank lines around it, characters that a terminal would obey, and lines beyond the first 40."""
    kept = "".join(one if one == "\n" or one.isprintable() else " " if one == "\t" else "�" for one in text)
    lines = [line.rstrip() for line in kept.replace("\r", "").strip("\n").splitlines()]
    more = len(lines) - _MOST_LINES
    return "\n".join([*lines[:_MOST_LINES], *([f"… {more} more lines …"] if more > 0 else [])]).strip()
