"""The progress that `check` and `hunt` show, and what they report and clean up when they are stopped.

No test here measures time: to test that something is shown early, a later step is made endless.
"""

import io
import json
import os
import re
import signal
import subprocess
import sys

import pexpect
import pytest
from rich.console import Console

from pitboss.compare.results import Tally, Verdict
from pitboss.machine.progress import WorkProgress
from pitboss.reports.progress_bar import class_bar
from tests.conftest import ROOT, TOY
from tests.machine.test_signals import leftovers_in

#: A program that fails in the cases whose first input is 100, and never ends in the others.
FAILS_OR_HANGS = (
    "#!/bin/sh\nprintf 'Opening balance: '; read x; test $x = 100 && { echo Sorry.; exit 0; }; while :; do :; done\n"
)
#: The same, except that it fails with endless output.
FLOODS_OR_HANGS = FAILS_OR_HANGS.replace("echo Sorry.; exit 0;", "yes;")
FAILS = "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"
ENDLESS_BUILD = "teller:\n\tsleep 1000\n"
#: Matches what is shown at the first failure.
CASE_FAILED = r"teller: case (\x1b\[\d+m)?deposit and withdraw(\x1b\[\d+m)? failed\. "
#: Runs pitboss with one of its functions, `module.name`, replaced by an endless loop of short sleeps. A single long
#: sleep would miss a signal that arrives after Python last checked for signals and before the sleep begins.
#: `module` must be the module that defines the function, since callers may import it from there when they are called.
HANGING_SCRIPT = "import itertools, sys, time\nimport {module} as module\nassert callable(module.{name})\n"
HANGING_SCRIPT += "module.{name} = lambda *_, **__: [time.sleep(0.05) for _ in itertools.count()]\n"
HANGING_SCRIPT += "from pitboss.cli.main import main\nmain()\n"


@pytest.fixture
def submission(workspace):
    """An empty folder for a submission."""
    mine = workspace / "mine"
    mine.mkdir()
    return mine


def environment(workspace):
    """The environment of pitboss on a terminal, with its temporary files in the folder of the test."""
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "TMPDIR": str(workspace / "tmp")}
    return {**path, "TERM": "xterm", "COLUMNS": "100"}


def start_pitboss(workspace, *arguments, code="from pitboss.cli.main import main; main()", **variables):
    """Start pitboss, with further environment variables, on a terminal."""
    return pexpect.spawn(
        sys.executable,
        ["-c", code, *map(str, arguments)],
        cwd=workspace,
        env={**environment(workspace), **variables},
        dimensions=(40, 100),
        timeout=300,
    )


def start_check(workspace, *arguments, **options):
    """Start a check of the submission on a terminal; `options` are those of start_pitboss."""
    return start_pitboss(workspace, "check", "mine", "-a", "teller/", *arguments, **options)


def without_escapes(output):
    """Terminal output as text without escape sequences."""
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", output).decode().replace("\r\n", "\n")


def interrupt(pitboss):
    """Press Ctrl-C, wait for the end, and return the text printed since."""
    pitboss.sendintr()
    pitboss.expect(pexpect.EOF)
    pitboss.close()
    return without_escapes(pitboss.before)


def test_steps_are_shown_in_order_and_the_first_failure_before_the_report(workspace, submission):
    (submission / "teller.sh").write_text(FAILS)
    pitboss = start_check(workspace)
    for pattern in (
        "reading the assignment",
        "teller: compiling",
        "teller: sessions",
        "1 of 5",
        CASE_FAILED + "Line 2 is",
        "expected",
        r"yours.*Sorry\.",
        r"teller: (\x1b\[[\d;]+m)?wrong answer(\x1b\[\d+m)?, 0 of 5 sessions accepted\.",
        "teller: naming the mistake",
        "A bank teller",
        "0 of 5",
        "case .*deposit and withdraw",
    ):
        pitboss.expect(pattern)
    pitboss.expect(pexpect.EOF)
    pitboss.close()
    assert pitboss.exitstatus == 1


def test_the_first_failure_is_shown_while_other_sessions_run(workspace, submission):
    """The other sessions never end. Ctrl-C gives a partial report, and leaves no processes or temporary files."""
    (submission / "teller.sh").write_text(FAILS_OR_HANGS)
    pitboss = start_check(workspace, "--json", "report.json", "--html", "page.html")
    pitboss.expect(CASE_FAILED)
    output = interrupt(pitboss)
    report = json.loads((workspace / "report.json").read_text())
    stopped_pattern = r"Stopped while running the sessions of teller, at session \d of 5: this report is partial\. Not judged completely: teller\."
    assert re.fullmatch(stopped_pattern, report["stopped"])
    assert report["stopped"] in " ".join(output.split())
    assert (report["verdict"], [result["case"] for result in report["results"]]) == (
        "WRONG_ANSWER",
        ["deposit and withdraw"],
    )
    assert report["stopped"] in (workspace / "page.html").read_text()
    assert re.search(r"\n  teller  wrong answer +\n", output)
    assert "case deposit and withdraw\n" in output
    assert f"pitboss: s{report['stopped'][1:]}" in output
    assert (pitboss.exitstatus, "Traceback" in output, leftovers_in(workspace)) == (130, False, ([], []))


def test_a_compile_error_is_shown_at_once_and_only_once(workspace, submission):
    (submission / "teller.c").write_text("int main(void) { return x; }\n")
    pitboss = start_check(workspace)
    pitboss.expect(r"teller: (\x1b\[[\d;]+m)?compile error(\x1b\[\d+m)?\. cc could not build teller: teller\.c:1:")
    pitboss.expect("A bank teller")
    rest_before_report = without_escapes(pitboss.before).replace("teller: compiling", "")  # the progress line goes on
    assert "teller: " not in rest_before_report


def test_endless_output_is_reported_while_other_sessions_run(workspace, submission):
    """The failure is shown, without the transcript, which is too long."""
    (submission / "teller.sh").write_text(FLOODS_OR_HANGS)
    pitboss = start_check(workspace, "--jobs", "3")
    pitboss.expect(r"teller: case .* failed\. It printed more than")
    output = interrupt(pitboss)
    assert (pitboss.exitstatus, "Traceback" in output, leftovers_in(workspace)) == (130, False, ([], []))


def test_a_check_stopped_in_a_build_reports_that_nothing_was_judged(workspace, submission):
    (submission / "Makefile").write_text(ENDLESS_BUILD)
    pitboss = start_check(workspace)
    pitboss.expect("teller: compiling")
    output = interrupt(pitboss)
    # The sentence begins in the report with `S`, and in the message on standard error with `s`.
    sentence = "topped while teller was being compiled: this report is partial. Not judged completely: teller."
    assert f"\nS{sentence}\n\n  teller  skipped" in output
    assert f"\npitboss: s{sentence}\n" in output
    assert (pitboss.exitstatus, "Traceback" in output, leftovers_in(workspace)) == (130, False, ([], []))


@pytest.mark.parametrize(
    ("module", "function", "program", "step", "stopped"),
    [
        (
            "pitboss.experiments.naming.diagnosis",
            "with_diagnosis",
            FAILS,
            "teller: naming the mistake",
            "Stopped while looking for the mistake in teller",
        ),
        (
            "pitboss.checking.memory_misuse",
            "_sentences_of_task",
            None,
            "looking for misuse of memory",
            "Stopped while looking for misuse of memory",
        ),
    ],
    ids=["naming", "memory"],
)
def test_a_check_stopped_late_reports_all_sessions(workspace, submission, module, function, program, step, stopped):
    """`step` runs `function` of `module`, which is made endless; `program` is None for a correct program."""
    if program is None:
        accepted = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"
        (submission / "teller.c").write_text(accepted.read_text())
    else:
        (submission / "teller.sh").write_text(program)
    pitboss = start_check(workspace, "--json", "report.json", code=HANGING_SCRIPT.format(module=module, name=function))
    pitboss.expect(step)
    output = interrupt(pitboss)
    report = json.loads((workspace / "report.json").read_text())
    assert report["stopped"] == f"{stopped}: this report is partial."
    assert len(report["results"]) == 5
    assert re.search(rf"\n  teller  {Verdict(report['verdict']).words} +{0 if program else 5} of 5\n", output)
    assert (pitboss.exitstatus, "Traceback" in output, leftovers_in(workspace)) == (130, False, ([], []))


def test_sigterm_sets_the_exit_code(workspace, submission):
    (submission / "Makefile").write_text(ENDLESS_BUILD)
    pitboss = start_check(workspace)
    pitboss.expect("teller: compiling")
    pitboss.kill(signal.SIGTERM)
    pitboss.expect(pexpect.EOF)
    pitboss.close()
    assert (pitboss.exitstatus, leftovers_in(workspace)) == (143, ([], []))


@pytest.mark.parametrize("program", [FAILS, "#!/bin/sh\n"], ids=["failed", "silent"])
def test_without_a_terminal_only_the_report_is_printed(workspace, submission, program):
    (submission / "teller.sh").write_text(program)
    command = [sys.executable, "-m", "pitboss", "check", "mine", "-a", "teller/"]
    options = {"cwd": workspace, "env": environment(workspace), "stdout": subprocess.PIPE}
    piped_run = subprocess.run(command, stderr=subprocess.PIPE, **options)
    controller, terminal = os.openpty()
    try:
        terminal_run = subprocess.run(command, stderr=terminal, **options)
        progress = os.read(controller, 1 << 16)
    finally:
        os.close(controller)
        os.close(terminal)
    assert (piped_run.returncode, piped_run.stderr) == (1, b"")
    assert b"\x1b" not in piped_run.stdout and b"\r" not in piped_run.stdout
    assert (terminal_run.returncode, terminal_run.stdout) == (1, piped_run.stdout)
    assert b"teller: sessions" in progress


def test_a_dumb_terminal_shows_only_the_report(workspace, submission):
    (submission / "teller.sh").write_text(FAILS)
    pitboss = start_check(workspace, TERM="dumb")
    pitboss.expect(pexpect.EOF)
    assert pitboss.before.startswith(b"A bank teller: mine")


@pytest.mark.parametrize(
    ("program", "last_pattern"),
    [(FAILS, "teller: looking for a smaller failure"), (None, r"[1-9][0-9,]* games")],
    ids=["a game that fails", "none that fails"],
)
def test_a_hunt_shows_each_step(workspace, submission, program, last_pattern):
    """Searching for a smaller failing game is made endless; `program` is None for a correct program."""
    if program is None:
        (submission / "teller.py").write_text((TOY / "teller").read_text())
    else:
        (submission / "teller.sh").write_text(program)
    script = HANGING_SCRIPT.format(module="pitboss.experiments.hunting.hunter", name="SeededGameRunner.smaller")
    pitboss = start_pitboss(workspace, "hunt", "mine", "teller", "-a", "teller/", "--seconds", "600", code=script)
    for pattern in ("reading the assignment", "teller: compiling", "hunting in teller"):
        pitboss.expect(pattern)
    pitboss.expect(last_pattern)
    output = interrupt(pitboss)
    assert re.search(r"teller: stopped after [\d,]+ different games?", output)
    assert ("this is the smallest that fails" in output) is bool(program)
    assert (pitboss.exitstatus, "Traceback" in output, leftovers_in(workspace)) == (130, False, ([], []))


def test_a_hunt_stopped_in_a_build_leaves_no_processes_or_files(workspace, submission):
    (submission / "Makefile").write_text(ENDLESS_BUILD)
    pitboss = start_pitboss(workspace, "hunt", "mine", "teller", "-a", "teller/")
    pitboss.expect("teller: compiling")
    output = interrupt(pitboss)
    assert output.endswith("pitboss: stopped\n")
    assert (pitboss.exitstatus, "Traceback" in output, leftovers_in(workspace)) == (130, False, ([], []))


def test_a_tally_adds_up_the_sessions_of_all_batches():
    """Sessions run in batches of 12, 24 and 30, each of which counts its own sessions from 1."""
    tally = Tally()
    progress = [
        tally.add(WorkProgress(count, total))
        for count, total in ((1, 12), (12, 12), (1, 24), (20, 24), (24, 24), (3, 30))
    ]
    assert progress == [
        WorkProgress(1, 12),
        WorkProgress(12, 12),
        WorkProgress(13, 36),
        WorkProgress(32, 36),
        WorkProgress(36, 36),
        WorkProgress(39, 66),
    ]


def test_sessions_with_draws_read_back_are_counted_without_a_total(workspace):
    dice, pig = ROOT / "tests" / "toy" / "dice", ROOT / "tests" / "checking" / "pigs" / "python"
    pitboss = start_pitboss(workspace, "check", pig, "-a", f"{dice}/")
    pitboss.expect(r"pig: sessions \S* *[1-9]")
    pitboss.expect(pexpect.EOF)
    progress = pitboss.before.partition(b"Roll until you hold")[0]  # the report begins with the title of the assignment
    assert b" of 12" not in progress


def test_the_progress_of_a_class_shows_counts_and_the_time_left():
    seconds = [0.0]
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with class_bar(console, lambda: seconds[0]) as bar:
        task = bar.add_task("grading", total=100)
        for finished in range(1, 26):
            seconds[0] = finished * 2.0
            bar.update(task, completed=finished)
        screen = Console(file=io.StringIO(), width=80)
        screen.print(bar.get_renderable())
    words = screen.file.getvalue().split()
    assert (words[0], words[-7:]) == ("grading", ["25", "of", "100", "about", "2", "min", "left"])
