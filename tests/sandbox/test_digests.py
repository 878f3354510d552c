"""A digest is another once a byte, a name or a mode is, and the same for a copy."""

import os
import shutil

import pytest

from pitboss.sandbox import digests
from pitboss.sandbox.digests import Digest, UnknownError
from tests.conftest import ROOT


def of_submission(folder):
    digest = Digest("test")
    digest.add_submission(folder)
    return digest.text()


def of_path(path):
    digest = Digest("test")
    digest.add_path(path)
    return digest.text()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "mine"
    (folder / "below").mkdir(parents=True)
    (folder / "play.c").write_text("int main(void) { return 0; }\n")
    (folder / "play.h").write_text("#define N 3\n")
    (folder / "below" / "words.txt").write_bytes(b"\xff\0words")
    (folder / ".features").write_text("split\n")
    (folder / "link").symlink_to("play.h")
    return folder


CHANGES = {
    "a byte of a source": lambda folder: (folder / "play.c").write_text("int main(void) { return 1; }\n"),
    "a byte of a header": lambda folder: (folder / "play.h").write_text("#define N 4\n"),
    "a byte of a data file": lambda folder: (folder / "below" / "words.txt").write_bytes(b"\xff\0wordt"),
    "a byte more": lambda folder: (folder / "below" / "words.txt").write_bytes(b"\xff\0words\n"),
    "a hidden file": lambda folder: (folder / ".features").write_text("double\n"),
    "another name": lambda folder: (folder / "play.h").rename(folder / "Play.h"),
    "another folder": lambda folder: (folder / "play.h").rename(folder / "below" / "play.h"),
    "one file more": lambda folder: (folder / "more").write_text(""),
    "one folder more": lambda folder: (folder / "more").mkdir(),
    "one file less": lambda folder: (folder / "play.h").unlink(),
    "a mode": lambda folder: (folder / "play.c").chmod(0o755),
    "a mode of a folder": lambda folder: (folder / "below").chmod(0o700),
    "where a link leads": lambda folder: ((folder / "link").unlink(), (folder / "link").symlink_to("play.c")),
    "a link for a file": lambda folder: (
        (folder / "play.h").rename(folder.parent / "play.h"),
        (folder / "play.h").symlink_to("../play.h"),
    ),
}


@pytest.mark.parametrize("digest", [of_submission, of_path])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_gives_another(folder, change, digest):
    before = digest(folder)
    assert digest(folder) == before
    change(folder)
    assert digest(folder) != before


def test_every_byte_of_a_file_counts(tmp_path):
    whole = (ROOT / "examples" / "blackjack" / "ada" / "shuffle.c").read_bytes()[:300]
    seen = set()
    for place in range(len(whole)):
        (tmp_path / "shuffle.c").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        seen.add(of_submission(tmp_path))
    assert len(seen) == len(whole)


def test_a_copy_has_the_same_whatever_its_times_are(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy", symlinks=True)
    os.utime(tmp_path / "copy" / "play.c", (1, 1))
    assert of_submission(folder) == of_submission(tmp_path / "copy")


def test_what_a_link_of_a_submission_leads_to_counts_where_it_is_a_file(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "Makefile").write_text("play:\n")
    (folder / "Makefile").symlink_to("../elsewhere/Makefile")
    (folder / "folder").symlink_to("../elsewhere")
    before = of_submission(folder), of_path(folder)
    (tmp_path / "elsewhere" / "other").write_text("")
    assert (of_submission(folder) == before[0], of_path(folder) == before[1]) == (True, False)
    (tmp_path / "elsewhere" / "Makefile").write_text("deal:\n")
    assert of_submission(folder) != before[0]


def test_hidden_folders_of_a_submission_do_not_count_nor_what_python_writes_beside_code(folder):
    before = of_submission(folder), of_path(folder)
    (folder / ".git").mkdir()
    (folder / ".git" / "index").write_text("x")
    assert (of_submission(folder), of_path(folder)) == before
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "play.pyc").write_text("x")
    assert (of_submission(folder) == before[0], of_path(folder) == before[1]) == (False, True)


def test_a_hidden_folder_of_an_assignment_counts(folder):
    (folder / ".given").mkdir()
    before = of_path(folder)
    (folder / ".given" / "main.c").write_text("x")
    assert of_path(folder) != before


def test_links_that_lead_back_end(folder):
    (folder / "below" / "up").symlink_to("..")
    assert of_path(folder) == of_path(folder)


def test_how_texts_are_cut_counts():
    seen = set()
    for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], ["3:abc"]):
        digest = Digest("test")
        digest.add(*parts)
        seen.add(digest.text())
    assert len(seen) == 6
    assert Digest("one").text() != Digest("other").text()


def test_a_name_of_any_bytes_counts(tmp_path):
    before = of_submission(tmp_path)
    with open(os.fsencode(tmp_path) + b"/\xff", "w"):
        pass
    assert of_submission(tmp_path) != before


def test_a_pipe_is_not_read(folder):
    before = of_submission(folder)
    os.mkfifo(folder / "pipe")
    assert of_submission(folder) != before


def test_too_much_is_unknown(folder, monkeypatch):
    monkeypatch.setattr(digests, "_MAX_FILES", 4)
    with pytest.raises(UnknownError):
        of_submission(folder)
    monkeypatch.setattr(digests, "_MAX_FILES", 100)
    monkeypatch.setattr(digests, "_MAX_BYTES", 20)
    with pytest.raises(UnknownError):
        of_submission(folder)


def test_what_is_missing_is_known_to_be(tmp_path):
    before = of_path(tmp_path / "none")
    (tmp_path / "none").write_text("")
    assert of_path(tmp_path / "none") != before
