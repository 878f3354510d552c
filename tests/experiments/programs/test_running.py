"""Runs of a program: none is made twice, in this process or in a later one, and what this machine cannot run is its fault."""

import msgspec
import pytest

from pitboss.errors import AssignmentError, SessionError, ShortageError
from pitboss.experiments.programs import running
from pitboss.experiments.programs.running import Runner, programs_ready
from pitboss.model.invocation import PLAIN
from pitboss.model.scripts import typing
from pitboss.model.transcript import Ending, EndingKind, InputEnded, Shown, Transcript, Typed, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.store import Store
from pitboss.sessions.programs import Program


@pytest.fixture
def counted(monkeypatch):
    """A program that adds numbers, run in this process; the lines that were typed in each of its sessions."""
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
def kept(monkeypatch, tmp_path):
    """A folder in which runs are kept for other processes."""
    monkeypatch.setattr(running, "_store", lambda: Store(tmp_path))
    return tmp_path


@pytest.fixture
def runner(toy, tmp_path):
    (stage,) = toy.stages
    return Runner("the program of mistake 'x'", "digest", lambda: Program(("/bin/true",), tmp_path), stage, Limits())


def test_the_same_lines_are_run_once_and_others_are_not_taken_for_them(runner, counted):
    first = runner(typing([b"1", b"2"]))
    assert runner(typing([b"1", b"2"])) == first
    assert counted == [[b"1", b"2", None]]
    assert runner(typing([b"1"])).ending == exited(1)
    assert runner(typing([b"1", b"2", b"3"])).ending == exited(0)
    assert runner(typing([b"1"])).text == b"? ? 1\n"
    assert len(counted) == 3


def test_whoever_looks_at_the_screen_is_asked_once_for_each_line_also_where_a_run_begins_as_one_before(runner, counted):
    runner(typing([b"1", b"2"]))
    asked = []

    def player(events):
        asked.append(len(events))
        return {1: b"1", 3: b"3"}.get(len(events))

    assert runner(player).lines == (b"1", b"3")
    assert (asked, len(counted)) == ([1, 3, 5], 2)
    asked.clear()
    assert runner(player).lines == (b"1", b"3")
    assert (asked, len(counted)) == ([1, 3, 5], 2)


def test_other_arguments_other_limits_or_another_program_are_other_runs(runner, counted, toy, tmp_path):
    runner(typing([b"1"]))
    runner(typing([b"1"]), invocation=msgspec.structs.replace(PLAIN, arguments=("-v",)))
    (stage,) = toy.stages
    for digest, limits in (("digest", Limits(cpu_s=2)), ("another", Limits())):
        Runner("x", digest, lambda: Program(("/bin/true",), tmp_path), stage, limits)(typing([b"1"]))
    assert len(counted) == 4


def test_a_program_that_fails_is_not_run_again_to_see_it(runner, counted):
    for _ in range(2):
        with pytest.raises(AssignmentError) as error:
            runner(typing([b"crash"]))
        assert str(error.value) == "the program of mistake 'x' did not end by itself: SIGSEGV"
        assert not error.value.is_endless
    assert len(counted) == 1


def test_what_a_script_raises_is_raised_and_no_run_is_kept_of_it(runner, counted):
    class PartedError(AssignmentError):
        pass

    def player(events):
        raise PartedError("it does something else")

    for _ in range(2):
        with pytest.raises(PartedError):
            runner(player)
    assert runner(typing([b"2"])).ending == exited(0)
    with pytest.raises(PartedError):
        runner(player)  # where the run is known it is asked all the same
    assert len(counted) == 3


def test_a_later_process_runs_nothing_and_builds_nothing(runner, counted, kept, monkeypatch, toy):
    with programs_ready():
        runner(typing([b"1"]))
        runner(typing([b"2"]))
    monkeypatch.setattr(running, "_memory", running._Memory())

    def unbuilt():
        raise AssertionError("it need not be built")

    (stage,) = toy.stages
    later = Runner("x", "digest", unbuilt, stage, Limits())
    assert later(typing([b"1"])).ending == exited(1)
    assert later(typing([b"2"])).ending == exited(0)
    assert len(counted) == 2


def test_two_processes_that_keep_runs_at_once_lose_none(runner, counted, kept, monkeypatch):
    with programs_ready():
        runner(typing([b"1"]))
        monkeypatch.setattr(running, "_memory", other := running._Memory())
        runner(typing([b"2"]))
        other.flush()
        monkeypatch.setattr(running, "_memory", running._Memory())
    for line in (b"1", b"2"):
        runner(typing([line]))
    assert [lines[0] for lines in counted] == [b"1", b"2", b"1"]  # that of the memory that was thrown away is run again


def test_what_ended_by_time_is_not_kept_for_others(runner, counted, kept, monkeypatch):
    for _ in range(2):
        with programs_ready(), pytest.raises(AssignmentError):
            runner(typing([b"for ever"]))
        monkeypatch.setattr(running, "_memory", running._Memory())
    assert len(counted) == 2


def test_what_somebody_else_wrote_there_is_no_run(runner, counted, kept, monkeypatch):
    with programs_ready():
        runner(typing([b"1"]))
    (entry,) = kept.iterdir()
    Store(kept).put(entry.name, b"\xc1 nothing")
    monkeypatch.setattr(running, "_memory", running._Memory())
    assert runner(typing([b"1"])).ending == exited(1)


@pytest.mark.parametrize("how", ["raised", "reported"])
def test_what_this_machine_fails_to_run_twice_is_its_fault(runner, counted, monkeypatch, how):
    tried = []

    def session(program, limits, script, stays_ready):
        tried.append(script.input(()))
        if how == "raised":
            raise SessionError("no terminal")
        return Transcript((), Ending(EndingKind.FAULT, detail="no terminal"))

    monkeypatch.setattr(running, "_session", session)
    with pytest.raises(ShortageError) as error:
        runner(typing([b"1", b"2"]))
    assert str(error.value) == "the program of mistake 'x' could not be run on this machine, twice: no terminal"
    assert tried == [b"1", b"1"]  # it begins again with the same lines


def test_a_build_that_fails_later_on_is_no_other_behaviour(runner, counted, toy):
    def unbuilt():
        raise AssignmentError("the disk is full")

    (stage,) = toy.stages
    with pytest.raises(ShortageError):
        Runner("x", "digest", unbuilt, stage, Limits())(typing([b"1"]))
