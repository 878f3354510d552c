import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from pitboss.machine import processes
from tests.checking.cluster.clusters import CLUSTER_ENVIRONMENT, DEADLINE_S
from tests.conftest import ROOT


def start_pitboss(folder, *options, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "pitboss", *options],
        cwd=folder,
        env={**CLUSTER_ENVIRONMENT, "PYTHONPATH": str(ROOT / "harness"), **environment},
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def start_grading(folder, *options):
    return start_pitboss(folder, "grade", "class", "-a", "teller/", *options)


def wait_for_exit(process):
    """Wait until pitboss ends; returns its exit code, standard output and standard error."""
    out, err = process.communicate(timeout=2 * DEADLINE_S)
    return process.returncode, out, err


def code_and_messages(process):
    """Wait until pitboss ends; returns its exit code and its standard error."""
    code, _, err = wait_for_exit(process)
    return code, err


def rows_in(gradebook):
    """All reports and scores in a gradebook, without their timestamps."""
    database = sqlite3.connect(gradebook)
    rows = [
        *database.execute(
            "SELECT person, program, assignment, asked, pitboss, is_fault, light, whole FROM report "
            "JOIN submission ON submission.id = report.submission ORDER BY person, program"
        ),
        *database.execute("SELECT person, score, out_of, content FROM score ORDER BY person, id"),
    ]
    database.close()
    return rows


def wait_for_reports(gradebook, count, process):
    """Wait until a gradebook, which may not exist yet, has this many reports, while the process still runs."""
    deadline = time.monotonic() + DEADLINE_S
    while report_count(gradebook) < count:
        assert time.monotonic() < deadline
        with contextlib.suppress(subprocess.TimeoutExpired):
            output = process.communicate(timeout=0.05)
            raise AssertionError(f"pitboss has ended before it saved {count} reports: {output}")


def report_count(gradebook):
    """The number of reports in a gradebook; 0 if there is no readable gradebook yet."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{gradebook}?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM report").fetchone()[0]
    except sqlite3.Error:
        return 0


def wait_for_cleanup(cluster):
    """Wait until the workers run no more programs and have removed the files they were sent."""
    deadline = time.monotonic() + DEADLINE_S
    while cluster.running_programs() or any(cluster.scratch.glob("pitboss-*")):
        assert time.monotonic() < deadline, (cluster.running_programs(), list(cluster.scratch.iterdir()))


@pytest.mark.slow
def test_killing_a_worker_does_not_change_the_gradebook(larger_folder, cluster):
    assert wait_for_exit(start_grading(larger_folder, "-g", "here"))[0] == 1
    first, second = cluster.start_worker(), cluster.start_worker()
    cluster.wait_for_connection(first, second)
    process = start_grading(larger_folder, "-g", "there", "--cluster", cluster.address)
    wait_for_reports(larger_folder / "there", 2, process)
    first.send_signal(signal.SIGKILL)
    assert code_and_messages(process) == (1, "pitboss: 12 run\n")
    assert rows_in(larger_folder / "there") == rows_in(larger_folder / "here")
    assert len(rows_in(larger_folder / "there")) == 24  # one report and one score for each of the twelve
    wait_for_cleanup(cluster)


def test_a_cluster_gives_the_same_reports_and_leaves_no_files_behind(folder, cluster):
    shutil.copytree(folder / "class" / "ada", folder / "class" / "eve")
    (folder / "class" / "eve" / "secret").symlink_to("/etc/passwd")
    worker = cluster.start_worker()
    assert wait_for_exit(start_grading(folder, "--json", "here.json"))[0] == 1
    cluster.wait_for_connection(worker)
    grading = start_grading(folder, "--json", "there.json", "--cluster", cluster.address)
    assert code_and_messages(grading) == (1, "")
    here, there = (json.loads((folder / name).read_text()) for name in ("here.json", "there.json"))
    assert there == here
    assert [entry["submission"] for entry in there["submissions"]] == ["ada", "barbara", "charles", "dennis", "eve"]
    wait_for_cleanup(cluster)


@pytest.mark.slow
def test_regrading_leaks_no_file_descriptors_in_workers_with_a_nanny(folder, cluster):
    nanny = cluster.start_nanny("--nworkers", "2")
    all_run = (1, "pitboss: 4 run\n")
    assert code_and_messages(start_grading(folder, "-g", "book", "--cluster", cluster.address)) == all_run
    regrade = ("regrade", "book", "--fresh", "--cluster", cluster.address)
    assert code_and_messages(start_pitboss(folder, *regrade)) == all_run
    wait_for_cleanup(cluster)
    before = descriptor_counts(nanny)
    assert code_and_messages(start_pitboss(folder, *regrade)) == all_run
    wait_for_cleanup(cluster)
    assert descriptor_counts(nanny) == before


def descriptor_counts(process):
    """The number of open file descriptors of this process and of each process below it, by process id."""
    return {pid: len(os.listdir(f"/proc/{pid}/fd")) for pid in processes.tree([process.pid])}


@pytest.mark.slow
def test_a_worker_that_cannot_import_pitboss_is_reported_and_not_used(folder, cluster):
    (folder / "other" / "pitboss").mkdir(parents=True)
    (folder / "other" / "pitboss" / "__init__.py").touch()
    worker = cluster.start_worker(pitboss=folder / "other")
    cluster.wait_for_connection(worker)
    code, err = code_and_messages(start_grading(folder, "-g", "book", "--cluster", cluster.address))
    problem, conclusion = err.splitlines()
    assert code == 3
    reason = "pitboss does not answer there: ModuleNotFoundError: No module named 'pitboss.checking'"
    assert re.fullmatch(rf"pitboss: tcp://127\.0\.0\.1:\d+ is not used: {reason}", problem)
    assert conclusion == f"pitboss: no worker of {cluster.address} may grade, and nothing was run"
    assert worker.poll() is None


@pytest.mark.slow
def test_reports_received_before_the_scheduler_dies_are_saved(larger_folder, cluster):
    cluster.wait_for_connection(cluster.start_worker())
    process = start_grading(larger_folder, "-g", "book", "--cluster", cluster.address)
    wait_for_reports(larger_folder / "book", 2, process)
    cluster.scheduler.send_signal(signal.SIGKILL)
    code, out, err = wait_for_exit(process)
    assert (code, out) == (3, "")
    assert re.fullmatch(
        rf"pitboss: the Dask scheduler at {cluster.address} is gone: [^\n]+; "
        r"(\d+) of 12 submissions were checked by then, and their reports are saved\n",
        err,
    )
    saved = report_count(larger_folder / "book")
    assert f"; {saved} of 12 " in err
    _, err = code_and_messages(start_grading(larger_folder, "-g", "book"))
    assert err.startswith(f"pitboss: {12 - saved} run, {saved} unchanged")


@pytest.mark.slow
def test_an_interrupt_saves_the_reports_so_far_and_stops_the_workers(larger_folder, cluster):
    (larger_folder / "class" / "s7" / "teller.c").unlink()
    (larger_folder / "class" / "s7" / "teller.sh").write_text("#!/bin/sh\nwhile :; do :; done\n")
    cluster.wait_for_connection(cluster.start_worker())
    process = start_grading(larger_folder, "-g", "book", "--cluster", cluster.address)
    wait_for_reports(larger_folder / "book", 2, process)
    process.send_signal(signal.SIGINT)
    code, err = code_and_messages(process)
    saved = report_count(larger_folder / "book")
    assert code == 130
    assert err.startswith(f"pitboss: {saved} run\npitboss: stopped before grading ")
    wait_for_cleanup(cluster)


@pytest.mark.slow
def test_an_address_without_a_scheduler_is_reported(folder):
    code, out, err = wait_for_exit(start_grading(folder, "-g", "book", "--cluster", "tcp://127.0.0.1:1"))
    assert (code, out) == (3, "")
    assert err.startswith("pitboss: no Dask scheduler answers at tcp://127.0.0.1:1: ")
    assert len(err.splitlines()) == 1
