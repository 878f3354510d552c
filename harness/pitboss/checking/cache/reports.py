"""Reports as entries: how they are written and read, and which may be kept at all.

An entry is the report of one run, with the code of the assignment that it was run with: what an assignment names is
known only once it was loaded, and to load it takes longer than to find an entry.
"""

from __future__ import annotations

import msgspec

from pitboss.checking.cache.assignment_code import Named, digest_of_code
from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import EndingKind
from pitboss.sandbox.digests import UnknownError
from pitboss.sandbox.store import Store

#: Endings that hang on how fast this machine was, or how busy.
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
    """What is kept of a run."""

    named: Named
    #: The digest of the code that begins there.
    code: str
    report: msgspec.Raw


class CachedReports:
    """The reports that are kept in a store."""

    def __init__(self, store: Store) -> None:
        """All that are there."""
        self._store = store
        self._codes: dict[Named, str] = {}

    def code(self, named: Named) -> str:
        """The digest of an assignment's code, computed once; UnknownError if it cannot be told."""
        if named not in self._codes:
            self._codes[named] = digest_of_code(named)
        return self._codes[named]

    def found(self, key: str) -> Report | None:
        """The report that is kept under a key, if the assignment's code is as it was; else None."""
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

    def keep(self, key: str, named: Named, report: Report) -> None:
        """Keep a report under a key, if it may be kept and reads as it was written."""
        if not is_cacheable(report):
            return
        try:
            written = msgspec.msgpack.encode(report)
            if msgspec.msgpack.decode(written, type=Report) != report:
                return
            entry = _CacheEntry(named, self.code(named), msgspec.Raw(written))
            # The code that was run is what it was before the run, and still is.
            if digest_of_code(named) == entry.code:
                self._store.put(key, msgspec.msgpack.encode(entry))
        except (msgspec.MsgspecError, UnknownError, OSError, ValueError, TypeError):
            return


def is_cacheable(report: Report) -> bool:
    """Whether a report says what would be found again: no fault of ours, nothing that hangs on time or on this run."""
    if report.stopped or report.faults or report.draws_vary or report.verdict is Verdict.JUDGE_ERROR:
        return False
    return all(map(_is_lasting, report.stages))


def _is_lasting(stage: StageReport) -> bool:
    if stage.is_partial or stage.faults or stage.verdict is Verdict.JUDGE_ERROR or stage.build_was_stopped:
        return False
    return not any(one.verdict is Verdict.JUDGE_ERROR or one.actual.ending.kind in _BY_TIME for one in stage.results)
