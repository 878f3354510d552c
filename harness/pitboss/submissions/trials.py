"""Trials of toolchains: before a toolchain is first used, a program of ours is built and run as submissions are.

It asks for a name and greets, in the same sandbox and under the same limits. If that fails, no submission is to blame.
A success is cached in the user's store until the machine, its tools or the sandbox change; after a failure the next
process tries again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pitboss.errors import SessionError, ShortageError
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import EndingKind, Shown, Transcript, Typed
from pitboss.sandbox import scratch, store
from pitboss.sandbox.digests import Digest
from pitboss.sandbox.fingerprint import digest_of_machine
from pitboss.sandbox.limits import Limits
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build
from pitboss.submissions.sources import Source
from pitboss.submissions.toolchains import Toolchain

#: How often a trial is run before its failure counts.
_TRIALS = 2
#: The expected session: the expecting driver waits for its output.
_EXPECTED = (Shown(b"Name: "), Typed(b"Ada"), Shown(b"Hello, Ada!\n"))
_WORKS = b"works"


def refusal_of(toolchain: Toolchain, conditions: Conditions, build: Callable[[Source, Path, Toolchain], Build]) -> str:
    """Why programs cannot be built and run by a toolchain here, as a clause; empty if they can.

    Raises SessionError if this machine has no room for a trial now.
    """
    cache, name = store.opened(os.environ).store, _name_of(toolchain, conditions)
    if cache is not None and cache.get(name) == _WORKS:
        return ""
    failure: str | SessionError = ""
    for _ in range(_TRIALS):
        try:
            failure = _failure_of_trial(toolchain, conditions, build)
        except SessionError as error:
            failure = error
        if not failure:
            if cache is not None:
                cache.put(name, _WORKS)
            return ""
    if isinstance(failure, SessionError):
        raise failure
    return failure


def _name_of(toolchain: Toolchain, conditions: Conditions) -> str:
    digest = Digest("trial")
    digest.add(toolchain.language, toolchain.title, *toolchain.hello)
    digest.add(conditions.driver, *conditions.sentences, digest_of_machine(os.environ))
    return f"trial-{digest.text()}"


def _failure_of_trial(
    toolchain: Toolchain, conditions: Conditions, build: Callable[[Source, Path, Toolchain], Build]
) -> str:
    """How a trial failed, as a clause; empty if it did not."""
    file, text = toolchain.hello
    with scratch.folder("trial") as folder:
        given = Path(folder) / "given"
        given.mkdir()
        (given / file).write_text(text, encoding="utf-8")
        result = build(Source(given, toolchain.language, file, "greet"), Path(folder) / "built", toolchain)
        if result.program is None:
            return f"a program that greets could not be built: {result.reason.removesuffix('.')}"
        return _failure_of_session(result.program, conditions, toolchain.title)


def _failure_of_session(program: Program, conditions: Conditions, title: str) -> str:
    with conditions.driver_of(program, Limits()) as driver:
        script = Script(typing(line.line for line in _EXPECTED if isinstance(line, Typed)), _EXPECTED)
        ((_, transcript),) = driver.sessions([script])
    screen, ending = _screen_of(transcript), transcript.ending
    if (
        ending.kind is EndingKind.EXITED
        and ending.exit_code == 0
        and screen == _screen_of(Transcript(_EXPECTED, ending))
    ):
        return ""
    if ending.kind is EndingKind.FAULT:  # it says nothing about the toolchain
        raise ShortageError(f"no program could be run to try {title} with: {ending.detail}")
    ended = ending.signal or (
        f"exit code {ending.exit_code}" if ending.exit_code else ending.detail or ending.kind.value
    )
    first = screen.decode("utf-8", "replace").strip().partition("\n")[0].strip()
    return f"a program that greets was built but does not run ({ended}): " + (
        f"“{first}”" if first else "it shows nothing"
    )


def _screen_of(transcript: Transcript) -> bytes:
    return b"".join(event.text for event in transcript.events if isinstance(event, Shown))
