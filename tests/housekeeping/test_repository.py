import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema

from tests.conftest import ROOT, TOY

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
DOCUMENT = (ROOT / "docs" / "ci.md").read_text()


def test_the_version_is_the_newest_release_of_the_changelog():
    releases = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert releases[:2] == ["Unreleased", PROJECT["project"]["version"]]


def test_files_copied_into_the_image_exist_and_are_sent_to_docker():
    sent = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"}
    lines = re.findall(r"^COPY (.*) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    copied = {name for line in lines for name in line.split()}
    assert copied == sent
    assert [name for name in copied if not (ROOT / name).exists()] == []
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {
        *(Path(package).parts[0] for package in wheel["packages"]),
        *wheel["force-include"],
        "pyproject.toml",
        PROJECT["project"]["readme"],
        "LICENSE",
    }
    assert needed == copied


def test_the_action_is_valid_under_the_published_schema():
    jsonschema.Draft7Validator(get_builtin_schema("vendor.github-actions")).validate(ACTION)


def test_action_inputs_reach_scripts_only_through_the_environment():
    steps = ACTION["runs"]["steps"]
    assert not [step["name"] for step in steps if "${{" in step.get("run", "")]
    used = set(re.findall(r"\binputs\.([\w-]+)", json.dumps(steps)))
    assert used == set(ACTION["inputs"])


def test_action_inputs_are_documented_with_their_defaults():
    rows = dict(re.findall(r"^\| `([\w-]+)` \|.*\| ([^|]+) \|$", DOCUMENT, re.MULTILINE))
    assert set(rows) == set(ACTION["inputs"])
    assert {name: rows[name].strip("`") for name in ("python-version", "packages")} == {
        name: ACTION["inputs"][name]["default"] for name in ("python-version", "packages")
    }


@pytest.fixture
def run_step(tmp_path):
    """A function that runs a step of the action with these inputs, as a GitHub runner does.

    `sudo` and the Pythons are replaced by scripts that write each of their calls to the file `called`.
    """
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("sudo", "python3"):
        (commands / name).write_text(f'#!/bin/bash\necho {name} "$@" >> "{tmp_path}/called"\n')
        (commands / name).chmod(0o755)
    venv = tmp_path / "pitboss" / "bin"
    venv.mkdir(parents=True)
    (venv / "python").write_text(f'#!/bin/bash\necho python "$@" >> "{tmp_path}/called"\n')
    (venv / "pitboss").write_text(
        f'#!/bin/bash\nexec env PYTHONPATH="{ROOT}/harness" "{sys.executable}" -m pitboss "$@"\n'
    )
    for name in ("python", "pitboss"):
        (venv / name).chmod(0o755)

    def run(name, cwd=tmp_path, **inputs):
        (step,) = [step for step in ACTION["runs"]["steps"] if step["name"] == name]
        values = {f"inputs.{key}": definition["default"] for key, definition in ACTION["inputs"].items()}
        values |= {f"inputs.{key}": value for key, value in inputs.items()}
        values |= {"runner.temp": str(tmp_path), "github.action_path": "/action"}
        step_environment = {
            key: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: values[match[1]], text) for key, text in step["env"].items()
        }
        files = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
        environment = {**os.environ, **files, **step_environment, "PATH": f"{commands}:{os.environ['PATH']}"}
        argv = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)

    return run


def test_the_first_step_installs_packages_and_the_action_itself(run_step, tmp_path):
    # `pitboss doctor`, the last command of the step, fails here, which the step ignores.
    (tmp_path / "pitboss" / "bin" / "pitboss").write_text("#!/bin/bash\nexit 1\n")
    assert run_step("Set up pitboss").returncode == 0
    install = "sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends"
    assert (tmp_path / "called").read_text().splitlines() == [
        "sudo apt-get update -qq",
        f"{install} {ACTION['inputs']['packages']['default']}",
        f"python3 -m venv --clear {tmp_path}/pitboss",
        "python -m pip install --quiet --disable-pip-version-check /action",
    ]


def test_without_packages_only_the_action_itself_is_installed(run_step, tmp_path):
    (tmp_path / "pitboss" / "bin" / "pitboss").write_text("#!/bin/bash\n")
    assert run_step("Set up pitboss", packages="").returncode == 0
    assert "sudo" not in (tmp_path / "called").read_text()


@pytest.mark.parametrize(
    ("programs", "code", "verdict"),
    [("ACCEPTED/plain", 0, "✅ accepted"), ("WRONG_ANSWER/prints_nothing", 1, "❌ wrong answer")],
    ids=["accepted", "wrong"],
)
def test_the_last_step_checks_a_submission(run_step, tmp_path, programs, code, verdict):
    process = run_step("Check", cwd=ROOT, assignment=f"{TOY}/", stage="teller", path=f"tests/submissions/{programs}")
    assert (process.returncode, (tmp_path / "output").read_text()) == (code, f"exit-code={code}\n")
    assert f"| teller | {verdict} |" in (tmp_path / "summary.md").read_text()


def test_shell_syntax_in_an_input_is_not_executed(run_step, tmp_path):
    (tmp_path / "pitboss" / "bin" / "pitboss").write_text('#!/bin/bash\nprintf "<%s>" "$@"\n')
    options = "--json=a b.json\n\n--given=$(touch made)\n"
    process = run_step(
        "Check", **{"assignment": "a `touch made`", "stage": "one  two", "path": "-x; ls", "options": options}
    )
    options_passed = "<--assignment><a `touch made`><--json=a b.json><--given=$(touch made)>"
    assert (process.returncode, process.stdout) == (0, f"<check><--github>{options_passed}<./-x; ls><one><two>")


def test_the_hook_for_authors_verifies_an_assignment(pitboss, tmp_path):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert f"- id: {hook['id']}\n" in DOCUMENT
    assert {
        name for name in ("specs/mine/one.yaml", "reference/one.py", "README.md") if re.search(hook["files"], name)
    } == {"specs/mine/one.yaml", "reference/one.py"}
    program, *arguments = shlex.split(hook["entry"])
    assert program in PROJECT["project"]["scripts"]
    output = pitboss(*arguments, "--assignment", f"{TOY}/")
    assert (output.code, output.err) == (0, "")
