"""The key of a cached report: the same for the same inputs of a check, and different for any others."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pitboss.checking.cache.cache_key import assignments_below, common_digest, key_in_class, key_of, paths_of_submission
from pitboss.sandbox.fingerprint import digest_of_machine
from tests.conftest import ROOT


@pytest.fixture
def course_folder(tmp_path, monkeypatch):
    """A folder with specs, given files and a submission, which is the current directory."""
    for name in ("specs/game/assignment.yaml", "specs/other/notes.md", "given/main.c", "mine/play.c", "mine/play.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("stages: [{name: play}]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digest_shared_inputs(course_folder, machine="machine", arguments=("check",)):
    """The digest of all inputs but the submission; `course_folder` must be the current directory."""
    return common_digest(machine, arguments, assignments_below([Path("specs")]), [Path("given")])


def test_each_input_that_submissions_share_changes_the_digest(course_folder):
    digests = {digest_shared_inputs(course_folder)}
    for name in ("specs/game/assignment.yaml", "specs/game/play.yaml", "given/main.c", "given/more.h"):
        (course_folder / name).write_text("another\n")
        digests.add(digest_shared_inputs(course_folder))
    digests |= {
        digest_shared_inputs(course_folder, machine="other"),
        digest_shared_inputs(course_folder, arguments=("check", "play")),
    }
    assert len(digests) == 7  # at first, after each of four files, for another machine, and for other arguments
    (course_folder / "specs" / "other" / "notes.md").write_text("another\n")  # a folder without an assignment
    assert digest_shared_inputs(course_folder) in digests


def test_the_submission_s_path_is_found_among_the_arguments(course_folder):
    assignments = assignments_below([Path("specs")])
    assert assignments == [Path("specs/game")]
    assert paths_of_submission([], assignments) == [Path(".")]
    assert paths_of_submission(["play"], assignments) == [Path(".")]
    assert paths_of_submission(["mine", "play"], assignments) == [Path("mine")]
    assert paths_of_submission(["./play"], assignments) == [Path(".")]
    (course_folder / "play").mkdir()  # now "play" may mean the stage or this folder
    assert paths_of_submission(["play"], assignments) == [Path("play"), Path(".")]
    assert paths_of_submission(["x" * 300], assignments) == [Path(".")]


def test_the_key_of_a_file_depends_on_the_files_beside_it(course_folder):
    """The key of a source depends on their content too, that of an archive on their names alone."""
    archive = course_folder / "mine.zip"
    archive.write_text("")
    source_key, archive_key = key_of("common", [course_folder / "mine" / "play.c"]), key_of("common", [archive])
    (course_folder / "mine" / "play.h").write_text("another\n")
    assert key_of("common", [course_folder / "mine" / "play.c"]) != source_key
    assert key_of("common", [archive]) == archive_key
    (course_folder / "more").mkdir()
    assert key_of("common", [archive]) != archive_key


def test_the_key_of_a_folder_depends_on_its_content_and_its_path(course_folder):
    keys = {
        key_of("common", [course_folder / "mine"]),
        key_of("other", [course_folder / "mine"]),
        key_of("common", [course_folder / "given"]),
    }
    (course_folder / "mine" / "play.c").write_text("another\n")
    assert len(keys | {key_of("common", [course_folder / "mine"])}) == 4


def test_the_key_in_a_class_depends_on_content_and_name_not_on_path(course_folder):
    before = key_in_class("common", course_folder / "mine", "mine")
    (course_folder / "others").mkdir()
    (course_folder / "mine").rename(course_folder / "others" / "mine")
    assert key_in_class("common", course_folder / "others" / "mine", "mine") == before
    assert key_in_class("other", course_folder / "others" / "mine", "mine") != before
    assert key_in_class("common", course_folder / "others" / "mine", "ours") != before
    (course_folder / "others" / "mine" / "play.c").write_text("another\n")
    assert key_in_class("common", course_folder / "others" / "mine", "mine") != before


def test_a_file_in_a_class_gets_another_key_if_a_folder_has_its_name(course_folder):
    file = course_folder / "ada.c"
    file.write_text("")
    before = key_in_class("common", file, "ada.c")
    (course_folder / "brian.c").write_text("")
    assert key_in_class("common", file, "ada.c") == before
    (course_folder / "ada").mkdir()
    assert key_in_class("common", file, "ada.c") != before


@pytest.mark.parametrize("name", ["PATH", "PITBOSS_WITHOUT", "PITBOSS_SPECS", "TMPDIR", "PYTHONPATH"])
def test_only_variables_that_may_change_a_report_change_the_digest(name):
    before = digest_of_machine({"PATH": "/usr/bin:/bin", "COLUMNS": "80"})
    assert digest_of_machine({"PATH": "/usr/bin:/bin", "COLUMNS": "120", "TERM": "dumb"}) == before
    assert digest_of_machine({"PATH": "/usr/bin:/bin", name: "/elsewhere"}) != before


def test_installing_a_command_changes_the_digest_of_the_machine(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    before = digest_of_machine({"PATH": str(folder)})
    assert digest_of_machine({"PATH": str(folder)}) == before
    (folder / "of-which-nobody-thought").write_text("")
    assert digest_of_machine({"PATH": str(folder)}) != before


def test_installing_a_package_in_any_folder_changes_the_machine_s_digest(tmp_path, monkeypatch):
    folders = {"purelib": str(tmp_path / "one"), "platlib": str(tmp_path / "two")}
    monkeypatch.setattr("sysconfig.get_path", folders.get)
    digests = {digest_of_machine({})}
    for names in (["one"], ["two"], ["one", "two"]):  # each folder alone, and both
        for name in names:
            (tmp_path / name / f"{name}-1.0.dist-info").mkdir(parents=True)
        digests.add(digest_of_machine({}))
        for name in names:
            shutil.rmtree(tmp_path / name)
    assert len(digests) == 4


def test_the_digest_of_the_machine_is_the_same_in_each_process(tmp_path):
    """Python iterates over a set of strings in an order that differs between processes."""
    for name in ("one", "two"):
        (tmp_path / name / f"{name}-1.0.dist-info").mkdir(parents=True)
    code = "import sysconfig; sysconfig.get_path = {'purelib': 'one', 'platlib': 'two'}.get\n"
    code += "from pitboss.sandbox.fingerprint import digest_of_machine; print(digest_of_machine({}))"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT / "harness"), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "3")  # with these, a set of the two folders has different orders
    }
    assert len(digests) == 1
