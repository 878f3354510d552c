"""Runs many sessions of one program at once: one epoll loop over the links of a worker process."""

from __future__ import annotations

import contextlib
import select
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pitboss.errors import SessionError
from pitboss.model.scripts import Script
from pitboss.model.transcript import ENDLESS, Transcript
from pitboss.sandbox import shortages
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.retry import obtained, refused
from pitboss.sessions.terminal import NO_TERMINAL
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.traced_session import TracedSession

#: How long nothing may happen before every session is checked, in seconds. No verdict depends on it: it only keeps
#: floods flowing and finds what no notification reports.
_TICK_S = 0.002
#: How long we wait before asking for another link when one was not available, in seconds.
_WIDENING_S = 0.2


class Loop:
    """Runs sessions on the links of one program."""

    def __init__(self, take_link: Callable[[], LauncherClient | None]) -> None:
        """Take the first link of one program, and later another whenever all running programs wait for something.

        One link keeps a core busy as long as programs only wait for us; each takes a millisecond to set up.
        `take_link` returns None when there are no more, and raises OSError while this machine is short of something.
        The loop closes its links when it is closed.
        """
        self._take_link = take_link
        self._links: list[LauncherClient] = []
        #: Whether sessions run one at a time: until the program has shown that it ends by itself.
        self._is_narrow = True
        #: When to ask for another link, after one was not available.
        self._widens_at = 0.0
        #: A session for which no terminal was available while others ran.
        self._put_back: tuple[int, Script] | None = None
        self._on: dict[int, Callable[[], None]] = {}
        self._poll = obtained("no session can be run", select.epoll)
        try:
            first = obtained("no session can be run", take_link)
            if first is None:
                raise SessionError("no session can be run: nothing is left to run one on")
            self._add(first)
        except BaseException:
            self.close()
            raise

    def _add(self, link: LauncherClient) -> None:
        self._links.append(link)
        for descriptor, react in ((link.listener, link.on_stop), (link.number, link.on_message)):
            obtained("no session can be run", partial(self._watch, descriptor, react))

    def _watch(self, descriptor: int, react: Callable[[], None]) -> None:
        """Call a function whenever a descriptor is readable; OSError if the kernel refuses."""
        self._poll.register(descriptor, select.EPOLLIN)
        self._on[descriptor] = react

    def _widen(self) -> None:
        """Take another link, if one is left and no resource that it needs is short."""
        if time.monotonic() < self._widens_at:
            return
        try:
            link = self._take_link()
        except OSError:
            self._widens_at = time.monotonic() + _WIDENING_S
            return
        if link is not None:
            self._add(link)

    def _is_idle(self) -> bool:
        """Whether another session could run now because all running ones wait for something."""
        if self._is_narrow:
            return False
        return all(link.session is not None and link.session.is_asleep for link in self._links)

    def run(
        self, scripts: Iterable[Script], limits: Limits, *, skips_pauses: bool = True
    ) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script; yields its number and transcript, in the order in which sessions end."""
        try:
            yield from self._run(enumerate(scripts), limits, skips_pauses)
        except OSError as error:
            raise refused("the sessions could not be run", error) from error

    def _run(
        self, waiting: Iterator[tuple[int, Script]], limits: Limits, skips_pauses: bool
    ) -> Iterator[tuple[int, Transcript]]:
        self._is_narrow, self._put_back = True, None
        numbers: dict[int, int] = {}
        self._fill(waiting, numbers, limits, skips_pauses)
        ticked_at = time.monotonic()
        while numbers:
            heard = self._poll.poll(_TICK_S)
            for descriptor, _ in heard:
                self._on[descriptor]()
            if not heard and self._is_idle():
                self._widen()
                self._fill(waiting, numbers, limits, skips_pauses)
            now = time.monotonic()
            if now - ticked_at >= _TICK_S:
                ticked_at = now
                for link in self._links:
                    link.on_tick()
            over = [index for index in numbers if self._is_over(index)]
            for index in over:
                yield numbers.pop(index), self._finish(index)
            if over:
                self._fill(waiting, numbers, limits, skips_pauses)

    def _is_over(self, index: int) -> bool:
        session = self._links[index].session
        return session is not None and session.is_over

    def _finish(self, index: int) -> Transcript:
        transcript = self._links[index].finish()
        # It may do so each time, and uses all that it is allowed: then sessions run one at a time.
        self._is_narrow = transcript.ending.kind in ENDLESS
        return transcript

    def _fill(
        self, waiting: Iterator[tuple[int, Script]], numbers: dict[int, int], limits: Limits, skips_pauses: bool
    ) -> None:
        for index, link in enumerate(self._links):
            if self._is_narrow and numbers:
                return
            if link.session is None:
                number, script = self._put_back or next(waiting, (None, None))
                if number is None or script is None:
                    return
                make = partial(TracedSession, script, limits, link.context, skips_pauses=skips_pauses)
                try:
                    # Do not wait while others run: they release their terminals, and would seem idle meanwhile.
                    session = make() if numbers else obtained(NO_TERMINAL, make)
                except OSError as error:
                    if not shortages.is_short(error.errno):
                        raise
                    self._put_back = (number, script)
                    return
                self._put_back = None
                numbers[index] = number
                link.start(session)

    def close(self) -> None:
        """Close all links."""
        with contextlib.ExitStack() as leaving:
            leaving.callback(self._poll.close)
            for link in self._links:
                leaving.callback(link.close)
