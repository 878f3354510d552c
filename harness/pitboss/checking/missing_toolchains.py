"""Tries the compilers before a class is graded, so that a missing compiler is noticed now and not an hour later."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from pitboss.errors import SessionError
from pitboss.model.languages import LANGUAGES, language_name_for, language_of
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import first_working_toolchain

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
        toolchain, unusable_clauses = first_working_toolchain(name, conditions)
        title, remark = LANGUAGES[name].title, "; ".join(unusable_clauses)
        if toolchain is None:
            remark = (
                remark or f"nothing that builds programs in {title} is installed: pitboss doctor says how to get it"
            )
            remark += f"; programs in {title} are faults and cost no points"
        remark = remark or (toolchain.remark if toolchain else "")
        if remark:
            yield remark


def _languages_in(folder: Path) -> Iterator[str]:
    """The names of the languages of the sources in a folder."""
    names = (name for _, _, files in os.walk(folder) for name in files)
    for name in islice(names, _MAX_FILES):
        if (language := language_of(name)) is not None:
            yield language.name
