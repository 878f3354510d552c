import json
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
from pitboss.cli.kits import _name_in_kit as name_in_a_kit
from pitboss.compare.comparison import difference_between
from pitboss.compare.results import Verdict
from pitboss.kits.samples import samples_of
from pitboss.kits.starters import KIT_LANGUAGES, first_step, kit_of
from pitboss.kits.verification import run_reference_on
from pitboss.machine.pool import Pool
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.build import build
from pitboss.submissions.stage_files import find_source
from pitboss.unseeded.unseeded import run_all_freely
from tests.conftest import ROOT
from tests.kits.test_filled_kits import reduce_stage

ASSIGNMENTS = assignments_in((ROOT / "specs",))
TEMPLATES = ROOT / "student_templates"
HELLO = ROOT / "tests" / "toy" / "hello"
#: By assignment and language, the example submission with the correct program, where there is one.
CORRECT_SUBMISSIONS = {
    ("blackjack", "c"): "ada",
    ("blackjack", "python"): "margaret",
    ("csc101", "c"): "kathleen",
    ("ece2036", "cpp"): "vera",
    ("tournament", "csharp"): "hanna",
    ("bjm0", "c"): "otto",
}
#: Correct programs for some kits in Java, without the code that the handout contains.
COMPLETED_KITS = ROOT / "tests" / "kits" / "completed"
#: The kits with a makefile: the others have projects.
KITS = [(name, language) for name in ASSIGNMENTS for language in KIT_LANGUAGES if language != "csharp"]


def write_files(folder, files):
    """Write the files, texts by name, into the folder; returns the folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    return folder


def check_stages(assignment, folder):
    return check(Job(assignment, assignment.stages, find_conditions(), assignment.name), folder).stages


@pytest.mark.slow
@pytest.mark.parametrize(("name", "language"), KITS, ids=[f"{name} in {language}" for name, language in KITS])
def test_a_kit_is_built_and_fails_cleanly(name, language, tmp_path):
    assignment = load_assignment(ASSIGNMENTS[name])
    folder = write_files(tmp_path, kit_of(assignment, language, TEMPLATES))
    make_run = subprocess.run(["make", "-C", folder, "-n", "check"], capture_output=True, text=True, check=True)
    assert f"pitboss check --assignment {name}" in make_run.stdout
    make_run = subprocess.run(["make", "-s", "-C", folder], capture_output=True, text=True, check=False)
    assert (make_run.returncode, make_run.stdout + make_run.stderr) == (0, "")
    for stage in check_stages(assignment, folder):
        assert stage.verdict in (Verdict.WRONG_ANSWER, Verdict.SKIPPED), stage
        assert all(summary_of(result) for result in stage.results if result.verdict is not Verdict.ACCEPTED)


@pytest.mark.slow
@pytest.mark.needs(".NET")
@pytest.mark.parametrize(
    ("name", "programs", "opening"),
    [
        ("tournament", {"Tournament.csproj": "Program.cs"}, ""),
        ("bjm0", {"Aces/Aces.csproj": "Aces/Program.cs"}, "Seed: "),
    ],
)
def test_a_c_sharp_kit_is_built_and_run_by_dotnet_without_a_warning(name, programs, opening, dotnet, tmp_path):
    kit = kit_of(load_assignment(ASSIGNMENTS[name]), "csharp", TEMPLATES)
    assert "Makefile" not in kit
    assert "<TargetFramework>net8.0</TargetFramework>" in kit[next(iter(programs))]
    folder = write_files(tmp_path / "kit", kit)
    (build_task, *_) = json.loads(kit[".vscode/tasks.json"])["tasks"]
    assert sorted(build_task["command"].split(" && ")) == sorted(
        f"dotnet build {path.parent.relative_to(folder)}" for path in folder.rglob("*.csproj")
    )
    for project, program in programs.items():
        assert f"`{program}`" in kit["HANDOUT.md"]
        build_output = dotnet((folder / project).parent, "build", ".")
        assert "0 Warning(s)\n    0 Error(s)" in build_output
        assert dotnet((folder / project).parent, "run") == opening


@pytest.mark.needs(".NET")
def test_a_c_sharp_kit_of_one_stage_is_found_by_a_check(tmp_path):
    assignment = load_assignment(ASSIGNMENTS["tournament"])
    folder = write_files(tmp_path / "kit", kit_of(assignment, "csharp", TEMPLATES))
    (stage, *_) = check_stages(assignment, folder)
    assert stage.verdict is Verdict.WRONG_ANSWER


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "language"), CORRECT_SUBMISSIONS, ids=[f"{name} in {language}" for name, language in CORRECT_SUBMISSIONS]
)
def test_a_kit_with_a_correct_program_is_accepted(name, language, tmp_path):
    assignment = load_assignment(ASSIGNMENTS[name])
    folder = write_files(tmp_path, kit_of(assignment, language, TEMPLATES))
    shutil.copytree(ROOT / "examples" / name / CORRECT_SUBMISSIONS[name, language], folder, dirs_exist_ok=True)
    required_names = {stage.name for stage in assignment.stages if not stage.is_optional}
    verdicts = {
        stage.stage: stage.verdict for stage in check_stages(assignment, folder) if stage.stage in required_names
    }
    assert verdicts == {stage.name: Verdict.ACCEPTED for stage in assignment.stages if not stage.is_optional}


@pytest.mark.needs("Java")
@pytest.mark.parametrize(
    "names", [("shuffle", "aces"), pytest.param(("dealer", "table", "chances"), marks=pytest.mark.slow)], ids=" ".join
)
def test_a_java_kit_completed_by_its_handout_is_accepted(names, tmp_path):
    """Its skeleton compiles and gives wrong answers; the handout has the code of the random generator, and the programs share classes."""
    assignment = load_assignment(ASSIGNMENTS["bjm0"])
    stages = tuple(reduce_stage(stage) for stage in assignment.stages if stage.name in names)
    assignment = msgspec.structs.replace(assignment, stages=stages)
    kit = kit_of(assignment, "java", TEMPLATES)
    folder = write_files(tmp_path, kit)
    programs = [name.capitalize() for name in names]
    assert sorted(path.stem for path in folder.glob("*.java")) == sorted(programs)
    for name in programs:
        assert f"\npublic class {name} {{\n" in kit[f"{name}.java"]
        assert '        System.out.print("Seed: ");\n' in kit[f"{name}.java"]
    (skeleton_report, *_) = check_stages(msgspec.structs.replace(assignment, stages=assignment.stages[:1]), folder)
    assert (skeleton_report.verdict, summary_of(skeleton_report.results[0])) == (
        Verdict.WRONG_ANSWER,
        "It ended after “Seed: ” (line 1), where it should have read the line “0”.",
    )
    for name in ("Deck", "Hand", *programs):
        shutil.copy(COMPLETED_KITS / "bjm0" / f"{name}.java", folder)
    generator = re.search(r"```java\n(.*?)```", kit["HANDOUT.md"], re.DOTALL)[1]
    (folder / "Rand.java").write_text(f"class Rand {{\n{generator}}}\n")
    make_run = subprocess.run(
        ["make", "-s", "-C", folder, f"classes/{programs[1]}/{programs[1]}.class"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (make_run.returncode, make_run.stdout + make_run.stderr) == (0, "")
    assert sorted(path.name for path in (folder / "classes" / programs[1]).iterdir()) == sorted(
        f"{name}.class" for name in ("Deck", "Hand", "Rand", programs[1])
    )
    # The check ignores the compiled classes, which are now beside the sources.
    verdicts = {stage.stage: stage.verdict for stage in check_stages(assignment, folder)}
    assert verdicts == {stage.name: Verdict.ACCEPTED for stage in assignment.stages}


@pytest.mark.needs("Java")
@pytest.mark.parametrize(
    ("name", "opening"), [("scanner", "public class Scanner"), ("21-or-less", "class Main"), ("_", "class Main")]
)
def test_a_stage_of_any_name_has_a_skeleton_in_java(name, opening, tmp_path):
    hello = load_assignment(HELLO)
    assignment = msgspec.structs.replace(
        hello, stages=(msgspec.structs.replace(hello.stages[0], name=name, submitted_as=()),)
    )
    folder = write_files(tmp_path, kit_of(assignment, "java", TEMPLATES))
    file = f"{name[0].upper()}{name[1:]}"
    assert f"\n{opening} {{\n" in (folder / f"{file}.java").read_text()
    make_run = subprocess.run(["make", "-s", "-C", folder], capture_output=True, text=True, check=False)
    assert (make_run.returncode, make_run.stdout + make_run.stderr) == (0, "")
    java_command = re.search(r"^# +(java -cp .*)$", (folder / "Makefile").read_text(), re.MULTILINE)[1]
    assert (
        subprocess.run(java_command.split(), cwd=folder, check=True, capture_output=True, text=True).stdout
        == "Number? "
    )


def test_the_samples_of_a_handout_are_recorded_cases():
    """A correct program passes every recorded case, so it prints each sample."""
    assignment = load_assignment(ASSIGNMENTS["blackjack"])
    play = assignment.stage("play")
    sample = samples_of(play)[0]
    case = next(case for case in play.spec.cases if case.name == sample.name)
    assert sample.transcript.events == case.session.events
    handout = kit_of(assignment, "c", TEMPLATES)["HANDOUT.md"]
    assert f"### {sample.name}\n" in handout
    assert sample.text in handout
    assert "Seed: «" in sample.text


def test_a_kit_is_written_only_into_a_new_folder(pitboss, tmp_path):
    first_run = pitboss("starter", "blackjack", "--into", "kit")
    assert (first_run.code, first_run.out) == (
        0,
        "kit: .vscode/tasks.json, HANDOUT.html, HANDOUT.md, Makefile, betting.c, deal.c, errors.c, play.c, shuffle.c\n",
    )
    second_run = pitboss("starter", "blackjack", "--into", "kit")
    assert (second_run.code, second_run.err) == (
        2,
        "pitboss: kit: this is not an empty folder; nothing is overwritten — name a new folder\n",
    )
    unknown_language = pitboss("starter", "blackjack", "--language", "cobol", "--into", "other")
    assert (unknown_language.code, unknown_language.err) == (
        2,
        f"pitboss: there is no starter kit in 'cobol' — there are {', '.join(KIT_LANGUAGES)}\n",
    )
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("folder", ["/a/bjm0", "/~/bjm0", f"{ROOT}/specs/other/bjm0"])
def test_kit_commands_name_a_shipped_assignment_by_its_name_and_another_by_its_folder(folder):
    """On a student's machine, the assignments that come with pitboss are in another folder than here."""
    shipped_assignment = load_assignment(ROOT / "specs" / "bjm0")
    assert name_in_a_kit(shipped_assignment) == "bjm0"
    assert name_in_a_kit(msgspec.structs.replace(shipped_assignment, folder=Path(folder))) == folder


@pytest.mark.parametrize(
    ("name", "student", "stage"),
    [
        pytest.param("tournament", "hanna", "aces", marks=pytest.mark.needs(".NET")),
        ("csc101", "kathleen", "betting"),
        pytest.param("ece2036", "vera", "blackjack", marks=pytest.mark.needs("C++")),
    ],
)
def test_the_reference_repeats_unseeded_sessions_of_correct_programs(name, student, stage):
    """The reference gets the cards that a session shows, as it does for the samples of a handout, and prints the same."""
    assignment = load_assignment(ROOT / "specs" / name)
    loaded_stage, conditions = assignment.stage(stage), find_conditions("watched", "landlock")
    job = Job(assignment, (loaded_stage,), conditions, name)
    with tempfile.TemporaryDirectory() as folder:
        source = find_source(ROOT / "examples" / name / student, loaded_stage)
        Path(folder).chmod(0o755)
        program = build(source, Path(folder) / "built", conditions).program
        attempts = run_all_freely(Pool(), job, program, sessions_of(loaded_stage)[:8])
    expected_run = expected_run_here(loaded_stage)
    for attempt in attempts:
        reference_output = run_reference_on(loaded_stage, attempt.transcript.events, expected_run)
        assert difference_between(reference_output.events, attempt.transcript.events, loaded_stage.policy) is None


@pytest.mark.parametrize(
    ("language", "file"),
    [
        ("c++", "hello.cpp"),
        ("C#", "Hello/Program.cs"),
        ("Python 3", "hello.py"),
        (" c", "hello.c"),
        ("Java", "Hello.java"),
        ("", "hello.c"),
    ],
    ids=str,
)
def test_a_kit_accepts_usual_names_of_languages(language, file):
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
def test_a_kit_is_suggested_only_where_skeletons_exist(language, sentence, tmp_path):
    assignment = msgspec.structs.replace(load_assignment(HELLO), language=language)
    assert first_step(assignment, assignment.stages, tmp_path, "hello") == sentence


@pytest.mark.parametrize(
    ("reference", "language"),
    [
        ("reference/Hello.java", "Java"),
        ("reference/main.rs", "Rust"),
        ("reference/Program.cs", "C#"),
        ("reference/hello.sh", ""),  # there are no kits for the shell
        ("{command: [python3, ./hello.txt]}", "Python"),
        ("{command: [java, -cp, ., Hello]}", "Java"),
        ("{command: [./hello]}", ""),
    ],
)
def test_a_kit_is_in_the_language_of_the_reference(reference, language, tmp_path):
    (tmp_path / "reference").mkdir()
    for name in ("Hello.java", "main.rs", "Program.cs", "hello.sh"):
        (tmp_path / "reference" / name).touch()
    text = f"title: Hello\nseeded: no\nstages:\n  - name: hello\n    reference: {reference}\n"
    (tmp_path / "assignment.yaml").write_text(text)
    assert load_assignment(tmp_path, may_lack_cases=True).language == language
    (tmp_path / "assignment.yaml").write_text(f"{text}language: Lua\n")
    assert load_assignment(tmp_path, may_lack_cases=True).language == "Lua"


def test_a_kit_in_a_language_without_skeletons_is_refused(pitboss):
    refused_run = pitboss("starter", HELLO, "--language", "Jython", "--into", "kit")
    assert (refused_run.code, refused_run.err) == (
        2,
        f"pitboss: there is no starter kit in 'Jython' — there are {', '.join(KIT_LANGUAGES)}; did you mean 'python'?\n",
    )
