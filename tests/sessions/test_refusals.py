"""Where the kernel or the platform refuses, the next best takes over, and every report says so."""

import json

import pytest
from click.testing import CliRunner

from pitboss.cli.machine import doctor
from pitboss.errors import SessionError, UsageError
from pitboss.model.transcript import Ending, EndingKind, Transcript, exited
from pitboss.sandbox import abi
from pitboss.sandbox.sandbox import Level, refusal_of_bubblewrap, refusal_of_landlock
from pitboss.sessions import drivers
from pitboss.sessions.drivers import find_conditions
from tests.conftest import ROOT

ADA = ROOT / "examples" / "blackjack" / "ada"


@pytest.fixture
def without(monkeypatch):
    """Refuse parts of the machine, as PITBOSS_WITHOUT does."""

    def refuse(*parts):
        monkeypatch.setenv("PITBOSS_WITHOUT", ",".join(parts))
        refusal_of_bubblewrap.cache_clear()
        refusal_of_landlock.cache_clear()

    yield refuse
    monkeypatch.undo()
    refusal_of_bubblewrap.cache_clear()
    refusal_of_landlock.cache_clear()


OFF = "it is switched off by PITBOSS_WITHOUT"


@pytest.mark.needs("bubblewrap")
def test_everything_holds_on_this_machine():
    conditions = find_conditions()
    assert (conditions.driver, conditions.sandbox.level, conditions.sandbox.weaknesses) == (
        "watched",
        Level.BUBBLEWRAP,
        (),
    )


def test_without_bubblewrap_landlock_takes_over(without):
    without("bubblewrap")
    conditions = find_conditions()
    assert conditions.sandbox.level is Level.LANDLOCK
    assert f"sandbox: Landlock and a system call filter (no bubblewrap: {OFF})" in conditions.sentences


def test_without_either_nothing_confines_and_the_report_says_so(without):
    without("bubblewrap", "landlock")
    conditions = find_conditions()
    assert conditions.sentences[1:] == (
        f"sandbox: none (no bubblewrap: {OFF}; no Landlock: {OFF})",
        "note: a submission can do whatever you can do on this machine",
    )


def test_without_the_watcher_sessions_go_by_expected_text(without):
    without("watching")
    conditions = find_conditions()
    assert conditions.driver == "expecting"
    assert conditions.sentences[0] == (
        f"sessions: by expected text and in real time (not watched: {OFF}); pauses are measured, to a tenth of a second"
    )


def test_what_was_asked_for_by_name_is_never_replaced(without):
    without("bubblewrap", "landlock", "watching")
    for arguments, sentence in (
        (("auto", "require"), f"--sandbox=require: bubblewrap does not work here: {OFF}"),
        (("auto", "bubblewrap"), f"--sandbox=bubblewrap: bubblewrap does not work here: {OFF}"),
        (("auto", "landlock"), f"--sandbox=landlock: Landlock does not work here: {OFF}"),
        (("watched", "none"), f"--driver=watched: the watched driver does not work here: {OFF}"),
    ):
        with pytest.raises(UsageError) as caught:
            find_conditions(*arguments)
        assert str(caught.value) == sentence


def test_a_kernel_that_has_a_listener_already_is_reported(monkeypatch):
    """As inside another supervisor: seccomp answers EBUSY."""
    call = abi.call

    def busy(name, *arguments):
        if name == "seccomp":
            raise OSError(16, "seccomp: Device or resource busy")
        return call(name, *arguments)

    monkeypatch.setattr(abi, "call", busy)
    conditions = find_conditions("auto", "none")
    assert conditions.driver == "expecting"
    assert conditions.reason == "not watched: [Errno 16] seccomp: Device or resource busy"


@pytest.fixture
def trials(monkeypatch):
    """Let trial sessions end as the test says, one after the other; raise what is an error."""
    endings = []

    class Trial:
        def __init__(self, *_, **__):
            """Takes what a driver takes."""

        def __enter__(self):
            return self

        def __exit__(self, *_):
            """Nothing is left."""

        def sessions(self, _):
            ending = endings.pop(0)
            if isinstance(ending, Exception):
                raise ending
            yield 0, Transcript((), ending)

    monkeypatch.setattr(drivers, "TracingDriver", Trial)
    return endings


KILLED = Ending(EndingKind.SIGNALLED, signal="SIGKILL")


def test_a_trial_session_that_fails_once_changes_no_driver(trials):
    trials += [KILLED, exited()]
    assert find_conditions("auto", "none").driver == "watched"
    trials += [SessionError("it is gone"), exited()]
    assert find_conditions("auto", "none").driver == "watched"


def test_a_trial_session_that_fails_again_is_a_fault_and_changes_no_driver(trials):
    trials += [KILLED, SessionError("it is gone"), KILLED]
    with pytest.raises(SessionError) as caught:
        find_conditions("auto", "none")
    assert str(caught.value) == (
        "a trial session was run 3 times and failed each time: signalled SIGKILL; it is gone — find out what kills or "
        "delays programs on this machine, and try again; --driver expecting runs sessions without the kernel's help, "
        "in real time"
    )


def test_doctor_tells_of_a_trial_session_that_fails(trials):
    trials += [KILLED] * 3
    output = CliRunner().invoke(doctor).output
    assert "  no   watched sessions: a trial session was run 3 times and failed each time: signalled SIGKILL" in output


def test_another_platform_is_reported(monkeypatch):
    monkeypatch.setattr(abi, "IS_KNOWN", False)
    conditions = find_conditions("auto", "none")
    assert conditions.reason == "not watched: it needs Linux on x86-64"


def test_a_report_says_what_took_over(pitboss):
    done = pitboss(
        *("check", ADA, "shuffle", "--seed", "1", "--json", "-", "--assignment", "blackjack"),
        PITBOSS_WITHOUT="watching bubblewrap landlock",
    )
    report = json.loads(done.out)
    assert (done.code, report["verdict"]) == (0, "ACCEPTED")
    assert report["conditions"] == [
        f"sessions: by expected text and in real time (not watched: {OFF}); "
        "pauses are measured, to a tenth of a second",
        f"sandbox: none (no bubblewrap: {OFF}; no Landlock: {OFF})",
        "note: a submission can do whatever you can do on this machine",
    ]


@pytest.mark.needs("bubblewrap", "C++", "Mono", "Java")
def test_doctor_says_that_everything_works(pitboss):
    whole = pitboss("doctor")
    assert whole.code == 0
    assert whole.out.endswith("\neverything works\n")


def test_doctor_tells_what_is_missing_and_how_to_get_it(pitboss, tmp_path):
    # A path on which there is nothing but a shell: no compiler, no make, no bubblewrap.
    poor = pitboss("doctor", PATH=str(tmp_path), PITBOSS_WITHOUT="watching landlock")
    assert poor.code == 1
    assert f"  no   watched sessions: {OFF}\n       so sessions wait for the expected text, in real time\n" in poor.out
    assert (
        "  no   bubblewrap: it is not installed (on Debian: apt install bubblewrap)\n"
        "       so the next weaker sandbox is used\n" in poor.out
    )
    assert (
        "  no   cc: it is not installed (on Debian: apt install gcc)\n       so C programs cannot be built with it\n"
        in poor.out
    )
    assert "  yes  Python: builds and runs Python programs\n" in poor.out  # by its full path
    missing = poor.out.count("\n  no   ")
    assert missing > 5
    assert poor.out.endswith(f"\n{missing} of {missing + 1} are missing\n")


def test_a_fault_of_ours_is_no_failure_of_theirs(toy, monkeypatch):
    from pitboss.checking.check import check
    from pitboss.sessions.job import Job
    from pitboss.sessions.tracing.loop import Loop
    from pitboss.submissions.build import refusal_by_trial
    from pitboss.submissions.toolchains import toolchains_of

    def fails(self, *_, **__):
        raise SessionError("no pseudo terminal could be opened: out of them")

    conditions = find_conditions("watched", "landlock")
    assert refusal_by_trial(toolchains_of("c")[0], conditions) == ""
    monkeypatch.setattr(Loop, "run", fails)
    report = check(
        Job(toy, toy.stages, conditions, "teller"),
        ROOT / "tests" / "submissions" / "ACCEPTED" / "plain",
        count=1,
    )
    assert report.verdict.value == "JUDGE_ERROR"
    assert report.faults == (
        "This session could not be run, which is not the program's fault: "
        "no pseudo terminal could be opened: out of them",
    )


@pytest.mark.needs("root")
def test_a_folder_that_programs_cannot_enter_is_reported(tmp_path, monkeypatch):
    """Builds failed there, and were told as compile errors."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(closed))
    with pytest.raises(SessionError) as refused:
        find_conditions("watched", "landlock")
    first = next(path for path in (closed, *closed.parents) if not path.stat().st_mode & 0o001)
    assert str(refused.value) == (
        f"{first}: not all users may enter this folder, where temporary files are created, but programs run as separate "
        "users: set TMPDIR to a folder that all users may enter, such as /tmp"
    )
    assert find_conditions("watched", "none").driver == "watched"
