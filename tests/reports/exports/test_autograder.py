"""The archive for Gradescope, unpacked as it does that, and run: whatever is submitted, there are results."""

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

ADA = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
NO_FAULT = "This submission could not be checked, which is not your fault: the autograder did not come to its end."
#: Gradescope's specification of results.json: what there may be, of what kind, and nothing else.
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
NUMBER, TEXT = {"type": "number"}, {"type": "string"}
TEST = {
    **dict.fromkeys(("score", "max_score"), NUMBER),
    **dict.fromkeys(("name", "number", "output"), TEXT),
    **dict.fromkeys(("name_format", "output_format"), FORMAT),
    "status": {"enum": ["passed", "failed"]},
    "tags": {"type": "array", "items": TEXT},
    "visibility": VISIBILITY,
    "extra_data": {"type": "object"},
}
RESULTS = {
    "type": "object",
    "required": ["score"],
    "additionalProperties": False,
    "properties": {
        **dict.fromkeys(("score", "execution_time"), NUMBER),
        "output": TEXT,
        **dict.fromkeys(("output_format", "test_output_format", "test_name_format"), FORMAT),
        **dict.fromkeys(("visibility", "stdout_visibility"), VISIBILITY),
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": {"type": "object", "additionalProperties": False, "properties": TEST}},
        "leaderboard": {"type": "array"},
    },
}
#: What no program may open, though pitboss can.
FILES = [("source/settings.sh", "r"), ("source/specs/teller/teller", "r"), ("results/results.json", "a")]
#: What apt-get is asked for is written down. Nothing is installed but a Python, of which there is none before.
APT_GET = f"""#!/bin/sh
printf '%s\\n' "$*" >>"$APT_LOG"
case "$*" in
    *python3.13*) exit 100 ;;
    *python3.12*) ln -sf "{sys.executable}" "$(dirname "$0")/python3.12" ;;
esac
"""


def made(folder, *words):
    """Run the command; what it wrote and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "pitboss", "gradescope", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "harness")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).strip()


def unpacked(path, into):
    """As Gradescope unpacks it: with the bits that let a file be executed."""
    with zipfile.ZipFile(path) as file:
        for one in file.infolist():
            target = Path(file.extract(one, into))
            target.chmod((one.external_attr >> 16) & 0o777)


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """/autograder as it is when the image has been made, but with the libraries of these tests."""
    root = tmp_path_factory.mktemp("autograder")
    code, output = made(root, f"{TOY}/", "-o", "autograder.zip")
    assert (code, output.partition(":")[0]) == (0, "autograder.zip")
    unpacked(root / "autograder.zip", root / "source")
    venv.create(root / "venv", with_pip=False, symlinks=True)
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    libraries = root / "venv" / "lib" / python / "site-packages" / "pitboss.pth"
    libraries.write_text(f"{root}/source\n{sysconfig.get_path('purelib')}\n")
    (root / "submission").mkdir()
    return root


@pytest.fixture
def checked(image):
    """Hand in files, run what Gradescope runs, and read what it reads."""

    def run(files, **environment):
        for path in (image / "submission").iterdir():
            path.unlink()
        for name, text in files.items():
            (image / "submission" / name).write_text(text)
        path = environment.pop("PATH", "/usr/local/bin:/usr/bin:/bin")
        done = subprocess.run(
            [image / "source" / "run_autograder"],
            cwd="/",
            env={"PATH": path, "PITBOSS_AUTOGRADER": str(image), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0
        assert sorted(os.listdir(image / "results")) == ["results.json"]
        output = json.loads((image / "results" / "results.json").read_text())
        jsonschema.Draft202012Validator(RESULTS).validate(output)
        return output, done

    return run


RIGHT = (ADA / "teller.c").read_text()


def test_what_is_right_has_the_whole_score(image, checked):
    output, _ = checked({"teller.c": RIGHT})
    assert (output["score"], output["stdout_visibility"]) == (100, "hidden")
    assert {one["status"] for one in output["tests"]} == {"passed"}
    where = subprocess.run(
        [image / "venv" / "bin" / "python", "-P", "-c", "import pitboss; print(pitboss.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.strip() == str(image / "source" / "pitboss" / "__init__.py")


def test_what_is_wrong_is_reported_session_by_session(checked):
    output, done = checked({"teller.c": RIGHT.replace("Sorry", "Sorrow").replace("Balance", "Balances")})
    assert output["score"] < 100
    failed = [one for one in output["tests"] if one["status"] == "failed"]
    assert failed
    assert "expected:\n" in failed[0]["output"]
    assert failed[0]["extra_data"]["replay"].startswith("pitboss check teller --assignment teller --case ")
    assert "wrong answer" in done.stdout


def test_what_does_not_compile_is_reported_with_the_compiler_s_words(checked):
    output, _ = checked({"teller.c": RIGHT.replace(";", "", 3)})
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
def test_where_no_program_was_handed_in_it_is_reported_what_is_missing(checked, files, content):
    output, _ = checked(files)
    assert (output["score"], output["output"]) == (
        0,
        "This could not be checked: submission: no program is here — a submission has files such as teller.c or "
        f"teller.cpp, or a Makefile that makes them; {content}",
    )


def test_an_archive_that_is_damaged_is_the_student_s_to_mend(checked):
    output, _ = checked({"work.zip": "no zip"})
    assert output["output"] == (
        "This could not be checked: submission: work.zip is damaged or cut off: it cannot be unpacked."
    )


def broken(image, file, text):
    """Something in the archive is not as it was made; whoever uses this puts it back."""
    path = image / "source" / file
    before = path.read_text()
    path.write_text(text)
    return lambda: path.write_text(before)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pitboss/checking/check.py", "raise RuntimeError('a fault of ours')\n"),
        ("pitboss/checking/check.py", "import os\nos.kill(os.getpid(), 9)\n"),
        ("pitboss/reports/exports/gradescope_results.py", "def results_json(*_): return '{\"sco'\n"),
        ("settings.sh", "no such command (\n"),
    ],
    ids=["raises", "killed", "half written", "settings"],
)
def test_where_the_harness_fails_it_says_whose_fault_that_is_not(image, checked, file, text):
    put_back = broken(image, file, text)
    try:
        output, done = checked({"teller.c": RIGHT})
    finally:
        put_back()
    assert output["score"] == 0
    assert output["output"].startswith(NO_FAULT)
    assert "run_autograder: pitboss ended with exit code " in done.stderr


def test_an_assignment_that_has_become_unreadable_is_reported_too(image, checked):
    put_back = broken(image, "specs/teller/assignment.yaml", "title: [\n")
    try:
        output, _ = checked({"teller.c": RIGHT})
    finally:
        put_back()
    assert output["score"] == 0
    assert output["output"].startswith("This could not be checked, which is not your fault: ")


def test_nothing_in_a_submission_is_imported_or_taken_for_the_assignment(checked):
    hostile = "open('/proc/self/cwd/imported', 'w')\nraise SystemExit(0)\n"
    files = {f"{name}.py": hostile for name in ("pitboss", "harness", "json", "attr", "sitecustomize", "usercustomize")}
    output, _ = checked({**files, "teller.c": RIGHT})
    assert output["score"] == 100


@pytest.mark.parametrize("without", ["", "bubblewrap"])
def test_no_program_reads_the_archive_or_writes_its_results(image, checked, without):
    files = "".join(f'|| fopen("{image}/{name}", "{how}")' for name, how in FILES)
    output, done = checked(
        {"teller.c": RIGHT.replace("{\n", f'{{\n    if (0 {files}) puts("It is open.");\n', 1)}, PITBOSS_WITHOUT=without
    )
    assert output["score"] == 100, done


def test_the_same_bytes_twice_with_the_bits_of_programs(tmp_path):
    assert made(tmp_path, f"{TOY}/", "-o", "one.zip")[0] == 0
    assert made(tmp_path, f"{TOY}/", "-o", "two.zip")[0] == 0
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as file:
        executable = {one.filename for one in file.infolist() if one.external_attr >> 16 & 0o111}
        names = file.namelist()
    assert {"setup.sh", "run_autograder", "check", "specs/teller/teller"} <= executable
    assert "pitboss/cli/main.py" not in executable
    assert not [name for name in names if "__pycache__" in name or name.startswith("reference/")]


def test_the_order_of_files_changes_nothing():
    both = [Member("a", b"1"), Member("b", b"2", is_executable=True)]
    assert archive(both) == archive(reversed(both))
    assert zipfile.ZipFile(io.BytesIO(archive(both))).testzip() is None


def test_stages_languages_and_files_of_the_course_are_in_it(tmp_path):
    given = ROOT / "specs" / "ece2036" / "given"
    words = ("-l", "C++", "-l", "java", "--apt", "libgmp-dev", "--pip", "numpy==2.1.0", "-j", "2", "--given", given)
    code, output = made(tmp_path, "ece2036", *words)
    assert (code, output.partition(":")[0]) == (0, "autograder.zip"), output
    with zipfile.ZipFile(tmp_path / "autograder.zip") as file:
        settings = file.read("settings.sh").decode()
        libraries = file.read("requirements.txt").decode().splitlines()
        names = file.namelist()
    packages = "bubblewrap default-jdk-headless g++ gcc libc6-dev libgmp-dev make python3 python3-venv util-linux"
    assert settings.splitlines() == [
        "assignment=ece2036",
        "stages=()",
        f"packages=({packages})",
        'options=(--jobs 2 --given "$here"/given/1)',
        "executables=(check run_autograder setup.sh)",
    ]
    assert "numpy==2.1.0" in libraries
    assert all("==" in line for line in libraries)
    assert {f"given/1/{path.name}" for path in given.iterdir()} <= set(names)
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
def test_what_cannot_be_made_is_reported(tmp_path, words, sentence):
    assert made(tmp_path, f"{TOY}/", *words) == (2, f"pitboss: {sentence}")


@pytest.mark.slow
def test_setup_installs_a_python_that_is_new_enough_and_what_is_pinned(tmp_path):
    """setup.sh as a whole; Debian's packages are asked for and not installed, since these tests need them anyway."""
    assert made(tmp_path, "blackjack", "shuffle")[0] == 0
    unpacked(tmp_path / "autograder.zip", tmp_path / "source")
    (tmp_path / "bin").mkdir()
    old = dict.fromkeys(("python3", *(f"python3.{number}" for number in range(11, 15))), "#!/bin/sh\nexit 1\n")
    for name, script in {**old, "apt-get": APT_GET, "sudo": '#!/bin/sh\nexec "$@"\n'}.items():
        (tmp_path / "bin" / name).write_text(script)
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {**os.environ, "PITBOSS_AUTOGRADER": str(tmp_path), "APT_LOG": str(tmp_path / "apt.log")}
    environment["PATH"] = f"{tmp_path / 'bin'}:{environment['PATH']}"
    subprocess.run(["bash", tmp_path / "source" / "setup.sh"], env=environment, check=True, timeout=300)
    install = "install -y -qq --no-install-recommends"
    assert (tmp_path / "apt.log").read_text().splitlines() == [
        "update -qq",
        f"{install} bubblewrap gcc libc6-dev make python3 python3-venv util-linux",
        f"{install} python3.13 python3.13-venv",
        f"{install} python3.12 python3.12-venv",
    ]
    (tmp_path / "submission").mkdir()
    program = (ROOT / "examples" / "blackjack" / "ada" / "shuffle.c").read_text()
    (tmp_path / "submission" / "shuffle.c").write_text(program)
    subprocess.run([tmp_path / "source" / "run_autograder"], env=environment, check=True, timeout=300)
    output = json.loads((tmp_path / "results" / "results.json").read_text())
    assert {one["status"] for one in output["tests"]} == {"passed"}


def test_setup_says_it_where_there_is_no_python_that_is_new_enough(image):
    where = image / "old"
    where.mkdir()
    for name in ("python3", *(f"python3.{number}" for number in range(11, 15)), "apt-get"):
        (where / name).write_text(
            "#!/bin/sh\ncase $0 in *apt-get) case $* in *python3.*) exit 100;; *) exit 0;; esac;; esac\nexit 1\n"
        )
        (where / name).chmod(0o755)
    (where / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
    (where / "sudo").chmod(0o755)
    path = f"{where}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", image / "source" / "setup.sh"],
        env={"PATH": path, "PITBOSS_AUTOGRADER": str(image)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "setup.sh: pitboss needs Python 3.11 or later, and this image has none to install; choose a newer one\n",
    )
