"""Measures how a class is graded into a gradebook: `python -m benchmarks.book [--count 300] [--hundred]`.

Makes a class of COUNT submissions and one of a tenth of COUNT, with right and wrong programs in turn. Grades both on
two cores, and the larger class also on one core. For each it prints the seconds in all and per submission, the peak
memory of any process, the size of the gradebook, how long it takes to grade the unchanged class again, and how long
`pitboss scores` takes. It fails if a verdict or a score is not as expected.
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
from benchmarks.many import HUNDRED, PYTHON, ROOT, TOYS, SyntheticClass, make_class


class CommandCost(NamedTuple):
    """The cost of one command."""

    seconds: float
    #: The peak memory of the command's process or of any descendant that was waited for, in MB.
    most_mb: int


def run_pitboss(words: list[str], output: Path) -> CommandCost:
    """Run pitboss with these arguments, write its output to a file, and return the cost."""
    start = time.monotonic()
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
    return CommandCost(time.monotonic() - start, usage.ru_maxrss // 1024)


def complaints(book: Path, wanted: dict[str, str], output: Path) -> list[str]:
    """Return a sentence for each submission whose verdict or score in the gradebook is wrong.

    `wanted` has the right verdict by name; a submission gets all points if this verdict is ACCEPTED, and fewer if not.
    """
    run_pitboss(["scores", str(book), "--json", "-"], output)
    people_by_name = {person["name"]: person for person in json.loads(output.read_text())["people"]}
    sentences = []
    for name, verdict in wanted.items():
        person = people_by_name.get(name, {})
        score_text = " ".join(line["text"] for line in person.get("sum", ()))
        points = re.search(r"\b(\d+) of (\d+) points", score_text)
        is_full = points is not None and points[1] == points[2]
        if person.get("verdict") != verdict or is_full != (verdict == "ACCEPTED"):
            sentences.append(f"{name}: {person.get('verdict')} and {score_text} instead of {verdict}")
    return sentences


def grade_twice(of: SyntheticClass, folder: Path, count: int, cores: int) -> list[str]:
    """Grade a class into a new gradebook, grade it again unchanged, and print the costs.

    Writes the submissions unless an earlier call has written them. Returns the sentences of `complaints`.
    """
    submissions, book, output = folder / f"{count}", folder / f"{count}-{cores}.book", folder / "output"
    names = [path.name for path in submissions.iterdir()] if submissions.exists() else []
    if names:
        expected = _expected_verdicts(of, names)
    else:
        submissions.mkdir()
        expected = make_class(of, submissions, count)
    argv = ["grade", str(submissions), of.stage, "-a", str(TOYS / of.assignment), "-g", str(book), "-j", str(cores)]
    first_run, second_run = run_pitboss(argv, output), run_pitboss(argv, output)
    scores_run = run_pitboss(["scores", str(book)], output)
    print(
        f"{count} submissions, {cores} cores: {first_run.seconds:.1f} s, "
        f"{first_run.seconds / count * 1000:.0f} ms each, {first_run.most_mb} MB; "
        f"gradebook {book.stat().st_size / count / 1024:.1f} kB each; "
        f"again {second_run.seconds:.2f} s, {second_run.most_mb} MB; scores {scores_run.seconds:.2f} s"
    )
    return complaints(book, expected, output)


def _expected_verdicts(class_: SyntheticClass, names: list[str]) -> dict[str, str]:
    """Return the verdict that each submission written by `make_class` must get, by name."""
    return {name: class_.kinds[number % len(class_.kinds)][0] for number, name in enumerate(sorted(names))}


def main() -> int:
    """Grade the classes, and print the costs and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--hundred", action="store_true", help="programs in C with 100 sessions each")
    options = parser.parse_args()
    class_ = HUNDRED if options.hundred else PYTHON
    sentences = []
    with tempfile.TemporaryDirectory() as folder:
        for count, cores in ((options.count // 10, 2), (options.count, 2), (options.count, 1)):
            sentences += grade_twice(class_, Path(folder), count, cores)
    print("\n".join(sentences[:20]) or "every verdict and score is as known")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
