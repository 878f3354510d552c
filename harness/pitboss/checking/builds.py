"""Builds the stages of a submission on the workers of a pool, each program once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import msgspec

from pitboss.compare.check_events import Begun, StageWork
from pitboss.sandbox import progress
from pitboss.sandbox.pool import Pool
from pitboss.sandbox.removal import remove
from pitboss.sessions.job import Job
from pitboss.submissions.build import build, copied_build
from pitboss.submissions.compilers import Build
from pitboss.submissions.sources import Source


def build_stage(job: Job, source: Source, into: str) -> Build:
    """Build one stage, in this process."""
    remove(into)  # a worker that was lost may have begun to build
    return build(source, Path(into), job.conditions)


def builds_of(job: Job, sources: dict[str, Source], builds: Path, pool: Pool) -> dict[str, Callable[[], Build]]:
    """Return for each stage a function that waits for its build. Sources that differ only in name are built once."""
    firsts: dict[Source, str] = {}
    for stage, source in sources.items():
        firsts.setdefault(msgspec.structs.replace(source, program=""), stage)
    tasks = {}
    for stage in firsts.values():
        progress.notify(Begun(StageWork.COMPILING, stage))
        tasks[stage] = pool.submit(build_stage, job, sources[stage], str(builds / stage))

    def build_of(stage: str) -> Build:
        if stage not in tasks:
            source = sources[stage]
            first = firsts[msgspec.structs.replace(source, program="")]
            copy = copied_build(tasks[first].result(), sources[first], source, builds / stage)
            if copy is not None:
                return copy
            tasks[stage] = pool.submit(build_stage, job, source, str(builds / stage))
        return tasks[stage].result()

    return {stage: cache(partial(build_of, stage)) for stage in sources}
