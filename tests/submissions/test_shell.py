import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

HELLO = 'printf "Number? "\nread n\necho "Hello, world $n!"\n'
ARRAY = '#!/usr/bin/env bash\nprintf "Number? "\nread -a n\necho "Hello, world ${n[0]}!"\n'


def check_script(folder, text):
    """The verdict, the number of accepted sessions (of 100) and the summary for this script."""
    (folder / "hello.sh").write_text(text)
    assignment = load_assignment(ROOT / "tests" / "toy" / "hello")
    (stage,) = check(Job(assignment, assignment.stages[:1], find_conditions(), "hello"), folder).stages
    return stage.verdict.value, stage.passed, stage.summary


@pytest.mark.parametrize("text", [HELLO, ARRAY], ids=["sh", "bash, as its first line says"])
def test_a_script_is_run_by_sh_or_the_shell_that_its_first_line_names(tmp_path, text):
    assert check_script(tmp_path, text) == ("ACCEPTED", 100, "")


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
def test_a_syntax_error_in_a_script_is_a_compile_error(tmp_path, text, summary):
    assert check_script(tmp_path, text) == ("COMPILE_ERROR", 0, summary)
