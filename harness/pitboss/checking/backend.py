"""Checks the submissions of a class, on the cores of this machine or the workers of a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from pitboss.checking.check import check_in_this_process
from pitboss.checking.partial import report_from_task
from pitboss.compare.results import Report
from pitboss.machine.workers import workers
from pitboss.sessions.job import Job

K = TypeVar("K")
#: Submissions to check, by a key of the caller's choice: the path of each, and its name in the report.
Submissions = Mapping[K, tuple[Path, str]]
#: A function that is called with sentences for the user.
Announce = Callable[[str], None]


class Backend(NamedTuple):
    """The machines and cores that check the submissions of a class."""

    #: How many cores of this machine to use.
    core_count: int
    #: The address of a cluster's scheduler; if empty, this machine checks all submissions.
    cluster: str = ""


def check_submissions(
    job: Job, submissions: Submissions[K], backend: Backend, say: Announce
) -> Iterator[tuple[K, Report]]:
    """Check submissions; yields each report as soon as it is ready, and calls `say` with sentences for the user.

    Raises SessionError if a cluster cannot be reached or is lost.
    """
    if backend.cluster:
        yield from _reports_from_cluster(job, submissions, backend, say)
    elif submissions:
        yield from _local_reports(job, submissions, backend.core_count)


def _local_reports(job: Job, submissions: Submissions[K], core_count: int) -> Iterator[tuple[K, Report]]:
    with workers(min(core_count, len(submissions))) as pool:
        tasks = {pool.submit(check_in_this_process, job, *submission): key for key, submission in submissions.items()}
        for task in pool.as_done(list(tasks)):
            key = tasks.pop(task)
            yield key, report_from_task(task, job, submissions[key][1])


def _reports_from_cluster(
    job: Job, submissions: Submissions[K], backend: Backend, say: Announce
) -> Iterator[tuple[K, Report]]:
    from pitboss.checking.cluster.sharing import ClusterCheck

    if not submissions:
        return
    with contextlib.closing(ClusterCheck(backend.cluster, job, submissions, say)) as cluster_check:
        yield from cluster_check.reports()
    # Submissions that could not be sent, or whose reports could not be sent back.
    if local_submissions := {key: submissions[key] for key in cluster_check.keys_for_this_machine}:
        yield from _local_reports(job, local_submissions, backend.core_count)
