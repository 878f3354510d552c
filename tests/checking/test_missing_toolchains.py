"""Before a class is graded, pitboss remarks on toolchains that are missing or do not work on this machine."""

import msgspec
import pytest

from pitboss.checking.missing_toolchains import toolchain_remarks
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions import build as building
from pitboss.submissions.toolchains import toolchains_of

UNSANDBOXED = Conditions("watched", Sandbox(Level.NONE))
(CC,) = toolchains_of("c")


@pytest.fixture
def remarks_on(tmp_path, monkeypatch):
    """Lists the remarks on a submission of one file; `reasons`: why each C toolchain fails ("" if it works)."""

    def remarks_on(file, language, **reasons):
        (tmp_path / "ada").mkdir()
        (tmp_path / "ada" / file).write_text("")
        toolchains = tuple(msgspec.structs.replace(CC, title=title, remark=f"{title} is old") for title in reasons)
        monkeypatch.setattr(building, "toolchains_of", lambda name: toolchains if name == "c" else ())
        monkeypatch.setattr(building, "why_unusable", lambda toolchain, conditions: reasons[toolchain.title])
        return list(toolchain_remarks([tmp_path / "ada"], language, UNSANDBOXED))

    return remarks_on


def test_a_working_toolchain_is_mentioned_only_for_its_own_remark(remarks_on):
    assert remarks_on("play.c", "", cc="") == ["cc is old"]


def test_a_broken_toolchain_is_reported_with_the_consequence(remarks_on):
    assert remarks_on("play.c", "", cc="no libc") == [
        "cc does not work here: no libc; programs in C are faults and cost no points"
    ]


def test_if_another_toolchain_works_no_consequence_is_reported(remarks_on):
    assert remarks_on("play.c", "", tcc="no libc", cc="") == ["tcc does not work here: no libc"]


def test_the_assignment_s_language_is_tried_if_no_source_is_visible(remarks_on):
    (remark,) = remarks_on("a.zip", "C", cc="no libc")
    assert remark.startswith("cc does not work here: ")


def test_a_toolchain_that_no_submission_uses_is_not_tried(remarks_on):
    assert remarks_on("notes.txt", "", cc="no libc") == []


def test_a_language_without_any_toolchain_is_reported(remarks_on):
    assert remarks_on("play.java", "", cc="") == [
        "nothing that builds programs in Java is installed: pitboss doctor says how to get it; programs in Java are faults "
        "and cost no points"
    ]
