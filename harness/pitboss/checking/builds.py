"""Builds the stages of a submission on the workers of a pool, each program once.

Compilers are tried before a class is graded, so that a missing one is noticed now and not an hour later.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import islice
from pathlib import Path

import msgspec

from pitboss.compare.results import Begun, StageWork
from pitboss.errors import SessionError
from pitboss.machine import progress
from pitboss.machine.pool import Pool
from pitboss.machine.removal import remove
from pitboss.model.languages import LANGUAGES, language_name_for, language_of
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job
from pitboss.submissions.build import build, copied_build, why_unusable
from pitboss.submissions.compilers import Build
from pitboss.submissions.sources import Source
from pitboss.submissions.toolchains import toolchain_of

#: At most this many file names of a submission are examined.
_MAX_FILES = 500


def toolchain_remarks(submissions: Iterable[Path], language: str, conditions: Conditions) -> Iterator[str]:
    """Try the compilers of the languages that these submissions use, and of the assignment's `language`.

    Yield a clause on each problem. Archives are not opened. If a compiler cannot be tried now, no further clauses
    follow: the builds report the problem.
    """
    used_languages = {language_name_for(language), *(name for folder in submissions for name in _languages_in(folder))}
    with contextlib.suppress(SessionError):
        for name in (name for name in LANGUAGES if name in used_languages):
            title, toolchain = LANGUAGES[name].title, toolchain_of(name)
            remark = why_unusable(toolchain, conditions)
            if not all(map(find_tool, toolchain.commands)):
                remark = f"nothing that builds programs in {title} is installed: pitboss doctor says how to get it"
            if remark:
                yield f"{remark}; programs in {title} are faults and cost no points"
            elif lack := toolchain.lack():
                yield f"{lack}; without it they are faults and cost no points"


def _languages_in(folder: Path) -> Iterator[str]:
    names = (name for _, _, files in os.walk(folder) for name in files)
    for name in islice(names, _MAX_FILES):
        if (language := language_of(name)) is not None:
            yield language.name


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
