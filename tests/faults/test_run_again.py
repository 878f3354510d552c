"""What this machine fails to run is run again once; what fails twice is our fault, and told as such."""

import errno
import os
import signal

import pytest

from pitboss.compare.verdicts import Verdict
from pitboss.errors import SessionError, UsageError
from pitboss.model.transcript import Ending, EndingKind
from pitboss.sandbox import removal, stops
from pitboss.sandbox.pool import LostWorkerError, Pool
from pitboss.sandbox.retry import our_faults
from pitboss.sandbox.workers import workers
from pitboss.sessions import attempts
from pitboss.sessions.attempts import Part, shared_sessions
from pitboss.sessions.tracing import launcher, traced_session
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.spawner import Spawner
from pitboss.submissions import sources
from tests.faults import planted
from tests.faults.planted import Fault, Place, raises, raising, returns, sends
from tests.faults.small_check import RIGHT, small_check

NOT_HELD = "This session could not be run, which is not the program's fault: "
LOST = f"{NOT_HELD}a worker process of pitboss was killed"


@pytest.fixture(scope="module")
def small():
    with small_check() as small:
        yield small


def of_program(outcome):
    return set(outcome.verdicts.values())


#: What goes wrong, and what is said where it does so again.
LASTING = {
    "the launcher ends": (
        Place(launcher, "_serve_next"),
        returns(False),
        "the process that starts programs has ended",
    ),
    "the spawner may not": (
        Place(Spawner, "run"),
        raises(errno.EPERM),
        "the program could not be started: Operation not permitted",
    ),
    "the scratch folder may not be read": (
        Place(removal, "empty"),
        raises(errno.EACCES),
        "the program could not be started: Permission denied",
    ),
    "no memory for a session": (
        Place(LauncherClient, "_try_start"),
        raising(MemoryError),
        "the sessions could not be run: Cannot allocate memory — the machine is out of memory; end other programs, or "
        "use a smaller --jobs",
    ),
}


@pytest.mark.parametrize("name", LASTING)
def test_a_session_is_run_again_once_and_then_given_up(small, name):
    place, happens, output = LASTING[name]
    once = small.outcome(Fault(place, name, happens))
    assert once.verdicts == RIGHT and once.has_come and once.left == {}
    lasting = small.outcome(Fault(place, name, happens, lasts=True))
    assert of_program(lasting) == {Verdict.JUDGE_ERROR} and lasting.left == {}
    assert lasting.said.startswith(NOT_HELD + output)


def test_a_program_that_is_killed_is_run_again_and_counts_only_where_that_happens_twice(small):
    killed = Ending(EndingKind.SIGNALLED, signal="SIGKILL")
    once = small.outcome(Fault(Place(traced_session, "ending_of"), "killed", returns(killed)))
    assert once.verdicts == RIGHT and once.has_come and once.left == {}
    always = small.outcome(Fault(Place(traced_session, "ending_of"), "killed", returns(killed), lasts=True))
    assert always.verdicts["echo", "one"] is Verdict.RUN_TIME_ERROR


def test_a_program_that_is_killed_twice_where_memory_has_run_out_is_no_failure(small, monkeypatch):
    counts = iter(range(1000))
    monkeypatch.setattr(attempts, "killed_for_memory", lambda: next(counts))
    killed = Ending(EndingKind.SIGNALLED, signal="SIGKILL")
    always = small.outcome(Fault(Place(traced_session, "ending_of"), "killed", returns(killed), lasts=True))
    assert of_program(always) == {Verdict.JUDGE_ERROR} and always.left == {}
    assert always.said.startswith(
        f"{NOT_HELD}the program was ended by SIGKILL twice while the kernel was ending programs"
    )


def test_what_the_assignments_code_raises_is_not_tried_again(small):
    fault = Fault(Place(planted, "here"), "raises", raising(KeyError, "planted"), 2)
    assert small.outcome(fault).faulty == [("echo", "one")]
    missing = Fault(Place(planted, "here"), "raises", raising(SessionError, "no terminal"), 2)
    assert small.outcome(missing).verdicts == RIGHT


def test_a_worker_that_is_killed_costs_no_session_its_verdict(small):
    fault = Fault(Place(LauncherClient, "start"), "dies", sends(signal.SIGKILL), 2, is_in_worker=True)
    outcome = small.outcome(fault, count=2)
    assert outcome.has_come and outcome.verdicts == RIGHT and outcome.left == {}


def test_one_that_is_killed_again_costs_that_session_alone(small):
    fault = Fault(Place(LauncherClient, "start"), "dies", sends(signal.SIGKILL), 1, is_in_worker=True, lasts=True)
    outcome = small.outcome(fault, count=2)
    assert outcome.wrong == [] and outcome.left == {}


def dies_once(mark):
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def dies():
    os.kill(os.getpid(), signal.SIGKILL)


def refuses():
    raise UsageError("no")


def test_a_task_is_made_once_more_by_another_worker(tmp_path):
    with workers(2) as pool:
        assert pool.submit(dies_once, tmp_path / "one").result() == "done"
        with pytest.raises(LostWorkerError, match=r"^a worker process of pitboss was killed$"):
            pool.submit_again(dies_once, tmp_path / "two").result()
        with pytest.raises(LostWorkerError):
            pool.submit(dies).result()
        with pytest.raises(UsageError):
            pool.submit(refuses).result()


def made(numbers, mark, fatal, endless):
    part = Part({}, {})
    for number in numbers:
        if number in fatal and (fatal[number] == "always" or not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        part.made[number] = number * 10
        if number in endless:
            part.endless[number] = 1
            if len(part.endless) == 3:
                break
    return part


def fault_of(number, said):
    return f"{number}: {said}"


def shared(tmp_path, fatal, endless=()):
    with workers(2) as pool:
        return shared_sessions(pool, made, tmp_path / "mark", fatal, endless, count=30, fault_of=fault_of)


def test_the_numbers_of_a_lost_worker_are_dealt_again(tmp_path):
    assert shared(tmp_path, {}) == {number: number * 10 for number in range(30)}
    assert shared(tmp_path, {7: "once"}) == {number: number * 10 for number in range(30)}


def test_what_costs_a_worker_its_life_again_is_a_fault_and_nothing_else_is(tmp_path):
    expected = {number: number * 10 for number in range(30)}
    assert shared(tmp_path, {7: "always"}) == expected | {7: "7: a worker process of pitboss was killed"}


def test_after_three_endless_ones_none_that_was_lost_is_run(tmp_path):
    result = shared(tmp_path, {5: "once"}, endless=(2, 3, 4, 12, 20))
    assert result == {number: number * 10 for number in range(5)}


def test_a_pool_without_workers_does_what_it_is_given_again():
    assert Pool().submit_again(abs, -1).result() == 1


def test_what_this_machine_lacks_is_our_fault_wherever_it_lacks():
    with pytest.raises(SessionError, match=r"^it broke: Input/output error$"), our_faults("it broke"):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    with pytest.raises(SessionError, match=r"^it broke: Cannot allocate memory — "), our_faults("it broke"):
        raise MemoryError
    with pytest.raises(BrokenPipeError), our_faults("it broke"):
        raise BrokenPipeError


def test_a_file_that_cannot_be_copied_for_want_of_something_is_no_fault_of_the_submission(tmp_path, monkeypatch):
    (tmp_path / "a").touch()
    monkeypatch.setattr("pitboss.sandbox.shortages.PATIENCE_S", 0.01)
    monkeypatch.setattr(sources.shutil, "copy", lambda *_: raises(errno.ENOSPC)(None))
    with pytest.raises(SessionError, match=r"^the submission could not be copied: No space left on device — "):
        sources._copy_file(tmp_path / "a", tmp_path / "b")
    monkeypatch.setattr(sources.shutil, "copy", lambda *_: raises(errno.EACCES)(None))
    with pytest.raises(UsageError, match=r"a: the file cannot be read: Permission denied$"):
        sources._copy_file(tmp_path / "a", tmp_path / "b")


def test_a_time_in_which_we_do_not_look_is_a_stop_of_our_own(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(stops.time, "monotonic", lambda: now[0])
    ours = stops.Stops()
    now[0] = 104.9
    assert ours.since_last_look_s() == 0
    now[0] = 204.9
    assert ours.since_last_look_s() == 100
    now[0] = 205.0
    assert ours.since_last_look_s() == 0
