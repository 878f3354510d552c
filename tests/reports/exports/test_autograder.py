import io
import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import jsonschema
import pytest

from pitboss.reports.exports.autograder import PACKAGES, Member, archive
from tests.conftest import ROOT, TOY

ACCEPTED_FOLDER = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
NOT_YOUR_FAULT = "This submission could not be checked, which is not your fault: the autograder did not finish."
#: Gradescope's specification of results.json as a JSON schema: the allowed keys with their types, and no other keys.
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
NUMBER, TEXT = {"type": "number"}, {"type": "string"}
TEST_SCHEMA = {
    **dict.fromkeys(("score", "max_score"), NUMBER),
    **dict.fromkeys(("name", "number", "output"), TEXT),
    **dict.fromkeys(("name_format", "output_format"), FORMAT),
    "status": {"enum": ["passed", "failed"]},
    "tags": {"type": "array", "items": TEXT},
    "visibility": VISIBILITY,
    "extra_data": {"type": "object"},
}
RESULTS_SCHEMA = {
    "type": "object",
    "required": ["score"],
    "additionalProperties": False,
    "properties": {
        **dict.fromkeys(("score", "execution_time"), NUMBER),
        "output": TEXT,
        **dict.fromkeys(("output_format", "test_output_format", "test_name_format"), FORMAT),
        **dict.fromkeys(("visibility", "stdout_visibility"), VISIBILITY),
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {"type": "object", "additionalProperties": False, "properties": TEST_SCHEMA},
        },
        "leaderboard": {"type": "array"},
    },
}
#: Files that a checked program must not be able to open although pitboss can, each with the mode for fopen.
PROTECTED_FILES = [("source/settings.sh", "r"), ("source/specs/teller/teller", "r"), ("results/results.json", "a")]
#: By the name of each Python, a script in its place, which setup.sh takes for a Python that is too old.
OLD_PYTHONS = dict.fromkeys(("python3", *(f"python3.{number}" for number in range(11, 15))), "#!/bin/sh\nexit 1\n")
#: Logs its arguments, and installs nothing but python3.12 (a link to this Python); python3.13 is not available.
FAKE_APT_GET = f"""#!/bin/sh
printf '%s\\n' "$*" >>"$APT_LOG"
case "$*" in
    *python3.13*) exit 100 ;;
    *python3.12*) ln -sf "{sys.executable}" "$(dirname "$0")/python3.12" ;;
esac
"""


def run_gradescope_command(folder, *arguments):
    """Run `pitboss gradescope` in a folder; returns its exit code and its output."""
    process = subprocess.run(
        [sys.executable, "-m", "pitboss", "gradescope", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "harness")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return process.returncode, (process.stdout + process.stderr).strip()


def unpack_archive(path, target_folder):
    """Unpack an archive as Gradescope does, with executable bits."""
    with zipfile.ZipFile(path) as file:
        for entry in file.infolist():
            target = Path(file.extract(entry, target_folder))
            target.chmod((entry.external_attr >> 16) & 0o777)


@pytest.fixture(scope="module")
def autograder_folder(tmp_path_factory):
    """The folder /autograder of a finished Gradescope image, except that its libraries are those of these tests."""
    root = tmp_path_factory.mktemp("autograder")
    code, output = run_gradescope_command(root, f"{TOY}/", "-o", "autograder.zip")
    assert (code, output.partition(":")[0]) == (0, "autograder.zip")
    unpack_archive(root / "autograder.zip", root / "source")
    venv.create(root / "venv", with_pip=False, symlinks=True)
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    libraries = root / "venv" / "lib" / python / "site-packages" / "pitboss.pth"
    libraries.write_text(f"{root}/source\n{sysconfig.get_path('purelib')}\n")
    (root / "submission").mkdir()
    return root


@pytest.fixture
def grade_files(autograder_folder):
    """A function that submits files and runs run_autograder; it returns the results.json and the ended process."""

    def run(files, **environment):
        for path in (autograder_folder / "submission").iterdir():
            path.unlink()
        for name, text in files.items():
            (autograder_folder / "submission" / name).write_text(text)
        path = environment.pop("PATH", "/usr/local/bin:/usr/bin:/bin")
        process = subprocess.run(
            [autograder_folder / "source" / "run_autograder"],
            cwd="/",
            env={"PATH": path, "PITBOSS_AUTOGRADER": str(autograder_folder), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert process.returncode == 0
        assert sorted(os.listdir(autograder_folder / "results")) == ["results.json"]
        output = json.loads((autograder_folder / "results" / "results.json").read_text())
        jsonschema.Draft202012Validator(RESULTS_SCHEMA).validate(output)
        return output, process

    return run


CORRECT_PROGRAM = (ACCEPTED_FOLDER / "teller.c").read_text()


def test_a_correct_program_gets_the_full_score(autograder_folder, grade_files):
    output, _ = grade_files({"teller.c": CORRECT_PROGRAM})
    assert (output["score"], output["stdout_visibility"]) == (100, "hidden")
    assert {test["status"] for test in output["tests"]} == {"passed"}
    import_process = subprocess.run(
        [autograder_folder / "venv" / "bin" / "python", "-P", "-c", "import pitboss; print(pitboss.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert import_process.stdout.strip() == str(autograder_folder / "source" / "pitboss" / "__init__.py")


def test_each_failed_session_of_a_wrong_program_is_reported(grade_files):
    output, process = grade_files(
        {"teller.c": CORRECT_PROGRAM.replace("Sorry", "Sorrow").replace("Balance", "Balances")}
    )
    assert output["score"] < 100
    failed = [test for test in output["tests"] if test["status"] == "failed"]
    assert failed
    assert "expected:\n" in failed[0]["output"]
    assert failed[0]["extra_data"]["replay"].startswith("pitboss check teller --assignment teller --case ")
    assert "wrong answer" in process.stdout


def test_a_compile_error_is_reported_with_compiler_messages(grade_files):
    output, _ = grade_files({"teller.c": CORRECT_PROGRAM.replace(";", "", 3)})
    assert output["score"] == 0
    assert "teller.c:" in output["tests"][0]["output"]


@pytest.mark.parametrize(
    ("files", "content"),
    [
        ({}, "it is empty"),
        (
            {"report.pdf": "%PDF-1.4\n"},
            "there is report.pdf. report.pdf is a document, not a program: save its text as teller.c",
        ),
    ],
    ids=str,
)
def test_a_submission_without_a_program_reports_what_is_missing(grade_files, files, content):
    output, _ = grade_files(files)
    assert (output["score"], output["output"]) == (
        0,
        "This could not be checked: submission: no program is here — a submission has files such as teller.c or "
        f"teller.cpp, or a Makefile that makes them; {content}",
    )


def test_a_damaged_zip_is_reported_as_the_student_s_error(grade_files):
    output, _ = grade_files({"work.zip": "no zip"})
    assert output["output"] == (
        "This could not be checked: submission: work.zip is damaged or cut off: it cannot be unpacked."
    )


def replace_file(autograder_folder, file, text):
    """Overwrite a file of the unpacked archive; returns a function that restores the file."""
    path = autograder_folder / "source" / file
    original = path.read_text()
    path.write_text(text)
    return lambda: path.write_text(original)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pitboss/checking/check.py", "raise RuntimeError('a fault of ours')\n"),
        ("pitboss/checking/check.py", "import os\nos.kill(os.getpid(), 9)\n"),
        ("pitboss/reports/exports/autograder.py", "def results_json(*_): return '{\"sco'\n"),
        ("settings.sh", "no such command (\n"),
    ],
    ids=["raises", "killed", "half written", "settings"],
)
def test_a_crash_of_pitboss_is_not_blamed_on_the_student(autograder_folder, grade_files, file, text):
    restore_file = replace_file(autograder_folder, file, text)
    try:
        output, process = grade_files({"teller.c": CORRECT_PROGRAM})
    finally:
        restore_file()
    assert output["score"] == 0
    assert output["output"].startswith(NOT_YOUR_FAULT)
    assert "run_autograder: pitboss ended with exit code " in process.stderr


def test_an_unreadable_assignment_is_not_blamed_on_the_student(autograder_folder, grade_files):
    restore_file = replace_file(autograder_folder, "specs/teller/assignment.yaml", "title: [\n")
    try:
        output, _ = grade_files({"teller.c": CORRECT_PROGRAM})
    finally:
        restore_file()
    assert output["score"] == 0
    assert output["output"].startswith("This could not be checked, which is not your fault: ")


def test_python_files_in_a_submission_are_not_imported(grade_files):
    hostile = "open('/proc/self/cwd/imported', 'w')\nraise SystemExit(0)\n"
    files = {f"{name}.py": hostile for name in ("pitboss", "harness", "json", "attr", "sitecustomize", "usercustomize")}
    output, _ = grade_files({**files, "teller.c": CORRECT_PROGRAM})
    assert output["score"] == 100


@pytest.mark.parametrize("without", ["", "bubblewrap"])
def test_a_program_cannot_read_the_archive_or_write_the_results(autograder_folder, grade_files, without):
    """The program prints another line if it can open a protected file; `without` names a sandbox not to use."""
    files = "".join(f'|| fopen("{autograder_folder}/{name}", "{mode}")' for name, mode in PROTECTED_FILES)
    output, process = grade_files(
        {"teller.c": CORRECT_PROGRAM.replace("{\n", f'{{\n    if (0 {files}) puts("It is open.");\n', 1)},
        PITBOSS_WITHOUT=without,
    )
    assert output["score"] == 100, process


def test_the_archive_is_reproducible_and_keeps_executable_bits(tmp_path):
    assert run_gradescope_command(tmp_path, f"{TOY}/", "-o", "one.zip")[0] == 0
    assert run_gradescope_command(tmp_path, f"{TOY}/", "-o", "two.zip")[0] == 0
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as file:
        executable = {entry.filename for entry in file.infolist() if entry.external_attr >> 16 & 0o111}
        names = file.namelist()
    assert {"setup.sh", "run_autograder", "check", "specs/teller/teller"} <= executable
    assert "pitboss/cli/main.py" not in executable
    assert not [name for name in names if "__pycache__" in name or name.startswith("reference/")]


def test_the_order_of_members_does_not_change_the_archive():
    members = [Member("a", b"1"), Member("b", b"2", is_executable=True)]
    assert archive(members) == archive(reversed(members))
    assert zipfile.ZipFile(io.BytesIO(archive(members))).testzip() is None


def test_the_archive_has_the_settings_libraries_and_course_files(tmp_path):
    course_files = ROOT / "specs" / "ece2036" / "given"
    options = (
        "-l",
        "C++",
        "-l",
        "java",
        "--apt",
        "libgmp-dev",
        "--pip",
        "numpy==2.1.0",
        "-j",
        "2",
        "--given",
        course_files,
    )
    code, output = run_gradescope_command(tmp_path, "ece2036", *options)
    assert (code, output.partition(":")[0]) == (0, "autograder.zip"), output
    with zipfile.ZipFile(tmp_path / "autograder.zip") as file:
        settings = file.read("settings.sh").decode()
        libraries = file.read("requirements.txt").decode().splitlines()
        names = file.namelist()
    packages = "bubblewrap default-jdk-headless g++ gcc libc6-dev libgmp-dev make patch python3 python3-venv util-linux"
    assert settings.splitlines() == [
        "assignment=ece2036",
        "stages=()",
        f"packages=({packages})",
        'options=(--jobs 2 --given "$here"/given/1)',
        "executables=(check run_autograder setup.sh)",
    ]
    assert "numpy==2.1.0" in libraries
    assert all("==" in line for line in libraries)
    assert {f"given/1/{path.name}" for path in course_files.iterdir()} <= set(names)
    assert "reference/ece2036/game.py" in names
    assert [name for name in names if name.startswith("specs/") and "/ece2036/" not in name] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("-l", "jaba"),
            f"--language: 'jaba' is not a supported language — there are {', '.join(PACKAGES)}; did you mean 'java'?",
        ),
        (("--apt", "a; rm -rf /"), "--apt: 'a; rm -rf /' is not the name of a Debian package"),
        (("--pip", "numpy"), "--pip: 'numpy' is not the name of a library with its version, as in numpy==2.1.0"),
        (("tellr",), "teller has no stage 'tellr' — its stages are teller; did you mean 'teller'?"),
        (("-o", "no/such.zip"), "no/such.zip: the file cannot be written: No such file or directory"),
    ],
)
def test_an_invalid_option_is_reported(tmp_path, words, sentence):
    assert run_gradescope_command(tmp_path, f"{TOY}/", *words) == (2, f"pitboss: {sentence}")


@pytest.mark.slow
def test_setup_installs_a_recent_python_and_pinned_libraries(tmp_path):
    """Runs all of setup.sh with a fake apt-get: the Debian packages are on this machine, as the tests need them too."""
    assert run_gradescope_command(tmp_path, "blackjack", "shuffle")[0] == 0
    unpack_archive(tmp_path / "autograder.zip", tmp_path / "source")
    (tmp_path / "bin").mkdir()
    for name, script in {**OLD_PYTHONS, "apt-get": FAKE_APT_GET, "sudo": '#!/bin/sh\nexec "$@"\n'}.items():
        (tmp_path / "bin" / name).write_text(script)
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {**os.environ, "PITBOSS_AUTOGRADER": str(tmp_path), "APT_LOG": str(tmp_path / "apt.log")}
    environment["PATH"] = f"{tmp_path / 'bin'}:{environment['PATH']}"
    subprocess.run(["bash", tmp_path / "source" / "setup.sh"], env=environment, check=True, timeout=300)
    install = "install -y -qq --no-install-recommends"
    assert (tmp_path / "apt.log").read_text().splitlines() == [
        "update -qq",
        f"{install} bubblewrap gcc libc6-dev make patch python3 python3-venv util-linux",
        f"{install} python3.13 python3.13-venv",
        f"{install} python3.12 python3.12-venv",
    ]
    (tmp_path / "submission").mkdir()
    program = (ROOT / "examples" / "blackjack" / "ada" / "shuffle.c").read_text()
    (tmp_path / "submission" / "shuffle.c").write_text(program)
    subprocess.run([tmp_path / "source" / "run_autograder"], env=environment, check=True, timeout=300)
    output = json.loads((tmp_path / "results" / "results.json").read_text())
    assert {test["status"] for test in output["tests"]} == {"passed"}


def test_setup_reports_that_no_recent_python_is_available(autograder_folder):
    fake_bin = autograder_folder / "old"
    fake_bin.mkdir()
    apt_get = "#!/bin/sh\ncase $* in *python3.*) exit 100 ;; esac\n"  # installs anything but another Python
    for name, script in {**OLD_PYTHONS, "apt-get": apt_get, "sudo": '#!/bin/sh\nexec "$@"\n'}.items():
        (fake_bin / name).write_text(script)
        (fake_bin / name).chmod(0o755)
    path = f"{fake_bin}:{os.environ['PATH']}"
    process = subprocess.run(
        ["bash", autograder_folder / "source" / "setup.sh"],
        env={"PATH": path, "PITBOSS_AUTOGRADER": str(autograder_folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stdout, process.stderr) == (
        1,
        "",
        "setup.sh: pitboss needs Python 3.11 or later, and this image has none to install; choose a newer one\n",
    )
