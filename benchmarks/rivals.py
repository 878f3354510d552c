"""Measures the rivals of the watched driver: pexpect as people use it, pexpect tuned, and the limit (limit.c).

None of the rivals has virtual time, so the program that they run is built without its pauses.
`python -m benchmarks.rivals [WORKLOAD]` prints the cases per second of each.
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
#: A function of the program's path, a case and the prompts: runs the case, returns the program's output and exit code.
Session = Callable[[str, Case, list[bytes]], tuple[bytes, int]]


def built_program(workload: Workload, directory: Path) -> str:
    """Build the program under test in a directory, without its pauses; return the path of the executable."""
    program = directory / workload.stage
    source = SOURCES / f"{workload.stage}.c"
    subprocess.run(["cc", "-O2", "-o", program, source, HERE / "no_sleep.c"], check=True)
    return str(program)


def as_written(program: str, cases: Sequence[Case], prompts: Sequence[bytes]) -> float:
    """Return the cases per second of pexpect as people use it, with all defaults."""
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
    """Return the cases per second of pexpect on processes that we start on our own terminals; checks each output."""
    return _cases_per_second(_fd_session, program, cases, list(prompts), processes)


def tuned_spawn(program: str, cases: Sequence[Case], prompts: Sequence[bytes], processes: int = 1) -> float:
    """Return the cases per second of pexpect.spawn without its delays and long searches; checks each output."""
    return _cases_per_second(_spawn_session, program, cases, list(prompts), processes)


def _cases_per_second(
    session: Session, program: str, cases: Sequence[Case], prompts: list[bytes], processes: int
) -> float:
    parts = [cases[i::processes] for i in range(processes)]
    if processes == 1:
        start = time.perf_counter()
        _run_cases(session, program, prompts, cases)
        return len(cases) / (time.perf_counter() - start)
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        # All workers are running before the clock starts.
        pool.map(time.sleep, [0.1] * processes, chunksize=1)
        start = time.perf_counter()
        pool.map(partial(_run_cases, session, program, prompts), parts, chunksize=1)
        return len(cases) / (time.perf_counter() - start)


def limit(program: str, cases: Sequence[Case], *, types_ahead: bool = False) -> float:
    """Return the cases per second of limit.c, one loop over sixteen terminals; compares the hash of each output.

    Each line is typed when the program has shown all text before the line, as a person or a harness does; with
    `types_ahead` all lines are typed at the start.
    """
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        binary, cases_path, expected_path = directory / "limit", directory / "cases", directory / "expected"
        subprocess.run(["cc", "-O2", "-o", binary, HERE / "limit.c", "-lutil"], check=True)
        cases_path.write_text(case_lines(cases, types_ahead=types_ahead))
        expected_path.write_text(expected_lines(cases))
        process = subprocess.run([binary, program, cases_path, expected_path], check=True, stdout=subprocess.PIPE)
    return float(process.stdout)


def _run_cases(session: Session, program: str, prompts: list[bytes], cases: Sequence[Case]) -> None:
    for case in cases:
        output, code = session(program, case, prompts)
        if output != case.output or code != 0:
            raise RuntimeError(f"seed {case.seed}: other output, or exit code {code}")


def _fd_session(program: str, case: Case, prompts: list[bytes]) -> tuple[bytes, int]:
    master, slave = pty.openpty()
    _disable_processing(slave)
    path = os.ttyname(slave)
    actions = [(os.POSIX_SPAWN_OPEN, 0, path, os.O_RDWR, 0), *((os.POSIX_SPAWN_DUP2, 0, fd) for fd in (1, 2))]
    pid = os.posix_spawn(program, [program], os.environ, file_actions=actions, setsid=True)
    os.close(slave)
    child = fdspawn(master, maxread=65536, searchwindowsize=_search_window(prompts))
    output = _type_lines(child, case, prompts)
    child.close()
    return output, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _spawn_session(program: str, case: Case, prompts: list[bytes]) -> tuple[bytes, int]:
    child = pexpect.spawn(program, echo=False, maxread=65536, searchwindowsize=_search_window(prompts))
    child.delayafterclose = child.delayafterterminate = child.ptyproc.delayafterclose = 0
    output = _type_lines(child, case, prompts).replace(b"\r\n", b"\n")
    child.wait()
    child.close()
    return output, child.exitstatus


def _disable_processing(terminal: int) -> None:
    """Turn off echo and output processing of a terminal."""
    settings = termios.tcgetattr(terminal)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)


def _search_window(prompts: list[bytes]) -> int:
    return max(map(len, prompts))


def _type_lines(child: SpawnBase, case: Case, prompts: list[bytes]) -> bytes:
    """Type each line of a case at the next prompt; return the program's output to its end."""
    child.delaybeforesend = None
    output = b""
    for line in case.typed:
        child.expect_exact(prompts)
        output += child.before + child.after
        child.send(line + "\n")
    child.expect_exact(pexpect.EOF)
    return output + child.before


def description_of_cases(cases: Sequence[Case]) -> str:
    """Return a description of cases: their number, and averages per case."""
    lines = sum(len(case.typed) for case in cases) / len(cases)
    pauses = sum(case.pauses for case in cases) / len(cases)
    size = sum(len(case.output) for case in cases) / len(cases)
    return f"{len(cases)} cases; each {lines:.1f} lines typed, {pauses:.1f} pauses of 2 s, {size:.0f} bytes"


def main() -> None:
    """Measure all rivals and print the cases per second of each."""
    workload = WORKLOADS[(sys.argv[1:] or ["deal"])[0]]
    cases, prompts = workload.cases(), workload.prompts
    print(description_of_cases(cases))
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
