"""The submitted sources as readable texts, even if not valid UTF-8, up to a limit.

The comment at the top of a program is shown to the grader.
"""

from __future__ import annotations

import re
from pathlib import Path

from pitboss.errors import SessionError, UsageError
from pitboss.machine.files import head_of, text_of
from pitboss.model.languages import BY_SUFFIX, LANGUAGES, language_of
from pitboss.model.languages.language import Language
from pitboss.submissions.sources import Source, language_of_source
from pitboss.submissions.submission import open_submission

#: A byte order mark and a `#!` line.
_FIRST_LINE = re.compile(r"\ufeff?(?:#![^\n]*\n)?")
#: Lines that may come before the comment, such as #include.
_DIRECTIVES = re.compile(r"\s*(?:(?:#|using |import |package )[^\n]*\n\s*)*")
#: The beginning of a line in a block comment: spaces, and a star that many programmers write there.
_STAR = re.compile(r"(?m)^[ \t]*\*?[ \t]?")
#: How many characters of a source are searched for the comment.
_MAX_CHARACTERS = 1 << 16
#: The maximum number of lines of the comment that are displayed.
_MAX_LINES = 40


def top_comment(source: Source) -> str:
    """Returns the text of the comment at the top of a program, without comment markers; empty if there is none."""
    file = main_file_of(source)
    if file is None or (source.folder / file).is_symlink():  # a link may lead to another person's file
        return ""
    try:
        text = text_of(source.folder / file, _MAX_CHARACTERS)
    except OSError:
        return ""
    return _first_lines(_first_comment(text, LANGUAGES[language_of_source(file)]))


def main_file_of(source: Source) -> str | None:
    """Returns the name of a program's main file; for a project, possibly a source with the program's name, or None."""
    if language_of(source.main or source.file) or source.files:
        return source.main or source.file
    candidates = (f"{source.program}{suffix}" for suffix in BY_SUFFIX)
    return next((name for name in candidates if (source.folder / name).is_file()), None)


def _first_comment(text: str, language: Language) -> str:
    """Returns the comment at the beginning of a text or after its directives; empty if no comment is there."""
    text = text[_FIRST_LINE.match(text).end() :]  # type: ignore[union-attr]
    # The comment is at the beginning, or after directives.
    starts = (0, _DIRECTIVES.match(text).end()) if language.has_braces else (0,)  # type: ignore[union-attr]
    mark = re.escape(language.line_comment)
    # In an interpreted language `#!` is not a comment.
    line_comments = re.compile(rf"\s*((?:{mark}{'(?!!)' if language.is_interpreted else ''}[^\n]*\n?[ \t]*)+)")
    for start in starts:
        if language.block_comment and (block := re.compile(rf"\s*{language.block_comment}", re.S).match(text, start)):
            lines = block["text"].splitlines()
            return "\n".join(_STAR.sub("", line) if language.has_braces else line for line in lines)
        if match := line_comments.match(text, start):
            # The last character of the mark may be repeated, and `!` may follow: `///` and `//!` begin comments too.
            return re.sub(rf"(?m)^[ \t]*{mark}{mark[-1]}*!?[ \t]?", "", match[1])
    return ""


def _first_lines(text: str) -> str:
    """Returns the first 40 lines of a text, without empty lines around it."""
    lines = [line.rstrip() for line in text.replace("\t", " ").replace("\r", "").strip("\n").split("\n")]
    omitted = len(lines) - _MAX_LINES
    return "\n".join([*lines[:_MAX_LINES], *([f"… {omitted} more lines …"] if omitted > 0 else [])]).strip()


#: How many files and bytes of a submission are shown to people; first-year sources have a few kilobytes.
MAX_FILES, MAX_BYTES = 50, 1 << 20
#: How many bytes of one file are shown.
_MAX_FILE_BYTES = 256 << 10


def texts_of(path: Path) -> tuple[tuple[str, str], ...]:
    """Returns name and text of each source, header and makefile of a submission: a folder, an archive or a file.

    Bytes that are not UTF-8 are replaced. A long file is cut. Files beyond the limits and files that cannot be read are
    left out. The result is empty if the submission cannot be opened.
    """
    texts: list[tuple[str, str]] = []
    remaining = MAX_BYTES
    try:
        # Alone: if `path` is a file, the files beside it belong to other students.
        with open_submission(path, is_alone=True) as submission:
            for name, file in submission.code_files()[:MAX_FILES]:
                content = head_of(file, min(remaining, _MAX_FILE_BYTES), follows_links=False)
                if content:
                    remaining -= len(content)
                    texts.append((name, content.decode("utf-8", "replace")))
    except (UsageError, SessionError, OSError):
        pass
    return tuple(texts)
