"""What a report is kept under: one question has one name, and any other another."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pitboss.checking.cache.cache_key import assignments_below, common_digest, key_in_class, key_of, submission_of
from pitboss.sandbox.fingerprint import digest_of_machine
from tests.conftest import ROOT


@pytest.fixture
def place(tmp_path, monkeypatch):
    for name in ("specs/game/assignment.yaml", "specs/other/notes.md", "given/main.c", "mine/play.c", "mine/play.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("stages: [{name: play}]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def common(place, machine="machine", asked=("check",)):
    return common_digest(machine, asked, assignments_below([Path("specs")]), [Path("given")])


def test_the_assignments_and_the_course_s_files_count(place):
    seen = {common(place)}
    for name in ("specs/game/assignment.yaml", "specs/game/play.yaml", "given/main.c", "given/more.h"):
        (place / name).write_text("another\n")
        seen.add(common(place))
    seen |= {common(place, machine="other"), common(place, asked=("check", "play"))}
    assert len(seen) == 7
    (place / "specs" / "other" / "notes.md").write_text("another\n")  # no assignment
    assert common(place) in seen


def test_where_the_submission_is(place):
    known = assignments_below([Path("specs")])
    assert known == [Path("specs/game")]
    assert submission_of([], known) == [Path(".")]
    assert submission_of(["play"], known) == [Path(".")]
    assert submission_of(["mine", "play"], known) == [Path("mine")]
    assert submission_of(["./play"], known) == [Path(".")]
    (place / "play").mkdir()  # the stage is meant, or the folder: the assignments tell
    assert submission_of(["play"], known) == [Path("play"), Path(".")]
    assert submission_of(["x" * 300], known) == [Path(".")]


def test_beside_a_source_all_of_its_folder_counts_beside_an_archive_its_names(place):
    archive = place / "mine.zip"
    archive.write_text("")
    before = key_of("common", [place / "mine" / "play.c"]), key_of("common", [archive])
    (place / "mine" / "play.h").write_text("another\n")
    assert key_of("common", [place / "mine" / "play.c"]) != before[0]
    assert key_of("common", [archive]) == before[1]
    (place / "more").mkdir()
    assert key_of("common", [archive]) != before[1]


def test_a_folder_counts_with_all_that_is_in_it_and_where_it_is(place):
    seen = {key_of("common", [place / "mine"]), key_of("other", [place / "mine"]), key_of("common", [place / "given"])}
    (place / "mine" / "play.c").write_text("another\n")
    assert len(seen | {key_of("common", [place / "mine"])}) == 4


def test_of_a_class_only_its_own_content_counts_wherever_it_is(place):
    before = key_in_class("common", place / "mine", "mine")
    (place / "others").mkdir()
    (place / "mine").rename(place / "others" / "mine")
    assert key_in_class("common", place / "others" / "mine", "mine") == before
    assert key_in_class("other", place / "others" / "mine", "mine") != before
    assert key_in_class("common", place / "others" / "mine", "ours") != before
    (place / "others" / "mine" / "play.c").write_text("another\n")
    assert key_in_class("common", place / "others" / "mine", "mine") != before


def test_a_file_of_a_class_is_called_otherwise_once_its_name_is_taken(place):
    file = place / "ada.c"
    file.write_text("")
    before = key_in_class("common", file, "ada.c")
    (place / "brian.c").write_text("")
    assert key_in_class("common", file, "ada.c") == before
    (place / "ada").mkdir()
    assert key_in_class("common", file, "ada.c") != before


@pytest.mark.parametrize("name", ["PATH", "PITBOSS_WITHOUT", "PITBOSS_SPECS", "TMPDIR", "PYTHONPATH"])
def test_variables_that_change_a_report_count_and_no_others(name):
    before = digest_of_machine({"PATH": "/usr/bin:/bin", "COLUMNS": "80"})
    assert digest_of_machine({"PATH": "/usr/bin:/bin", "COLUMNS": "120", "TERM": "dumb"}) == before
    assert digest_of_machine({"PATH": "/usr/bin:/bin", name: "/elsewhere"}) != before


def test_a_command_that_is_installed_is_another_machine(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    before = digest_of_machine({"PATH": str(folder)})
    assert digest_of_machine({"PATH": str(folder)}) == before
    (folder / "of-which-nobody-thought").write_text("")
    assert digest_of_machine({"PATH": str(folder)}) != before


def test_a_package_that_is_installed_is_another_machine_in_whichever_folder(tmp_path, monkeypatch):
    folders = {"purelib": str(tmp_path / "one"), "platlib": str(tmp_path / "two")}
    monkeypatch.setattr("sysconfig.get_path", folders.get)
    seen = {digest_of_machine({})}
    for names in (["one"], ["two"], ["one", "two"]):  # each whether or not the other is there
        for name in names:
            (tmp_path / name / f"{name}-1.0.dist-info").mkdir(parents=True)
        seen.add(digest_of_machine({}))
        for name in names:
            shutil.rmtree(tmp_path / name)
    assert len(seen) == 4


def test_a_machine_is_the_same_in_each_process(tmp_path):
    """Python orders a set otherwise in the one than in the other."""
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
        for seed in ("0", "3")
    }
    assert len(digests) == 1
