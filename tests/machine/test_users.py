import os
import subprocess
import sys
import time

import pytest

from pitboss.errors import SessionError
from pitboss.machine import users

#: Borrows two of four user ids, prints them, and gives them back when a line arrives.
BORROWS_TWO_IDS = """
import sys
from pitboss.machine import users
users._lendable_ids = lambda: range(61_000, 61_004)
with users.lend_user_id() as first, users.lend_user_id() as second:
    print(first, second, flush=True)
    sys.stdin.readline()
"""

FORK_BOMB = """
import os
os.setgid({id}); os.setuid({id})
print("here", flush=True)
while True:
    try:
        os.fork()
    except OSError:
        pass
"""


def start_python(code):
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_two_pitboss_processes_never_lend_the_same_user_id():
    with start_python(BORROWS_TWO_IDS) as first, start_python(BORROWS_TWO_IDS) as second:
        ids = [*first.stdout.readline().split(), *second.stdout.readline().split()]
        assert sorted(ids) == ["61000", "61001", "61002", "61003"]
        for process in (first, second):
            process.stdin.write("\n")


def test_lending_fails_when_no_user_id_is_left(monkeypatch):
    monkeypatch.setattr(users, "_lendable_ids", lambda: range(61_100, 61_101))
    with (
        users.lend_user_id(),
        pytest.raises(SessionError, match=r"^there is no user id left for programs to run as$"),
        users.lend_user_id(),
    ):
        pass


def test_the_range_is_large_where_all_user_ids_are_mapped(monkeypatch):
    monkeypatch.setattr(users, "_mapped_ids", lambda path: [(0, (1 << 32) - 1)])
    assert len(users._lendable_ids()) > 1_000_000_000


def test_a_small_container_lends_only_mapped_user_ids(monkeypatch):
    monkeypatch.setattr(users, "_mapped_ids", lambda path: [(0, 65_536)])
    assert users._lendable_ids() == range(61_000, 65_534)


def test_there_are_no_ids_to_lend_where_only_one_is_mapped(monkeypatch):
    monkeypatch.setattr(users, "_mapped_ids", lambda path: [(0, 1)])
    assert not users.has_ids_to_lend()


@pytest.mark.needs("root")
def test_ending_all_processes_of_a_user_ends_a_fork_bomb():
    with users.lend_user_id() as user_id:
        # At most 1000 processes, so that the machine stays usable even if this test fails.
        bomb = start_python(
            f"import resource; resource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))\n{FORK_BOMB.format(id=user_id)}"
        )
        assert bomb.stdout.readline() == "here\n"
        users.end_all_of(user_id)
        bomb.wait()
        bomb.stdout.close()
        bomb.stdin.close()
        deadline = time.monotonic() + 120
        while (remaining := living_processes(user_id)) and time.monotonic() < deadline:
            pass
    assert remaining == []


def living_processes(user_id):
    return [name for name in os.listdir("/proc") if name.isdigit() and _is_living(name, user_id)]


def _is_living(name, user_id):
    try:
        with open(f"/proc/{name}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
    except OSError:
        return False
    return fields["Uid"].split()[0] == str(user_id) and fields["State"].split()[0] not in "ZX"
