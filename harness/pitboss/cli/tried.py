"""What this machine cannot build, said before a class is graded: an hour later it is too late."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import click

from pitboss.errors import SessionError
from pitboss.languages import LANGUAGES, language_called, language_of
from pitboss.running.drivers import Conditions
from pitboss.submissions.build import first_that_works

#: Of a submission's files no more are looked at.
_MOST_FILES = 500


def say_what_cannot_be_built(folders: Iterable[Path], language: str, conditions: Conditions) -> None:
    """Try what builds the programs in these folders, and those of an assignment in this language; say what fails.

    What is in archives is not looked at. What cannot be tried now is left to those who build.
    """
    with contextlib.suppress(SessionError):
        _say(folders, language, conditions)


def _say(folders: Iterable[Path], language: str, conditions: Conditions) -> None:
    used = {language_called(language), *(name for folder in folders for name in _languages_in(folder))}
    for name in (one for one in LANGUAGES if one in used):
        works, refusals = first_that_works(name, conditions)
        title, said = LANGUAGES[name].title, "; ".join(refusals)
        if works is None:
            said = said or f"nothing that builds programs in {title} is installed: pitboss doctor says how to get it"
            said += f"; programs in {title} are faults and cost no points"
        said = said or (works.remark if works else "")
        if said:
            click.echo(f"pitboss: {said}", err=True)


def _languages_in(folder: Path) -> Iterator[str]:
    """The languages of the sources in a folder."""
    names = (name for _, _, files in os.walk(folder) for name in files)
    for name in islice(names, _MOST_FILES):
        if (language := language_of(name)) is not None:
            yield language.name
