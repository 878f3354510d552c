import os
import resource
import shlex
import subprocess
import sys

import pytest

from pitboss.assignments.answers import parse_answers
from pitboss.cli import main
from pitboss.cli.common_options import check_writable, write_file
from pitboss.cli.main import exit_code_of
from pitboss.errors import UsageError
from pitboss.machine import scratch
from tests.conftest import ROOT

ASSIGNMENT = "title: A meter\nseeded: no\nstages:\n  - name: meter\n    reference: {command: [./meter]}\n"
READS_THREE_LINES = "#!/bin/sh\nread a && read b && read c\necho $a $b $c\n"
SPEC = "program: meter\ncases:\n  - name: one\n    transcript: |\n      <<x>>\n      <<x>>\n      <<x>>\n      x x x\n"


@pytest.fixture
def meter(tmp_path, monkeypatch):
    """The folder of an assignment whose program reads three lines."""
    folder = tmp_path / "specs" / "meter"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").write_text(ASSIGNMENT)
    (folder / "meter").write_text(READS_THREE_LINES)
    (folder / "meter").chmod(0o755)
    (folder / "meter.yaml").write_text(SPEC)
    (tmp_path / "hello.py").write_text("print('hi')\n")
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_failed_write_changes_nothing_and_links_and_modes_are_kept(tmp_path):
    spec, link = tmp_path / "spec.yaml", tmp_path / "link.yaml"
    spec.write_text("kept\n")
    spec.chmod(0o640)
    link.symlink_to(spec)
    old_limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, old_limits[1]))
    try:
        with pytest.raises(UsageError) as error:
            write_file(str(link), "x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old_limits)
    assert str(error.value) == f"{link}: the file cannot be written: File too large"
    assert spec.read_text() == "kept\n"
    write_file(str(link), "new\n")
    assert (link.is_symlink(), spec.read_text(), spec.stat().st_mode & 0o777) == (True, "new\n", 0o640)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.yaml", "spec.yaml"]


def test_a_new_file_is_there_only_once_it_is_complete(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"

    def stop(*paths):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write_file(str(path), "name,score\n")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.setattr(scratch._run, "replaced_umask", None)  # as an earlier check in this process left it
    before = os.umask(0o027)
    try:
        write_file(str(path), "name,score\n")
    finally:
        os.umask(before)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("name,score\n", 0o640)
    link = tmp_path / "link"
    link.symlink_to("later.csv")
    write_file(str(link), "name,score\n")
    assert (link.is_symlink(), (tmp_path / "later.csv").read_text()) == (True, "name,score\n")


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_file(str(path), "name,score\n")
    assert os.read(reader, 99) == b"name,score\n"
    os.close(reader)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


#: Commands that are refused, and what is said of each.
REFUSED_COMMANDS = {
    "record meter --answers a,b,c --case '\udcff bad'": "the name of a case is '\\udcff bad', with a byte that is "
    "not UTF-8 — it must be one line of text in UTF-8",
    "record meter --answers a,b,c --case new --rule 'a\x1bb'": "a rule is 'a\\x1bb', with the character '\\x1b' — "
    "it must be one line of text in UTF-8",
    "record meter --seed 5 --answers a,b --case new": "--seed: meter is not seeded",
    "record meter --rule x": "--rule is for a new case: give --play, --seed, --answers, --arguments or "
    "--input-file too",
    "record meter --exit 3": "--exit is for a new case: give --play, --seed, --answers, --arguments or "
    "--input-file too",
    "record meter --no-pause": "--no-pause is for a session that is played here: give --play too",
    "verify meter --matrix --mutants": "--matrix and --mutants exclude each other: the matrix shows known mistakes",
    "record meter --answers '\\ud800,' --case new": "--answers: \\ud800 is half of a surrogate pair, not a character",
    "new ''": "'' is not a name for an assignment — use letters, digits, -, _ and dots only",
    "new mine --program hello.py --stage 'ü'": "there is no ASCII letter or digit in 'ü' — name the stage: "
    "--stage NAME",
    "new mine --program hello.py --stage -_-": "there is no ASCII letter or digit in '-_-' — name the stage: "
    "--stage NAME",
    f"new {'x' * 300} --program hello.py": f"'specs/{'x' * 54}'… (322 characters): it cannot be used: File name "
    "too long",
    "new mine --program hello.py --file hello.py": "--file hello.py: the program has this name — it is copied "
    "into reference/ and needs no --file",
    **{
        f"new mine --program hello.py --file data/{name}": f"--file data/{name}: {name} is a name that the assignment "
        "needs itself — rename the file"
        for name in ("assignment.yaml", "reference", "hello.yaml")
    },
    "new mine --program hello.py --file data/a --file more/a": "--file data/a: two files are called a — a "
    "session has them in one folder",
}


def test_checking_whether_a_file_is_writable_changes_nothing(tmp_path):
    (tmp_path / "there").write_text("mine")
    os.mkfifo(tmp_path / "pipe")  # opening a pipe would wait for a reader
    (tmp_path / "folder").mkdir()
    for name in ("new", "there", "pipe"):
        check_writable(str(tmp_path / name))
    for name, error in (("folder", "Is a directory"), ("no/where", "No such")):
        with pytest.raises(UsageError, match=error):
            check_writable(str(tmp_path / name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe", "there"]
    assert (tmp_path / "there").read_text() == "mine"


@pytest.mark.parametrize("command", REFUSED_COMMANDS, ids=lambda command: ascii(command)[:60])
def test_refused_commands_print_one_sentence_and_write_nothing(meter, tmp_path, capsys, command):
    for file in ("data/assignment.yaml", "data/reference", "data/hello.yaml", "data/a", "more/a"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    outcome = exit_code_of(shlex.split(command)), *capsys.readouterr()
    assert outcome == (2, "", f"pitboss: {REFUSED_COMMANDS[command]}\n")
    assert (meter / "meter.yaml").read_text() == SPEC
    assert [path.name for path in (tmp_path / "specs").iterdir()] == ["meter"]


def test_answers_that_the_reference_does_not_read_are_reported(meter, capsys):
    assert exit_code_of(["record", "meter", "--answers", "a,b,c,d,e", "--case", "new"]) == 0
    warning = "the reference read 3 of the 5 lines of --answers — the others are not in the session"
    assert capsys.readouterr() == ("specs/meter/meter.yaml: added 'new'\n", f"pitboss: {warning}\n")


def test_new_reports_that_the_last_answer_was_repeated(meter, capsys):
    assert exit_code_of(["new", "mine", "--program", "specs/meter/meter", "--answers", "a,"]) == 0
    assert capsys.readouterr().err == (
        "pitboss: the last line of --answers, 'a', was typed 3 times, since the reference asked for more — if that is "
        "not intended, add the lines that end the session, or <eof>; for an empty line put two commas at the end\n"
    )


def test_answers_may_contain_bytes_that_are_not_utf_8():
    assert parse_answers("\udcff,").lines == (b"\xff",)


@pytest.fixture
def start(meter, tmp_path):
    """A function that starts pitboss by a line of shell, in the folder of the test."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "PITBOSS_WITHOUT": "cache"}

    def run(line):
        line = line.replace("pitboss", f"{shlex.quote(sys.executable)} -m pitboss", 1)
        result = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True)
        return result.returncode, result.stdout, result.stderr

    return run


def test_play_changes_no_files_in_the_current_folder(start, meter, tmp_path):
    (meter / "meter").write_text("#!/bin/sh\nread a\necho $a >notes.txt\n")
    (tmp_path / "notes.txt").write_text("mine\n")
    assert start("echo 7 | exec pitboss play meter") == (0, "", "")
    assert (tmp_path / "notes.txt").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("pitboss new mine <&-", "which program is right? Give --program meter.py, or --command 'java -cp . Guess'"),
        (
            "pitboss assignments >/dev/full",
            "the standard output or a temporary file cannot be written: No space left on device",
        ),
    ],
)
def test_a_missing_input_or_an_output_that_cannot_be_written_is_reported(start, line, error):
    assert start(line) == (2, "", f"pitboss: {error}\n")


def test_an_os_error_without_a_file_name_is_treated_as_a_bug_in_pitboss():
    assert main._file_problem(OSError(22, "Invalid argument")) == ""
