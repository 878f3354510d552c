"""No submission reads pitboss, the assignments or their references, even where they lie beside its interpreter."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.model.scripts import Script, typing
from pitboss.sandbox import concealment, landlock, sandbox
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox, base_interpreter, interpreter_folders
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.bubblewrap import InhabitedBubblewrap
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.submissions import confined_commands
from pitboss.submissions.confined_commands import run_confined
from pitboss.submissions.toolchains import interpreter
from tests.conftest import ROOT

SANDBOXES = [pytest.param(Sandbox(level), id=level.value) for level in (Level.LANDLOCK, Level.BUBBLEWRAP)]
#: Says of each path whether its text can be read.
READS = (
    '#include <stdio.h>\nint main(int n, char **paths) { while (*++paths) { char text[9] = ""; FILE *f = fopen(*paths, "r");'
    ' puts(f && fread(text, 1, 8, f) > 0 ? text : "-"); } return 0; }\n'
)


class DriverInside(TracingDriver):
    """One that has a process inside the bubblewrap, as ordinary users do."""

    def _new_bubblewrap(self, readable):
        return InhabitedBubblewrap(readable, self._launchers_left)


def shown(driver, argv, folder, sandbox):
    with driver(Program(argv, folder), Limits(idle_s=5, memory_mb=512), sandbox) as sessions:
        ((_, transcript),) = sessions.sessions([Script(typing(()), ())])
    return transcript.text.decode()


WAYS = {
    "watched": lambda argv, folder, sandbox: shown(TracingDriver, argv, folder, sandbox),
    "watched, with a process inside": lambda argv, folder, sandbox: shown(DriverInside, argv, folder, sandbox),
    "expecting": lambda argv, folder, sandbox: shown(ExpectingDriver, argv, folder, sandbox),
    "a build": lambda argv, folder, sandbox: run_confined(list(argv), folder, sandbox).output,
}


@pytest.fixture
def system(monkeypatch):
    """A folder of an interpreter, which programs can read, with packages in it."""
    with tempfile.TemporaryDirectory() as folder:
        yield _packages(Path(folder), monkeypatch)


def _packages(folder, monkeypatch):
    folder.chmod(0o755)
    packages = folder / "lib" / "packages"
    for name in ("secret/inner", "other"):
        (packages / name).mkdir(parents=True)
        (packages / name / "text").write_text(f"{name[:2]}{name[-5:]}\n")
        (packages / name / "code.py").write_text("answer = 42\n")
    (packages / "module.py").write_text("module\n")
    (packages / "link").symlink_to(packages / "secret")
    for module in (sandbox, confined_commands):
        monkeypatch.setattr(module, "interpreter_folders", lambda: (*interpreter_folders(), str(folder)))
    monkeypatch.setattr(concealment, "_paths", set(concealment._paths))
    return packages


@pytest.mark.parametrize("level", SANDBOXES)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_concealed_is_not_read_and_what_lies_beside_it_is(compiled, system, way, level):
    asked = [system / name / "text" for name in ("secret/inner", "other")]
    asked += [system / "link" / "inner" / "text", system / "module.py", system / "secret" / "inner" / "planted"]
    program = compiled(READS)
    argv = (str(program), *map(str, asked))
    assert WAYS[way](argv, program.parent, level).split() == ["seinner", "otother", "seinner", "module", "-"]
    concealment.conceal(system / "secret")
    concealment.conceal(system / "module.py")
    assert WAYS[way](argv, program.parent, level).split() == ["-", "otother", "-", "-", "-"]


@pytest.mark.parametrize("level", SANDBOXES)
def test_nothing_can_be_put_where_it_is_concealed(compiled, system, level):
    concealment.conceal(system / "secret")
    program = compiled(
        '#include <stdio.h>\nint main(int n, char **a) { puts(fopen(a[1], "w") ? "ESCAPED" : "refused"); }'
    )
    argv = (str(program), str(system / "secret" / "planted"))
    assert shown(TracingDriver, argv, program.parent, level) == "refused\n"


@pytest.mark.parametrize("level", SANDBOXES)
def test_a_programs_own_folder_is_read_even_inside(system, level):
    concealment.conceal(system / "secret")
    own = system / "secret" / "inner"
    (own / "reads.c").write_text(READS)
    subprocess.run(["cc", "-o", own / "reads", own / "reads.c"], check=True)
    assert shown(TracingDriver, (str(own / "reads"), str(own / "text")), own, level).split() == ["seinner"]


def test_the_environment_that_pitboss_is_installed_in_is_no_folder_of_the_interpreter():
    assert sys.prefix != sys.base_prefix, "the tests run in an environment of their own"
    assert not any(Path(sys.prefix).is_relative_to(folder) for folder in interpreter_folders())
    assert not Path(base_interpreter()).is_relative_to(sys.prefix)


def test_an_assignment_conceals_itself_and_its_reference():
    load_assignment(ROOT / "specs" / "blackjack")
    found = concealment.concealed_in([str(ROOT)])
    assert set(found) >= {str(ROOT / "specs" / "blackjack"), str(ROOT / "harness" / "pitboss"), str(ROOT / "reference")}


def test_of_two_that_lie_in_one_another_the_outer_counts(monkeypatch):
    monkeypatch.setattr(concealment, "_paths", {"/usr/a", "/usr/a/b", "/usr/ab", "/other"})
    assert concealment.concealed_in(["/usr", "/usr/lib"]) == ("/usr/a", "/usr/ab")


def test_a_folder_without_a_secret_needs_one_rule(tmp_path):
    assert list(concealment.rules_around(str(tmp_path), [])) == [(str(tmp_path), landlock.READ)]


#: A Python submission, with a library of the interpreter's and one that is concealed.
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


@pytest.mark.parametrize("level", SANDBOXES)
def test_a_python_submission_imports_what_lies_beside_it(system, reachable, level):
    concealment.conceal(system / "secret")
    (system / "module.py").write_text("")
    (reachable / "own").mkdir()
    (reachable / "own" / "program.py").write_text(IMPORTS.format(packages=str(system)))
    argv = (interpreter(), str(reachable / "own" / "program.py"))
    assert shown(TracingDriver, argv, reachable / "own", level) == "42\n"
