"""Programs of which a course gives files: which are used, the course's or the submission's own, and what is said of it."""

import shutil

import pytest
import yaml

from harness.assignments.specfile import load_assignment
from harness.grading.check import check
from harness.judging.verdicts import Verdict
from harness.running.drivers import find_conditions
from harness.running.job import Job
from tests.conftest import ROOT

BUILT = ROOT / "tests" / "submissions" / "ece2036" / "built"
FOLDERS = sorted(path.parent for path in BUILT.glob("*/made.yaml"))

pytestmark = pytest.mark.needs("C++")


@pytest.fixture(scope="module")
def ece2036():
    return load_assignment(ROOT / "specs" / "ece2036")


def handed_in(folder, into):
    """A submission: the files of its folder, and those that it takes from elsewhere, edited."""
    told = yaml.safe_load((folder / "made.yaml").read_text())
    shutil.copytree(folder, into, ignore=shutil.ignore_patterns("made.yaml"))
    for name, origin in (told["takes"] or {}).items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / origin if (ROOT / origin).is_file() else BUILT / origin, into / name)
    for name, old, new in told.get("edits", ()):
        text = (into / name).read_text()
        assert old in text
        (into / name).write_text(text.replace(old, new.replace("\\n", "\n")))
    return told


def checked(assignment, folder):
    """The stage's report; a case alone shows that it can be played."""
    job = Job(assignment, assignment.stages[:1], find_conditions(), assignment.name, only=("hit below 17",))
    report = check(job, folder, count=1)
    assert report.faults == ()
    return report.stages[0]


@pytest.mark.parametrize("folder", FOLDERS, ids=[path.name for path in FOLDERS])
def test_a_submission_is_built_with_what_belongs_to_it(ece2036, tmp_path, folder):
    told = handed_in(folder, tmp_path / "in")
    stage = checked(ece2036, tmp_path / "in")
    assert (stage.verdict.value, stage.made_with) == (told["verdict"], told["made_with"])
    if stage.verdict is Verdict.COMPILE_ERROR:
        assert stage.summary == told["says"]
