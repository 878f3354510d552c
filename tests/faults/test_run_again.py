import errno
import os
import signal

import pytest

from pitboss.compare import seeded
from pitboss.compare.results import Verdict
from pitboss.errors import SessionError, UsageError
from pitboss.machine import removal, stops
from pitboss.machine.pool import LostWorkerError, Pool
from pitboss.machine.retry import our_faults
from pitboss.machine.workers import workers
from pitboss.model.transcript import Ending, EndingKind
from pitboss.sessions import attempts
from pitboss.sessions.attempts import Part, shared_sessions
from pitboss.sessions.tracing import launcher, traced_session
from pitboss.sessions.tracing.launcher import Spawner
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.submissions import sources
from tests.faults import planted
from tests.faults.planted import Fault, Place, raises_exception, raises_os_error, returns, sends
from tests.faults.small_check import RIGHT_VERDICTS, small_check

NOT_THE_PROGRAMS_FAULT = "This session could not be run, which is not the program's fault: "


@pytest.fixture(scope="module")
def small():
    with small_check() as small:
        yield small


def distinct_verdicts(outcome):
    return set(outcome.verdicts.values())


#: For each fault: the function that fails, its effect, and the message if it fails in the second attempt as well.
LASTING_FAULTS = {
    "the launcher ends": (Place(launcher, "_serve_next"), returns(False), "the process that starts programs has ended"),
    "the spawner has no permission": (
        Place(Spawner, "run"),
        raises_os_error(errno.EPERM),
        "the program could not be started: Operation not permitted",
    ),
    "the scratch folder may not be read": (
        Place(removal, "empty"),
        raises_os_error(errno.EACCES),
        "the program could not be started: Permission denied",
    ),
    "no memory for a session": (
        Place(LauncherClient, "_try_start"),
        raises_exception(MemoryError),
        "the sessions could not be run: Cannot allocate memory — the machine is out of memory; end other programs, or "
        "use a smaller --jobs",
    ),
}


@pytest.mark.parametrize("name", LASTING_FAULTS)
def test_a_session_is_run_again_once_and_then_given_up(small, name):
    place, effect, message = LASTING_FAULTS[name]
    after_one_fault = small.outcome(Fault(place, name, effect))
    assert after_one_fault.verdicts == RIGHT_VERDICTS and after_one_fault.has_happened and after_one_fault.left == {}
    after_lasting_fault = small.outcome(Fault(place, name, effect, lasts=True))
    assert distinct_verdicts(after_lasting_fault) == {Verdict.JUDGE_ERROR} and after_lasting_fault.left == {}
    assert after_lasting_fault.reported.startswith(NOT_THE_PROGRAMS_FAULT + message)


def test_a_killed_program_is_run_again_and_fails_only_if_killed_twice(small):
    killed = Ending(EndingKind.SIGNALLED, signal="SIGKILL")
    killed_once = small.outcome(Fault(Place(traced_session, "ending_of"), "killed", returns(killed)))
    assert killed_once.verdicts == RIGHT_VERDICTS and killed_once.has_happened and killed_once.left == {}
    always_killed = small.outcome(Fault(Place(traced_session, "ending_of"), "killed", returns(killed), lasts=True))
    assert always_killed.verdicts["echo", "one"] is Verdict.RUN_TIME_ERROR


def test_a_program_killed_twice_while_memory_is_short_is_a_judge_error(small, monkeypatch):
    kill_counts = iter(range(1000))
    monkeypatch.setattr(attempts, "memory_kill_count", lambda: next(kill_counts))
    killed = Ending(EndingKind.SIGNALLED, signal="SIGKILL")
    always_killed = small.outcome(Fault(Place(traced_session, "ending_of"), "killed", returns(killed), lasts=True))
    assert distinct_verdicts(always_killed) == {Verdict.JUDGE_ERROR} and always_killed.left == {}
    assert always_killed.reported.startswith(
        f"{NOT_THE_PROGRAMS_FAULT}the program was ended by SIGKILL twice while the kernel was ending programs"
    )


def test_only_a_session_error_from_assignment_code_is_retried(small):
    key_error = Fault(Place(planted, "fault_point"), "raises", raises_exception(KeyError, "planted"), call_number=2)
    assert small.outcome(key_error).given_up == [("echo", "one")]
    session_error = Fault(
        Place(planted, "fault_point"), "raises", raises_exception(SessionError, "no terminal"), call_number=2
    )
    assert small.outcome(session_error).verdicts == RIGHT_VERDICTS


def test_a_worker_that_is_killed_costs_no_session_its_verdict(small):
    fault = Fault(Place(LauncherClient, "start"), "dies", sends(signal.SIGKILL), call_number=2, is_in_worker=True)
    outcome = small.outcome(fault, workers=2)
    assert outcome.has_happened and outcome.verdicts == RIGHT_VERDICTS and outcome.left == {}


def test_a_worker_that_is_killed_again_costs_only_its_current_session(small):
    """The case `two` kills each worker that has judged it; only in the main process can it be run to its end."""

    def kill_worker_of_two(real_call):
        result = real_call()
        if result.case == "two":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    fault = Fault(
        Place(seeded, "judged_result"), "dies", kill_worker_of_two, call_number=0, is_in_worker=True, lasts=True
    )
    outcome = small.outcome(fault, workers=2)
    assert outcome.has_happened and outcome.given_up in ([], [("echo", "two")])
    assert outcome.wrong == [] and outcome.left == {}


def die_once(marker_file):
    """Kill this worker, unless the marker file shows that an earlier one was killed."""
    if not marker_file.exists():
        marker_file.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def raise_usage_error():
    raise UsageError("no")


def test_the_task_of_a_killed_worker_is_run_once_more_by_another(tmp_path):
    with workers(2) as pool:
        assert pool.submit(die_once, tmp_path / "one").result() == "done"
        with pytest.raises(LostWorkerError, match=r"^a worker process of pitboss was killed$"):
            pool.submit_once(die_once, tmp_path / "two").result()
        with pytest.raises(LostWorkerError):
            pool.submit(die).result()
        with pytest.raises(UsageError):
            pool.submit(raise_usage_error).result()


def run_part(numbers, marker_file, fatal, endless):
    """Run the sessions with these numbers in a worker: the result of a session is ten times its number.

    A session in `fatal` kills the worker, "once" or "always"; a session in `endless` counts as one that never ends.
    """
    part = Part({}, {})
    for number in numbers:
        if number in fatal and (fatal[number] == "always" or not marker_file.exists()):
            marker_file.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        part.results[number] = number * 10
        if number in endless:
            part.endless_weights[number] = 1
            if len(part.endless_weights) == 3:
                break
    return part


def fault_of(number, error):
    return f"{number}: {error}"


def run_shared_sessions(tmp_path, fatal, endless=()):
    """The results, by number, of 30 sessions that two workers share; for a session that was lost, its fault."""
    with workers(2) as pool:
        return shared_sessions(pool, run_part, tmp_path / "killed", fatal, endless, count=30, fault_of=fault_of)


def test_the_sessions_of_a_lost_worker_are_given_to_another(tmp_path):
    assert run_shared_sessions(tmp_path, {}) == {number: number * 10 for number in range(30)}
    assert run_shared_sessions(tmp_path, {7: "once"}) == {number: number * 10 for number in range(30)}


def test_only_a_session_that_kills_its_worker_twice_becomes_a_fault(tmp_path):
    expected = {number: number * 10 for number in range(30)}
    assert run_shared_sessions(tmp_path, {7: "always"}) == expected | {7: "7: a worker process of pitboss was killed"}


def test_lost_sessions_are_not_rerun_after_three_endless_sessions(tmp_path):
    result = run_shared_sessions(tmp_path, {5: "once"}, endless=(2, 3, 4, 12, 20))
    assert result == {number: number * 10 for number in range(5)}


def test_submit_once_runs_the_task_in_a_pool_without_workers():
    assert Pool().submit_once(abs, -1).result() == 1


def test_io_and_memory_errors_are_our_fault_but_a_broken_pipe_is_not():
    with pytest.raises(SessionError, match=r"^it broke: Input/output error$"), our_faults("it broke"):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    with pytest.raises(SessionError, match=r"^it broke: Cannot allocate memory — "), our_faults("it broke"):
        raise MemoryError
    with pytest.raises(BrokenPipeError), our_faults("it broke"):
        raise BrokenPipeError


def test_a_full_disk_is_our_fault_but_an_unreadable_file_is_not(tmp_path, monkeypatch):
    (tmp_path / "a").touch()
    monkeypatch.setattr("pitboss.machine.shortages.PATIENCE_S", 0.01)
    monkeypatch.setattr(sources.shutil, "copy", lambda *_: raises_os_error(errno.ENOSPC)(None))
    with pytest.raises(SessionError, match=r"^the submission could not be copied: No space left on device — "):
        sources._copy_file(tmp_path / "a", tmp_path / "b")
    monkeypatch.setattr(sources.shutil, "copy", lambda *_: raises_os_error(errno.EACCES)(None))
    with pytest.raises(UsageError, match=r"a: the file cannot be read: Permission denied$"):
        sources._copy_file(tmp_path / "a", tmp_path / "b")


def test_a_long_gap_between_two_readings_counts_as_stopped_time(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(stops.time, "monotonic", lambda: now[0])
    own_stops = stops.Stops()
    now[0] = 104.9
    assert own_stops.stopped_time_s() == 0
    now[0] = 204.9
    assert own_stops.stopped_time_s() == 100
    now[0] = 205.0
    assert own_stops.stopped_time_s() == 0
