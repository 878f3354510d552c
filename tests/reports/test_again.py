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

#: Echoes each typed line until the line is “q” or the input ends; exits with code 3 if the line is “fail”.
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
#: Differs from the reference in one letter (“Sead”), so that every session fails.
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
def work_folder(tmp_path, monkeypatch):
    """The current folder, with the assignment in a subfolder and the program in three folders."""
    parent = tmp_path / "it's here"
    specs = parent / "my specs" / "echo"
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
        (parent / folder).mkdir(exist_ok=True)
        (parent / folder / "echo.py").write_text(PROGRAM)
    monkeypatch.chdir(parent)
    return parent


def run_pitboss(arguments, tmp_path):
    """Runs the command with a JSON report; returns its exit code and the report, if there is one."""
    path = tmp_path / "report.json"
    path.unlink(missing_ok=True)
    code = exit_code_of([*arguments, "--json", str(path), "--sandbox", "landlock"])
    return code, json.loads(path.read_text()) if path.exists() else None


def shell_words(command):
    """The command's arguments as a shell splits them."""
    shell = subprocess.run(
        ["sh", "-c", f"pitboss() {{ printf '%s\\0' \"$@\"; }}\n{command}"], capture_output=True, text=True, check=True
    )
    return shell.stdout.split("\0")[:-1]


def outcome(result):
    """The parts of a result that a rerun must reproduce."""
    return result["expected"], result["actual"], result["verdict"], result["summary"]


@pytest.mark.parametrize("folder", [".", "./-v ada's", "./echo"])
def test_every_printed_command_reruns_its_session(work_folder, tmp_path, folder, capsys):
    code, report = run_pitboss(["check", folder, "-a", "my specs/echo", "--hidden"], tmp_path)
    assert code == 1
    failed = [failure for failure in report["results"] if failure["verdict"] != "ACCEPTED"]
    assert len(failed) == len(CASES) + 2  # the case “many” has three seeds
    assert [failure["case"] for failure in failed if not failure["replay"]] == []
    # All commands are run for the folder whose name is hardest to quote, and two for each of the others.
    for failure in failed if folder == "./-v ada's" else failed[:2]:
        code, rerun = run_pitboss(shell_words(failure["replay"]), tmp_path)
        assert (code, [outcome(result) for result in rerun["results"]]) == (1, [outcome(failure)]), failure["replay"]
    printed = capsys.readouterr().out
    assert f"  again: {failed[0]['replay']}\n" in printed


def test_a_command_names_the_options_of_its_session(work_folder, tmp_path):
    _, report = run_pitboss(["check", "-a", "my specs/echo", "--hidden"], tmp_path)
    start = "pitboss check echo --assignment 'my specs/echo'"
    commands = {entry["case"]: entry["replay"] for entry in report["results"]}
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
    _, report = run_pitboss(["check", "./-v ada's", "-a", "my specs/echo"], tmp_path)
    assert report["results"][0]["replay"] == (
        "pitboss check './-v ada'\"'\"'s' echo --assignment 'my specs/echo' --seed 3 --answers hsq"
    )


def test_a_session_requested_by_options_can_be_rerun(work_folder, tmp_path):
    for options in (["--seed", "5", "--player", "a player, with 'quotes'"], ["--seed=-5", "--answers=-5,q"]):
        _, report = run_pitboss(["check", "echo", "-a", "my specs/echo", *options], tmp_path)
        (entry,) = report["results"]
        code, rerun = run_pitboss(shell_words(entry["replay"]), tmp_path)
        assert (code, [outcome(result) for result in rerun["results"]]) == (1, [outcome(entry)])


@pytest.mark.parametrize(
    "options",
    [
        ["--answers", "100,d,50,c"],
        pytest.param([], marks=pytest.mark.slow),
        pytest.param(["--player", "a saver"], marks=pytest.mark.slow),
        pytest.param(["--answers", ""], marks=pytest.mark.slow),
    ],
)
def test_a_session_without_a_seed_can_be_rerun(tmp_path, options, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = (ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c").read_text()
    (tmp_path / "teller.c").write_text(source.replace("Opening", "Opned"))
    first_code, report = run_pitboss(["check", "teller", "-a", f"{TOY}", *options], tmp_path)
    assert first_code == (3 if "" in options else 1)  # 3: where nothing is typed, the reference itself fails
    assert report["results"]
    for entry in report["results"]:
        code, rerun = run_pitboss(shell_words(entry["replay"]), tmp_path)
        outcomes = [outcome(result) for result in rerun["results"]]
        assert (code, outcomes) == (first_code, [outcome(entry)]), entry["replay"]


#: The options of a check of the dice game, and what the command of its first failure has in their place.
RANDOM_SESSIONS = [
    ([], " --case 'a careful player #"),
    (["--answers", "r,r,h"], " --answers rrh"),
    (["--player", "bold"], " --player bold"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "rerun_options"), RANDOM_SESSIONS)
def test_a_session_with_random_draws_is_rerun_with_the_same_draws(tmp_path, options, rerun_options, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dice = TOY.parent / "dice"
    (tmp_path / "pig.py").write_text((dice / "pig").read_text().replace("You keep", "You  keep"))
    _, report = run_pitboss(["check", "pig", "-a", f"{dice}", *options], tmp_path)
    failure = next(failure for failure in report["results"] if failure["verdict"] == "WRONG_ANSWER")
    assert rerun_options in failure["replay"]
    _, rerun = run_pitboss(shell_words(failure["replay"]), tmp_path)
    assert [outcome(result) for result in rerun["results"] if result["case"] == failure["case"]] == [outcome(failure)]
    # A command that names a session's number runs this session alone; one with the check's options runs all sessions.
    assert len(rerun["results"]) == (len(report["results"]) if options else 1)


def test_a_session_number_beyond_those_of_the_spec_can_be_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dice = TOY.parent / "dice"
    shutil.copy(dice / "pig", tmp_path / "pig.py")
    command = ["check", "pig", "-a", f"{dice}", "--case", "a careful player #1717"]
    (code, first_report), (_, second_report) = run_pitboss(command, tmp_path), run_pitboss(command, tmp_path)
    assert code == 0
    assert [entry["case"] for entry in first_report["results"]] == ["a careful player #1717"]
    assert first_report == second_report


def test_the_command_after_random_draws_names_the_case_or_the_answers(tmp_path):
    """Other draws may need other typed lines, so the command repeats the answers or the player instead of the lines."""
    (stage,) = load_assignment(TOY.parent / "dice").stages
    careful = stage.spec.cases[1]
    typed = (Shown(b"Roll or hold? [r/h] "), Typed(b"r"), Shown(b"A one\n"))
    start = "pitboss check pig --assignment dice"
    assert (
        rerun_command(rerun_of(Session(stage, careful, number=3), typed, "dice"))
        == f"{start} --case 'a careful player #3'"
    )
    requested = Case(
        "the requested session",
        Generated((None,), Answers((b"r", b"r", b"h"))),
        stage.policy,
        place=str(stage.spec.path),
    )
    assert rerun_command(rerun_of(Session(stage, requested), typed, "dice")) == f"{start} --answers rrh"
    with_own_policy = msgspec.structs.replace(careful, policy=EXACT)
    assert (
        rerun_command(rerun_of(Session(stage, with_own_policy, number=3), typed, "dice"))
        == f"{start} --case 'a careful player #3'"
    )
    not_utf8 = msgspec.structs.replace(requested, session=Generated((None,), Answers((b"\xff",))))
    assert rerun_of(Session(stage, not_utf8), typed, "dice") is None  # a command line cannot contain these answers


def test_a_program_named_like_a_stage_is_not_taken_for_a_folder(pitboss, tmp_path):
    shutil.copytree(ROOT / "examples" / "blackjack" / "ada", tmp_path / "kit")
    for name in ("play", "shuffle"):
        (tmp_path / "kit" / name).write_text("a program that make has made\n")
    completed = pitboss("check", "play", "--seed", "3", "--answers", "hs", cwd=tmp_path / "kit")
    assert (completed.code, completed.err) == (0, "")
    assert pitboss("check", "shuffle", "play", "--seed", "3", cwd=tmp_path / "kit").code == 0


def test_a_folder_named_like_a_stage_is_printed_with_its_path(pitboss, tmp_path):
    shutil.copytree(ROOT / "examples" / "blackjack" / "brian", tmp_path / "play")
    completed = pitboss("check", "./play", "play", "--seed", "3", "--answers", "h", "-a", "blackjack", "--details")
    assert "  again: pitboss check ./play play --assignment blackjack --seed 3 --answers h\n" in completed.out
    assert "  smallest failing session: pitboss hunt ./play play --assignment blackjack\n" in completed.out


#: Each example submission and the name of its assignment; `examples/assignments` is not a class.
EXAMPLES = [
    (submission, class_folder.name)
    for class_folder in sorted((ROOT / "examples").iterdir())
    if class_folder.name != "assignments"
    for submission in sorted(class_folder.iterdir())
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "assignment"), EXAMPLES, ids=[f"{path.parent.name}-{path.name}" for path, _ in EXAMPLES]
)
def test_commands_printed_for_every_example_run_in_a_shell(path, assignment, tmp_path, pitboss):
    """The first two and the last two commands of the report on each example."""
    shutil.copytree(path, tmp_path / "mine")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pitboss").write_text(f'#!/bin/sh\nexec "{ROOT}/.venv/bin/pitboss" "$@"\n')
    (tmp_path / "bin" / "pitboss").chmod(0o755)
    pitboss("check", "-a", assignment, "--json", "../report.json", cwd=tmp_path / "mine")
    report = json.loads((tmp_path / "report.json").read_text())
    failed = [failure for failure in report["results"] if failure["verdict"] not in ("ACCEPTED", "SKIPPED")]
    for failure in failed[:2] + failed[-2:]:
        completed = subprocess.run(
            f"{failure['replay']} --json ../again.json",
            shell=True,
            cwd=tmp_path / "mine",
            capture_output=True,
            text=True,
            env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"},
            check=False,
            timeout=200,
        )
        assert completed.returncode in (0, 1), (failure["replay"], completed.stderr)
        rerun_results = json.loads((tmp_path / "again.json").read_text())["results"]
        if " --seed " in failure["replay"] or (" --case " in failure["replay"] and assignment in ("blackjack", "bjm0")):
            assert [outcome(result) for result in rerun_results] == [outcome(failure)], failure["replay"]


@pytest.mark.slow
def test_a_session_found_by_hunt_can_be_rerun(pitboss, tmp_path):
    shutil.copytree(ROOT / "examples" / "blackjack" / "brian", tmp_path / "play")
    hunted = pitboss("hunt", "./play", "play", "-a", "blackjack")
    (command,) = [line.partition("again: ")[2] for line in hunted.out.splitlines() if "again: " in line]
    assert command.startswith("pitboss check ./play play --assignment blackjack --seed ")
    assert pitboss(*shell_words(command)).code == 1
