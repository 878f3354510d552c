"""Grades a large class under small limits: `python -m benchmarks.many [--count 3000] [--files 256] [--hundred]`.

Makes COUNT one-file submissions, right and wrong programs in turn, and grades them with a limit on open files: programs
in Python with a few sessions each, or with --hundred programs in C with 100 sessions each. Meanwhile it observes all
processes of pitboss: their number, their open files and the memory of the workers must not grow with the class. It
fails if a result is missing or has the wrong verdict, if any of these grew, if the log has a traceback, or if a process
or a folder of pitboss remains at the end.
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
#: A resource has grown if its maximum in the second half of the run exceeds its maximum in the first half times
#: _MAX_GROWTH by more than _SLACK.
_MAX_GROWTH, _SLACK = 1.25, 3
#: The seconds between two observations.
_INTERVAL_S = 0.25

RIGHT = (TOYS / "teller" / "teller").read_text(encoding="utf-8")
#: Starts a process `cat` that waits forever: it reads from a pipe whose write end it has open itself.
LEAVES = """import os, subprocess
ends = os.pipe()
os.set_inheritable(ends[1], True)
subprocess.Popen(["cat"], stdin=ends[0], close_fds=False)
"""
#: Pairs of the verdict that a program must get and the program.
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


class SyntheticClass(NamedTuple):
    """What `make_class` writes: submissions of one stage, in one language."""

    #: The assignment's folder in tests/toy.
    assignment: str
    stage: str
    #: The suffix of the programs' files.
    suffix: str
    #: The characters that begin a comment in the programs' language.
    comment: str
    #: The programs that are handed in, in turn: pairs of the verdict that the program must get and the program.
    kinds: tuple[tuple[str, str], ...]


PYTHON = SyntheticClass("teller", "teller", ".py", "#", TELLERS)
HUNDRED = SyntheticClass("hello", "hello", ".c", "//", HELLOS)


class ResourceUsage(NamedTuple):
    """An observation: the resources of pitboss's processes at one time of a run."""

    #: The number of processes, including the programs that pitboss runs.
    processes: int
    #: The number of threads of pitboss's own processes.
    threads: int
    #: The largest number of descriptors that one of pitboss's own processes has open.
    descriptors: int
    #: The most memory of any worker, in MB.
    worker_mb: int
    #: The memory of the first process, in MB. This process keeps every report until the end, so its memory may grow
    #: with the class.
    first_mb: int
    #: The number of reports that are finished.
    reports: int
    #: The time of the observation, in seconds since the start of the run.
    second: int


def make_class(of: SyntheticClass, folder: Path, count: int) -> dict[str, str]:
    """Write `count` submissions into a folder; return the verdict that each must get, by name."""
    verdicts = {}
    for number in range(count):
        verdict, text = of.kinds[number % len(of.kinds)]
        student_folder = folder / f"student{number:05}"
        student_folder.mkdir()
        (student_folder / f"{of.stage}{of.suffix}").write_text(f"{text}\n{of.comment} {number}\n", encoding="utf-8")
        verdicts[student_folder.name] = verdict
    return verdicts


def grade_with_file_limit(
    of: SyntheticClass, folder: Path, files: int, json_path: Path
) -> tuple[list[ResourceUsage], float]:
    """Grade a class with at most `files` open files per process; return the observations and the elapsed seconds."""
    assignment = ("-a", str(TOYS / of.assignment))
    command = [sys.executable, "-m", "pitboss", "grade", str(folder), of.stage, *assignment, "--json", str(json_path)]
    start = time.monotonic()
    observations, report_lines = [], _LineCount(f"{json_path}.partial")
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
            second = round(time.monotonic() - start)
            observations.append(_observe_processes(process.pid)._replace(reports=report_lines.count(), second=second))
            time.sleep(_INTERVAL_S)
    return observations, time.monotonic() - start


def _observe_processes(root: int) -> ResourceUsage:
    """Return the resources of the process `root` and its descendants, with 0 for `reports` and `second`.

    Threads, descriptors and memory are those of pitboss's own processes: the programs that it runs come and go.
    """
    pitboss_pids = [root, *(pid for pid in _children(root) if _is_worker(pid))]
    all_pids, pending_pids = [], [root]
    while pending_pids:
        all_pids.append(pending_pids.pop())
        pending_pids += _children(all_pids[-1])
    return ResourceUsage(
        len(all_pids),
        sum(len(_names(f"/proc/{pid}/task")) for pid in pitboss_pids),
        max((len(_names(f"/proc/{pid}/fd")) for pid in pitboss_pids), default=0),
        max((_memory_mb(pid) for pid in pitboss_pids[1:]), default=0),
        _memory_mb(root),
        0,
        0,
    )


class _LineCount:
    """Counts the lines of a growing file; no part of the file is read twice."""

    def __init__(self, path: str) -> None:
        self._path, self._size, self._count = path, 0, 0

    def count(self) -> int:
        """Return the number of lines so far; if the file no longer exists, return the last number."""
        with contextlib.suppress(OSError), open(self._path, "rb") as file:
            file.seek(self._size)
            new_bytes = file.read()
            self._size += len(new_bytes)
            self._count += new_bytes.count(b"\n")
        return self._count


def leftovers() -> list[str]:
    """Return the processes and folders of pitboss that remain on this machine."""
    pids = [name for name in _names("/proc") if "pitboss-run" in _text(f"/proc/{name}/cmdline")]
    return [*(f"process {name}" for name in pids), *(name for name in _names("/tmp") if "pitboss-run" in name)]


def _children(pid: int) -> list[int]:
    child_pids: list[int] = []
    for task in _names(f"/proc/{pid}/task"):
        child_pids += map(int, _text(f"/proc/{pid}/task/{task}/children").split())
    return child_pids


def _is_worker(pid: int) -> bool:
    """Whether a process is one of pitboss's own, and not a program that it runs."""
    return "pitboss\0grade" in _text(f"/proc/{pid}/cmdline")


def _memory_mb(pid: int) -> int:
    rows = (line.split() for line in _text(f"/proc/{pid}/status").splitlines())
    return next((int(row[1]) // 1024 for row in rows if row and row[0] == "VmRSS:"), 0)


def _names(folder: str) -> list[str]:
    """Return the names in a folder; none if it cannot be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(path: str) -> str:
    """Return the text of a file; empty if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def complaints(wanted: dict[str, str], actual: dict[str, str], seen: list[ResourceUsage]) -> list[str]:
    """Return a sentence for each wrong verdict and for each resource that grew.

    `wanted` has the verdicts that the submissions must get, `actual` the verdicts that they got.
    """
    sentences = [f"{name}: {actual.get(name)} instead of {verdict}" for name, verdict in wanted.items()
             if actual.get(name) != verdict]  # fmt: skip
    # Resources still grow at the beginning of a run.
    steady = seen[len(seen) // 10 :]
    earlier, later = steady[: len(steady) // 2], steady[len(steady) // 2 :]
    for number, field in enumerate(ResourceUsage._fields):
        before, after = (max(observation[number] for observation in half) for half in (earlier, later))
        if field not in ("first_mb", "reports", "second") and after > before * _MAX_GROWTH + _SLACK:
            sentences.append(f"{field}: {before} in the first half, {after} in the second")
    return sentences


def throughput(seen: list[ResourceUsage]) -> list[float]:
    """Return how many reports were finished per second, for each tenth of the finished reports."""
    report_count = seen[-1].reports
    ends = [
        next(observation for observation in seen if observation.reports >= report_count * tenth // 10)
        for tenth in range(11)
    ]
    return [(end.reports - begin.reports) / max(1, end.second - begin.second) for begin, end in pairwise(ends)]


def main() -> int:
    """Grade a class, and print the observations and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument(
        "--files", type=int, default=256, help="limit on open files of each process, as set by ulimit -n"
    )
    parser.add_argument("--hundred", action="store_true", help="programs in C with 100 sessions each")
    options = parser.parse_args()
    class_ = HUNDRED if options.hundred else PYTHON
    leftovers_before = leftovers()
    with tempfile.TemporaryDirectory() as folder:
        submissions = Path(folder) / "class"
        submissions.mkdir()
        expected = make_class(class_, submissions, options.count)
        json_path = Path(folder) / "result.json"
        observations, seconds = grade_with_file_limit(class_, submissions, options.files, json_path)
        log = json_path.with_suffix(".log").read_text(encoding="utf-8")
        if not json_path.exists():
            print(log)
            return 3
        reports = json.loads(json_path.read_text(encoding="utf-8"))["submissions"]
        verdicts = {report["submission"]: report["verdict"] for report in reports}
    print(f"{options.count} submissions, {options.files} open files: {seconds:.0f} s, {Counter(verdicts.values())}")
    for tenth in range(0, 11):
        observation = observations[min(len(observations) - 1, tenth * len(observations) // 10)]
        print(f"  {tenth * 10:3} %  " + "  ".join(f"{name} {value}" for name, value in observation._asdict().items()))
    rates = [f"{rate:.0f}" for rate in throughput(observations)]
    print(f"submissions a second, tenth by tenth: {', '.join(rates)}")
    sentences = [
        *complaints(expected, verdicts, observations),
        *(name for name in leftovers() if name not in leftovers_before),
    ]
    print("\n".join(sentences[:20]) or "every result is there, and nothing grew")
    return 1 if sentences or "Traceback" in log else 0


if __name__ == "__main__":
    sys.exit(main())
