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
UNCLEAR = "there are 2 programs for shuffle, in a and b, so it is unclear which one to grade; hand in one."
IGNORED = ("readme.txt", ".git/shuffle.c", "__MACOSX/shuffle.c")
#: The files of a submission, the programs found, the notes, and what is said of missing programs.
FOLDERS = {
    "directly": (["shuffle.c", "deal.c", "old/shuffle.c", "old/deal.c"], BOTH, [], []),
    "in a subfolder": (["src/shuffle.c", "src/deal.c", *IGNORED], BOTH, ["The programs are in src."], []),
    "deep": (["a/b/c/d/shuffle.c", "a/b/c/d/deal.c", *IGNORED], BOTH, ["The programs are in a/b/c/d."], []),
    "in folders of their own": (["one/shuffle.c", "two/deal.c"], BOTH, ["shuffle is in one.", "deal is in two."], []),
    "two of a stage": (
        ["a/shuffle.c", "b/shuffle.c", "b/deal.c", "b/old/deal.c"],
        {"deal": "deal.c"},
        ["The programs are in b."],
        [UNCLEAR],
    ),
    "a damaged archive beside them": (["shuffle.c", "deal.c", "old.zip"], BOTH, [], []),
    "a damaged archive": (
        ["shuffle.c", "deal.zip"],
        {"shuffle": "shuffle.c"},
        [],
        [f"{NO_DEAL} deal.zip is damaged or cut off: it cannot be unpacked."],
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_programs_are_found_and_it_is_said_where(tmp_path, two_stages, name):
    files, programs, notes, missing = FOLDERS[name]
    write_files(tmp_path, *files)
    assert find_programs(tmp_path, two_stages) == (programs, notes, missing)


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
