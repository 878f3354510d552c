"""The two commands of the README on machines that lack something: stand-ins for what they call say what was called."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT, pytest_runtest_setup
from tests.parts import BASE, PARTS

OLD = '#!/bin/sh\ncase "$2" in *version_info*) exit 1 ;; *) echo 3.9.2 ;; esac\n'
#: Makes a .venv whose Python only runs tests/parts.py; all that is called stands in `called`.
NEW = f"""#!/bin/sh
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
    """Run ./setup in a copy of the project's top on a machine with these commands besides the shell's own."""
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "setup", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "tests" / "parts.py", tmp_path / "tests")
    commands = tmp_path / "commands"
    commands.mkdir()
    for name in ("bash", "cat", "chmod", "cksum", "dirname", "env", "mkdir", "sh"):
        (commands / name).symlink_to(shutil.which(name))

    def run(*words, **scripts):
        for name, text in scripts.items():
            path = commands / name.replace("_", ".").replace("apt.get", "apt-get")
            path.write_text(text)
            path.chmod(0o755)
        done = subprocess.run(
            [tmp_path / "setup", "--only", *words],
            env={"PATH": str(commands)},
            capture_output=True,
            text=True,
            check=False,
        )
        called = tmp_path / "called"
        lines = called.read_text().replace(f"{commands}/", "").splitlines() if called.exists() else []
        return done.returncode, done.stderr, lines

    return run


def test_without_python_setup_says_which_it_needs(setup):
    assert setup() == (
        2,
        "setup: pitboss needs Python 3.11 or later; there is no python3 here "
        "(on Debian: apt install python3 python3-venv)\n",
        [],
    )


def test_an_older_python_is_reported_with_its_version(setup):
    assert setup(python3=OLD) == (
        2,
        "setup: pitboss needs Python 3.11 or later; python3 here is 3.9.2 "
        "(on Debian: apt install python3 python3-venv)\n",
        [],
    )


def test_a_newer_python_beside_an_old_one_is_taken(setup):
    code, output, called = setup(python3=OLD, python3_12=NEW)
    assert (code, output) == (0, "")
    assert called == [
        "python3.12 -m venv --clear .venv",
        "python -m pip install --quiet --disable-pip-version-check -e .[dev]",
    ]


def test_a_python_without_venv_is_reported(setup):
    without = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1 ;; esac\n'
    assert setup(python3=without) == (
        2,
        "setup: python3 has no venv module (on Debian: apt install python3-venv)\n",
        [],
    )


def test_what_the_tests_need_is_installed_only_where_it_is_asked_for(setup):
    _, _, called = setup("--all", python3=NEW, apt_get=APT, sudo=SUDO)
    packages = " ".join(part.packages for part in (*BASE, *PARTS.values()) if part.packages)
    assert called[1:3] == ["apt-get update -qq", f"apt-get install -y -qq {packages}"]


def test_without_apt_the_packages_are_named(setup):
    packages = " ".join(part.packages for part in (*BASE, *PARTS.values()) if part.packages)
    code, output, _ = setup("--all", python3=NEW)
    assert (code, output) == (
        2,
        f"setup --all: there is no apt-get here; install by your own means: {packages}\n",
    )


def run_pytest(*words, **environment):
    """Run one test that needs Chromium where there is none."""
    name = "tests/reports/test_pages.py::test_chromium_shows_the_page_and_runs_nothing"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", name, *words],
        cwd=ROOT,
        env={"PATH": "/nowhere", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_test_whose_part_is_missing_is_skipped_and_counted():
    code, out = run_pytest()
    assert code == 0
    assert "\n1 test waits for Chromium: apt install chromium\n1 skipped in " in out


@pytest.mark.parametrize(("words", "environment"), [(("--all",), {}), ((), {"CI": "true"})])
def test_where_nothing_may_be_missing_it_fails(words, environment):
    code, out = run_pytest(*words, **environment)
    assert code == 1
    assert "needs Chromium, and a missing part is a failure here: apt install chromium\n" in out


@pytest.mark.parametrize(
    ("in_ci", "asked", "outcome", "beginning"),
    [
        ("", False, pytest.skip.Exception, "needs root: "),
        ("", True, pytest.skip.Exception, "needs root: "),
        ("true", False, pytest.fail.Exception, "needs root, and a missing part is a failure here: "),
    ],
    ids=["./test", "./test --all", "CI=true ./test"],
)
def test_root_is_a_part_that_all_cannot_bring(monkeypatch, in_ci, asked, outcome, beginning):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("CI", in_ci)
    test = SimpleNamespace(
        iter_markers=lambda name: [pytest.mark.needs("root").mark],
        config=SimpleNamespace(getoption=lambda name: asked),
    )
    with pytest.raises(outcome) as output:
        pytest_runtest_setup(test)
    assert output.value.msg == f"{beginning}run the tests as root"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    pytest_runtest_setup(test)
