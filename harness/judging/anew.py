"""Sessions that failed as copies of their program are run again by starting it, before they count.

A copy is what a program is when it has been started (see watching/server.py). Should there be a difference that we do
not know of, it must cost nobody a point: a session that failed is held again, with its own lines, by a program that is
started. Of many the first are held again and then one in ten, since a wrong program may cost no more than a right one;
if one of them differs, every session of the stage is run anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from pitboss.harness.assignments.assignment import Stage
from pitboss.harness.assignments.cases import world_of
from pitboss.harness.judging.results import Result
from pitboss.harness.judging.verdicts import FAILED
from pitboss.harness.machine.pool import Pool
from pitboss.harness.running.attempts import attempts
from pitboss.harness.running.copying import may_be_copied
from pitboss.harness.running.job import Job
from pitboss.harness.running.programs import Program
from pitboss.harness.transcripts.scripts import Script, typing
from pitboss.harness.transcripts.transcript import ENDLESS, Transcript

#: So many failed sessions are all held again, and of further ones each tenth.
_ALL, _EACH = 10, 10


class Held(NamedTuple):
    """A session that was held: what it was, and its world."""

    transcript: Transcript
    world: int


def started_anew(job: Job) -> Job:
    """The same job, in which each program is started for each session."""
    return msgspec.structs.replace(job, conditions=msgspec.structs.replace(job.conditions, start="exec"))


def are_the_same(job: Job, stage: Stage, program: Program, results: Sequence[Result], pool: Pool) -> bool:
    """Whether the failed sessions among these results are the same when their program is started for each.

    True without running any if they were not copied.
    """
    if job.conditions.start == "exec" or job.conditions.driver != "watched" or not may_be_copied(program):
        return True
    held = [Held(one.actual, world_of(stage, one.case)) for one in results if one.verdict in FAILED]
    endless = [one for one in held if one.transcript.ending.kind in ENDLESS]
    ended = [one for one in held if one.transcript.ending.kind not in ENDLESS]
    asked = [*ended[:_ALL], *ended[_ALL::_EACH], *endless[:1]]
    if not asked:
        return True
    return all(pool.share(_are_equal, started_anew(job), stage, program, asked, count=len(asked)))


def _are_equal(numbers: Iterable[int], job: Job, stage: Stage, program: Program, held: Sequence[Held]) -> bool:
    """Hold the sessions with these numbers again; whether all are the same, as far as we could hold them."""

    def script(number: int) -> Script:
        one = held[number]
        return Script(typing(one.transcript.lines), one.transcript.events, world=one.world)

    again = attempts(numbers, job, program, stage.limits, script)
    return all(one.failure or _is_equal(held[number].transcript, one.transcript) for number, one in again)


def _is_equal(one: Transcript, other: Transcript) -> bool:
    """Whether two sessions are the same; how far one came that does not end by itself depends on the moment."""
    if one.ending.kind in ENDLESS:
        return one.ending.kind is other.ending.kind
    return one.ending == other.ending and one.events == other.events
