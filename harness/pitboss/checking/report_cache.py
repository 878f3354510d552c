"""Reports of earlier runs in the user's cache folder, by everything that they depend on."""

from __future__ import annotations

import os

import msgspec

from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.model.transcript import MACHINE_DEPENDENT
from pitboss.sandbox.digests import Causes, Digest, digest_of_machine
from pitboss.sandbox.store import StoreOrRefusal, open_store


class ReportCache:
    """The cached reports for one command line."""

    def __init__(self, *request: str) -> None:
        """Open the cache; `request` is what reports depend on besides the causes of their results, such as names.

        If the user's cache folder cannot be used, no report is found or cached, and `refusal` says why. It is empty if
        the user has switched the cache off.
        """
        is_off = "cache" in os.environ.get("PITBOSS_WITHOUT", "")
        self._store, self.refusal = StoreOrRefusal(None) if is_off else open_store(os.environ)
        # Computed now, before anything runs: pitboss raises limits that are a part of it.
        self._request = (digest_of_machine(os.environ), os.getcwd(), *request) if self._store else ()

    @property
    def is_usable(self) -> bool:
        return self._store is not None

    def key(self, causes: Causes | None, *names: str) -> str:
        """The key of the report on a submission, which depends on these names too; empty if there is no such report.

        `causes` are None, or have an empty digest of the assignment, if they cannot be determined.
        """
        if self._store is None or causes is None or not causes.assignment:
            return ""
        digest = Digest("report")
        digest.add(*self._request, *causes, *names)
        return digest.text()

    def report(self, key: str) -> Report | None:
        """The cached report with this key, if there is one."""
        content = self._store.get(key) if self._store and key else None
        try:
            return msgspec.msgpack.decode(content, type=Report) if content is not None else None
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None

    def save(self, key: str, report: Report) -> None:
        """Cache a report under a key, if it may be cached and can be read back unchanged.

        The caller has seen that nothing that the key depends on has changed since the run began.
        """
        if self._store is None or not key or not is_cacheable(report):
            return
        try:
            content = msgspec.msgpack.encode(report)
            if msgspec.msgpack.decode(content, type=Report) == report:
                self._store.put(key, content)
        except (msgspec.MsgspecError, ValueError, TypeError):
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
