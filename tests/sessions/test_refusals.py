import errno
import json
import os

import pytest
from click.testing import CliRunner

from pitboss.cli.machine import doctor
from pitboss.errors import SessionError, UsageError
from pitboss.machine import abi
from pitboss.model.transcript import Ending, EndingKind, Transcript, exited
from pitboss.sandbox.sandbox import Level, refusal_of_bubblewrap, refusal_of_landlock
from pitboss.sessions import drivers
from pitboss.sessions.drivers import find_conditions
from tests.conftest import ROOT, TOY

ADA = ROOT / "examples" / "blackjack" / "ada"


@pytest.fixture
def disable(monkeypatch):
    """A function that switches off features of the machine by PITBOSS_WITHOUT."""

    def switch_off(*features):
        monkeypatch.setenv("PITBOSS_WITHOUT", ",".join(features))
        refusal_of_bubblewrap.cache_clear()
        refusal_of_landlock.cache_clear()

    yield switch_off
    monkeypatch.undo()
    refusal_of_bubblewrap.cache_clear()
    refusal_of_landlock.cache_clear()


OFF = "it is switched off by PITBOSS_WITHOUT"


def test_a_machine_without_terminals_is_told_how_to_get_them(monkeypatch):
    def openpty():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(os, "openpty", openpty)
    with pytest.raises(SessionError, match="a program: No such file or directory — /dev/ptmx must be there"):
        find_conditions()
    output = CliRunner().invoke(doctor).output
    assert "  no   watched sessions: no terminal can be opened for a program: No such file" in output
    assert "so no session can be run\n" in output


def test_a_machine_without_proc_is_told_to_mount_it(monkeypatch):
    exists = os.path.exists
    monkeypatch.setattr(os.path, "exists", lambda path: not str(path).startswith("/proc/") and exists(path))
    with pytest.raises(SessionError, match="there is no /proc, which shows what programs do: mount it"):
        find_conditions()


@pytest.mark.needs("bubblewrap")
def test_sessions_are_watched_in_bubblewrap_by_default():
    conditions = find_conditions()
    assert (conditions.driver, conditions.sandbox.level, conditions.sandbox.weaknesses) == (
        "watched",
        Level.BUBBLEWRAP,
        (),
    )


def test_without_bubblewrap_landlock_takes_over(disable):
    disable("bubblewrap")
    conditions = find_conditions()
    assert conditions.sandbox.level is Level.LANDLOCK
    assert f"sandbox: Landlock and a system call filter (no bubblewrap: {OFF})" in conditions.sentences


def test_without_any_sandbox_the_report_warns_the_reader(disable):
    disable("bubblewrap", "landlock")
    conditions = find_conditions()
    assert conditions.sentences[1:] == (
        f"sandbox: none (no bubblewrap: {OFF}; no Landlock: {OFF})",
        "note: a submission can do whatever you can do on this machine",
    )


def test_without_watching_sessions_go_by_expected_text(disable):
    disable("watching")
    conditions = find_conditions()
    assert conditions.driver == "expecting"
    assert conditions.sentences[0] == (
        f"sessions: by expected text and in real time (not watched: {OFF}); pauses are measured, to a tenth of a second"
    )


def test_a_driver_or_sandbox_chosen_by_name_is_never_replaced(disable):
    disable("bubblewrap", "landlock", "watching")
    for arguments, sentence in (
        (("auto", "require"), f"--sandbox=require: bubblewrap does not work here: {OFF}"),
        (("auto", "bubblewrap"), f"--sandbox=bubblewrap: bubblewrap does not work here: {OFF}"),
        (("auto", "landlock"), f"--sandbox=landlock: Landlock does not work here: {OFF}"),
        (("watched", "none"), f"--driver=watched: the watched driver does not work here: {OFF}"),
    ):
        with pytest.raises(UsageError) as error:
            find_conditions(*arguments)
        assert str(error.value) == sentence


def test_a_seccomp_listener_of_another_supervisor_is_reported(monkeypatch):
    """With a second listener, seccomp fails with EBUSY."""
    real_call = abi.call

    def fail_seccomp(name, *arguments):
        if name == "seccomp":
            raise OSError(16, "seccomp: Device or resource busy")
        return real_call(name, *arguments)

    monkeypatch.setattr(abi, "call", fail_seccomp)
    conditions = find_conditions("auto", "none")
    assert conditions.driver == "expecting"
    assert conditions.reason == "not watched: [Errno 16] seccomp: Device or resource busy"


@pytest.fixture
def trial_endings(monkeypatch):
    """A list, which tests fill, of how trial sessions end, one after the other; an exception in it is raised."""
    endings = []

    class Trial:
        def __init__(self, *_, **__):
            """Accept the arguments of a driver."""

        def __enter__(self):
            return self

        def __exit__(self, *_):
            """There is nothing to close."""

        def sessions(self, _):
            ending = endings.pop(0)
            if isinstance(ending, Exception):
                raise ending
            yield 0, Transcript((), ending)

    monkeypatch.setattr(drivers, "TracingDriver", Trial)
    return endings


KILLED = Ending(EndingKind.SIGNALLED, signal="SIGKILL")


def test_one_failed_trial_session_does_not_change_the_driver(trial_endings):
    trial_endings += [KILLED, exited()]
    assert find_conditions("auto", "none").driver == "watched"
    trial_endings += [SessionError("it is gone"), exited()]
    assert find_conditions("auto", "none").driver == "watched"


def test_trial_sessions_that_fail_three_times_are_an_error(trial_endings):
    trial_endings += [KILLED, SessionError("it is gone"), KILLED]
    with pytest.raises(SessionError) as error:
        find_conditions("auto", "none")
    assert str(error.value) == (
        "a trial session was run 3 times and failed each time: signalled SIGKILL; it is gone — find out what kills or "
        "delays programs on this machine, and try again; --driver expecting runs sessions without the kernel's help, "
        "in real time"
    )


def test_doctor_reports_failing_trial_sessions(trial_endings):
    trial_endings += [KILLED] * 3
    output = CliRunner().invoke(doctor).output
    assert "  no   watched sessions: a trial session was run 3 times and failed each time: signalled SIGKILL" in output


def test_an_unsupported_platform_is_reported(monkeypatch):
    monkeypatch.setattr(abi, "IS_KNOWN", False)
    conditions = find_conditions("auto", "none")
    assert conditions.reason == "not watched: it needs Linux on x86-64"


def test_a_report_names_the_fallback_driver_and_sandbox(pitboss):
    command = pitboss(
        *("check", ADA, "shuffle", "--seed", "1", "--json", "-", "--assignment", "blackjack"),
        PITBOSS_WITHOUT="watching bubblewrap landlock",
    )
    report = json.loads(command.out)
    assert (command.code, report["verdict"]) == (0, "ACCEPTED")
    assert report["conditions"] == [
        f"sessions: by expected text and in real time (not watched: {OFF}); "
        "pauses are measured, to a tenth of a second",
        f"sandbox: none (no bubblewrap: {OFF}; no Landlock: {OFF})",
        "note: a submission can do whatever you can do on this machine",
    ]


@pytest.mark.needs("bubblewrap", "C++", ".NET", "Java", "Rust", "Lua")
def test_doctor_says_that_everything_works(pitboss):
    command = pitboss("doctor", PATH=os.environ["PATH"], HOME=os.path.expanduser("~"))
    assert command.code == 0
    assert command.out.endswith("\neverything works\n")


def test_doctor_reports_what_is_missing_and_how_to_install_it(pitboss, tmp_path):
    # A PATH without a compiler, make or bubblewrap.
    command = pitboss("doctor", PATH=str(tmp_path), PITBOSS_WITHOUT="watching landlock")
    assert command.code == 1
    assert (
        f"  no   watched sessions: {OFF}\n       so sessions wait for the expected text, in real time\n" in command.out
    )
    assert (
        "  no   bubblewrap: it is not installed (on Debian: apt install bubblewrap)\n"
        "       so the next weaker sandbox is used\n" in command.out
    )
    assert (
        "  no   cc: it is not installed (on Debian: apt install gcc)\n       so C programs cannot be built with it\n"
        in command.out
    )
    assert "  yes  Python: builds and runs Python programs\n" in command.out  # pitboss runs Python by its full path
    missing = command.out.count("\n  no   ")
    assert missing > 5
    assert command.out.endswith(f"\n{missing} of {missing + 1} are missing\n")


def test_a_session_that_cannot_be_run_is_a_judge_error(toy, monkeypatch):
    from pitboss.checking.check import check
    from pitboss.sessions.job import Job
    from pitboss.sessions.tracing.driver import Loop
    from pitboss.submissions.build import why_unusable
    from pitboss.submissions.toolchains import toolchain_of

    def fail_to_run(self, *_, **__):
        raise SessionError("no pseudo terminal could be opened: out of them")

    conditions = find_conditions("watched", "landlock")
    assert why_unusable(toolchain_of("c"), conditions) == ""
    monkeypatch.setattr(Loop, "run", fail_to_run)
    report = check(
        Job(toy, toy.stages, conditions, "teller"), ROOT / "tests" / "submissions" / "ACCEPTED" / "plain", cores=1
    )
    assert report.verdict.value == "JUDGE_ERROR"
    assert report.faults == (
        "This session could not be run, which is not the program's fault: "
        "no pseudo terminal could be opened: out of them",
    )


@pytest.mark.needs("root")
def test_a_folder_that_programs_cannot_enter_is_reported(tmp_path, monkeypatch):
    """Otherwise builds would fail there, and be reported as compile errors."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(closed))
    with pytest.raises(SessionError) as error:
        find_conditions("watched", "landlock")
    first_closed = next(path for path in (closed, *closed.parents) if not path.stat().st_mode & 0o001)
    assert str(error.value) == (
        f"{first_closed}: not all users may enter this folder, where temporary files are created, but programs run as separate "
        "users: set TMPDIR to a folder that all users may enter, such as /tmp"
    )
    assert find_conditions("watched", "none").driver == "watched"


@pytest.mark.parametrize("name", ["a b", "a:b", "a;b", "$ORIGIN", "a#b", "a%b", "a'b"])
def test_any_folder_for_temporary_files_is_right(pitboss, reachable, name):
    """Loaders, make and shells would read such a path as several paths, or as something else."""
    temporary = reachable / name
    temporary.mkdir(mode=0o777)
    temporary.chmod(0o1777)
    for correct in ("plain", "two_files", "shell_sleeps"):
        submission = ROOT / "tests" / "submissions" / "ACCEPTED" / correct
        done = pitboss("check", submission, "-a", f"{TOY}/", TMPDIR=str(temporary), PYTHONPATH=str(ROOT / "harness"))
        assert done.code == 0, done.out + done.err
