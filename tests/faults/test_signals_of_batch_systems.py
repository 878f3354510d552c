"""Signals that end a process unless it says otherwise leave nothing either."""

import signal

import pytest

from tests.sandbox.test_signals import begun, ended, left_in, room

__all__ = ["room"]


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2], ids=lambda number: number.name)
def test_a_signal_that_would_end_us_at_once_leaves_nothing(room, number):
    pitboss = begun(room, "in a session")
    output = ended(pitboss, room, "in a session", number, to_group=True)
    assert pitboss.returncode == 128 + number
    assert "stopped before grading s0" in output and "Traceback" not in output
    assert left_in(room) == ([], [])
