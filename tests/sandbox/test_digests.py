import os
import shutil

import pytest

from pitboss.sandbox import digests
from pitboss.sandbox.digests import Digest, NoDigestError
from tests.conftest import ROOT


def digest_submission(folder):
    digest = Digest("test")
    digest.add_submission(folder)
    return digest.text()


def digest_path(path):
    """The digest of any file or folder, such as an assignment."""
    digest = Digest("test")
    digest.add_path(path)
    return digest.text()


@pytest.fixture
def folder(tmp_path):
    """A folder with sources, a subfolder, a hidden file and a link."""
    folder = tmp_path / "mine"
    (folder / "below").mkdir(parents=True)
    (folder / "play.c").write_text("int main(void) { return 0; }\n")
    (folder / "play.h").write_text("#define N 3\n")
    (folder / "below" / "words.txt").write_bytes(b"\xff\0words")
    (folder / ".features").write_text("split\n")
    (folder / "link").symlink_to("play.h")
    return folder


#: Functions that change something in the folder.
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


@pytest.mark.parametrize("digest", [digest_submission, digest_path])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_in_a_folder_changes_the_digest(folder, change, digest):
    before = digest(folder)
    assert digest(folder) == before
    change(folder)
    assert digest(folder) != before


def test_every_byte_of_a_file_changes_the_digest(tmp_path):
    content = (ROOT / "examples" / "blackjack" / "ada" / "shuffle.c").read_bytes()[:300]
    digest_texts = set()
    for index in range(len(content)):
        (tmp_path / "shuffle.c").write_bytes(content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :])
        digest_texts.add(digest_submission(tmp_path))
    assert len(digest_texts) == len(content)


def test_a_copy_with_other_timestamps_has_the_same_digest(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy", symlinks=True)
    os.utime(tmp_path / "copy" / "play.c", (1, 1))
    assert digest_submission(folder) == digest_submission(tmp_path / "copy")


def test_a_submission_digest_covers_linked_files_but_not_linked_folders(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "Makefile").write_text("play:\n")
    (folder / "Makefile").symlink_to("../elsewhere/Makefile")
    (folder / "folder").symlink_to("../elsewhere")
    submission_before, path_before = digest_submission(folder), digest_path(folder)
    (tmp_path / "elsewhere" / "other").write_text("")
    assert digest_submission(folder) == submission_before
    assert digest_path(folder) != path_before
    (tmp_path / "elsewhere" / "Makefile").write_text("deal:\n")
    assert digest_submission(folder) != submission_before


def test_digests_ignore_git_folders_and_path_digests_also_pycache(folder):
    submission_before, path_before = digest_submission(folder), digest_path(folder)
    (folder / ".git").mkdir()
    (folder / ".git" / "index").write_text("x")
    assert digest_submission(folder) == submission_before
    assert digest_path(folder) == path_before
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "play.pyc").write_text("x")
    assert digest_submission(folder) != submission_before
    assert digest_path(folder) == path_before


def test_a_path_digest_covers_hidden_folders(folder):
    (folder / ".starter").mkdir()
    before = digest_path(folder)
    (folder / ".starter" / "main.c").write_text("x")
    assert digest_path(folder) != before


def test_a_link_to_a_parent_folder_is_not_followed_forever(folder):
    (folder / "below" / "up").symlink_to("..")
    assert digest_path(folder) == digest_path(folder)


def test_a_digest_depends_on_where_one_text_ends_and_the_next_begins():
    digest_texts = set()
    for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], ["3:abc"]):
        digest = Digest("test")
        digest.add(*parts)
        digest_texts.add(digest.text())
    assert len(digest_texts) == 6
    assert Digest("one").text() != Digest("other").text()


def test_a_file_name_that_is_not_utf8_changes_the_digest(tmp_path):
    before = digest_submission(tmp_path)
    with open(os.fsencode(tmp_path) + b"/\xff", "w"):
        pass
    assert digest_submission(tmp_path) != before


def test_a_pipe_changes_the_digest_without_being_read(folder):
    before = digest_submission(folder)
    os.mkfifo(folder / "pipe")
    assert digest_submission(folder) != before


def test_a_folder_beyond_the_size_limits_has_no_digest(folder, monkeypatch):
    monkeypatch.setattr(digests, "_MAX_FILES", 4)
    with pytest.raises(NoDigestError):
        digest_submission(folder)
    monkeypatch.setattr(digests, "_MAX_FILES", 100)
    monkeypatch.setattr(digests, "_MAX_BYTES", 20)
    with pytest.raises(NoDigestError):
        digest_submission(folder)


def test_a_missing_path_has_a_digest_of_its_own(tmp_path):
    before = digest_path(tmp_path / "none")
    (tmp_path / "none").write_text("")
    assert digest_path(tmp_path / "none") != before
