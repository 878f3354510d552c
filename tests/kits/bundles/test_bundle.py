import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.cli.main import exit_code_of
from pitboss.kits.bundle_files import is_leftover, shipped_files
from pitboss.kits.starters import KIT_LANGUAGES
from tests.conftest import ROOT

NO_TASK_WARNING = (
    "pitboss: the handout does not describe the task: write it into a file beside {}/assignment.yaml, and "
    "name the file there: `handout: handout.md`\n"
)
#: The bundle must not contain the word SECRET, which marks what students may not see.
ASSIGNMENT = """\
# SECRET comment of the assignment
title: "Drawers: a till #1"
language: C
handout: task.md
mistakes: slips:catalogue
words: slips.yaml
stages:
  - name: till
    title: count coins
    reference: {command: [python3, ./right.py]}
    files: {words.txt: {file: secretly/coins.txt}}
    expected_files: [sum.txt]
    stderr: compared
  - name: later
    needs: [till]
    reference: {command: [python3, ./right.py]}
    stderr: ignored

players:
  SECRET player: [{prompt: "Coin? ", answers: ["31337"]}]
  counts: [{prompt: "Coin? ", answers: ["5", "5", q]}]
grading:
  points: {till: 60, later: 40}
  dropped: {till: [SECRET hidden case]}
"""
TILL = """\
program: till
cases:
  # SECRET comment of a case
  - name: counts
    seeds: [1, 2, 3, 9]
    player: counts
    covers: [SECRET rule]
  - {name: "no: 1e3 #", seeds: "-4", answers: [x], arguments: [-v, "é ü"], exit: 3}
  - name: other words
    seeds: 5
    answers: [q]
    files: {words.txt: "caf\\xe9\\t!\\n"}
  - {name: SECRET hidden case, seeds: 424242, player: SECRET player, visibility: hidden}
  - {name: SECRET late case, seeds: 434343, answers: ["99177"], visibility: after due}
"""
LATER = """\
program: later
cases:
  - {name: SECRET only, seeds: 77, answers: [q], visibility: hidden}
"""
REFERENCE_SOURCE = r"""
import sys
import os
def secret_amount(seed_given):
    return (seed_given * 1103 + 77) % 100
out = sys.stdout
out.write("Seed? ")
out.flush()
starts = secret_amount(int(sys.stdin.readline()))
total_of_all = starts
out.write(f"You have {starts}. \t\n\n")
if os.path.exists("words.txt"):
    out.flush()
    out.buffer.write(open("words.txt", "rb").read() + b"\xff\x07\n")
if len(sys.argv) > 1:
    sys.stderr.write("\u00e9: no option, " + " ".join(sys.argv[1:]) + "\n")
    sys.exit(3)
while True:
    out.write("Coin? ")
    out.flush()
    answer_given = sys.stdin.readline().strip()
    if not answer_given.isdigit():
        break
    total_of_all += int(answer_given)
if total_of_all > 0 and os.path.exists("words.txt"):
    open("sum.txt", "w").write(str(total_of_all))
out.write(f"total: {total_of_all} | no newline")
"""
CORRECT_PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    char line[100];
    int c;
    printf("Seed? ");
    fgets(line, sizeof line, stdin);
    int sum = ((atoi(line) * 1103 + 77) % 100 + 100) % 100;
    printf("You have %d. \t\n\n", sum);
    FILE *words = fopen("words.txt", "rb");
    while (words && (c = fgetc(words)) != EOF) putchar(c);
    if (words) fwrite("\xff\x07\n", 1, 3, stdout);
    if (argc > 1) {
        fprintf(stderr, "\u00e9: no option,");
        for (int i = 1; i < argc; i++) fprintf(stderr, " %s", argv[i]);
        fprintf(stderr, "\n");
        return 3;
    }
    for (;;) {
        printf("Coin? ");
        if (!fgets(line, sizeof line, stdin) || line[0] == 'q') break;
        sum += atoi(line);
    }
    FILE *file = sum > 0 && words ? fopen("sum.txt", "w") : NULL;
    if (file) fprintf(file, "%d", sum);
    printf("total: %d | no newline", sum);
    return 0;
}
"""
MISTAKES_SOURCE = "SECRET_NOTE = 1\ndef catalogue():\n    return ()\n"
FILES = {
    "assignment.yaml": ASSIGNMENT,
    "till.yaml": TILL,
    "later.yaml": LATER,
    "right.py": REFERENCE_SOURCE,
    "slips.py": MISTAKES_SOURCE,
    "slips.yaml": "source: SECRET source\nmistakes: {}\n",
    "task.md": "Count the coins.\n",
    "secretly/coins.txt": "five #: no\n",
    "__pycache__/right.cpython-311.pyc": "SECRET cache",
    ".git/config": "SECRET history",
}


def write_files(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def file_contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run_in_folder(folder, *pitboss_arguments, command=()):
    """Run pitboss with these arguments, or another command, as a student does who has nothing but this folder."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    bin_folder = os.path.dirname(sys.executable)
    environment = {
        "PATH": f"{bin_folder}:/usr/bin:/bin",
        "HOME": str(home),
        "COLUMNS": "80",
        "PYTHONPATH": str(ROOT / "harness"),
    }
    environment["PITBOSS_WITHOUT"] = "cache"
    argv = command or (sys.executable, "-m", "pitboss", *pitboss_arguments)
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def folder_and_bundle(tmp_path_factory):
    """The folder of the assignment, and its bundle, which was exported beside it and then moved to a student."""
    instructor_folder = tmp_path_factory.mktemp("instructor")
    write_files(instructor_folder / "drawers", FILES)
    before = os.getcwd()
    os.chdir(instructor_folder)
    try:
        assert exit_code_of(["export", "./drawers", "--into", "bundle"]) == 0
    finally:
        os.chdir(before)
    bundle = tmp_path_factory.mktemp("student") / "my folder"
    shutil.move(instructor_folder / "bundle", bundle)
    return instructor_folder / "drawers", bundle


def test_the_bundle_reveals_no_answers(folder_and_bundle):
    _, bundle = folder_and_bundle
    everything = {**file_contents(bundle), "names": "\n".join(file_contents(bundle)).encode()}
    for name, text in everything.items():
        for word in (
            b"SECRET",
            b"424242",
            b"434343",
            b"31337",
            b"99177",
            b"secretly",
            b"right.py",
            b"slips",
            b"instructor",
        ):
            assert word not in text, (word, name)
        assert str(folder_and_bundle[0].parent).encode() not in text
    assert sorted(file_contents(bundle)) == [
        *(".vscode/tasks.json", "HANDOUT.html", "HANDOUT.md", "Makefile", "README.md", "later.c"),
        *("specs/drawers/assignment.yaml", "specs/drawers/till.yaml", "till.c", "words.txt"),
    ]


def test_the_bundle_has_reference_text_only_where_sessions_show_it(folder_and_bundle):
    """No 12 consecutive characters of the reference's source are there, except for output that sessions show anyway."""
    _, bundle = folder_and_bundle
    cases = load_assignment(bundle / "specs" / "drawers").stages[0].spec.cases
    output = [event.text for case in cases for event in case.session.events if hasattr(event, "text")]
    output += [case.invocation.errors for case in cases]
    output += [path.read_bytes() for path in (ROOT / "student_templates" / "c").iterdir()]
    sessions = b"\0".join(output).decode("utf-8", "replace")
    everything = b"\0".join(file_contents(bundle).values()).decode("utf-8", "replace")
    windows = {REFERENCE_SOURCE[start : start + 12] for start in range(len(REFERENCE_SOURCE) - 11)}
    assert {text for text in windows if text in everything and text not in sessions and text.strip()} == set()
    assert len(windows) > 700


def test_a_correct_program_is_accepted_without_the_assignment(folder_and_bundle, tmp_path):
    _, bundle = folder_and_bundle
    student_folder = shutil.copytree(bundle, tmp_path / "here")
    (student_folder / "till.c").write_text(CORRECT_PROGRAM)
    completed = run_in_folder(student_folder, "check", "till")
    assert re.match(r"Drawers: a till #1: here\b.*\n\n  till  accepted  6 of 6\n", completed.stdout), completed
    assert completed.returncode == 0
    assert completed.stderr == ""


def test_a_wrong_program_gets_a_diff_and_no_command_needing_the_reference(folder_and_bundle, tmp_path):
    _, bundle = folder_and_bundle
    student_folder = shutil.copytree(bundle, tmp_path / "here")
    (student_folder / "till.c").write_text(CORRECT_PROGRAM.replace("+ 77", "+ 78"))
    completed = run_in_folder(student_folder, command=("make", "check-till"))
    assert completed.returncode == 2
    assert "  till  wrong answer  0 of 6\n" in completed.stdout
    assert "  Line 2, “You have 66. \\t”, has “66.” where “65.” is expected.\n" in completed.stdout
    assert "pitboss check till --assignment specs/drawers --case 'no: 1e3 #, seed -4'" in completed.stdout
    assert "hunt" not in completed.stdout


REFUSED_COMMANDS = [
    (
        ("check", "till", "--seed", "99"),
        "--seed 99: drawers is a bundle for students, without the reference, and has no session of till with this seed — "
        "it has seeds -4, 1..3, 5 and 9",
    ),
    (
        ("check", "later", "--seed", "77"),
        "--seed 77: drawers is a bundle for students, without the reference, and has no session of later with this seed "
        "— it has no session of this stage",
    ),
    (
        ("check", "till", "--seed", "1", "--answers", "q"),
        "drawers is a bundle for students, without the reference: the correct output for other lines or another player "
        "is unknown — omit --answers and --player",
    ),
    *(
        (
            (command, *command_line),
            f"drawers is a bundle for students, without the reference, which `pitboss {command}` needs; `pitboss check` "
            "compares with the sessions that it contains",
        )
        for command, *command_line in (
            ("play", "till"),
            ("hunt", "till"),
            ("verify", "till"),
            ("record", "till"),
            ("export", "specs/drawers", "--into", "x"),
        )
    ),
    (
        ("starter", "specs/drawers", "--into", "x"),
        "specs/drawers: this is a bundle for students, without the reference of till",
    ),
]


@pytest.mark.parametrize(
    ("command_line", "sentence"), REFUSED_COMMANDS, ids=lambda value: value[0] if isinstance(value, tuple) else ""
)
def test_commands_that_need_the_reference_are_refused(folder_and_bundle, monkeypatch, capsys, command_line, sentence):
    monkeypatch.chdir(folder_and_bundle[1])
    assert exit_code_of(list(command_line)) == 2
    assert capsys.readouterr().err == f"pitboss: {sentence}\n"


def test_a_single_seed_of_the_bundle_can_be_checked(folder_and_bundle, tmp_path, monkeypatch, capsys):
    student_folder = shutil.copytree(folder_and_bundle[1], tmp_path / "here")
    (student_folder / "till.c").write_text(CORRECT_PROGRAM)
    monkeypatch.chdir(student_folder)
    assert exit_code_of(["check", "till", "--seed", "9"]) == 0
    assert "  till  accepted  1 of 1\n" in capsys.readouterr().out


def test_readme_handout_and_makefile_fit_the_bundle(folder_and_bundle):
    _, bundle = folder_and_bundle
    readme = (bundle / "README.md").read_text()
    assert (
        "- till: 6 sessions, with seeds -4, 1..3, 5 and 9.\n- later: it is built. This folder has no session of this stage."
        in readme
    )
    for handout in ((bundle / name).read_text() for name in ("HANDOUT.md", "HANDOUT.html")):
        assert "Count the coins." in handout
        assert re.findall("pitboss (?:play|hunt)|--answers|--seed", handout) == []
    makefile = (bundle / "Makefile").read_text()
    assert "\ncheck:\n\tpitboss check --assignment specs/drawers\n" in makefile
    assert "\ncheck-till:\n\tpitboss check till --assignment specs/drawers\n" in makefile


def test_bundled_cases_have_the_output_of_the_reference(folder_and_bundle):
    folder, bundle = folder_and_bundle
    (till, later) = load_assignment(bundle / "specs" / "drawers").stages
    assert [case.name for case in till.spec.cases] == [
        *("counts, seed 1", "counts, seed 2", "counts, seed 3", "counts, seed 9"),
        "no: 1e3 #, seed -4",
        "other words, seed 5",
    ]
    assert [invocation.arguments for invocation in (till.spec.cases[4].invocation, till.spec.cases[0].invocation)] == [
        ("-v", "é ü"),
        (),
    ]
    assert till.spec.cases[4].exit_code == 3
    assert till.spec.cases[4].invocation.errors == "é: no option, -v é ü\n".encode()
    assert [file.is_absent for file in till.spec.cases[4].invocation.outputs] == [True]
    assert till.spec.cases[5].invocation.files[0].content == "caf\xe9\t!\n".encode()
    assert later.spec.cases == ()


def test_export_reports_files_that_students_may_replace(tmp_path, capsys):
    assert exit_code_of(["export", str(ROOT / "tests" / "toy" / "quiz"), "--into", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err == (
        "pitboss: 3 sessions of the reference are in the bundle, but not the reference itself\n"
        "pitboss: questions.txt: students may hand in their own versions, but the bundle checks with the course's versions\n"
        + NO_TASK_WARNING.format(ROOT / "tests" / "toy" / "quiz")
    )


def test_a_stage_with_draws_read_from_output_is_built_and_not_run(tmp_path, monkeypatch, capsys):
    assert exit_code_of(["export", str(ROOT / "tests" / "toy" / "dice"), "--into", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err == (
        "pitboss: the bundle has neither the reference nor a session of the reference\n"
        "pitboss: pig: its programs draw at random, and only the reference, which is not in this bundle, decides whether "
        "their output is right, so the bundle only builds these programs; set `ship_reference: yes` in assignment.yaml to "
        "have the bundle check them\n" + NO_TASK_WARNING.format(ROOT / "tests" / "toy" / "dice")
    )
    monkeypatch.chdir(tmp_path / "out")
    assert exit_code_of(["check", "pig"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "pig skipped its programs draw at random, and only the reference, which is not in this bundle, decides whether their output is right."
        in out
    )
    assert (
        "pig: it is built, and the compiler's messages are shown. It is not run"
        in (tmp_path / "out/README.md").read_text()
    )


def test_a_stage_with_a_checker_is_built_and_not_run(tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "tests" / "toy" / "hello", tmp_path / "hello")
    (tmp_path / "hello" / "assignment.yaml").open("a").write("checker: checks:check\n")
    (tmp_path / "hello" / "checks.py").write_text("def check(session):\n    return True\n")
    assert exit_code_of(["export", str(tmp_path / "hello"), "--into", str(tmp_path / "out")]) == 0
    assert (
        "the course's own checker, which is not in this bundle, decides which sessions of its programs are right, so the "
        "bundle only builds these programs; set `ship_reference: yes` in assignment.yaml to have the bundle check them\n"
    ) in capsys.readouterr().err
    readme = (tmp_path / "out" / "README.md").read_text()
    assert (
        "It is not run: the course's own checker, which is not in this bundle, decides which sessions of its" in readme
    )
    monkeypatch.chdir(tmp_path / "out")
    exit_code_of(["check", "hello"])
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "the course's own checker, which is not in this bundle, decides which sessions of its programs are right."
        in out
    )


def toy_with_shipped_reference(folder, toy):
    """A copy of a toy assignment, below this folder, whose bundle contains the reference; returns its path."""
    shutil.copytree(ROOT / "tests" / "toy" / toy, folder / toy)
    path = folder / toy / "assignment.yaml"
    path.write_text(f"{path.read_text()}ship_reference: yes\n")
    return str(folder / toy)


@pytest.mark.slow
def test_a_shipped_reference_can_check_any_draw(tmp_path, capsys):
    assert (
        exit_code_of(
            ["export", toy_with_shipped_reference(tmp_path, "dice"), "--into", str(tmp_path / "out"), "-l", "python"]
        )
        == 0
    )
    assert capsys.readouterr().err == (
        "pitboss: the reference is in the bundle, as assignment.yaml says, so that any session can be checked\n"
        "pitboss: copied for the reference: pig, reading.py\n" + NO_TASK_WARNING.format(tmp_path / "dice")
    )
    assert sorted(path.name for path in (tmp_path / "out/specs/dice").iterdir()) == [
        *("assignment.yaml", "pig", "pig.yaml", "reading.py")
    ]
    shutil.rmtree(tmp_path / "dice")
    student_folder = tmp_path / "out"
    (student_folder / "pig.py").write_text((ROOT / "tests/toy/dice/pig").read_text())
    completed = run_in_folder(student_folder, "check", "pig", "--jobs", "1")
    assert re.search(r"  pig  accepted  [0-9]+ of [0-9]+\n", completed.stdout), completed


RATES = {
    "assignment.yaml": "title: Rates\nlanguage: Python\nseeded: no\nship_reference: yes\n"
    "stages: [{name: signal, reference: {command: [python3, ./src/right.py]}}]\n"
    "players: {secret: src.secret:plays}\n",
    "signal.yaml": """\
program: signal
cases:
  - {name: open, answers: [a], files: {rates.csv: {file: src/rates.csv}}}
  - {name: both, answers: [a], files: {rates.csv: {file: src/both.csv}}}
  - {name: again, answers: [a], files: {rates.csv: {file: src/both.csv}}, visibility: hidden}
  - {name: closed, answers: [a], files: {rates.csv: {file: src/../src/hidden-rates.csv}}, visibility: hidden}
  - {name: late, player: secret, visibility: after due}
""",
    "src/right.py": "from table import read\nprint(input('Name? '), read())\n",
    "src/table.py": "def read():\n    return open('rates.csv').read().strip()\n",
    "src/rates.csv": "1\n",
    "src/both.csv": "2\n",
    "src/hidden-rates.csv": "SECRET\n",
    "src/secret.py": "def plays(text, typed):\n    return 'SECRET'\n",
    "src/right.py~": "SECRET",
    "src/#right.py#": "SECRET",
    "src/node_modules/x.js": "SECRET",
    "src/__pycache__/x.pyc": "SECRET",
}


def test_each_folder_of_a_search_path_is_shipped(tmp_path):
    text = RATES["assignment.yaml"].replace("[python3, ./src/right.py]", "[java, -cp, './classes:./data', Main]")
    files = {"assignment.yaml": text, "classes/Main.class": "", "data/rates.csv": "1\n"}
    folder = write_files(tmp_path / "rates", RATES | files)
    shipped = shipped_files(load_assignment(folder), frozenset())
    assert sorted(shipped.files) == ["classes/Main.class", "data/rates.csv", "src/secret.py"]


def test_a_reference_is_shipped_without_files_of_hidden_cases(tmp_path, capsys):
    """The stage is named like Python's module `signal`; verification must not import the skeleton signal.py instead."""
    folder = write_files(tmp_path / "rates", RATES)
    code = exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")])
    assert capsys.readouterr().err == (
        "pitboss: the reference is in the bundle, as assignment.yaml says, so that any session can be checked; 3 cases that "
        "students may not see yet are left out\n"
        "pitboss: copied for the reference: src/both.csv, src/rates.csv, src/right.py, src/table.py\n"
        "pitboss: left out of the reference's folder: src/#right.py#, src/hidden-rates.csv, src/right.py~, src/secret.py\n"
        + NO_TASK_WARNING.format(folder)
    )
    assert code == 0
    assert not any(b"SECRET" in text for text in file_contents(tmp_path / "out").values())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"mistakes": "mistakes: saying:hello"},
            "{folder}/saying.py: the known mistakes are in a file of the reference, which students would get — put them "
            "into a separate file, or set ship_reference: no",
        ),
        (
            {"reference: saying:goodbye": "reference: {command: [/home/prof/right]}"},
            "the reference's command has '/home/prof/right', which is not a file in the assignment's folder, so it "
            "cannot be shipped — put it there, or set ship_reference: no",
        ),
        (
            {"reference: saying:goodbye": "reference: tests.conftest:example"},
            "{folder}: tests.conftest:example is not in this folder, so it cannot be shipped — put its module there, or "
            "set ship_reference: no",
        ),
    ],
    ids=["mistakes", "path", "module"],
)
def test_a_reference_that_cannot_be_shipped_is_refused(tmp_path, capsys, change, sentence):
    folder = Path(toy_with_shipped_reference(tmp_path, "hello"))
    text = (folder / "assignment.yaml").read_text()
    for old, new in change.items():
        text = text.replace(old, new) if old in text else f"{text}{new}\n"
    (folder / "assignment.yaml").write_text(text)
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == f"pitboss: {sentence.format(folder=folder)}\n"


def test_a_reference_module_missing_in_the_bundle_is_reported(tmp_path, capsys):
    folder = Path(toy_with_shipped_reference(tmp_path, "hello"))
    saying = (folder / "saying.py").read_text()
    (folder / "beside.py").write_text("")
    (folder / "hidden.py").write_text("")
    # `pitboss export` finds the modules that import statements name, and not what is imported in other ways.
    (folder / "saying.py").write_text(f"import beside\n__import__('hidden')\n{saying}")
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")]) == 1
    error_output = capsys.readouterr().err
    assert "`pitboss verify` fails in the bundle:\n" in error_output
    assert "No module named 'hidden'" in error_output
    assert {path.name for path in (tmp_path / "out/specs/hello").glob("*.py")} == {"saying.py", "beside.py"}


def test_a_session_that_shows_the_assignment_path_is_refused(tmp_path, capsys):
    folder = write_files(
        tmp_path / "says",
        {"assignment.yaml": "title: x\nseeded: no\nstages: [{name: one, reference: {command: [sh, ./one.sh]}}]\n"},
    )
    write_files(folder, {"one.sh": "echo $0\n", "one.yaml": "program: one\ncases: [{name: all, answers: []}]\n"})
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == (
        f"pitboss: HANDOUT.md of the bundle would reveal the path of the assignment, {folder}: fix the session, the "
        "handout or the reference that shows it\n"
    )


WRONG_USAGE = [
    (["teller/"], "--into DIR is missing: a new or empty folder for the bundle of teller/"),
    (["blackjack"], "--into DIR is missing: a new or empty folder for the bundle of blackjack"),
    (["blackjack", "--language", "c"], "--into DIR is missing: a new or empty folder for the bundle of blackjack"),
    (
        ["blackjack", "--into", "x", "--junit", "y"],
        "--into is for an assignment, and --junit for a gradebook: give the options of one of them",
    ),
    (
        ["file", "--into", "x"],
        "file: this is a file, and --into is for an assignment: name the assignment or its folder",
    ),
    (["blackjack", "--into", "full"], "full: this is not an empty folder; nothing is overwritten — name a new folder"),
    (
        ["blackjack", "--into", "x", "-l", "cobol"],
        f"there is no starter kit in 'cobol' — there are {', '.join(KIT_LANGUAGES)}",
    ),
    (["no/such", "--into", "x"], "no/such: there is no assignment.yaml in this folder"),
]


@pytest.mark.parametrize(
    ("command_line", "sentence"), WRONG_USAGE, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_wrong_usage_is_reported_in_one_sentence(tmp_path, monkeypatch, capsys, command_line, sentence):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"file": "", "full/file": "", "teller/x": ""})
    assert exit_code_of(["export", *command_line]) == 2
    assert capsys.readouterr().err == f"pitboss: {sentence}\n"


@pytest.mark.parametrize("suffix", ["sh", "c"])
def test_an_assignment_made_from_a_finished_program_is_exported(tmp_path, monkeypatch, capsys, suffix):
    programs = {
        "sh": '#!/bin/sh\nprintf "Name? "\nread name\nif [ -z "$name" ]; then exit 4; fi\nprintf "Hello, %s\\n" "$name"\n',
        "c": '#include <stdio.h>\nint main(void) { char n[99]; printf("Name? "); scanf("%98[^\\n]", n); printf("Hello, %s\\n", n); }\n',
    }
    monkeypatch.chdir(tmp_path)
    Path(f"greet.{suffix}").write_text(programs[suffix])
    if suffix == "sh":
        os.chmod("greet.sh", 0o755)
    assert (
        exit_code_of(["new", "greetings", "--program", f"greet.{suffix}", "--answers", "Zoë: no #1,", "--no-seed"]) == 0
    )
    assert exit_code_of(["export", "greetings", "--into", "out", "-l", "python"]) == 0
    shutil.rmtree("specs")
    monkeypatch.chdir("out")
    Path("greet.py").write_text('print("Hello,", input("Name? "))\n')
    capsys.readouterr()
    assert exit_code_of(["check"]) == 0
    assert "  greet  accepted  1 of 1\n" in capsys.readouterr().out
    assert not any(b"scanf" in text or b"printf" in text for text in file_contents(tmp_path / "out").values())


def test_an_assignment_in_a_language_without_skeletons_is_exported(tmp_path, capsys):
    folder = tmp_path / "hello"
    shutil.copytree(ROOT / "tests" / "toy" / "hello", folder)
    text = (folder / "assignment.yaml").read_text()
    (folder / "assignment.yaml").write_text(f"{text}language: sh\n")
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")]) == 0
    output = capsys.readouterr()
    assert output.out == f"{tmp_path}/out: HANDOUT.html, HANDOUT.md, Makefile, README.md, specs/\n"
    assert output.err.splitlines()[-2] == (
        f"pitboss: there are no skeletons in sh, so the bundle has none — choose another language with --language: {', '.join(KIT_LANGUAGES)}"
    )
    handout = (tmp_path / "out" / "HANDOUT.md").read_text()
    assert "You write 2 files: `hello.sh`, `goodbye.sh`." in handout
    assert "in the same place. What was" in handout and "Visual Studio" not in handout
    assert (
        (tmp_path / "out" / "Makefile")
        .read_text()
        .startswith(
            "# This makefile only checks the programs. How they are built is up to you.\n"
            "check:\n\tpitboss check --assignment specs/hello\n\n.PHONY: check\n\n"
            "check-hello:\n\tpitboss check hello --assignment specs/hello\n"
        )
    )
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "in Python"), "-l", "Python"]) == 0
    assert (tmp_path / "in Python" / "hello.py").exists()


@pytest.mark.parametrize(
    "name", ["deal.c~", "deal.c.bak", "deal.c.orig", "deal.c.rej", ".deal.c.swp", "deal.TMP", "#deal.c#"]
)
def test_editor_backups_are_leftovers(name):
    assert is_leftover(name)
    assert not is_leftover("deal.c")


@pytest.mark.parametrize(("options", "language"), [((), "Python"), (("--language", "Java"), "Java")])
def test_a_bundle_without_the_reference_has_the_language_of_its_skeletons(tmp_path, options, language):
    folder = tmp_path / "count"
    (folder / "reference").mkdir(parents=True)
    (folder / "assignment.yaml").write_text(
        "title: Count\nseeded: no\nstages: [{name: count, reference: reference/count.py}]\n"
    )
    (folder / "count.yaml").write_text("program: count\ncases: [{name: one, answers: [a]}]\n")
    (folder / "reference" / "count.py").write_text("print(len(input()))\n")
    assert exit_code_of(["export", str(folder), *options, "--into", str(tmp_path / "out")]) == 0
    assert not (tmp_path / "out/specs/count/reference").exists()
    assert load_assignment(tmp_path / "out/specs/count").language == language


def test_a_bundle_in_c_sharp_is_checked_without_make_and_built_without_the_reference(tmp_path):
    folder = tmp_path / "count"
    (folder / "reference").mkdir(parents=True)
    texts = {
        "assignment.yaml": "title: Count\nseeded: no\nship_reference: yes\n"
        "stages: [{name: count, reference: reference/count.py}]\n",
        "count.yaml": "program: count\ncases: [{name: one, answers: [a]}]\n",
        "reference/count.py": "print(len(input()))\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    assert exit_code_of(["export", str(folder), "--language", "C#", "--into", str(tmp_path / "out")]) == 0
    readme = (tmp_path / "out/README.md").read_text()
    assert "    pitboss check --assignment specs/count         # everything\n" in readme
    assert "make" not in readme
    assert ";specs/**</DefaultItemExcludes>" in (tmp_path / "out/Count.csproj").read_text()
    assert (tmp_path / "out/specs/count/reference/count.py").is_file()
