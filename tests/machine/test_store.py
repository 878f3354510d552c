import multiprocessing
import os
from pathlib import Path

import pytest

from pitboss.machine import store
from pitboss.machine.store import StoreOrRefusal, folder_of, open_store
from tests.conftest import ORDINARY_USER_ID

ROOT_ONLY = pytest.mark.needs("root")  # only root can give files to other users
CONTENT = bytes(range(256)) * 9


@pytest.fixture
def new_store(tmp_path):
    return open_store({"XDG_CACHE_HOME": str(tmp_path)}).store


def path_of(new_store, name):
    return new_store.folder / name


def test_an_entry_is_found_by_its_name(new_store):
    new_store.put("a", CONTENT)
    new_store.put("b", b"")
    assert (new_store.get("a"), new_store.get("b"), new_store.get("c")) == (CONTENT, b"", None)
    new_store.put("a", b"other")
    assert new_store.get("a") == b"other"


def test_the_folder_and_its_entries_are_private(new_store):
    new_store.put("a", CONTENT)
    assert new_store.folder.stat().st_mode & 0o777 == 0o700
    assert path_of(new_store, "a").stat().st_mode & 0o777 == 0o600
    assert os.listdir(new_store.folder) == ["a"]


def test_an_entry_damaged_at_any_byte_is_not_returned(new_store):
    new_store.put("a", CONTENT)
    file_bytes = path_of(new_store, "a").read_bytes()
    for index in range(len(file_bytes)):
        for bit in (1, 128):
            path_of(new_store, "a").write_bytes(
                file_bytes[:index] + bytes([file_bytes[index] ^ bit]) + file_bytes[index + 1 :]
            )
            assert new_store.get("a") is None
    path_of(new_store, "a").write_bytes(file_bytes)
    assert new_store.get("a") == CONTENT


def test_a_truncated_or_extended_entry_is_not_returned(new_store):
    new_store.put("a", CONTENT)
    file_bytes = path_of(new_store, "a").read_bytes()
    for end in range(len(file_bytes)):
        path_of(new_store, "a").write_bytes(file_bytes[:end])
        assert new_store.get("a") is None
    path_of(new_store, "a").write_bytes(file_bytes + b"\0")
    assert new_store.get("a") is None


def test_an_entry_moved_to_another_name_is_not_returned(new_store):
    new_store.put("a", CONTENT)
    path_of(new_store, "a").rename(path_of(new_store, "b"))
    assert new_store.get("b") is None


def test_an_entry_of_another_version_is_not_returned(new_store, monkeypatch):
    new_store.put("a", CONTENT)
    monkeypatch.setattr(store, "_HEAD", store._HEAD.replace(b"1", b"2"))
    assert new_store.get("a") is None


def test_links_folders_and_pipes_are_not_returned_as_entries(new_store):
    new_store.put("a", CONTENT)
    path_of(new_store, "link").symlink_to(path_of(new_store, "a"))
    path_of(new_store, "folder").mkdir()
    os.mkfifo(path_of(new_store, "pipe"))
    assert [new_store.get(name) for name in ("link", "folder", "pipe")] == [None, None, None]


def test_an_entry_that_others_may_write_is_not_returned(new_store):
    new_store.put("a", CONTENT)
    path_of(new_store, "a").chmod(0o620)
    assert new_store.get("a") is None


@ROOT_ONLY
def test_an_entry_of_another_user_is_not_returned(new_store):
    new_store.put("a", CONTENT)
    os.chown(path_of(new_store, "a"), ORDINARY_USER_ID, ORDINARY_USER_ID)
    assert new_store.get("a") is None


def test_the_cache_folder_follows_from_xdg_cache_home_or_home():
    assert folder_of({"XDG_CACHE_HOME": "/x", "HOME": "/h"}) == Path("/x/pitboss")
    assert folder_of({"HOME": "/h"}) == folder_of({"XDG_CACHE_HOME": "relative", "HOME": "/h"})
    assert folder_of({"HOME": "/h"}) == Path("/h/.cache/pitboss")
    assert folder_of({}) is None
    assert open_store({}) == StoreOrRefusal(None)


def refusal_of(folder):
    """The reason why no store is opened in this folder."""
    opened = open_store({"XDG_CACHE_HOME": str(folder)})
    assert opened.store is None
    return opened.refusal.replace(str(folder), "CACHE")


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path):
    (tmp_path / "pitboss").mkdir()
    for mode in (0o770, 0o702):
        (tmp_path / "pitboss").chmod(mode)
        reason = "CACHE/pitboss: others may write there, so results are not cached; chmod 700 CACHE/pitboss"
        assert refusal_of(tmp_path) == reason


def test_a_folder_below_one_that_others_can_write_to_is_not_used(tmp_path):
    (tmp_path / "pitboss").mkdir(0o700)
    tmp_path.chmod(0o777)
    reason = (
        "CACHE/pitboss: others may write to CACHE, so results are not cached; set XDG_CACHE_HOME to a folder of yours"
    )
    assert refusal_of(tmp_path) == reason
    tmp_path.chmod(0o1777)  # everybody may write, but only the owner of a file may remove it
    assert open_store({"XDG_CACHE_HOME": str(tmp_path)}).store is not None


@ROOT_ONLY
def test_a_folder_of_another_user_is_neither_used_nor_changed(tmp_path):
    (tmp_path / "theirs" / "pitboss").mkdir(parents=True)
    os.chown(tmp_path / "theirs" / "pitboss", ORDINARY_USER_ID, ORDINARY_USER_ID)
    reason = (
        "CACHE/pitboss: it belongs to another user, so results are not cached; set XDG_CACHE_HOME to a folder of yours"
    )
    assert refusal_of(tmp_path / "theirs") == reason
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", ORDINARY_USER_ID, ORDINARY_USER_ID)
    assert open_store({"HOME": str(tmp_path / "home")}).store is None
    assert list((tmp_path / "home").iterdir()) == []


def test_a_file_or_link_in_place_of_the_folder_is_not_used(tmp_path):
    reason = "CACHE/pitboss: this is not a folder, so results are not cached; remove it"
    (tmp_path / "pitboss").write_text("")
    assert refusal_of(tmp_path) == reason
    (tmp_path / "pitboss").unlink()
    (tmp_path / "elsewhere").mkdir(0o700)
    (tmp_path / "pitboss").symlink_to(tmp_path / "elsewhere")
    assert refusal_of(tmp_path) == reason


def test_a_folder_that_cannot_be_created_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "caches"
    assert refusal_of(folder) == "CACHE/pitboss: results cannot be cached here: Not a directory"


def test_a_folder_that_was_removed_meanwhile_causes_no_error(new_store):
    new_store.folder.rmdir()
    new_store.put("a", CONTENT)
    assert new_store.get("a") is None


def test_a_full_store_removes_the_least_recently_used_entries(new_store, monkeypatch):
    for number, name in enumerate("abcde"):
        new_store.put(name, os.urandom(1000))
        os.utime(path_of(new_store, name), (number, number))
    assert new_store.get("a") is not None  # now it is the entry used most recently
    monkeypatch.setattr(store, "MAX_BYTES", 5000)  # too little for five new_store, since each has a head too
    new_store.put("f", os.urandom(1000))
    assert sorted(os.listdir(new_store.folder)) == ["a", "d", "e", "f"]


def test_an_entry_that_is_too_large_is_not_stored(new_store, monkeypatch):
    monkeypatch.setattr(store, "_MAX_ENTRY_BYTES", 500)
    new_store.put("a", os.urandom(1000))
    assert os.listdir(new_store.folder) == []


def test_old_half_written_files_are_removed(new_store):
    for name, age_s in ((".new-1-a", 4000), (".new-2-a", 0)):
        path_of(new_store, name).write_bytes(b"half")
        moment = path_of(new_store, name).stat().st_mtime - age_s
        os.utime(path_of(new_store, name), (moment, moment))
    new_store.put("a", CONTENT)
    assert sorted(os.listdir(new_store.folder)) == [".new-2-a", "a"]


def _put_repeatedly(caches, number):
    cache = open_store({"XDG_CACHE_HOME": caches}).store
    for _ in range(200):
        cache.put("a", bytes([number]) * 100_000)


def test_an_entry_is_never_read_half_written(new_store):
    new_store.put("a", b"\0" * 100_000)
    writers = [
        multiprocessing.get_context("fork").Process(target=_put_repeatedly, args=(str(new_store.folder.parent), number))
        for number in (1, 2)
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert new_store.get("a") in [bytes([number]) * 100_000 for number in range(3)]
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert os.listdir(new_store.folder) == ["a"]
