import json
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.counted import resources_in_use
from tests.zoo import ATTACKS, CORRECT_PROGRAM, TYPICAL, attack_target_in

#: Attacks that are checked one at a time, with Landlock, where most protection is our own code. Bubblewrap is tested
#: with a class of attacks: see CLASS_PARAMS.
ATTACK_PARAMS = [
    pytest.param(attack, id=attack.name, marks=() if attack.name in TYPICAL else pytest.mark.slow) for attack in ATTACKS
]
#: Attacks that use up their time limit behave the same everywhere, so they are left out of the classes. With neither
#: root nor bubblewrap, a flood of processes affects other submissions: see docs/decisions.md.
TIME_LIMIT_ATTACKS = [attack for attack in ATTACKS if "TIME_LIMIT_EXCEEDED" in attack.verdicts]
PROCESS_FLOODS = [attack for attack in ATTACKS if attack.name in ("fork_bomb", "fork_bomb_away", "build_bomb")]
#: The user, the sandbox, and the attacks that are left out. For an ordinary user, bubblewrap must contain the floods
#: too, so no flood is left out there.
CLASS_PARAMS = [
    pytest.param("root", "bubblewrap", TIME_LIMIT_ATTACKS, id="root, bubblewrap"),
    pytest.param("ordinary user", "landlock", TIME_LIMIT_ATTACKS + PROCESS_FLOODS, id="ordinary user, Landlock"),
    pytest.param(
        "ordinary user",
        "bubblewrap",
        [attack for attack in TIME_LIMIT_ATTACKS if attack not in PROCESS_FLOODS],
        id="ordinary user, bubblewrap",
    ),
]


@pytest.fixture
def target(reachable, monkeypatch):
    """The files that are attacked, with a separate temporary folder in which no other program changes anything."""
    (reachable / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(reachable / "tmp"))
    (reachable / "target").mkdir()
    with attack_target_in(reachable / "target") as attack_target:
        yield attack_target


def escape_messages(text):
    """The messages of a program that it has escaped, without source lines quoted by a compiler."""
    return re.findall(r'.{,20}ESCAPED(?! by %s|\\?"\)).{,60}', text)


def check_with_landlock(target, folder):
    """The report on the only stage of the submission in this folder."""
    assignment = load_assignment(target.assignment)
    job = Job(assignment, assignment.stages, find_conditions("watched", "landlock"), "teller")
    report = check(job, folder, cores=1)
    assert report.faults == ()
    return report.stages[0]


@pytest.fixture(scope="module")
def opened_resources():
    """Check a program once, so that files opened only once in a process are open before the tests count them."""
    with tempfile.TemporaryDirectory() as folder, attack_target_in(Path(folder)) as target:
        Path(folder).chmod(0o755)
        check_with_landlock(target, target.submissions / "other")


@pytest.mark.parametrize("attack", ATTACK_PARAMS)
@pytest.mark.usefixtures("opened_resources")
def test_an_attack_gets_its_verdict_and_changes_nothing(target, attack):
    folder = target.hand_in_attack(attack)
    counts_before, state_before = resources_in_use(), target.state()
    stage = check_with_landlock(target, folder)
    outputs = [result.actual.text.decode("utf-8", "replace") for result in stage.results if result.actual]
    assert escape_messages("".join((*outputs, stage.build_messages))) == []
    assert stage.verdict.value in attack.verdicts, [stage.summary, *(summary_of(result) for result in stage.results)]
    assert (resources_in_use(), target.state()) == (counts_before, state_before)
    assert check_with_landlock(target, target.submissions / "other").verdict is Verdict.ACCEPTED
    assert (resources_in_use(), target.state()) == (counts_before, state_before)


@pytest.mark.slow
@pytest.mark.parametrize(("user", "sandbox", "excluded_attacks"), CLASS_PARAMS)
def test_a_class_with_attacks_gets_the_expected_verdicts(
    command_as, target, left_running, user, sandbox, excluded_attacks
):
    """Also if programs run as the same user as pitboss, and with correct programs among the attacks."""
    command = command_as(user)
    attacks = [attack for attack in ATTACKS if attack not in excluded_attacks]
    for attack in attacks:
        target.hand_in_attack(attack)
    for name in ("aa right", "mm right", "zz right"):
        target.hand_in(name, CORRECT_PROGRAM)
    state_before, report_folder = target.state(), target.folder / "results"
    report_folder.mkdir(mode=0o777)
    report_folder.chmod(0o777)
    argv = [*command.argv, "grade", str(target.submissions), "-a", str(target.assignment), "--sandbox", sandbox]
    completed = subprocess.run(
        [*argv, "--json", str(report_folder / "class.json")],
        env=command.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "Traceback" not in completed.stderr, completed.stderr
    reports = {
        entry["submission"]: entry for entry in json.loads((report_folder / "class.json").read_text())["submissions"]
    }
    expected_verdicts = {attack.name: attack.verdicts for attack in attacks}
    expected_verdicts |= {name: ["ACCEPTED"] for name in ("aa right", "mm right", "zz right", "other")}
    assert set(reports) == set(expected_verdicts)
    assert {
        name: entry["verdict"] for name, entry in reports.items() if entry["verdict"] not in expected_verdicts[name]
    } == {}
    assert [name for name, entry in reports.items() if escape_messages(json.dumps(entry["stages"]))] == []
    (report_folder / "class.json").unlink()
    report_folder.rmdir()
    assert left_running("teller") == []
    assert target.state() == state_before


def test_attacks_have_valid_verdicts_and_distinct_descriptions():
    assert len(ATTACKS) >= 60
    assert {verdict for attack in ATTACKS for verdict in attack.verdicts} <= {verdict.value for verdict in Verdict}
    assert set(TYPICAL) <= {attack.name for attack in ATTACKS}
    assert len({attack.tries for attack in ATTACKS}) == len(ATTACKS)
