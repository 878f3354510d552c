"""The message before sessions in real time: why, how long their pauses take, and how they are measured."""

from __future__ import annotations

import math

import click

from pitboss.assignments.cases import sessions_of
from pitboss.compare.seeded import known_pauses_s
from pitboss.sandbox import progress
from pitboss.sandbox.workers import core_count
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job

#: Shorter pauses, in seconds, are not mentioned.
_SHORT_S = 10


def report_real_time(job: Job, count: int) -> None:
    """Report on standard error how long sessions in real time will take on `count` cores (0: all)."""
    conditions = job.conditions
    if conditions.skips_pauses:
        return
    stages = (stage for stage in job.stages if not stage.reader and not stage.is_manual)
    sessions = [session for stage in stages for session in sessions_of(stage, job.only)]
    count = min(count or core_count(), max(1, len(sessions)))
    sentence = f"pitboss: {real_time_sentence(conditions, known_pauses_s(sessions) / count, count)}"
    if progress.has_listener():  # printing would break the progress line: it prints the sentence itself
        progress.notify(sentence)
    else:
        click.echo(sentence, err=True)


def real_time_sentence(conditions: Conditions, pauses_s: float, count: int) -> str:
    """Returns a sentence on sessions in real time, whose pauses take `pauses_s` on this many cores.

    >>> from pitboss.sandbox.sandbox import Level, Sandbox
    >>> real_time_sentence(Conditions("expecting", Sandbox(Level.NONE)), 0, 1)
    'sessions run in real time, the short ones first; pauses are measured to a tenth of a second'
    """
    reason = f" ({conditions.reason})" if conditions.reason else ""
    measured = "; pauses are measured to a tenth of a second" if conditions.driver == "expecting" else ""
    sentence = f"sessions run in real time{reason}, the short ones first{measured}"
    if pauses_s < _SHORT_S:
        return sentence
    minutes = math.ceil(pauses_s / 60)
    long = f"about {minutes} minutes" if minutes > 1 else "up to a minute"
    cores = f" on {count} cores" if count > 1 else ""
    return f"{sentence}. Their pauses alone take {long}{cores}: name a stage, or one case with --case, to wait for less"
