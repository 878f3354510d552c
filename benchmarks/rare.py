"""Verdicts on a rare mistake and on the right program, many times: `python -m benchmarks.rare EXAMPLE [WRONG [RIGHT]]`.

A session's draws follow from its name, so that every run is the same. Here a number is compiled into the program, which
changes what it draws: each run is that of another student with the same mistake. Printed are the verdicts, the seconds
that a run took, and how many sessions it had.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.evidence import cpu_s
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job

ROOT = Path(__file__).resolve().parent.parent
WRONG, RIGHT = 50, 200


class Example(NamedTuple):
    """An example, what makes it wrong, and where its draws get a number."""

    student: str
    stage: str
    #: A file, a text of it and what replaces it.
    mistake: tuple[str, str, str]
    #: Likewise, with `{salt}` for the number.
    salted: tuple[str, str, str]


#: In the first two a blackjack against a blackjack is no push, in the third a dealer's blackjack does not beat a 21:
#: each comes once in some hundred deals.
EXAMPLES = {
    "csc101": Example(
        "kathleen",
        "basic",
        (
            "blackjack.c",
            "return (!is_split && is_blackjack(player)) - is_blackjack(&dealer);",
            "return !is_split && is_blackjack(player) ? 1 : -is_blackjack(&dealer);",
        ),
        ("blackjack.c", "srand((unsigned)time(NULL));", "srand((unsigned)time(NULL) + {salt}u * 7919u);"),
    ),
    "ece2036": Example(
        "vera",
        "blackjack",
        (
            "Blackjack.cpp",
            "if (dealer.is_blackjack()) {",
            "if (dealer.is_blackjack() && dealer.value() > 21) {",
        ),
        (
            "Card.cpp",
            "rank = std::rand() % 13 + 1;",
            "static const bool is_salted = (std::srand(std::rand() + {salt}u * 7919u), true);\n"
            "    (void)is_salted;\n    rank = std::rand() % 13 + 1;",
        ),
    ),
    "tournament": Example(
        "hanna",
        "blackjack",
        (
            "Program.cs",
            'if (IsBlackjack())\n            {\n                Console.WriteLine($"Dealer',
            'if (IsBlackjack() && player < 21)\n            {\n                Console.WriteLine($"Dealer',
        ),
        ("Program.cs", "new Random();", "new Random(Environment.TickCount + {salt} * 7919);"),
    ),
}


def run(name: str, salt: int, *, is_wrong: bool) -> tuple[str, float, int]:
    """The verdict on one variant of an example, the seconds of computing, and the number of sessions."""
    example = EXAMPLES[name]
    assignment = load_assignment(ROOT / "specs" / name)
    job = Job(assignment, (assignment.stage(example.stage),), find_conditions("watched", "landlock"), name)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / example.student
        shutil.copytree(ROOT / "examples" / name / example.student, folder)
        for file, old, new in (example.salted, *([example.mistake] if is_wrong else [])):
            text = (folder / file).read_text()
            if old not in text:
                raise RuntimeError(f"{name}: {file} has no {old!r}")
            (folder / file).write_text(text.replace(old, new.replace("{salt}", str(salt)), 1))
        start = cpu_s()
        (report,) = check(job, folder, count=1).stages
        said = " with something not shown" if report.unshown else ""
        return report.verdict.name + said, cpu_s() - start, len(report.results)


def main() -> None:
    """Run an example so many times and print what came of it."""
    name, *numbers = sys.argv[1:]
    counts = (*map(int, numbers), *(WRONG, RIGHT)[len(numbers) :])
    for is_wrong, count in zip((True, False), counts, strict=True):
        runs = [run(name, salt, is_wrong=is_wrong) for salt in range(count)]
        if runs:
            verdicts = Counter(verdict for verdict, _, _ in runs)
            told = ", ".join(f"{verdict} {times}" for verdict, times in verdicts.items())
            seconds, sessions = (statistics.median(one[index] for one in runs) for index in (1, 2))
            print(f"{name}, {'wrong' if is_wrong else 'right'}: {told}; {seconds:.2f} s, {sessions:.0f} sessions")


if __name__ == "__main__":
    main()
