"""A class into a gradebook: `python -m benchmarks.book [--count 300] [--hundred]`.

Makes a class of that many and one of a tenth, right and wrong programs in turn, and grades both into a gradebook; the
larger one on one core too. Prints the seconds of each, a submission's share of them, the most memory of any process,
the size of the gradebook, and how long it takes to grade the same class again with nothing changed, and to show its
scores. It fails where a verdict or a score is another than it should be.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.environment import WITHOUT_CACHE
from benchmarks.many import HUNDRED, PYTHON, ROOT, TOYS, Class, make_class


class Measured(NamedTuple):
    """A command that was run."""

    seconds: float
    #: Of the process itself, or of any that it has waited for.
    most_mb: int


def measured(words: list[str], output: Path) -> Measured:
    """Run pitboss with these words; its output goes to a file."""
    began = time.monotonic()
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "pitboss", *words],
            cwd=ROOT,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=WITHOUT_CACHE,
        )
        _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return Measured(time.monotonic() - began, usage.ru_maxrss // 1024)


def complaints(book: Path, wanted: dict[str, str], output: Path) -> list[str]:
    """What is wrong in a gradebook, as sentences."""
    measured(["scores", str(book), "--json", "-"], output)
    people = {one["name"]: one for one in json.loads(output.read_text())["people"]}
    wrong = []
    for name, verdict in wanted.items():
        one = people.get(name, {})
        told = " ".join(line["text"] for line in one.get("sum", ()))
        points = re.search(r"\b(\d+) of (\d+) points", told)
        is_full = points is not None and points[1] == points[2]
        if one.get("verdict") != verdict or is_full != (verdict == "ACCEPTED"):
            wrong.append(f"{name}: {one.get('verdict')} and {told} instead of {verdict}")
    return wrong


def graded(of: Class, folder: Path, count: int, cores: int) -> list[str]:
    """Grade a class anew and once more, and print what that took; returns what was wrong."""
    submissions, book, output = folder / f"{count}", folder / f"{count}-{cores}.book", folder / "output"
    wanted = {path.name: "" for path in submissions.iterdir()} if submissions.exists() else {}
    if not wanted:
        submissions.mkdir()
    wanted = make_class(of, submissions, count) if not wanted else _verdicts(of, wanted)
    words = ["grade", str(submissions), of.stage, "-a", str(TOYS / of.assignment), "-g", str(book), "-j", str(cores)]
    first, again = measured(words, output), measured(words, output)
    table = measured(["scores", str(book)], output)
    print(
        f"{count} submissions, {cores} cores: {first.seconds:.1f} s, {first.seconds / count * 1000:.0f} ms each, "
        f"{first.most_mb} MB; gradebook {book.stat().st_size / count / 1024:.1f} kB each; "
        f"again {again.seconds:.2f} s, {again.most_mb} MB; scores {table.seconds:.2f} s"
    )
    return complaints(book, wanted, output)


def _verdicts(of: Class, names: dict[str, str]) -> dict[str, str]:
    return {name: of.kinds[number % len(of.kinds)][0] for number, name in enumerate(sorted(names))}


def main() -> int:
    """Grade the classes and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--hundred", action="store_true", help="programs in C with 100 sessions each")
    options = parser.parse_args()
    of = HUNDRED if options.hundred else PYTHON
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for count, cores in ((options.count // 10, 2), (options.count, 2), (options.count, 1)):
            wrong += graded(of, Path(folder), count, cores)
    print("\n".join(wrong[:20]) or "every verdict and score is as known")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
