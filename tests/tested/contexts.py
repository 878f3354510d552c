"""A pytest plugin that notes which tests run each line: `-p tests.tested.contexts`, with TESTED_DATA as its file.

Lines that run when a module is loaded belong to no test. What forked workers and commands of their own run is not seen.
"""

import json
import os
from pathlib import Path

import coverage
import hypothesis
import pytest

from tests.conftest import ROOT

_seconds: dict[str, float] = {}


_measured = coverage.Coverage(
    data_file=os.environ.get("TESTED_DATA"), source=[str(ROOT / "harness"), str(ROOT / "reference")], messages=False
)


def pytest_configure():
    _measured.start()
    # Which lines a property comes to is seen in few examples.
    hypothesis.settings.register_profile("few", hypothesis.settings(max_examples=5))
    hypothesis.settings.load_profile("few")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _measured.switch_context(item.nodeid)
    yield
    _measured.switch_context("")


def pytest_runtest_logreport(report):
    if report.outcome == "passed":
        _seconds[report.nodeid] = _seconds.get(report.nodeid, 0) + report.duration


def pytest_unconfigure():
    _measured.stop()
    _measured.save()
    Path(os.environ["TESTED_DATA"] + ".json").write_text(json.dumps(_seconds))
