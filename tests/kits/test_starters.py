"""Starter kits: generated, built without a warning, failing cleanly, and accepted once the right program is filled in."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec
import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import assignments_in, load_assignment
from pitboss.checking.check import check
from pitboss.cli.starter import _name_in_kit as name_in_a_kit
from pitboss.compare.comparison import difference_between
from pitboss.compare.verdicts import Verdict
from pitboss.kits.first_steps import first_step
from pitboss.kits.samples import samples_of
from pitboss.kits.starters import LANGUAGES, kit_of
from pitboss.kits.verification import run_reference_on
from pitboss.model.languages import language_called
from pitboss.reports.finding_sentences import summary_of
from pitboss.sandbox.pool import Pool
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.build import build
from pitboss.submissions.sources import find_source
from pitboss.unseeded.unseeded import run_all_freely
from tests.conftest import ROOT
from tests.kits.test_filled_kits import small

KNOWN = assignments_in((ROOT / "specs",))
TEMPLATES = ROOT / "student_templates"
HELLO = ROOT / "tests" / "toy" / "hello"
#: A right program for each assignment in each language that has one.
RIGHT = {
    ("blackjack", "c"): "ada",
    ("blackjack", "python"): "margaret",
    ("csc101", "c"): "kathleen",
    ("ece2036", "cpp"): "vera",
    ("tournament", "csharp"): "hanna",
    ("bjm0", "c"): "otto",
}
#: Right programs for the kits of some assignments in Java, without what their handouts give.
COMPLETED = ROOT / "tests" / "kits" / "completed"
KITS = [(name, language) for name in KNOWN for language in LANGUAGES]


def written(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


def reports(assignment, folder):
    return check(Job(assignment, assignment.stages, find_conditions(), assignment.name), folder).stages


@pytest.mark.slow
@pytest.mark.parametrize(("name", "language"), KITS, ids=[f"{name} in {language}" for name, language in KITS])
def test_a_kit_is_built_and_fails_cleanly(name, language, tmp_path):
    assignment = load_assignment(KNOWN[name])
    folder = written(tmp_path, kit_of(assignment, language, TEMPLATES))
    made = subprocess.run(["make", "-C", folder, "-n", "check"], capture_output=True, text=True, check=True)
    assert f"pitboss check --assignment {name}" in made.stdout
    made = subprocess.run(["make", "-s", "-C", folder], capture_output=True, text=True, check=False)
    assert (made.returncode, made.stdout + made.stderr) == (0, "")
    for stage in reports(assignment, folder):
        assert stage.verdict in (Verdict.WRONG_ANSWER, Verdict.SKIPPED), stage
        assert all(summary_of(result) for result in stage.results if result.verdict is not Verdict.ACCEPTED)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "language"), RIGHT, ids=[f"{name} in {language}" for name, language in RIGHT])
def test_a_kit_with_the_right_program_is_accepted(name, language, tmp_path):
    assignment = load_assignment(KNOWN[name])
    folder = written(tmp_path, kit_of(assignment, language, TEMPLATES))
    shutil.copytree(ROOT / "examples" / name / RIGHT[name, language], folder, dirs_exist_ok=True)
    needed = {stage.name for stage in assignment.stages if not stage.is_optional}
    found = {stage.stage: stage.verdict for stage in reports(assignment, folder) if stage.stage in needed}
    assert found == {stage.name: Verdict.ACCEPTED for stage in assignment.stages if not stage.is_optional}


@pytest.mark.needs("Java")
@pytest.mark.parametrize(
    "names", [("shuffle", "aces"), pytest.param(("dealer", "table", "chances"), marks=pytest.mark.slow)], ids=" ".join
)
def test_a_kit_in_java_completed_after_its_handout_is_accepted(names, tmp_path):
    """What it begins with is compiled and wrong; the generator is the handout's, and the programs share classes."""
    assignment = load_assignment(KNOWN["bjm0"])
    stages = tuple(small(stage) for stage in assignment.stages if stage.name in names)
    assignment = msgspec.structs.replace(assignment, stages=stages)
    kit = kit_of(assignment, "java", TEMPLATES)
    folder = written(tmp_path, kit)
    programs = [name.capitalize() for name in names]
    assert sorted(path.stem for path in folder.glob("*.java")) == sorted(programs)
    for name in programs:
        assert f"\npublic class {name} {{\n" in kit[f"{name}.java"]
        assert '        System.out.print("Seed: ");\n' in kit[f"{name}.java"]
    (begun, *_) = reports(msgspec.structs.replace(assignment, stages=assignment.stages[:1]), folder)
    assert (begun.verdict, summary_of(begun.results[0])) == (
        Verdict.WRONG_ANSWER,
        "It ended after “Seed: ” (line 1), where it should have read the line “0”.",
    )
    for name in ("Deck", "Hand", *programs):
        shutil.copy(COMPLETED / "bjm0" / f"{name}.java", folder)
    generator = re.search(r"```java\n(.*?)```", kit["HANDOUT.md"], re.DOTALL)[1]
    (folder / "Rand.java").write_text(f"class Rand {{\n{generator}}}\n")
    made = subprocess.run(
        ["make", "-s", "-C", folder, f"classes/{programs[1]}/{programs[1]}.class"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stdout + made.stderr) == (0, "")
    assert sorted(path.name for path in (folder / "classes" / programs[1]).iterdir()) == sorted(
        f"{name}.class" for name in ("Deck", "Hand", "Rand", programs[1])
    )
    # Compiled classes beside the sources are left out.
    found = {stage.stage: stage.verdict for stage in reports(assignment, folder)}
    assert found == {stage.name: Verdict.ACCEPTED for stage in assignment.stages}


@pytest.mark.needs("Java")
@pytest.mark.parametrize(
    ("name", "opening"), [("scanner", "public class Scanner"), ("21-or-less", "class Main"), ("_", "class Main")]
)
def test_a_stage_of_any_name_has_a_skeleton_in_java(name, opening, tmp_path):
    hello = load_assignment(HELLO)
    assignment = msgspec.structs.replace(
        hello, stages=(msgspec.structs.replace(hello.stages[0], name=name, submitted_as=()),)
    )
    folder = written(tmp_path, kit_of(assignment, "java", TEMPLATES))
    file = f"{name[0].upper()}{name[1:]}"
    assert f"\n{opening} {{\n" in (folder / f"{file}.java").read_text()
    made = subprocess.run(["make", "-s", "-C", folder], capture_output=True, text=True, check=False)
    assert (made.returncode, made.stdout + made.stderr) == (0, "")
    run = re.search(r"^# +(java -cp .*)$", (folder / "Makefile").read_text(), re.MULTILINE)[1]
    assert subprocess.run(run.split(), cwd=folder, check=True, capture_output=True, text=True).stdout == "Number? "


def test_the_samples_of_a_handout_are_what_a_right_program_prints():
    """Each is a recorded case, and a right program is accepted in every one of those."""
    assignment = load_assignment(KNOWN["blackjack"])
    play = assignment.stage("play")
    sample = samples_of(play)[0]
    case = next(case for case in play.spec.cases if case.name == sample.name)
    assert sample.transcript.events == case.session.events
    handout = kit_of(assignment, "c", TEMPLATES)["HANDOUT.md"]
    assert f"### {sample.name}\n" in handout
    assert sample.text in handout
    assert "Seed: «" in sample.text


def test_a_kit_is_written_into_a_new_folder_alone(pitboss, tmp_path):
    done = pitboss("starter", "blackjack", "--into", "kit", "--no-pdf")
    assert (done.code, done.out) == (
        0,
        "kit: .vscode/tasks.json, HANDOUT.html, HANDOUT.md, Makefile, betting.c, deal.c, errors.c, play.c, shuffle.c\n",
    )
    again = pitboss("starter", "blackjack", "--into", "kit")
    assert (again.code, again.err) == (
        2,
        "pitboss: kit: this is not an empty folder; nothing is overwritten — name a new folder\n",
    )
    wrong = pitboss("starter", "blackjack", "--language", "cobol", "--into", "other")
    assert (wrong.code, wrong.err) == (
        2,
        f"pitboss: there is no starter kit in 'cobol' — there are {', '.join(LANGUAGES)}\n",
    )
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("folder", ["/a/bjm0", "/~/bjm0", f"{ROOT}/specs/other/bjm0"])
def test_commands_of_a_kit_name_an_assignment_of_ours_and_the_folder_of_any_other(folder):
    """Students have those that come with pitboss somewhere else."""
    ours = load_assignment(ROOT / "specs" / "bjm0")
    assert name_in_a_kit(ours) == "bjm0"
    assert name_in_a_kit(msgspec.structs.replace(ours, folder=Path(folder))) == folder


@pytest.mark.parametrize(
    ("name", "student", "stage"),
    [
        pytest.param("tournament", "hanna", "aces", marks=pytest.mark.needs("Mono")),
        ("csc101", "kathleen", "betting"),
        pytest.param("ece2036", "vera", "blackjack", marks=pytest.mark.needs("C++")),
    ],
)
def test_a_sample_without_a_seed_is_what_a_right_program_prints_for_its_cards(name, student, stage):
    """A handout's samples are retold from cards: so are a right program's sessions, to the same text."""
    assignment = load_assignment(ROOT / "specs" / name)
    chosen, conditions = assignment.stage(stage), find_conditions("watched", "landlock")
    job = Job(assignment, (chosen,), conditions, name)
    with tempfile.TemporaryDirectory() as folder:
        source = find_source(ROOT / "examples" / name / student, chosen)
        Path(folder).chmod(0o755)
        program = build(source, Path(folder) / "built", conditions).program
        attempts = run_all_freely(Pool(), job, program, sessions_of(chosen)[:8])
    expected_run = expected_run_here(chosen)
    for attempt in attempts:
        output = run_reference_on(chosen, attempt.transcript.events, expected_run)
        assert difference_between(output.events, attempt.transcript.events, chosen.policy) is None


def test_a_language_is_called_as_people_call_it():
    output = ("C++", "c++", "cpp", "C", " c", "C#", "c#", "csharp", "Python", "Python 3", "Java", "klingon", "")
    assert " ".join(language_called(one) for one in output) == (
        "cpp cpp cpp c c csharp csharp csharp python python java klingon "
    )


@pytest.mark.parametrize(
    ("language", "file"),
    [("c++", "hello.cpp"), ("C#", "hello.cs"), ("Python", "hello.py"), ("Java", "Hello.java"), ("", "hello.c")],
    ids=str,
)
def test_a_kit_is_made_in_a_language_as_people_call_it(language, file):
    assignment = msgspec.structs.replace(load_assignment(HELLO), language=language)
    assert file in kit_of(assignment, language, TEMPLATES)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (
            "Java",
            "next: save your first program as Hello.java, or begin with a skeleton and the handout:\n"
            "  pitboss starter hello --into NEW-FOLDER",
        ),
        ("sh", "next: save your first program as hello.sh"),
        ("klingon", "next: save your first program as hello.c"),
        (
            "C#",
            "next: save your first program as hello.cs, or begin with a skeleton and the handout:\n"
            "  pitboss starter hello --into NEW-FOLDER",
        ),
    ],
)
def test_a_kit_is_suggested_only_where_there_is_one(language, sentence, tmp_path):
    assignment = msgspec.structs.replace(load_assignment(HELLO), language=language)
    assert first_step(assignment, assignment.stages, tmp_path, "hello") == sentence


def test_a_kit_in_a_language_without_skeletons_is_refused(pitboss):
    wrong = pitboss("starter", HELLO, "--language", "Jython", "--into", "kit")
    assert (wrong.code, wrong.err) == (
        2,
        f"pitboss: there is no starter kit in 'Jython' — there are {', '.join(LANGUAGES)}; did you mean 'python'?\n",
    )
