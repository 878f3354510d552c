import ctypes
import mmap
import os
import signal

import pytest

from pitboss.machine import abi, processes

PR_SET_NAME = 15
#: The kernel escapes only newlines and backslashes in these; Python splits lines at the others too.
NAMES = ["plain", "\x0bVmRSS: -99999", "a\x0b\x0bb", "\rTgid:\t1", "a\x1c\x1d\x1eb", "VmRSS:\n-9"]


@pytest.fixture
def named_process(request):
    """The id of a process with the name in `request.param`, which does nothing."""
    is_named, has_named = os.pipe()
    if not (pid := os.fork()):
        ctypes.CDLL(None).prctl(PR_SET_NAME, request.param.encode(), 0, 0, 0)
        os.write(has_named, b"!")
        signal.pause()
    os.read(is_named, 1)
    yield pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(is_named)
    os.close(has_named)


@pytest.mark.parametrize("named_process", NAMES, indirect=True, ids=ascii)
def test_the_name_of_a_program_does_not_change_its_memory_or_its_group(named_process):
    assert processes.used_memory_kb([named_process], 1 << 40) > 1000
    assert abi.process_of(named_process) == named_process


@pytest.mark.parametrize("name", ["data", "x\x0b (deleted)", "x\r\x1c\x85y", "two words (deleted) "], ids=ascii)
def test_the_name_of_a_mapped_file_does_not_change_its_size(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(bytes(8192))
    with path.open("r+b") as file:
        mapping, inode = mmap.mmap(file.fileno(), 4096), os.fstat(file.fileno()).st_ino
    path.unlink()
    with mapping:
        assert processes._mapped_unnamed_files(f"/proc/{os.getpid()}", 1 << 20)[inode] in (8192, 1 << 20)
