"""Trials of toolchains: before a toolchain is first used, pitboss builds and runs a program of its own.

The program asks for a name and greets. It runs in the sandbox and under the limits of submissions. If it fails, no
submission is to blame.

A success is cached in the user's store until the machine, its tools or the sandbox change. After a failure the next
process tries again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pitboss.errors import SessionError, ShortageError
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import EndingKind, Shown, Transcript, Typed
from pitboss.sandbox import scratch, store
from pitboss.sandbox.digests import Digest, digest_of_machine
from pitboss.sandbox.limits import Limits
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build
from pitboss.submissions.sources import Source
from pitboss.submissions.toolchains import Toolchain

#: How many trials must fail before the failure is reported.
_MAX_TRIALS = 2
#: The expected session of the trial program; the expecting driver waits for the output of this session.
_EXPECTED = (Shown(b"Name: "), Typed(b"Ada"), Shown(b"Hello, Ada!\n"))
#: The cached value for a toolchain whose trial succeeded.
_WORKS = b"works"


def why_toolchain_fails(
    toolchain: Toolchain, conditions: Conditions, build: Callable[[Source, Path, Toolchain], Build], *, again: bool
) -> str:
    """Returns why a toolchain cannot build and run programs here, as a clause; empty if it can.

    `again`: whether it is tried even if it has worked on this machine before.

    Raises SessionError if no trial can be run on this machine at the moment.
    """
    cache, key = store.open_store(os.environ).store, _cache_key(toolchain, conditions)
    if not again and cache is not None and cache.get(key) == _WORKS:
        return ""
    failure: str | SessionError = ""
    for _ in range(_MAX_TRIALS):
        try:
            failure = _failure_of_trial(toolchain, conditions, build)
        except SessionError as error:
            failure = error
        if not failure:
            if cache is not None:
                cache.put(key, _WORKS)
            return ""
    if isinstance(failure, SessionError):
        raise failure
    return failure


def _cache_key(toolchain: Toolchain, conditions: Conditions) -> str:
    """Returns the key of a successful trial: it depends on toolchain, trial program, driver, sandbox and machine."""
    digest = Digest("trial")
    digest.add(toolchain.language, toolchain.title, *sum(toolchain.hello.items(), ()))
    digest.add(conditions.driver, *conditions.sentences, digest_of_machine(os.environ))
    return f"trial-{digest.text()}"


def _failure_of_trial(
    toolchain: Toolchain, conditions: Conditions, build: Callable[[Source, Path, Toolchain], Build]
) -> str:
    """Runs a trial; returns a clause on how the trial failed, or an empty text if it succeeded."""
    with scratch.folder("trial") as folder:
        source_folder = Path(folder) / "source"
        source_folder.mkdir()
        for name, text in toolchain.hello.items():
            (source_folder / name).parent.mkdir(exist_ok=True)
            (source_folder / name).write_text(text, encoding="utf-8")
        source = Source(source_folder, toolchain.language, next(iter(toolchain.hello)), "greet")
        result = build(source, Path(folder) / "built", toolchain)
        if result.is_fault:
            return result.reason.removesuffix(".")
        if result.program is None:
            return f"a program that greets could not be built: {result.reason.removesuffix('.')}"
        return _failure_of_session(result.program, conditions, toolchain.title)


def _failure_of_session(program: Program, conditions: Conditions, title: str) -> str:
    """Runs the trial program; returns a clause on how the program failed, or an empty text if it greeted.

    Raises ShortageError if no program could be run. `title` is the name of the toolchain.
    """
    with conditions.driver_of(program, Limits()) as driver:
        script = Script(script_of_lines(line.line for line in _EXPECTED if isinstance(line, Typed)), _EXPECTED)
        ((_, transcript),) = driver.sessions([script])
    screen, ending = _screen_of(transcript), transcript.ending
    if (
        ending.kind is EndingKind.EXITED
        and ending.exit_code == 0
        and screen == _screen_of(Transcript(_EXPECTED, ending))
    ):
        return ""
    if ending.kind is EndingKind.FAULT:  # not the toolchain's failure
        raise ShortageError(f"no program could be run to try {title}: {ending.detail}")
    exit_text = f"exit code {ending.exit_code}" if ending.exit_code else ""
    ending_text = ending.signal or exit_text or ending.detail or ending.kind.value
    first_line = screen.decode("utf-8", "replace").strip().partition("\n")[0].strip()
    return f"a program that greets was built but does not run ({ending_text}): " + (
        f"“{first_line}”" if first_line else "it printed nothing"
    )


def _screen_of(transcript: Transcript) -> bytes:
    """Returns all output of a session, without typed lines."""
    return b"".join(event.text for event in transcript.events if isinstance(event, Shown))
