"""A large class under small limits: `python -m benchmarks.many [--count 3000] [--files 256] [--hundred]`.

Makes that many one-file submissions, right and wrong ones in turn, and grades them in a shell that allows few open
files: in Python with a few sessions each, or with --hundred in C with 100 sessions each. Meanwhile it looks at all
processes of pitboss: what they have open, how many there are, and how much memory its workers have must not grow with
the class. It fails where a result is missing or another than it should be, where anything grew, or where a process, a
descriptor or a folder is left at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.environment import WITHOUT_CACHE

ROOT = Path(__file__).parent.parent
TOYS = ROOT / "tests" / "toy"
#: The most by which the processes' resources may exceed those of the first half of the run: a factor, and a slack.
_MAX_MORE, _SLACK = 1.25, 3
_EVERY_S = 0.25

RIGHT = (TOYS / "teller" / "teller").read_text(encoding="utf-8")
#: Starts a process that waits forever, since it keeps the other end of its own pipe open.
LEAVES = """import os, subprocess
ends = os.pipe()
os.set_inheritable(ends[1], True)
subprocess.Popen(["cat"], stdin=ends[0], close_fds=False)
"""
#: Programs with the verdict that each must get, used in turn.
TELLERS = (
    ("ACCEPTED", RIGHT),
    ("WRONG_ANSWER", RIGHT.replace("Closing balance", "Balance at the end")),
    ("RUN_TIME_ERROR", RIGHT.replace("    while True:", "    raise KeyError(balance)\n    while True:")),
    ("COMPILE_ERROR", RIGHT.replace("while True:", "while True")),
    ("ACCEPTED", RIGHT.replace("balance += amount", "balance = balance + amount")),
    ("RUN_TIME_ERROR", RIGHT.replace("\n\nmain()\n", f"\n\n{LEAVES}main()\n")),
)
HELLO = """#include <stdio.h>
int main(void)
{
    int n;
    printf("Number? ");
    scanf("%d", &n);
    printf("Hello, world %d!\\n", n);
    return 0;
}
"""
HELLOS = (
    ("ACCEPTED", HELLO),
    ("WRONG_ANSWER", HELLO.replace("Hello, world", "Hello world")),
    ("RUN_TIME_ERROR", HELLO.replace("return 0", "return *(volatile char *)0")),
    ("COMPILE_ERROR", HELLO.replace("int n;", "int n")),
    ("ACCEPTED", HELLO.replace("int n;", "int n = 0;")),
    ("WRONG_ANSWER", HELLO.replace("return 0", 'if (n == 50) printf("!\\n");\n    return 0')),
)


class Class(NamedTuple):
    """The submissions of a stage."""

    assignment: str
    stage: str
    #: The end of the name of each one's file, and what a comment begins with in it.
    suffix: str
    comment: str
    kinds: tuple[tuple[str, str], ...]


PYTHON = Class("teller", "teller", ".py", "#", TELLERS)
HUNDRED = Class("hello", "hello", ".c", "//", HELLOS)


class Seen(NamedTuple):
    """The resources of all processes of a run at one time."""

    processes: int
    threads: int
    #: The most descriptors of any process.
    descriptors: int
    #: The most memory of any worker, in MB.
    worker_mb: int
    #: The memory of the first process, in MB; it keeps every report until the end, so it may grow with the class.
    first_mb: int
    #: The reports that are finished, and the second at which it was looked.
    reports: int
    second: int


def make_class(of: Class, folder: Path, count: int) -> dict[str, str]:
    """Write the submissions; return the verdict that each must get."""
    wanted = {}
    for number in range(count):
        verdict, text = of.kinds[number % len(of.kinds)]
        one = folder / f"student{number:05}"
        one.mkdir()
        (one / f"{of.stage}{of.suffix}").write_text(f"{text}\n{of.comment} {number}\n", encoding="utf-8")
        wanted[one.name] = verdict
    return wanted


def graded(of: Class, folder: Path, files: int, json_path: Path) -> tuple[list[Seen], float]:
    """Grade a class with a limit on open files; return what was observed meanwhile, and the seconds it took."""
    assignment = ("-a", str(TOYS / of.assignment))
    command = [sys.executable, "-m", "pitboss", "grade", str(folder), of.stage, *assignment, "--json", str(json_path)]
    began = time.monotonic()
    seen, reports = [], _Lines(f"{json_path}.partial")
    with open(json_path.with_suffix(".log"), "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=WITHOUT_CACHE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
        )
        while process.poll() is None:
            second = round(time.monotonic() - began)
            seen.append(_look(process.pid)._replace(reports=reports.count(), second=second))
            time.sleep(_EVERY_S)
    return seen, time.monotonic() - began


def _look(root: int) -> Seen:
    """The resources of pitboss's processes, without the programs that it runs, since these come and go."""
    ours = [root, *(pid for pid in _children(root) if _is_python(pid))]
    tree, waiting = [], [root]
    while waiting:
        tree.append(waiting.pop())
        waiting += _children(tree[-1])
    return Seen(
        len(tree),
        sum(len(_names(f"/proc/{pid}/task")) for pid in ours),
        max((len(_names(f"/proc/{pid}/fd")) for pid in ours), default=0),
        max((_memory_mb(pid) for pid in ours[1:]), default=0),
        _memory_mb(root),
        0,
        0,
    )


class _Lines:
    """The lines of a file that grows, of which nothing is read twice."""

    def __init__(self, path: str) -> None:
        self._path, self._size, self._count = path, 0, 0

    def count(self) -> int:
        """How many there are by now; as many as at last once the file is gone."""
        with contextlib.suppress(OSError), open(self._path, "rb") as file:
            file.seek(self._size)
            more = file.read()
            self._size += len(more)
            self._count += more.count(b"\n")
        return self._count


def left() -> list[str]:
    """What is left of pitboss on this machine: processes and folders."""
    running = [name for name in _names("/proc") if "pitboss-run" in _text(f"/proc/{name}/cmdline")]
    return [*(f"process {name}" for name in running), *(name for name in _names("/tmp") if "pitboss-run" in name)]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in _names(f"/proc/{pid}/task"):
        found += map(int, _text(f"/proc/{pid}/task/{task}/children").split())
    return found


def _is_python(pid: int) -> bool:
    return "harness\0grade" in _text(f"/proc/{pid}/cmdline")


def _memory_mb(pid: int) -> int:
    rows = (line.split() for line in _text(f"/proc/{pid}/status").splitlines())
    return next((int(row[1]) // 1024 for row in rows if row and row[0] == "VmRSS:"), 0)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def complaints(wanted: dict[str, str], told: dict[str, str], seen: list[Seen]) -> list[str]:
    """The problems found, as sentences."""
    wrong = [f"{name}: {told.get(name)} instead of {verdict}" for name, verdict in wanted.items()
             if told.get(name) != verdict]  # fmt: skip
    # The beginning of a run is not steady yet.
    steady = seen[len(seen) // 10 :]
    earlier, later = steady[: len(steady) // 2], steady[len(steady) // 2 :]
    for number, field in enumerate(Seen._fields):
        before, after = (max(one[number] for one in half) for half in (earlier, later))
        if field not in ("first_mb", "reports", "second") and after > before * _MAX_MORE + _SLACK:
            wrong.append(f"{field}: {before} in the first half, {after} in the second")
    return wrong


def throughput(seen: list[Seen]) -> list[float]:
    """Reports finished in a second, in each tenth of those that were."""
    last = seen[-1].reports
    found = [next(one for one in seen if one.reports >= last * part // 10) for part in range(11)]
    return [(end.reports - begin.reports) / max(1, end.second - begin.second) for begin, end in pairwise(found)]


def main() -> int:
    """Grade a class and print what was observed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--files", type=int, default=256, help="as of ulimit -n")
    parser.add_argument("--hundred", action="store_true", help="programs in C with 100 sessions each")
    options = parser.parse_args()
    of = HUNDRED if options.hundred else PYTHON
    before = left()
    with tempfile.TemporaryDirectory() as folder:
        submissions = Path(folder) / "class"
        submissions.mkdir()
        wanted = make_class(of, submissions, options.count)
        json_path = Path(folder) / "result.json"
        seen, seconds = graded(of, submissions, options.files, json_path)
        log = json_path.with_suffix(".log").read_text(encoding="utf-8")
        if not json_path.exists():
            print(log)
            return 3
        reports = json.loads(json_path.read_text(encoding="utf-8"))["submissions"]
        told = {report["submission"]: report["verdict"] for report in reports}
    print(f"{options.count} submissions, {options.files} open files: {seconds:.0f} s, {Counter(told.values())}")
    for place in range(0, 11):
        one = seen[min(len(seen) - 1, place * len(seen) // 10)]
        print(f"  {place * 10:3} %  " + "  ".join(f"{name} {value}" for name, value in one._asdict().items()))
    rates = [f"{rate:.0f}" for rate in throughput(seen)]
    print(f"submissions a second, tenth by tenth: {', '.join(rates)}")
    wrong = [*complaints(wanted, told, seen), *(one for one in left() if one not in before)]
    print("\n".join(wrong[:20]) or "every result is there, and nothing grew")
    return 1 if wrong or "Traceback" in log else 0


if __name__ == "__main__":
    sys.exit(main())
