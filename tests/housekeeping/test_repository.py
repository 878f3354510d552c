"""What stands at the top of the repository for others: licence, package, container, action, hooks, editor."""

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
from tests.parts import BASE, PARTS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
DOCUMENT = (ROOT / "docs" / "ci.md").read_text()


def test_the_licence_is_the_one_that_the_package_names():
    text = (ROOT / "LICENSE").read_text()
    assert (PROJECT["project"]["license"], PROJECT["project"]["license-files"]) == ("MIT", ["LICENSE"])
    assert text.startswith("MIT License\n\nCopyright (c) 2026 the pitboss authors\n")


def test_the_version_is_the_newest_release_of_the_changelog():
    releases = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert releases[:2] == ["Unreleased", PROJECT["project"]["version"]]


def test_packages_say_that_they_are_typed():
    assert (ROOT / "harness" / "pitboss" / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["project"]["classifiers"]


def test_no_link_is_in_the_repository():
    """Checkouts on Windows and zips have none."""
    folders = ("harness", "reference", "specs", "student_templates", "tests", "benchmarks", "docs", "examples")
    assert [path for name in folders for path in (ROOT / name).rglob("*") if path.is_symlink()] == []


# The container


def instructions():
    """The instructions of the Dockerfile: each a word and what follows it."""
    text = (ROOT / "Dockerfile").read_text()
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#")).replace("\\\n", " ").splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]


def arguments_of(name):
    return [rest for word, rest in instructions() if word == name]


def test_the_image_has_what_checking_needs():
    (command,) = [one for one in arguments_of("RUN") if "apt-get install" in one]
    names = re.search(r"--no-install-recommends (.*?)&&", command)[1].split()
    parts = (*BASE, *(PARTS[name] for name in ("C++", "bubblewrap", "Mono", "Java", "Rust", "Lua", "git")))
    # gcc only recommends the headers of C. What builds the C# of today is in Ubuntu, and not in Debian.
    more = {"libc6-dev", "dotnet-sdk-8.0", "python3", "python3-venv"}
    assert names == sorted({*more, *(name for part in parts for name in part.packages.split())})


def test_what_the_image_copies_is_there_and_sent_to_docker():
    sent = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"}
    copied = {name for rest in arguments_of("COPY") for name in rest.split()[:-1]}
    assert copied == sent
    assert [name for name in copied if not (ROOT / name).exists()] == []
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {
        *(Path(one).parts[0] for one in wheel["packages"]),
        *wheel["force-include"],
        "pyproject.toml",
        PROJECT["project"]["readme"],
        "LICENSE",
    }
    assert needed == copied


def test_the_image_has_the_extra_that_nobody_can_add_in_it():
    (command,) = [one for one in arguments_of("RUN") if "pip install" in one]
    assert "'/src[review]'" in shlex.split(command, posix=False)


def test_the_image_runs_pitboss_as_an_ordinary_user():
    order = [word for word, _ in instructions()]
    assert (order[0], order[-1], json.loads(arguments_of("ENTRYPOINT")[0])) == ("FROM", "ENTRYPOINT", ["pitboss"])
    (user,) = arguments_of("USER")
    assert f"useradd --create-home --uid 1000 {user} " in " ".join(arguments_of("RUN"))
    assert order.index("USER") > max(number for number, word in enumerate(order) if word in ("RUN", "COPY"))
    # Its Python is of 3.12: pitboss needs 3.11.
    assert arguments_of("FROM") == ["ubuntu:24.04"]


# The action


def test_the_published_schema_takes_the_action():
    jsonschema.Draft7Validator(get_builtin_schema("vendor.github-actions")).validate(ACTION)


def test_inputs_reach_scripts_through_the_environment_alone():
    steps = ACTION["runs"]["steps"]
    assert not [step["name"] for step in steps if "${{" in step.get("run", "")]
    used = set(re.findall(r"\binputs\.([\w-]+)", json.dumps(steps)))
    assert used == set(ACTION["inputs"])


def test_inputs_are_documented_with_their_defaults():
    rows = dict(re.findall(r"^\| `([\w-]+)` \|.*\| ([^|]+) \|$", DOCUMENT, re.MULTILINE))
    assert set(rows) == set(ACTION["inputs"])
    assert {name: rows[name].strip("`") for name in ("python-version", "packages")} == {
        name: ACTION["inputs"][name]["default"] for name in ("python-version", "packages")
    }


@pytest.fixture
def runner(tmp_path):
    """Run a step of the action with these inputs, as a runner does; what is called stands in `called`."""
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
        values = {f"inputs.{key}": one["default"] for key, one in ACTION["inputs"].items()}
        values |= {f"inputs.{key}": value for key, value in inputs.items()}
        values |= {"runner.temp": str(tmp_path), "github.action_path": "/action"}
        own = {key: re.sub(r"\$\{\{ (\S+) \}\}", lambda one: values[one[1]], text) for key, text in step["env"].items()}
        files = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
        environment = {**os.environ, **files, **own, "PATH": f"{commands}:{os.environ['PATH']}"}
        argv = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)

    return run


def test_the_first_step_installs_packages_and_the_action_itself(runner, tmp_path):
    (tmp_path / "pitboss" / "bin" / "pitboss").write_text("#!/bin/bash\nexit 1\n")  # doctor misses something
    assert runner("Set up pitboss").returncode == 0
    install = "sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends"
    assert (tmp_path / "called").read_text().splitlines() == [
        "sudo apt-get update -qq",
        f"{install} {ACTION['inputs']['packages']['default']}",
        f"python3 -m venv --clear {tmp_path}/pitboss",
        "python -m pip install --quiet --disable-pip-version-check /action",
    ]


def test_without_packages_nothing_is_installed_but_the_action(runner, tmp_path):
    (tmp_path / "pitboss" / "bin" / "pitboss").write_text("#!/bin/bash\n")
    assert runner("Set up pitboss", packages="").returncode == 0
    assert "sudo" not in (tmp_path / "called").read_text()


@pytest.mark.parametrize(
    ("programs", "code", "verdict"),
    [("ACCEPTED/plain", 0, "✅ accepted"), ("WRONG_ANSWER/empty_line_missing", 1, "❌ wrong answer")],
    ids=["accepted", "wrong"],
)
def test_the_last_step_checks(runner, tmp_path, programs, code, verdict):
    done = runner("Check", cwd=ROOT, assignment=f"{TOY}/", stage="teller", path=f"tests/submissions/{programs}")
    assert (done.returncode, (tmp_path / "output").read_text()) == (code, f"exit-code={code}\n")
    assert f"| teller | {verdict} |" in (tmp_path / "summary.md").read_text()


def test_no_input_is_more_than_a_word(runner, tmp_path):
    (tmp_path / "pitboss" / "bin" / "pitboss").write_text('#!/bin/bash\nprintf "<%s>" "$@"\n')
    options = "--json=a b.json\n\n--given=$(touch made)\n"
    done = runner(
        "Check", **{"assignment": "a `touch made`", "stage": "one  two", "path": "-x; ls", "options": options}
    )
    given = "<--assignment><a `touch made`><--json=a b.json><--given=$(touch made)>"
    assert (done.returncode, done.stdout) == (0, f"<check><--github>{given}<./-x; ls><one><two>")


# Hooks and the editor


def test_the_hooks_of_this_repository_are_what_the_test_command_runs():
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    entries = [hook["entry"].replace(" --force-exclude", "") for hook in repository["hooks"]]
    lines = (ROOT / "test").read_text().splitlines()
    tools = [line.removesuffix(" .") for line in lines if re.match(r"\.venv/bin/(ruff|mypy)", line)]
    assert (repository["repo"], entries) == ("local", tools)
    assert [hook["pass_filenames"] for hook in repository["hooks"] if hook["entry"].endswith("mypy")] == [False]


def test_the_hook_for_authors_verifies(pitboss, tmp_path):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert f"- id: {hook['id']}\n" in DOCUMENT
    assert {
        name for name in ("specs/mine/one.yaml", "reference/one.py", "README.md") if re.search(hook["files"], name)
    } == {
        "specs/mine/one.yaml",
        "reference/one.py",
    }
    program, *words = shlex.split(hook["entry"])
    assert program in PROJECT["project"]["scripts"]
    output = pitboss(*words, "--assignment", f"{TOY}/")
    assert (output.code, output.err) == (0, "")


def test_the_editors_container_is_set_up_by_our_own_command():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    command, *words = shlex.split(container["postCreateCommand"])
    assert os.access(ROOT / command, os.X_OK)
    assert [word for word in words if f"    {word})" not in (ROOT / command).read_text()] == []
    assert container["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"].endswith(
        ".venv/bin/python"
    )
