"""Every command that a report prints holds that session again, in a shell, from where the report was made."""

import json
import shutil
import subprocess

import msgspec
import pytest

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.assignment import Answers, Case, Generated
from pitboss.assignments.cases import Session
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.main import exit_code_of
from pitboss.model.comparison_policy import EXACT
from pitboss.model.transcript import Shown, Typed
from pitboss.reports.shell_commands import rerun_command
from tests.conftest import ROOT, TOY

#: It says what it was typed until the input ends or somebody quits, and ends with another code where it is told so.
REFERENCE = """
def main(console):
    console.write("Seed: ")
    seed = console.read_line()
    console.write(f"{seed}\\n")
    while True:
        console.write("> ")
        line = console.read_line()
        if line is None or line == "q":
            return 0
        if line == "fail":
            return 3
        console.write(f"[{line}]\\n")


def player(shown, lines):
    return "q" if len(lines) > 2 else "a, b"
"""
#: Right but for one letter, so that every session fails.
PROGRAM = """
import sys

def ask(prompt):
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    return line.rstrip("\\n") if line else None

print(ask("Sead: "))
while True:
    line = ask("> ")
    if line is None or line == "q":
        break
    if line == "fail":
        sys.exit(3)
    print(f"[{line}]")
"""
CASES = [
    {"name": "letters", "seeds": "3", "answers": ["h", "s", "q"]},
    {"name": "many", "seeds": "4..6", "answers": ["900", "q"]},
    {"name": "digits", "seeds": "-7", "answers": ["9", "0", "0", "q"]},
    {"name": "commas", "seeds": "8", "answers": ["a,b", ",", "q"]},
    {"name": "blanks", "seeds": "9", "answers": ["a b", " ", "", "", "q"]},
    {"name": "dashes", "seeds": "10", "answers": ["-5", "--case", "-", "q"]},
    {"name": "-d, and a dash in front", "seeds": "11", "answers": ["a,b", "q"]},
    {"name": "quotes: ' \" ` $HOME \\ ! * ~", "seeds": "12", "answers": ["', \"`$HOME\\!*~", "q"]},
    {"name": "a wide\u3000blank", "seeds": "13", "answers": [",", "q"]},
    {"name": "  two blanks  ü♣ and one after ", "seeds": "14", "answers": [",", "q"]},
    {"name": "no answers", "seeds": "15", "answers": []},
    {"name": "a player", "seeds": "16", "player": "a player, with 'quotes'"},
    {"name": "the input ends", "seeds": "22", "answers": ["a", "<eof>"]},
    {"name": "the input ends at once", "seeds": "23", "answers": ["<eof>"]},
    {"name": "no mark", "seeds": "24", "answers": ["\\<eof>", "\\...", "q"]},
    {"name": "a player who ends the input", "seeds": "25", "player": "a guest"},
    {"name": "hidden", "seeds": "17", "answers": ["x,", "q"], "visibility": "hidden"},
    {"name": "hidden and plain", "seeds": "17", "answers": ["x", "q"], "visibility": "hidden"},
    {"name": "another policy", "seeds": "18", "answers": ["h", "q"], "compare": {"letter_case": "ignored"}},
    {"name": "another exit", "seeds": "19", "answers": ["fail"], "exit": "3"},
    {"name": "recorded", "transcript": "Seed: <<20>>\n20\n> <<q>>\n"},
    {"name": "recorded where the input ends", "transcript": "Seed: <<20>>\n20\n> <eof><no-eol>\n"},
    {"name": "recorded and hidden", "transcript": "Seed: <<21>>\n21\n> <<q>>\n", "visibility": "hidden"},
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Somebody's folder, with an assignment in a folder of its own and programs that were made meanwhile."""
    here = tmp_path / "it's here"
    specs = here / "my specs" / "echo"
    specs.mkdir(parents=True)
    (specs / "echoing_twice.py").write_text(REFERENCE)
    (specs / "assignment.yaml").write_text(
        json.dumps(
            {
                "title": "Echo",
                "players": {
                    "a player, with 'quotes'": "echoing_twice:player",
                    "a guest": [{"prompt": "> ", "answers": ["hello", "<eof>"]}],
                },
                "stages": [{"name": "echo", "reference": "echoing_twice:main"}],
            }
        )
    )
    (specs / "echo.yaml").write_text(json.dumps({"program": "echo", "cases": CASES}, indent=1))
    for folder in ("-v ada's", "echo", "."):
        (here / folder).mkdir(exist_ok=True)
        (here / folder / "echo.py").write_text(PROGRAM)
    monkeypatch.chdir(here)
    return here


def run(arguments, tmp_path):
    """The exit code of a command, and its report."""
    path = tmp_path / "report.json"
    path.unlink(missing_ok=True)
    code = exit_code_of([*arguments, "--json", str(path), "--sandbox", "landlock"])
    return code, json.loads(path.read_text()) if path.exists() else None


def words_of(command):
    """The words that a shell makes of a command."""
    shell = subprocess.run(
        ["sh", "-c", f"pitboss() {{ printf '%s\\0' \"$@\"; }}\n{command}"], capture_output=True, text=True, check=True
    )
    return shell.stdout.split("\0")[:-1]


def session(result):
    return result["expected"], result["actual"], result["verdict"], result["summary"]


@pytest.mark.parametrize("folder", [".", "./-v ada's", "./echo"])
def test_every_command_holds_its_session_again(place, tmp_path, folder, capsys):
    code, report = run(["check", folder, "-a", "my specs/echo", "--hidden"], tmp_path)
    assert code == 1
    failed = [one for one in report["results"] if one["verdict"] != "ACCEPTED"]
    assert len(failed) == len(CASES) + 2
    assert [one["case"] for one in failed if not one["replay"]] == []
    for one in failed if folder == "./-v ada's" else failed[:2]:
        code, again = run(words_of(one["replay"]), tmp_path)
        assert (code, [session(held) for held in again["results"]]) == (1, [session(one)]), one["replay"]
    out = capsys.readouterr().out
    assert f"  again: {failed[0]['replay']}\n" in out


def test_what_a_command_looks_like(place, tmp_path):
    _, report = run(["check", "-a", "my specs/echo", "--hidden"], tmp_path)
    start = "pitboss check echo --assignment 'my specs/echo'"
    commands = {one["case"]: one["replay"] for one in report["results"]}
    assert commands["letters, seed 3"] == f"{start} --seed 3 --answers hsq"
    assert commands["no answers, seed 15"] == f"{start} --seed 15"
    assert commands["recorded"] == f"{start} --case recorded"
    assert commands["recorded and hidden"] == f"{start} --case 'recorded and hidden' --hidden"
    assert commands["hidden and plain, seed 17"] == f"{start} --seed 17 --answers xq"
    assert commands["the input ends, seed 22"] == f"{start} --seed 22 --answers 'a<eof>'"
    assert commands["the input ends at once, seed 23"] == f"{start} --seed 23 --answers '<eof>'"
    assert commands["no mark, seed 24"] == rf"{start} --seed 24 --answers '\<eof>,\...,q'"
    assert commands["a player who ends the input, seed 25"] == f"{start} --seed 25 --answers 'hello,<eof>'"
    assert commands["another policy, seed 18"] == f"{start} --case 'another policy, seed 18'"
    _, report = run(["check", "./-v ada's", "-a", "my specs/echo"], tmp_path)
    assert report["results"][0]["replay"] == (
        "pitboss check './-v ada'\"'\"'s' echo --assignment 'my specs/echo' --seed 3 --answers hsq"
    )


def test_a_game_that_was_asked_for_is_asked_for_again(place, tmp_path):
    for options in (["--seed", "5", "--player", "a player, with 'quotes'"], ["--seed=-5", "--answers=-5,q"]):
        _, report = run(["check", "echo", "-a", "my specs/echo", *options], tmp_path)
        (one,) = report["results"]
        code, again = run(words_of(one["replay"]), tmp_path)
        assert (code, [session(held) for held in again["results"]]) == (1, [session(one)])


@pytest.mark.parametrize(
    "options",
    [
        ["--answers", "100,d,50,c"],
        pytest.param([], marks=pytest.mark.slow),
        pytest.param(["--player", "a saver"], marks=pytest.mark.slow),
        pytest.param(["--answers", ""], marks=pytest.mark.slow),
    ],
)
def test_a_session_without_a_seed_is_held_again(tmp_path, options, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = (ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c").read_text()
    (tmp_path / "teller.c").write_text(source.replace("Opening", "Opned"))
    first, report = run(["check", "teller", "-a", f"{TOY}", *options], tmp_path)
    assert first == (3 if "" in options else 1)  # the reference itself fails where nothing is typed
    assert report["results"]
    for one in report["results"]:
        code, again = run(words_of(one["replay"]), tmp_path)
        assert (code, [session(held) for held in again["results"]]) == (first, [session(one)]), one["replay"]


ANEW = [
    ([], " --case 'a careful player #"),
    (["--answers", "r,r,h"], " --answers rrh"),
    (["--player", "bold"], " --player bold"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "typed"), ANEW)
def test_a_session_that_draws_is_held_again_with_its_draws(tmp_path, options, typed, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dice = TOY.parent / "dice"
    (tmp_path / "pig.py").write_text((dice / "pig").read_text().replace("You keep", "You  keep"))
    _, report = run(["check", "pig", "-a", f"{dice}", *options], tmp_path)
    one = next(one for one in report["results"] if one["verdict"] == "WRONG_ANSWER")
    assert typed in one["replay"]
    _, again = run(words_of(one["replay"]), tmp_path)
    assert [session(held) for held in again["results"] if held["case"] == one["case"]] == [session(one)]
    assert len(again["results"]) == (1 if not options else len(report["results"]))


def test_a_session_beyond_those_of_the_spec_is_held_by_its_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dice = TOY.parent / "dice"
    shutil.copy(dice / "pig", tmp_path / "pig.py")
    command = ["check", "pig", "-a", f"{dice}", "--case", "a careful player #1717"]
    (code, first), (_, again) = run(command, tmp_path), run(command, tmp_path)
    assert code == 0
    assert [held["case"] for held in first["results"]] == ["a careful player #1717"]
    assert first == again


def test_what_is_typed_into_a_program_that_draws_is_the_command(tmp_path):
    """Its lines are not those of another draw, so the command has the same answers or the same player typed."""
    (stage,) = load_assignment(TOY.parent / "dice").stages
    careful = stage.spec.cases[1]
    typed = (Shown(b"Roll or hold? [r/h] "), Typed(b"r"), Shown(b"A one\n"))
    start = "pitboss check pig --assignment dice"
    assert (
        rerun_command(rerun_of(Session(stage, careful, None, 3), typed, "dice"))
        == f"{start} --case 'a careful player #3'"
    )
    asked = Case(
        "the game asked for", Generated((None,), Answers((b"r", b"r", b"h"))), stage.policy, place=str(stage.spec.path)
    )
    assert rerun_command(rerun_of(Session(stage, asked), typed, "dice")) == f"{start} --answers rrh"
    lenient = msgspec.structs.replace(careful, policy=EXACT)
    assert (
        rerun_command(rerun_of(Session(stage, lenient, None, 3), typed, "dice"))
        == f"{start} --case 'a careful player #3'"
    )
    unwritable = msgspec.structs.replace(asked, session=Generated((None,), Answers((b"\xff",))))
    assert rerun_of(Session(stage, unwritable), typed, "dice") is None


def test_a_program_called_as_the_stage_is_no_folder(pitboss, tmp_path):
    shutil.copytree(ROOT / "examples" / "blackjack" / "ada", tmp_path / "kit")
    for name in ("play", "shuffle"):
        (tmp_path / "kit" / name).write_text("a program that make has made\n")
    done = pitboss("check", "play", "--seed", "3", "--answers", "hs", cwd=tmp_path / "kit")
    assert (done.code, done.err) == (0, "")
    assert pitboss("check", "shuffle", "play", "--seed", "3", cwd=tmp_path / "kit").code == 0


def test_a_folder_called_as_a_stage_is_named_with_its_path(pitboss, tmp_path):
    shutil.copytree(ROOT / "examples" / "blackjack" / "brian", tmp_path / "play")
    done = pitboss("check", "./play", "play", "--seed", "3", "--answers", "h", "-a", "blackjack", "--details")
    assert "  again: pitboss check ./play play --assignment blackjack --seed 3 --answers h\n" in done.out
    assert "  smallest failing session: pitboss hunt ./play play --assignment blackjack\n" in done.out


EXAMPLES = [
    (path, assignment.name)
    for assignment in sorted(path for path in (ROOT / "examples").iterdir() if path.name != "assignments")
    for path in sorted(assignment.iterdir())
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "assignment"), EXAMPLES, ids=[f"{path.parent.name}-{path.name}" for path, _ in EXAMPLES]
)
def test_every_command_of_every_example_is_run_in_a_shell(path, assignment, tmp_path, pitboss):
    """Of each stage the first commands of each kind."""
    shutil.copytree(path, tmp_path / "mine")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pitboss").write_text(f'#!/bin/sh\nexec "{ROOT}/.venv/bin/pitboss" "$@"\n')
    (tmp_path / "bin" / "pitboss").chmod(0o755)
    pitboss("check", "-a", assignment, "--json", "../report.json", cwd=tmp_path / "mine")
    report = json.loads((tmp_path / "report.json").read_text())
    failed = [one for one in report["results"] if one["verdict"] not in ("ACCEPTED", "SKIPPED")]
    for one in failed[:2] + failed[-2:]:
        done = subprocess.run(
            f"{one['replay']} --json ../again.json",
            shell=True,
            cwd=tmp_path / "mine",
            capture_output=True,
            text=True,
            env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"},
            check=False,
            timeout=200,
        )
        assert done.returncode in (0, 1), (one["replay"], done.stderr)
        again = json.loads((tmp_path / "again.json").read_text())["results"]
        if " --seed " in one["replay"] or (" --case " in one["replay"] and assignment in ("blackjack", "bjm0")):
            assert [session(held) for held in again] == [session(one)], one["replay"]


@pytest.mark.slow
def test_a_hunted_game_is_held_again(pitboss, tmp_path):
    shutil.copytree(ROOT / "examples" / "blackjack" / "brian", tmp_path / "play")
    hunted = pitboss("hunt", "./play", "play", "-a", "blackjack")
    (command,) = [line.partition("again: ")[2] for line in hunted.out.splitlines() if "again: " in line]
    assert command.startswith("pitboss check ./play play --assignment blackjack --seed ")
    assert pitboss(*words_of(command)).code == 1
