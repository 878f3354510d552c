"""Entries are found as they were written, or not at all; and nobody else can have written them."""

import multiprocessing
import os
from pathlib import Path

import pytest

from pitboss.sandbox import store
from pitboss.sandbox.store import Opened, folder_of, opened
from tests.conftest import ORDINARY

ROOT_ONLY = pytest.mark.needs("root")  # which alone gives files away
CONTENT = bytes(range(256)) * 9


@pytest.fixture
def entries(tmp_path):
    return opened({"XDG_CACHE_HOME": str(tmp_path)}).store


def path_of(entries, name):
    return entries.folder / name


def test_what_was_put_is_found_by_its_name_alone(entries):
    entries.put("a", CONTENT)
    entries.put("b", b"")
    assert (entries.get("a"), entries.get("b"), entries.get("c")) == (CONTENT, b"", None)
    entries.put("a", b"other")
    assert entries.get("a") == b"other"


def test_the_folder_and_what_is_in_it_are_private(entries):
    entries.put("a", CONTENT)
    assert entries.folder.stat().st_mode & 0o777 == 0o700
    assert path_of(entries, "a").stat().st_mode & 0o777 == 0o600
    assert os.listdir(entries.folder) == ["a"]


def test_an_entry_that_is_damaged_at_any_byte_is_none(entries):
    entries.put("a", CONTENT)
    whole = path_of(entries, "a").read_bytes()
    for place in range(len(whole)):
        for bit in (1, 128):
            path_of(entries, "a").write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
            assert entries.get("a") is None
    path_of(entries, "a").write_bytes(whole)
    assert entries.get("a") == CONTENT


def test_an_entry_that_is_cut_off_or_continued_is_none(entries):
    entries.put("a", CONTENT)
    whole = path_of(entries, "a").read_bytes()
    for end in range(len(whole)):
        path_of(entries, "a").write_bytes(whole[:end])
        assert entries.get("a") is None
    path_of(entries, "a").write_bytes(whole + b"\0")
    assert entries.get("a") is None


def test_an_entry_in_the_place_of_another_is_none(entries):
    entries.put("a", CONTENT)
    path_of(entries, "a").rename(path_of(entries, "b"))
    assert entries.get("b") is None


def test_an_entry_of_another_version_is_none(entries, monkeypatch):
    entries.put("a", CONTENT)
    monkeypatch.setattr(store, "_HEAD", store._HEAD.replace(b"1", b"2"))
    assert entries.get("a") is None


def test_what_is_no_file_is_none(entries):
    entries.put("a", CONTENT)
    path_of(entries, "link").symlink_to(path_of(entries, "a"))
    path_of(entries, "folder").mkdir()
    os.mkfifo(path_of(entries, "pipe"))
    assert [entries.get(name) for name in ("link", "folder", "pipe")] == [None, None, None]


def test_an_entry_that_others_may_write_is_none(entries):
    entries.put("a", CONTENT)
    path_of(entries, "a").chmod(0o620)
    assert entries.get("a") is None


@ROOT_ONLY
def test_an_entry_of_another_user_is_none(entries):
    entries.put("a", CONTENT)
    os.chown(path_of(entries, "a"), ORDINARY, ORDINARY)
    assert entries.get("a") is None


def test_where_it_is():
    assert folder_of({"XDG_CACHE_HOME": "/x", "HOME": "/h"}) == Path("/x/pitboss")
    assert folder_of({"HOME": "/h"}) == folder_of({"XDG_CACHE_HOME": "relative", "HOME": "/h"})
    assert folder_of({"HOME": "/h"}) == Path("/h/.cache/pitboss")
    assert folder_of({}) is None
    assert opened({}) == Opened(None)


def refusal(folder):
    found = opened({"XDG_CACHE_HOME": str(folder)})
    assert found.store is None
    return found.refusal.replace(str(folder), "CACHE")


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path):
    (tmp_path / "pitboss").mkdir()
    for mode in (0o770, 0o702):
        (tmp_path / "pitboss").chmod(mode)
        output = "CACHE/pitboss: others may write there, so results are not cached; chmod 700 CACHE/pitboss"
        assert refusal(tmp_path) == output


def test_nor_is_one_below_a_folder_that_others_can_write_to(tmp_path):
    (tmp_path / "pitboss").mkdir(0o700)
    tmp_path.chmod(0o777)
    output = (
        "CACHE/pitboss: others may write to CACHE, so results are not cached; set XDG_CACHE_HOME to a folder of yours"
    )
    assert refusal(tmp_path) == output
    tmp_path.chmod(0o1777)  # where everybody may write, and nobody remove what is another's
    assert opened({"XDG_CACHE_HOME": str(tmp_path)}).store is not None


@ROOT_ONLY
def test_nor_is_that_of_another_user_and_nothing_is_made_there(tmp_path):
    (tmp_path / "theirs" / "pitboss").mkdir(parents=True)
    os.chown(tmp_path / "theirs" / "pitboss", ORDINARY, ORDINARY)
    output = (
        "CACHE/pitboss: it belongs to another user, so results are not cached; set XDG_CACHE_HOME to a folder of yours"
    )
    assert refusal(tmp_path / "theirs") == output
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", ORDINARY, ORDINARY)
    assert opened({"HOME": str(tmp_path / "home")}).store is None
    assert list((tmp_path / "home").iterdir()) == []


def test_nor_is_a_file_or_a_link(tmp_path):
    output = "CACHE/pitboss: this is not a folder, so results are not cached; remove it"
    (tmp_path / "pitboss").write_text("")
    assert refusal(tmp_path) == output
    (tmp_path / "pitboss").unlink()
    (tmp_path / "elsewhere").mkdir(0o700)
    (tmp_path / "pitboss").symlink_to(tmp_path / "elsewhere")
    assert refusal(tmp_path) == output


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "caches"
    assert refusal(folder) == "CACHE/pitboss: results cannot be cached here: Not a directory"


def test_a_folder_that_is_gone_meanwhile_is_done_without(entries):
    entries.folder.rmdir()
    entries.put("a", CONTENT)
    assert entries.get("a") is None


def test_beyond_the_bound_what_was_not_used_for_longest_is_removed(entries, monkeypatch):
    for number, name in enumerate("abcde"):
        entries.put(name, os.urandom(1000))
        os.utime(path_of(entries, name), (number, number))
    assert entries.get("a") is not None  # so it was used last
    monkeypatch.setattr(store, "MAX_BYTES", 5000)
    entries.put("f", os.urandom(1000))
    assert sorted(os.listdir(entries.folder)) == ["a", "d", "e", "f"]


def test_one_that_is_too_large_is_not_kept(entries, monkeypatch):
    monkeypatch.setattr(store, "_MAX_OF_ONE", 500)
    entries.put("a", os.urandom(1000))
    assert os.listdir(entries.folder) == []


def test_what_a_process_left_half_written_is_removed_after_a_while(entries):
    for name, age_s in ((".new-1-a", 4000), (".new-2-a", 0)):
        path_of(entries, name).write_bytes(b"half")
        moment = path_of(entries, name).stat().st_mtime - age_s
        os.utime(path_of(entries, name), (moment, moment))
    entries.put("a", CONTENT)
    assert sorted(os.listdir(entries.folder)) == [".new-2-a", "a"]


def _puts(caches, number):
    found = opened({"XDG_CACHE_HOME": caches}).store
    for _ in range(200):
        found.put("a", bytes([number]) * 100_000)


def test_several_processes_at_once_never_see_a_part_of_an_entry(entries):
    entries.put("a", b"\0" * 100_000)
    writers = [
        multiprocessing.get_context("fork").Process(target=_puts, args=(str(entries.folder.parent), number))
        for number in (1, 2)
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert entries.get("a") in [bytes([number]) * 100_000 for number in range(3)]
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert os.listdir(entries.folder) == ["a"]
