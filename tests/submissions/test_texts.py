import io
import os
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.submissions.texts import MAX_BYTES, MAX_FILES, texts_of
from tests.counted import resources_in_use


@pytest.fixture
def folder(tmp_path):
    """A submission of SOURCES, and a file that is no source."""
    for name, text in (("play.c", "int main"), ("own.h", "/* */"), ("Makefile", "play:"), ("notes.txt", "x")):
        (tmp_path / name).write_text(text)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "Deal.java").write_text("class Deal {}")
    return tmp_path


#: The names and texts that are read from the folder.
SOURCES = (("Makefile", "play:"), ("own.h", "/* */"), ("play.c", "int main"), ("more/Deal.java", "class Deal {}"))


def test_sources_headers_and_makefiles_are_read(folder):
    before = resources_in_use()  # open files, threads, processes and temporary folders
    assert texts_of(folder) == SOURCES
    assert resources_in_use() == before


def test_sources_in_an_archive_and_a_single_file_are_read(folder, tmp_path_factory):
    archive_folder = tmp_path_factory.mktemp("archives")
    with zipfile.ZipFile(archive_folder / "mine.zip", "w") as archive:
        for name in ("play.c", "own.h", "Makefile", "notes.txt", "more/Deal.java"):
            archive.write(folder / name, name)
    assert texts_of(archive_folder / "mine.zip") == SOURCES
    assert texts_of(folder / "play.c") == (("play.c", "int main"),)
    assert texts_of(archive_folder) == tuple((f"mine.zip/{name}", text) for name, text in SOURCES)


def test_links_pipes_folders_and_damaged_archives_are_left_out(folder, tmp_path):
    (folder / "link.c").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.c")
    (folder / "folder.c").mkdir()
    assert texts_of(folder) == SOURCES
    assert texts_of(tmp_path / "none") == ()
    (tmp_path / "broken.zip").write_bytes(b"PK no archive")
    assert texts_of(tmp_path / "broken.zip") == ()


def test_bytes_that_are_not_utf8_are_replaced(folder):
    (folder / "play.c").write_bytes(b"\xff\x00a")
    assert dict(texts_of(folder))["play.c"] == "\ufffd\x00a"


def test_the_number_of_files_and_of_bytes_is_limited(tmp_path):
    for number in range(MAX_FILES + 9):
        (tmp_path / f"{number:03}.c").write_text("x" * 9)
    assert len(texts_of(tmp_path)) == MAX_FILES
    for number in range(9):
        (tmp_path / f"{number:03}.c").write_text("x" * (2 << 20))
    assert sum(len(text) for _, text in texts_of(tmp_path)) == MAX_BYTES


@given(content=st.binary())
def test_no_archive_makes_texts_of_raise(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.zip"
    path.write_bytes(content)
    assert texts_of(path) == ()
    archive_file = io.BytesIO()
    with zipfile.ZipFile(archive_file, "w") as archive:
        archive.writestr("play.c", content)
    path.write_bytes(archive_file.getvalue())
    assert texts_of(path) == ((("play.c", content.decode("utf-8", "replace")),) if content else ())
