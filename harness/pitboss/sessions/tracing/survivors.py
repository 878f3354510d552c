"""The processes that a program leaves running when it ends: they are about to end too, or they keep running."""

from __future__ import annotations

from pitboss.sandbox import processes

#: The CPU time that they may use after the program has ended: enough for ending, too little for further work.
_LEAVING_NS = 50_000_000
#: How often more orphans may appear before they are attributed to another session.
_MAX_JOINED = 25


class Survivors:
    """Tracks the processes that one program left running."""

    def __init__(self) -> None:
        #: The CPU time that each of them had used when it was last seen.
        self._used_ns: dict[int, int] = {}
        self._last: object = None
        self._orphans: set[int] = set()
        self._joined = 0

    def are_leaving(self, left: list[int], before_ns: int) -> bool:
        """Whether the processes `left` may still end without being killed, as far as we can tell now.

        `before_ns` is the CPU time that all processes of the session had used while the program ran.
        """
        self._used_ns |= {pid: processes.cpu_ns(pid) for pid in left}
        if sum(self._used_ns.values()) - before_ns >= _LEAVING_NS:
            return False
        if any(not processes.is_asleep(pid) for pid in left):
            return True
        # A process may have been woken after we checked it, by another process that ended before we checked that other
        # process. If all are asleep and none has run since the last check, nothing is left that would wake them.
        seen = [(pid, processes.busy_ns(pid)) for pid in left]
        is_new, self._last = seen != self._last, seen
        return is_new

    def are_joined_by(self, orphans: list[int]) -> bool:
        """Whether there are new orphans, so that another check is worthwhile.

        An orphan that starts another and ends is gone whenever we check, but each time there is a new process id.
        """
        is_joined = not self._orphans.issuperset(orphans)
        self._orphans.update(orphans)
        self._joined += is_joined
        return is_joined and self._joined <= _MAX_JOINED
