import os
from typing import NamedTuple

import pytest

from pitboss.machine import progress
from pitboss.machine.pool import Pool
from pitboss.machine.workers import Workers


def notify_and_wait(descriptor):
    progress.notify(progress.WorkProgress(3, 7))
    return os.read(descriptor, 1)


def count_numbers(numbers):
    return sum(1 for _ in numbers)


def notify_long_then_short(length):
    progress.notify("x" * length)
    progress.notify("short")


def test_an_event_arrives_before_its_worker_has_finished():
    """The worker waits at a pipe until the listener has received its event."""
    read_end, write_end = os.pipe()
    events = []

    def answer(event):
        events.append(event)
        os.write(write_end, b"!")

    with progress.subscribe(answer), Workers(1) as pool:
        assert pool.submit(notify_and_wait, read_end).result() == b"!"
    os.close(read_end)
    os.close(write_end)
    assert events == [progress.WorkProgress(3, 7)]


def test_a_pool_reports_how_many_numbers_it_has_dealt_out():
    for pool in (Pool(), Workers(1, takes_part=True)):
        events = []
        with progress.subscribe(events.append), pool:
            assert sum(pool.share(count_numbers, count=5)) == 5
        assert events == [progress.WorkProgress(number, 5) for number in range(1, 6)]


def test_events_reach_all_listeners_until_their_contexts_end():
    first, second = [], []
    with progress.subscribe(first.append):
        with progress.subscribe(second.append):
            progress.notify(1)
        progress.notify(2)
    progress.notify(3)
    assert (first, second, progress.has_listener()) == ([1, 2], [1], False)


# An event may take 1 << 17 bytes, including the overhead of its encoding.
@pytest.mark.parametrize("length", [1 << 17, 150_000, 200_000, 1 << 22])
def test_an_event_that_is_too_long_is_lost_but_later_ones_arrive(length):
    events = []
    with progress.subscribe(events.append), Workers(1) as pool:
        pool.submit(notify_long_then_short, length).result()
        pool.submit(count_numbers, ()).result()
    assert events == ["short"]


class ShortenableEvent(NamedTuple):
    text: str

    def shortened(self):
        return "in short"


def notify_shortenable_events():
    progress.notify(ShortenableEvent("x"))
    progress.notify(ShortenableEvent("x" * 200_000))


def test_an_event_that_is_too_long_is_shortened_if_possible():
    events = []
    with progress.subscribe(events.append), Workers(1) as pool:
        pool.submit(notify_shortenable_events).result()
        pool.submit(count_numbers, ()).result()
    assert events == [ShortenableEvent("x"), "in short"]


def test_a_pool_leaves_no_descriptor_open():
    before = os.listdir("/proc/self/fd")
    with progress.subscribe(lambda _: None), Workers(2, takes_part=True) as pool:
        pool.share(count_numbers, count=3)
    assert len(os.listdir("/proc/self/fd")) == len(before)
