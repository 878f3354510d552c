"""The rivals of the watched driver: pexpect as people write it, pexpect tuned, and the limit.

None of them has virtual time, so the program that they run is built without its pauses.
`python -m benchmarks.rivals [WORKLOAD]` measures them all.
"""

from __future__ import annotations

import multiprocessing
import os
import pty
import re
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pexpect
from pexpect.fdpexpect import fdspawn
from pexpect.spawnbase import SpawnBase

from benchmarks.cases import WORKLOADS, Case, Workload, case_lines, expected_lines

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "examples" / "blackjack" / "ada"
#: Runs one case with these prompts; returns the program's output and exit code.
Session = Callable[[str, Case, list[bytes]], tuple[bytes, int]]


def built_program(workload: Workload, directory: Path) -> str:
    """Build the program under test in a directory, without its pauses; return its path."""
    program = directory / workload.stage
    source = SOURCES / f"{workload.stage}.c"
    subprocess.run(["cc", "-O2", "-o", program, source, HERE / "no_sleep.c"], check=True)
    return str(program)


def as_written(program: str, cases: Sequence[Case], prompts: Sequence[bytes]) -> float:
    """Cases a second of pexpect as people write it, with all defaults."""
    pattern = "|".join(re.escape(prompt.decode()) for prompt in prompts)
    start = time.perf_counter()
    for case in cases:
        child = pexpect.spawn(program, encoding="utf-8")
        for line in case.typed:
            child.expect(pattern)
            child.sendline(line)
        child.expect(pexpect.EOF)
        child.close()
        if child.exitstatus != 0:
            raise RuntimeError(f"seed {case.seed}: exit code {child.exitstatus}")
    return len(cases) / (time.perf_counter() - start)


def tuned(program: str, cases: Sequence[Case], prompts: Sequence[bytes], processes: int = 1) -> float:
    """Cases a second of pexpect on terminals and processes that it did not start; each output is compared."""
    return _tuned(_fd_session, program, cases, list(prompts), processes)


def tuned_spawn(program: str, cases: Sequence[Case], prompts: Sequence[bytes], processes: int = 1) -> float:
    """Cases a second of pexpect's own spawn without its delays and searches; each output is compared."""
    return _tuned(_spawn_session, program, cases, list(prompts), processes)


def _tuned(session: Session, program: str, cases: Sequence[Case], prompts: list[bytes], processes: int) -> float:
    shares = [cases[i::processes] for i in range(processes)]
    if processes == 1:
        start = time.perf_counter()
        _run(session, program, prompts, cases)
        return len(cases) / (time.perf_counter() - start)
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        # All workers are running before the clock starts.
        pool.map(time.sleep, [0.1] * processes, chunksize=1)
        start = time.perf_counter()
        pool.map(partial(_run, session, program, prompts), shares, chunksize=1)
        return len(cases) / (time.perf_counter() - start)


def limit(program: str, cases: Sequence[Case], *, types_ahead: bool = False) -> float:
    """Cases a second of a C program with one loop over sixteen terminals; each output is compared by its hash.

    Each line is typed once all text before it is shown, as a person or a harness does; or all at the start.
    """
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        binary, listed, expected = directory / "limit", directory / "cases", directory / "expected"
        subprocess.run(["cc", "-O2", "-o", binary, HERE / "limit.c", "-lutil"], check=True)
        listed.write_text(case_lines(cases, types_ahead=types_ahead))
        expected.write_text(expected_lines(cases))
        finished = subprocess.run([binary, program, listed, expected], check=True, stdout=subprocess.PIPE)
    return float(finished.stdout)


def _run(session: Session, program: str, prompts: list[bytes], cases: Sequence[Case]) -> None:
    for case in cases:
        shown, code = session(program, case, prompts)
        if shown != case.output or code != 0:
            raise RuntimeError(f"seed {case.seed}: other output, or exit code {code}")


def _fd_session(program: str, case: Case, prompts: list[bytes]) -> tuple[bytes, int]:
    master, slave = pty.openpty()
    _make_plain(slave)
    path = os.ttyname(slave)
    actions = [(os.POSIX_SPAWN_OPEN, 0, path, os.O_RDWR, 0), *((os.POSIX_SPAWN_DUP2, 0, fd) for fd in (1, 2))]
    pid = os.posix_spawn(program, [program], os.environ, file_actions=actions, setsid=True)
    os.close(slave)
    child = fdspawn(master, maxread=65536, searchwindowsize=_window(prompts))
    shown = _talk(child, case, prompts)
    child.close()
    return shown, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _spawn_session(program: str, case: Case, prompts: list[bytes]) -> tuple[bytes, int]:
    child = pexpect.spawn(program, echo=False, maxread=65536, searchwindowsize=_window(prompts))
    child.delayafterclose = child.delayafterterminate = child.ptyproc.delayafterclose = 0
    shown = _talk(child, case, prompts).replace(b"\r\n", b"\n")
    child.wait()
    child.close()
    return shown, child.exitstatus


def _make_plain(terminal: int) -> None:
    settings = termios.tcgetattr(terminal)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)


def _window(prompts: list[bytes]) -> int:
    return max(map(len, prompts))


def _talk(child: SpawnBase, case: Case, prompts: list[bytes]) -> bytes:
    child.delaybeforesend = None
    shown = b""
    for line in case.typed:
        child.expect_exact(prompts)
        shown += child.before + child.after
        child.send(line + "\n")
    child.expect_exact(pexpect.EOF)
    return shown + child.before


def about(cases: Sequence[Case]) -> str:
    """A description of the sessions."""
    lines = sum(len(case.typed) for case in cases) / len(cases)
    pauses = sum(case.pauses for case in cases) / len(cases)
    size = sum(len(case.output) for case in cases) / len(cases)
    return f"{len(cases)} cases; each {lines:.1f} lines typed, {pauses:.1f} pauses of 2 s, {size:.0f} bytes"


def main() -> None:
    """Measure all rivals and print their cases a second."""
    workload = WORKLOADS[(sys.argv[1:] or ["deal"])[0]]
    cases, prompts = workload.cases(), workload.prompts
    print(about(cases))
    with tempfile.TemporaryDirectory() as name:
        program = built_program(workload, Path(name))
        print(f"pexpect as written        {as_written(program, cases[:20], prompts):8.1f}")
        for processes in (1, 2):
            print(f"spawn tuned, processes: {processes} {tuned_spawn(program, cases, prompts, processes):8.1f}")
            print(f"fdspawn tuned, the same   {tuned(program, cases, prompts, processes):8.1f}")
        print(f"C, one loop, 16 terminals {limit(program, cases):8.1f}")
        print(f"the same, typed ahead     {limit(program, cases, types_ahead=True):8.1f}")


if __name__ == "__main__":
    main()
