import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.model.invocation import Script, script_of_lines
from pitboss.sandbox import landlock, sandbox, tools
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox, base_interpreter, conceal, interpreter_folders
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.submissions.confined_commands import run_confined
from pitboss.submissions.toolchains import interpreter
from tests.conftest import ROOT
from tests.drivers import InhabitedBubblewrapDriver

SANDBOXES = [pytest.param(Sandbox(level), id=level.value) for level in (Level.LANDLOCK, Level.BUBBLEWRAP)]
#: A C program that prints the first 8 bytes of each file named on its command line, or "-" if it cannot be read.
READS = (
    '#include <stdio.h>\nint main(int n, char **paths) { while (*++paths) { char text[9] = ""; FILE *f = fopen(*paths, "r");'
    ' puts(f && fread(text, 1, 8, f) > 0 ? text : "-"); } return 0; }\n'
)


def session_text(driver, argv, folder, sandbox):
    with driver(Program(argv, folder), Limits(idle_s=5, memory_mb=512), sandbox) as sessions:
        ((_, transcript),) = sessions.sessions([Script(script_of_lines(()), ())])
    return transcript.text.decode()


#: Functions that run a program under a driver or as a build, and return its output.
RUNNERS = {
    "watched": lambda argv, folder, sandbox: session_text(TracingDriver, argv, folder, sandbox),
    "watched, with a process inside": lambda argv, folder, sandbox: session_text(
        InhabitedBubblewrapDriver, argv, folder, sandbox
    ),
    "expecting": lambda argv, folder, sandbox: session_text(ExpectingDriver, argv, folder, sandbox),
    "a build": lambda argv, folder, sandbox: run_confined(list(argv), folder, sandbox).output,
}


@pytest.fixture
def installed_packages(monkeypatch):
    """A folder of Python packages in a folder that counts as one of the interpreter, so that programs can read it."""
    with tempfile.TemporaryDirectory() as folder:
        yield _create_packages(Path(folder), monkeypatch)


def _create_packages(folder, monkeypatch):
    folder.chmod(0o755)
    packages = folder / "lib" / "packages"
    for name, text in (("secret/inner", "inner\n"), ("other", "other\n")):
        (packages / name).mkdir(parents=True)
        (packages / name / "text").write_text(text)
        (packages / name / "code.py").write_text("answer = 42\n")
    (packages / "module.py").write_text("module\n")
    (packages / "link").symlink_to(packages / "secret")
    monkeypatch.setattr(tools, "interpreter_folders", lambda: (*interpreter_folders(), str(folder)))
    monkeypatch.setattr(sandbox, "_paths", set(sandbox._paths))
    return packages


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("runner", RUNNERS)
def test_concealed_files_cannot_be_read_but_their_neighbours_can(compiled, installed_packages, runner, sandbox):
    paths = [installed_packages / name / "text" for name in ("secret/inner", "other")]
    paths += [
        installed_packages / "link" / "inner" / "text",
        installed_packages / "module.py",
        installed_packages / "secret" / "inner" / "missing",
    ]
    program = compiled(READS)
    argv = (str(program), *map(str, paths))
    assert RUNNERS[runner](argv, program.parent, sandbox).split() == ["inner", "other", "inner", "module", "-"]
    conceal(installed_packages / "secret")
    conceal(installed_packages / "module.py")
    assert RUNNERS[runner](argv, program.parent, sandbox).split() == ["-", "other", "-", "-", "-"]


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_no_file_can_be_created_in_a_concealed_folder(compiled, installed_packages, sandbox):
    conceal(installed_packages / "secret")
    program = compiled(
        '#include <stdio.h>\nint main(int n, char **a) { puts(fopen(a[1], "w") ? "ESCAPED" : "refused"); }'
    )
    argv = (str(program), str(installed_packages / "secret" / "planted"))
    assert session_text(TracingDriver, argv, program.parent, sandbox) == "refused\n"


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_program_can_read_its_own_folder_inside_a_concealed_one(installed_packages, sandbox):
    conceal(installed_packages / "secret")
    own = installed_packages / "secret" / "inner"
    (own / "reads.c").write_text(READS)
    subprocess.run(["cc", "-o", own / "reads", own / "reads.c"], check=True)
    assert session_text(TracingDriver, (str(own / "reads"), str(own / "text")), own, sandbox).split() == ["inner"]


def test_interpreter_folders_exclude_the_environment_of_pitboss():
    assert sys.prefix != sys.base_prefix, "this test must run in a virtual environment"
    assert not any(Path(sys.prefix).is_relative_to(folder) for folder in interpreter_folders())
    assert not Path(base_interpreter()).is_relative_to(sys.prefix)


def test_a_loaded_assignment_conceals_itself_and_its_reference():
    load_assignment(ROOT / "specs" / "blackjack")
    concealed = sandbox.concealed_in([str(ROOT)])
    assert set(concealed) >= {
        str(ROOT / "specs" / "blackjack"),
        str(ROOT / "harness" / "pitboss"),
        str(ROOT / "reference"),
    }


def test_only_the_outermost_concealed_folders_are_listed(monkeypatch):
    monkeypatch.setattr(sandbox, "_paths", {"/usr/a", "/usr/a/b", "/usr/ab", "/other"})
    assert sandbox.concealed_in(["/usr", "/usr/lib"]) == ("/usr/a", "/usr/ab")


def test_a_folder_with_nothing_concealed_needs_one_landlock_rule(tmp_path):
    assert list(sandbox.rules_around(str(tmp_path), [])) == [(str(tmp_path), landlock.READ)]


#: A Python submission that imports two modules from the interpreter's folder, and tries to import a concealed one.
IMPORTS = """
import sys
sys.path.insert(0, {packages!r})
import other.code, module
try:
    import secret.inner.code
    print("ESCAPED")
except (ImportError, PermissionError):
    print(other.code.answer)
"""


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_python_submission_imports_modules_beside_concealed_ones(installed_packages, reachable, sandbox):
    conceal(installed_packages / "secret")
    (installed_packages / "module.py").write_text("")
    (reachable / "own").mkdir()
    (reachable / "own" / "program.py").write_text(IMPORTS.format(packages=str(installed_packages)))
    argv = (interpreter(), str(reachable / "own" / "program.py"))
    assert session_text(TracingDriver, argv, reachable / "own", sandbox) == "42\n"


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_programs_can_read_the_file_without_which_node_does_not_start(sandbox, tmp_path):
    path = Path("/etc/ssl/openssl.cnf")
    expected = path.read_text() if path.exists() else ""
    assert session_text(TracingDriver, ("/bin/sh", "-c", f"cat {path} 2>&-"), tmp_path, sandbox) == expected
