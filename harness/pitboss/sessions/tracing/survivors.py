"""The processes that a program leaves running when it ends: they are about to end too, or they keep running."""

from __future__ import annotations

from pitboss.sandbox import processes

#: The CPU time that survivors may use after the program has ended: enough to end, too little for further work.
_LEAVING_NS = 50_000_000
#: The number of checks that may find new orphans before we attribute further orphans to another session.
_MAX_ARRIVALS = 25


class Survivors:
    """Tracks the processes that one program left running."""

    def __init__(self) -> None:
        #: The CPU time that each survivor had used when we last checked it, by process id.
        self._cpu_ns: dict[int, int] = {}
        #: At the last check at which all survivors were asleep: how long each had run or waited for a core.
        self._last_busy: object = None
        #: All orphans that have appeared so far.
        self._orphans: set[int] = set()
        #: At how many checks there were new orphans.
        self._arrivals = 0

    def are_leaving(self, survivors: list[int], cpu_before_ns: int) -> bool:
        """Whether the processes `survivors` may still end without being killed, as far as we can tell now.

        `cpu_before_ns` is the CPU time that all processes of the session had used while the program ran.
        """
        self._cpu_ns |= {pid: processes.cpu_ns(pid) for pid in survivors}
        if sum(self._cpu_ns.values()) - cpu_before_ns >= _LEAVING_NS:
            return False
        if any(not processes.is_asleep(pid) for pid in survivors):
            return True
        # A process A may have been woken after we checked A, by a process B that ended before we checked B. If all
        # processes are asleep and none has run since the last check, nothing is left that would wake them.
        busy = [(pid, processes.busy_ns(pid)) for pid in survivors]
        has_changed, self._last_busy = busy != self._last_busy, busy
        return has_changed

    def are_joined_by(self, orphans: list[int]) -> bool:
        """Whether there are new orphans, so that another check is worthwhile; some may be of other sessions.

        If each orphan starts the next orphan and ends, no check finds a living orphan, but each check finds another
        process id. So after `_MAX_ARRIVALS` such checks the result is False.
        """
        is_joined = not self._orphans.issuperset(orphans)
        self._orphans.update(orphans)
        self._arrivals += is_joined
        return is_joined and self._arrivals <= _MAX_ARRIVALS
