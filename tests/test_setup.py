import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT, pytest_runtest_setup
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


def test_without_python_setup_names_the_version_it_needs(setup):
    assert setup() == (
        2,
        "setup: pitboss needs Python 3.11 or later; there is no python3 here "
        "(on Debian: apt install python3 python3-venv)\n",
        [],
    )


def test_an_older_python_is_reported_with_its_version(setup):
    assert setup(python3=OLD_PYTHON) == (
        2,
        "setup: pitboss needs Python 3.11 or later; python3 here is 3.9.2 "
        "(on Debian: apt install python3 python3-venv)\n",
        [],
    )


def test_setup_uses_a_newer_python_beside_an_old_one(setup):
    code, output, called = setup(python3=OLD_PYTHON, python3_12=NEW_PYTHON)
    assert (code, output) == (0, "")
    assert called == [
        "python3.12 -m venv --clear .venv",
        "python -m pip install --quiet --disable-pip-version-check -e .[dev]",
    ]


def test_a_python_without_venv_is_reported(setup):
    without_venv = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1 ;; esac\n'
    assert setup(python3=without_venv) == (
        2,
        "setup: python3 has no venv module (on Debian: apt install python3-venv)\n",
        [],
    )


def test_option_all_installs_the_packages_of_the_tests(setup):
    _, _, called = setup("--all", python3=NEW_PYTHON, apt_get=APT, sudo=SUDO)
    packages = " ".join(part.packages for part in (*BASE, *PARTS.values()) if part.packages)
    assert called[1:3] == ["apt-get update -qq", f"apt-get install -y -qq {packages}"]


def test_without_apt_option_all_names_the_packages(setup):
    packages = " ".join(part.packages for part in (*BASE, *PARTS.values()) if part.packages)
    code, output, _ = setup("--all", python3=NEW_PYTHON)
    assert (code, output) == (
        2,
        f"setup --all: there is no apt-get here; install by your own means: {packages}\n",
    )


def run_chromium_test(*options, **environment):
    """Run a test that needs Chromium, with no command on the PATH; returns the exit code and standard output."""
    name = "tests/reports/test_pages.py::test_chromium_shows_the_page_and_runs_nothing"
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", name, *options],
        cwd=ROOT,
        env={"PATH": "/nowhere", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return process.returncode, process.stdout


def test_a_test_that_lacks_a_program_is_skipped_and_counted():
    code, out = run_chromium_test()
    assert code == 0
    assert "\n1 test waits for Chromium: apt install chromium\n1 skipped in " in out


@pytest.mark.parametrize(("options", "environment"), [(("--all",), {}), ((), {"CI": "true"})])
def test_a_test_that_lacks_a_program_fails_in_ci_or_with_option_all(options, environment):
    code, out = run_chromium_test(*options, **environment)
    assert code == 1
    assert "needs Chromium, and a missing part is a failure here: apt install chromium\n" in out


@pytest.mark.parametrize(
    ("in_ci", "all_option", "outcome", "prefix"),
    [
        ("", False, pytest.skip.Exception, "needs root: "),
        ("", True, pytest.skip.Exception, "needs root: "),
        ("true", False, pytest.fail.Exception, "needs root, and a missing part is a failure here: "),
    ],
    ids=["./test", "./test --all", "CI=true ./test"],
)
def test_lacking_root_fails_in_ci_but_only_skips_with_option_all(monkeypatch, in_ci, all_option, outcome, prefix):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("CI", in_ci)
    test = SimpleNamespace(
        iter_markers=lambda name: [pytest.mark.needs("root").mark],
        config=SimpleNamespace(getoption=lambda name: all_option),
    )
    with pytest.raises(outcome) as raised:
        pytest_runtest_setup(test)
    assert raised.value.msg == f"{prefix}run the tests as root"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    pytest_runtest_setup(test)  # as root, neither skips nor fails
