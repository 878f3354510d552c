"""Runs of a program are stored, also for later processes; if the machine fails, the program is not blamed."""

import msgspec
import pytest

from pitboss.errors import AssignmentError, SessionError, ShortageError
from pitboss.experiments.programs import running
from pitboss.experiments.programs.running import Runner, programs_ready
from pitboss.machine.store import Store
from pitboss.model.invocation import PLAIN, script_of_lines
from pitboss.model.transcript import Ending, EndingKind, InputEnded, Shown, Transcript, Typed, exited
from pitboss.sandbox.limits import Limits
from pitboss.sessions.programs import Program


@pytest.fixture
def session_lines(monkeypatch):
    """The lines typed in each session that is run, None for the end of input.

    Each program is replaced by one that adds the typed numbers, in this process; some words make it fail.
    """
    sessions = []

    def session(program, limits, script, stays_ready):
        events, total, lines = [], 0, []
        while True:
            events.append(Shown(b"? "))
            line = script.input(tuple(events))
            lines.append(line)
            if line is None:
                break
            events.append(Typed(line))
            if line == b"crash":
                sessions.append(lines)
                return Transcript(tuple(events), Ending(EndingKind.SIGNALLED, signal="SIGSEGV"))
            if line == b"for ever":
                sessions.append(lines)
                return Transcript(tuple(events), Ending(EndingKind.OUT_OF_CPU_TIME))
            total += int(line)
        sessions.append(lines)
        events += [InputEnded(), Shown(b"%d\n" % total)]
        return Transcript(tuple(events), exited(total % 2))

    monkeypatch.setattr(running, "_session", session)
    monkeypatch.setattr(running, "_memory", running._Memory())
    return sessions


@pytest.fixture
def shared_folder(monkeypatch, tmp_path):
    """The folder in which runs are stored for other processes."""
    monkeypatch.setattr(running, "_store", lambda: Store(tmp_path))
    return tmp_path


@pytest.fixture
def runner(toy, tmp_path):
    (stage,) = toy.stages
    return Runner("the program of mistake 'x'", "digest", lambda: Program(("/bin/true",), tmp_path), stage, Limits())


def test_the_same_lines_are_run_once_and_other_lines_by_a_run_of_their_own(runner, session_lines):
    first = runner(script_of_lines([b"1", b"2"]))
    assert runner(script_of_lines([b"1", b"2"])) == first
    assert session_lines == [[b"1", b"2", None]]
    assert runner(script_of_lines([b"1"])).ending == exited(1)
    assert runner(script_of_lines([b"1", b"2", b"3"])).ending == exited(0)
    assert runner(script_of_lines([b"1"])).text == b"? ? 1\n"
    assert len(session_lines) == 3


def test_a_player_is_called_once_per_line_even_if_a_stored_run_begins_alike(runner, session_lines):
    runner(script_of_lines([b"1", b"2"]))
    event_counts = []

    def player(events):
        event_counts.append(len(events))
        return {1: b"1", 3: b"3"}.get(len(events))  # two lines, then the end of input

    assert runner(player).lines == (b"1", b"3")
    assert (event_counts, len(session_lines)) == ([1, 3, 5], 2)
    event_counts.clear()
    assert runner(player).lines == (b"1", b"3")
    assert (event_counts, len(session_lines)) == ([1, 3, 5], 2)


def test_other_arguments_limits_or_programs_need_runs_of_their_own(runner, session_lines, toy, tmp_path):
    runner(script_of_lines([b"1"]))
    runner(script_of_lines([b"1"]), invocation=msgspec.structs.replace(PLAIN, arguments=("-v",)))
    (stage,) = toy.stages
    for digest, limits in (("digest", Limits(cpu_s=2)), ("another", Limits())):
        Runner("x", digest, lambda: Program(("/bin/true",), tmp_path), stage, limits)(script_of_lines([b"1"]))
    assert len(session_lines) == 4


def test_a_program_that_crashed_is_not_run_again(runner, session_lines):
    for _ in range(2):
        with pytest.raises(AssignmentError) as error:
            runner(script_of_lines([b"crash"]))
        assert str(error.value) == "the program of mistake 'x' did not end by itself: SIGSEGV"
        assert not error.value.is_endless
    assert len(session_lines) == 1


def test_an_error_of_a_script_is_raised_and_its_run_is_not_stored(runner, session_lines):
    class ScriptError(AssignmentError):
        pass

    def player(events):
        raise ScriptError("no answer to this")

    for _ in range(2):
        with pytest.raises(ScriptError):
            runner(player)
    assert runner(script_of_lines([b"2"])).ending == exited(0)
    with pytest.raises(ScriptError):
        runner(player)  # although a run is stored that begins with the same question, the player is called
    assert len(session_lines) == 3


def test_a_later_process_uses_the_stored_runs_without_a_build(runner, session_lines, shared_folder, monkeypatch, toy):
    with programs_ready():
        runner(script_of_lines([b"1"]))
        runner(script_of_lines([b"2"]))
    monkeypatch.setattr(running, "_memory", running._Memory())

    def fail_to_build():
        raise AssertionError("the program was built although all its runs are stored")

    (stage,) = toy.stages
    later_runner = Runner("x", "digest", fail_to_build, stage, Limits())
    assert later_runner(script_of_lines([b"1"])).ending == exited(1)
    assert later_runner(script_of_lines([b"2"])).ending == exited(0)
    assert len(session_lines) == 2


def test_runs_are_stored_while_another_process_stores_runs_too(runner, session_lines, shared_folder, monkeypatch):
    with programs_ready():
        runner(script_of_lines([b"1"]))
        monkeypatch.setattr(running, "_memory", second_memory := running._Memory())
        runner(script_of_lines([b"2"]))
        second_memory.flush()
        monkeypatch.setattr(running, "_memory", running._Memory())
    for line in (b"1", b"2"):
        runner(script_of_lines([line]))
    # The first memory was never flushed, so its run is repeated; the run of the second memory is not.
    assert [lines[0] for lines in session_lines] == [b"1", b"2", b"1"]


def test_a_run_that_ran_out_of_time_is_not_stored(runner, session_lines, shared_folder, monkeypatch):
    for _ in range(2):
        with programs_ready(), pytest.raises(AssignmentError):
            runner(script_of_lines([b"for ever"]))
        monkeypatch.setattr(running, "_memory", running._Memory())
    assert len(session_lines) == 2


def test_a_stored_file_that_is_no_run_is_ignored(runner, session_lines, shared_folder, monkeypatch):
    with programs_ready():
        runner(script_of_lines([b"1"]))
    (entry,) = shared_folder.iterdir()
    Store(shared_folder).put(entry.name, b"\xc1 nothing")
    monkeypatch.setattr(running, "_memory", running._Memory())
    assert runner(script_of_lines([b"1"])).ending == exited(1)


@pytest.mark.parametrize("how", ["raised", "reported"])
def test_a_session_that_fails_twice_on_this_machine_is_a_shortage(runner, session_lines, monkeypatch, how):
    first_lines = []

    def session(program, limits, script, stays_ready):
        first_lines.append(script.input(()))
        if how == "raised":
            raise SessionError("no terminal")
        return Transcript((), Ending(EndingKind.FAULT, detail="no terminal"))

    monkeypatch.setattr(running, "_session", session)
    with pytest.raises(ShortageError) as error:
        runner(script_of_lines([b"1", b"2"]))
    assert str(error.value) == "the program of mistake 'x' could not be run on this machine, twice: no terminal"
    assert first_lines == [b"1", b"1"]  # the second attempt begins with the first line


def test_a_failed_build_is_a_shortage_and_no_behaviour_of_the_program(runner, session_lines, toy):
    def fail_to_build():
        raise AssignmentError("the disk is full")

    (stage,) = toy.stages
    with pytest.raises(ShortageError):
        Runner("x", "digest", fail_to_build, stage, Limits())(script_of_lines([b"1"]))
