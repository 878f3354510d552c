import errno
import os

import pytest

from pitboss.machine import processes, shortages
from pitboss.sessions.tracing.timed_waits import Quiescence


def test_running_out_of_descriptors_is_not_mistaken_for_a_wait(monkeypatch):
    """Otherwise pitboss would record a pause that did not occur."""

    def fail_to_open(*_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    monkeypatch.setattr(processes.os, "open", fail_to_open)
    with pytest.raises(OSError, match="Too many open files"):
        Quiescence().are_all_waiting([os.getpid()], ())


def test_proc_files_of_a_process_that_is_gone_read_as_empty():
    assert (processes.text_of("/proc/0/stat"), processes.names_in("/proc/0/task")) == ("", [])
