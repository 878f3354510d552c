"""Distributes a class to a Dask cluster. A worker is compared with this machine, then checks one submission at a time.

If a worker is lost, another worker tries its submission, up to a limit. Submissions are pinned to workers: Dask moves
no submission to a worker that was not compared, and no submission is checked twice at once.
"""

from __future__ import annotations

import contextlib
import logging
import operator
import os
import pkgutil
import queue
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from pitboss.checking.cluster import worker
from pitboss.checking.cluster.cluster_packing import UnsendableError, order_of, tar_of
from pitboss.checking.partial import fault_report
from pitboss.compare.results import Report
from pitboss.errors import SessionError, UsageError, as_found, shortened
from pitboss.extras import missing_for
from pitboss.sessions.job import Job

K = TypeVar("K")
#: A submission is given up after this many workers were lost while checking it.
MAX_TRIES = 3
#: After this many seconds without a worker that may grade, the check ends. The time suffices to restart a lost worker.
MAX_TIME_WITHOUT_WORKERS_S = 20.0
#: The list of workers is updated at least this often, in seconds, while we wait for answers.
_LOOK_S = 0.5
#: How long the scheduler may take to answer, in seconds.
_ANSWER_S = 10
#: How long `close` may take, in seconds.
_ENDING_S = 15
#: Replaces the empty answer of a process that ended too early: the reason why its worker may not grade, as JSON.
_NO_ANSWER = b'"pitboss ended there before it answered; the log of the worker says why"'
#: The fault of a submission that is given up.
_TOO_MANY_LOST_WORKERS = f"{MAX_TRIES} workers of the cluster were lost while they checked it"


def check_address(address: str) -> None:
    """Raise UsageError if `address` cannot be the address of a scheduler, or if Dask is not installed here."""
    protocol, _, host_and_port = address.rpartition("://")
    host, _, port = host_and_port.rpartition(":")
    if protocol not in ("", "tcp", "tls", "ws", "wss") or not (host and port.isdecimal() and 0 < int(port) < 1 << 16):
        rule = "it must be the address of a Dask scheduler: tcp://HOST:PORT, or tls://HOST:PORT"
        raise UsageError(f"--cluster {as_found(address)} — {rule}")
    if missing := missing_for("--cluster", "distributed"):
        raise UsageError(missing)


def connect_client(address: str) -> Any:
    """Return a Dask client of the scheduler at this address.

    Raises UsageError if the connection needs TLS keys that are not configured, SessionError if no scheduler answers.
    """
    import dask
    import distributed

    logging.disable()  # we report connection problems ourselves
    warnings.filterwarnings("ignore", module="distributed")
    dask.config.set({"distributed.comm.timeouts.connect": f"{_ANSWER_S}s"})
    untyped_distributed: Any = distributed
    keys = untyped_distributed.Security().get_connection_args("client")
    if address.startswith(("tls:", "wss:")) and not keys.get("ssl_context"):
        missing_keys = "no keys for TLS are configured here — Dask looks for them under distributed.comm.tls"
        raise UsageError(f"--cluster {address}: {missing_keys}")
    try:
        return untyped_distributed.Client(address, timeout=_ANSWER_S, set_as_default=False, direct_to_workers=False)
    except Exception as error:
        raise SessionError(f"no Dask scheduler answers at {address}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


class ClusterCheck(Generic[K]):
    """The check of a class on a cluster."""

    def __init__(
        self, address: str, job: Job, submissions: Mapping[K, tuple[Path, str]], say: Callable[[str], None]
    ) -> None:
        """Connect to the scheduler at `address`; `say` is called with sentences for the user.

        Raises UsageError for a wrong address or an assignment that cannot be sent, SessionError if no scheduler
        answers.
        """
        check_address(address)
        self._address, self._job, self._submissions, self._say = address, job, submissions, say
        order = order_of(job)
        #: The packed work order.
        self._order = msgspec.msgpack.encode(order)
        #: The facts about this machine that must be equal on the workers' machines.
        self._facts = worker.facts_here(job.conditions, order.installed)
        self._client = connect_client(address)
        #: Whether each present worker may grade, by the worker's address; None until the worker has been compared.
        self._workers: dict[str, bool | None] = {}
        #: Whether any worker has ever passed the comparison.
        self._had_usable_worker = False
        #: The keys of submissions that no worker is checking yet.
        self._waiting = deque(submissions)
        #: The number of workers that were lost while checking a submission, by the submission's key.
        self._lost_workers = Counter[K]()
        #: Pending Dask futures, with the worker's address and the submission's key (None for a comparison).
        self._running: dict[Any, tuple[str, K | None]] = {}
        #: Dask futures that have finished since they were last handled.
        self._finished = queue.SimpleQueue[Any]()
        #: When there last was a worker that may grade or was not compared yet (time.monotonic); at first, the beginning
        #: of this check.
        self._last_usable_s = time.monotonic()
        #: The keys of submissions to check on this machine: they cannot be sent, or their reports cannot be sent back.
        self.keys_for_this_machine: list[K] = []

    def reports(self) -> Iterator[tuple[K, Report]]:
        """Yield each submission's key and report as soon as the report is ready.

        Yields nothing for the submissions in `keys_for_this_machine`. Raises SessionError if no worker may grade, or if
        all workers or the scheduler are lost.
        """
        count = 0
        try:
            while self._waiting or self._running:
                self._update_workers()
                self._assign_submissions()
                for key, report in self._next_reports():
                    yield key, report
                    count += 1
        except Exception as error:
            loss = f"the Dask scheduler at {self._address} is gone: {_reason(error)}"
            count_note = (
                f"; {count} of {len(self._submissions)} submissions were checked by then, and their reports are saved"
            )
            reason = str(error) if isinstance(error, SessionError) else loss
            raise SessionError(f"{reason}{count_note if count else ''}") from error

    def close(self) -> None:
        """Cancel outstanding work, and leave nothing of the class on the workers; takes at most _ENDING_S."""
        ending = threading.Thread(target=self._disconnect, daemon=True)
        ending.start()
        ending.join(_ENDING_S)

    def _disconnect(self) -> None:
        """Cancel outstanding work, terminate the processes on the workers, and close the connection."""
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel(list(self._running), force=True)
            self._client.run(worker.stop, self._client.id, on_error="ignore")
        with contextlib.suppress(Exception):
            self._client.close(timeout=_ANSWER_S)

    def _update_workers(self) -> None:
        """Note which workers are present, and begin to compare each new worker.

        Raises SessionError if all workers are refused from the beginning, or if no worker has been allowed to grade for
        MAX_TIME_WITHOUT_WORKERS_S.
        """
        present = self._client.nthreads()
        self._workers = {address: may_grade for address, may_grade in self._workers.items() if address in present}
        for address in sorted(present.keys() - self._workers.keys()):
            self._workers[address] = None
            self._submit(address, None)
        if any(may_grade is not False for may_grade in self._workers.values()):  # None: it may turn out usable
            self._last_usable_s = time.monotonic()
        elif self._workers and not self._had_usable_worker:
            raise SessionError(f"no worker of {self._address} may grade, and nothing was run")
        elif time.monotonic() - self._last_usable_s > MAX_TIME_WITHOUT_WORKERS_S:
            raise SessionError(
                f"{self._address} has had no worker that may grade for {MAX_TIME_WITHOUT_WORKERS_S:g} seconds"
            )

    def _assign_submissions(self) -> None:
        """Give each free worker a submission."""
        busy = [address for address, _ in self._running.values()]
        free = [address for address, may_grade in self._workers.items() if may_grade and address not in busy]
        while free and self._waiting:
            key = self._waiting.popleft()
            path, name = self._submissions[key]
            try:
                self._submit(free[-1], key, name, os.fsencode(path), tar_of(path, follows=False))
                free.pop()
            except (UnsendableError, ValueError) as error:
                self._leave_to_this_machine(key, str(error))

    def _submit(self, address: str, key: K | None, *submission: str | bytes) -> None:
        """Request a check of a submission from a worker; without a submission, the facts about the worker's machine.

        The check runs on one core of that machine.
        """
        # In the order of addresses, the workers of one machine have successive numbers, so they use different cores.
        core, pinning = sorted(self._workers).index(address), {"workers": [address], "pure": False}
        # The function is sent by name: a worker without pitboss would not survive receiving the function itself.
        function = self._client.submit(pkgutil.resolve_name, f"{worker.__name__}:run_in_process", **pinning)
        arguments = (function, self._client.id, core, self._order, *submission)
        future = self._client.submit(operator.call, *arguments, **pinning)
        self._running[future] = (address, key)
        future.add_done_callback(self._finished.put)

    def _next_reports(self) -> Iterator[tuple[K, Report]]:
        """Yield the next report, if a report arrives within _LOOK_S, and reports on submissions that are given up.

        An answer to a comparison decides whether its worker may grade.
        """
        futures = [future for future, (address, _) in self._running.items() if address not in self._workers]
        has_lost_workers = bool(futures)
        with contextlib.suppress(queue.Empty):
            futures.append(self._finished.get(timeout=0 if has_lost_workers else _LOOK_S))
        for future in futures:
            # A future that finishes after its worker was lost has been handled already.
            address, key = self._running.pop(future, ("", None))
            if key is not None:
                yield from self._report_on(key, future if address in self._workers else None)
            elif address in self._workers:
                self._workers[address] = self._may_grade(address, future)

    def _may_grade(self, address: str, future: Any) -> bool:
        """Return whether a worker may grade: `future` has the facts to compare. If not, the user gets the reason."""
        try:
            answer = future.result(timeout=_ANSWER_S) or _NO_ANSWER
            facts = msgspec.json.decode(answer, type=dict[str, str] | str)
            reason = facts if isinstance(facts, str) else worker.differences(facts, self._facts)
        except Exception as error:
            reason = f"pitboss does not answer there: {shortened(f'{type(error).__name__}: {_reason(error)}')}"
        if reason:
            self._say(f"{address} is not used: {reason}")
        self._had_usable_worker |= not reason
        return not reason

    def _report_on(self, key: K, future: Any) -> Iterator[tuple[K, Report]]:
        """Yield the report on a submission; nothing if this machine or another worker checks the submission later.

        `future` has the report; None if the worker is lost.
        """
        try:
            report = msgspec.json.decode(future.result(timeout=_ANSWER_S), type=Report | None)
        except Exception:  # the worker is lost (`future` is None), or its process has ended, or the answer is lost
            self._lost_workers[key] += 1
            if self._lost_workers[key] < MAX_TRIES:
                self._waiting.appendleft(key)
            else:
                yield key, fault_report(self._job, self._submissions[key][1], _TOO_MANY_LOST_WORKERS)
        else:
            if report is None:
                self._leave_to_this_machine(key, "its report cannot be sent")
            else:
                yield key, report

    def _leave_to_this_machine(self, key: K, reason: str) -> None:
        """Add a submission to those that this machine checks, and report the reason to the user."""
        self._say(f"{self._submissions[key][1]} is checked on this machine: {reason}")
        self.keys_for_this_machine.append(key)
