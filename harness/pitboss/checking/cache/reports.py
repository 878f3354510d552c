"""Cached reports: how they are written and read, and which reports may be cached.

An entry is the report of one run, with the names and a digest of the assignment's code. Without the names, a lookup
would have to load the assignment first, which takes longer than the lookup.
"""

from __future__ import annotations

import msgspec

from pitboss.checking.causes import NamedCode, digest_of_code
from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import MACHINE_DEPENDENT
from pitboss.sandbox.digests import NoDigestError
from pitboss.sandbox.store import Store


class _CacheEntry(msgspec.Struct, frozen=True, array_like=True):
    """An entry of the cache."""

    #: The code that the assignment named when the report was cached.
    named: NamedCode
    #: The digest of the named code and everything it imports.
    code_digest: str
    report: msgspec.Raw


class CachedReports:
    """The reports in a store."""

    def __init__(self, store: Store) -> None:
        """Read and write the entries of this store."""
        self._store = store
        self._code_digests: dict[NamedCode, str] = {}

    def code_digest(self, named: NamedCode) -> str:
        """The digest of an assignment's code, computed once. Raises NoDigestError if the code cannot be determined."""
        if named not in self._code_digests:
            self._code_digests[named] = digest_of_code(named)
        return self._code_digests[named]

    def report_with_key(self, key: str) -> Report | None:
        """The cached report with this key, if the assignment's code has not changed; else None."""
        content = self._store.get(key)
        if content is None:
            return None
        try:
            entry = msgspec.msgpack.decode(content, type=_CacheEntry)
            if self.code_digest(entry.named) != entry.code_digest:
                return None
            return msgspec.msgpack.decode(entry.report, type=Report)
        except (msgspec.MsgspecError, NoDigestError, OSError, ValueError, RecursionError):
            return None

    def save(self, key: str, named: NamedCode, report: Report) -> None:
        """Cache a report under a key, if it may be cached and can be read back unchanged."""
        if not is_cacheable(report):
            return
        try:
            encoded_report = msgspec.msgpack.encode(report)
            if msgspec.msgpack.decode(encoded_report, type=Report) != report:
                return
            entry = _CacheEntry(named, self.code_digest(named), msgspec.Raw(encoded_report))
            # The digest in the entry was computed before the run, and the files may have changed since.
            if digest_of_code(named) == entry.code_digest:
                self._store.put(key, msgspec.msgpack.encode(entry))
        except (msgspec.MsgspecError, NoDigestError, OSError, ValueError, TypeError):
            return


def is_cacheable(report: Report) -> bool:
    """Whether a new run would give the same report: it is complete, has no faults, and does not depend on timing."""
    if report.stopped or report.faults or report.draws_vary or report.verdict is Verdict.JUDGE_ERROR:
        return False
    return all(map(_is_repeatable, report.stages))


def _is_repeatable(stage: StageReport) -> bool:
    if stage.is_partial or stage.faults or stage.verdict is Verdict.JUDGE_ERROR or stage.build_was_stopped:
        return False
    return not any(
        result.verdict is Verdict.JUDGE_ERROR or result.actual.ending.kind in MACHINE_DEPENDENT
        for result in stage.results
    )
