import shlex
import subprocess

import pytest

from pitboss.cli.main import COMMANDS, exit_code_of
from tests.conftest import ROOT

NO_GRADEBOOK = "there is no such gradebook; `pitboss grade` creates one"
ADA = ROOT / "examples" / "blackjack" / "ada"
STAGES = "its stages are shuffle, deal, play, betting, errors, extra"
#: Wrong command lines, and what pitboss prints.
WRONG_COMMANDS = {
    "chek": f"there is no command 'chek' — there are {', '.join(sorted(COMMANDS))}; did you mean 'check'? (see pitboss --help)",
    "check plya": "plya: there is no file or folder of this name, and no assignment has a stage 'plya'; did you "
    "mean 'play'?",
    "verify csc101": "csc101 is an assignment, not a stage — give it as --assignment csc101",
    f"check {'x' * 300}": f"{'x' * 300}: there is no file or folder of this name, and no assignment has a stage "
    f"'{'x' * 300}'",
    f"check {ADA} beting -a blackjack": f"blackjack has no stage 'beting' — {STAGES}; did you mean 'betting'?",
    "check README.md": "README.md: this is a file; give the folder that contains the programs, an archive of "
    "them, or one program's source",
    f"check {ADA} -a blakjack": "there is no assignment 'blakjack' — known are bjm0, blackjack, csc101, ece2036, "
    "tournament; did you mean 'blackjack'?",
    f"check {ADA} play --seed 1.5": "Invalid value for '--seed': '1.5' is not a seed — a seed is a whole number "
    "from -2147483648 to 2147483647 (see pitboss check --help)",
    f"check {ADA} play --answers hs": "--answers and --player need --seed: in this assignment the first line "
    "typed is a seed",
    f"check {ADA} play --seed 1 --player 'hit under 17'": "there is no player 'hit under 17' — known are stand "
    "at once, hit below 17, hit below 21, hit until bust, one hand, five hands, double on 9 to 11, odd bets, always "
    "double, bet the table limits, make every error, double too late, an evening of three, a full table, one who "
    "folds; did you mean 'hit below 17'?",
    f"check {ADA} play --case 'player bust'": f"{ROOT}/specs/blackjack/play.yaml: play has no case 'player bust'; "
    "did you mean 'player busts'?",
    f"check {ADA} shuffle --case xyzzy": f"{ROOT}/specs/blackjack/shuffle.yaml: shuffle has no case 'xyzzy' — its "
    "cases are seed 0 leaves the deck in order, seed 1, a negative seed, the largest seed, fifty other decks, seeds "
    "of all sizes, a number with a sign, a zero and a blank",
    f"check {ADA} --case 'player busts'": "--case needs one stage: name it, as in pitboss check play --case NAME",
    f"check {ADA} --sandbox strong": "Invalid value for '--sandbox': 'strong' is not one of 'auto', 'require', "
    "'bubblewrap', 'landlock', 'none'. (see pitboss check --help)",
    "record play -a blackjack --answers a,b --case new": "--answers needs --seed: in this assignment the first line "
    "typed is the seed",
    "check --jobs 0": "Invalid value for '--jobs' / '-j': '0' is not a whole number from 1 to 256 (see pitboss "
    "check --help)",
    "workflow blackjack --minutes ten": "Invalid value for '--minutes': 'ten' is not a whole number from 1 to "
    "360 (see pitboss workflow --help)",
    "similar book --common 1": "Invalid value for '--common': '1' is not a whole number from 2 on (see pitboss "
    "similar --help)",
    "check --json": "Option '--json' requires an argument. (see pitboss check --help)",
    "scores": "Missing argument 'GRADEBOOK'. (see pitboss scores --help)",
    "regrade nowhere": f"nowhere: {NO_GRADEBOOK}",
    "starter blackjack --into empty/kit": "empty/kit: the folder cannot be created: Not a directory",
    "schema empty/here": "empty/here: the folder cannot be created: Not a directory",
    "record play -a blackjack --case 'player bust'": "there is no case 'player bust' in play; to add one, give "
    "--play, --seed or --answers; did you mean 'player busts'?",
    "workflow blackjack --bundle ''": "--bundle is empty — give the path of the archive in the repository",
    "verify -a ./empty": "./empty: there is no assignment.yaml in this folder",
}


@pytest.fixture
def working_folder(tmp_path, monkeypatch):
    """The current folder, with an empty file `empty`."""
    (tmp_path / "empty").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", WRONG_COMMANDS, ids=lambda command: command[:40])
def test_a_wrong_command_line_is_reported_in_one_sentence(working_folder, capsys, command):
    (working_folder / "README.md").write_text("How to play\n")
    outcome = exit_code_of(shlex.split(command)), *capsys.readouterr()
    assert outcome == (2, "", f"pitboss: {WRONG_COMMANDS[command]}\n")


def test_grading_with_an_empty_roster_leaves_no_files(working_folder, reachable, capsys, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(reachable))
    (working_folder / "class" / "ada").mkdir(parents=True)
    (working_folder / "class" / "ada" / "shuffle.c").write_text("int main(void) { return 0; }\n")
    assert exit_code_of(["grade", "class", "shuffle", "-a", "blackjack", "--roster", "empty"]) == 2
    assert capsys.readouterr().err.endswith("pitboss: empty: the file is empty\n")
    assert sorted(path.name for path in working_folder.iterdir()) == ["class", "empty"]
    assert list(reachable.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("check closed play", "closed: it cannot be used: Permission denied"),
        ("verify -a ./closed", "closed/assignment.yaml: it cannot be used: Permission denied"),
        ("starter blackjack --into closed/kit", "closed/kit: it cannot be used: Permission denied"),
        ("new mine --program closed/play.c", "closed/play.c: it cannot be used: Permission denied"),
    ],
)
def test_a_folder_without_permissions_is_reported(reachable, command_as, arguments, sentence):
    """Runs as an ordinary user, since permissions do not stop root."""
    (reachable / "closed").mkdir(0)
    command = command_as("ordinary user")
    argv = [*command.argv, *arguments.split()]
    result = subprocess.run(argv, cwd=reachable, env=command.environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"pitboss: {sentence}\n")
