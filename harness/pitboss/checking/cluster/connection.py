"""The connection to a Dask cluster. Whatever distributed raises becomes a sentence, and what it logs nobody sees."""

from __future__ import annotations

import contextlib
import logging
import pkgutil
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from pitboss.checking.cluster import remote
from pitboss.errors import SessionError, UsageError, as_found
from pitboss.extras import missing_for

T = TypeVar("T")
#: How long a scheduler may take to answer, in seconds; and how long the end of a class may.
ANSWER_S = 10
_ENDING_S = 15
_PROTOCOLS = ("tcp", "tls", "ws", "wss")
_NOISY = ("distributed", "tornado", "asyncio", "bokeh")


def see_address(address: str) -> None:
    """Raise UsageError if this cannot be the address of a scheduler, or if there is no Dask here to ask it."""
    protocol, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if (protocol and protocol not in _PROTOCOLS) or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UsageError(
            f"--cluster {as_found(address)} — it is the address of a Dask scheduler: tcp://HOST:PORT, or tls://HOST:PORT"
        )
    if missing := missing_for("--cluster", "distributed"):
        raise UsageError(missing)


class Pending(NamedTuple):
    """Something that a worker was asked."""

    future: Any

    @property
    def is_done(self) -> bool:
        """Whether it has been answered, or never will be."""
        return bool(self.future.done())


class Connection:
    """A connection to a scheduler."""

    def __init__(self, address: str) -> None:
        """Connect. Raises UsageError for what is no address, SessionError if nobody answers in ANSWER_S seconds."""
        see_address(address)
        self._address = address
        self._client: Any = self._told(f"no Dask scheduler answers at {address}", lambda: _client(address))

    def _told(self, sentence: str, call: Callable[[], T]) -> T:
        """What a call of distributed returns; SessionError with the sentence if it fails."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return call()
        except UsageError:
            raise
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise SessionError(f"{sentence}: {reason}") from error

    def workers(self) -> list[str]:
        """The addresses of the workers that are there now; SessionError if the scheduler is gone."""
        gone = f"the Dask scheduler at {self._address} is gone"
        return sorted(self._told(gone, self._client.nthreads))

    def look(self, worker: str) -> Pending:
        """Look whether a worker has pitboss with this part of it: one that has not would not survive what is next."""
        return self._submitted(worker, pkgutil.resolve_name, f"{remote.__name__}:{remote.begun.__name__}")

    def begin(self, worker: str, key: str, message: bytes) -> Pending:
        """Have this worker get ready for a class."""
        return self._submitted(worker, remote.begun, key, message)

    def check(self, worker: str, key: str, message: bytes) -> Pending:
        """Have this worker check a submission."""
        return self._submitted(worker, remote.checked, key, message)

    def _submitted(self, worker: str, function: Callable[..., object], *arguments: object) -> Pending:
        submit = self._client.submit
        told = f"the Dask scheduler at {self._address} takes no jobs"
        pinned = {"workers": [worker], "allow_other_workers": False, "pure": False}
        return Pending(self._told(told, lambda: submit(function, *arguments, **pinned)))

    def wait(self, asked: Iterable[Pending], most_s: float) -> None:
        """Wait until one of these is done, no longer than this."""
        import distributed

        found = [one.future for one in asked]
        _wait: Any = distributed.wait
        if not found:
            time.sleep(most_s)
            return
        with contextlib.suppress(Exception), warnings.catch_warnings():  # what has become of each is asked of it
            warnings.simplefilter("ignore")
            _wait(found, timeout=most_s, return_when="FIRST_COMPLETED")

    def refusal(self, pending: Pending) -> str:
        """Why what is done has failed, as a text of one line; empty if it has not."""
        try:
            error = pending.future.exception(timeout=ANSWER_S)
        except Exception as trouble:
            error = trouble
        if error is None:
            return ""
        return f"{type(error).__name__}: {' '.join(str(error).split()) or 'no reason is given'}"

    def answer(self, pending: Pending) -> bytes | str:
        """What a job came to that is done: its answer, or what went wrong on the way, as a text."""
        if refusal := self.refusal(pending):
            return refusal
        try:
            answer = pending.future.result(timeout=ANSWER_S)
        except Exception as error:
            return f"{type(error).__name__}: its answer is lost"
        return answer if isinstance(answer, bytes) else "its answer is none of pitboss'"

    def cancel(self, asked: Iterable[Pending]) -> None:
        """Have these not begun any more."""
        with contextlib.suppress(Exception):
            self._client.cancel([one.future for one in asked], force=True)

    def close(self, asked: Iterable[Pending], key: str, workers: list[str]) -> None:
        """Cancel these, end what the workers have running for a class, and disconnect; in a stated time."""

        def end() -> None:
            self.cancel(asked)
            if workers:
                with contextlib.suppress(Exception):
                    self._client.run(remote.released, key, workers=workers, on_error="ignore")
            with contextlib.suppress(Exception):
                self._client.close(timeout=ANSWER_S)

        ending = threading.Thread(target=end, daemon=True)
        ending.start()
        ending.join(_ENDING_S)


def _client(address: str) -> Any:
    import dask
    import distributed

    # Its loggers have levels of their own, which it sets when it is imported.
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _NOISY:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    dask.config.set({"distributed.comm.timeouts.connect": f"{ANSWER_S}s"})
    engine: Any = distributed
    security = engine.Security()
    if address.startswith(("tls:", "wss:")) and not security.get_connection_args("client").get("ssl_context"):
        raise UsageError(
            f"--cluster {address}: no keys for TLS are configured here — Dask looks for them under distributed.comm.tls"
        )
    return engine.Client(address, security=security, timeout=ANSWER_S, set_as_default=False, direct_to_workers=False)
