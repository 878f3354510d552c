"""Which tests run which lines: a map that is made once, by running tests under coverage with a context for each."""

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

#: Tests that break off what comes to no end: where each line is noted that takes for ever.
_LEFT_OUT = ("tests/assignments/test_calls.py",)
#: Where the map is kept unless another file is named.
MAP = ROOT / "build" / "tested-map"


class Lines:
    """The map, and how long each test took."""

    def __init__(self, path: Path) -> None:
        """Read a map that `make` has written; FileNotFoundError if there is none."""
        self._seconds: dict[str, float] = json.loads(Path(f"{path}.json").read_text())
        self._data = coverage.CoverageData(str(path))
        self._data.read()
        self._known: dict[str, dict[int, list[str]]] = {}

    def files(self) -> list[str]:
        """The files of which some line is run by some test, relative to the root."""
        return sorted(str(Path(name).relative_to(ROOT)) for name in self._data.measured_files() if self._tests(name))

    def _by_line(self, name: str) -> dict[int, list[str]]:
        if name not in self._known:
            self._known[name] = self._data.contexts_by_lineno(name)
        return self._known[name]

    def _tests(self, name: str) -> set[str]:
        return {test for tests in self._by_line(name).values() for test in tests if test}

    def tests_of(self, file: str, lines: range) -> list[str]:
        """The tests that run any of these lines of a file, the quickest first.

        Of lines that run when the module is loaded it is the tests that run any other line of it.
        """
        name = str(ROOT / file)
        by_line = self._by_line(name)
        found = {test for line in lines for test in by_line.get(line, ()) if test}
        if not found and not _inside_functions(name) & set(lines):
            found = self._tests(name)
        return sorted((test for test in found if test in self._seconds), key=self._seconds.__getitem__)

    def seconds(self, tests: list[str]) -> float:
        """How long these tests took together."""
        return sum(self._seconds[test] for test in tests)


@functools.cache
def _inside_functions(name: str) -> frozenset[int]:
    """The lines of a file that do not run when it is loaded."""
    functions = [node for node in ast.walk(ast.parse(Path(name).read_text())) if isinstance(node, ast.FunctionDef)]
    spans = (range(node.body[0].lineno, (node.end_lineno or 0) + 1) for node in functions)
    return frozenset(line for span in spans for line in span)


def make(path: Path, tests: list[str]) -> int:
    """Run tests, all quick ones if none are named, and write the map; returns pytest's exit code."""
    path.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.tested.contexts"]
    command += [f"--ignore={one}" for one in _LEFT_OUT]
    environment = {**os.environ, "TESTED_DATA": str(path)}
    return subprocess.run([*command, "-m", "not slow", *tests], cwd=ROOT, env=environment, check=False).returncode
