"""Which tests run which lines: a map, written once by running the tests under coverage, with one context per test."""

from __future__ import annotations

import ast
import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import coverage

from tests.conftest import ROOT

#: Tests left out of the map: they interrupt endless calls, which takes too long under coverage.
_LEFT_OUT = ("tests/assignments/test_calls.py",)
#: The default file of the map.
MAP = ROOT / "build" / "tested-map"


class Lines:
    """The map from lines to tests, and how long each test took."""

    def __init__(self, path: Path) -> None:
        """Read a map that `write_map` has written; FileNotFoundError if it does not exist."""
        self._seconds: dict[str, float] = json.loads(Path(f"{path}.json").read_text())
        self._data = coverage.CoverageData(str(path))
        self._data.read()
        self._tests_by_line: dict[str, dict[int, list[str]]] = {}

    def files(self) -> list[str]:
        """The files with lines that a test runs, relative to the root."""
        names = [name for name in self._data.measured_files() if self._tests_of_file(name)]
        return sorted(str(Path(name).relative_to(ROOT)) for name in names)

    def _by_line(self, name: str) -> dict[int, list[str]]:
        if name not in self._tests_by_line:
            self._tests_by_line[name] = self._data.contexts_by_lineno(name)
        return self._tests_by_line[name]

    def _tests_of_file(self, name: str) -> set[str]:
        return {test for tests in self._by_line(name).values() for test in tests if test}

    def tests_of(self, file: str, lines: range) -> list[str]:
        """The tests that run any of these lines of a file, the quickest first.

        For lines that run when the module is loaded: the tests that run any other line of the module.
        """
        name = str(ROOT / file)
        by_line = self._by_line(name)
        tests = {test for line in lines for test in by_line.get(line, ()) if test}
        if not tests and not _lines_in_functions(name) & set(lines):
            tests = self._tests_of_file(name)
        return sorted((test for test in tests if test in self._seconds), key=self._seconds.__getitem__)

    def seconds(self, tests: list[str]) -> float:
        """How long these tests took together."""
        return sum(self._seconds[test] for test in tests)


@functools.cache
def _lines_in_functions(name: str) -> frozenset[int]:
    """The lines of a file that do not run when the module is loaded."""
    functions = [node for node in ast.walk(ast.parse(Path(name).read_text())) if isinstance(node, ast.FunctionDef)]
    spans = (range(node.body[0].lineno, (node.end_lineno or 0) + 1) for node in functions)
    return frozenset(line for span in spans for line in span)


def write_map(path: Path, tests: list[str]) -> int:
    """Run these tests, or all that are not slow if the list is empty, and write the map; returns pytest's exit code."""
    path.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.tested.contexts"]
    command += [f"--ignore={file}" for file in _LEFT_OUT]
    environment = {**os.environ, "TESTED_DATA": str(path)}
    return subprocess.run([*command, "-m", "not slow", *tests], cwd=ROOT, env=environment, check=False).returncode
