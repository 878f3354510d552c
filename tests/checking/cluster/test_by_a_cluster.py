"""A class graded by a scheduler and two workers: the same reports as by this machine, whatever is killed meanwhile."""

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

from pitboss.sandbox import processes
from tests.checking.cluster.clusters import DEADLINE_S, PATH
from tests.conftest import ROOT


def started(folder, *words, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "pitboss", *words],
        cwd=folder,
        env={**PATH, "PYTHONPATH": str(ROOT / "harness"), **environment},
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def grade(folder, *words):
    return started(folder, "grade", "class", "-a", "teller/", *words)


def ended(process):
    out, err = process.communicate(timeout=2 * DEADLINE_S)
    return process.returncode, out, err


def reports(book):
    """All reports and scores in a gradebook, without instants."""
    database = sqlite3.connect(book)
    found = [
        *database.execute(
            "SELECT person, program, assignment, asked, pitboss, is_fault, light, whole FROM report "
            "JOIN submission ON submission.id = report.submission ORDER BY person, program"
        ),
        *database.execute("SELECT person, score, out_of, content FROM score ORDER BY person, id"),
    ]
    database.close()
    return found


def reports_after(book, count, process):
    """Wait until there are so many reports in a gradebook, which may not be there yet."""
    until = time.monotonic() + DEADLINE_S
    while count_in(book) < count:
        assert time.monotonic() < until
        try:
            raise AssertionError(process.communicate(timeout=0.05))
        except subprocess.TimeoutExpired:
            continue


def count_in(book):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{book}?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM report").fetchone()[0]
    except sqlite3.Error:
        return 0


def assert_nothing_is_left(cluster):
    """The workers run nothing more of ours, and have none of what they were sent."""
    until = time.monotonic() + DEADLINE_S
    while cluster.programs() or any(cluster.scratch.glob("pitboss-*")):
        assert time.monotonic() < until, (cluster.programs(), list(cluster.scratch.iterdir()))


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_gradebook(larger, cluster):
    assert ended(grade(larger, "-g", "here"))[0] == 1
    first, second = cluster.worker(), cluster.worker()
    cluster.connected(first, second)
    process = grade(larger, "-g", "there", "--cluster", cluster.address)
    reports_after(larger / "there", 2, process)
    first.send_signal(signal.SIGKILL)
    code, _, err = ended(process)
    assert (code, err) == (1, "pitboss: 12 run\n")
    assert reports(larger / "there") == reports(larger / "here")
    assert len(reports(larger / "there")) == 24  # a report and a score of each, and none twice
    assert_nothing_is_left(cluster)


def test_the_reports_are_those_of_this_machine_and_nothing_is_left(folder, cluster):
    shutil.copytree(folder / "class" / "ada", folder / "class" / "eve")
    (folder / "class" / "eve" / "secret").symlink_to("/etc/passwd")
    worker = cluster.worker()
    assert ended(grade(folder, "--json", "here.json"))[0] == 1
    cluster.connected(worker)
    code, _, err = ended(grade(folder, "--json", "there.json", "--cluster", cluster.address))
    assert (code, err) == (1, "")
    here, there = (json.loads((folder / name).read_text()) for name in ("here.json", "there.json"))
    assert there == here
    assert [one["submission"] for one in there["submissions"]] == ["ada", "barbara", "charles", "dennis", "eve"]
    assert_nothing_is_left(cluster)


@pytest.mark.slow
def test_started_as_documented_and_graded_again_it_holds_no_more_than_before(folder, cluster):
    nanny = cluster.with_nanny("--nworkers", "2")
    assert ended(grade(folder, "-g", "book", "--cluster", cluster.address))[::2] == (1, "pitboss: 4 run\n")
    again = ("regrade", "book", "--fresh", "--cluster", cluster.address)
    assert ended(started(folder, *again))[::2] == (1, "pitboss: 4 run\n")
    assert_nothing_is_left(cluster)
    before = descriptors(nanny)
    assert ended(started(folder, *again))[::2] == (1, "pitboss: 4 run\n")
    assert_nothing_is_left(cluster)
    assert descriptors(nanny) == before


@pytest.mark.slow
def test_a_worker_that_its_nanny_starts_again_is_compared_again(larger, cluster):
    nanny = cluster.with_nanny()
    process = grade(larger, "-g", "there", "--cluster", cluster.address)
    reports_after(larger / "there", 2, process)
    (worker,) = cluster.workers_of(nanny)
    os.kill(worker, signal.SIGKILL)
    assert ended(process)[::2] == (1, "pitboss: 12 run\n")
    assert cluster.workers_of(nanny) != [worker]
    assert ended(grade(larger, "-g", "here"))[0] == 1
    assert reports(larger / "there") == reports(larger / "here")


def descriptors(process):
    return {pid: len(os.listdir(f"/proc/{pid}/fd")) for pid in processes.tree([process.pid])}


@pytest.mark.slow
def test_what_differs_is_reported_and_grades_nothing(folder, cluster):
    copy = folder / "copy"
    shutil.copytree(ROOT / "harness" / "pitboss", copy / "pitboss", ignore=shutil.ignore_patterns("__pycache__"))
    words = copy / "pitboss" / "errors.py"
    words.write_text(words.read_text() + "# of another day\n")
    other = cluster.worker(pitboss=copy)
    cluster.connected(other)
    code, out, err = ended(grade(folder, "-g", "book", "--cluster", cluster.address))
    first, second = err.splitlines()
    assert (code, out) == (3, "")
    assert re.fullmatch(
        r"pitboss: tcp://127\.0\.0\.1:\d+ is not used: pitboss is '\w{10}' there and '\w{10}' here", first
    )
    assert second == f"pitboss: no worker of {cluster.address} may grade, and nothing was run"
    assert reports(folder / "book") == []
    ours = cluster.worker()
    cluster.connected(ours)
    process = grade(folder, "-g", "book", "--cluster", cluster.address)
    code, _, err = ended(process)
    assert (code, err.splitlines()) == (1, [first, "pitboss: 4 run"])
    assert_nothing_is_left(cluster)


@pytest.mark.slow
def test_a_worker_without_pitboss_grades_nothing(folder, cluster):
    (folder / "other" / "pitboss").mkdir(parents=True)
    (folder / "other" / "pitboss" / "__init__.py").touch()
    worker = cluster.worker(pitboss=folder / "other")
    cluster.connected(worker)
    code, _, err = ended(grade(folder, "-g", "book", "--cluster", cluster.address))
    first, second = err.splitlines()
    assert code == 3
    sentence = "pitboss does not answer there: ModuleNotFoundError: No module named 'pitboss.checking'"
    assert re.fullmatch(rf"pitboss: tcp://127\.0\.0\.1:\d+ is not used: {sentence}", first)
    assert second == f"pitboss: no worker of {cluster.address} may grade, and nothing was run"
    assert worker.poll() is None


@pytest.mark.slow
def test_a_scheduler_that_vanishes_costs_only_what_was_not_there_yet(larger, cluster):
    cluster.connected(cluster.worker())
    process = grade(larger, "-g", "book", "--cluster", cluster.address)
    reports_after(larger / "book", 2, process)
    cluster.scheduler.send_signal(signal.SIGKILL)
    code, out, err = ended(process)
    assert (code, out) == (3, "")
    assert re.fullmatch(
        rf"pitboss: the Dask scheduler at {cluster.address} is gone: [^\n]+; "
        r"(\d+) of 12 submissions were checked by then, and their reports are saved\n",
        err,
    )
    kept = count_in(larger / "book")
    assert f"; {kept} of 12 " in err
    assert ended(grade(larger, "-g", "book"))[2].startswith(f"pitboss: {12 - kept} run, {kept} unchanged")


@pytest.mark.slow
def test_stopped_it_keeps_what_came_and_the_workers_do_no_more(larger, cluster):
    (larger / "class" / "s7" / "teller.c").unlink()
    (larger / "class" / "s7" / "teller.sh").write_text("#!/bin/sh\nwhile :; do :; done\n")
    cluster.connected(cluster.worker())
    process = grade(larger, "-g", "book", "--cluster", cluster.address)
    reports_after(larger / "book", 2, process)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process)
    kept = count_in(larger / "book")
    assert code == 130
    assert err.startswith(f"pitboss: {kept} run\npitboss: stopped before grading ")
    assert_nothing_is_left(cluster)


@pytest.mark.slow
def test_without_a_worker_it_waits_for_one_and_says_how_long(folder, cluster):
    code, out, err = ended(grade(folder, "-g", "book", "--cluster", cluster.address))
    sentence = f"pitboss: {cluster.address} has had no worker that may grade for 20 seconds\n"
    assert (code, out, err) == (3, "", sentence)


@pytest.mark.slow
def test_an_address_that_nobody_answers_at_is_reported_in_time(folder):
    code, out, err = ended(grade(folder, "-g", "book", "--cluster", "tcp://127.0.0.1:1"))
    assert (code, out) == (3, "")
    assert err.startswith("pitboss: no Dask scheduler answers at tcp://127.0.0.1:1: ")
    assert len(err.splitlines()) == 1
