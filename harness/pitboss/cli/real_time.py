"""The message before sessions in real time: the reason, how long pauses take, and how exactly they are measured."""

from __future__ import annotations

import math

import click

from pitboss.assignments.cases import sessions_of
from pitboss.compare.seeded import known_pauses_s
from pitboss.machine import progress
from pitboss.machine.workers import core_count
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job

#: If the pauses take less time than this in total, in seconds, they are not mentioned.
_SHORT_S = 10


def report_real_time(job: Job, cores: int) -> None:
    """Report on standard error how long the pauses of sessions in real time will take on this many cores (0: all).

    Prints nothing if pauses are skipped.
    """
    conditions = job.conditions
    if conditions.skips_pauses:
        return
    # The sessions of an unseeded stage depend on the program's draws; a manually graded stage is not compared.
    stages = (stage for stage in job.stages if not stage.reader and not stage.is_manual)
    sessions = [session for stage in stages for session in sessions_of(stage, job.only)]
    used_cores = min(cores or core_count(), max(1, len(sessions)))
    sentence = f"pitboss: {real_time_sentence(conditions, known_pauses_s(sessions) / used_cores, used_cores)}"
    if progress.has_listener():  # printing here would break the progress line; the listener prints the sentence
        progress.notify(sentence)
    else:
        click.echo(sentence, err=True)


def real_time_sentence(conditions: Conditions, pauses_s: float, cores: int) -> str:
    """Returns a sentence on sessions in real time, whose pauses take `pauses_s` seconds in all on this many cores.

    >>> from pitboss.sandbox.sandbox import Level, Sandbox
    >>> real_time_sentence(Conditions("expecting", Sandbox(Level.NONE)), 0, 1)
    'sessions run in real time, the short ones first; pauses are measured to a tenth of a second'
    """
    reason = f" ({conditions.reason})" if conditions.reason else ""
    precision = "; pauses are measured to a tenth of a second" if conditions.driver == "expecting" else ""
    sentence = f"sessions run in real time{reason}, the short ones first{precision}"
    if pauses_s < _SHORT_S:
        return sentence
    minutes = math.ceil(pauses_s / 60)
    duration = f"about {minutes} minutes" if minutes > 1 else "up to a minute"
    where = f" on {cores} cores" if cores > 1 else ""
    advice = "name a stage, or one case with --case, to wait for less"
    return f"{sentence}. Their pauses alone take {duration}{where}: {advice}"
