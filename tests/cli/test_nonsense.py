"""What is not there, not readable or no such value: a sentence and exit code 2, whichever command is asked."""

import subprocess

import pytest

from pitboss.cli.main import exit_code_of

EMPTY = "this file is empty; `pitboss grade` creates a gradebook"
NO_BOOK = "there is no such gradebook; `pitboss grade` creates one"
NO_FILE = "No such file or directory"
SAID = {
    "a number too low": (
        ["check", "--jobs", "0"],
        "Invalid value for '--jobs' / '-j': '0' is not a whole number from 1 to 256 (see pitboss check --help)",
    ),
    "a number that is none": (
        ["workflow", "blackjack", "--minutes", "ten"],
        "Invalid value for '--minutes': 'ten' is not a whole number from 1 to 360 (see pitboss workflow --help)",
    ),
    "a number without an end": (
        ["similar", "book", "--common", "1"],
        "Invalid value for '--common': '1' is not a whole number from 2 on (see pitboss similar --help)",
    ),
    "an option without its value": (
        ["check", "--json"],
        "Option '--json' requires an argument. (see pitboss check --help)",
    ),
    "a missing argument": (["scores"], "Missing argument 'GRADEBOOK'. (see pitboss scores --help)"),
    "a gradebook that is not there": (["regrade", "nowhere"], f"nowhere: {NO_BOOK}"),
    "an empty gradebook": (["review", "empty"], f"empty: {EMPTY}"),
    "a folder for a gradebook": (["similar", "."], ".: the gradebook cannot be opened: Is a directory"),
    "a kit below a file": (
        ["starter", "blackjack", "--into", "empty/kit"],
        "empty/kit: the folder cannot be created: Not a directory",
    ),
    "schemas below a file": (
        ["schema", "empty/here"],
        "empty/here: the folder cannot be created: Not a directory",
    ),
    "a case almost called so": (
        ["record", "play", "-a", "blackjack", "--case", "player bust"],
        "there is no case 'player bust' in play; to add one, give --play, --seed or --answers; did you mean "
        "'player busts'?",
    ),
    "an archive without a name": (
        ["workflow", "blackjack", "--bundle", ""],
        "--bundle is empty — give the path of the archive in the repository",
    ),
    "a program that is empty": (
        ["new", "mine", "--program", "nowhere.c"],
        "nowhere.c: there is no such file",
    ),
    "an assignment that is a file": (
        ["verify", "-a", "./empty"],
        "./empty: there is no assignment.yaml in this folder",
    ),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with an empty file, in which pitboss is called."""
    (tmp_path / "empty").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", SAID)
def test_it_is_reported_in_a_sentence(here, capsys, name):
    words, sentence = SAID[name]
    assert (exit_code_of(words), *capsys.readouterr()) == (2, "", f"pitboss: {sentence}\n")


def test_of_a_roster_that_is_wrong_nothing_is_left(here, reachable, capsys, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(reachable))
    (here / "class" / "ada").mkdir(parents=True)
    (here / "class" / "ada" / "shuffle.c").write_text("int main(void) { return 0; }\n")
    assert exit_code_of(["grade", "class", "shuffle", "-a", "blackjack", "--roster", "empty"]) == 2
    assert capsys.readouterr().err.endswith("pitboss: empty: the file is empty\n")
    assert sorted(path.name for path in here.iterdir()) == ["class", "empty"]
    assert list(reachable.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("check closed play", "closed: it cannot be used: Permission denied"),
        ("verify -a ./closed", "closed/assignment.yaml: it cannot be used: Permission denied"),
        ("starter blackjack --into closed/kit", "closed/kit: it cannot be used: Permission denied"),
        ("new mine --program closed/play.c", "closed/play.c: it cannot be used: Permission denied"),
    ],
)
def test_a_folder_that_is_closed_is_reported(reachable, command_as, words, sentence):
    """As an ordinary user: nothing is closed for root."""
    (reachable / "closed").mkdir(0)
    command = command_as("ordinary user")
    argv = [*command.argv, *words.split()]
    done = subprocess.run(argv, cwd=reachable, env=command.environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"pitboss: {sentence}\n")
