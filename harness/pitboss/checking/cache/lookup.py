"""Looks up the report of an earlier run before the assignment is loaded, and caches the report after a run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pitboss.checking.cache import cache_key
from pitboss.checking.cache.reports import CachedReports
from pitboss.sandbox.digests import NoDigestError
from pitboss.sandbox.fingerprint import digest_of_machine
from pitboss.sandbox.store import open_store

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Assignment
    from pitboss.checking.causes import NamedCode
    from pitboss.compare.results import Report
    from pitboss.sessions.drivers import Conditions

#: How long the digest that all submissions share is reused, in seconds, so that it is not recomputed for each of them.
_REUSED_S = 0.1


class Cache:
    """The cached reports for one command line."""

    def __init__(
        self, request: Iterable[str], find_assignments: Callable[[], Sequence[Path]], given: Iterable[Path] = ()
    ) -> None:
        """Open the cache for the command-line arguments `request`.

        `find_assignments` returns the folders of the assignments that the arguments may refer to. `given` are the
        course's own files. If the user's cache folder cannot be used, no report is found or cached, and `refusal` says
        why.
        """
        self._cached, self.refusal = _open_cache()
        self._request, self._find_assignments, self._given = tuple(request), find_assignments, tuple(given)
        self._machine = digest_of_machine(os.environ) if self._cached else ""
        #: The digest that all submissions share.
        self._common = ""
        #: When that digest was computed (time.monotonic).
        self._computed_at_s = -_REUSED_S
        #: The code that the running assignment names; None while no report may be cached.
        self._named_code: NamedCode | None = None

    def key(self, arguments: Sequence[str]) -> str:
        """The key of the report on the submission named by these arguments; empty if the cache cannot be used."""
        return self._key(
            lambda common: cache_key.key_of(common, cache_key.paths_of_submission(arguments, self._find_assignments()))
        )

    def key_in_class(self, path: Path, name: str) -> str:
        """The key of the report on one submission of a class; depends on its content and name, not on its location."""
        return self._key(lambda common: cache_key.key_in_class(common, path, name))

    def _key(self, compute: Callable[[str], str]) -> str:
        """Call `compute` with the digest that all submissions share, and return the key; empty without usable cache."""
        if self._cached is None:
            return ""
        try:
            if time.monotonic() - self._computed_at_s >= _REUSED_S:
                request = (os.getcwd(), *self._request)
                self._common = cache_key.common_digest(self._machine, request, self._find_assignments(), self._given)
                self._computed_at_s = time.monotonic()
            return compute(self._common)
        except (NoDigestError, OSError):
            return ""

    def cached_report(self, key: str) -> Report | None:
        return self._cached.report_with_key(key) if self._cached and key else None

    def begin(self, assignment: Assignment, conditions: Conditions) -> None:
        """Record that this assignment is run from now on, and hash its code before the run.

        If its code is unknown, or the conditions are not repeatable, no report of the run is cached.
        """
        from pitboss.checking.causes import named_code_of

        if self._cached is None or not conditions.are_repeatable:
            return
        try:
            named = named_code_of(assignment)
            self._cached.code_digest(named)  # computed now, for `save`
            self._named_code = named
        except (NoDigestError, OSError):
            self._named_code = None

    def save(self, key: str, arguments: Sequence[str], report: Report) -> None:
        """Cache the report of a run that began with this key, unless something it depends on has changed meanwhile."""
        if self._cached and self._named_code and key and self.key(arguments) == key:
            self._cached.save(key, self._named_code, report)

    def save_in_class(self, key: str, path: Path, name: str, report: Report) -> None:
        """Like `save`, for one submission of a class."""
        if self._cached and self._named_code and key and self.key_in_class(path, name) == key:
            self._cached.save(key, self._named_code, report)


def _open_cache() -> tuple[CachedReports | None, str]:
    """Return the user's cached reports, and an empty reason; without a usable cache, return None and the reason.

    The reason is empty if the user has switched the cache off.
    """
    if "cache" in os.environ.get("PITBOSS_WITHOUT", ""):
        return None, ""
    store, refusal = open_store(os.environ)
    return (CachedReports(store) if store else None), refusal
