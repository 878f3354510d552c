"""Sessions without an end: what counts follows from the order of the cases, whoever ran what and when."""

import json
import subprocess
import sys

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check, check_in_this_process
from pitboss.compare.check_events import Begun
from pitboss.compare.verdicts import Verdict
from pitboss.reports.finding_sentences import summary_of
from pitboss.sandbox import progress
from pitboss.sandbox.progress import WorkProgress
from pitboss.sessions.attempts import Part, counted_sessions
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.tracing.driver import AT_ONCE
from tests.conftest import ROOT

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
    return [(result.verdict, summary_of(result)) for result in report.results]


FLOOD = Verdict.OUTPUT_LIMIT_EXCEEDED
SENTENCE = "Skipped: in an earlier session of this stage the program did not end by itself."


def as_told(endless, numbers):
    last = sorted(endless)[2] if len(endless) > 2 else numbers[-1]
    last = numbers[0] if numbers[0] in endless else last
    return [Verdict.SKIPPED if one > last else FLOOD if one in endless else Verdict.ACCEPTED for one in numbers]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize(
    "endless", [(2, 3, 31, 40), (1, 2, 3, 4), (30, 31, 32, 33, 34), (7, 60), (58, 59, 60)], ids=str
)
def test_everything_after_the_first_or_third_session_without_an_end_is_not_run(tmp_path, workers, endless):
    spec = f"  - {{name: numbers, seeds: 1..{MANY}, answers: []}}\n"
    output = verdicts(tmp_path, SEEDED, spec, endless, workers)
    assert [verdict for verdict, _ in output] == as_told(endless, range(1, MANY + 1))
    assert {summary for verdict, summary in output if verdict is Verdict.SKIPPED} <= {SENTENCE}


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_so_it_is_where_draws_are_read_back(tmp_path, workers):
    players = "".join(f'  n{n}: [{{prompt: "Number: ", answers: ["{n}"]}}]\n' for n in range(1, 31))
    spec = "".join(f"  - {{name: number {n}, player: n{n}}}\n" for n in range(1, 31))
    output = verdicts(tmp_path, f"{DRAWN}players:\n{players}", spec, (2, 3, 17, 20), workers)
    assert [verdict for verdict, _ in output] == as_told((2, 3, 17, 20), range(1, 31))


#: Programs that use up a limit in every session, and their verdicts.
KINDS = {
    "computes": ("for (;;) { }", Verdict.TIME_LIMIT_EXCEEDED),
    "floods": ('for (;;) puts("flood");', Verdict.OUTPUT_LIMIT_EXCEEDED),
    "takes memory": ("for (;;) memset(malloc(1 << 20), 1, 1 << 20);", Verdict.RUN_TIME_ERROR),
    "waits": ("pause();", Verdict.TIME_LIMIT_EXCEEDED),
}
#: To take as much may cost over a second of computing.
MUCH = "memory_mb: 256, cpu_s: 20"
TWO = SEEDED.replace("idle_s: 2", "idle_s: 1") + '  - {name: other, reference: "own:main"}\n'


def two_stages(tmp_path, body, limits=""):
    """A job of two stages that are run whatever the other does, and a submission that does the same in both."""
    specs, submission = tmp_path / "specs", tmp_path / "submission"
    specs.mkdir()
    submission.mkdir()
    (specs / "assignment.yaml").write_text(TWO.replace("idle_s: 1", f"idle_s: 1{limits}"))
    (specs / "own.py").write_text(OWN)
    heads = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
    for name in ("number", "other"):
        text = f"program: {name}\ncases:\n  - {{name: numbers, seeds: 1..{MANY}, answers: []}}\n"
        (specs / f"{name}.yaml").write_text(text)
        reads = 'char line[9]; printf("Number: "); fflush(stdout); fgets(line, 9, stdin);'
        (submission / f"{name}.c").write_text(f"{heads}int main(void) {{ {reads} {body} }}\n")
    loaded = load_assignment(specs)
    return Job(loaded, loaded.stages, find_conditions("watched", "none"), "it", runs_all=True), submission


def taken_in(told):
    """How many sessions of each stage were begun."""
    most, stage = {}, ""
    for one in told:
        if isinstance(one, Begun):
            stage = one.stage
            most.setdefault(stage, 0)  # of several workers it is told what the first of them takes
        elif isinstance(one, WorkProgress):
            most[stage] = max(most.get(stage, 0), one.count)
    return most


def told_of(tmp_path, kind, workers):
    """The verdicts of each stage of a program of this kind, and how many sessions of each stage were begun."""
    job, submission = two_stages(tmp_path, KINDS[kind][0], f", {MUCH}" if kind == "takes memory" else "")
    output = []
    with progress.subscribe(output.append):
        report = check(job, submission, count=workers) if workers else check_in_this_process(job, submission, "it")
    return [[one.verdict.value for one in stage.results] for stage in report.stages], taken_in(output)


#: Only where a program has had more memory than the process that starts it the kernel tells how much (`waited_for`), and
#: that of all these tests has had a lot. So there is a shell between: what it starts has had none.
APART = "import json, pathlib, sys; from tests.checking.test_endless import told_of; "
APART += "print(json.dumps(told_of(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))"


def told_apart(*words):
    argv = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", APART, *map(str, words)]
    output = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(output.stdout)


@pytest.mark.parametrize("workers", [0, 2], ids=["of a class", "two workers"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_stage_costs_a_limit_once_and_not_once_a_session(tmp_path, kind, workers):
    """With several workers once for each: they run beside each other."""
    stages, begun = told_apart(tmp_path, kind, workers) if kind == "takes memory" else told_of(tmp_path, kind, workers)
    for verdicts in stages:
        assert verdicts == [KINDS[kind][1].value] + ["SKIPPED"] * (MANY - 1)
    assert set(begun) == {"number", "other"}
    # Each worker has a few sessions ready beside those that it runs.
    assert max(begun.values()) <= (1 + AT_ONCE) * max(1, workers)


#: Never ends once its scanf finds no line. For 1 it is right, for others it does what this says after the number.
LOOPS = """\
#include <stdio.h>
int main(void) {
    int number, other = 0;
    printf("Number: ");
    scanf("%d", &number);
    if (number == 1) { printf("1\\n"); return 0; }
    if (number == 2) { printf("2\\nAgain: "); }
    if (number == 3) { printf("three\\n"); return 0; }
    if (number == 4) { printf("four\\n"); for (;;) printf("4\\n"); }
    while (other == 0) { printf("Again: "); scanf("%d", &other); }
}
"""


def test_a_session_that_left_the_path_ends_where_its_lines_end_and_so_costs_no_others(tmp_path):
    job, submission = two_stages(tmp_path, "")
    (submission / "number.c").write_text(LOOPS)
    report = check(job, submission, count=1).stages[0]
    verdicts = [one.verdict for one in report.results]
    assert verdicts[:4] == [Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.WRONG_ANSWER, FLOOD]
    assert verdicts[4:] == [Verdict.WRONG_ANSWER] * (MANY - 4)
    five = report.results[4]
    assert summary_of(five) == "Line 2 is “Again: ” where “5” is expected."
    assert five.actual.text == b"Number: Again: "


def test_a_crash_costs_nothing_so_all_sessions_are_run(tmp_path):
    job, submission = two_stages(tmp_path, "abort();")
    for stage in check(job, submission, count=2).stages:
        assert [one.verdict for one in stage.results] == [Verdict.RUN_TIME_ERROR] * MANY
    assert not list(submission.glob("core*"))


def test_what_was_held_beyond_does_not_count():
    """Two workers, the first of which was slow with the sessions that it had taken."""
    parts = [
        Part({0: "a", 3: "d", 4: "e", 6: "g"}, {4: 1, 6: 1}),
        Part({1: "b", 2: "c", 5: "f", 7: "h"}, {1: 1, 7: 1}),
    ]
    assert counted_sessions(parts) == {0: "a", 1: "b", 2: "c", 3: "d", 4: "e", 5: "f", 6: "g"}
    assert counted_sessions(parts[:1]) == {0: "a", 3: "d", 4: "e", 6: "g"}
