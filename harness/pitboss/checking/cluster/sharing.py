"""Distributes a class to a Dask cluster. A worker is compared with this machine, then checks one submission at a time.

If a worker is lost, another worker tries its submission, up to a limit. Submissions are pinned to workers: Dask moves
none to a worker that was not compared, and no submission is checked twice at once.
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
from pitboss.checking.reported import fault_report
from pitboss.compare.results import Report
from pitboss.errors import SessionError, UsageError, as_found, shortened
from pitboss.extras import missing_for
from pitboss.sessions.job import Job

K = TypeVar("K")
#: A submission is given up after this many workers were lost while they checked it.
MAX_TRIES = 3
#: After this many seconds without a worker that may grade, the check ends: enough to start a lost worker again.
WITHOUT_WORKERS_S = 20.0
#: Seconds: how long we wait for an answer before we look for workers again; how long a scheduler may take to answer;
#: and how long `close` may take.
_LOOK_S, _ANSWER_S, _ENDING_S = 0.5, 10, 15
_ENDED = b'"pitboss ended there before it answered; the log of the worker says why"'
_HOPELESS = f"{MAX_TRIES} workers of the cluster were lost while they checked it"


def check_address(address: str) -> None:
    """Raise UsageError if this cannot be the address of a scheduler, or Dask is not installed here."""
    protocol, _, host_and_port = address.rpartition("://")
    host, _, port = host_and_port.rpartition(":")
    if protocol not in ("", "tcp", "tls", "ws", "wss") or not (host and port.isdecimal() and 0 < int(port) < 1 << 16):
        rule = "it is the address of a Dask scheduler: tcp://HOST:PORT, or tls://HOST:PORT"
        raise UsageError(f"--cluster {as_found(address)} — {rule}")
    if missing := missing_for("--cluster", "distributed"):
        raise UsageError(missing)


def connect_client(address: str) -> Any:
    """A client of the scheduler. UsageError if it needs keys that are missing, SessionError if it does not answer."""
    import dask
    import distributed

    logging.disable()  # we report connection problems ourselves
    warnings.filterwarnings("ignore", module="distributed")
    dask.config.set({"distributed.comm.timeouts.connect": f"{_ANSWER_S}s"})
    engine: Any = distributed
    keys = engine.Security().get_connection_args("client")
    if address.startswith(("tls:", "wss:")) and not keys.get("ssl_context"):
        missing_keys = "no keys for TLS are configured here — Dask looks for them under distributed.comm.tls"
        raise UsageError(f"--cluster {address}: {missing_keys}")
    try:
        return engine.Client(address, timeout=_ANSWER_S, set_as_default=False, direct_to_workers=False)
    except Exception as error:
        raise SessionError(f"no Dask scheduler answers at {address}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


class ClusterCheck(Generic[K]):
    """A class that is being checked by a cluster."""

    def __init__(
        self, address: str, job: Job, submissions: Mapping[K, tuple[Path, str]], say: Callable[[str], None]
    ) -> None:
        """Connect; `say` is called with sentences for the user.

        Raises UsageError for a wrong address or an assignment that cannot be sent, SessionError without an answer.
        """
        check_address(address)
        self._address, self._job, self._submissions, self._say = address, job, submissions, say
        order = order_of(job)
        self._order, self._facts = msgspec.msgpack.encode(order), worker.facts_here(job.conditions, order.installed)
        self._client = connect_client(address)
        #: Whether each present worker may grade, None until it has been compared; and whether any worker ever could.
        self._workers, self._was_good = dict[str, bool | None](), False
        self._waiting, self._tries = deque(submissions), Counter[K]()
        #: Pending Dask futures, with worker and submission (None for a comparison); and a queue of finished futures.
        self._running, self._finished = dict[Any, tuple[str, K | None]](), queue.SimpleQueue[Any]()
        #: The last time when a worker might grade; at first, the beginning.
        self._seen_at = time.monotonic()
        #: Submissions that cannot be sent, or whose reports cannot be sent back: they are checked on this machine.
        self.left: list[K] = []

    def reports(self) -> Iterator[tuple[K, Report]]:
        """Yield each submission and its report as soon as it is ready; none for the submissions in `left`.

        Raises SessionError if no worker may grade, or if all workers or the scheduler are lost.
        """
        count = 0
        try:
            while self._waiting or self._running:
                self._update_workers()
                self._assign_submissions()
                for key, report in self._reports():
                    yield key, report
                    count += 1
        except Exception as error:
            gone = f"the Dask scheduler at {self._address} is gone: {_reason(error)}"
            partial = (
                f"; {count} of {len(self._submissions)} submissions were checked by then, and their reports are saved"
            )
            reason = str(error) if isinstance(error, SessionError) else gone
            raise SessionError(f"{reason}{partial if count else ''}") from error

    def close(self) -> None:
        """Cancel outstanding work, and leave nothing of the class on the workers; takes a limited time."""
        ending = threading.Thread(target=self._end, daemon=True)
        ending.start()
        ending.join(_ENDING_S)

    def _end(self) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel(list(self._running), force=True)
            self._client.run(worker.stop, self._client.id, on_error="ignore")
        with contextlib.suppress(Exception):
            self._client.close(timeout=_ANSWER_S)

    def _update_workers(self) -> None:
        """Note which workers are present, and have new workers compared.

        Raises SessionError if all workers are refused from the beginning, or if none may grade for WITHOUT_WORKERS_S.
        """
        present = self._client.nthreads()
        self._workers = {address: is_good for address, is_good in self._workers.items() if address in present}
        for address in sorted(present.keys() - self._workers.keys()):
            self._workers[address] = None
            self._submit(address, None)
        if any(is_good is not False for is_good in self._workers.values()):
            self._seen_at = time.monotonic()
        elif self._workers and not self._was_good:
            raise SessionError(f"no worker of {self._address} may grade, and nothing was run")
        elif time.monotonic() - self._seen_at > WITHOUT_WORKERS_S:
            raise SessionError(f"{self._address} has had no worker that may grade for {WITHOUT_WORKERS_S:g} seconds")

    def _assign_submissions(self) -> None:
        """Give each free worker a submission."""
        busy = [address for address, _ in self._running.values()]
        free = [address for address, is_good in self._workers.items() if is_good and address not in busy]
        while free and self._waiting:
            key = self._waiting.popleft()
            path, name = self._submissions[key]
            try:
                self._submit(free[-1], key, name, os.fsencode(path), tar_of(path, follows=False))
                free.pop()
            except (UnsendableError, ValueError) as error:
                self._leave_to_this_machine(key, str(error))

    def _submit(self, address: str, key: K | None, *submission: str | bytes) -> None:
        """Have a worker check a submission on one core of its machine, or report its facts without a submission."""
        core, pinned = sorted(self._workers).index(address), {"workers": [address], "pure": False}
        # The function is sent by name: a worker without pitboss would not survive the function itself.
        function = self._client.submit(pkgutil.resolve_name, f"{worker.__name__}:run_in_process", **pinned)
        arguments = (function, self._client.id, core, self._order, *submission)
        future = self._client.submit(operator.call, *arguments, **pinned)
        self._running[future] = (address, key)
        future.add_done_callback(self._finished.put)

    def _reports(self) -> Iterator[tuple[K, Report]]:
        """Yield the next report, if one arrives within _LOOK_S, and reports on submissions that are given up."""
        finished = [future for future, (address, _) in self._running.items() if address not in self._workers]
        with contextlib.suppress(queue.Empty):
            finished.append(self._finished.get(timeout=0 if finished else _LOOK_S))
        for future in finished:
            address, key = self._running.pop(future, ("", None))
            if key is not None:
                yield from self._report_on(key, future if address in self._workers else None)
            elif address in self._workers:
                self._workers[address] = self._may_grade(address, future)

    def _may_grade(self, address: str, future: Any) -> bool:
        """Whether a worker may grade; reports the reason if it may not."""
        try:
            answer = future.result(timeout=_ANSWER_S) or _ENDED
            facts = msgspec.json.decode(answer, type=dict[str, str] | str)
            reason = facts if isinstance(facts, str) else worker.differences(facts, self._facts)
        except Exception as error:
            reason = f"pitboss does not answer there: {shortened(f'{type(error).__name__}: {_reason(error)}')}"
        if reason:
            self._say(f"{address} is not used: {reason}")
        self._was_good |= not reason
        return not reason

    def _report_on(self, key: K, future: Any) -> Iterator[tuple[K, Report]]:
        """Yield the report on a submission; nothing if this machine or another worker checks it later."""
        try:
            report = msgspec.json.decode(future.result(timeout=_ANSWER_S), type=Report | None)
        except Exception:  # the worker is lost, or its process, or the answer
            self._tries[key] += 1
            if self._tries[key] < MAX_TRIES:
                self._waiting.appendleft(key)
            else:
                yield key, fault_report(self._job, self._submissions[key][1], _HOPELESS)
        else:
            if report is None:
                self._leave_to_this_machine(key, "its report cannot be sent")
            else:
                yield key, report

    def _leave_to_this_machine(self, key: K, reason: str) -> None:
        self._say(f"{self._submissions[key][1]} is checked on this machine: {reason}")
        self.left.append(key)
