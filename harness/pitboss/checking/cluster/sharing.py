"""Sharing out a class: each worker is compared, sent the class once, and then one submission after the other.

A worker that is lost costs its job a try, and another takes it. Jobs are pinned: Dask moves none to a worker that was
not compared, and none is run twice at once.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from pitboss.checking.cluster.connection import Connection, Pending
from pitboss.checking.cluster.facts import differences, facts_here
from pitboss.checking.cluster.messages import Begin, Checked, Ready, answer_in, encoded
from pitboss.checking.cluster.packing import UnsendableError
from pitboss.checking.cluster.sending import class_of, submission_of
from pitboss.checking.reported import fault_report
from pitboss.compare.results import Report
from pitboss.errors import SessionError, shortened
from pitboss.sessions.job import Job

K = TypeVar("K")
#: A job that this many workers were lost in is not tried by another.
MOST_TRIES = 3
#: How long there may be no worker before we give up, in seconds: one that was lost is started again within it.
WITHOUT_WORKERS_S = 20.0
#: How often it is looked which workers are there, in seconds.
_LOOK_S = 0.5
_HOPELESS = f"{MOST_TRIES} workers of the cluster were lost while they checked it"
Say = Callable[[str], None]


class _Member:
    """A worker, and what it was asked last."""

    def __init__(self, address: str, number: int) -> None:
        self.address, self.number = address, number
        #: What it is doing; None if it is free, or refused.
        self.pending: Pending | None = None
        #: Whether it has pitboss, was compared, or may not grade.
        self.is_found = self.is_ready = self.is_refused = False


class Sharing(Generic[K]):
    """A class that is being checked by a cluster."""

    def __init__(self, address: str, job: Job, submissions: Mapping[K, tuple[Path, str]], say: Say) -> None:
        """Connect; `say` is told in sentences what people should know meanwhile.

        Raises UsageError for a wrong address or an assignment that cannot be sent, SessionError if nobody answers.
        """
        self._job, self._submissions, self._say = job, submissions, say
        self._class = class_of(job)
        self._facts = facts_here(job.conditions, self._class.installed)
        self._connection = Connection(address)
        self._address = address
        self._members: dict[str, _Member] = {}
        self._waiting = deque(submissions)
        self._at: dict[str, K] = {}
        self._tries = Counter[K]()
        #: When there was a worker last, or we began to wait for one.
        self._seen_at = time.monotonic()
        self._was_ready = False
        #: Those that too many workers were lost in.
        self._hopeless = deque[K]()
        #: Those that cannot be sent, or whose reports cannot: they are checked here.
        self.left: list[K] = []

    def each(self) -> Iterator[tuple[K, Report]]:
        """Each report as soon as it is there, but for those that are `left` afterwards.

        Raises SessionError if no worker may grade, or all are lost, or the scheduler is.
        """
        try:
            while self._waiting or self._at or self._hopeless:
                self._look()
                self._hand_out()
                yield from self._given_up()
                busy = [one for one in self._members.values() if one.pending is not None]
                self._see_that_some_are_left()
                self._connection.wait([one.pending for one in busy if one.pending is not None], _LOOK_S)
                for member in busy:
                    if member.pending is not None and member.pending.is_done:
                        yield from self._heard(member)
        except SessionError as error:
            done = len(self._submissions) - len(self._waiting) - len(self._at) - len(self.left)
            kept = (
                f"; {done} of {len(self._submissions)} submissions were checked by then, and are kept" if done else ""
            )
            raise SessionError(f"{error}{kept}") from error

    def close(self) -> None:
        """Cancel what is outstanding, and leave nothing of the class on the workers."""
        asked = [one.pending for one in self._members.values() if one.pending is not None]
        self._connection.close(asked, self._class.key, [one.address for one in self._members.values() if one.is_found])

    def _look(self) -> None:
        """See which workers are there: new ones are compared, and what was lost with another is tried again."""
        there = self._connection.workers()
        for address in [one for one in self._members if one not in there]:
            member = self._members.pop(address)
            if member.pending is not None:
                self._connection.cancel([member.pending])
            self._lose(member)
        for address in there:
            if address not in self._members:
                member = self._members[address] = _Member(address, self._free_number(address))
                member.pending = self._connection.look(address)

    def _ask(self, member: _Member) -> None:
        """Ask a worker what it is, and send it the class."""
        message = encoded(Begin(self._class, member.number))
        member.pending = self._connection.begin(member.address, self._class.key, message)

    def _free_number(self, address: str) -> int:
        """The lowest number that no other worker of the same machine has."""
        host = _host(address)
        taken = {one.number for one in self._members.values() if _host(one.address) == host}
        return next(number for number in range(len(taken) + 1) if number not in taken)

    def _hand_out(self) -> None:
        """Give each worker that is free a submission."""
        for member in self._members.values():
            while self._waiting and member.is_ready and member.pending is None:
                key = self._waiting.popleft()
                try:
                    message = encoded(submission_of(*self._submissions[key]))
                except (UnsendableError, msgspec.MsgspecError, ValueError) as error:
                    self._leave(key, str(error))
                    continue
                self._at[member.address] = key
                member.pending = self._connection.check(member.address, self._class.key, message)

    def _leave(self, key: K, reason: str) -> None:
        self._say(f"{self._submissions[key][1]}: it is checked here: {reason}")
        self.left.append(key)

    def _heard(self, member: _Member) -> Iterator[tuple[K, Report]]:
        """What has come of what a worker was asked."""
        pending, member.pending = member.pending, None
        assert pending is not None
        if not member.is_found:
            member.is_found = self._may_go_on(member, _not_there(self._connection.refusal(pending)))
            if member.is_found:
                self._ask(member)
            return
        answer = self._connection.answer(pending)
        try:
            found = answer_in(answer) if isinstance(answer, bytes) and answer else None
        except msgspec.MsgspecError:
            found, answer = None, "its answer is none of pitboss'"
        if not member.is_ready:
            self._compare(member, found if isinstance(found, Ready) else None, answer)
        elif isinstance(found, Checked):
            yield from self._checked(self._at.pop(member.address), found)
        else:
            self._lose(member)
            self._ask(member)

    def _compare(self, member: _Member, found: Ready | None, answer: bytes | str) -> None:
        """See whether a worker may grade."""
        if found is None:
            reason = _not_there(answer if isinstance(answer, str) else "it ended before it was ready")
        else:
            reason = found.refusal or differences(found.facts, self._facts)
        member.is_ready = self._may_go_on(member, reason)
        self._was_ready |= member.is_ready

    def _may_go_on(self, member: _Member, reason: str) -> bool:
        """Say why a worker may grade nothing, if there is a reason; returns whether there is none."""
        member.is_refused = bool(reason)
        if reason:
            self._say(f"{member.address} grades nothing: {reason}")
        return not reason

    def _checked(self, key: K, found: Checked) -> Iterator[tuple[K, Report]]:
        try:
            report = msgspec.msgpack.decode(found.report, type=Report)
        except msgspec.MsgspecError:
            self._leave(key, "its report cannot be sent")
        else:
            yield key, report

    def _lose(self, member: _Member) -> None:
        """Note that a worker was lost, with what it was doing: another takes that."""
        member.pending, member.is_ready = None, False
        if member.address in self._at:
            key = self._at.pop(member.address)
            self._tries[key] += 1
            (self._waiting if self._tries[key] < MOST_TRIES else self._hopeless).appendleft(key)

    def _given_up(self) -> Iterator[tuple[K, Report]]:
        """The reports on submissions that too many workers were lost in."""
        while self._hopeless:
            key = self._hopeless.pop()
            yield key, fault_report(self._job, self._submissions[key][1], _HOPELESS)

    def _see_that_some_are_left(self) -> None:
        """Raise SessionError if no worker may grade, or there is none for too long."""
        members = self._members.values()
        if any(not one.is_refused for one in members):
            self._seen_at = time.monotonic()
        elif members and not self._was_ready:
            raise SessionError(f"no worker of {self._address} may grade, and nothing was run")
        elif time.monotonic() - self._seen_at > WITHOUT_WORKERS_S:
            raise SessionError(f"{self._address} has had no worker that may grade for {WITHOUT_WORKERS_S:g} seconds")


def _not_there(reason: str) -> str:
    return f"pitboss cannot be asked there: {shortened(reason)}" if reason else ""


def _host(address: str) -> str:
    return address.rpartition(":")[0]
