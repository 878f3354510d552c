import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.main import exit_code_of
from pitboss.cli.real_time import real_time_sentence
from pitboss.compare.seeded import known_pauses_s, running_order
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job

SPEC = """\
program: goodbye
cases:
  - name: long
    transcript: |
      Number? <<1>>
      <pause 0.4s>Bye.
  - name: wrong
    transcript: |
      Number? <<2>>
      <pause 0.2s>By.
  - name: at once
    transcript: |
      Number? <<3>>
      Bye.
"""
PROGRAM = """\
import time
number = input("Number? ")
time.sleep({"1": 0.4, "2": 0.2, "3": 0}[number])
print("Bye.")
"""
#: Under WATCHED conditions sleeps are skipped; under the others sessions run in real time.
UNWATCHED = Conditions("expecting", Sandbox(Level.NONE), reason="not watched: this is not Linux")
WATCHED = Conditions("watched", Sandbox(Level.NONE))
WATCHED_IN_REAL_TIME = Conditions("watched", Sandbox(Level.NONE), is_real_time=True)


@pytest.fixture
def goodbye(tmp_path):
    """The folder of an assignment, with a reference that pauses in some cases and fails the case `wrong`."""
    (tmp_path / "goodbye.yaml").write_text(SPEC)
    (tmp_path / "assignment.yaml").write_text(
        "title: Bye\nstages: [{name: goodbye, title: say goodbye, reference: {command: [./goodbye.py]}}]\n"
    )
    program = tmp_path / "goodbye.py"
    program.write_text(f"#!/usr/bin/env python3\n{PROGRAM}")
    program.chmod(0o755)
    return tmp_path


def job_of(folder, conditions):
    assignment = load_assignment(folder)
    return Job(assignment, assignment.stages, conditions, assignment.name)


@pytest.mark.parametrize(
    ("conditions", "order"),
    {
        "unwatched": (UNWATCHED, ["at once", "wrong", "long"]),
        "watched in real time": (WATCHED_IN_REAL_TIME, ["at once", "wrong", "long"]),
        "watched": (WATCHED, ["long", "wrong", "at once"]),
    }.values(),
)
def test_short_cases_come_first_in_real_time(goodbye, conditions, order):
    job = job_of(goodbye, conditions)
    sessions = sessions_of(job.stages[0])
    assert [sessions[number].name for number in running_order(job, sessions)] == order
    assert known_pauses_s(sessions) == pytest.approx(0.6)


def test_real_time_is_announced_and_results_keep_the_order_of_the_cases(goodbye, capfd, monkeypatch):
    monkeypatch.chdir(goodbye)
    monkeypatch.setenv("PITBOSS_WITHOUT", "cache")
    assert exit_code_of(["check", "-a", ".", "--driver", "expecting", "--sandbox", "none", "--json", "-"]) == 1
    out, err = capfd.readouterr()
    assert err.splitlines()[0] == (
        "pitboss: sessions run in real time, the short ones first; pauses are measured to a tenth of a second"
    )
    positions = [out.index(f'"case": "{name}"') for name in ("long", "wrong", "at once")]
    assert positions == sorted(positions) and out.count('"verdict": "ACCEPTED"') == 2


@pytest.mark.parametrize(
    ("pauses_s", "core_count", "ending"),  # pauses_s: the seconds that all pauses take on this many cores
    [
        (9, 4, ""),
        (60, 1, ". Their pauses alone take up to a minute: name a stage, or one case with --case, to wait for less"),
        (
            318.5,
            4,
            ". Their pauses alone take about 6 minutes on 4 cores: name a stage, or one case with --case, to wait for "
            "less",
        ),
    ],
)
def test_the_announcement_says_how_long_long_pauses_take(pauses_s, core_count, ending):
    assert real_time_sentence(UNWATCHED, pauses_s, core_count) == (
        "sessions run in real time (not watched: this is not Linux), the short ones first; pauses are measured to a "
        f"tenth of a second{ending}"
    )


def test_nothing_is_announced_if_sleeps_are_skipped(goodbye, capfd, monkeypatch):
    monkeypatch.chdir(goodbye)
    monkeypatch.setenv("PITBOSS_WITHOUT", "cache")
    exit_code_of(["check", "-a", ".", "--case", "at once"])
    assert "real time" not in capfd.readouterr().err
