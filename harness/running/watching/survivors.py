"""What a program has left running when it ends itself: processes that are about to end too, or that stay."""

from __future__ import annotations

from harness.machine import processes

#: CPU time for which they may outlive the program: enough to leave, too little to stay.
_LEAVING_NS = 50_000_000
#: How often others may come before they are taken for those of another session.
_MOST_JOINED = 25


class Survivors:
    """What has been seen of the processes that one program left running."""

    def __init__(self) -> None:
        #: What each of them had used of the processor when it was last seen.
        self._used_ns: dict[int, int] = {}
        self._last: object = None
        self._orphans: set[int] = set()
        self._joined = 0

    def are_leaving(self, left: list[int], before_ns: int) -> bool:
        """Whether they may still end by themselves, as far as can be told by now.

        `before_ns` is what all processes of the session had used while the program ran.
        """
        self._used_ns |= {pid: processes.cpu_ns(pid) for pid in left}
        if sum(self._used_ns.values()) - before_ns >= _LEAVING_NS:
            return False
        if any(not processes.is_asleep(pid) for pid in left):
            return True
        # One that was asleep when it was looked at may have been woken by one that ended before it was its turn. Where
        # all are asleep, and none has run since the last look, nobody is there who would wake them.
        seen = [(pid, processes.busy_ns(pid)) for pid in left]
        is_new, self._last = seen != self._last, seen
        return is_new

    def are_joined_by(self, orphans: list[int]) -> bool:
        """Whether there are orphans that have not been there before, with which it is worth another look.

        One that starts another and ends is gone whenever it is looked at; but it comes under another number each time.
        """
        is_joined = not self._orphans.issuperset(orphans)
        self._orphans.update(orphans)
        self._joined += is_joined
        return is_joined and self._joined <= _MOST_JOINED
