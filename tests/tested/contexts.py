"""A pytest plugin that records which tests run each line: `-p tests.tested.contexts`; writes the file $TESTED_DATA.

Lines that run when a module is loaded belong to no test. Lines run by forked workers and by subprocesses are not seen.
"""

import json
import os
from pathlib import Path

import coverage
import hypothesis
import pytest

from tests.conftest import ROOT

_seconds: dict[str, float] = {}


_coverage = coverage.Coverage(
    data_file=os.environ.get("TESTED_DATA"), source=[str(ROOT / "harness"), str(ROOT / "reference")], messages=False
)


def pytest_configure():
    _coverage.start()
    # A few examples suffice to see which lines a property test runs.
    hypothesis.settings.register_profile("few", hypothesis.settings(max_examples=5))
    hypothesis.settings.load_profile("few")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _coverage.switch_context(item.nodeid)
    yield
    _coverage.switch_context("")


def pytest_runtest_logreport(report):
    if report.outcome == "passed":
        _seconds[report.nodeid] = _seconds.get(report.nodeid, 0) + report.duration


def pytest_unconfigure():
    _coverage.stop()
    _coverage.save()
    Path(os.environ["TESTED_DATA"] + ".json").write_text(json.dumps(_seconds))
