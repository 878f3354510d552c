import importlib
import importlib.metadata
import os
import re
import subprocess
import sys

import click
import pytest

from pitboss.cli.common_options import WholeNumber
from pitboss.cli.main import COMMANDS, exit_code_of, pitboss
from tests.conftest import ROOT

HELP = """\
Usage: pitboss [OPTIONS] COMMAND [ARGS]...

  Check staged console programs against their reference, exactly and on any
  seed.

Options:
  -V, --version  Show the version and exit.
  -h, --help     Show this message and exit.

Check a program:
  check        Check the programs in a folder against the reference
  explain      Show the expected session of a case, step by step
  hunt         Play many games and show the smallest that fails
  play         Play the reference of a stage in the terminal

Grade a class:
  grade        Check a class: a folder, or a course platform's download
  regrade      Grade a class again, running only what has changed
  scores       Show the scores of a class, or how one student's score adds up
  mark         Give a student a style score, a comment or another due date
  review       Review a class in the browser
  merge        Merge the marks in copies of a gradebook into it
  similar      Show which submissions share passages
  policy       Show how another grading policy would change the scores
  export       Fill scores into a platform's table, or make a student bundle

Write an assignment:
  new          Create an assignment from a correct program
  record       Update recorded cases from the reference, or add a new case
  verify       Check the specs against the reference and known mistakes
  starter      Write a starter kit: skeletons, a makefile and a handout
  schema       Write JSON Schemas of the files that pitboss reads and writes

Check on another platform:
  gradescope   Build the autograder archive for Gradescope
  workflow     Write a GitHub Actions workflow that runs the checks

See what is available:
  assignments  List the assignments and their stages
  doctor       Show what works on this machine, and how to get the rest

  `pitboss COMMAND --help` explains a command.
"""
#: A word in the metavar of an argument, such as STAGE in [STAGE]...
ARGUMENT_WORD = re.compile(r"[A-Z]+")
#: Modules that take long to import: commands may need them, the help of a command must not import them.
SLOW_MODULES = (
    "distributed",
    "pitboss.checking.check",
    "pitboss.experiments.hunting.hunter",
    "pitboss.sessions.drivers",
    "jinja2",
    "lizard",
    "starlette",
    "uvicorn",
)
#: Modules that a check of an accepted program must not import, nor any of their submodules.
UNNEEDED_MODULES = (
    "asyncio",
    "concurrent.futures",
    "distributed",
    "email",
    "http",
    "jinja2",
    "lizard",
    "markdown_it",
    "multiprocessing",
    "rich.progress",
    "secrets",
    "sqlite3",
    "ssl",
    "starlette",
    "urllib.request",
    "uvicorn",
    "xml",
    *(
        "pitboss.unseeded",
        "pitboss.experiments.adequacy.gathering",
        "pitboss.experiments.hunting",
        "pitboss.experiments.mutants.trial",
    ),
    *("pitboss.reports.progress_bar", "pitboss.experiments.naming.diagnosis"),
)
#: Runs pitboss with each of the script's arguments in its own process, forked before pitboss is imported. Prints a line
#: for each: the argument, the exit code and all imported modules.
IMPORTS_SCRIPT = """
import os, sys
for words in sys.argv[1:]:
    sys.stdout.flush()
    if os.fork() == 0:
        out = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        from pitboss.cli.main import exit_code_of
        code = exit_code_of(words.split())
        os.write(out, f"{words}: {code} {' '.join(sys.modules)}\\n".encode())
        os._exit(0)
    os.wait()
"""


@pytest.fixture(scope="module")
def imports_by_arguments():
    """For each call that prints help or the version, by its arguments: a pair of exit code and imported modules."""
    calls = ["", "--help", "-V", *(f"{name} --help" for name in COMMANDS)]
    result = subprocess.run(
        [sys.executable, "-c", IMPORTS_SCRIPT, *calls],
        env={**os.environ, "PYTHONPATH": str(ROOT / "harness")},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    fields = (line.split(": ", 1) for line in result.stdout.splitlines())
    return {arguments: (int(text.split()[0]), set(text.split()[1:])) for arguments, text in fields}


@pytest.fixture
def run_pitboss(monkeypatch, capsys):
    """A function that runs pitboss in this process and returns its exit code, standard output and standard error."""

    def run(*arguments, columns=80):
        monkeypatch.setenv("COLUMNS", str(columns))
        code = exit_code_of(list(arguments))
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)], ids=str)
def test_the_help_is_complete_and_also_shown_without_arguments(run_pitboss, arguments):
    assert run_pitboss(*arguments) == (0, HELP, "")


@pytest.mark.parametrize("columns", [50, 60])
def test_no_summary_is_cut_in_a_narrow_terminal(run_pitboss, columns):
    _, output, _ = run_pitboss("--help", columns=columns)
    assert max(map(len, output.splitlines())) <= columns
    assert output.split() == HELP.split()


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_option_prints_the_installed_version(run_pitboss, option):
    assert run_pitboss(option) == (0, f"pitboss {importlib.metadata.version('pitboss')}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_summary_is_the_first_line_of_the_help_of_its_command(name):
    entry = COMMANDS[name]
    command = getattr(importlib.import_module(f"pitboss.cli.{entry.module}"), name)
    first_line = command.help.partition("\n")[0]
    assert first_line == f"{entry.summary}.", (
        f"the docstring of `{name}` begins otherwise than its summary in harness/pitboss/cli/main.py"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_has_help_and_the_help_names_each_argument(name):
    command = getattr(importlib.import_module(f"pitboss.cli.{COMMANDS[name].module}"), name)
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    assert [option.name for option in options if not (option.help or "").endswith(".")] == []
    words = {
        word
        for argument in command.params
        if isinstance(argument, click.Argument)
        for word in ARGUMENT_WORD.findall(argument.metavar or str(argument.name).upper())
    }
    assert {word for word in words if word.lower() not in command.help.lower()} == set()


@pytest.mark.parametrize("arguments", ["", "--help"])
def test_the_list_of_commands_imports_no_command(imports_by_arguments, arguments):
    code, modules = imports_by_arguments[arguments]
    assert code == 0
    assert modules & {"rich", "yaml", "msgspec", "msgspec._core", "importlib.metadata"} == set()
    pitboss_modules = {
        name
        for name in modules
        if name.startswith("pitboss.") and not name.startswith(("pitboss.machine", "pitboss.sandbox"))
    }
    assert pitboss_modules == {"pitboss.cli", "pitboss.cli.main", "pitboss.errors"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_imports_no_slow_module(imports_by_arguments, name):
    code, modules = imports_by_arguments[f"{name} --help"]
    # These commands run the reference themselves.
    needed = {"pitboss.sessions.drivers"} if name in ("new", "record", "verify", "starter") else set()
    assert (code, modules & set(SLOW_MODULES) - needed) == (0, set())


def test_a_check_of_an_accepted_program_imports_only_what_it_needs():
    submission, assignment = ROOT / "tests/submissions/ACCEPTED/python", ROOT / "tests/toy/teller"
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pitboss", "check", submission, "-a", assignment, "--sandbox=none"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "harness"), "PITBOSS_WITHOUT": "cache"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    imported_modules = {
        line.rpartition("|")[2].strip() for line in result.stderr.splitlines() if line.startswith("import time:")
    }
    assert (result.returncode, "pitboss.compare.seeded" in imported_modules) == (0, True), result.stdout
    assert [
        name
        for name in sorted(imported_modules)
        if f"{name}.".startswith(tuple(f"{module}." for module in UNNEEDED_MODULES))
    ] == []


def test_each_listed_module_exists():
    """If a module were renamed, but not in these lists, the tests above would not notice that it is imported."""
    assert [name for name in (*SLOW_MODULES, *UNNEEDED_MODULES) if importlib.util.find_spec(name) is None] == []


def test_an_unknown_command_is_reported_with_the_nearest_name(run_pitboss):
    names = ", ".join(sorted(COMMANDS))
    error = f"pitboss: there is no command 'greade' — there are {names}; did you mean 'grade'? (see pitboss --help)\n"
    assert run_pitboss("greade") == (2, "", error)


def test_each_number_on_the_command_line_is_a_whole_number():
    """click says only that 'banana' is no valid integer range; a WholeNumber says what is allowed."""
    context = click.Context(pitboss)
    numbers = (click.types.IntParamType, click.types.FloatParamType)
    own = [
        (name, parameter.name)
        for name in COMMANDS
        for parameter in pitboss.get_command(context, name).params
        if isinstance(parameter.type, numbers) and not isinstance(parameter.type, WholeNumber)
    ]
    assert own == []
