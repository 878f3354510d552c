"""Whether a program waits is never guessed where this machine cannot tell."""

import errno
import os

import pytest

from pitboss.sandbox import procfs, shortages
from pitboss.sessions.tracing.quiescence import Quiescence


def test_a_lack_of_files_is_not_taken_for_a_program_that_waits(monkeypatch):
    """What /proc does not tell would be a pause that a program never made."""

    def no_file(*_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    monkeypatch.setattr(procfs.os, "open", no_file)
    with pytest.raises(OSError, match="Too many open files"):
        Quiescence().is_still([os.getpid()], ())


def test_a_process_that_is_gone_has_nothing_to_tell():
    assert (procfs.text_of("/proc/0/stat"), procfs.names_in("/proc/0/task")) == ("", [])
