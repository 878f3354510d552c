import shutil

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.reports.finding_sentences import stage_summary, summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.parts import required_compilers

VARIANTS = yaml.safe_load((ROOT / "tests" / "variants.yaml").read_text(encoding="utf-8"))
#: The checks of these variants are fast; the others are marked slow.
QUICK = (
    "csc101 does not offer a split",
    "csc101 does not declare the split that it offers",
    "csc101 misspells a feature",
)


def base_folder(assignment, program):
    """The folder with the program that is changed: of an example student, or filed under a verdict."""
    return ROOT.joinpath(*(("tests", "submissions") if "/" in program else ("examples",)), assignment, program)


def variant_param(name):
    marks = [pytest.mark.needs(*required_compilers(base_folder(*VARIANTS[name]["of"])))]
    return pytest.param(name, marks=marks if name in QUICK else [*marks, pytest.mark.slow], id=name)


def check_variant(name, folder):
    """The report on the variant of this name, whose programs are written into the folder."""
    entry = VARIANTS[name]
    assignment, student = entry["of"]
    shutil.copytree(base_folder(assignment, student), folder, ignore=shutil.ignore_patterns("expect.yaml"))
    for file, edits in entry.get("edits", {}).items():
        text = (folder / file).read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) == 1, f"{file} of {student} has changed"
            text = text.replace(old, new)
        (folder / file).write_text(text, encoding="utf-8")
    for file, text in entry.get("files", {}).items():
        (folder / file).write_bytes(text.encode())
    loaded = load_assignment(ROOT / "specs" / assignment)
    stages = (loaded.stage(entry["stage"]),)
    return check(Job(loaded, stages, find_conditions(), assignment, runs_all=True), folder)


@pytest.mark.parametrize("name", [variant_param(name) for name in VARIANTS])
def test_a_variant_gets_its_verdict_and_its_summary(tmp_path, name):
    entry, report = VARIANTS[name], check_variant(name, tmp_path / "submission")
    (stage,) = report.stages
    failure = next((summary_of(result) for result in stage.results if result.verdict is not Verdict.ACCEPTED), "")
    assert (stage.verdict.value, report.faults) == (entry["verdict"], ()), (stage.summary, failure)
    assert (stage.draws.kind.value if stage.draws else None) == entry.get("draws")
    assert stage.judged_as == entry.get("judged_as", stage.judged_as)
    assert list(report.notes) == entry.get("notes", [])
    # A wrong answer is explained by a failed session, or else by the summary of the stage.
    if "draws" in entry:
        assert stage_summary(stage)  # Its figures are chance, and a session may fail too.
    else:
        assert stage_summary(stage) == entry.get("says", "").replace("{sessions}", str(len(stage.results)))
        assert bool(failure) == (entry["verdict"] == "WRONG_ANSWER" and "says" not in entry)
