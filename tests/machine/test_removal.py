import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pitboss.machine.removal import empty, remove
from tests.conftest import ROOT

#: How many nested folders, and how many folders side by side, `fill` creates.
DEPTH = 3000
BREADTH = 300
#: An id that no user has.
OTHER_USER = 61234


def create_deep_folders(folder, depth, mode=0o755):
    """Create nested folders whose path is longer than the kernel accepts."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("a" * 200, dir_fd=here)
        below = os.open("a" * 200, os.O_RDONLY, dir_fd=here)
        Path(f"/proc/self/fd/{below}/file").touch()
        os.fchmod(below, mode)
        os.close(here)
        here = below
    os.close(here)


def fill(folder):
    """Create a folder with deep, many and locked folders, links and a pipe in it."""
    folder.mkdir()
    create_deep_folders(folder, DEPTH)
    for number in range(BREADTH):
        (folder / f"{number}" / "inner" / "most").mkdir(parents=True)
        (folder / f"{number}" / "inner" / "file").touch()
    (folder / "closed" / "inside").mkdir(parents=True)
    (folder / "closed" / "inside" / "file").touch()
    (folder / "closed" / "inside").chmod(0)
    (folder / "closed").chmod(0o500)
    (folder / "link").symlink_to(folder.parent / "kept")
    (folder / "link to nothing").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")


def test_a_folder_is_removed_however_deep_broad_and_locked(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    fill(tmp_path / "full")
    assert remove(str(tmp_path / "full"))
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "file"]


def test_removal_needs_few_descriptors(tmp_path):
    fill(tmp_path / "full")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest_descriptor() + 5, hard))
    try:
        assert remove(str(tmp_path / "full"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def highest_descriptor():
    return max(int(name) for name in os.listdir("/proc/self/fd"))


def test_emptying_a_folder_keeps_the_folder_itself(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    empty(str(tmp_path / "full"))
    assert list(tmp_path.rglob("*")) == [tmp_path / "full"]


def test_an_unreadable_folder_does_not_stop_the_removal_of_others(tmp_path, monkeypatch):
    """For example, the kernel may lack the memory to list a folder."""
    for number in range(6):
        (tmp_path / "full" / f"{number}" / "inner").mkdir(parents=True)
        (tmp_path / "full" / f"{number}" / "file").touch()
    unreadable_inodes = {(tmp_path / "full" / number).stat().st_ino for number in "25"}
    real_listdir, descriptors_before = os.listdir, os.listdir("/proc/self/fd")

    def listdir(descriptor):
        if os.fstat(descriptor).st_ino in unreadable_inodes:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        return real_listdir(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", listdir)
        empty(str(tmp_path / "full"))
    assert sorted(os.listdir(tmp_path / "full")) == ["2", "5"]
    assert os.listdir("/proc/self/fd") == descriptors_before
    assert remove(str(tmp_path / "full"))


def test_removing_a_missing_folder_succeeds(tmp_path):
    assert remove(str(tmp_path / "nowhere"))


#: Fills and removes a folder as an ordinary user.
AS_A_USER = """
import os, sys
from pathlib import Path
sys.path[:0] = [{root!r}, {tests!r}]
from test_removal import fill
from pitboss.machine.removal import remove
os.setgroups([]); os.setgid({user}); os.setuid({user})
fill(Path(sys.argv[1]))
assert remove(sys.argv[1]), os.listdir(sys.argv[1])
"""


@pytest.mark.needs("root")
def test_an_ordinary_user_can_remove_locked_folders(reachable):
    reachable.chmod(0o777)
    code = AS_A_USER.format(root=str(ROOT / "harness"), tests=str(ROOT / "tests" / "machine"), user=OTHER_USER)
    subprocess.run([sys.executable, "-c", code, str(reachable / "full")], check=True, timeout=60)
    assert list(reachable.iterdir()) == []


#: Runs the Python code in its second argument, without root's power over the files of other users. The code gets the
#: first argument, a folder.
WITHOUT_CAPABILITIES = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    assert libc.prctl(24, capability, 0, 0, 0) == 0  # PR_CAPBSET_DROP
os.execv(sys.executable, [sys.executable, "-c", sys.argv[2], sys.argv[1]])
"""


@pytest.mark.needs("root")
def test_root_without_capabilities_can_remove_files_of_other_users(tmp_path):
    fill(tmp_path / "full")
    for folder, folders, files in os.walk(tmp_path / "full"):
        for name in (*folders, *files):
            os.chown(f"{folder}/{name}", OTHER_USER, OTHER_USER, follow_symlinks=False)
        if "a" * 200 in folders:  # the deep folders: their paths become too long for os.walk
            folders.remove("a" * 200)
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'harness')!r})\nfrom pitboss.machine.removal import remove\nassert remove(sys.argv[1])"
    command = [sys.executable, "-c", WITHOUT_CAPABILITIES, str(tmp_path / "full"), code]
    subprocess.run(command, check=True, timeout=60)
    assert list(tmp_path.iterdir()) == []
