"""The sources of a submission as texts: whatever was handed in, and however much."""

import io
import os
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.submissions.texts import MAX_BYTES, MAX_FILES, texts_of
from tests.counted import counted


@pytest.fixture
def folder(tmp_path):
    for name, text in (("play.c", "int main"), ("own.h", "/* */"), ("Makefile", "play:"), ("notes.txt", "x")):
        (tmp_path / name).write_text(text)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "Deal.java").write_text("class Deal {}")
    return tmp_path


FOUND = (("Makefile", "play:"), ("own.h", "/* */"), ("play.c", "int main"), ("more/Deal.java", "class Deal {}"))


def test_sources_headers_and_makefiles_are_read(folder):
    before = counted()
    assert texts_of(folder) == FOUND
    assert counted() == before


def test_those_of_an_archive_too_and_of_a_file(folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    with zipfile.ZipFile(place / "mine.zip", "w") as archive:
        for name in ("play.c", "own.h", "Makefile", "notes.txt", "more/Deal.java"):
            archive.write(folder / name, name)
    assert texts_of(place / "mine.zip") == FOUND
    assert texts_of(folder / "play.c") == (("play.c", "int main"),)
    assert texts_of(place) == tuple((f"mine.zip/{name}", text) for name, text in FOUND)


def test_what_cannot_be_read_is_left_out(folder, tmp_path):
    (folder / "link.c").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.c")
    (folder / "folder.c").mkdir()
    assert texts_of(folder) == FOUND
    assert texts_of(tmp_path / "none") == ()
    (tmp_path / "broken.zip").write_bytes(b"PK no archive")
    assert texts_of(tmp_path / "broken.zip") == ()


def test_bytes_that_are_no_text_are_replaced(folder):
    (folder / "play.c").write_bytes(b"\xff\x00a")
    assert dict(texts_of(folder))["play.c"] == "\ufffd\x00a"


def test_there_is_an_end_to_it(tmp_path):
    for number in range(MAX_FILES + 9):
        (tmp_path / f"{number:03}.c").write_text("x" * 9)
    assert len(texts_of(tmp_path)) == MAX_FILES
    for number in range(9):
        (tmp_path / f"{number:03}.c").write_text("x" * (2 << 20))
    assert sum(len(text) for _, text in texts_of(tmp_path)) == MAX_BYTES


@given(content=st.binary())
def test_no_archive_whatever_raises(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.zip"
    path.write_bytes(content)
    assert texts_of(path) == ()
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("play.c", content)
    path.write_bytes(whole.getvalue())
    assert texts_of(path) == ((("play.c", content.decode("utf-8", "replace")),) if content else ())
