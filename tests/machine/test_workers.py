import os
import signal
import time

import pytest

from pitboss.checking.check import check_in_this_process
from pitboss.compare.results import Verdict
from pitboss.errors import SessionError, UsageError
from pitboss.machine import children, processes
from pitboss.machine.pool import Pool
from pitboss.machine.workers import workers
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

POOLS = [lambda: Pool(), lambda: workers(2), lambda: workers(2, takes_part=True), lambda: workers(1, takes_part=True)]


@pytest.fixture(params=POOLS, ids=["no worker", "two workers", "two and this process", "one and this process"])
def pool(request):
    with request.param() as pool:
        yield pool


def take_numbers(numbers, offset):
    """The numbers that the pool deals out to this worker, each plus the offset, and the process id of the worker."""
    return [number + offset for number in numbers], os.getpid()


def worker_pid():
    return os.getpid()


def raise_usage_error(message):
    raise UsageError(message)


def raise_key_error():
    return {}["nothing"]


def kill_self():
    os.kill(os.getpid(), signal.SIGKILL)


def write_start_and_end(path):
    """Write "began" to the file, wait for ever, and write "ended" when interrupted."""
    try:
        with open(path, "w") as file:
            file.write("began")
        while True:  # a single pause would not notice a signal that comes just before it
            time.sleep(0.05)
    finally:
        with open(path, "w") as file:
            file.write("ended")


@pytest.mark.parametrize("count", [0, 1, 5, 3000])
def test_a_pool_deals_out_every_number_once(pool, count):
    parts = pool.share(take_numbers, 10, count=count)
    assert sorted(number for numbers, _ in parts for number in numbers) == list(range(10, 10 + count))


def test_the_main_process_works_only_if_it_takes_part():
    with workers(2) as pool:
        assert os.getpid() not in {pid for _, pid in pool.share(take_numbers, 0, count=3000)}
    with workers(2, takes_part=True) as pool:
        assert os.getpid() in {pid for _, pid in pool.share(take_numbers, 0, count=3000)}


def test_as_done_yields_every_task(pool):
    tasks = [pool.submit(abs, number) for number in (-3, -2, -1)]
    assert sorted(task.result() for task in pool.as_done(tasks)) == [1, 2, 3]


def test_result_raises_the_error_of_its_task(pool):
    with pytest.raises(UsageError, match=r"^no such thing$"):
        pool.submit(raise_usage_error, "no such thing").result()


def test_an_unexpected_error_in_a_task_is_reported_with_its_line():
    with workers(1) as pool, pytest.raises(RuntimeError, match=r'test_workers.py", line \d+, in raise_key_error'):
        pool.submit(raise_key_error).result()


def test_a_killed_worker_loses_only_its_own_task():
    with workers(2) as pool:
        killed_task, *other_tasks = [pool.submit(kill_self), *(pool.submit(worker_pid) for _ in range(5))]
        with pytest.raises(SessionError, match=r"^a worker process of pitboss was killed$"):
            killed_task.result()
        assert os.getpid() not in {task.result() for task in other_tasks}
        assert pool.submit(abs, -1).result() == 1


def test_numbers_lost_with_a_worker_are_not_dealt_out_later():
    with workers(2) as pool:
        with pytest.raises(SessionError):
            pool.share(take_one_and_kill_self, count=10)
        parts = pool.share(take_numbers, 0, count=4)
        assert sorted(number for numbers, _ in parts for number in numbers) == [0, 1, 2, 3]


def take_one_and_kill_self(numbers):
    next(numbers)
    kill_self()


def test_a_worker_stopped_during_a_task_runs_its_finally_block(tmp_path):
    path = tmp_path / "mark"
    with workers(1) as pool:
        pool.submit(write_start_and_end, str(path))
        while not path.exists() or path.read_text() != "began":
            pass
    assert path.read_text() == "ended"


def test_a_wait_ends_even_if_no_task_is_done(tmp_path):
    """A signal just before a wait is noticed only after it, so a wait must not last as long as a task."""
    with workers(2) as pool:
        task = pool.submit(write_start_and_end, str(tmp_path / "mark"))
        pool.wait()
        assert not task.is_done


def test_a_forked_process_reaps_its_own_orphans():
    children.CHILDREN.begin()
    pid = os.fork()
    if pid == 0:
        exit_code = 1
        try:
            orphan = os.posix_spawn("/bin/true", ["true"], {})
            os.waitid(os.P_PID, orphan, os.WEXITED | os.WNOWAIT)
            children.CHILDREN.reap()
            try:
                os.waitpid(orphan, os.WNOHANG)
            except ChildProcessError:
                exit_code = 0
        finally:
            os._exit(exit_code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.needs("bubblewrap")
def test_ended_bubblewrap_processes_are_reaped_before_the_pool_ends(blackjack):
    """They once became children of the main process, and stayed zombies until all submissions were graded."""
    job = Job(blackjack, blackjack.stages[:2], find_conditions("watched", "bubblewrap"), "blackjack")
    with workers(1) as pool:
        for _ in range(4):
            report = pool.submit(check_in_this_process, job, ROOT / "examples" / "blackjack" / "ada", "ada").result()
            assert report.verdict is Verdict.ACCEPTED
        assert [pid for pid in processes.children(os.getpid()) if processes.state(pid) == "Z"] == []
