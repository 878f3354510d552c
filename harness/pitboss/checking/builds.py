"""Builds the stages of a submission on the workers of a pool, each program once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import msgspec

from pitboss.compare.results import Begun, StageWork
from pitboss.sandbox import progress
from pitboss.sandbox.pool import Pool
from pitboss.sandbox.removal import remove
from pitboss.sessions.job import Job
from pitboss.submissions.build import build, copied_build
from pitboss.submissions.compilers import Build
from pitboss.submissions.sources import Source


def build_stage(job: Job, source: Source, into: str) -> Build:
    """Build one stage into the folder `into`, in this process."""
    remove(into)  # a worker that was lost may have begun this build
    return build(source, Path(into), job.conditions)


def builds_of(job: Job, sources: dict[str, Source], builds: Path, pool: Pool) -> dict[str, Callable[[], Build]]:
    """Start the builds of stages below the folder `builds`; return, for each stage, a function that awaits its build.

    `sources` has the source of each stage. Sources that differ only in the program's name are built once.
    """
    first_stage_by_source: dict[Source, str] = {}
    for stage, source in sources.items():
        first_stage_by_source.setdefault(msgspec.structs.replace(source, program=""), stage)
    tasks = {}
    for stage in first_stage_by_source.values():
        progress.notify(Begun(StageWork.COMPILING, stage))
        tasks[stage] = pool.submit(build_stage, job, sources[stage], str(builds / stage))

    def build_of(stage: str) -> Build:
        if stage not in tasks:  # another stage has the same source: copy its build, or else build this stage too
            source = sources[stage]
            first_stage = first_stage_by_source[msgspec.structs.replace(source, program="")]
            copy = copied_build(tasks[first_stage].result(), sources[first_stage], source, builds / stage)
            if copy is not None:
                return copy
            tasks[stage] = pool.submit(build_stage, job, source, str(builds / stage))
        return tasks[stage].result()

    return {stage: cache(partial(build_of, stage)) for stage in sources}
