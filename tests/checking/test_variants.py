"""What rulings allow is accepted and told; a feature is held to where it is declared, and not offered where it is not."""

import shutil

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.reports.finding_sentences import stage_summary, summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.parts import parts_of

VARIANTS = yaml.safe_load((ROOT / "tests" / "variants.yaml").read_text(encoding="utf-8"))
#: These are told quickly; the others are for the longer run.
QUICK = (
    "csc101 does not offer a split",
    "csc101 does not declare the split that it offers",
    "csc101 misspells a feature",
)


def variant(name):
    assignment, student = VARIANTS[name]["of"]
    marks = [pytest.mark.needs(*parts_of(ROOT / "examples" / assignment / student))]
    return pytest.param(name, marks=marks if name in QUICK else [*marks, pytest.mark.slow], id=name)


def report_on(name, folder):
    given = VARIANTS[name]
    assignment, student = given["of"]
    shutil.copytree(ROOT / "examples" / assignment / student, folder)
    for file, edits in given.get("edits", {}).items():
        text = (folder / file).read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) == 1, f"{file} of {student} has changed"
            text = text.replace(old, new)
        (folder / file).write_text(text, encoding="utf-8")
    for file, text in given.get("files", {}).items():
        (folder / file).write_bytes(text.encode())
    loaded = load_assignment(ROOT / "specs" / assignment)
    stages = (loaded.stage(given["stage"]),)
    return check(Job(loaded, stages, find_conditions(), assignment, runs_all=True), folder)


@pytest.mark.parametrize("name", [variant(name) for name in VARIANTS])
def test_a_variant_earns_its_verdict_and_is_reported(tmp_path, name):
    given, report = VARIANTS[name], report_on(name, tmp_path / "submission")
    (stage,) = report.stages
    failed = next((summary_of(result) for result in stage.results if result.verdict is not Verdict.ACCEPTED), "")
    assert (stage.verdict.value, report.faults) == (given["verdict"], ()), (stage.summary, failed)
    assert stage.judged_as == given.get("judged_as", stage.judged_as)
    assert stage_summary(stage) == given.get("says", "").replace("{sessions}", str(len(stage.results)))
    assert list(report.notes) == given.get("notes", [])
    assert bool(failed) == (given["verdict"] == "WRONG_ANSWER" and "says" not in given)
