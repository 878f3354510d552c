"""The workflow for GitHub Actions: what its schema takes, nothing of an event in a script, and scripts that work."""

import base64
import json
import os
import re
import shutil
import subprocess
from fractions import Fraction

import jsonschema
import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema
from hypothesis import given
from hypothesis import strategies as st

from pitboss.reports.exports.classroom import classroom_output, failed_output
from pitboss.reports.exports.github_workflow import workflow_yaml
from tests.conftest import ROOT, TOY
from tests.gradebook.made import A, F, W, grade, report

#: SchemaStore's schema of workflows, as check-jsonschema has it.
SCHEMA = get_builtin_schema("vendor.github-workflows")
FORMS = [{}, {"is_classroom": True}, {"repository": "course/pitboss"}, {"repository": "c/p", "is_classroom": True}]


def read(text):
    """A workflow with every scalar as its text."""
    return yaml.load(text, yaml.BaseLoader)


def validate(text):
    workflow = yaml.safe_load(text)
    workflow["on"] = workflow.pop(True)  # which the key `on` is in YAML 1.1; the runner takes it for a text
    jsonschema.Draft7Validator(SCHEMA).validate(workflow)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_the_published_schema_takes_it(form):
    validate(workflow_yaml("Blackjack, the seeded ladder", ".github/autograder.zip", **form))


def test_the_schema_is_one_that_refuses():
    with pytest.raises(jsonschema.ValidationError, match="'runs_on'"):
        validate(workflow_yaml("B", "a.zip").replace("runs-on:", "runs_on:"))


@given(st.text(), st.text())
def test_no_title_and_no_path_is_more_than_a_text(title, bundle):
    title, bundle = (text.encode("utf-8", "ignore").decode() for text in (title, bundle))
    job = read(workflow_yaml(title, bundle))["jobs"]["check"]
    plain = read(workflow_yaml("B", "a.zip"))["jobs"]["check"]
    assert job["name"] == re.sub(r"\$(?=\{\{)", "$ ", title)
    assert "${{" not in job["name"] + job["steps"][1]["env"]["BUNDLE"]
    assert [step.get("run") for step in job["steps"]] == [step.get("run") for step in plain["steps"]]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_no_script_has_an_expression_and_the_job_may_only_read(form):
    workflow = read(workflow_yaml("B", "a.zip", **form))
    steps = workflow["jobs"]["check"]["steps"]
    assert not [step["run"] for step in steps if "${{" in step.get("run", "")]
    more = {"checks": "write", "actions": "read"} if form.get("is_classroom") else {}
    assert workflow["permissions"] == {"contents": "read", **more}
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout")]
    assert [step["with"]["persist-credentials"] for step in checkouts] == ["false"] * len(checkouts)
    assert set(workflow["on"]) == {"push", "pull_request", "workflow_dispatch"}
    names = set(re.findall(r"\$\{\{ ?(\S+) ?\}\}", workflow_yaml("B", "a.zip", **form)))
    allowed = {"github.workflow", "github.ref", "runner.temp", "secrets.PITBOSS_TOKEN", "steps.check.outputs.result"}
    assert names <= allowed


def test_the_command_writes_it_where_github_looks_for_it(pitboss, tmp_path):
    output = pitboss("workflow", f"{TOY}/")
    path = ".github/workflows/pitboss.yml"
    assert (output.code, output.out) == (
        0,
        f"{path}: it needs the archive of pitboss gradescope {TOY}/ as .github/autograder.zip\n",
    )
    assert read((tmp_path / path).read_text())["jobs"]["check"]["name"] == "A bank teller"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--bundle", "../a.zip"), "--bundle: '../a.zip' lies outside of a repository; name a path in it"),
        (("--repository", "a b"), "--repository: 'a b' is not a repository; write OWNER/NAME"),
    ],
)
def test_what_cannot_be_in_a_workflow_is_reported(pitboss, words, sentence):
    output = pitboss("workflow", f"{TOY}/", *words)
    assert (output.code, output.err) == (2, f"pitboss: {sentence}\n")


def decoded_result(line):
    name, _, text = line.removesuffix("\n").partition("=")
    assert name == "result"
    return json.loads(base64.b64decode(text, validate=True))


def test_where_its_folder_cannot_be_made_it_is_reported(pitboss, tmp_path):
    (tmp_path / ".github").write_text("")
    output = pitboss("workflow", f"{TOY}/")
    message = "pitboss: .github/workflows: the folder cannot be created: Not a directory\n"
    assert (output.code, output.out, output.err) == (2, "", message)


def test_classroom_gets_the_score_in_its_own_form():
    scored = grade(Fraction(175, 2), ("play: 87.5 of 100", Fraction(175, 2)))
    assert decoded_result(classroom_output(report(A, W), scored)) == {
        "version": 1,
        "status": "fail",
        "max_score": 100,
        "tests": [
            {
                "name": "Blackjack",
                "status": "fail",
                "score": 87.5,
                "message": "play: 87.5 of 100 (+87.5)\nScore: 87.5 of 100",
                "test_code": "",
                "filename": "",
                "line_no": 0,
                "execution_time": 0,
            }
        ],
    }


@pytest.mark.parametrize(("verdict", "status"), [(A, "pass"), (W, "fail"), (F, "error")])
def test_classroom_tells_a_fault_of_ours_from_a_failure(verdict, status):
    assert decoded_result(classroom_output(report(verdict), grade(1)))["status"] == status


def test_what_could_not_be_checked_has_no_score_and_none_to_reach():
    test = {"name": "pitboss", "status": "error", "score": 0, "message": "No."}
    assert decoded_result(failed_output("No.")) == {"version": 1, "status": "error", "max_score": 0, "tests": [test]}


def test_classroom_hears_of_what_could_not_be_checked(pitboss, tmp_path):
    (tmp_path / "mine").mkdir()
    output = pitboss("check", "mine", "-a", f"{TOY}/", "--classroom", GITHUB_OUTPUT=str(tmp_path / "out"))
    assert output.code == 2
    (test,) = decoded_result((tmp_path / "out").read_text())["tests"]
    assert test["message"].startswith("This could not be checked: mine: no program is here — ")
    assert (tmp_path / "out").read_text() == failed_output(test["message"])
    output = pitboss("check", "mine", "-a", f"{TOY}/", "--classroom")
    assert output.err == "pitboss: --classroom: GITHUB_OUTPUT is not set; use this option in a step of GitHub Actions\n"


@pytest.mark.slow
def test_its_steps_check_a_repository(pitboss, tmp_path):
    """The scripts of the workflow, run one after the other as a runner does; apt-get and sudo do nothing."""
    repository = tmp_path / "repository"
    (repository / ".github").mkdir(parents=True)
    assert pitboss("gradescope", f"{TOY}/", "-o", repository / ".github" / "autograder.zip").code == 0
    assert pitboss("workflow", f"{TOY}/", "--classroom", cwd=repository).code == 0
    shutil.copy(ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c", repository)
    (tmp_path / "bin").mkdir()
    for name, script in (("apt-get", "exit 0"), ("sudo", 'exec "$@"')):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    base = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    base |= {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    workflow = read((repository / ".github" / "workflows" / "pitboss.yml").read_text())
    for step in workflow["jobs"]["check"]["steps"]:
        if "run" in step:
            own = {name: text.replace("${{ runner.temp }}", str(tmp_path)) for name, text in step["env"].items()}
            subprocess.run(["bash", "-e", "-c", step["run"]], cwd=repository, env=base | own, check=True, timeout=300)
    assert "| teller | ✅ accepted |" in (tmp_path / "summary.md").read_text()
    assert decoded_result((tmp_path / "output").read_text())["tests"][0]["score"] == 100
