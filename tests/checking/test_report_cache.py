import msgspec
import pytest

from pitboss.checking.causes import ReportCache, is_cacheable
from pitboss.compare.findings import WrittenFinding
from pitboss.compare.results import Report, Result, StageReport, Verdict
from pitboss.model.transcript import Ending, EndingKind, Paused, Shown, Transcript, Typed
from pitboss.sandbox.digests import Causes
from pitboss.submissions.compilers import build_from_outcome
from pitboss.submissions.confined_commands import CommandOutcome

TRANSCRIPT = Transcript((Shown(b"Seed: \xff\0"), Typed(b"3"), Paused(2000)), Ending(EndingKind.EXITED))


def result(verdict=Verdict.WRONG_ANSWER, ending=EndingKind.EXITED):
    actual = msgspec.structs.replace(TRANSCRIPT, ending=Ending(ending))
    return Result("play", "one", verdict, TRANSCRIPT, actual, finding=WrittenFinding("Line 2 is wrong."))


def report(*results, **fields):
    stage = StageReport("play", "Play", Verdict.WRONG_ANSWER, results or (result(),), 1)
    return Report("game", "Game", "ada", (stage,), **fields)


def report_with_stage(**fields):
    """A report whose only stage has these fields."""
    base = report()
    return msgspec.structs.replace(base, stages=(msgspec.structs.replace(base.stages[0], **fields),))


def test_reports_of_all_verdicts_but_judge_error_are_cacheable():
    for verdict in set(Verdict) - {Verdict.JUDGE_ERROR}:
        assert is_cacheable(report_with_stage(verdict=verdict, results=(result(verdict),)))


#: Endings of sessions that do not depend on how fast the machine is.
SPEED_INDEPENDENT = {
    *(EndingKind.EXITED, EndingKind.SIGNALLED, EndingKind.OVER_OUTPUT, EndingKind.OVER_MEMORY),
    *(EndingKind.IGNORED_END_OF_INPUT, EndingKind.OUT_OF_LINES, EndingKind.NOT_STARTED),
}


@pytest.mark.parametrize("ending", EndingKind)
def test_reports_are_cacheable_if_their_endings_are_speed_independent(ending):
    assert is_cacheable(report(result(), result(ending=ending))) is (ending in SPEED_INDEPENDENT)


@pytest.mark.parametrize(
    "uncacheable_report",
    [
        report(stopped="Stopped while running the sessions of play."),
        report(faults=("the disk is full",)),
        report(result(), result(Verdict.JUDGE_ERROR)),
        report_with_stage(verdict=Verdict.JUDGE_ERROR, results=()),
        report_with_stage(faults=("a reference failed",)),
        report_with_stage(is_partial=True),
    ],
    ids=["stopped", "a fault", "a session's verdict", "a stage's verdict", "a stage's fault", "partial"],
)
def test_reports_with_faults_or_of_partial_checks_are_not_cacheable(uncacheable_report):
    assert not is_cacheable(uncacheable_report)


def test_a_report_of_a_stopped_build_is_not_cacheable(tmp_path):
    stopped = build_from_outcome(CommandOutcome(1, "", "it took more than 60 s"), ("cc",), "play", tmp_path)
    assert stopped.was_stopped
    failed = build_from_outcome(CommandOutcome(1, "play.c:1: error: no"), ("cc",), "play", tmp_path)
    build_reports = [
        report_with_stage(verdict=Verdict.COMPILE_ERROR, results=(), build_was_stopped=build.was_stopped)
        for build in (stopped, failed)
    ]
    assert [is_cacheable(build_report) for build_report in build_reports] == [False, True]


def test_a_report_whose_draws_may_vary_is_not_cacheable():
    assert [is_cacheable(report(draws_vary=draws_vary)) for draws_vary in (True, False)] == [False, True]


CAUSES = Causes("program", "assignment", "options", "pitboss")


@pytest.fixture
def open_cache(tmp_path, monkeypatch):
    """A function that opens the cache for a request, in the folder of the test."""
    monkeypatch.setenv("PITBOSS_WITHOUT", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return ReportCache


def test_a_cached_report_is_read_as_it_was_saved(open_cache):
    cache = open_cache("check")
    cache.save(cache.key(CAUSES, "ada"), report(notes=("The programs are in sub.",)))
    reopened_cache = open_cache("check")
    assert reopened_cache.report(reopened_cache.key(CAUSES, "ada")) == report(notes=("The programs are in sub.",))
    assert reopened_cache.report(reopened_cache.key(CAUSES, "bob")) is None


def test_everything_that_a_report_depends_on_changes_its_key(open_cache, tmp_path, monkeypatch):
    cache = open_cache("check")
    keys = {cache.key(CAUSES, "ada"), cache.key(CAUSES, "bob"), open_cache("check", "--all").key(CAUSES, "ada")}
    keys |= {cache.key(CAUSES._replace(**{name: "other"}), "ada") for name in Causes._fields}
    monkeypatch.chdir(tmp_path)
    keys.add(open_cache("check").key(CAUSES, "ada"))
    monkeypatch.setenv("PITBOSS_SPECS", str(tmp_path))  # part of the digest of the machine
    keys.add(open_cache("check").key(CAUSES, "ada"))
    assert len(keys) == 9


def test_without_causes_no_report_is_cached(open_cache):
    cache = open_cache("check")
    assert [cache.key(causes, "ada") for causes in (None, CAUSES.only_program)] == ["", ""]
    cache.save("", report())
    assert cache.report("") is None


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x93\x01\x02\x03", b"{}", b"\x93" * 9999], ids=range(5))
def test_an_entry_that_is_not_a_report_is_not_found(open_cache, content):
    cache = open_cache("check")
    cache._store.put("a", content)
    assert cache.report("a") is None


def test_a_report_that_cannot_be_encoded_is_not_cached(open_cache):
    cache = open_cache("check")
    cache.save("a", report(notes=("a name \udcff of no text",)))
    assert cache.report("a") is None
