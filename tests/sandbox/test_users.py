"""Users that programs run as: nobody else's while they are lent, and all they run ends at once."""

import os
import subprocess
import sys
import time

import pytest

from pitboss.errors import SessionError
from pitboss.sandbox import users

ONE_OF_FEW = """
import sys
from pitboss.sandbox import users
users._range = lambda: range(61_000, 61_004)
with users.lent() as one, users.lent() as other:
    print(one, other, flush=True)
    sys.stdin.readline()
"""

FORKS = """
import os
os.setgid({id}); os.setuid({id})
print("here", flush=True)
while True:
    try:
        os.fork()
    except OSError:
        pass
"""


def start(code):
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_two_processes_never_have_the_same_user():
    with start(ONE_OF_FEW) as one, start(ONE_OF_FEW) as other:
        ids = [*one.stdout.readline().split(), *other.stdout.readline().split()]
        assert sorted(ids) == ["61000", "61001", "61002", "61003"]
        for process in (one, other):
            process.stdin.write("\n")


def test_when_no_user_is_left_it_says_so(monkeypatch):
    monkeypatch.setattr(users, "_range", lambda: range(61_100, 61_101))
    with (
        users.lent(),
        pytest.raises(SessionError, match=r"^there is no user id left for programs to run as$"),
        users.lent(),
    ):
        pass


def test_where_all_ids_mean_something_there_is_room_for_everybody(monkeypatch):
    monkeypatch.setattr(users, "_mapped", lambda path: [(0, (1 << 32) - 1)])
    assert len(users._range()) > 1_000_000_000


def test_in_a_small_container_the_ids_are_those_that_are_mapped(monkeypatch):
    monkeypatch.setattr(users, "_mapped", lambda path: [(0, 65_536)])
    assert users._range() == range(61_000, 65_534)


def test_where_there_is_only_one_user_there_is_nobody_to_become(monkeypatch):
    monkeypatch.setattr(users, "_mapped", lambda path: [(0, 1)])
    assert not users.are_there()


@pytest.mark.needs("root")
def test_a_user_ends_with_all_it_has_running_however_fast_it_forks():
    with users.lent() as user_id:
        # A thousand at the most, so that a failure of this test costs the machine nothing.
        bomb = start(
            f"import resource; resource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))\n{FORKS.format(id=user_id)}"
        )
        assert bomb.stdout.readline() == "here\n"
        users.end_all_of(user_id)
        bomb.wait()
        bomb.stdout.close()
        bomb.stdin.close()
        until = time.monotonic() + 120
        while (left := living(user_id)) and time.monotonic() < until:
            pass
    assert left == []


def living(user_id):
    return [name for name in os.listdir("/proc") if name.isdigit() and _is_living(name, user_id)]


def _is_living(name, user_id):
    try:
        with open(f"/proc/{name}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
    except OSError:
        return False
    return fields["Uid"].split()[0] == str(user_id) and fields["State"].split()[0] not in "ZX"
