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

from pitboss.reports.exports.github import classroom_output, failed_output, workflow_yaml
from tests.conftest import ROOT, TOY
from tests.gradebook.made import A, F, W, grade, report

#: SchemaStore's schema of workflows, bundled with check-jsonschema.
SCHEMA = get_builtin_schema("vendor.github-workflows")
#: Keyword arguments of workflow_yaml.
WORKFLOW_OPTIONS = [
    {},
    {"is_classroom": True},
    {"repository": "course/pitboss"},
    {"repository": "c/p", "is_classroom": True},
]


def parse_workflow(text):
    """A workflow as nested dicts and lists, in which every scalar is a string."""
    return yaml.load(text, yaml.BaseLoader)


def validate(text):
    """Check a workflow against the published schema."""
    workflow = yaml.safe_load(text)
    workflow["on"] = workflow.pop(True)  # YAML 1.1 reads the key `on` as True; GitHub reads it as a string
    jsonschema.Draft7Validator(SCHEMA).validate(workflow)


@pytest.mark.parametrize("options", WORKFLOW_OPTIONS, ids=str)
def test_the_workflow_conforms_to_the_published_schema(options):
    validate(workflow_yaml("Blackjack, the seeded ladder", ".github/autograder.zip", **options))


@given(st.text(), st.text())
def test_titles_and_paths_add_no_expression_and_change_no_script(title, bundle):
    title, bundle = (text.encode("utf-8", "ignore").decode() for text in (title, bundle))
    job = parse_workflow(workflow_yaml(title, bundle))["jobs"]["check"]
    plain_job = parse_workflow(workflow_yaml("B", "a.zip"))["jobs"]["check"]
    # An expression begins with `${{`: a space inside makes it plain text.
    assert job["name"] == re.sub(r"\$(?=\{\{)", "$ ", title)
    assert "${{" not in job["name"] + job["steps"][1]["env"]["BUNDLE"]
    assert [step.get("run") for step in job["steps"]] == [step.get("run") for step in plain_job["steps"]]


@pytest.mark.parametrize("options", WORKFLOW_OPTIONS, ids=str)
def test_scripts_have_no_expressions_and_permissions_are_minimal(options):
    workflow = parse_workflow(workflow_yaml("B", "a.zip", **options))
    steps = workflow["jobs"]["check"]["steps"]
    assert not [step["run"] for step in steps if "${{" in step.get("run", "")]
    classroom_permissions = {"checks": "write", "actions": "read"} if options.get("is_classroom") else {}
    assert workflow["permissions"] == {"contents": "read", **classroom_permissions}
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout")]
    assert [step["with"]["persist-credentials"] for step in checkouts] == ["false"] * len(checkouts)
    assert set(workflow["on"]) == {"push", "pull_request", "workflow_dispatch"}
    names = set(re.findall(r"\$\{\{ ?(\S+) ?\}\}", workflow_yaml("B", "a.zip", **options)))
    allowed = {"github.workflow", "github.ref", "runner.temp", "secrets.PITBOSS_TOKEN", "steps.check.outputs.result"}
    assert names <= allowed


def test_the_command_writes_the_workflow_to_the_folder_github_reads(pitboss, tmp_path):
    output = pitboss("workflow", f"{TOY}/")
    path = ".github/workflows/pitboss.yml"
    assert (output.code, output.out) == (
        0,
        f"{path}: the workflow needs the archive of pitboss gradescope {TOY}/ as .github/autograder.zip\n",
    )
    assert parse_workflow((tmp_path / path).read_text())["jobs"]["check"]["name"] == "A bank teller"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--bundle", "../a.zip"), "--bundle: '../a.zip' lies outside of a repository; name a path inside"),
        (("--repository", "a b"), "--repository: 'a b' is not a repository; write OWNER/NAME"),
    ],
)
def test_an_invalid_option_is_reported(pitboss, words, sentence):
    output = pitboss("workflow", f"{TOY}/", *words)
    assert (output.code, output.err) == (2, f"pitboss: {sentence}\n")


def decoded_result(line):
    """The JSON in the step output `result`, which GitHub Classroom's reporter reads."""
    name, _, text = line.removesuffix("\n").partition("=")
    assert name == "result"
    return json.loads(base64.b64decode(text, validate=True))


def test_a_workflow_folder_that_cannot_be_created_is_reported(pitboss, tmp_path):
    (tmp_path / ".github").write_text("")
    output = pitboss("workflow", f"{TOY}/")
    message = "pitboss: .github/workflows: the folder cannot be created: Not a directory\n"
    assert (output.code, output.out, output.err) == (2, "", message)


def test_the_classroom_output_has_the_score_and_a_message():
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
def test_the_classroom_status_distinguishes_our_errors_from_failures(verdict, status):
    assert decoded_result(classroom_output(report(verdict), grade(1)))["status"] == status


def test_the_classroom_output_of_a_failed_check_has_0_of_0_points():
    test = {"name": "pitboss", "status": "error", "score": 0, "message": "No."}
    assert decoded_result(failed_output("No.")) == {"version": 1, "status": "error", "max_score": 0, "tests": [test]}


def test_check_reports_a_failed_check_to_classroom(pitboss, tmp_path):
    (tmp_path / "mine").mkdir()
    output = pitboss("check", "mine", "-a", f"{TOY}/", "--classroom", GITHUB_OUTPUT=str(tmp_path / "out"))
    assert output.code == 2
    (test,) = decoded_result((tmp_path / "out").read_text())["tests"]
    assert test["message"].startswith("This could not be checked: mine: no program is here — ")
    assert (tmp_path / "out").read_text() == failed_output(test["message"])
    output = pitboss("check", "mine", "-a", f"{TOY}/", "--classroom")
    assert output.err == "pitboss: --classroom: GITHUB_OUTPUT is not set; use this option in a step of GitHub Actions\n"


@pytest.mark.slow
def test_the_steps_of_the_workflow_check_a_repository(pitboss, tmp_path):
    """Run the scripts of the workflow in order, as a runner does; the fake apt-get installs nothing."""
    repository = tmp_path / "repository"
    (repository / ".github").mkdir(parents=True)
    assert pitboss("gradescope", f"{TOY}/", "-o", repository / ".github" / "autograder.zip").code == 0
    assert pitboss("workflow", f"{TOY}/", "--classroom", cwd=repository).code == 0
    shutil.copy(ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c", repository)
    (tmp_path / "bin").mkdir()
    for name, script in (("apt-get", "exit 0"), ("sudo", 'exec "$@"')):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    environment |= {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    workflow = parse_workflow((repository / ".github" / "workflows" / "pitboss.yml").read_text())
    for step in workflow["jobs"]["check"]["steps"]:
        if "run" in step:
            step_environment = {
                name: text.replace("${{ runner.temp }}", str(tmp_path)) for name, text in step["env"].items()
            }
            subprocess.run(
                ["bash", "-e", "-c", step["run"]],
                cwd=repository,
                env=environment | step_environment,
                check=True,
                timeout=300,
            )
    assert "| teller | ✅ accepted |" in (tmp_path / "summary.md").read_text()
    assert decoded_result((tmp_path / "output").read_text())["tests"][0]["score"] == 100
