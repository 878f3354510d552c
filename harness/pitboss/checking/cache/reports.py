"""Cached reports: how they are written and read, and which reports may be cached.

An entry is the report of one run, with the code that the assignment named then: otherwise a lookup would have to load
the assignment first, which takes longer than the lookup.
"""

from __future__ import annotations

import msgspec

from pitboss.checking.cache.assignment_code import NamedCode, digest_of_code
from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import EndingKind
from pitboss.sandbox.digests import UnknownError
from pitboss.sandbox.store import Store

#: Endings that depend on how fast or busy this machine was.
_BY_TIME = frozenset(
    {
        EndingKind.OUT_OF_CPU_TIME,
        EndingKind.OUT_OF_IDLE_TIME,
        EndingKind.OUT_OF_REAL_TIME,
        EndingKind.OVER_PROCESSES,
        EndingKind.OVER_STARTS,
        EndingKind.OVER_FOLDER,
        EndingKind.LEFT_PROCESSES,
        EndingKind.FAULT,
    }
)


class _CacheEntry(msgspec.Struct, frozen=True, array_like=True):
    """An entry of the cache."""

    named: NamedCode
    #: The digest of the named code and all that it imports.
    code: str
    report: msgspec.Raw


class CachedReports:
    """The reports in a store."""

    def __init__(self, store: Store) -> None:
        """Read and write the entries of this store."""
        self._store = store
        self._codes: dict[NamedCode, str] = {}

    def code(self, named: NamedCode) -> str:
        """The digest of an assignment's code, computed once; UnknownError if it cannot be determined."""
        if named not in self._codes:
            self._codes[named] = digest_of_code(named)
        return self._codes[named]

    def report_with_key(self, key: str) -> Report | None:
        """The cached report with this key, if the assignment's code has not changed; else None."""
        content = self._store.get(key)
        if content is None:
            return None
        try:
            entry = msgspec.msgpack.decode(content, type=_CacheEntry)
            if self.code(entry.named) != entry.code:
                return None
            return msgspec.msgpack.decode(entry.report, type=Report)
        except (msgspec.MsgspecError, UnknownError, OSError, ValueError, RecursionError):
            return None

    def save(self, key: str, named: NamedCode, report: Report) -> None:
        """Cache a report under a key, if it may be cached and can be read back unchanged."""
        if not is_cacheable(report):
            return
        try:
            written = msgspec.msgpack.encode(report)
            if msgspec.msgpack.decode(written, type=Report) != report:
                return
            entry = _CacheEntry(named, self.code(named), msgspec.Raw(written))
            # The code of the entry was hashed before the run: the files may have changed since.
            if digest_of_code(named) == entry.code:
                self._store.put(key, msgspec.msgpack.encode(entry))
        except (msgspec.MsgspecError, UnknownError, OSError, ValueError, TypeError):
            return


def is_cacheable(report: Report) -> bool:
    """Whether a new run would give the same report: this one is complete, without faults, and independent of timing."""
    if report.stopped or report.faults or report.draws_vary or report.verdict is Verdict.JUDGE_ERROR:
        return False
    return all(map(_is_repeatable, report.stages))


def _is_repeatable(stage: StageReport) -> bool:
    if stage.is_partial or stage.faults or stage.verdict is Verdict.JUDGE_ERROR or stage.build_was_stopped:
        return False
    return not any(
        result.verdict is Verdict.JUDGE_ERROR or result.actual.ending.kind in _BY_TIME for result in stage.results
    )
