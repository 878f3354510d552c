"""The assignments other than blackjack: correct programs are accepted, and the mistakes of wrong ones are named."""

import shutil

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.model.transcript import Shown
from pitboss.reports.finding_sentences import stage_summary, summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT, example
from tests.parts import required_compilers

WRONG = yaml.safe_load((ROOT / "tests" / "wrong_programs.yaml").read_text(encoding="utf-8"))
#: The stages that each correct program passes.
CORRECT = {
    ("csc101", "kathleen"): {"basic", "reshuffle", "split", "betting", "errors"},
    ("ece2036", "george"): {"blackjack"},
    ("ece2036", "vera"): {"blackjack", "double", "split"},
    ("ece2036", "dennis"): {"blackjack", "double", "split"},
    ("tournament", "hanna"): {"minimum", "blackjack", "aces"},
    ("bjm0", "otto"): {"shuffle", "aces", "dealer", "table", "chances"},
}


@pytest.fixture(scope="module")
def assignments():
    return {name: load_assignment(ROOT / "specs" / name) for name in ("csc101", "ece2036", "tournament", "bjm0")}


def stage_reports(assignment, folder, stages):
    chosen = tuple(stage for stage in assignment.stages if stage.name in stages)
    return check(Job(assignment, chosen, find_conditions(), assignment.name, runs_all=True), folder).stages


@pytest.mark.parametrize(("name", "student"), [example(*key) for key in CORRECT])
def test_a_correct_program_is_accepted(assignments, name, student):
    stages = CORRECT[name, student]
    reports = stage_reports(assignments[name], ROOT / "examples" / name / student, stages)
    assert {report.stage: (report.verdict, report.summary) for report in reports} == dict.fromkeys(
        stages, (Verdict.ACCEPTED, "")
    )
    assert all(not report.diagnosis for report in reports)


def differing_lines(result):
    """The line where a session first differs from what is expected: first as it should be, then as it was printed."""
    difference = result.difference
    compared = difference.split or difference  # where draws are unknown, other text was compared than was printed
    quoted = difference.quoted
    for matched, events in ((quoted.expected_before, compared.expected), (quoted.before, compared.actual)):
        before = b"".join(event.text if isinstance(event, Shown) else b"\n" for event in matched)
        after = events[0].text if events and isinstance(events[0], Shown) else b""
        yield (before.rpartition(b"\n")[2] + after.lstrip(b"\n").partition(b"\n")[0]).decode()


def wrong_program(name):
    """A parameter of the test: the program's name, marked with the compilers that it needs."""
    assignment, student = WRONG[name]["of"]
    parts = required_compilers(ROOT / "examples" / assignment / student)
    return pytest.param(name, marks=pytest.mark.needs(*parts), id=name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [wrong_program(name) for name in WRONG])
def test_a_wrong_program_is_caught(assignments, tmp_path, name):
    """If the entry has `parts_at`, each session differs in a line that begins with one of these texts."""
    (assignment, student), stage, file = (WRONG[name][key] for key in ("of", "stage", "file"))
    correct_code, wrong_code, line_starts = WRONG[name]["right"], WRONG[name]["wrong"], tuple(WRONG[name]["parts_at"])
    folder = tmp_path / student
    shutil.copytree(ROOT / "examples" / assignment / student, folder)
    text = (folder / file).read_text()
    assert correct_code in text, f"{file} of {student} has changed"
    text = text.replace(correct_code, wrong_code, 1)
    if "!tens" in wrong_code:  # uses a flag that the correct program lacks
        text = text.replace("cards = total = aces = 0;", "cards = total = aces = 0; tens = false;")
        text = text.replace("static int cards, total, aces;", "static int cards, total, aces; static bool tens;")
        text = text.replace("cards++;", "cards++; tens |= number == 10;")
    (folder / file).write_text(text)
    for _ in range(3):  # the draws are random, so one check of some dozens of sessions may miss the mistake
        (report,) = stage_reports(assignments[assignment], folder, {stage})
        if report.verdict is not Verdict.ACCEPTED:
            break
    assert report.verdict is Verdict.WRONG_ANSWER
    failed = [result for result in report.results if result.verdict is not Verdict.ACCEPTED]
    summary = stage_summary(report)
    assert summary or summary_of(failed[0])
    assert summary or failed[0].difference is not None or "drew" in summary_of(failed[0])
    # A few sessions may fit several known mistakes: then all are named, the actual mistake among them.
    named = {diagnosis.id for diagnosis in report.diagnosis if diagnosis.explains == diagnosis.of}
    assert not named or WRONG[name].get("named") in named, named
    for result in failed:
        if line_starts and result.difference is not None:
            assert any(line.startswith(line_starts) for line in differing_lines(result)), (
                summary_of(result),
                *differing_lines(result),
            )


def test_bjm0_bust_chances_are_those_of_its_rules():
    from reference.bjm0.rules import COUNTS, bust_chance

    def chance(hand, up_card):
        counts = list(COUNTS)
        for value in (*hand, up_card):
            counts[0 if value == 11 else value - 1] -= 1
        return bust_chance(hand, counts)

    assert chance((10, 10), 10) == 45 / 49
    assert chance((9, 7), 3) == 30 / 49
    assert chance((10, 2), 10) == 14 / 49
    assert chance((11, 7), 10) == 0


@pytest.mark.parametrize("name", ["csc101", "ece2036", "tournament", "bjm0"])
def test_every_recorded_case_replays_exactly(assignments, name):
    from pitboss.kits.verification import problems_of

    assert [problem for stage in assignments[name].stages for problem in problems_of(stage, name)] == []
