"""Submissions that are shell scripts."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

HELLO = 'printf "Number? "\nread n\necho "Hello, world $n!"\n'
ARRAY = '#!/usr/bin/env bash\nprintf "Number? "\nread -a n\necho "Hello, world ${n[0]}!"\n'


def stage_of(folder, text):
    (folder / "hello.sh").write_text(text)
    assignment = load_assignment(ROOT / "tests" / "toy" / "hello")
    (stage,) = check(Job(assignment, assignment.stages[:1], find_conditions(), "hello"), folder).stages
    return stage.verdict.value, stage.passed, stage.summary


@pytest.mark.parametrize("text", [HELLO, ARRAY], ids=["sh", "bash, as its first line says"])
def test_a_script_is_run_by_its_shell(tmp_path, text):
    assert stage_of(tmp_path, text) == ("ACCEPTED", 100, "")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (
            "if true; then\n",
            'sh cannot read hello.sh: hello.sh: 2: Syntax error: end of file unexpected (expecting "fi")',
        ),
        (
            "#!/bin/bash\nif true; then\n",
            "bash cannot read hello.sh: hello.sh: line 3: syntax error: unexpected end of file",
        ),
    ],
    ids=["sh", "bash"],
)
def test_a_script_that_no_shell_can_read_is_told_why(tmp_path, text, summary):
    assert stage_of(tmp_path, text) == ("COMPILE_ERROR", 0, summary)
