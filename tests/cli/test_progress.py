"""What `check` and `hunt` show while they work, and what they leave where they are stopped.

Nothing here measures time: what is shown early is seen while what comes later cannot end.
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

from pitboss.compare.check_events import Tally
from pitboss.compare.verdicts import Verdict
from pitboss.reports.progress_bar import class_bar
from pitboss.sandbox.progress import WorkProgress
from tests.conftest import ROOT, TOY
from tests.sandbox.test_signals import left_in, room  # noqa: F401

#: Fails in the cases that begin with 100, and does not end in the others.
FAILS_OR_STAYS = (
    "#!/bin/sh\nprintf 'Opening balance: '; read x; test $x = 100 && { echo Sorry.; exit 0; }; while :; do :; done\n"
)
FLOODS_OR_STAYS = FAILS_OR_STAYS.replace("echo Sorry.; exit 0;", "yes;")
FAILS = "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"
WAITING_BUILD = "teller:\n\tsleep 1000\n"
FAILED = r"teller: case (\x1b\[\d+m)?deposit and withdraw(\x1b\[\d+m)? failed\. "
#: Runs pitboss with a part of it that does not come to its end. It naps: one long sleep would not notice a signal that
#: comes after Python has last looked for one and before the kernel knows of the sleep.
STUCK = "import itertools, sys, time\nimport {module} as module\n"
STUCK += "module.{name} = lambda *_, **__: [time.sleep(0.05) for _ in itertools.count()]\n"
STUCK += "from pitboss.cli.main import main\nmain()\n"


@pytest.fixture
def folder(room):  # noqa: F811
    mine = room / "mine"
    mine.mkdir()
    return mine


def environment(room):  # noqa: F811
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "TMPDIR": str(room / "tmp")}
    return {**path, "TERM": "xterm", "COLUMNS": "100"}


def begun(room, *words, code="from pitboss.cli.main import main; main()", **more):  # noqa: F811
    """pitboss on a terminal."""
    return pexpect.spawn(
        sys.executable,
        ["-c", code, *map(str, words)],
        cwd=room,
        env={**environment(room), **more},
        dimensions=(40, 100),
        timeout=300,
    )


def checked(room, *words, **more):  # noqa: F811
    return begun(room, "check", "mine", "-a", "teller/", *words, **more)


def plain(shown):
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown).decode().replace("\r\n", "\n")


def stopped(pitboss):
    """What is shown from Ctrl-C to the end."""
    pitboss.sendintr()
    pitboss.expect(pexpect.EOF)
    pitboss.close()
    return plain(pitboss.before)


def test_what_is_done_is_shown_in_its_order_and_the_first_failure_before_the_report(room, folder):  # noqa: F811
    (folder / "teller.sh").write_text(FAILS)
    pitboss = checked(room)
    for output in (
        "reading the assignment",
        "teller: compiling",
        "teller: sessions",
        "1 of 5",
        FAILED + "Line 2 is",
        "expected",
        r"yours.*Sorry\.",
        r"teller: (\x1b\[[\d;]+m)?wrong answer(\x1b\[\d+m)?, 0 of 5 sessions accepted\.",
        "teller: naming the mistake",
        "A bank teller",
        "0 of 5",
        "case .*deposit and withdraw",
    ):
        pitboss.expect(output)
    pitboss.expect(pexpect.EOF)
    pitboss.close()
    assert pitboss.exitstatus == 1


def test_the_first_failure_is_shown_while_other_sessions_go_on(room, folder):  # noqa: F811
    """The others do not end. What is known by then is reported, and nothing is left behind."""
    (folder / "teller.sh").write_text(FAILS_OR_STAYS)
    pitboss = checked(room, "--json", "report.json", "--html", "page.html")
    pitboss.expect(FAILED)
    output = stopped(pitboss)
    report = json.loads((room / "report.json").read_text())
    sentence = r"Stopped while running the sessions of teller, at session \d of 5: this report is partial\. Not judged completely: teller\."
    assert re.fullmatch(sentence, report["stopped"])
    assert report["stopped"] in " ".join(output.split())
    assert (report["verdict"], [one["case"] for one in report["results"]]) == ("WRONG_ANSWER", ["deposit and withdraw"])
    assert report["stopped"] in (room / "page.html").read_text()
    assert re.search(r"\n  teller  wrong answer +\n", output)
    assert "case deposit and withdraw\n" in output
    assert f"pitboss: s{report['stopped'][1:]}" in output
    assert (pitboss.exitstatus, "Traceback" in output, left_in(room)) == (130, False, ([], []))


def test_what_cannot_be_compiled_is_reported_at_once_and_nothing_of_it_twice(room, folder):  # noqa: F811
    (folder / "teller.c").write_text("int main(void) { return x; }\n")
    pitboss = checked(room)
    pitboss.expect(r"teller: (\x1b\[[\d;]+m)?compile error(\x1b\[\d+m)?\. cc could not build teller: teller\.c:1:")
    pitboss.expect("A bank teller")
    assert b"teller: " not in plain(pitboss.before).partition("looking")[0].encode().replace(b"teller: compiling", b"")


def test_a_flood_is_reported_while_other_sessions_go_on(room, folder):  # noqa: F811
    """Its transcript is too long to be told; that it failed is not."""
    (folder / "teller.sh").write_text(FLOODS_OR_STAYS)
    pitboss = checked(room, "--jobs", "3")
    pitboss.expect(r"teller: case .* failed\. It printed more than")
    output = stopped(pitboss)
    assert (pitboss.exitstatus, "Traceback" in output, left_in(room)) == (130, False, ([], []))


def test_stopped_in_a_build_it_says_that_nothing_is_judged(room, folder):  # noqa: F811
    (folder / "Makefile").write_text(WAITING_BUILD)
    pitboss = checked(room)
    pitboss.expect("teller: compiling")
    said = stopped(pitboss)
    sentence = "topped while teller was being compiled: this report is partial. Not judged completely: teller."
    assert f"\nS{sentence}\n\n  teller  skipped" in said
    assert f"\npitboss: s{sentence}\n" in said
    assert (pitboss.exitstatus, "Traceback" in said, left_in(room)) == (130, False, ([], []))


@pytest.mark.parametrize(
    ("module", "name", "program", "doing", "where"),
    [
        (
            "pitboss.checking.check",
            "with_diagnosis",
            FAILS,
            "teller: naming the mistake",
            "Stopped while looking for the mistake in teller",
        ),
        (
            "pitboss.checking.memory_misuse",
            "misuse_in",
            None,
            "looking for misuse of memory",
            "Stopped while looking for misuse of memory",
        ),
    ],
    ids=["naming", "memory"],
)
def test_stopped_after_the_sessions_it_has_them_all(room, folder, module, name, program, doing, where):  # noqa: F811
    if program is None:
        accepted = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"
        (folder / "teller.c").write_text(accepted.read_text())
    else:
        (folder / "teller.sh").write_text(program)
    pitboss = checked(room, "--json", "report.json", code=STUCK.format(module=module, name=name))
    pitboss.expect(doing)
    output = stopped(pitboss)
    report = json.loads((room / "report.json").read_text())
    assert report["stopped"] == f"{where}: this report is partial."
    assert len(report["results"]) == 5
    assert re.search(rf"\n  teller  {Verdict(report['verdict']).words} +{0 if program else 5} of 5\n", output)
    assert (pitboss.exitstatus, "Traceback" in output, left_in(room)) == (130, False, ([], []))


def test_another_signal_is_reported_in_the_exit_code(room, folder):  # noqa: F811
    (folder / "Makefile").write_text(WAITING_BUILD)
    pitboss = checked(room)
    pitboss.expect("teller: compiling")
    pitboss.kill(signal.SIGTERM)
    pitboss.expect(pexpect.EOF)
    pitboss.close()
    assert (pitboss.exitstatus, left_in(room)) == (143, ([], []))


@pytest.mark.parametrize("program", [FAILS, "#!/bin/sh\n"], ids=["failed", "silent"])
def test_without_a_terminal_nothing_is_shown_but_the_report(room, folder, program):  # noqa: F811
    (folder / "teller.sh").write_text(program)
    command = [sys.executable, "-m", "pitboss", "check", "mine", "-a", "teller/"]
    options = {"cwd": room, "env": environment(room), "stdout": subprocess.PIPE}
    piped = subprocess.run(command, stderr=subprocess.PIPE, **options)
    ours, theirs = os.openpty()
    try:
        watched = subprocess.run(command, stderr=theirs, **options)
        output = os.read(ours, 1 << 16)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (piped.returncode, piped.stderr) == (1, b"")
    assert b"\x1b" not in piped.stdout and b"\r" not in piped.stdout
    assert (watched.returncode, watched.stdout) == (1, piped.stdout)
    assert b"teller: sessions" in output


def test_on_a_terminal_that_rewrites_no_line_nothing_is_shown_but_the_report(room, folder):  # noqa: F811
    (folder / "teller.sh").write_text(FAILS)
    pitboss = checked(room, TERM="dumb")
    pitboss.expect(pexpect.EOF)
    assert pitboss.before.startswith(b"A bank teller: mine")


@pytest.mark.parametrize(
    ("program", "shown", "code"),
    [(FAILS, "teller: looking for a smaller failure", 130), (None, r"[1-9][0-9,]* games", 130)],
    ids=["a game that fails", "none that fails"],
)
def test_a_hunt_shows_the_first_game_that_fails_and_what_it_does(room, folder, program, shown, code):  # noqa: F811
    if program is None:
        (folder / "teller.py").write_text((TOY / "teller").read_text())
    else:
        (folder / "teller.sh").write_text(program)
    stuck = STUCK.replace("{name} =", "{name}.smaller =").format(
        module="pitboss.experiments.hunting.hunter", name="SeededTable"
    )
    pitboss = begun(room, "hunt", "teller", "mine", "-a", "teller/", "--seconds", "600", code=stuck)
    for one in ("reading the assignment", "teller: compiling", "hunting in teller"):
        pitboss.expect(one)
    if program:
        pitboss.expect(r"teller: a game fails\. ")
    pitboss.expect(shown)
    output = stopped(pitboss)
    assert re.search(r"teller: stopped after [\d,]+ different games?", output)
    assert ("this is the smallest that fails" in output) is bool(program)
    assert (pitboss.exitstatus, "Traceback" in output, left_in(room)) == (code, False, ([], []))


def test_a_hunt_that_is_stopped_in_a_build_leaves_nothing(room, folder):  # noqa: F811
    (folder / "Makefile").write_text(WAITING_BUILD)
    pitboss = begun(room, "hunt", "teller", "mine", "-a", "teller/")
    pitboss.expect("teller: compiling")
    output = stopped(pitboss)
    assert output.endswith("pitboss: stopped\n")
    assert (pitboss.exitstatus, "Traceback" in output, left_in(room)) == (130, False, ([], []))


def test_where_nobody_knows_how_many_sessions_there_will_be_they_are_counted_over_all_batches():
    tally = Tally()
    output = [
        tally.add(WorkProgress(count, of)) for count, of in ((1, 12), (12, 12), (1, 24), (20, 24), (24, 24), (3, 30))
    ]
    assert output == [
        WorkProgress(1, 12),
        WorkProgress(12, 12),
        WorkProgress(13, 36),
        WorkProgress(32, 36),
        WorkProgress(36, 36),
        WorkProgress(39, 66),
    ]


def test_a_stage_whose_draws_are_read_back_is_counted_without_an_end(room):  # noqa: F811
    dice, pig = ROOT / "tests" / "toy" / "dice", ROOT / "tests" / "checking" / "pigs" / "python"
    pitboss = begun(room, "check", pig, "-a", f"{dice}/")
    pitboss.expect(r"pig: sessions \S* *[1-9]")
    pitboss.expect(pexpect.EOF)
    assert b" of 12" not in pitboss.before.partition(b"Roll until you hold")[0]


def test_a_class_shows_how_many_are_done_and_how_long_it_takes_yet():
    now = [0.0]
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with class_bar(console, lambda: now[0]) as bar:
        task = bar.add_task("grading", total=100)
        for done in range(1, 26):
            now[0] = done * 2.0
            bar.update(task, completed=done)
        output = Console(file=io.StringIO(), width=80)
        output.print(bar.get_renderable())
    words = output.file.getvalue().split()
    assert (words[0], words[-7:]) == ("grading", ["25", "of", "100", "about", "2", "min", "left"])
