"""A machine that is short of something at the n-th time that anybody asks for it: once, or from then on.

Once, it is tried again and nothing is lost; from then on it is our fault, told in a sentence. Either way nothing stays
open or running.
"""

import _socket
import builtins
import errno
import fcntl
import itertools
import os
import resource
import select
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from pitboss.checking.check import check_in_this_process
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError, SessionError
from pitboss.sandbox import abi, sandbox, scratch, shortages
from pitboss.sandbox.workers import workers
from pitboss.sessions import terminal
from pitboss.sessions.tracing import bubblewrap
from tests.checking.test_resources import WAYS, DriverInside, greeter, job_of, submission, temporary
from tests.counted import counted

__all__ = ["greeter", "submission", "temporary"]

#: What there is a lack of, by the function that gives it; with how a lack is told.
SCARCE = {
    "terminals": (os, "openpty", errno.ENOSPC),
    "pipes": (os, "pipe", errno.EMFILE),
    "sockets": (_socket, "socketpair", errno.ENFILE),
    "pidfds": (os, "pidfd_open", errno.EMFILE),
    "epolls": (select, "epoll", errno.ENOMEM),
    "processes": (subprocess, "_fork_exec", errno.EAGAIN),
    "threads": (threading.Thread, "start", None),
    "room for folders": (scratch, "_numbered", errno.ENOSPC),
    "numbers": (fcntl, "fcntl", errno.EMFILE),
}
PLENTY = {
    "descriptors": (os, "open", errno.EMFILE),
    "files": (builtins, "open", errno.ENFILE),
    "lists": (os, "listdir", errno.EMFILE),
    "memory in the kernel": (abi, "call", errno.ENOMEM),
    "names": (os, "mkdir", errno.ENOSPC),
}


CALL, PIPE = abi.call, os.pipe
#: Of Python 3.11.2, which Debian 12 has, a Popen that is given no second pipe leaves open what it has opened before.
POPEN_LEAKS = not hasattr(subprocess.Popen, "_on_error_fd_closer")
#: System calls that can fail for want of something.
WANTING = {"unshare", "setns", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp"}


class Lack:
    """Fails a function at its n-th call, and with `lasts` at all that follow."""

    def __init__(self, monkeypatch, place, name, number, *, at, lasts):
        self.count, self._real, self._number = 0, getattr(place, name), number
        self._at, self._lasts = at, lasts
        monkeypatch.setattr(place, name, self._called if not isinstance(place, type) else lambda one: self._called(one))

    @property
    def has_come(self):
        return self.count >= self._at

    def _called(self, *arguments, **more):
        if self._real is CALL and arguments[0] not in WANTING:
            return self._real(*arguments)
        if self._real is PIPE and POPEN_LEAKS and sys._getframe(1).f_globals is vars(subprocess):
            return self._real()
        self.count += 1
        if self.count == self._at or (self._lasts and self.count > self._at):
            if self._number is None:
                raise RuntimeError("can't start new thread")
            raise OSError(self._number, os.strerror(self._number))
        return self._real(*arguments, **more)


@pytest.fixture
def forgetful():
    """Forget what this process knows of the machine, so that it is asked again."""

    def forget():
        for known in (
            sandbox.refusal_of_bubblewrap,
            sandbox.becomes_others,
            bubblewrap.may_join,
            terminal._modes,
            terminal._may_type_at_once,
        ):
            known.cache_clear()

    yield forget
    forget()


def graded(assignment, folder, driver, level):
    """The verdict on a submission, and what is said of it."""
    try:
        report = check_in_this_process(job_of(assignment, driver, level), folder, "one")
    except SessionError as error:
        return Verdict.JUDGE_ERROR, str(error)
    return report.verdict, " ".join((*report.faults, *(stage.summary for stage in report.stages)))


def lacking(assignment, folder, way, what, *, lasts, forget):
    """Grade a submission where there is a lack at the first call, the second one, and so on, until there is none."""
    place, name, number = {**SCARCE, **PLENTY}[what]
    assert graded(assignment, folder, *way)[0] is Verdict.ACCEPTED
    before, at = counted(), 0
    while True:
        at += 1
        forget()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(shortages, "PATIENCE_S", 0.01 if lasts else 5)
            lack = Lack(patched, place, name, number, at=at, lasts=lasts)
            verdict, output = graded(assignment, folder, *way)
        scratch.remove_all()  # what could not be removed for the same lack
        now = counted()
        opened = set(now["descriptors"]) - set(before["descriptors"])
        assert now == before, f"{what}, call {at}: {output} {opened}"
        if not lack.has_come:
            assert at > 1 or way[0] == "expecting" or what == "pidfds"
            return
        yield at, verdict, output


@pytest.mark.parametrize("what", SCARCE)
def test_what_is_short_for_a_moment_is_tried_again(greeter, submission, temporary, forgetful, what):
    folder = submission()
    for at, verdict, output in lacking(greeter, folder, ("watched", "auto"), what, lasts=False, forget=forgetful):
        assert verdict is Verdict.ACCEPTED, f"{what}, call {at}: {output}"


@pytest.mark.parametrize("what", SCARCE)
def test_what_stays_short_is_our_fault_and_reported_in_a_sentence(greeter, submission, temporary, forgetful, what):
    folder = submission()
    for at, verdict, output in lacking(greeter, folder, ("watched", "auto"), what, lasts=True, forget=forgetful):
        assert verdict in (Verdict.JUDGE_ERROR, Verdict.ACCEPTED), f"{what}, call {at}: {output}"
        assert verdict is Verdict.ACCEPTED or " — " in output, f"{what}, call {at}: {output}"
        assert "Traceback" not in output and "Errno" not in output


@pytest.mark.slow
@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("what", SCARCE)
@pytest.mark.parametrize("lasts", [False, True], ids=["for a moment", "for good"])
def test_with_a_process_inside_a_bubblewrap_too(greeter, submission, temporary, forgetful, monkeypatch, what, lasts):
    monkeypatch.setattr("pitboss.sessions.drivers.TracingDriver", DriverInside)
    folder = submission()
    for at, verdict, output in lacking(greeter, folder, ("watched", "auto"), what, lasts=lasts, forget=forgetful):
        assert verdict is Verdict.ACCEPTED or (lasts and " — " in output), f"{what}, call {at}: {verdict} {output}"


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize("what", {**SCARCE, **PLENTY})
@pytest.mark.parametrize("lasts", [False, True], ids=["for a moment", "for good"])
def test_whatever_is_short_nobody_is_wronged(greeter, submission, temporary, forgetful, way, what, lasts):
    folder = submission()
    for at, verdict, output in lacking(greeter, folder, way, what, lasts=lasts, forget=forgetful):
        assert verdict in (Verdict.JUDGE_ERROR, Verdict.ACCEPTED), f"{what}, call {at}: {output}"
        assert "Traceback" not in output and "Errno" not in output, f"{what}, call {at}: {output}"


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_with_so_many_descriptors_and_no_more(greeter, submission, temporary, forgetful, monkeypatch, way):
    folder = submission()
    assert graded(greeter, folder, *way)[0] is Verdict.ACCEPTED
    before, job = counted(), job_of(greeter, *way)
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = {int(name) for name in os.listdir("/proc/self/fd")}
    free = next(number for number in itertools.count() if number not in taken)
    verdicts = []
    for files in range(free, 140, 2):
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
        try:
            report = check_in_this_process(job, folder, "one")
        except HarnessError as error:
            report = error
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        scratch.remove_all()  # what could not be removed for the same lack
        assert counted() == before, files
        verdicts.append(Verdict.JUDGE_ERROR if isinstance(report, HarnessError) else report.verdict)
    assert set(verdicts) == {Verdict.JUDGE_ERROR, Verdict.ACCEPTED}
    assert verdicts[-1] is Verdict.ACCEPTED


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM], ids=errno.errorcode.get)
def test_a_bubblewrap_is_tried_again_a_moment_later_where_it_is_short_of_something(monkeypatch, number):
    words = iter([f"bwrap: Creating new namespace failed: {os.strerror(number)}", ""])
    pauses_s = []
    monkeypatch.setattr(sandbox, "_words_of", lambda argv: next(words))
    monkeypatch.setattr(sandbox, "time", SimpleNamespace(monotonic=lambda: 0.0, sleep=pauses_s.append))
    assert sandbox._refusal(becomes_others=False) == ""
    assert [0 < pause_s < 1 for pause_s in pauses_s] == [True]


def who(_=None):
    return os.getpid()


@pytest.mark.parametrize(("place", "name"), [(os, "fork"), (os, "pipe"), (select, "epoll")])
def test_a_pool_does_with_fewer_workers(temporary, monkeypatch, place, name):
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    for at in (1, 2, 3):
        before = counted()
        with monkeypatch.context() as patched:
            Lack(patched, place, name, errno.EAGAIN, at=at, lasts=False)
            with workers(3) as pool:
                assert os.getpid() not in {pool.submit(who).result() for _ in range(5)}
        assert counted() == before


def test_where_no_worker_can_be_started_it_says_so(temporary, monkeypatch):
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    before = counted()
    Lack(monkeypatch, os, "fork", errno.EAGAIN, at=1, lasts=True)
    with pytest.raises(SessionError) as raised, workers(2):
        pass
    assert str(raised.value) == (
        "no worker process can be started: Resource temporarily unavailable — there are as many processes as "
        "`ulimit -u` or the machine allows; end some, or use a smaller --jobs"
    )
    assert counted() == before
