"""Where in a submission programs are searched for if they are not directly in its folder."""

import os
from pathlib import Path

import pytest

from pitboss.submissions.submission import open_submission
from tests.handed_in import write_files, zip_same_text


def find_programs(path, stages, *, is_alone=False):
    """The source file of each stage, the notes, and the reasons for stages without a program."""
    with open_submission(path, is_alone=is_alone) as submission:
        sources = submission.sources(stages)
        files = {name: source.file for name, source in sources.items() if source}
        return (
            files,
            submission.notes,
            [submission.reason_for_missing_program(stage) for stage in stages if not sources[stage.name]],
        )


BOTH = {"shuffle": "shuffle.c", "deal": "deal.c"}
NO_DEAL = "there is no deal.c, deal.cpp or the like, and no Makefile that makes deal."


def test_programs_directly_in_the_folder_need_no_note(tmp_path, two):
    write_files(tmp_path, "shuffle.c", "deal.c", "old/shuffle.c", "old/deal.c")
    assert find_programs(tmp_path, two) == (BOTH, [], [])


@pytest.mark.parametrize("subfolder", ["src", "a/b/c/d", "my project/src"])
def test_programs_in_a_subfolder_are_used_and_noted(tmp_path, two, subfolder):
    write_files(
        tmp_path, f"{subfolder}/shuffle.c", f"{subfolder}/deal.c", "readme.txt", ".git/shuffle.c", "__MACOSX/shuffle.c"
    )
    assert find_programs(tmp_path, two) == (BOTH, [f"The programs are in {subfolder}."], [])


def test_each_program_may_have_a_folder_of_its_own(tmp_path, two):
    write_files(tmp_path, "one/shuffle.c", "two/deal.c")
    assert find_programs(tmp_path, two) == (BOTH, ["shuffle is in one.", "deal is in two."], [])


def test_a_stage_with_two_programs_is_reported_as_unclear(tmp_path, two):
    write_files(tmp_path, "a/shuffle.c", "b/shuffle.c", "b/deal.c", "b/old/deal.c")
    assert find_programs(tmp_path, two) == (
        {"deal": "deal.c"},
        ["The programs are in b."],
        ["there are 2 programs for shuffle, in a and b, so it is unclear which one to grade; hand in one."],
    )


def test_programs_are_found_in_an_archive_in_the_folder(tmp_path, two):
    zip_same_text(tmp_path / "ada.zip", "work/shuffle.c", "work/deal.c", "__MACOSX/work/._deal.c")
    assert find_programs(tmp_path, two) == (BOTH, ["The programs are in ada.zip, folder work."], [])


def test_a_submitted_archive_is_searched_like_a_folder(tmp_path, two):
    assert find_programs(zip_same_text(tmp_path / "ada.zip", "shuffle.c", "deal.c"), two) == (BOTH, [], [])
    assert find_programs(zip_same_text(tmp_path / "b.zip", "b/shuffle.c", "b/deal.c"), two) == (
        BOTH,
        ["The programs are in b."],
        [],
    )


def test_an_archive_beside_the_programs_is_ignored(tmp_path, two):
    write_files(tmp_path, "shuffle.c", "deal.c")
    (tmp_path / "old.zip").write_bytes(b"no archive at all")
    assert find_programs(tmp_path, two) == (BOTH, [], [])


def test_an_archive_that_cannot_be_unpacked_is_reported(tmp_path, two):
    write_files(tmp_path, "shuffle.c")
    (tmp_path / "deal.zip").write_bytes(b"no archive at all")
    broken = "deal.zip is damaged or cut off: it cannot be unpacked."
    assert find_programs(tmp_path, two) == ({"shuffle": "shuffle.c"}, [], [f"{NO_DEAL} {broken}"])


def test_unpacked_files_are_deleted_afterwards(tmp_path, two, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    for path in (
        zip_same_text(tmp_path / "a" / "a.zip", "shuffle.c"),
        write_files(tmp_path / "b", "x.txt"),
        tmp_path / "a",
    ):
        find_programs(path, two)
    (tmp_path / "a" / "a.zip").write_bytes(b"")
    find_programs(tmp_path / "a", two)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_single_file_is_the_program_of_the_stage_in_its_name(tmp_path, two):
    write_files(tmp_path, "deal.c", "shuffle.c", "mine.c")
    assert find_programs(tmp_path / "deal.c", two)[0] == {"deal": "deal.c"}
    assert find_programs(tmp_path / "mine.c", two[:1])[0] == {"shuffle": "mine.c"}
    assert find_programs(tmp_path / "mine.c", two)[0] == {}


def test_circular_links_and_folders_named_like_programs_are_ignored(tmp_path, two):
    write_files(tmp_path, "src/shuffle.c", "src/deal.c")
    (tmp_path / "src" / "again").symlink_to(tmp_path)
    (tmp_path / "shuffle.c").mkdir()
    assert find_programs(tmp_path, two) == (BOTH, ["The programs are in src."], [])


def test_folder_names_that_are_not_utf8_are_reported(tmp_path, two):
    for name in (b"caf\xe9", b"th\xe9"):
        folder = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
        write_files(folder, "shuffle.c")
    write_files(folder, "deal.c")
    _, notes, missing = find_programs(tmp_path, two)
    assert notes == ["The programs are in th\ufffd."]
    assert missing == [
        "there are 2 programs for shuffle, in caf\ufffd and th\ufffd, so it is unclear which one to grade; hand in one."
    ]


def test_pipes_and_broken_links_are_not_programs(tmp_path, two):
    write_files(tmp_path, "src/shuffle.c")
    os.mkfifo(tmp_path / "Makefile")
    os.mkfifo(tmp_path / "deal.c")
    (tmp_path / "shuffle.c").symlink_to("shuffle.c")
    assert find_programs(tmp_path, two) == ({"shuffle": "shuffle.c"}, ["The programs are in src."], [NO_DEAL])
