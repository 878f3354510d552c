"""What workers tell is heard while they work, and nothing stays open of it."""

import os
from typing import NamedTuple

import pytest

from pitboss.sandbox import progress
from pitboss.sandbox.pool import Pool
from pitboss.sandbox.workers import Workers


def tells_and_waits(out):
    progress.notify(progress.WorkProgress(3, 7))
    return os.read(out, 1)


def counts(numbers):
    return sum(1 for _ in numbers)


def tells_too_much(length):
    progress.notify("x" * length)
    progress.notify("short")


def test_a_worker_is_heard_before_it_is_done():
    """It goes on only when it has been heard."""
    out, into = os.pipe()
    heard = []

    def hear(one):
        heard.append(one)
        os.write(into, b"!")

    with progress.subscribe(hear), Workers(1) as pool:
        assert pool.submit(tells_and_waits, out).result() == b"!"
    os.close(out)
    os.close(into)
    assert heard == [progress.WorkProgress(3, 7)]


def test_how_many_numbers_have_been_taken_is_reported():
    for pool in (Pool(), Workers(1, takes_part=True)):
        heard = []
        with progress.subscribe(heard.append), pool:
            assert sum(pool.share(counts, count=5)) == 5
        assert heard == [progress.WorkProgress(number, 5) for number in range(1, 6)]


def test_all_listeners_hear_and_afterwards_none_does():
    first, second = [], []
    with progress.subscribe(first.append):
        with progress.subscribe(second.append):
            progress.notify(1)
        progress.notify(2)
    progress.notify(3)
    assert (first, second, progress.has_listener()) == ([1, 2], [1], False)


@pytest.mark.parametrize("length", [1 << 17, 150_000, 200_000, 1 << 22])
def test_news_that_are_too_long_are_lost_and_nothing_else_is(length):
    heard = []
    with progress.subscribe(heard.append), Workers(1) as pool:
        pool.submit(tells_too_much, length).result()
        pool.submit(counts, ()).result()
    assert heard == ["short"]


class Long(NamedTuple):
    text: str

    def shortened(self):
        return "in short"


def tells_long_ones():
    progress.notify(Long("x"))
    progress.notify(Long("x" * 200_000))


def test_news_that_are_too_long_are_reported_in_short_where_they_can_be():
    heard = []
    with progress.subscribe(heard.append), Workers(1) as pool:
        pool.submit(tells_long_ones).result()
        pool.submit(counts, ()).result()
    assert heard == [Long("x"), "in short"]


def test_nothing_stays_open():
    before = os.listdir("/proc/self/fd")
    with progress.subscribe(lambda _: None), Workers(2, takes_part=True) as pool:
        pool.share(counts, count=3)
    assert len(os.listdir("/proc/self/fd")) == len(before)
