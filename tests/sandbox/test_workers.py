"""Worker pools: what is dealt out is done once by somebody, and a worker's death costs nobody but its own task."""

import os
import signal
import time

import pytest

from pitboss.checking.check import check_in_this_process
from pitboss.compare.verdicts import Verdict
from pitboss.errors import SessionError, UsageError
from pitboss.sandbox import children, processes
from pitboss.sandbox.pool import Pool
from pitboss.sandbox.workers import workers
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

POOLS = [lambda: Pool(), lambda: workers(2), lambda: workers(2, takes_part=True), lambda: workers(1, takes_part=True)]


@pytest.fixture(params=POOLS, ids=["alone", "two", "two with this one", "one with this one"])
def pool(request):
    with request.param() as pool:
        yield pool


def taken(numbers, offset):
    return [number + offset for number in numbers], os.getpid()


def who():
    return os.getpid()


def refused(why):
    raise UsageError(why)


def broken():
    return {}["nothing"]


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def marks_its_end(path):
    try:
        with open(path, "w") as file:
            file.write("began")
        while True:  # a single pause would not notice a signal that comes just before it
            time.sleep(0.05)
    finally:
        with open(path, "w") as file:
            file.write("ended")


@pytest.mark.parametrize("count", [0, 1, 5, 3000])
def test_every_number_is_dealt_once(pool, count):
    parts = pool.share(taken, 10, count=count)
    assert sorted(number for numbers, _ in parts for number in numbers) == list(range(10, 10 + count))


def test_all_take_part_who_should():
    with workers(2) as pool:
        assert os.getpid() not in {pid for _, pid in pool.share(taken, 0, count=3000)}
    with workers(2, takes_part=True) as pool:
        assert os.getpid() in {pid for _, pid in pool.share(taken, 0, count=3000)}


def test_tasks_come_back_as_they_are_done(pool):
    tasks = [pool.submit(abs, number) for number in (-3, -2, -1)]
    assert sorted(task.result() for task in pool.as_done(tasks)) == [1, 2, 3]


def test_what_a_task_raises_is_raised_where_its_result_is_asked_for(pool):
    with pytest.raises(UsageError, match=r"^no such thing$"):
        pool.submit(refused, "no such thing").result()


def test_a_mistake_of_ours_is_reported_with_its_place():
    with workers(1) as pool, pytest.raises(RuntimeError, match=r'test_workers.py", line \d+, in broken'):
        pool.submit(broken).result()


def test_a_worker_that_is_killed_costs_its_own_task_alone():
    with workers(2) as pool:
        dead, *others = [pool.submit(killed), *(pool.submit(who) for _ in range(5))]
        with pytest.raises(SessionError, match=r"^a worker process of pitboss was killed$"):
            dead.result()
        assert os.getpid() not in {task.result() for task in others}
        assert pool.submit(abs, -1).result() == 1


def test_when_a_part_is_lost_its_numbers_do_not_come_again():
    with workers(2) as pool:
        with pytest.raises(SessionError):
            pool.share(killed_after_one, count=10)
        parts = pool.share(taken, 0, count=4)
        assert sorted(number for numbers, _ in parts for number in numbers) == [0, 1, 2, 3]


def killed_after_one(numbers):
    next(numbers)
    killed()


def test_a_worker_that_is_sent_off_in_the_middle_leaves_in_order(tmp_path):
    path = tmp_path / "mark"
    with workers(1) as pool:
        pool.submit(marks_its_end, str(path))
        while not path.exists() or path.read_text() != "began":
            pass
    assert path.read_text() == "ended"


def test_a_wait_comes_to_its_end_though_nothing_is_done(tmp_path):
    """A signal that comes just before a wait is noticed after it only, so none may last as long as a task does."""
    with workers(2) as pool:
        task = pool.submit(marks_its_end, str(tmp_path / "mark"))
        pool.wait()
        assert not task.is_done


def test_a_forked_process_waits_for_its_own_orphans_not_for_those_of_the_one_it_came_from():
    children.CHILDREN.begin()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            orphan = os.posix_spawn("/bin/true", ["true"], {})
            os.waitid(os.P_PID, orphan, os.WEXITED | os.WNOWAIT)
            children.CHILDREN.reap()
            try:
                os.waitpid(orphan, os.WNOHANG)
            except ChildProcessError:
                code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.needs("bubblewrap")
def test_what_ends_in_a_worker_does_not_wait_for_the_end_of_the_class(blackjack):
    """The processes of each bubblewrap came to who had begun the class, and stood there as long as it lasted."""
    job = Job(blackjack, blackjack.stages[:2], find_conditions("watched", "bubblewrap"), "blackjack")
    with workers(1) as pool:
        for _ in range(4):
            report = pool.submit(check_in_this_process, job, ROOT / "examples" / "blackjack" / "ada", "ada").result()
            assert report.verdict is Verdict.ACCEPTED
        assert [pid for pid in processes.children(os.getpid()) if processes.state(pid) == "Z"] == []
