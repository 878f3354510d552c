import re
import subprocess
import sys

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.matrix import _catching_cases_unseeded
from tests.conftest import ROOT

SHIPPED = sorted(
    file.parent for folder in ("specs", "examples/assignments") for file in ROOT.glob(f"{folder}/*/assignment.yaml")
)
#: What `verify` prints where all is well: what it has compared, caught known mistakes, and cases that catch none, for
#: these may be there to show something.
FINE = re.compile(
    r"[\w-]+: (the only|all \d+) recorded cases? match.*"
    r"|[\w-]+ [\w-]+: (\d+) of \2 known mistakes are caught"
    r"|  case '.*' catches no known mistake"
)


@pytest.mark.slow
@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_verify_has_no_remark_on_a_shipped_assignment(folder):
    # Not by the fixture `pitboss`, whose deadline the unseeded card games do not meet.
    command = [sys.executable, "-m", "pitboss", "verify", "--assignment", str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    remarks = [line for line in result.stdout.splitlines() if not FINE.fullmatch(line)]
    assert (result.returncode, remarks, result.stderr) == (0, [], "")
    assert "known mistakes are caught" in result.stdout


def test_a_mistake_that_leaves_out_the_feature_of_its_stage_is_caught():
    assignment = load_assignment(ROOT / "specs/tournament")
    stage = assignment.stage("blackjack")
    (mistake,) = (one for one in mistakes_of(stage) if one.id == "no-blackjack")
    assert _catching_cases_unseeded(assignment, stage, mistake) == ("all sessions together",)
