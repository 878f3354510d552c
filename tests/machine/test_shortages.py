"""A machine runs out of a resource at the n-th request for it: for this request only, or from then on.

After a momentary shortage pitboss tries again, and the verdict does not change. A lasting shortage is reported in a
sentence as a fault of the grader, not of the submission. Either way nothing stays open or running.
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
from collections import Counter
from types import SimpleNamespace

import pytest

from pitboss.checking.check import check_in_this_process
from pitboss.compare.results import Verdict
from pitboss.errors import HarnessError, SessionError
from pitboss.machine import abi, scratch, shortages
from pitboss.machine.workers import workers
from pitboss.sandbox import sandbox
from pitboss.sessions import terminal
from pitboss.sessions.tracing import bubblewrap
from tests.checking.test_resources import DRIVERS_AND_SANDBOXES, InhabitedDriver, greeter, make_job, submission
from tests.counted import resources_in_use

__all__ = ["greeter", "submission"]

#: By resource: the module or class and the name of the function that provides it, and its error number in a shortage.
RESOURCES = {
    "terminals": (os, "openpty", errno.ENOSPC),
    "pipes": (os, "pipe", errno.EMFILE),
    "sockets": (_socket, "socketpair", errno.ENFILE),
    "pidfds": (os, "pidfd_open", errno.EMFILE),
    "epolls": (select, "epoll", errno.ENOMEM),
    "processes": (subprocess, "_fork_exec", errno.EAGAIN),
    "threads": (threading.Thread, "start", None),
    "room for folders": (scratch, "_make_numbered_folder", errno.ENOSPC),
    "descriptor numbers": (fcntl, "fcntl", errno.EMFILE),
}
#: Resources whose shortages only slow tests try.
MORE_RESOURCES = {
    "descriptors": (os, "open", errno.EMFILE),
    "files": (builtins, "open", errno.ENFILE),
    "folder listings": (os, "listdir", errno.EMFILE),
    "memory in the kernel": (abi, "call", errno.ENOMEM),
    "new folders": (os, "mkdir", errno.ENOSPC),
}


REAL_CALL, REAL_PIPE = abi.call, os.pipe
#: In Python 3.11.2 (Debian 12), a Popen that fails to open its second pipe leaves the first one open.
POPEN_LEAKS = not hasattr(subprocess.Popen, "_on_error_fd_closer")
#: System calls that can fail because the kernel lacks a resource.
FALLIBLE_CALLS = {
    "unshare",
    "setns",
    "landlock_create_ruleset",
    "landlock_add_rule",
    "landlock_restrict_self",
    "seccomp",
}


class Shortage:
    """Makes a function fail at the call with this number, and with `lasts` at all later calls too."""

    def __init__(self, monkeypatch, owner, name, error_number, *, failing_call, lasts):
        self.count, self._real, self._error_number = 0, getattr(owner, name), error_number
        self._failing_call, self._lasts = failing_call, lasts
        is_method = isinstance(owner, type)
        # A bound method as an attribute of a class would not get the instance.
        monkeypatch.setattr(owner, name, (lambda instance: self._call(instance)) if is_method else self._call)

    @property
    def has_occurred(self):
        return self.count >= self._failing_call

    def _call(self, *arguments, **options):
        if self._real is REAL_CALL and arguments[0] not in FALLIBLE_CALLS:
            return self._real(*arguments)
        if self._real is REAL_PIPE and POPEN_LEAKS and sys._getframe(1).f_globals is vars(subprocess):
            return self._real()
        self.count += 1
        if self.count == self._failing_call or (self._lasts and self.count > self._failing_call):
            if self._error_number is None:
                raise RuntimeError("can't start new thread")
            raise OSError(self._error_number, os.strerror(self._error_number))
        return self._real(*arguments, **options)


@pytest.fixture
def forget_machine():
    """A function that clears this process's caches of what the machine can do."""

    def forget():
        for cached_function in (
            sandbox.refusal_of_bubblewrap,
            sandbox.can_switch_users_inside,
            bubblewrap.may_join,
            terminal._modes,
            terminal._may_type_at_once,
        ):
            cached_function.cache_clear()

    yield forget
    forget()


def grade(assignment, folder, driver, sandbox):
    """The verdict on a submission, and the messages of its report."""
    try:
        report = check_in_this_process(make_job(assignment, driver, sandbox), folder, "one")
    except SessionError as error:
        return Verdict.JUDGE_ERROR, str(error)
    return report.verdict, " ".join((*report.faults, *(stage.summary for stage in report.stages)))


def grade_with_shortages(assignment, folder, driver_and_sandbox, resource_name, *, lasts, forget):
    """Grade a submission with a shortage at the first call, at the second call, and so on, until grading needs no more.

    Yields for each of these shortages the number of the call, the verdict and the messages. `lasts` is whether all
    later calls fail too; `forget` clears caches, so that each grading makes the same calls.
    """
    owner, name, error_number = {**RESOURCES, **MORE_RESOURCES}[resource_name]
    assert grade(assignment, folder, *driver_and_sandbox)[0] is Verdict.ACCEPTED
    before, call = resources_in_use(), 0
    while True:
        call += 1
        forget()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(shortages, "PATIENCE_S", 0.01 if lasts else 5)
            shortage = Shortage(patched, owner, name, error_number, failing_call=call, lasts=lasts)
            verdict, output = grade(assignment, folder, *driver_and_sandbox)
        scratch.remove_all()  # the shortage may have prevented this
        # What an earlier test left may be released meanwhile.
        left = {kind: Counter(names) - Counter(before[kind]) for kind, names in resources_in_use().items()}
        assert not any(left.values()), f"{resource_name}, call {call}: {output} {left}"
        if not shortage.has_occurred:
            # The first call must have failed, except where grading may not need the resource at all.
            assert call > 1 or driver_and_sandbox[0] == "expecting" or resource_name == "pidfds"
            return
        yield call, verdict, output


@pytest.mark.parametrize("resource_name", RESOURCES)
def test_a_momentary_shortage_does_not_change_the_verdict(greeter, submission, forget_machine, resource_name):
    folder = submission()
    for call, verdict, output in grade_with_shortages(
        greeter, folder, ("watched", "auto"), resource_name, lasts=False, forget=forget_machine
    ):
        assert verdict is Verdict.ACCEPTED, f"{resource_name}, call {call}: {output}"


@pytest.mark.parametrize("resource_name", RESOURCES)
def test_a_lasting_shortage_is_reported_as_a_fault_of_the_grader(greeter, submission, forget_machine, resource_name):
    folder = submission()
    for call, verdict, output in grade_with_shortages(
        greeter, folder, ("watched", "auto"), resource_name, lasts=True, forget=forget_machine
    ):
        assert verdict in (Verdict.JUDGE_ERROR, Verdict.ACCEPTED), f"{resource_name}, call {call}: {output}"
        assert verdict is Verdict.ACCEPTED or " — " in output, f"{resource_name}, call {call}: {output}"
        assert "Traceback" not in output and "Errno" not in output


@pytest.mark.slow
@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("resource_name", RESOURCES)
@pytest.mark.parametrize("lasts", [False, True], ids=["for a moment", "for good"])
def test_shortages_do_no_harm_with_a_process_inside_a_bubblewrap(
    greeter, submission, forget_machine, monkeypatch, resource_name, lasts
):
    monkeypatch.setattr("pitboss.sessions.drivers.TracingDriver", InhabitedDriver)
    folder = submission()
    for call, verdict, output in grade_with_shortages(
        greeter, folder, ("watched", "auto"), resource_name, lasts=lasts, forget=forget_machine
    ):
        assert verdict is Verdict.ACCEPTED or (lasts and " — " in output), (
            f"{resource_name}, call {call}: {verdict} {output}"
        )


@pytest.mark.slow
@pytest.mark.parametrize("driver_and_sandbox", DRIVERS_AND_SANDBOXES, ids=" ".join)
@pytest.mark.parametrize("resource_name", {**RESOURCES, **MORE_RESOURCES})
@pytest.mark.parametrize("lasts", [False, True], ids=["for a moment", "for good"])
def test_no_shortage_fails_a_correct_submission(
    greeter, submission, forget_machine, driver_and_sandbox, resource_name, lasts
):
    folder = submission()
    for call, verdict, output in grade_with_shortages(
        greeter, folder, driver_and_sandbox, resource_name, lasts=lasts, forget=forget_machine
    ):
        assert verdict in (Verdict.JUDGE_ERROR, Verdict.ACCEPTED), f"{resource_name}, call {call}: {output}"
        assert "Traceback" not in output and "Errno" not in output, f"{resource_name}, call {call}: {output}"


@pytest.mark.slow
@pytest.mark.parametrize("driver_and_sandbox", DRIVERS_AND_SANDBOXES, ids=" ".join)
def test_no_limit_on_descriptors_fails_a_correct_submission(
    greeter, submission, forget_machine, monkeypatch, driver_and_sandbox
):
    """Under a limit that is too low, the submission gets a JUDGE_ERROR; under any other it is accepted."""
    folder = submission()
    assert grade(greeter, folder, *driver_and_sandbox)[0] is Verdict.ACCEPTED
    before, job = resources_in_use(), make_job(greeter, *driver_and_sandbox)
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used_numbers = {int(name) for name in os.listdir("/proc/self/fd")}
    first_free = next(number for number in itertools.count() if number not in used_numbers)
    verdicts = []
    for max_descriptors in range(first_free, 140, 2):  # a correct submission needs fewer than 140
        resource.setrlimit(resource.RLIMIT_NOFILE, (max_descriptors, hard))
        try:
            verdict = check_in_this_process(job, folder, "one").verdict
        except HarnessError:
            verdict = Verdict.JUDGE_ERROR
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        scratch.remove_all()  # the shortage may have prevented this
        assert resources_in_use() == before, max_descriptors
        verdicts.append(verdict)
    assert set(verdicts) == {Verdict.JUDGE_ERROR, Verdict.ACCEPTED}
    assert verdicts[-1] is Verdict.ACCEPTED


@pytest.mark.parametrize("error_number", [errno.EAGAIN, errno.ENOMEM], ids=errno.errorcode.get)
def test_bubblewrap_is_tried_again_after_a_momentary_shortage(monkeypatch, error_number):
    errors = iter([f"bwrap: Creating new namespace failed: {os.strerror(error_number)}", ""])
    pauses_s = []
    monkeypatch.setattr(sandbox, "_trial_error", lambda argv: next(errors))
    monkeypatch.setattr(sandbox, "time", SimpleNamespace(monotonic=lambda: 0.0, sleep=pauses_s.append))
    assert sandbox._refusal(switches_users=False) == ""
    (pause_s,) = pauses_s
    assert 0 < pause_s < 1


def worker_pid():
    return os.getpid()


@pytest.mark.parametrize(("module", "name"), [(os, "fork"), (os, "pipe"), (select, "epoll")])
def test_a_pool_works_with_fewer_workers_than_requested(monkeypatch, module, name):
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    for failing_call in (1, 2, 3):
        before = resources_in_use()
        with monkeypatch.context() as patched:
            Shortage(patched, module, name, errno.EAGAIN, failing_call=failing_call, lasts=False)
            with workers(3) as pool:
                assert os.getpid() not in {pool.submit(worker_pid).result() for _ in range(5)}
        assert resources_in_use() == before


def test_a_pool_that_can_start_no_worker_reports_the_reason(monkeypatch):
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    before = resources_in_use()
    Shortage(monkeypatch, os, "fork", errno.EAGAIN, failing_call=1, lasts=True)
    with pytest.raises(SessionError) as raised, workers(2):
        pass
    assert str(raised.value) == (
        "no worker process can be started: Resource temporarily unavailable — there are as many processes as "
        "`ulimit -u` or the machine allows; end some, or use a smaller --jobs"
    )
    assert resources_in_use() == before
