import signal

import pytest

from tests.machine.test_signals import leftovers_in, signal_and_wait, start_grading


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2], ids=lambda number: number.name)
def test_a_signal_that_ends_a_process_by_default_leaves_nothing_behind(workspace, number):
    pitboss = start_grading(workspace, "in a session")
    output = signal_and_wait(pitboss, workspace, "in a session", number, to_group=True)
    assert pitboss.returncode == 128 + number
    assert "stopped before grading s0" in output and "Traceback" not in output
    assert leftovers_in(workspace) == ([], [])
