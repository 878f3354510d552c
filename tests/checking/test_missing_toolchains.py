import pytest

from pitboss.checking import builds
from pitboss.checking.builds import toolchain_remarks
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions

UNSANDBOXED = Conditions("watched", Sandbox(Level.NONE))


@pytest.fixture
def remarks_on(tmp_path, monkeypatch):
    """Lists the remarks on a submission of one file; `reason`: why the toolchains fail; empty if they work."""

    def remarks_on(file, language, reason):
        (tmp_path / "ada").mkdir()
        (tmp_path / "ada" / file).write_text("")
        monkeypatch.setattr(builds, "why_unusable", lambda toolchain, conditions: reason)
        return list(toolchain_remarks([tmp_path / "ada"], language, UNSANDBOXED))

    return remarks_on


def test_a_working_toolchain_is_not_mentioned(remarks_on):
    assert remarks_on("play.c", "", "") == []


def test_a_broken_toolchain_is_reported_with_the_consequence(remarks_on):
    assert remarks_on("play.c", "", "cc does not work here: no libc") == [
        "cc does not work here: no libc; programs in C are faults and cost no points"
    ]


def test_the_assignment_s_language_is_tried_if_no_source_is_visible(remarks_on):
    (remark,) = remarks_on("a.zip", "C", "cc does not work here: no libc")
    assert remark.startswith("cc does not work here: ")


def test_a_toolchain_that_no_submission_uses_is_not_tried(remarks_on):
    assert remarks_on("notes.txt", "", "cc does not work here: no libc") == []


def test_a_language_whose_toolchain_is_not_installed_is_reported(remarks_on, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert remarks_on("play.java", "", "") == [
        "nothing that builds programs in Java is installed: pitboss doctor says how to get it; programs in Java are faults "
        "and cost no points"
    ]


@pytest.mark.needs(".NET")
def test_a_library_that_some_programs_need_is_reported(remarks_on, monkeypatch):
    monkeypatch.setattr("pitboss.submissions.dotnet.find_library", lambda name: None)
    (remark,) = remarks_on("Program.cs", "", "")
    assert remark.endswith("apt install libicu-dev); without it they are faults and cost no points")
