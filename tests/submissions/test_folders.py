import os
from pathlib import Path

import pytest

from pitboss.submissions.submission import open_submission
from tests.handed_in import write_files, zip_same_text


def find_programs(path, stages):
    """The source file of each stage, the notes, and the reasons for stages without a program."""
    with open_submission(path) as submission:
        sources = submission.sources(stages)
        files = {name: source.file for name, source in sources.items() if source}
        return (
            files,
            submission.notes,
            [submission.reason_for_missing_program(stage) for stage in stages if not sources[stage.name]],
        )


BOTH = {"shuffle": "shuffle.c", "deal": "deal.c"}
NO_DEAL = "there is no deal.c, deal.cpp or the like, and no Makefile that makes deal."


def test_programs_directly_in_the_folder_need_no_note(tmp_path, two_stages):
    write_files(tmp_path, "shuffle.c", "deal.c", "old/shuffle.c", "old/deal.c")
    assert find_programs(tmp_path, two_stages) == (BOTH, [], [])


@pytest.mark.parametrize("subfolder", ["src", "a/b/c/d", "my project/src"])
def test_programs_in_a_subfolder_are_used_and_noted(tmp_path, two_stages, subfolder):
    write_files(
        tmp_path, f"{subfolder}/shuffle.c", f"{subfolder}/deal.c", "readme.txt", ".git/shuffle.c", "__MACOSX/shuffle.c"
    )
    assert find_programs(tmp_path, two_stages) == (BOTH, [f"The programs are in {subfolder}."], [])


def test_each_program_may_have_a_folder_of_its_own(tmp_path, two_stages):
    write_files(tmp_path, "one/shuffle.c", "two/deal.c")
    assert find_programs(tmp_path, two_stages) == (BOTH, ["shuffle is in one.", "deal is in two."], [])


def test_a_stage_with_two_programs_is_reported_as_unclear(tmp_path, two_stages):
    write_files(tmp_path, "a/shuffle.c", "b/shuffle.c", "b/deal.c", "b/old/deal.c")
    assert find_programs(tmp_path, two_stages) == (
        {"deal": "deal.c"},
        ["The programs are in b."],
        ["there are 2 programs for shuffle, in a and b, so it is unclear which one to grade; hand in one."],
    )


def test_programs_are_found_in_an_archive_in_the_folder(tmp_path, two_stages):
    zip_same_text(tmp_path / "ada.zip", "work/shuffle.c", "work/deal.c", "__MACOSX/work/._deal.c")
    assert find_programs(tmp_path, two_stages) == (BOTH, ["The programs are in ada.zip, folder work."], [])


def test_a_submitted_archive_is_searched_like_a_folder(tmp_path, two_stages):
    assert find_programs(zip_same_text(tmp_path / "ada.zip", "shuffle.c", "deal.c"), two_stages) == (BOTH, [], [])
    assert find_programs(zip_same_text(tmp_path / "b.zip", "b/shuffle.c", "b/deal.c"), two_stages) == (
        BOTH,
        ["The programs are in b."],
        [],
    )


def test_an_archive_beside_the_programs_is_ignored(tmp_path, two_stages):
    write_files(tmp_path, "shuffle.c", "deal.c")
    (tmp_path / "old.zip").write_bytes(b"no archive at all")
    assert find_programs(tmp_path, two_stages) == (BOTH, [], [])


def test_an_archive_that_cannot_be_unpacked_is_reported(tmp_path, two_stages):
    write_files(tmp_path, "shuffle.c")
    (tmp_path / "deal.zip").write_bytes(b"no archive at all")
    broken = "deal.zip is damaged or cut off: it cannot be unpacked."
    assert find_programs(tmp_path, two_stages) == ({"shuffle": "shuffle.c"}, [], [f"{NO_DEAL} {broken}"])


def test_unpacked_files_are_deleted_afterwards(tmp_path, two_stages, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    archive, folder = zip_same_text(tmp_path / "a" / "a.zip", "shuffle.c"), write_files(tmp_path / "b", "x.txt")
    for path in (archive, folder, archive.parent):
        find_programs(path, two_stages)
    (tmp_path / "a" / "a.zip").write_bytes(b"")
    find_programs(tmp_path / "a", two_stages)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_single_file_is_the_program_of_the_stage_in_its_name_or_of_the_only_stage(tmp_path, two_stages):
    write_files(tmp_path, "deal.c", "shuffle.c", "mine.c")
    assert find_programs(tmp_path / "deal.c", two_stages)[0] == {"deal": "deal.c"}
    assert find_programs(tmp_path / "mine.c", two_stages[:1])[0] == {"shuffle": "mine.c"}
    assert find_programs(tmp_path / "mine.c", two_stages)[0] == {}


def test_circular_links_and_folders_named_like_programs_are_ignored(tmp_path, two_stages):
    write_files(tmp_path, "src/shuffle.c", "src/deal.c")
    (tmp_path / "src" / "again").symlink_to(tmp_path)
    (tmp_path / "shuffle.c").mkdir()
    assert find_programs(tmp_path, two_stages) == (BOTH, ["The programs are in src."], [])


def test_folder_names_that_are_not_utf8_are_reported(tmp_path, two_stages):
    cafe, tea = (Path(os.fsdecode(os.fsencode(tmp_path) + name)) for name in (b"/caf\xe9", b"/th\xe9"))
    write_files(cafe, "shuffle.c")
    write_files(tea, "shuffle.c", "deal.c")
    _, notes, missing = find_programs(tmp_path, two_stages)
    assert notes == ["The programs are in th\ufffd."]
    assert missing == [
        "there are 2 programs for shuffle, in caf\ufffd and th\ufffd, so it is unclear which one to grade; hand in one."
    ]


def test_pipes_and_broken_links_are_not_programs(tmp_path, two_stages):
    write_files(tmp_path, "src/shuffle.c")
    os.mkfifo(tmp_path / "Makefile")
    os.mkfifo(tmp_path / "deal.c")
    (tmp_path / "shuffle.c").symlink_to("nowhere.c")
    assert find_programs(tmp_path, two_stages) == ({"shuffle": "shuffle.c"}, ["The programs are in src."], [NO_DEAL])
