import subprocess

import pytest

from pitboss.cli.main import exit_code_of

EMPTY_GRADEBOOK = "this file is empty; `pitboss grade` creates a gradebook"
NO_GRADEBOOK = "there is no such gradebook; `pitboss grade` creates one"
NO_FILE = "No such file or directory"
#: The arguments of pitboss and the error that it prints, by what is wrong.
USAGE_ERRORS = {
    "a number too low": (
        ["check", "--jobs", "0"],
        "Invalid value for '--jobs' / '-j': '0' is not a whole number from 1 to 256 (see pitboss check --help)",
    ),
    "a word for a number": (
        ["workflow", "blackjack", "--minutes", "ten"],
        "Invalid value for '--minutes': 'ten' is not a whole number from 1 to 360 (see pitboss workflow --help)",
    ),
    "a number too low where there is no highest": (
        ["similar", "book", "--common", "1"],
        "Invalid value for '--common': '1' is not a whole number from 2 on (see pitboss similar --help)",
    ),
    "an option without its value": (
        ["check", "--json"],
        "Option '--json' requires an argument. (see pitboss check --help)",
    ),
    "a missing argument": (["scores"], "Missing argument 'GRADEBOOK'. (see pitboss scores --help)"),
    "a gradebook that is not there": (["regrade", "nowhere"], f"nowhere: {NO_GRADEBOOK}"),
    "an empty gradebook": (["review", "empty"], f"empty: {EMPTY_GRADEBOOK}"),
    "a folder for a gradebook": (["similar", "."], ".: the gradebook cannot be opened: Is a directory"),
    "a kit below a file": (
        ["starter", "blackjack", "--into", "empty/kit"],
        "empty/kit: the folder cannot be created: Not a directory",
    ),
    "schemas below a file": (
        ["schema", "empty/here"],
        "empty/here: the folder cannot be created: Not a directory",
    ),
    "a case with a similar name": (
        ["record", "play", "-a", "blackjack", "--case", "player bust"],
        "there is no case 'player bust' in play; to add one, give --play, --seed or --answers; did you mean "
        "'player busts'?",
    ),
    "an archive without a name": (
        ["workflow", "blackjack", "--bundle", ""],
        "--bundle is empty — give the path of the archive in the repository",
    ),
    "a program that is not there": (
        ["new", "mine", "--program", "nowhere.c"],
        "nowhere.c: there is no such file",
    ),
    "an assignment that is a file": (
        ["verify", "-a", "./empty"],
        "./empty: there is no assignment.yaml in this folder",
    ),
}


@pytest.fixture
def working_folder(tmp_path, monkeypatch):
    """The current folder, with an empty file `empty`."""
    (tmp_path / "empty").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", USAGE_ERRORS)
def test_a_wrong_command_line_is_reported_in_one_sentence(working_folder, capsys, name):
    arguments, sentence = USAGE_ERRORS[name]
    assert (exit_code_of(arguments), *capsys.readouterr()) == (2, "", f"pitboss: {sentence}\n")


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
