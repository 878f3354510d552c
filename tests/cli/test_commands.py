import json
import shlex
import subprocess
import sys

import pytest

from pitboss.reports.report import as_text
from pitboss.sessions.drivers import find_conditions
from tests.conftest import ROOT, CommandResult
from tests.tables import cells

EXAMPLES = ROOT / "examples" / "blackjack"
ADA = EXAMPLES / "ada"
TOY = ROOT / "tests" / "toy" / "teller"
SUBMISSIONS = ROOT / "tests" / "submissions"

STAGES = "its stages are shuffle, deal, play, betting, errors, extra"
COMMANDS = "assignments, check, doctor, explain, export, grade, gradescope, hunt, mark, merge, new, play, policy, record, regrade, review, schema, scores, similar, starter, verify, workflow"
ERRORS = {
    "no such command": (
        ["chek"],
        f"there is no command 'chek' — there are {COMMANDS}; did you mean 'check'? (see pitboss --help)",
    ),
    "no such folder": (["check", "nowhere/"], "nowhere: there is no such folder"),
    "neither stage nor folder": (
        ["check", "plya"],
        "plya: there is no file or folder of this name, and no assignment has a stage 'plya'; did you mean 'play'?",
    ),
    "an assignment for a stage": (
        ["verify", "csc101"],
        "csc101 is an assignment, not a stage — give it as --assignment csc101",
    ),
    "a name that no file can have": (
        ["check", "x" * 300],
        f"{'x' * 300}: there is no file or folder of this name, and no assignment has a stage '{'x' * 300}'",
    ),
    "a name that no folder can have": (
        ["check", f"{'x' * 300}/", "-a", "blackjack"],
        f"{'x' * 300}: there is no such folder",
    ),
    "no such stage": (
        ["check", ADA, "beting", "-a", "blackjack"],
        f"blackjack has no stage 'beting' — {STAGES}; did you mean 'betting'?",
    ),
    "a file for a folder": (
        ["check", ROOT / "README.md"],
        f"{ROOT / 'README.md'}: this is a file; give the folder that contains the programs, an archive of them, or one "
        "program's source",
    ),
    "a file that is no stage's": (
        ["check", "README.md"],
        "README.md: this is a file; give the folder that contains the programs, an archive of them, or one program's source",
    ),
    "no such assignment": (
        ["check", ADA, "-a", "blakjack"],
        "there is no assignment 'blakjack' — known are bjm0, blackjack, csc101, ece2036, tournament; did you mean 'blackjack'?",
    ),
    "a wrong seed": (
        ["check", ADA, "play", "--seed", "1.5"],
        "Invalid value for '--seed': '1.5' is not a seed — a seed is a whole number from -2147483648 to 2147483647 "
        "(see pitboss check --help)",
    ),
    "a seed too large": (
        ["check", ADA, "play", "--seed", "2147483648"],
        "Invalid value for '--seed': '2147483648' is not a seed — a seed is a whole number from -2147483648 to "
        "2147483647 (see pitboss check --help)",
    ),
    "answers without a seed": (
        ["check", ADA, "play", "--answers", "hs"],
        "--answers and --player need --seed: in this assignment the first line typed is a seed",
    ),
    "an unknown player": (
        ["check", ADA, "play", "--seed", "1", "--player", "hit under 17"],
        "there is no player 'hit under 17' — known are stand at once, hit below 17, hit below 21, hit until bust, "
        "one hand, five hands, double on 9 to 11, odd bets, always double, bet the table limits, make every error, "
        "double too late, an evening of three, a full table, one who folds; did you mean 'hit below 17'?",
    ),
    "an unknown case": (
        ["check", ADA, "play", "--case", "player bust"],
        f"{ROOT}/specs/blackjack/play.yaml: play has no case 'player bust'; did you mean 'player busts'?",
    ),
    "a case like none": (
        ["check", ADA, "shuffle", "--case", "xyzzy"],
        f"{ROOT}/specs/blackjack/shuffle.yaml: shuffle has no case 'xyzzy' — its cases are seed 0 leaves the deck in order, seed 1, a negative seed, the largest seed, fifty other decks, seeds of all sizes, a number with a sign, a zero and a blank",
    ),
    "a case without a stage": (
        ["check", ADA, "--case", "player busts"],
        "--case needs one stage: name it, as in pitboss check play --case NAME",
    ),
    "an unknown sandbox": (
        ["check", ADA, "--sandbox", "strong"],
        "Invalid value for '--sandbox': 'strong' is not one of 'auto', 'require', 'bubblewrap', 'landlock', 'none'. "
        "(see pitboss check --help)",
    ),
    "an unwritable report": (
        ["check", ADA, "shuffle", "--seed", "1", "--json", "nowhere/r.json"],
        "nowhere/r.json: the file cannot be written: No such file or directory",
    ),
    "no class": (["grade", "nowhere"], "nowhere: there is no such folder"),
    "a seed for a new case missing": (
        ["record", "play", "--case", "new"],
        "there is no case 'new' in play; to add one, give --play, --seed or --answers",
    ),
    "no such stage to play": (
        ["play", "pley", "-a", "blackjack"],
        f"blackjack has no stage 'pley' — {STAGES}; did you mean 'play'?",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_one_line_and_exit_code_2(pitboss, tmp_path, name):
    arguments, sentence = ERRORS[name]
    (tmp_path / "README.md").write_text("How to play\n")
    done = pitboss(*arguments)
    assert (done.code, done.err.splitlines()[-1], done.err.count("\n")) == (2, f"pitboss: {sentence}", 1)


@pytest.mark.parametrize("command", ["check", "grade"])
def test_a_missing_folder_is_reported_with_the_most_similar_name(pitboss, tmp_path, command):
    (tmp_path / "class" / "blackjack").mkdir(parents=True)
    (tmp_path / "class" / "blackjak.txt").touch()
    missing_folder = tmp_path / "class" / "blackjak"
    done = pitboss(command, missing_folder, "-a", "blackjack")
    assert (done.code, done.err) == (
        2,
        f"pitboss: {missing_folder}: there is no such folder; did you mean 'blackjack'?\n",
    )


def test_an_unwritable_report_file_does_not_lose_the_other_output(pitboss, tmp_path):
    arguments = ["teller", "-a", f"{TOY}/"]
    output = pitboss("check", SUBMISSIONS / "ACCEPTED" / "plain", *arguments)
    done = pitboss(
        "check", SUBMISSIONS / "ACCEPTED" / "plain", *arguments, "--json", "nowhere/r.json", "--html", "r.html"
    )
    assert done == CommandResult(
        2, output.out, "pitboss: nowhere/r.json: the file cannot be written: No such file or directory\n"
    )
    assert (tmp_path / "r.html").exists()
    done = pitboss("grade", SUBMISSIONS / "ACCEPTED", *arguments, "--html", "pages", "--csv", "nowhere/r.csv")
    assert (done.code, done.err) == (
        2,
        "pitboss: nowhere/r.csv: the file cannot be written: No such file or directory\n",
    )


def test_a_deleted_working_folder_is_reported(tmp_path):
    working_folder = tmp_path / "gone"
    working_folder.mkdir()
    folder = str(working_folder)
    program = f"import os; os.chdir({folder!r}); os.rmdir({folder!r}); from pitboss.cli.main import main; main()"
    argv = [sys.executable, "-c", program, "check", str(ADA)]
    done = subprocess.run(argv, env={"PYTHONPATH": str(ROOT / "harness")}, capture_output=True, text=True, check=False)
    sentence = "pitboss: the current folder no longer exists: change to another folder\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_an_unknown_option_is_reported_with_the_most_similar_one(pitboss):
    """The rest of the wording is click's, and differs between its versions."""
    done = pitboss("check", "--sede", "1")
    assert done.code == 2
    assert done.err.startswith("pitboss: No such option")
    assert "--seed" in done.err


def test_a_folder_without_programs_is_reported(pitboss, tmp_path):
    done = pitboss("check", tmp_path, "play")
    assert (done.code, done.err) == (
        2,
        f"pitboss: {tmp_path}: no program is here — a submission has files such as play.c or play.cpp, "
        "or a Makefile that makes them; it is empty\n"
        "next: save your first program as play.c, or begin with a skeleton and the handout:\n"
        "  pitboss starter blackjack --into NEW-FOLDER\n",
    )


def test_a_class_without_submissions_is_reported(pitboss, tmp_path):
    done = pitboss("grade", tmp_path)
    assert (done.code, done.err) == (
        2,
        f"pitboss: {tmp_path}: there is no submission in it — each submission is a separate folder or archive\n",
    )


def test_a_missing_compiler_is_reported(pitboss, tmp_path):
    (tmp_path / "play.c").write_text("int main(void) { return 0; }")
    done = pitboss("check", tmp_path, "play", "--sandbox", "none", PATH=str(tmp_path))
    assert (done.code, done.err) == (
        2,
        f"pitboss: {tmp_path}/play.c: this machine has no cc to build it with; on Debian: apt install gcc\n",
    )


def test_an_error_in_a_spec_is_reported_with_file_and_line(pitboss, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "assignment.yaml").write_text("title: Small\nstages: [{name: one, reference: a.b:c}]\n")
    (folder / "one.yaml").write_text("program: one\ncases:\n  - nam: first\n")
    done = pitboss("check", ADA, "-a", "./small")
    assert done.code == 2
    assert done.err.startswith("pitboss: small/one.yaml:3: a case has no key 'nam' — allowed are name, ")
    assert done.err.endswith("; did you mean 'name'?\n")


def test_a_reference_that_cannot_be_found_is_reported(pitboss, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "assignment.yaml").write_text("title: Small\nstages: [{name: shuffle, reference: nowhere.at.all:main}]\n")
    (folder / "shuffle.yaml").write_text("program: shuffle\ncases: [{name: first, seeds: 1, answers: []}]\n")
    done = pitboss("check", ADA, "-a", "./small")
    assert (done.code, done.err) == (
        2,
        "pitboss: small/assignment.yaml: stage 'shuffle': 'nowhere.at.all:main' cannot be imported: "
        "No module named 'nowhere'\n",
    )


def test_a_correct_stage_is_accepted(pitboss):
    done = pitboss("check", ADA, "play", "--seed", "3", "--answers", "h")
    assert done.code == 0
    assert done.out.splitlines()[:3] == ["Blackjack, the seeded ladder: ada — accepted", "", "  play  accepted  1 of 1"]


def test_programs_are_found_in_the_current_folder(pitboss):
    assert pitboss("check", "play", "--seed", "-7", "--answers", "hs", cwd=ADA).code == 0


def test_a_wrong_program_is_reported_with_its_first_difference(pitboss):
    done = pitboss("check", EXAMPLES / "brian", "play", "--seed", "3", "--answers", "h")
    assert done.code == 1
    brian = shlex.quote(str(EXAMPLES / "brian"))
    assert done.out == (
        "Blackjack, the seeded ladder: brian — wrong answer\n\n"
        "  play  wrong answer  0 of 1\n\n"
        "play\n"
        "  likely mistake: the pauses are too short (explains 1 of 1 that failed). Look  \n"
        "  at how long and where your program waits: the assignment says both.           \n"
        "  case the requested session, seed 3\n"
        "  It pauses for 1 s before “Dealer stands.”; the pause should be 2 s.\n"
        "\n"
        "        10 │ |  7♦  |  **  |\n"
        "        11 │ |  9♥  |      |\n"
        "        12 │ Player busts!\n"
        "        13 │ \n"
        "        14 │  Player Dealer\n"
        "        15 │ |  8♣  |  9♠  |\n"
        "        16 │ |  7♦  | 10♦  |\n"
        "        17 │ |  9♥  |      |\n"
        "  expected │ (pause 2s)Dealer stands.\n"
        "     yours │ (pause 1s)Dealer stands.\n"
        "             ^^^^^^^^^^ line 18\n"
        "\n"
        f"  again: pitboss check {brian} play --assignment blackjack --seed 3 --answers h\n"
        "\n" + "".join(as_text(line) for line in find_conditions().sentences) + "\n"
        "next: see what is expected there, step by step:\n"
        "  pitboss explain play --assignment blackjack --seed 3 --answers h\n"
    )


def test_the_json_of_check_has_its_documented_fields(pitboss, tmp_path):
    done = pitboss("check", EXAMPLES / "brian", "play", "--seed", "3", "--answers", "h", "--json", "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert done.code == 1
    assert {key: report[key] for key in ("schema", "assignment", "submission", "verdict", "faults")} == {
        "schema": "pitboss/check/v2",
        "assignment": "blackjack",
        "submission": "brian",
        "verdict": "WRONG_ANSWER",
        "faults": [],
    }
    (stage,) = report["stages"]
    assert (stage["stage"], stage["verdict"], stage["passed"], stage["total"]) == ("play", "WRONG_ANSWER", 0, 1)
    (result,) = report["results"]
    fields = "stage case verdict summary expected actual first_difference points visibility replay place"
    assert set(result) == set(fields.split())
    assert result["first_difference"] == {
        "line": 18,
        "column": 1,
        "expected": "<pause 2s><no-eol>\n",
        "actual": "<pause 1s><no-eol>\n",
    }
    assert result["expected"]["transcript"].endswith(
        "<pause 2s>Dealer stands.\n\nFinal scores: Player 24, Dealer 19.\nDealer wins!\n"
    )
    assert result["actual"]["ending"] == "exited with 0"
    documented = (ROOT / "docs" / "json.md").read_text()
    for field in (*report, *stage, *result, *result["actual"], *result["first_difference"]):
        assert f"`{field}`" in documented, field


def test_the_class_is_graded_in_one_table(pitboss, tmp_path):
    done = pitboss(
        "grade", EXAMPLES, "shuffle", "deal", "--csv", "class.csv", "--json", "class.json", "-a", "blackjack"
    )
    assert done.code == 1
    assert dict(cells((tmp_path / "class.csv").read_text(), "submission", "deal")) == {
        "ada": "ACCEPTED",
        "barbara": "WRONG_ANSWER",
        "brian": "ACCEPTED",
        "dennis": "ACCEPTED",
        "edsger": "ACCEPTED",
        "grace": "ACCEPTED",
        "ken": "TIME_LIMIT_EXCEEDED",
        "linus": "ACCEPTED",
        "margaret": "ACCEPTED",
    }
    assert set(cells((tmp_path / "class.csv").read_text(), "shuffle")) == {("ACCEPTED",)}
    report = json.loads((tmp_path / "class.json").read_text())
    assert (report["schema"], report["assignment"], len(report["submissions"])) == ("pitboss/grade/v3", "blackjack", 9)
    assert "7 of 9 accepted in every stage" in done.out


def test_a_submission_that_cannot_be_copied_does_not_affect_the_others(pitboss, tmp_path):
    for name in ("good", "huge"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "shuffle.c").write_text((ADA / "shuffle.c").read_text())
    with (tmp_path / "class" / "huge" / "video.mp4").open("wb") as file:
        file.truncate(100 << 20)
    done = pitboss("grade", "class", "shuffle", "-a", "blackjack", "--csv", "-")
    sentence = "class/huge: more than 64 MB or 2000 files; give the folder that contains only the submission"
    assert done.code == 3
    assert cells(done.out, "submission", "verdict", "shuffle", "shuffle passed", "shuffle total") == [
        ("good", "ACCEPTED", "ACCEPTED", "114", "114"),
        ("huge", "JUDGE_ERROR", "JUDGE_ERROR", "0", "0"),
    ]
    assert f"huge: {sentence}\n" in pitboss("grade", "class", "shuffle", "-a", "blackjack", COLUMNS="200").out


def test_the_toy_assignment_is_graded_like_any_other(pitboss):
    done = pitboss("grade", SUBMISSIONS / "COMPILE_ERROR", "-a", f"{TOY}/")
    assert done.code == 1
    assert done.out.count("compile error") == len(list((SUBMISSIONS / "COMPILE_ERROR").iterdir()))


def test_verify_reports_outdated_cases_and_record_updates_them(pitboss, tmp_path):
    folder = tmp_path / "specs" / "blackjack"
    folder.mkdir(parents=True)
    for path in (ROOT / "specs" / "blackjack").iterdir():
        (folder / path.name).write_text(path.read_text())
    assert pitboss("verify", "shuffle", "-a", "blackjack").out == (
        "blackjack: all 5 recorded cases match the reference\nblackjack shuffle: 31 of 31 known mistakes are caught\n"
    )
    correct_text = (folder / "play.yaml").read_text()
    (folder / "play.yaml").write_text(correct_text.replace("Player busts!", "Player busted!", 1))
    drifted = pitboss("verify", "play")
    assert (drifted.code, drifted.out) == (
        1,
        "specs/blackjack/play.yaml:5: 'player busts' no longer matches the reference; "
        "refresh it: pitboss record play --assignment blackjack\n"
        "  --- recorded\n  +++ the reference now\n  @@ -10,5 +10,5 @@\n"
        "   |  7♦  |  **  |\n   |  9♥  |      |\n  -Player busted!\n  +Player busts!\n   \n    Player Dealer\n"
        "blackjack play: 119 of 119 known mistakes are caught\n",
    )
    assert (
        pitboss("record", "play").out == "specs/blackjack/play.yaml: recorded 'player busts'\n1 recorded case changed\n"
    )
    assert (folder / "play.yaml").read_text() == correct_text
    added = pitboss("record", "play", "--case", "one more", "--seed", "77", "--answers", "hhs", "--rule", "hit")
    assert (added.code, added.out) == (0, "specs/blackjack/play.yaml: added 'one more'\n")
    assert pitboss("check", ADA, "play", "--case", "one more").code == 0


def test_play_runs_the_reference():
    done = subprocess.run(
        [sys.executable, "-m", "pitboss", "play", "play", "--seed", "3", "--no-pause"],
        input=b"h\n",
        capture_output=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"Seed: 3\n\n Player Dealer\n")
    assert done.stdout.endswith(b"Dealer wins!\n")


def test_assignments_are_listed(pitboss):
    output = pitboss("assignments").out
    assert "\nblackjack: Blackjack, the seeded ladder (C)\n  shuffle      shuffle a deck" in output
    names = [line.split(":")[0] for line in output.splitlines() if line[0] != " "]
    assert names == ["bjm0", "blackjack", "csc101", "ece2036", "tournament"]


def test_grade_runs_hidden_cases_and_check_does_not(pitboss, tmp_path):
    folder = tmp_path / "specs" / "blackjack"
    folder.mkdir(parents=True)
    for path in (ROOT / "specs" / "blackjack").iterdir():
        (folder / path.name).write_text(path.read_text())
    text = (folder / "shuffle.yaml").read_text()
    first_case = text.index("  - name:")
    hidden_case = "  - name: a secret one\n    visibility: hidden\n    seeds: 9\n    answers: []\n"
    (folder / "shuffle.yaml").write_text(text[:first_case] + hidden_case + text[first_case:])
    checked = pitboss("check", ADA, "shuffle", "-a", "blackjack")
    assert "shuffle  accepted  114 of 114" in checked.out
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ada").symlink_to(ADA)
    graded = pitboss("grade", "class", "shuffle", "-a", "blackjack", "--csv", "-")
    assert "ada,ACCEPTED,ACCEPTED,115,115" in graded.out
