"""The hostile programs of tests/submissions/hostile/zoo, and the surroundings that they may neither read nor change.

Each program is one file. Its first comment says what it tries, its verdict, which protection stops it, and what must
stay untouched. NAME.c is handed in as teller.c, NAME.mk as the Makefile of a correct teller.c.
"""

import hashlib
import os
import re
import shutil
import socket
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT, TOY

ZOO = ROOT / "tests" / "submissions" / "hostile" / "zoo"
PLAIN = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"
FIELDS = ("Tries", "Verdict", "Stopped by", "Untouched")
#: Quick attacks, each typical of its kind; all others are marked slow.
TYPICAL = (
    *("build_makes_a_pipe", "connects", "devices", "kills_everybody", "leaves_notes", "memory_of_others", "namespaces"),
    *("raises_limits", "reads_secrets", "siblings", "sleeps_for_ages", "throws_away", "writes_everywhere"),
)

LIMITS = "limits: {idle_s: 1, memory_mb: 128}"
SPEC = """\
program: teller
cases:
  - name: deposit and withdraw
    transcript: |
      Opening balance: <<100>>
      Deposit, withdraw or close? [d/w/c] <<w>>
      Amount: <<30>>
      <pause 1s>Please count your money.
      Balance: 70 €
      Deposit, withdraw or close? [d/w/c] <<c>>
      Closing balance: 70 €
  - name: close at once
    transcript: |
      Opening balance: <<-7>>
      Deposit, withdraw or close? [d/w/c] <<c>>
      Closing balance: -7 €
"""
#: A correct program, which prints ESCAPED if its build could do what is forbidden.
CORRECT_PROGRAM = (
    '#include "teller.h"\n\nstatic void attack(void)\n{\n#ifdef ESCAPED\n    puts("ESCAPED");\n#endif\n}\n'
)


class Attack(NamedTuple):
    """A hostile program, and the fields of its comment."""

    path: Path
    tries: str
    verdict: str
    stopped_by: str
    untouched: str

    @property
    def name(self):
        return self.path.stem

    @property
    def verdicts(self):
        """The possible verdicts; if there are several, the machine decides."""
        return self.verdict.split(" or ")


def attack_of(path):
    """Read the attack of a file; ValueError if the comment lacks a field."""
    mark = " *" if path.suffix == ".c" else "#"
    lines = [
        line.removeprefix("/*").removeprefix(mark).strip() for line in path.read_text().splitlines()[: len(FIELDS)]
    ]
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    if tuple(fields) != FIELDS:
        raise ValueError(f"{path.name}: its first comment has the fields {list(fields)}, not {list(FIELDS)}")
    return Attack(path, *fields.values())


ATTACKS = [attack_of(path) for path in sorted(ZOO.iterdir()) if path.suffix in (".c", ".mk")]


class AttackTarget:
    """A folder, accessible to all users, with all that attacks look for: assignment, class, gradebook, canary and sockets."""

    def __init__(self, folder, stack):
        self.folder = folder
        self.assignment = folder / "assignment" / "teller"
        self.canaries, self.submissions = folder / "canaries", folder / "class"
        for path in (self.assignment.parent, self.canaries, self.submissions):
            path.mkdir()
        shutil.copytree(TOY, self.assignment)
        text = (self.assignment / "assignment.yaml").read_text()
        (self.assignment / "assignment.yaml").write_text(re.sub("(?m)^limits: .*$", LIMITS, text))
        (self.assignment / "teller.yaml").write_text(SPEC)
        self.canaries.chmod(0o777)
        (self.canaries / "canary").write_text("ESCAPED\n")
        (self.canaries / "canary").chmod(0o666)
        (folder / "gradebook").write_text("grades\n")
        self.tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        socket_with_path, abstract_socket = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        socket_with_path.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o777)
        abstract_socket.bind(f"\0pitboss zoo {os.getpid()}")
        self.listeners = (self.tcp, socket_with_path, abstract_socket)
        for listener in self.listeners:
            listener.setblocking(False)
            listener.listen()
        self.hand_in("other", CORRECT_PROGRAM)

    def hand_in(self, name, text, makefile=""):
        """Hand in a program; returns its folder."""
        folder = self.submissions / name
        folder.mkdir()
        shutil.copy(ZOO / "teller.h", folder)
        shutil.copy(PLAIN, folder / "plain.c")
        (folder / "teller.c").write_text(text)
        if makefile:
            (folder / "Makefile").write_text(makefile)
        paths = {
            "SPEC": ROOT / "specs" / "blackjack" / "play.yaml",
            "REFERENCE": ROOT / "reference" / "blackjack" / "play.py",
            "HARNESS": ROOT / "harness" / "pitboss" / "errors.py",
            "ROOT": ROOT,
            "OTHER": self.submissions / "other" / "teller.c",
            "CLASS": self.submissions,
            "GRADEBOOK": self.folder / "gradebook",
            "CANARY": self.canaries / "canary",
            "CANARY_FOLDER": self.canaries,
            "SOCKET": self.folder / "socket",
            "ABSTRACT": f"pitboss zoo {os.getpid()}",
            "HANDED_IN": folder / "teller.c",
        }
        numbers = {"STARTER": os.getpid(), "PORT": self.tcp.getsockname()[1]}
        lines = [f'#define {key} "{value}"\n' for key, value in paths.items()]
        lines += [f"#define {key} {value}\n" for key, value in numbers.items()]
        (folder / "paths.h").write_text("".join(lines))
        (folder / "paths.mk").write_text("".join(f"{key} = {value}\n" for key, value in paths.items()))
        return folder

    def hand_in_attack(self, attack):
        """Hand in a program of the zoo; returns its folder."""
        text = attack.path.read_text()
        is_make = attack.path.suffix == ".mk"
        return self.hand_in(attack.name, CORRECT_PROGRAM if is_make else text, text if is_make else "")

    def state(self):
        """What an attack must not change: equal before and after."""
        paths = sorted(path for path in self.folder.rglob("*") if not path.is_socket())
        elsewhere = [
            Path("/tmp/pitboss-zoo"),
            Path("/var/tmp/pitboss-zoo"),
            Path("/dev/shm/pitboss-zoo"),
            ROOT / "core",
        ]
        return {
            "files": {str(path): _content(path) for path in paths},
            "elsewhere": [path for path in elsewhere if path.exists()],
            "connections": [listener for listener in self.listeners if _has_connection(listener)],
            "host name": os.uname().nodename,
        }


def _content(path):
    """The mode, the owner, the size and a digest of a file; a folder has size 0 and no digest."""
    stat = path.lstat()
    size, digest = (stat.st_size, hashlib.sha256(path.read_bytes()).hexdigest()) if path.is_file() else (0, "")
    return stat.st_mode, stat.st_uid, size, digest


def _has_connection(listener):
    try:
        listener.accept()
    except BlockingIOError:
        return False
    return True


@contextmanager
def attack_target_in(folder):
    """Set up an AttackTarget in this folder; its sockets are closed afterwards."""
    with ExitStack() as stack:
        yield AttackTarget(folder, stack)
