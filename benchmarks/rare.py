"""Checks a rare mistake and the right program many times: `python -m benchmarks.rare EXAMPLE [WRONG [RIGHT]]`.

WRONG and RIGHT are the numbers of checks. The draws of a session depend only on the session's name, so all checks of
one program are the same. Here a number, the salt, is compiled into the program and changes its draws: each check is
like that of another student with the same mistake. Prints how often each verdict was given, and the median processor
seconds and number of sessions of a check.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job

ROOT = Path(__file__).resolve().parent.parent
#: How often the wrong and the right program are checked by default.
WRONG, RIGHT = 50, 200


def cpu_s() -> float:
    """Return the processor seconds of this process and of the programs that it has run."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Example(NamedTuple):
    """A right submission, the edit that makes it wrong, and the edit that makes its draws depend on a salt."""

    student: str
    stage: str
    #: The edit that makes the program wrong: the file, the old text, the new text.
    mistake: tuple[str, str, str]
    #: The edit that makes the draws depend on a salt: the file, the old text, the new text with `{salt}` for the salt.
    salted: tuple[str, str, str]


#: The mistakes of csc101 and ece2036: a blackjack against a dealer's blackjack is no push. The mistake of tournament: a
#: dealer's blackjack does not beat a 21. Each situation occurs once in some hundred deals.
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
    """Check an example with this salt; return the verdict, the processor seconds and the number of sessions."""
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
        (report,) = check(job, folder, cores=1).stages
        remark = " with something not shown" if report.unshown else ""
        return report.verdict.name + remark, cpu_s() - start, len(report.results)


def main() -> None:
    """Check the wrong and the right program of an example many times, and print the verdicts and medians."""
    name, *numbers = sys.argv[1:]
    counts = (*map(int, numbers), *(WRONG, RIGHT)[len(numbers) :])
    for is_wrong, count in zip((True, False), counts, strict=True):
        runs = [run(name, salt, is_wrong=is_wrong) for salt in range(count)]
        if runs:
            verdicts = Counter(verdict for verdict, _, _ in runs)
            verdict_counts = ", ".join(f"{verdict} {times}" for verdict, times in verdicts.items())
            seconds, sessions = (statistics.median(figures[index] for figures in runs) for index in (1, 2))
            print(
                f"{name}, {'wrong' if is_wrong else 'right'}: {verdict_counts}; "
                f"{seconds:.2f} s, {sessions:.0f} sessions"
            )


if __name__ == "__main__":
    main()
