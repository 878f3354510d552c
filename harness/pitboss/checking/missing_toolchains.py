"""Tries the compilers before a class is graded, so that a missing compiler is noticed now and not an hour later."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from pitboss.errors import SessionError
from pitboss.model.languages import LANGUAGES, language_name_for, language_of
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import why_unusable
from pitboss.submissions.toolchains import toolchain_of

#: At most this many file names of a submission are examined.
_MAX_FILES = 500


def toolchain_remarks(submissions: Iterable[Path], language: str, conditions: Conditions) -> Iterator[str]:
    """Try the compilers of the languages that these submissions use, and of the assignment's `language`.

    Yield a clause on each problem. Archives are not opened. If a compiler cannot be tried now, no further clauses
    follow: the builds report the problem.
    """
    with contextlib.suppress(SessionError):
        yield from _remarks(submissions, language, conditions)


def _remarks(submissions: Iterable[Path], language: str, conditions: Conditions) -> Iterator[str]:
    used_languages = {language_name_for(language), *(name for folder in submissions for name in _languages_in(folder))}
    for name in LANGUAGES:
        if name not in used_languages:
            continue
        title, toolchain = LANGUAGES[name].title, toolchain_of(name)
        remark = why_unusable(toolchain, conditions)
        if not all(map(find_tool, toolchain.commands)):
            remark = f"nothing that builds programs in {title} is installed: pitboss doctor says how to get it"
        if remark:
            yield f"{remark}; programs in {title} are faults and cost no points"
        elif lack := toolchain.lack():
            yield f"{lack}; without it they are faults and cost no points"


def _languages_in(folder: Path) -> Iterator[str]:
    names = (name for _, _, files in os.walk(folder) for name in files)
    for name in islice(names, _MAX_FILES):
        if (language := language_of(name)) is not None:
            yield language.name
