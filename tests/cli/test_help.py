"""`pitboss --help`: whole, grouped, and shown without importing what the commands need."""

import importlib
import importlib.metadata
import os
import re
import subprocess
import sys

import click
import pytest

from pitboss.cli.commands import COMMANDS, SECTIONS
from pitboss.cli.main import exit_code_of
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
#: A word of an argument's name in the usage line, such as [STAGE]...
WORD = re.compile(r"[A-Z]+")
#: What takes long to import and is needed by what a command does, never by its help.
HEAVY = (
    "distributed",
    "pitboss.checking.check",
    "pitboss.experiments.hunting.hunter",
    "pitboss.sessions.drivers",
    "jinja2",
    "lizard",
    "starlette",
    "uvicorn",
)
#: What a check of a program that is accepted has no use for, with all that is in it.
UNUSED = (
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
        "pitboss.experiments.mutation",
    ),
    *("pitboss.reports.progress_bar", "pitboss.experiments.naming.diagnosis", "pitboss.submissions.csharp"),
)
#: Runs each command line in a process of its own, forked before anything of pitboss is imported, and tells what it imported.
IMPORTED = """
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
def imported():
    """For each command line that shows a help: its exit code, and the modules that are imported for it."""
    lines = ["", "--help", "-V", *(f"{name} --help" for name in COMMANDS)]
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *lines],
        env={**os.environ, "PYTHONPATH": str(ROOT / "harness")},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    output = (line.split(": ", 1) for line in done.stdout.splitlines())
    return {words: (int(text.split()[0]), set(text.split()[1:])) for words, text in output}


@pytest.fixture
def said(monkeypatch, capsys):
    """Run the command in this process, in a terminal so wide: what it says, and its exit code."""

    def run(*words, columns=80):
        monkeypatch.setenv("COLUMNS", str(columns))
        code = exit_code_of(list(words))
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)], ids=str)
def test_the_help_is_whole_and_what_is_shown_where_nothing_is_asked(said, words):
    assert said(*words) == (0, HELP, "")


@pytest.mark.parametrize("columns", [50, 60])
def test_in_a_narrow_terminal_no_summary_is_cut(said, columns):
    _, output, _ = said("--help", columns=columns)
    assert max(map(len, output.splitlines())) <= columns
    assert output.split() == HELP.split()


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_is_that_of_the_installed_package(said, option):
    assert said(option) == (0, f"pitboss {importlib.metadata.version('pitboss')}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_summary_is_the_first_line_of_the_commands_own_help(name):
    entry = COMMANDS[name]
    command = getattr(importlib.import_module(f"pitboss.cli.{entry.module}"), name)
    first = command.help.partition("\n")[0]
    assert first == f"{entry.summary}.", (
        f"the docstring of `{name}` begins otherwise than its summary in harness/pitboss/cli/commands.py"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_has_help_and_the_text_names_each_argument(name):
    command = getattr(importlib.import_module(f"pitboss.cli.{COMMANDS[name].module}"), name)
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    assert [one.name for one in options if not (one.help or "").endswith(".")] == []
    words = {
        word
        for one in command.params
        if isinstance(one, click.Argument)
        for word in WORD.findall(one.metavar or str(one.name).upper())
    }
    assert {word for word in words if word.lower() not in command.help.lower()} == set()


def test_each_command_is_under_one_heading():
    assert len(COMMANDS) == sum(map(len, SECTIONS.values()))


@pytest.mark.parametrize("words", ["", "--help"])
def test_the_list_of_commands_imports_none_of_them(imported, words):
    code, modules = imported[words]
    assert code == 0
    assert modules & {"rich", "yaml", "msgspec", "msgspec._core", "importlib.metadata"} == set()
    rooms = {name for name in modules if name.startswith("pitboss.") and not name.startswith("pitboss.sandbox")}
    assert rooms == {
        "pitboss.cli",
        "pitboss.cli.commands",
        "pitboss.cli.main",
        "pitboss.cli.stopping",
        "pitboss.errors",
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_imports_nothing_heavy(imported, name):
    code, modules = imported[f"{name} --help"]
    # Which languages a kit can be in is said in its help, and known only where kits are made.
    needed = {"pitboss.sessions.drivers"} if name == "starter" else set()
    assert (code, modules & set(HEAVY) - needed) == (0, set())


def test_a_check_of_an_accepted_program_imports_only_what_it_needs():
    submission, assignment = ROOT / "tests/submissions/ACCEPTED/python", ROOT / "tests/toy/teller"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pitboss", "check", submission, "-a", assignment, "--sandbox=none"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "harness"), "PITBOSS_WITHOUT": "cache"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert (done.returncode, "pitboss.compare.seeded" in imported) == (0, True), done.stdout
    assert [name for name in sorted(imported) if f"{name}.".startswith(tuple(f"{one}." for one in UNUSED))] == []


def test_a_module_on_the_lists_is_one():
    """Else a renamed module would never be found again among those that are imported."""
    assert [name for name in (*HEAVY, *UNUSED) if importlib.util.find_spec(name) is None] == []


def test_the_nearest_command_is_reported(said):
    known = ", ".join(sorted(COMMANDS))
    sentence = (
        f"pitboss: there is no command 'greade' — there are {known}; did you mean 'grade'? (see pitboss --help)\n"
    )
    assert said("greade") == (2, "", sentence)
