"""What workers tell is heard while they work, and nothing stays open of it."""

import os
from typing import NamedTuple

import pytest

from pitboss.sandbox import news
from pitboss.sandbox.pool import Pool
from pitboss.sandbox.workers import Workers


def tells_and_waits(out):
    news.tell(news.Taken(3, 7))
    return os.read(out, 1)


def counts(numbers):
    return sum(1 for _ in numbers)


def tells_too_much(length):
    news.tell("x" * length)
    news.tell("short")


def test_a_worker_is_heard_before_it_is_done():
    """It goes on only when it has been heard."""
    out, into = os.pipe()
    heard = []

    def hear(one):
        heard.append(one)
        os.write(into, b"!")

    with news.heard_by(hear), Workers(1) as pool:
        assert pool.submit(tells_and_waits, out).result() == b"!"
    os.close(out)
    os.close(into)
    assert heard == [news.Taken(3, 7)]


def test_how_many_numbers_have_been_taken_is_told():
    for pool in (Pool(), Workers(1, takes_part=True)):
        heard = []
        with news.heard_by(heard.append), pool:
            assert sum(pool.share(counts, count=5)) == 5
        assert heard == [news.Taken(number, 5) for number in range(1, 6)]


def test_all_listeners_hear_and_afterwards_none_does():
    first, second = [], []
    with news.heard_by(first.append):
        with news.heard_by(second.append):
            news.tell(1)
        news.tell(2)
    news.tell(3)
    assert (first, second, news.has_listener()) == ([1, 2], [1], False)


@pytest.mark.parametrize("length", [1 << 17, 150_000, 200_000, 1 << 22])
def test_news_that_are_too_long_are_lost_and_nothing_else_is(length):
    heard = []
    with news.heard_by(heard.append), Workers(1) as pool:
        pool.submit(tells_too_much, length).result()
        pool.submit(counts, ()).result()
    assert heard == ["short"]


class Long(NamedTuple):
    text: str

    def shortened(self):
        return "in short"


def tells_long_ones():
    news.tell(Long("x"))
    news.tell(Long("x" * 200_000))


def test_news_that_are_too_long_are_told_in_short_where_they_can_be():
    heard = []
    with news.heard_by(heard.append), Workers(1) as pool:
        pool.submit(tells_long_ones).result()
        pool.submit(counts, ()).result()
    assert heard == [Long("x"), "in short"]


def test_nothing_stays_open():
    before = os.listdir("/proc/self/fd")
    with news.heard_by(lambda _: None), Workers(2, takes_part=True) as pool:
        pool.share(counts, count=3)
    assert len(os.listdir("/proc/self/fd")) == len(before)
