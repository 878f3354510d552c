import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.parts import BASE, PARTS

#: A stub of Python 3.9: too old for pitboss.
OLD_PYTHON = '#!/bin/sh\ncase "$2" in *version_info*) exit 1 ;; *) echo 3.9.2 ;; esac\n'
#: Makes a .venv whose Python only runs tests/parts.py; appends each command line to the file `called`.
NEW_PYTHON = f"""#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
    echo "$0" "$@" >> called
    mkdir -p .venv/bin
    printf '%s\\n' '#!/bin/sh' 'case "$1" in tests/*) exec "{sys.executable}" "$@" ;; -c) exit 0 ;; esac' \\
        'echo python "$@" >> called' > .venv/bin/python
    chmod +x .venv/bin/python
fi
"""
SUDO = '#!/bin/sh\nexec "$@"\n'
APT = '#!/bin/sh\necho apt-get "$@" >> called\n'


@pytest.fixture
def setup(tmp_path):
    """A function that runs ./setup --only in a stripped copy of the project, with `scripts` as extra commands on PATH.

    It returns the exit code, stderr, and the command lines that the scripts recorded. `python3_12` is the script of
    python3.12, `apt_get` that of apt-get.
    """
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "setup", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "tests" / "parts.py", tmp_path / "tests")
    commands = tmp_path / "commands"
    commands.mkdir()
    for name in ("bash", "cat", "chmod", "cksum", "dirname", "env", "mkdir", "sh"):
        (commands / name).symlink_to(shutil.which(name))

    def run(*options, **scripts):
        for name, text in scripts.items():
            path = commands / name.replace("_", ".").replace("apt.get", "apt-get")
            path.write_text(text)
            path.chmod(0o755)
        process = subprocess.run(
            [tmp_path / "setup", "--only", *options],
            env={"PATH": str(commands)},
            capture_output=True,
            text=True,
            check=False,
        )
        called = tmp_path / "called"
        lines = called.read_text().replace(f"{commands}/", "").splitlines() if called.exists() else []
        return process.returncode, process.stderr, lines

    return run


#: A stub of a Python without the module venv.
WITHOUT_VENV = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1 ;; esac\n'
NEEDS_PYTHON = "pitboss needs Python 3.11 or later; {} (on Debian: apt install python3 python3-venv)"


@pytest.mark.parametrize(
    ("scripts", "error"),
    [
        ({}, NEEDS_PYTHON.format("there is no python3 here")),
        ({"python3": OLD_PYTHON}, NEEDS_PYTHON.format("python3 here is 3.9.2")),
        ({"python3": WITHOUT_VENV}, "python3 has no venv module (on Debian: apt install python3-venv)"),
    ],
    ids=["no python", "an old python", "a python without venv"],
)
def test_setup_reports_an_unusable_python(setup, scripts, error):
    assert setup(**scripts) == (2, f"setup: {error}\n", [])


def test_setup_uses_a_newer_python_beside_an_old_one(setup):
    assert setup(python3=OLD_PYTHON, python3_12=NEW_PYTHON) == (
        0,
        "",
        ["python3.12 -m venv --clear .venv", "python -m pip install --quiet --disable-pip-version-check -e .[dev]"],
    )


def test_option_all_installs_the_packages_of_the_tests_or_names_them(setup):
    packages = " ".join(part.packages for part in (*BASE, *PARTS.values()) if part.packages)
    code, output, _ = setup("--all", python3=NEW_PYTHON)
    error = f"setup --all: there is no apt-get here; install by your own means: {packages}\n"
    assert (code, output) == (2, error)
    _, _, called = setup("--all", python3=NEW_PYTHON, apt_get=APT, sudo=SUDO)
    assert called[-3:-1] == ["apt-get update -qq", f"apt-get install -y -qq {packages}"]


@pytest.mark.parametrize(
    ("options", "environment", "code", "line"),
    [
        ((), {}, 0, "1 test waits for Chromium: apt install chromium\n1 skipped in "),
        (("--all",), {}, 1, "needs Chromium, and a missing part is a failure here: apt install chromium\n"),
        ((), {"CI": "true"}, 1, "needs Chromium, and a missing part is a failure here: apt install chromium\n"),
    ],
)
def test_a_test_that_lacks_a_program_is_skipped_or_fails_in_ci_and_with_option_all(options, environment, code, line):
    """With no command on the PATH, a test that needs Chromium."""
    name = "tests/reports/test_pages.py::test_chromium_shows_the_page_and_runs_nothing"
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", name, *options],
        cwd=ROOT,
        env={"PATH": "/nowhere", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, line in process.stdout) == (code, True), process.stdout
