"""Which reports may be kept, and that those that are read as they were written."""

import msgspec
import pytest

from pitboss.checking.cache.assignment_code import NamedCode
from pitboss.checking.cache.reports import CachedReports, is_cacheable
from pitboss.compare.findings import WrittenFinding
from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import Ending, EndingKind, Paused, Shown, Transcript, Typed
from pitboss.sandbox.store import opened
from pitboss.submissions.compilers import build_from_outcome
from pitboss.submissions.confined_commands import CommandOutcome

SHOWN = Transcript((Shown(b"Seed: \xff\0"), Typed(b"3"), Paused(2000)), Ending(EndingKind.EXITED))


def result(verdict=Verdict.WRONG_ANSWER, ending=EndingKind.EXITED):
    actual = msgspec.structs.replace(SHOWN, ending=Ending(ending))
    return Result("play", "one", verdict, SHOWN, actual, finding=WrittenFinding("Line 2 is wrong."))


def report(*results, **fields):
    stage = StageReport("play", "Play", Verdict.WRONG_ANSWER, results or (result(),), 1)
    return Report("game", "Game", "ada", (stage,), **fields)


def with_stage(**fields):
    whole = report()
    return msgspec.structs.replace(whole, stages=(msgspec.structs.replace(whole.stages[0], **fields),))


def test_a_report_may_be_kept_whatever_its_verdict_is():
    for verdict in set(Verdict) - {Verdict.JUDGE_ERROR}:
        assert is_cacheable(with_stage(verdict=verdict, results=(result(verdict),)))


LASTING = {
    *(EndingKind.EXITED, EndingKind.SIGNALLED, EndingKind.OVER_OUTPUT, EndingKind.OVER_MEMORY),
    *(EndingKind.DEAF, EndingKind.OUT_OF_LINES, EndingKind.NOT_STARTED),
}


@pytest.mark.parametrize("ending", EndingKind)
def test_how_a_session_ends_must_not_hang_on_how_fast_the_machine_was(ending):
    assert is_cacheable(report(result(), result(ending=ending))) is (ending in LASTING)


@pytest.mark.parametrize(
    "one",
    [
        report(stopped="Stopped while running the sessions of play."),
        report(faults=("the disk is full",)),
        report(result(), result(Verdict.JUDGE_ERROR)),
        with_stage(verdict=Verdict.JUDGE_ERROR, results=()),
        with_stage(faults=("a reference failed",)),
        with_stage(is_partial=True),
    ],
    ids=["stopped", "a fault", "a session's", "a stage's verdict", "a stage's fault", "partial"],
)
def test_a_fault_and_an_interrupted_check_are_never_kept(one):
    assert not is_cacheable(one)


def test_a_build_that_was_stopped_is_not_kept(tmp_path):
    stopped = build_from_outcome(CommandOutcome(1, "", "it took more than 60 s"), ("cc",), "play", tmp_path)
    assert stopped.was_stopped
    failed = build_from_outcome(CommandOutcome(1, "play.c:1: error: no"), ("cc",), "play", tmp_path)
    reports = [
        with_stage(verdict=Verdict.COMPILE_ERROR, results=(), build_was_stopped=one.was_stopped)
        for one in (stopped, failed)
    ]
    assert [is_cacheable(one) for one in reports] == [False, True]


def test_nor_is_a_program_whose_draws_may_differ_in_the_next_run():
    assert [is_cacheable(report(draws_vary=one)) for one in (True, False)] == [False, True]


@pytest.fixture
def kept(tmp_path):
    return CachedReports(opened({"XDG_CACHE_HOME": str(tmp_path / "caches")}).store)


@pytest.fixture
def named(tmp_path):
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "assignment.yaml").write_text("title: Game\n")
    return NamedCode(str(tmp_path / "specs"), ())


def test_what_is_kept_is_found_as_it_was(kept, named, tmp_path):
    kept.save("a", named, report(notes=("The programs are in sub.",)))
    again = CachedReports(opened({"XDG_CACHE_HOME": str(tmp_path / "caches")}).store)
    assert again.report_with_key("a") == report(notes=("The programs are in sub.",))
    assert again.report_with_key("b") is None


def test_it_is_not_found_once_the_code_has_changed(kept, named, tmp_path):
    kept.save("a", named, report())
    (tmp_path / "specs" / "assignment.yaml").write_text("title: Other\n")
    assert CachedReports(opened({"XDG_CACHE_HOME": str(tmp_path / "caches")}).store).report_with_key("a") is None


def test_it_is_not_kept_where_the_code_changed_meanwhile(kept, named, tmp_path):
    kept.code(named)  # as it is before the run
    (tmp_path / "specs" / "assignment.yaml").write_text("title: Other\n")
    kept.save("a", named, report())
    assert kept.report_with_key("a") is None


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x93\x01\x02\x03", b"{}", b"\x93" * 9999], ids=range(5))
def test_an_entry_that_is_no_report_is_none(kept, named, content):
    kept._store.put("a", content)
    assert kept.report_with_key("a") is None


def test_a_report_that_cannot_be_written_is_not_kept(kept, named):
    kept.save("a", named, report(notes=("a name \udcff of no text",)))
    assert kept.report_with_key("a") is None
