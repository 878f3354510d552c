"""What was run before and has not changed: looked up before anything is loaded, and kept afterwards.

What is said of it goes to the standard error; the report is the same as that of the run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pitboss.cli.options import spec_folders
from pitboss.kept import question
from pitboss.kept.reports import Kept
from pitboss.machine.digests import UnknownError
from pitboss.machine.store import MOST_BYTES, opened
from pitboss.machine.surroundings import digest_of_machine

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Assignment
    from pitboss.judging.results import Report
    from pitboss.kept.code import Named
    from pitboss.running.drivers import Conditions

fresh_option = click.option(
    "--fresh",
    "is_fresh",
    is_flag=True,
    help="Run everything, also what has not changed since an earlier run. Reports of such runs are kept in "
    f"~/.cache/pitboss (or in $XDG_CACHE_HOME/pitboss), at most {MOST_BYTES >> 20} MB of them.",
)
#: How long a digest of what many submissions share is good for, in seconds: many submissions may be graded in less.
_GOOD_S = 0.1


class Unchanged:
    """The reports that are known of submissions, for one command line."""

    def __init__(self, asked: Iterable[str], specs: Callable[[], Sequence[Path]], given: Iterable[str] = ()) -> None:
        """For what was asked, in words; `specs` finds the assignments that may be meant, `given` is of --given."""
        self._kept = _kept_here()
        self._asked, self._specs, self._given = tuple(asked), specs, tuple(given)
        self._machine = digest_of_machine(os.environ) if self._kept else ""
        self._common, self._taken = "", -_GOOD_S
        #: Where the code of the assignment begins that is run now; None while nothing may be kept.
        self._named: Named | None = None

    def key(self, words: Sequence[str]) -> str:
        """What a report on what these words mean is kept under; empty if it can be neither kept nor found."""
        return self._key(lambda common: question.key_of(common, question.submission_of(words, self._specs())))

    def key_alone(self, path: Path, name: str) -> str:
        """The same for one of a class: its own content, wherever it is, and its name."""
        return self._key(lambda common: question.key_alone(common, path, name))

    def _key(self, of: Callable[[str], str]) -> str:
        if self._kept is None:
            return ""
        try:
            if time.monotonic() - self._taken >= _GOOD_S:
                asked, given = (os.getcwd(), *self._asked), map(given_folder, self._given)
                self._common = question.common_digest(self._machine, asked, self._specs(), given)
                self._taken = time.monotonic()
            return of(self._common)
        except (UnknownError, OSError):
            return ""

    def found(self, key: str) -> Report | None:
        """The report that is kept under a key."""
        return self._kept.found(key) if self._kept and key else None

    def begin(self, assignment: Assignment, conditions: Conditions) -> None:
        """Take note of what is run from now on: its code as it is before."""
        from pitboss.kept.named import is_settled, named_by

        if self._kept is None or not is_settled(conditions):
            return
        try:
            named = named_by(assignment)
            self._kept.code(named)
            self._named = named
        except (UnknownError, OSError):
            self._named = None

    def keep(self, key: str, words: Sequence[str], report: Report) -> None:
        """Keep the report of a run that began with this key, unless what it hangs on has changed meanwhile."""
        if self._kept and self._named and key and self.key(words) == key:
            self._kept.keep(key, self._named, report)

    def keep_alone(self, key: str, path: Path, name: str, report: Report) -> None:
        """The same for one of a class."""
        if self._kept and self._named and key and self.key_alone(path, name) == key:
            self._kept.keep(key, self._named, report)


def _kept_here() -> Kept | None:
    """What this user has kept; a sentence where the folder for it cannot be used."""
    if "kept" in os.environ.get("PITBOSS_WITHOUT", ""):
        return None
    store, refusal = opened(os.environ)
    if refusal:
        click.echo(f"pitboss: {refusal}", err=True)
    return Kept(store) if store else None


def given_folder(word: str) -> Path:
    """The folder in a word of --given, DIR or STAGE=DIR."""
    return Path(word) if os.path.isdir(word) else Path(word.partition("=")[2] or word)


def assignments_meant(name: str | None) -> list[Path]:
    """The folders of the assignments that a command may be about."""
    by_path = [Path(name)] if name and ("/" in name or name in (".", "..")) else []
    return [*by_path, *question.assignments_below(spec_folders())]
