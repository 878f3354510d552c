"""The report of an earlier run: looked up before anything is loaded, and kept after a run that it would repeat."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pitboss.checking.cache import cache_key
from pitboss.checking.cache.reports import CachedReports
from pitboss.sandbox.digests import UnknownError
from pitboss.sandbox.fingerprint import digest_of_machine
from pitboss.sandbox.store import opened

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Assignment
    from pitboss.checking.cache.assignment_code import Named
    from pitboss.compare.results import Report
    from pitboss.sessions.drivers import Conditions

#: How long a digest of what many submissions share is good for, in seconds: many submissions may be graded in less.
_GOOD_S = 0.1


class Cache:
    """Reports of earlier runs, for one command line."""

    def __init__(self, asked: Iterable[str], specs: Callable[[], Sequence[Path]], given: Iterable[Path] = ()) -> None:
        """For what was asked, in words; `specs` finds the assignments that may be meant, `given` is the course's.

        Where this user's folder for reports cannot be used, nothing is found or kept, and `refusal` says why.
        """
        self._kept, self.refusal = _reports_here()
        self._asked, self._specs, self._given = tuple(asked), specs, tuple(given)
        self._machine = digest_of_machine(os.environ) if self._kept else ""
        self._common, self._computed_at_s = "", -_GOOD_S
        #: Where the code of the assignment begins that is run now; None while nothing may be kept.
        self._named: Named | None = None

    def key(self, words: Sequence[str]) -> str:
        """The key of a report on what these words mean; empty if it can be neither kept nor found."""
        return self._key(lambda common: cache_key.key_of(common, cache_key.submission_of(words, self._specs())))

    def key_alone(self, path: Path, name: str) -> str:
        """The same for one of a class: its own content, wherever it is, and its name."""
        return self._key(lambda common: cache_key.key_alone(common, path, name))

    def _key(self, of: Callable[[str], str]) -> str:
        if self._kept is None:
            return ""
        try:
            if time.monotonic() - self._computed_at_s >= _GOOD_S:
                asked = (os.getcwd(), *self._asked)
                self._common = cache_key.common_digest(self._machine, asked, self._specs(), self._given)
                self._computed_at_s = time.monotonic()
            return of(self._common)
        except (UnknownError, OSError):
            return ""

    def found(self, key: str) -> Report | None:
        """The report that is kept under a key."""
        return self._kept.found(key) if self._kept and key else None

    def begin(self, assignment: Assignment, conditions: Conditions) -> None:
        """Take note of what is run from now on: its code as it is before."""
        from pitboss.checking.cache.cacheable import is_settled, named_by

        if self._kept is None or not is_settled(conditions):
            return
        try:
            named = named_by(assignment)
            self._kept.code(named)
            self._named = named
        except (UnknownError, OSError):
            self._named = None

    def keep(self, key: str, words: Sequence[str], report: Report) -> None:
        """Keep the report of a run that began with this key, unless what it depends on has changed meanwhile."""
        if self._kept and self._named and key and self.key(words) == key:
            self._kept.keep(key, self._named, report)

    def keep_alone(self, key: str, path: Path, name: str, report: Report) -> None:
        """The same for one of a class."""
        if self._kept and self._named and key and self.key_alone(path, name) == key:
            self._kept.keep(key, self._named, report)


def _reports_here() -> tuple[CachedReports | None, str]:
    """The reports of this user; or none, and a sentence where the folder for them cannot be used."""
    if "kept" in os.environ.get("PITBOSS_WITHOUT", ""):
        return None, ""
    store, refusal = opened(os.environ)
    return (CachedReports(store) if store else None), refusal
