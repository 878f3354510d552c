"""`pitboss export ASSIGNMENT`: a bundle gives no answers away, and a right program is accepted with it alone."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.cli.main import exit_code_of
from pitboss.kits.bundles.bundle_files import is_leftover
from pitboss.kits.starters import LANGUAGES
from tests.conftest import ROOT

NO_TASK = (
    "pitboss: the handout does not describe the task: write it into a file beside {}/assignment.yaml, and "
    "name the file there: `handout: handout.md`\n"
)
#: Every text here that starts with SECRET must not be in the bundle.
ASSIGNMENT = """\
# SECRET comment of the assignment
title: "Drawers: a till #1"
language: C
handout: told.md
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
RIGHT = r"""
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
ACCEPTED = r"""
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
SLIPS = "SECRET_NOTE = 1\ndef catalogue():\n    return ()\n"
FILES = {
    "assignment.yaml": ASSIGNMENT,
    "till.yaml": TILL,
    "later.yaml": LATER,
    "right.py": RIGHT,
    "slips.py": SLIPS,
    "slips.yaml": "source: SECRET source\nmistakes: {}\n",
    "told.md": "Count the coins.\n",
    "secretly/coins.txt": "five #: no\n",
    "__pycache__/right.cpython-311.pyc": "SECRET cache",
    ".git/config": "SECRET history",
}


def written(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def texts_in(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def elsewhere(folder, *words, command=()):
    """Run pitboss, or another command, in a folder as somebody does who has nothing but it."""
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
    argv = command or (sys.executable, "-m", "pitboss", *words)
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The instructor's folder, and the bundle, which has been moved away from there."""
    place = tmp_path_factory.mktemp("instructor")
    written(place / "drawers", FILES)
    before = os.getcwd()
    os.chdir(place)
    try:
        assert exit_code_of(["export", "./drawers", "--into", "bundle"]) == 0
    finally:
        os.chdir(before)
    bundle = tmp_path_factory.mktemp("student") / "my folder"
    shutil.move(place / "bundle", bundle)
    return place / "drawers", bundle


def test_nothing_of_the_answers_is_in_the_bundle(made):
    _, bundle = made
    everything = {**texts_in(bundle), "names": "\n".join(texts_in(bundle)).encode()}
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
        assert str(made[0].parent).encode() not in text
    assert sorted(texts_in(bundle)) == [
        *(".vscode/tasks.json", "HANDOUT.html", "HANDOUT.md", "Makefile", "README.md", "later.c"),
        *("specs/drawers/assignment.yaml", "specs/drawers/till.yaml", "till.c", "words.txt"),
    ]


def test_no_piece_of_the_reference_is_in_the_bundle_that_no_session_shows(made):
    """Any 12 characters of its source: what it shows stands in the sessions, of course."""
    _, bundle = made
    cases = load_assignment(bundle / "specs" / "drawers").stages[0].spec.cases
    output = [event.text for case in cases for event in case.session.events if hasattr(event, "text")]
    output += [case.invocation.errors for case in cases]
    output += [path.read_bytes() for path in (ROOT / "student_templates" / "c").iterdir()]
    sessions = b"\0".join(output).decode("utf-8", "replace")
    everything = b"\0".join(texts_in(bundle).values()).decode("utf-8", "replace")
    windows = {RIGHT[start : start + 12] for start in range(len(RIGHT) - 11)}
    assert {one for one in windows if one in everything and one not in sessions and one.strip()} == set()
    assert len(windows) > 700


def test_a_right_program_is_accepted_on_a_machine_without_the_assignment(made, tmp_path):
    _, bundle = made
    here = shutil.copytree(bundle, tmp_path / "here")
    (here / "till.c").write_text(ACCEPTED)
    done = elsewhere(here, "check", "till")
    assert re.match(r"Drawers: a till #1: here\b.*\n\n  till  accepted  6 of 6\n", done.stdout), done
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_wrong_program_is_reported_the_difference_and_no_command_that_needs_the_reference(made, tmp_path):
    _, bundle = made
    here = shutil.copytree(bundle, tmp_path / "here")
    (here / "till.c").write_text(ACCEPTED.replace("+ 77", "+ 78"))
    done = elsewhere(here, command=("make", "check-till"))
    assert done.returncode == 2
    assert "  till  wrong answer  0 of 6\n" in done.stdout
    assert "  Line 2, “You have 66. \\t”, has “66.” where “65.” is expected.\n" in done.stdout
    assert "pitboss check till --assignment specs/drawers --case 'no: 1e3 #, seed -4'" in done.stdout
    assert "hunt" not in done.stdout


REFUSED = [
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
            (command, *words),
            f"drawers is a bundle for students, without the reference, which `pitboss {command}` needs; `pitboss check` "
            "compares with the sessions that it contains",
        )
        for command, *words in (
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


@pytest.mark.parametrize(("words", "sentence"), REFUSED, ids=lambda value: value[0] if isinstance(value, tuple) else "")
def test_what_needs_the_reference_is_refused_with_a_sentence(made, monkeypatch, capsys, words, sentence):
    monkeypatch.chdir(made[1])
    assert exit_code_of(list(words)) == 2
    assert capsys.readouterr().err == f"pitboss: {sentence}\n"


def test_one_seed_of_the_bundle_is_checked_alone(made, tmp_path, monkeypatch, capsys):
    here = shutil.copytree(made[1], tmp_path / "here")
    (here / "till.c").write_text(ACCEPTED)
    monkeypatch.chdir(here)
    assert exit_code_of(["check", "till", "--seed", "9"]) == 0
    assert "  till  accepted  1 of 1\n" in capsys.readouterr().out


def test_readme_handout_and_makefile(made):
    _, bundle = made
    readme = (bundle / "README.md").read_text()
    assert (
        "- till: 6 sessions, with seeds -4, 1..3, 5 and 9.\n- later: it is built. This folder has no session of it."
        in readme
    )
    for handout in ((bundle / name).read_text() for name in ("HANDOUT.md", "HANDOUT.html")):
        assert "Count the coins." in handout
        assert re.findall("pitboss (?:play|hunt)|--answers|--seed", handout) == []
    makefile = (bundle / "Makefile").read_text()
    assert "\ncheck:\n\tpitboss check --assignment specs/drawers\n" in makefile
    assert "\ncheck-till:\n\tpitboss check till --assignment specs/drawers\n" in makefile


def test_sessions_are_those_of_the_reference(made):
    folder, bundle = made
    (till, later) = load_assignment(bundle / "specs" / "drawers").stages
    assert [case.name for case in till.spec.cases] == [
        *("counts, seed 1", "counts, seed 2", "counts, seed 3", "counts, seed 9"),
        "no: 1e3 #, seed -4",
        "other words, seed 5",
    ]
    assert [one.arguments for one in (till.spec.cases[4].invocation, till.spec.cases[0].invocation)] == [
        ("-v", "é ü"),
        (),
    ]
    assert till.spec.cases[4].exit_code == 3
    assert till.spec.cases[4].invocation.errors == "é: no option, -v é ü\n".encode()
    assert [one.is_absent for one in till.spec.cases[4].invocation.outputs] == [True]
    assert till.spec.cases[5].invocation.files[0].content == "caf\xe9\t!\n".encode()
    assert later.spec.cases == ()


def test_a_file_that_students_may_bring_is_reported_at_export(tmp_path, capsys):
    assert exit_code_of(["export", str(ROOT / "tests" / "toy" / "quiz"), "--into", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err == (
        "pitboss: 3 sessions of the reference are in the bundle, and not the reference\n"
        "pitboss: questions.txt: students may hand in their own, and are checked with the course's in the bundle\n"
        + NO_TASK.format(ROOT / "tests" / "toy" / "quiz")
    )


def test_a_stage_whose_draws_are_read_back_is_built_and_not_run(tmp_path, monkeypatch, capsys):
    assert exit_code_of(["export", str(ROOT / "tests" / "toy" / "dice"), "--into", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err == (
        "pitboss: neither the reference nor a session of it is in the bundle\n"
        "pitboss: pig: what its programs draw is read back from what they show, and only the reference can decide "
        "what is right then, so the bundle builds them, and checks nothing else; with `ship_reference: yes` in "
        "assignment.yaml it checks them\n" + NO_TASK.format(ROOT / "tests" / "toy" / "dice")
    )
    monkeypatch.chdir(tmp_path / "out")
    assert exit_code_of(["check", "pig"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "pig skipped its programs draw at random, and only the reference, which is not in this bundle, decides what is right then."
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
        "a checker, which is not in the bundle, decides which sessions of its programs are right, so the bundle builds "
        "them, and checks nothing else; with `ship_reference: yes` in assignment.yaml it checks them\n"
    ) in capsys.readouterr().err
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "It is not run: a check of the course's own decides which of its sessions are right." in readme
    monkeypatch.chdir(tmp_path / "out")
    exit_code_of(["check", "hello"])
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "a check of the course's own, which is not in this bundle, decides which sessions of its programs are right."
        in out
    )


def shipping(folder, toy):
    shutil.copytree(ROOT / "tests" / "toy" / toy, folder / toy)
    path = folder / toy / "assignment.yaml"
    path.write_text(f"{path.read_text()}ship_reference: yes\n")
    return str(folder / toy)


@pytest.mark.slow
def test_with_the_reference_any_draw_can_be_checked(tmp_path, capsys):
    assert exit_code_of(["export", shipping(tmp_path, "dice"), "--into", str(tmp_path / "out"), "-l", "python"]) == 0
    assert capsys.readouterr().err == (
        "pitboss: the reference is in the bundle, as assignment.yaml says, so that any session can be checked\n"
        "pitboss: copied for the reference: pig, reading.py\n" + NO_TASK.format(tmp_path / "dice")
    )
    assert sorted(path.name for path in (tmp_path / "out/specs/dice").iterdir()) == [
        *("assignment.yaml", "pig", "pig.yaml", "reading.py"),
    ]
    shutil.rmtree(tmp_path / "dice")
    here = tmp_path / "out"
    (here / "pig.py").write_text((ROOT / "tests/toy/dice/pig").read_text())
    done = elsewhere(here, "check", "pig", "--jobs", "1")
    assert re.search(r"  pig  accepted  [0-9]+ of [0-9]+\n", done.stdout), done


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


def test_a_reference_is_shipped_without_what_is_for_hidden_cases_beside_it(tmp_path, capsys):
    """The stage is called as a module of Python is, and its skeleton is not that module to the verification."""
    folder = written(tmp_path / "rates", RATES)
    code = exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")])
    assert capsys.readouterr().err == (
        "pitboss: the reference is in the bundle, as assignment.yaml says, so that any session can be checked; 3 cases that "
        "students may not see yet are not in it\n"
        "pitboss: copied for the reference: src/both.csv, src/rates.csv, src/right.py, src/table.py\n"
        "pitboss: left out of the reference's folder: src/#right.py#, src/hidden-rates.csv, src/right.py~, src/secret.py\n"
        + NO_TASK.format(folder)
    )
    assert code == 0
    assert not any(b"SECRET" in text for text in texts_in(tmp_path / "out").values())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"mistakes": "mistakes: saying:hello"},
            "{folder}/saying.py: the known mistakes are in a file of the reference, which students would get — put them "
            "into one of their own, or set ship_reference: no",
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
def test_a_reference_that_cannot_be_shipped(tmp_path, capsys, change, sentence):
    folder = Path(shipping(tmp_path, "hello"))
    text = (folder / "assignment.yaml").read_text()
    for old, new in change.items():
        text = text.replace(old, new) if old in text else f"{text}{new}\n"
    (folder / "assignment.yaml").write_text(text)
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == f"pitboss: {sentence.format(folder=folder)}\n"


def test_a_module_that_the_reference_needs_and_the_bundle_lacks_is_reported(tmp_path, capsys):
    folder = Path(shipping(tmp_path, "hello"))
    saying = (folder / "saying.py").read_text()
    (folder / "beside.py").write_text("")
    (folder / "hidden.py").write_text("")
    lines = "import beside\n__import__('hidden')\n"
    (folder / "saying.py").write_text(saying.replace("\n\n", f"\n\n{lines}", 1) if '"""' in saying else lines + saying)
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "`pitboss verify` fails in the bundle:\n" in said
    assert "No module named 'hidden'" in said
    assert {path.name for path in (tmp_path / "out/specs/hello").glob("*.py")} == {"saying.py", "beside.py"}


def test_a_session_that_shows_where_the_assignment_is_kept(tmp_path, capsys):
    folder = written(
        tmp_path / "says",
        {"assignment.yaml": "title: x\nseeded: no\nstages: [{name: one, reference: {command: [sh, ./one.sh]}}]\n"},
    )
    written(folder, {"one.sh": "echo $0\n", "one.yaml": "program: one\ncases: [{name: all, answers: []}]\n"})
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == (
        f"pitboss: HANDOUT.md of the bundle would reveal the path of the assignment, {folder}: fix the session, the "
        "handout or the reference that shows it\n"
    )


USAGE = [
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
        f"there is no starter kit in 'cobol' — there are {', '.join(LANGUAGES)}",
    ),
    (["no/such", "--into", "x"], "no/such: there is no assignment.yaml in this folder"),
]


@pytest.mark.parametrize(
    ("words", "sentence"), USAGE, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_wrong_usage_is_one_sentence(tmp_path, monkeypatch, capsys, words, sentence):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, {"file": "", "full/file": "", "teller/x": ""})
    assert exit_code_of(["export", *words]) == 2
    assert capsys.readouterr().err == f"pitboss: {sentence}\n"


@pytest.mark.parametrize("suffix", ["sh", "c"])
def test_an_assignment_made_of_a_program_that_is_there(tmp_path, monkeypatch, capsys, suffix):
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
    assert not any(b"scanf" in text or b"printf" in text for text in texts_in(tmp_path / "out").values())


def test_a_course_in_a_language_without_skeletons_has_a_bundle(tmp_path, capsys):
    folder = tmp_path / "hello"
    shutil.copytree(ROOT / "tests" / "toy" / "hello", folder)
    text = (folder / "assignment.yaml").read_text()
    (folder / "assignment.yaml").write_text(f"{text}language: sh\n")
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "out")]) == 0
    output = capsys.readouterr()
    assert output.out == f"{tmp_path}/out: HANDOUT.html, HANDOUT.md, Makefile, README.md, specs/\n"
    assert output.err.splitlines()[-2] == (
        f"pitboss: there are no skeletons in sh, so the bundle has none — --language takes {', '.join(LANGUAGES)} instead"
    )
    handout = (tmp_path / "out" / "HANDOUT.md").read_text()
    assert "You write 2 files: `hello.sh`, `goodbye.sh`." in handout
    assert "in the same place. What was" in handout and "Visual Studio" not in handout
    assert (
        (tmp_path / "out" / "Makefile")
        .read_text()
        .startswith(
            "# It checks the programs. How they are built is up to you.\n"
            "check:\n\tpitboss check --assignment specs/hello\n\n.PHONY: check\n\n"
            "check-hello:\n\tpitboss check hello --assignment specs/hello\n"
        )
    )
    assert exit_code_of(["export", str(folder), "--into", str(tmp_path / "in Python"), "-l", "Python"]) == 0
    assert (tmp_path / "in Python" / "hello.py").exists()


@pytest.mark.parametrize(
    "name", ["deal.c~", "deal.c.bak", "deal.c.orig", "deal.c.rej", ".deal.c.swp", "deal.TMP", "#deal.c#"]
)
def test_what_an_editor_leaves_behind_goes_to_nobody(name):
    assert is_leftover(name)
    assert not is_leftover("deal.c")
