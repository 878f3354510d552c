"""Running a session again to find the line of the student's code that misuses memory: see sanitizers.py."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.cases import world_of
from pitboss.errors import SessionError, UsageError
from pitboss.judging.results import Result
from pitboss.machine import scratch
from pitboss.machine.files import text_of
from pitboss.mistakes.sanitizers import CHECKS, Check, Place
from pitboss.running.job import Job
from pitboss.running.preloading import is_native
from pitboss.submissions.build import build
from pitboss.submissions.sources import MOST_BYTES, Source
from pitboss.transcripts.scripts import Script, typing
from pitboss.transcripts.transcript import EndingKind

#: A makefile may build from any language; what is not machine code is left alone.
LANGUAGES = ("c", "cpp", "make")
#: Programs under a check are several times slower and larger.
_MEMORY_MB, _CPU_S = 1024, 10


def misused_memory(job: Job, stage: Stage, source: Source, suspect: Result) -> str:
    """A sentence that says where a program misuses memory in a session; empty if no check finds anything."""
    if job.conditions.driver != "watched":
        return ""
    try:
        with scratch.folder("checked") as builds:
            for check in CHECKS:
                if check.is_here():
                    into = Path(builds) / check.name
                    place = _found(job, stage, source, suspect, check, into)
                    if place is not None:
                        return place.sentence(text_of(into / place.file, MOST_BYTES))
    except (SessionError, UsageError, OSError):
        pass  # this only explains a failure that is reported anyway
    return ""


def _found(job: Job, stage: Stage, source: Source, suspect: Result, check: Check, into: Path) -> Place | None:
    built = build(source, into, job.conditions, flags=check.flags_for(source.language))
    if built.program is None or not is_native(built.program):
        return None
    argv = (*check.command, *built.program.argv)
    program = msgspec.structs.replace(built.program, argv=argv, environment=check.environment, reserves_memory=True)
    limits = msgspec.structs.replace(stage.limits, memory_mb=max(_MEMORY_MB, stage.limits.memory_mb), cpu_s=_CPU_S)
    invocation = next((case.invocation for case in stage.spec.cases if case.place == suspect.place), stage.invocation)
    # A check tells what it finds on the standard error.
    invocation = msgspec.structs.replace(invocation, stderr="shown", outputs=())
    # What was ended where its lines end may go on for ever after an end of input.
    ends = (lambda _: True) if suspect.actual.ending.kind is EndingKind.OUT_OF_LINES else None
    lines, world = typing(suspect.actual.lines), world_of(stage, suspect.case, suspect.seed, suspect.number)
    script = Script(lines, world=world, invocation=invocation, has_left=ends)
    with job.conditions.driver_of(program, limits) as driver:
        for _, transcript in driver.sessions([script]):
            return check.place_in(transcript.text, frozenset(path.name for path in into.iterdir()))
    return None
