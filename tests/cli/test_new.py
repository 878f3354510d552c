import contextlib
import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from check_jsonschema.parsers.yaml import construct_yaml_implementation, impl2loader

from pitboss.cli.main import exit_code_of
from pitboss.kits.new_assignment import files_named_in
from pitboss.model.languages import BY_SUFFIX
from pitboss.sandbox.tools import search_path
from tests.conftest import ROOT
from tests.importers.classes import write_class_files

#: Loads YAML as check-jsonschema does.
_load_yaml = impl2loader(construct_yaml_implementation())
METER = """\
total = 0
while True:
    coin = input("Coin? ")
    if coin == "q":
        break
    total += int(coin)
print(f"{total} cents")
"""
COUNT_IN_C = """\
#include <stdio.h>
#include "words.h"
int main(void) { int n; printf(HOW_FAR); scanf("%d", &n); for (int i = 1; i <= n; i++) printf("%d\\n", i); return 0; }
"""
GUESS_IN_JAVA = """\
import java.util.Scanner;
public class Guess {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        System.out.print("Guess? ");
        System.out.println(in.nextInt() == 7 ? "Right!" : "Wrong.");
    }
}
"""
SEEDED_PROGRAM = "import random\nrandom.seed(int(input('Seed? ')))\nprint(random.randint(1, 6))\n"
#: The first lines of new files, which tell editors the schema.
ASSIGNMENT_HEAD = "# yaml-language-server: $schema=.schemas/assignment.schema.json\n"
SPEC_HEAD = "# yaml-language-server: $schema=.schemas/spec.schema.json\n"
METER_SPEC = f"""\
{SPEC_HEAD}program: meter
cases:
  - name: a first session
    transcript: |
      Coin? <<10>>
      Coin? <<q>>
      10 cents
"""


def test_a_python_program_becomes_an_assignment(pitboss, tmp_path):
    (tmp_path / "meter.py").write_text(METER)
    result = pitboss("new", "parking", "--program", "meter.py", "--answers", "10,q", "--language", "Python")
    assert result == (
        0,
        "specs/parking: assignment.yaml, meter.yaml, reference/\n"
        "Next:\n"
        "  pitboss play meter --assignment parking            play it\n"
        "  pitboss record meter --assignment parking --play   play a session, and add it as a case\n"
        "  pitboss check meter.py meter --assignment parking  check a program\n",
        "",
    )
    folder = tmp_path / "specs" / "parking"
    assert (folder / "assignment.yaml").read_text() == (
        f"{ASSIGNMENT_HEAD}title: Parking\nlanguage: Python\nseeded: no\n\nstages:\n  - name: meter\n"
        "    reference: reference/meter.py\n"
    )
    assert (folder / "meter.yaml").read_text() == METER_SPEC
    for line in re.findall(r"^  pitboss (check .*?)  ", result.out, re.MULTILINE):
        assert "  meter  accepted  1 of 1\n" in pitboss(*shlex.split(line)).out
    again = pitboss("new", "parking", "--program", "meter.py")
    error = "specs/parking/assignment.yaml exists already; nothing is overwritten — choose another name"
    assert again == (2, "", f"pitboss: {error}\n")


def test_a_c_program_is_copied_with_its_header(pitboss, tmp_path):
    (tmp_path / "count.c").write_text(COUNT_IN_C)
    (tmp_path / "words.h").write_text('#define HOW_FAR "How far? "\n')
    assert pitboss("new", "count", "--program", "count.c", "--answers", "3").code == 0
    assert "reference: reference/count.c\n" in (tmp_path / "specs/count/assignment.yaml").read_text()
    assert sorted(os.listdir(tmp_path / "specs/count/reference")) == ["count.c", "words.h"]
    assert "  count  accepted  1 of 1\n" in pitboss("check", ".", "count", "-a", "count").out


@pytest.mark.slow
@pytest.mark.needs("Java")
def test_a_java_source_and_a_command_become_assignments(pitboss, tmp_path):
    (tmp_path / "Guess.java").write_text(GUESS_IN_JAVA)
    assert pitboss("new", "guess", "--program", "Guess.java", "--answers", "7").code == 0
    assert "  guess  accepted  1 of 1\n" in pitboss("check", "Guess.java", "guess", "-a", "guess").out
    subprocess.run(["javac", "-d", tmp_path, tmp_path / "Guess.java"], check=True, timeout=60)
    result = pitboss("new", "./courses/guess", "--command", "java -cp . Guess", "--answers", "7")
    assert (result.code, result.err) == (0, "")
    assert "{command: [java, -cp, ../.., Guess]}\n" in (tmp_path / "courses/guess/assignment.yaml").read_text()
    assert "  guess  accepted  1 of 1\n" in pitboss("check", "Guess.java", "guess", "-a", "./courses/guess").out


def test_a_seed_is_typed_in_the_first_case(pitboss, tmp_path):
    (tmp_path / "roll.py").write_text(SEEDED_PROGRAM)
    assert pitboss("new", "roll", "--program", "roll.py", "--seed", "7").code == 0
    spec = (tmp_path / "specs/roll/roll.yaml").read_text()
    assert (
        spec == SPEC_HEAD + "program: roll\ncases:\n  - name: seed 7\n    transcript: |\n      Seed? <<7>>\n      3\n"
    )


def test_files_that_the_program_reads_and_writes_are_declared(pitboss, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rates.csv").write_text("A,120\n")
    (tmp_path / "rates.py").write_text("print(open('sum.txt', 'w').write(open('rates.csv').read()))\n")
    options = ("--program", "rates.py", "--file", "data/rates.csv", "--writes", "sum.txt")
    assert pitboss("new", "rates", *options).out.startswith("specs/rates: assignment.yaml, rates.csv, rates.yaml, ref")
    assert (tmp_path / "specs/rates/assignment.yaml").read_text() == (
        f"{ASSIGNMENT_HEAD}title: Rates\nseeded: no\n\nstages:\n  - name: rates\n"
        "    reference: reference/rates.py\n"
        "    files:\n      rates.csv: {file: rates.csv}\n    expected_files: [sum.txt]\n"
    )
    assert "  rates  accepted  1 of 1\n" in pitboss("check", "rates.py", "rates", "-a", "rates").out


def test_an_existing_data_file_is_not_overwritten(pitboss, tmp_path):
    (tmp_path / "rates.csv").write_text("A,120\n")
    (tmp_path / "specs" / "rates").mkdir(parents=True)
    (tmp_path / "specs/rates/rates.csv").write_text("A,60\n")
    (tmp_path / "hi.py").write_text("print('hi')\n")
    result = pitboss("new", "rates", "--program", "hi.py", "--file", "rates.csv")
    assert result == (2, "", "pitboss: specs/rates/rates.csv exists already; nothing is overwritten\n")
    assert pitboss("new", "rates", "--program", "hi.py", "--file", "specs/rates/rates.csv").code == 0
    assert (tmp_path / "specs/rates/rates.csv").read_text() == "A,60\n"


def test_a_program_that_asks_for_input_gets_no_case_without_answers(pitboss, tmp_path):
    (tmp_path / "meter.py").write_text(METER)
    result = pitboss("new", "meter", "--program", "meter.py")
    assert result.code == 0
    assert "The program asks for input, so there is no case yet: record one by playing it.\n" in result.out
    assert not (tmp_path / "specs/meter/meter.yaml").exists()


def test_a_program_that_depends_on_the_clock_is_reported(pitboss, tmp_path):
    (tmp_path / "clock.py").write_text("import time\nprint(time.time())\n")
    result = pitboss("new", "clock", "--program", "clock.py")
    warning = "specs/clock/clock.yaml:4: 'nothing is typed': the reference depends on the clock or on random "
    assert (result.code, result.err.startswith(f"pitboss: {warning}")) == (0, True), result.err


def test_a_program_that_reads_nothing_gets_a_case_without_input(pitboss, tmp_path):
    (tmp_path / "hi").write_text("#!/bin/sh\necho hi\n")
    (tmp_path / "hi").chmod(0o755)
    assert pitboss("new", "hi", "--program", "hi").code == 0
    assert (tmp_path / "specs/hi/hi.yaml").read_text() == (
        f"{SPEC_HEAD}program: hi\ncases:\n  - name: nothing is typed\n    transcript: |\n      hi\n"
    )


#: Options of `pitboss new`, and the error that they cause.
REFUSED_OPTIONS = {
    "": "which program is right? Give --program meter.py, or --command 'java -cp . Guess'",
    "--program nope.py": "nope.py: there is no such file",
    "--program specs": "specs: this is a folder — give the path of the program in it",
    "--program plain": f"plain: this is neither a source ({', '.join(BY_SUFFIX)}) nor executable — make it "
    "executable: chmod +x plain, or say how it is started: --command '… plain'",
    "--program echo.py --answers a": "--answers 'a': the reference asked for more than 2000 lines — give answers "
    "that end it; the last answer is typed again and again",
    "--program fails.py": "fails.py: the reference ended with exit code 1 and printed “ZeroDivisionError: "
    "division by zero (line 1 of fails.py)” — fix the reference, or expect this code: --exit 1",
    "--command 'jawa -cp . Guess'": "specs/mine/assignment.yaml: the reference of 'mine' cannot be started: "
    f"'jawa' is not on the PATH ({search_path()}) — install it, or name a program in this folder, such as ./meter",
    "--program quiet.py --answers a": "--answers 'a': the reference reads none of these lines from its standard input",
    "--program plain --command x": "--program and --command exclude each other: give one of them",
    "--program echo.py --file a.csv": "--file a.csv: there is no such file",
    "--program echo.py --file specs": "--file specs: this is a folder — name the files in it",
    "--program reads.py --answers a": "reads.py: the reference ended with exit code 1 and printed "
    "“FileNotFoundError: [Errno 2] No such file or directory: 'plain' (line 1 of reads.py)” — fix the reference, or "
    "expect this code: --exit 1. The program names plain, which no session has — add --file plain",
    "--program still.py": "the reference prints nothing and reads nothing — a case needs something to compare",
    "--command ''\"'\"'x'": '--command "\'x": it cannot be read: No closing quotation',
    "--program echo.py --seed 1 --no-seed": "--seed and --no-seed exclude each other",
}


@pytest.mark.parametrize("options", REFUSED_OPTIONS)
def test_refused_options_give_one_sentence_and_leave_no_files(tmp_path, monkeypatch, capsys, options):
    programs = {
        "plain": "hi\n",
        "echo.py": "while True:\n    input()\n",
        "quiet.py": "print('hi')\n",
        "still.py": "pass\n",
        "reads.py": "print(open('plain').read())\n",
        "fails.py": "print(1 / 0)\n",
    }
    write_class_files(tmp_path, programs)
    (tmp_path / "specs").mkdir()
    monkeypatch.chdir(tmp_path)
    assert exit_code_of(["new", "mine", *shlex.split(options)]) == 2
    assert capsys.readouterr() == ("", f"pitboss: {REFUSED_OPTIONS[options]}\n")
    assert list((tmp_path / "specs").iterdir()) == []


def test_the_first_error_of_the_compiler_is_reported(pitboss, tmp_path):
    (tmp_path / "bad.c").write_text("int main(void) { return x; }\n")
    result = pitboss("new", "bad", "--program", "bad.c")
    assert result.code == 2
    assert result.err.startswith(
        "pitboss: bad.c: the program cannot be built: cc could not build bad: bad.c:1:25: error: "
    )
    assert not (tmp_path / "specs").exists()


def test_a_failing_program_leaves_only_the_files_that_existed_before(pitboss, tmp_path):
    (tmp_path / "fails.py").write_text("print(open('words.txt').read() and 1 / 0)\n")
    (tmp_path / "words.txt").write_text("one\n")
    notes = tmp_path / "specs" / "mine" / "notes.txt"
    notes.parent.mkdir(parents=True)
    notes.write_text("mine\n")
    result = pitboss("new", "mine", "--program", "fails.py", "--file", "words.txt")
    assert result.code == 2
    assert list(notes.parent.iterdir()) == [notes]
    result = pitboss("new", "other", "--program", "fails.py", "--file", "words.txt")
    assert result.code == 2
    assert list((tmp_path / "specs").iterdir()) == [notes.parent]


def test_files_named_in_a_source_are_found_if_they_exist(tmp_path):
    source = tmp_path / "main.py"
    source.write_text("import shop\nopen('words.txt')\n")
    assert not files_named_in(source)
    (tmp_path / "other.py").touch()
    assert not files_named_in(source)
    (tmp_path / "words.txt").touch()
    assert files_named_in(source)
    (tmp_path / "words.txt").rename(tmp_path / "shop.py")
    assert files_named_in(source)


def test_missing_options_are_asked_for_in_a_terminal(tmp_path):
    (tmp_path / "meter.py").write_text(METER)
    controller, terminal = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "PITBOSS_WITHOUT": "cache"}
    argv = [sys.executable, "-m", "pitboss", "new", "meter"]
    with subprocess.Popen(
        argv, cwd=tmp_path, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    ) as process:
        os.close(terminal)
        os.write(controller, b"meter.py\nA parking meter\nn\n10\nq\n")
        screen = b""
        with contextlib.suppress(OSError):  # raised by read once the process has ended
            while part := os.read(controller, 1024):
                screen += part
        os.close(controller)
    assert process.returncode == 0
    prompts = (
        "Which program is right? A source, a program, or a command line: ",
        "What is the assignment called in reports? [Meter]: ",
        "Is the first line typed a seed? [y/N]: ",
        "Play the first session; it becomes a case. Ctrl-D ends the input.",
        "10 cents",
    )
    positions = [screen.decode().find(prompt) for prompt in prompts]
    assert min(positions) >= 0 and positions == sorted(positions)
    assert (
        (tmp_path / "specs/meter/assignment.yaml")
        .read_text()
        .startswith(f"{ASSIGNMENT_HEAD}title: A parking meter\nseeded: no\n")
    )
    assert (tmp_path / "specs/meter/meter.yaml").read_text() == METER_SPEC


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        ("a\nb", "it must be one line; to write it on several lines, begin with >-"),
        ("a\x1b]0;b\x07", r"it must not have control characters such as '\x1b'"),
    ],
)
def test_a_title_with_line_breaks_or_control_characters_is_refused(tmp_path, monkeypatch, capsys, title, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meter.py").write_text(METER)
    assert exit_code_of(["new", "parking", "--program", "meter.py", "--title", title]) == 2
    assert capsys.readouterr().err == f"pitboss: --title {title!r}: {sentence}\n"
    assert os.listdir(tmp_path) == ["meter.py"]


def test_the_new_files_name_the_schemas_beside_them(pitboss, tmp_path):
    (tmp_path / "hi.py").write_text("print('hi')\n")
    assert pitboss("new", "hi", "--program", "hi.py").code == 0
    folder = tmp_path / "specs/hi"
    for file in ("assignment.yaml", "hi.yaml"):
        schema_line = re.match(r"# yaml-language-server: \$schema=(\S+)\n", (folder / file).read_text())
        schema = json.loads((folder / schema_line[1]).read_text())
        jsonschema.Draft202012Validator(schema).validate(_load_yaml(io.BytesIO((folder / file).read_bytes())))
    assert pitboss("verify", "hi").err == ""
    (folder / "hi.yaml").unlink()
    assert pitboss("record", "hi", "--play", "--case", "again").code == 0
    assert (folder / "hi.yaml").read_text().startswith(SPEC_HEAD)


def test_verify_reports_schemas_of_another_version(pitboss, tmp_path):
    (tmp_path / "hi.py").write_text("print('hi')\n")
    pitboss("new", "hi", "--program", "hi.py")
    schemas = tmp_path / "specs/hi/.schemas"
    (schemas / "spec.schema.json").write_text("{}")
    (schemas / "mutants.schema.json").unlink()
    warning = (
        "pitboss: specs/hi/.schemas: another version of pitboss wrote these schemas, so an editor may mark correct "
        "files as wrong — write them again: pitboss schema specs/hi/.schemas assignment spec words mistake\n"
    )
    assert pitboss("verify", "hi") == (0, "hi: the only recorded case matches the reference\n", warning)
    assert pitboss(*warning.rpartition(": pitboss ")[2].split()) == (0, "", "")
    assert pitboss("verify", "hi").err == ""
    assert not (schemas / "mutants.schema.json").exists()


def test_schemas_are_listed_printed_and_written(pitboss, tmp_path):
    path_by_name = dict(line.split(maxsplit=1) for line in pitboss("schema").out.splitlines())
    spec = Path(path_by_name["spec"])
    assert pitboss("schema", "-", "spec") == (0, spec.read_text(), "")
    assert pitboss("schema", "new/folder", "spec", "words") == (0, "", "")
    assert sorted(path.name for path in (tmp_path / "new/folder").iterdir()) == [
        "spec.schema.json",
        "words.schema.json",
    ]
    error = "with - for DIR a single schema is printed: name it, as in pitboss schema - spec"
    assert pitboss("schema", "-") == (2, "", f"pitboss: {error}\n")
    result = pitboss("schema", "-", "specs")
    assert result.err.startswith(
        "pitboss: there is no schema 'specs' — there are assignment, spec, words, mistake, mutants, check, "
    )
    assert result.err.endswith("; did you mean 'spec'?\n")


COUNT_LINES = """\
import sys
if len(sys.argv) != 3:
    sys.exit("usage: count FROM TO")
try:
    lines = open(sys.argv[1], encoding="latin-1").readlines()
except OSError:
    sys.exit(f"cannot read {sys.argv[1]}")
open(sys.argv[2], "w").write(f"{len(lines)} lines\\n")
print("done")
"""


@pytest.fixture
def new_count(pitboss, tmp_path):
    """A function that runs `pitboss new`, with more options, on a program that takes the names of two files."""
    (tmp_path / "count.py").write_text(COUNT_LINES)
    (tmp_path / "words.txt").write_text("one\ntwo\n")

    def new(*options):
        return pitboss("new", "count", "--program", "count.py", *options)

    return new


def test_input_and_output_files_are_guessed_from_the_arguments(new_count, pitboss, tmp_path):
    result = new_count("--arguments", "words.txt out.txt")
    assert result == (
        0,
        "specs/count: assignment.yaml, count.yaml, reference/, words.txt\n"
        "Guessed: each session finds words.txt, which --arguments names.\n"
        "Guessed: the program writes out.txt, which is compared: the first session wrote the file.\n"
        "Next:\n"
        "  pitboss play count --assignment count -- words.txt out.txt            play it\n"
        "  pitboss record count --assignment count --case NAME --arguments LINE  add a case with other arguments\n"
        "  pitboss check count.py count --assignment count                       check a program\n",
        "",
    )
    assert (tmp_path / "specs/count/assignment.yaml").read_text() == (
        f"{ASSIGNMENT_HEAD}title: Count\nseeded: no\n\nstages:\n  - name: count\n"
        "    reference: reference/count.py\n"
        "    files:\n      words.txt: {file: words.txt}\n    expected_files: [out.txt]\n"
    )
    assert (tmp_path / "specs/count/count.yaml").read_text() == (
        f"{SPEC_HEAD}program: count\ncases:\n  - name: count words.txt out.txt\n    arguments: [words.txt, out.txt]\n"
        "    transcript: |\n      done\n"
    )
    assert "  count  accepted  1 of 1\n" in pitboss("check", "count.py", "count").out
    (tmp_path / "count.py").write_text(COUNT_LINES.replace("} lines", "} rows"))
    assert "In out.txt, " in pitboss("check", "count.py", "count").out


def test_a_program_that_fails_without_arguments_is_reported(new_count, tmp_path):
    result = new_count()
    assert result.code == 2
    assert result.err.endswith(
        "printed “usage: count FROM TO” — fix the reference, or expect this code: --exit 1. If the program needs "
        "arguments, give the arguments of the first case: --arguments 'scores.txt -v'\n"
    )
    assert not (tmp_path / "specs").exists()


@pytest.mark.parametrize("code", ["1", "nonzero"])
def test_standard_error_is_compared_if_the_first_case_fails(new_count, pitboss, tmp_path, code):
    result = new_count("--exit", code)
    message = "Guessed: standard error is compared separately: the program wrote 'usage: count FROM TO' there.\n"
    assert (result.code, message in result.out) == (0, True)
    assert (tmp_path / "specs/count/assignment.yaml").read_text().endswith("    stderr: compared\n")
    spec = f"{SPEC_HEAD}program: count\ncases:\n  - name: nothing is typed\n    exit: {code}\n    answers: []\n"
    assert (tmp_path / "specs/count/count.yaml").read_text() == spec
    assert "  count  accepted  1 of 1\n" in pitboss("check", "count.py", "count").out


def test_output_on_standard_error_is_refused_unless_it_is_compared(new_count, tmp_path):
    (tmp_path / "count.py").write_text('import sys\nprint("hm", file=sys.stderr)\nprint("done")\n')
    result = new_count()
    assert result.code == 2
    assert result.err.endswith(
        "fix the reference, or have its standard error compared: `stderr: compared` in the stage\n"
    )
    assert new_count("--stderr", "compared").code == 0


def test_record_adds_further_cases_with_arguments(new_count, pitboss, tmp_path):
    new_count("--arguments", "words.txt out.txt", "--stderr", "compared")
    (tmp_path / "other.txt").write_text("three\n")
    (tmp_path / "bytes.bin").write_bytes(b"\xff\n")
    record_case = ("record", "count", "--case")
    result = pitboss(*record_case, "other names", "--arguments", "other.txt 'a file'")
    assert result == (
        0,
        "specs/count/count.yaml: added 'other names'\n"
        "Guessed: the session finds other.txt, which --arguments names.\n"
        "Guessed: the program writes a file, which is compared: this session wrote the file.\n",
        "",
    )
    error = "specs/count/count.yaml: the reference ended with exit code 1 and printed “cannot read gone.txt” — fix the "
    assert pitboss(*record_case, "gone", "--arguments", "gone.txt out.txt").err.startswith(f"pitboss: {error}")
    assert pitboss(*record_case, "gone", "--arguments", "gone.txt out.txt", "--exit", "1").code == 0
    assert pitboss(*record_case, "usage", "--arguments", "", "--exit", "nonzero").code == 0
    result = pitboss(*record_case, "bytes", "--arguments", "bytes.bin out.txt")
    assert (tmp_path / "specs/count/bytes.bin").read_bytes() == b"\xff\n"
    assert (tmp_path / "specs/count/count.yaml").read_text().partition("      done\n")[2] == (
        "  - name: other names\n    arguments: [other.txt, a file]\n    files:\n      other.txt: |\n        three\n"
        "    expected_files: [a file]\n    transcript: |\n      done\n"
        "  - name: gone\n    arguments: [gone.txt, out.txt]\n    exit: 1\n    answers: []\n"
        "  - name: usage\n    exit: nonzero\n    answers: []\n"
        "  - name: bytes\n    arguments: [bytes.bin, out.txt]\n    files:\n      bytes.bin: {file: bytes.bin}\n"
        "    transcript: |\n      done\n"
    )
    assert "  count  accepted  5 of 5\n" in pitboss("check", "count.py", "count").out


def test_record_does_not_overwrite_a_file_beside_the_spec(new_count, pitboss, tmp_path):
    new_count("--arguments", "words.txt out.txt", "--stderr", "compared")
    (tmp_path / "bytes.bin").write_bytes(b"\xff\n")
    (tmp_path / "specs/count/bytes.bin").write_bytes(b"\xfe\n")
    result = pitboss("record", "count", "--case", "b", "--arguments", "bytes.bin out.txt")
    error = "specs/count/bytes.bin exists already, with other content; nothing is overwritten"
    assert result == (2, "", f"pitboss: {error}\n")
    assert "name: b" not in (tmp_path / "specs/count/count.yaml").read_text()


def test_play_finds_files_in_the_current_folder_that_arguments_name(new_count, pitboss, tmp_path):
    new_count("--arguments", "words.txt out.txt", "--stderr", "compared")
    (tmp_path / "other.txt").write_text("three\n")
    result = pitboss("play", "count", "--", "other.txt", "out.txt")
    assert (result.code, result.out, result.err) == (0, "done\n", "pitboss: the reference wrote out.txt:\n1 lines\n")


@pytest.mark.parametrize(
    ("line", "error"),
    [("'open", '--arguments "\'open": it cannot be read: No closing quotation'), ("a\\", "it cannot be read: No esc")],
)
def test_arguments_with_broken_quoting_are_reported(new_count, line, error):
    result = new_count("--arguments", line)
    assert (result.code, error in result.err) == (2, True)


def test_options_paths_and_folders_in_arguments_are_not_taken_for_files(new_count, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "-v").write_text("x")
    (tmp_path / "count.py").write_text("import sys\nprint(*sys.argv[1:])\n")
    assert new_count("--arguments", "-v folder ../count.py count.py . ''").code == 0
    assignment_text = (tmp_path / "specs/count/assignment.yaml").read_text()
    assert "files" not in assignment_text  # neither `files` nor `expected_files`
