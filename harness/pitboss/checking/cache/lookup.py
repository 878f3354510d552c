"""Looks up the report of an earlier run before anything is loaded, and caches the report after a run."""

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
    from pitboss.checking.cache.assignment_code import NamedCode
    from pitboss.compare.results import Report
    from pitboss.sessions.drivers import Conditions

#: How long the shared digest is reused, in seconds, so that it is not recomputed for each submission of a class.
_REUSED_S = 0.1


class Cache:
    """The cached reports for one command line."""

    def __init__(self, asked: Iterable[str], specs: Callable[[], Sequence[Path]], given: Iterable[Path] = ()) -> None:
        """Look up reports for the command-line arguments `asked`; `specs` finds the assignments they may refer to.

        `given` are the course's own files.

        If the user's cache folder cannot be used, no report is found or cached, and `refusal` says why.
        """
        self._cached, self.refusal = _open_cache()
        self._asked, self._specs, self._given = tuple(asked), specs, tuple(given)
        self._machine = digest_of_machine(os.environ) if self._cached else ""
        self._common, self._computed_at_s = "", -_REUSED_S
        #: The code that the running assignment names; None as long as nothing may be cached.
        self._named: NamedCode | None = None

    def key(self, words: Sequence[str]) -> str:
        """The key of the report on the submission named by these arguments; empty if the cache cannot be used."""
        return self._key(lambda common: cache_key.key_of(common, cache_key.submission_of(words, self._specs())))

    def key_in_class(self, path: Path, name: str) -> str:
        """The key of the report on one submission of a class: it depends on its content and name, not its location."""
        return self._key(lambda common: cache_key.key_in_class(common, path, name))

    def _key(self, compute: Callable[[str], str]) -> str:
        """The key that `compute` returns for the shared digest; empty if the cache cannot be used."""
        if self._cached is None:
            return ""
        try:
            if time.monotonic() - self._computed_at_s >= _REUSED_S:
                request = (os.getcwd(), *self._asked)
                self._common = cache_key.common_digest(self._machine, request, self._specs(), self._given)
                self._computed_at_s = time.monotonic()
            return compute(self._common)
        except (UnknownError, OSError):
            return ""

    def cached_report(self, key: str) -> Report | None:
        """The cached report with this key, if any."""
        return self._cached.report_with_key(key) if self._cached and key else None

    def begin(self, assignment: Assignment, conditions: Conditions) -> None:
        """Record which assignment is run from now on, and hash its code before the run."""
        from pitboss.checking.cache.cacheable import named_code_of

        if self._cached is None or not conditions.are_repeatable:
            return
        try:
            named = named_code_of(assignment)
            self._cached.code(named)
            self._named = named
        except (UnknownError, OSError):
            self._named = None

    def save(self, key: str, words: Sequence[str], report: Report) -> None:
        """Cache the report of a run that began with this key, unless something it depends on has changed meanwhile."""
        if self._cached and self._named and key and self.key(words) == key:
            self._cached.save(key, self._named, report)

    def save_in_class(self, key: str, path: Path, name: str, report: Report) -> None:
        """Like `save`, for one submission of a class."""
        if self._cached and self._named and key and self.key_in_class(path, name) == key:
            self._cached.save(key, self._named, report)


def _open_cache() -> tuple[CachedReports | None, str]:
    """Return the user's cached reports; or None, with the reason if their folder cannot be used."""
    if "cache" in os.environ.get("PITBOSS_WITHOUT", ""):
        return None, ""
    store, refusal = opened(os.environ)
    return (CachedReports(store) if store else None), refusal
