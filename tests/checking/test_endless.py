import json
import subprocess
import sys

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check, check_in_this_process
from pitboss.compare.results import Begun, Verdict
from pitboss.machine import progress
from pitboss.machine.progress import WorkProgress
from pitboss.reports.finding_sentences import summary_of
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
OWN_MODULE = """\
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
#: A program that prints without end for the given numbers. For other even numbers it computes for a while, so that with
#: several workers the sessions end in another order than they begin.
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
SESSION_COUNT = 60


def verdicts_and_summaries(tmp_path, assignment, spec, endless, workers):
    """Check a program that is endless for the numbers `endless`; returns verdict and summary of each session."""
    spec_folder, submission = tmp_path / "specs", tmp_path / "submission"
    spec_folder.mkdir(exist_ok=True)
    submission.mkdir(exist_ok=True)
    (spec_folder / "assignment.yaml").write_text(assignment)
    (spec_folder / "number.yaml").write_text(f"program: number\ncases:\n{spec}")
    (spec_folder / "own.py").write_text(OWN_MODULE)
    numbers = ", ".join(map(str, endless))
    (submission / "number.c").write_text(PROGRAM.format(numbers=numbers, count=len(endless)))
    loaded = load_assignment(spec_folder)
    job = Job(loaded, loaded.stages, find_conditions("watched", "none"), "it")
    (report,) = check(job, submission, cores=workers).stages
    return [(result.verdict, summary_of(result)) for result in report.results]


OUTPUT_LIMIT = Verdict.OUTPUT_LIMIT_EXCEEDED
SKIPPED_SENTENCE = "Skipped: in an earlier session of this stage the program did not end by itself."


def expected_verdicts(endless, numbers):
    """The verdicts of the sessions in which these numbers are typed, if the program is endless for those in `endless`.

    Sessions after the third endless one are skipped; if the first session is endless, all others are.
    """
    if numbers[0] in endless:
        last_run = numbers[0]
    elif len(endless) > 2:
        last_run = sorted(endless)[2]
    else:
        last_run = numbers[-1]
    return [
        Verdict.SKIPPED if number > last_run else OUTPUT_LIMIT if number in endless else Verdict.ACCEPTED
        for number in numbers
    ]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize(
    "endless", [(2, 3, 31, 40), (1, 2, 3, 4), (30, 31, 32, 33, 34), (7, 60), (58, 59, 60)], ids=str
)
def test_sessions_after_an_endless_first_or_the_third_endless_one_are_skipped(tmp_path, workers, endless):
    spec = f"  - {{name: numbers, seeds: 1..{SESSION_COUNT}, answers: []}}\n"
    sessions = verdicts_and_summaries(tmp_path, SEEDED, spec, endless, workers)
    assert [verdict for verdict, _ in sessions] == expected_verdicts(endless, range(1, SESSION_COUNT + 1))
    assert {summary for verdict, summary in sessions if verdict is Verdict.SKIPPED} <= {SKIPPED_SENTENCE}


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_sessions_with_drawn_values_are_skipped_by_the_same_rule(tmp_path, workers):
    players = "".join(f'  n{n}: [{{prompt: "Number: ", answers: ["{n}"]}}]\n' for n in range(1, 31))
    spec = "".join(f"  - {{name: number {n}, player: n{n}}}\n" for n in range(1, 31))
    sessions = verdicts_and_summaries(tmp_path, f"{DRAWN}players:\n{players}", spec, (2, 3, 17, 20), workers)
    assert [verdict for verdict, _ in sessions] == expected_verdicts((2, 3, 17, 20), range(1, 31))


#: Programs that use up a limit in every session, and their verdicts.
ENDLESS_PROGRAMS = {
    "computes": ("for (;;) { }", Verdict.TIME_LIMIT_EXCEEDED),
    "floods": ('for (;;) puts("flood");', Verdict.OUTPUT_LIMIT_EXCEEDED),
    "takes memory": ("for (;;) memset(malloc(1 << 20), 1, 1 << 20);", Verdict.RUN_TIME_ERROR),
    "waits": ("pause();", Verdict.TIME_LIMIT_EXCEEDED),
}
#: Taking this much memory may need over a second of processor time.
MEMORY_LIMITS = "memory_mb: 256, cpu_s: 20"
TWO_STAGES = SEEDED.replace("idle_s: 2", "idle_s: 1") + '  - {name: other, reference: "own:main"}\n'


def two_stages(tmp_path, body, limits=""):
    """A job of two stages, each run even if the other fails, and a submission that runs `body` in both."""
    specs, submission = tmp_path / "specs", tmp_path / "submission"
    specs.mkdir()
    submission.mkdir()
    (specs / "assignment.yaml").write_text(TWO_STAGES.replace("idle_s: 1", f"idle_s: 1{limits}"))
    (specs / "own.py").write_text(OWN_MODULE)
    includes = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
    for name in ("number", "other"):
        text = f"program: {name}\ncases:\n  - {{name: numbers, seeds: 1..{SESSION_COUNT}, answers: []}}\n"
        (specs / f"{name}.yaml").write_text(text)
        reading_code = 'char line[9]; printf("Number: "); fflush(stdout); fgets(line, 9, stdin);'
        (submission / f"{name}.c").write_text(f"{includes}int main(void) {{ {reading_code} {body} }}\n")
    loaded = load_assignment(specs)
    return Job(loaded, loaded.stages, find_conditions("watched", "none"), "it", runs_all=True), submission


def count_begun_sessions(events):
    """The number of sessions of each stage that were begun, from these progress events."""
    counts, stage = {}, ""
    for event in events:
        if isinstance(event, Begun):
            stage = event.stage
            counts.setdefault(stage, 0)  # stays 0 if the main process, which reports WorkProgress, runs no session
        elif isinstance(event, WorkProgress):
            counts[stage] = max(counts.get(stage, 0), event.count)
    return counts


def check_two_stages(tmp_path, kind, workers):
    """The verdicts of each stage of a program of this kind, and how many sessions of each stage were begun.

    Without workers, this process runs the sessions, as it does for a submission of a class.
    """
    job, submission = two_stages(
        tmp_path, ENDLESS_PROGRAMS[kind][0], f", {MEMORY_LIMITS}" if kind == "takes memory" else ""
    )
    events = []
    with progress.subscribe(events.append):
        report = check(job, submission, cores=workers) if workers else check_in_this_process(job, submission, "it")
    return [[result.verdict.value for result in stage.results] for stage in report.stages], count_begun_sessions(events)


#: A program's peak memory is known only if it exceeds the peak of the process that starts it: see `launcher.py`. The
#: peak of the test process is high, so a shell with a low peak starts the Python process that runs this code.
SUBPROCESS_CODE = "import json, pathlib, sys; from tests.checking.test_endless import check_two_stages; "
SUBPROCESS_CODE += "print(json.dumps(check_two_stages(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))"


def check_in_subprocess(*arguments):
    """The result of `check_two_stages` with these arguments, from a process with a low peak memory."""
    # As a second command, exit keeps the shell from becoming the Python process instead of starting it.
    argv = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", SUBPROCESS_CODE, *map(str, arguments)]
    completed = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(completed.stdout)


@pytest.mark.parametrize("workers", [0, 2], ids=["of a class", "two workers"])
@pytest.mark.parametrize("kind", ENDLESS_PROGRAMS)
def test_each_stage_uses_up_a_limit_once_and_skips_the_rest(tmp_path, kind, workers):
    """With several workers, each worker may reach the limit once, since they run in parallel."""
    stages, begun_counts = (
        check_in_subprocess(tmp_path, kind, workers)
        if kind == "takes memory"
        else check_two_stages(tmp_path, kind, workers)
    )
    for stage_verdicts in stages:
        assert stage_verdicts == [ENDLESS_PROGRAMS[kind][1].value] + ["SKIPPED"] * (SESSION_COUNT - 1)
    assert set(begun_counts) == {"number", "other"}
    # Each worker begins up to AT_ONCE more sessions beside the one that reaches the limit.
    assert max(begun_counts.values()) <= (1 + AT_ONCE) * max(1, workers)


#: A program that loops without end once scanf finds no more input. For 1 it is correct, for 2, 3 and 4 wrong in three
#: ways, and for all larger numbers wrong in one way.
LOOPING_PROGRAM = """\
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


def test_an_endless_loop_after_a_wrong_line_skips_no_other_sessions(tmp_path):
    job, submission = two_stages(tmp_path, "")
    (submission / "number.c").write_text(LOOPING_PROGRAM)
    report = check(job, submission, cores=1).stages[0]
    session_verdicts = [result.verdict for result in report.results]
    assert session_verdicts[:4] == [Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.WRONG_ANSWER, OUTPUT_LIMIT]
    assert session_verdicts[4:] == [Verdict.WRONG_ANSWER] * (SESSION_COUNT - 4)
    fifth_result = report.results[4]
    assert summary_of(fifth_result) == "Line 2 is “Again: ” where “5” is expected."
    assert fifth_result.actual.text == b"Number: Again: "


def test_crashes_do_not_skip_other_sessions(tmp_path):
    job, submission = two_stages(tmp_path, "abort();")
    for stage in check(job, submission, cores=2).stages:
        assert [result.verdict for result in stage.results] == [Verdict.RUN_TIME_ERROR] * SESSION_COUNT
    assert not list(submission.glob("core*"))


def test_sessions_beyond_the_last_one_that_counts_are_dropped():
    """The first of two workers was slow, so the second ran a session beyond the third endless one."""
    parts = [
        Part(results={0: "a", 3: "d", 4: "e", 6: "g"}, endless_weights={4: 1, 6: 1}),
        Part(results={1: "b", 2: "c", 5: "f", 7: "h"}, endless_weights={1: 1, 7: 1}),
    ]
    # Sessions 1, 4 and 6 are the first three endless ones.
    assert counted_sessions(parts) == {0: "a", 1: "b", 2: "c", 3: "d", 4: "e", 5: "f", 6: "g"}
    assert counted_sessions(parts[:1]) == {0: "a", 3: "d", 4: "e", 6: "g"}
