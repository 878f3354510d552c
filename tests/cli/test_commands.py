import json
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT, CommandResult
from tests.tables import cells

EXAMPLES = ROOT / "examples" / "blackjack"
ADA = EXAMPLES / "ada"
TOY = ROOT / "tests" / "toy" / "teller"
SUBMISSIONS = ROOT / "tests" / "submissions"


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


@pytest.mark.parametrize(("folder", "cwd"), [((ADA,), None), ((), ADA)], ids=["named", "the current folder"])
def test_a_correct_stage_is_accepted(pitboss, folder, cwd):
    done = pitboss("check", *folder, "play", "--seed", "3", "--answers", "h", cwd=cwd)
    assert done.code == 0
    assert done.out.splitlines()[:3] == ["Blackjack, the seeded ladder: ada — accepted", "", "  play  accepted  1 of 1"]


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
    verdicts = dict(cells((tmp_path / "class.csv").read_text(), "submission", "deal"))
    assert {name: verdict for name, verdict in verdicts.items() if verdict != "ACCEPTED"} == {
        "barbara": "WRONG_ANSWER",
        "ken": "TIME_LIMIT_EXCEEDED",
    }
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


def test_verify_reports_outdated_cases_and_record_updates_them(pitboss, specs):
    assert pitboss("verify", "shuffle", "-a", "blackjack").out == (
        "blackjack: all 5 recorded cases match the reference\nblackjack shuffle: 31 of 31 known mistakes are caught\n"
    )
    correct_text = (specs / "play.yaml").read_text()
    (specs / "play.yaml").write_text(correct_text.replace("Player busts!", "Player busted!", 1))
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
    assert (specs / "play.yaml").read_text() == correct_text
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


@pytest.fixture
def specs(tmp_path):
    """A copy of the specs of blackjack below the current folder."""
    return shutil.copytree(ROOT / "specs" / "blackjack", tmp_path / "specs" / "blackjack")


def test_grade_runs_hidden_cases_and_check_does_not(pitboss, specs, tmp_path):
    text = (specs / "shuffle.yaml").read_text()
    hidden_case = "  - name: a secret one\n    visibility: hidden\n    seeds: 9\n    answers: []\n"
    (specs / "shuffle.yaml").write_text(text.replace("  - name:", f"{hidden_case}  - name:", 1))
    checked = pitboss("check", ADA, "shuffle", "-a", "blackjack")
    assert "shuffle  accepted  114 of 114" in checked.out
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ada").symlink_to(ADA)
    graded = pitboss("grade", "class", "shuffle", "-a", "blackjack", "--csv", "-")
    assert "ada,ACCEPTED,ACCEPTED,115,115" in graded.out
