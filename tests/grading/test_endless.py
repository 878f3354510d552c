"""Sessions without an end: what counts follows from the order of the cases, whoever ran what and when."""

import pytest

from harness.assignments.specfile import load_assignment
from harness.grading.check import check
from harness.judging.verdicts import Verdict
from harness.running.attempts import Part, counted
from harness.running.drivers import find_conditions
from harness.running.job import Job

SEEDED = """\
title: Numbers
limits: {output_kb: 1, idle_s: 2}
stages:
  - {name: number, reference: "own:main"}
"""
DRAWN = """\
title: Numbers
seeded: no
draws: {values: ["1", "2"]}
limits: {output_kb: 1, idle_s: 2}
stages:
  - {name: number, reference: "own:drawn", reader: "own:read"}
"""
OWN = """\
from types import SimpleNamespace

def main(console):
    console.write("Number: ")
    console.write(f"{console.read_line()}\\n")

def drawn(console, draw):
    console.write("Number: ")
    console.write(f"{console.read_line()}\\n")

def read(conversation):
    return SimpleNamespace(draws=(), problem=None)
"""
#: A program that floods the screen for these numbers, and takes its time for those that are even.
PROGRAM = """\
#include <stdio.h>
int main(void) {{
    static const int endless[] = {{{numbers}}};
    int number;
    printf("Number: ");
    scanf("%d", &number);
    for (int i = 0; i < {count}; i++)
        while (endless[i] == number) printf("%d\\n", number);
    for (volatile int i = 0; number % 2 == 0 && i < 20000000; i++) {{ }}
    printf("%d\\n", number);
    return 0;
}}
"""
MANY = 60


def verdicts(tmp_path, assignment, spec, endless, workers):
    specs, submission = tmp_path / "specs", tmp_path / "submission"
    specs.mkdir(exist_ok=True)
    submission.mkdir(exist_ok=True)
    (specs / "assignment.yaml").write_text(assignment)
    (specs / "number.yaml").write_text(f"program: number\ncases:\n{spec}")
    (specs / "own.py").write_text(OWN)
    numbers = ", ".join(map(str, endless))
    (submission / "number.c").write_text(PROGRAM.format(numbers=numbers, count=len(endless)))
    loaded = load_assignment(specs)
    job = Job(loaded, loaded.stages, find_conditions("watched", "none"), "it")
    (report,) = check(job, submission, count=workers).stages
    return [(result.verdict, result.summary) for result in report.results]


FLOOD = Verdict.OUTPUT_LIMIT_EXCEEDED
SENTENCE = "Skipped: 3 earlier sessions of this stage did not end by themselves."


def as_told(endless, numbers):
    last = sorted(endless)[2] if len(endless) > 2 else numbers[-1]
    return [Verdict.SKIPPED if one > last else FLOOD if one in endless else Verdict.ACCEPTED for one in numbers]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize(
    "endless", [(2, 3, 31, 40), (1, 2, 3, 4), (30, 31, 32, 33, 34), (7, 60), (58, 59, 60)], ids=str
)
def test_everything_after_the_third_session_without_an_end_is_not_run(tmp_path, workers, endless):
    spec = f"  - {{name: numbers, seeds: 1..{MANY}, answers: []}}\n"
    told = verdicts(tmp_path, SEEDED, spec, endless, workers)
    assert [verdict for verdict, _ in told] == as_told(endless, range(1, MANY + 1))
    assert {summary for verdict, summary in told if verdict is Verdict.SKIPPED} <= {SENTENCE}


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_so_it_is_where_draws_are_read_back(tmp_path, workers):
    players = "".join(f'  n{n}: [{{prompt: "Number: ", answers: ["{n}"]}}]\n' for n in range(1, 31))
    spec = "".join(f"  - {{name: number {n}, player: n{n}}}\n" for n in range(1, 31))
    told = verdicts(tmp_path, f"{DRAWN}players:\n{players}", spec, (2, 3, 17, 20), workers)
    assert [verdict for verdict, _ in told] == as_told((2, 3, 17, 20), range(1, 31))


def test_what_was_held_beyond_does_not_count():
    """Two workers, the first of which was slow with the sessions that it had taken."""
    parts = [Part({0: "a", 3: "d", 4: "e", 6: "g"}, {4, 6}), Part({1: "b", 2: "c", 5: "f", 7: "h"}, {1, 7})]
    assert counted(parts) == {0: "a", 1: "b", 2: "c", 3: "d", 4: "e", 5: "f", 6: "g"}
    assert counted(parts[:1]) == {0: "a", 3: "d", 4: "e", 6: "g"}
