"""What the watched driver is measured against: pexpect as people write it, pexpect tuned, and the limit.

None of them has virtual time, so the program they run is built with its pauses left out.
`python -m benchmarks.rivals` measures them all.
"""

from __future__ import annotations

import multiprocessing
import os
import pty
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pexpect
from pexpect.fdpexpect import fdspawn
from pexpect.spawnbase import SpawnBase

from benchmarks.cases import Case, bench_cases, case_lines, expected_lines

HERE = Path(__file__).resolve().parent
PROGRAM_SOURCE = HERE.parent / "examples" / "blackjack" / "ada" / "play.c"
#: Runs one case; what the program showed, and its exit code.
Session = Callable[[str, Case], tuple[bytes, int]]

PROMPTS = [b"Seed: ", b"[h/s] "]
_WINDOW = max(map(len, PROMPTS))


def built_program(directory: Path) -> str:
    """Build the program under test into a directory, without its pauses; its path."""
    program = directory / "play"
    subprocess.run(["cc", "-O2", "-o", program, PROGRAM_SOURCE, HERE / "no_sleep.c"], check=True)
    return str(program)


def as_written(program: str, cases: Sequence[Case]) -> float:
    """Cases a second of pexpect as people write it, every default left alone."""
    start = time.perf_counter()
    for case in cases:
        child = pexpect.spawn(program, encoding="utf-8")
        for line in case.typed:
            child.expect(r"Seed: |Hit or stand\? \[h/s\] ")
            child.sendline(line)
        child.expect(pexpect.EOF)
        child.close()
        if child.exitstatus != 0:
            raise RuntimeError(f"seed {case.seed}: exit code {child.exitstatus}")
    return len(cases) / (time.perf_counter() - start)


def tuned(program: str, cases: Sequence[Case], processes: int = 1) -> float:
    """Cases a second of pexpect over terminals and processes started without it; each output is compared."""
    return _tuned(_fd_session, program, cases, processes)


def tuned_spawn(program: str, cases: Sequence[Case], processes: int = 1) -> float:
    """Cases a second of pexpect's own spawn without its delays and searches; each output is compared."""
    return _tuned(_spawn_session, program, cases, processes)


def _tuned(session: Session, program: str, cases: Sequence[Case], processes: int) -> float:
    shares = [cases[i::processes] for i in range(processes)]
    if processes == 1:
        start = time.perf_counter()
        _run(session, program, cases)
        return len(cases) / (time.perf_counter() - start)
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        # Every worker is up before the clock starts.
        pool.map(time.sleep, [0.1] * processes, chunksize=1)
        start = time.perf_counter()
        pool.map(partial(_run, session, program), shares, chunksize=1)
        return len(cases) / (time.perf_counter() - start)


def limit(program: str, cases: Sequence[Case]) -> float:
    """Cases a second of a C program with one loop over sixteen terminals; each output is compared by its hash."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        binary, listed, expected = directory / "limit", directory / "cases", directory / "expected"
        subprocess.run(["cc", "-O2", "-o", binary, HERE / "limit.c", "-lutil"], check=True)
        listed.write_text(case_lines(cases))
        expected.write_text(expected_lines(cases))
        finished = subprocess.run([binary, program, listed, expected], check=True, stdout=subprocess.PIPE)
    return float(finished.stdout)


def _run(session: Session, program: str, cases: Sequence[Case]) -> None:
    for case in cases:
        shown, code = session(program, case)
        if shown != case.output or code != 0:
            raise RuntimeError(f"seed {case.seed}: other output, or exit code {code}")


def _fd_session(program: str, case: Case) -> tuple[bytes, int]:
    master, slave = pty.openpty()
    _make_plain(slave)
    path = os.ttyname(slave)
    actions = [(os.POSIX_SPAWN_OPEN, 0, path, os.O_RDWR, 0), *((os.POSIX_SPAWN_DUP2, 0, fd) for fd in (1, 2))]
    pid = os.posix_spawn(program, [program], os.environ, file_actions=actions, setsid=True)
    os.close(slave)
    child = fdspawn(master, maxread=65536, searchwindowsize=_WINDOW)
    shown = _talk(child, case)
    child.close()
    return shown, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _spawn_session(program: str, case: Case) -> tuple[bytes, int]:
    child = pexpect.spawn(program, echo=False, maxread=65536, searchwindowsize=_WINDOW)
    child.delayafterclose = child.delayafterterminate = child.ptyproc.delayafterclose = 0
    shown = _talk(child, case).replace(b"\r\n", b"\n")
    child.wait()
    child.close()
    return shown, child.exitstatus


def _make_plain(terminal: int) -> None:
    settings = termios.tcgetattr(terminal)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)


def _talk(child: SpawnBase, case: Case) -> bytes:
    child.delaybeforesend = None
    shown = b""
    for line in case.typed:
        child.expect_exact(PROMPTS)
        shown += child.before + child.after
        child.send(line + "\n")
    child.expect_exact(pexpect.EOF)
    return shown + child.before


def main() -> None:
    """Measure all rivals and print their cases a second."""
    cases = bench_cases()
    prompts = sum(len(case.typed) for case in cases) / len(cases)
    pauses = sum(case.pauses for case in cases) / len(cases)
    size = sum(len(case.output) for case in cases) / len(cases)
    print(f"{len(cases)} cases: {prompts:.1f} prompts, {pauses:.1f} pauses, {size:.0f} bytes each")
    with tempfile.TemporaryDirectory() as name:
        program = built_program(Path(name))
        print(f"pexpect as written        {as_written(program, cases[:20]):8.1f}")
        for processes in (1, 2):
            print(f"spawn tuned, processes: {processes} {tuned_spawn(program, cases, processes):8.1f}")
            print(f"fdspawn tuned, the same   {tuned(program, cases, processes):8.1f}")
        print(f"C, one loop, 16 terminals {limit(program, cases):8.1f}")


if __name__ == "__main__":
    main()
