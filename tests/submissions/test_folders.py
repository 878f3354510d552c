"""Where programs are looked for, and what is used where they are not right in the folder."""

import os
from pathlib import Path

import pytest

from pitboss.submissions.submission import open_submission
from tests.handed_in import packed, put


def seen(path, stages, *, is_alone=False):
    """Where each stage was found, as seen from the submission, and what is noted."""
    with open_submission(path, is_alone=is_alone) as submission:
        sources = submission.sources(stages)
        found = {name: source.file for name, source in sources.items() if source}
        return found, submission.notes, [submission.missing(stage) for stage in stages if not sources[stage.name]]


BOTH = {"shuffle": "shuffle.c", "deal": "deal.c"}
NO_DEAL = "there is no deal.c, deal.cpp or the like, and no Makefile that makes deal."


def test_programs_right_in_the_folder_need_no_word(tmp_path, two):
    put(tmp_path, "shuffle.c", "deal.c", "old/shuffle.c", "old/deal.c")
    assert seen(tmp_path, two) == (BOTH, [], [])


@pytest.mark.parametrize("below", ["src", "a/b/c/d", "my project/src"])
def test_programs_further_down_are_used_and_reported(tmp_path, two, below):
    put(tmp_path, f"{below}/shuffle.c", f"{below}/deal.c", "readme.txt", ".git/shuffle.c", "__MACOSX/shuffle.c")
    assert seen(tmp_path, two) == (BOTH, [f"The programs are in {below}."], [])


def test_each_program_may_have_a_folder_of_its_own(tmp_path, two):
    put(tmp_path, "one/shuffle.c", "two/deal.c")
    assert seen(tmp_path, two) == (BOTH, ["shuffle is in one.", "deal is in two."], [])


def test_a_program_that_is_there_twice_is_not_guessed(tmp_path, two):
    put(tmp_path, "a/shuffle.c", "b/shuffle.c", "b/deal.c", "b/old/deal.c")
    assert seen(tmp_path, two) == (
        {"deal": "deal.c"},
        ["The programs are in b."],
        ["there are 2 programs for shuffle, in a and b, so it is unclear which one to grade; hand in one."],
    )


def test_an_archive_in_the_folder_is_looked_into(tmp_path, two):
    packed(tmp_path / "ada.zip", "work/shuffle.c", "work/deal.c", "__MACOSX/work/._deal.c")
    assert seen(tmp_path, two) == (BOTH, ["The programs are in ada.zip, folder work."], [])


def test_an_archive_that_is_handed_in_is_the_folder(tmp_path, two):
    assert seen(packed(tmp_path / "ada.zip", "shuffle.c", "deal.c"), two) == (BOTH, [], [])
    assert seen(packed(tmp_path / "b.zip", "b/shuffle.c", "b/deal.c"), two) == (BOTH, ["The programs are in b."], [])


def test_an_archive_beside_the_programs_is_not_needed(tmp_path, two):
    put(tmp_path, "shuffle.c", "deal.c")
    (tmp_path / "old.zip").write_bytes(b"no archive at all")
    assert seen(tmp_path, two) == (BOTH, [], [])


def test_an_archive_that_cannot_be_unpacked_is_reported(tmp_path, two):
    put(tmp_path, "shuffle.c")
    (tmp_path / "deal.zip").write_bytes(b"no archive at all")
    broken = "deal.zip is damaged or cut off: it cannot be unpacked."
    assert seen(tmp_path, two) == ({"shuffle": "shuffle.c"}, [], [f"{NO_DEAL} {broken}"])


def test_nothing_that_was_unpacked_is_left(tmp_path, two, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    for path in (packed(tmp_path / "a" / "a.zip", "shuffle.c"), put(tmp_path / "b", "x.txt"), tmp_path / "a"):
        seen(path, two)
    (tmp_path / "a" / "a.zip").write_bytes(b"")
    seen(tmp_path / "a", two)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_file_is_the_program_that_it_is_called_after(tmp_path, two):
    put(tmp_path, "deal.c", "shuffle.c", "mine.c")
    assert seen(tmp_path / "deal.c", two)[0] == {"deal": "deal.c"}
    assert seen(tmp_path / "mine.c", two[:1])[0] == {"shuffle": "mine.c"}
    assert seen(tmp_path / "mine.c", two)[0] == {}


def test_folders_that_are_locked_or_linked_in_a_circle_cost_nothing(tmp_path, two):
    put(tmp_path, "src/shuffle.c", "src/deal.c")
    (tmp_path / "src" / "again").symlink_to(tmp_path)
    (tmp_path / "shuffle.c").mkdir()
    assert seen(tmp_path, two) == (BOTH, ["The programs are in src."], [])


def test_names_in_no_encoding_can_be_written(tmp_path, two):
    for name in (b"caf\xe9", b"th\xe9"):
        folder = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
        put(folder, "shuffle.c")
    put(folder, "deal.c")
    _, notes, missing = seen(tmp_path, two)
    assert notes == ["The programs are in th\ufffd."]
    assert missing == [
        "there are 2 programs for shuffle, in caf\ufffd and th\ufffd, so it is unclear which one to grade; hand in one."
    ]


def test_what_is_no_file_is_no_program(tmp_path, two):
    put(tmp_path, "src/shuffle.c")
    os.mkfifo(tmp_path / "Makefile")
    os.mkfifo(tmp_path / "deal.c")
    (tmp_path / "shuffle.c").symlink_to("shuffle.c")
    assert seen(tmp_path, two) == ({"shuffle": "shuffle.c"}, ["The programs are in src."], [NO_DEAL])
