"""The fuzzing tests with more examples. For far more: `python -m pytest tests/fuzzing --hypothesis-profile=hours`."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("name", ["notation", "comparison", "spec_files", "any_output"])
def test_more_examples_find_no_failure(name):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=longer"]
    process = subprocess.run(
        [*command, f"tests/fuzzing/test_{name}.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout
