"""Hostile programs earn their verdicts, escape nowhere, and leave nothing behind that was not there before."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.counted import counted
from tests.zoo import ATTACKS, RIGHT, TYPICAL, place_in

#: Each by itself with Landlock, where most is held by lines of our own; with bubblewrap in a class.
WHOLE = [
    pytest.param(attack, id=attack.name, marks=() if attack.name in TYPICAL else pytest.mark.slow) for attack in ATTACKS
]
#: What uses up its time does so the same way everywhere, so it is in no class. Where there is neither root nor
#: bubblewrap a flood of processes reaches other submissions: see docs/decisions.md.
SLOW = [attack for attack in ATTACKS if "TIME_LIMIT_EXCEEDED" in attack.verdicts]
FLOODS = [attack for attack in ATTACKS if attack.name in ("fork_bomb", "fork_bomb_away", "build_bomb")]
CLASSES = [
    pytest.param("root", "bubblewrap", SLOW, id="root, bubblewrap"),
    pytest.param("ordinary user", "landlock", SLOW + FLOODS, id="ordinary user, Landlock"),
    pytest.param(
        "ordinary user",
        "bubblewrap",
        [attack for attack in SLOW if attack not in FLOODS],
        id="ordinary user, bubblewrap",
    ),
]


@pytest.fixture
def place(reachable, monkeypatch):
    """What is attacked, with a temporary folder of our own, so that what others do there is not counted."""
    (reachable / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(reachable / "tmp"))
    (reachable / "place").mkdir()
    with place_in(reachable / "place") as made:
        yield made


def escapes(text):
    """Where a program says that it has escaped; a compiler may quote the line by which it would say so."""
    return re.findall(r'.{,20}ESCAPED(?! by %s|\\?"\)).{,60}', text)


def checked(place, folder):
    assignment = load_assignment(place.assignment)
    job = Job(assignment, assignment.stages, find_conditions("watched", "landlock"), "teller")
    report = check(job, folder, count=1)
    assert report.faults == ()
    return report.stages[0]


@pytest.fixture(scope="module")
def begun():
    """What a process opens once and for all is open before anything is counted."""
    with tempfile.TemporaryDirectory() as folder, place_in(Path(folder)) as place:
        Path(folder).chmod(0o755)
        checked(place, place.submissions / "other")


@pytest.mark.parametrize("attack", WHOLE)
@pytest.mark.usefixtures("begun")
def test_an_attack_earns_its_verdict_and_leaves_nothing(place, attack):
    folder = place.hand_in_attack(attack)
    opened, state = counted(), place.state()
    stage = checked(place, folder)
    output = [result.actual.text.decode("utf-8", "replace") for result in stage.results if result.actual]
    assert escapes("".join((*output, stage.build_messages))) == []
    assert stage.verdict.value in attack.verdicts, [stage.summary, *(summary_of(result) for result in stage.results)]
    assert (counted(), place.state()) == (opened, state)
    assert checked(place, place.submissions / "other").verdict is Verdict.ACCEPTED
    assert (counted(), place.state()) == (opened, state)


@pytest.mark.slow
@pytest.mark.parametrize(("user", "sandbox", "without"), CLASSES)
def test_a_class_of_them_is_graded_as_each_by_itself(command_as, place, left_running, user, sandbox, without):
    """Also where programs run as the same user as pitboss, and right programs stand between them."""
    command = command_as(user)
    attacks = [attack for attack in ATTACKS if attack not in without]
    for attack in attacks:
        place.hand_in_attack(attack)
    for name in ("aa right", "mm right", "zz right"):
        place.hand_in(name, RIGHT)
    state, report = place.state(), place.folder / "results"
    report.mkdir(mode=0o777)
    report.chmod(0o777)
    argv = [*command.argv, "grade", str(place.submissions), "-a", str(place.assignment), "--sandbox", sandbox]
    done = subprocess.run(
        [*argv, "--json", str(report / "class.json")],
        env=command.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    output = {one["submission"]: one for one in json.loads((report / "class.json").read_text())["submissions"]}
    wanted = {attack.name: attack.verdicts for attack in attacks}
    wanted |= {name: ["ACCEPTED"] for name in ("aa right", "mm right", "zz right", "other")}
    assert set(output) == set(wanted)
    assert {name: one["verdict"] for name, one in output.items() if one["verdict"] not in wanted[name]} == {}
    assert [name for name, one in output.items() if escapes(json.dumps(one["stages"]))] == []
    (report / "class.json").unlink()
    report.rmdir()
    assert left_running("teller") == []
    assert place.state() == state


def test_every_program_says_what_it_must():
    assert len(ATTACKS) >= 60
    assert {verdict for attack in ATTACKS for verdict in attack.verdicts} <= {verdict.value for verdict in Verdict}
    assert set(TYPICAL) <= {attack.name for attack in ATTACKS}
    assert len({attack.tries for attack in ATTACKS}) == len(ATTACKS)
