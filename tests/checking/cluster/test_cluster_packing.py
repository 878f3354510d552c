"""Folders as bytes: what comes out is what went in, and nothing from outside of it."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.checking.cluster import cluster_packing
from pitboss.checking.cluster.cluster_packing import UnsendableError, tar_of, unpack


def seen(folder):
    """All that is in a folder: kinds, modes, instants and contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        changed = None if path.is_symlink() else (state.st_mode, int(state.st_mtime))
        found[str(path.relative_to(folder))] = (content, changed)
    return found


def moved(folder, into, *, follows=False):
    """Where a folder is after it was packed and unpacked below another."""
    into.mkdir()
    unpack(tar_of(folder, follows=follows), str(into))
    return into / folder.relative_to("/")


def test_a_submission_is_the_same_there(tmp_path):
    folder = tmp_path / "ada"
    (folder / "src" / "empty").mkdir(parents=True)
    (folder / "src" / "play.c").write_text("int main;\n")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o751)
    os.utime(folder / "run", (1, 1_000_000_000))
    (folder / os.fsdecode(b"caf\xe9.txt")).touch()
    os.link(folder / "run", folder / "run2")
    (folder / "secret").symlink_to("/etc/passwd")
    (folder / "src" / "up").symlink_to("..")
    os.mkfifo(folder / "pipe")
    (folder / ".hidden").touch()
    (folder / "locked").mkdir()
    (folder / "locked" / "inner.h").touch()
    (folder / "locked").chmod(0o555)
    assert seen(moved(folder, tmp_path / "there")) == seen(folder)


def test_hidden_folders_of_a_submission_stay_and_so_do_those_of_tools(tmp_path):
    for name in (".git", ".config", "__pycache__"):
        (tmp_path / "ada" / name).mkdir(parents=True)
    assert list(seen(moved(tmp_path / "ada", tmp_path / "one"))) == ["__pycache__"]
    assert list(seen(moved(tmp_path / "ada", tmp_path / "two", follows=True))) == [".config"]


def test_links_of_an_assignment_are_what_they_lead_to(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "words.yaml").write_text("a: b\n")
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "words").symlink_to(tmp_path / "shared")
    (tmp_path / "spec" / "words" / "again").symlink_to(tmp_path / "spec")
    assert list(seen(moved(tmp_path / "spec", tmp_path / "there", follows=True))) == ["words", "words/words.yaml"]


def test_a_file_alone(tmp_path):
    (tmp_path / "ada.c").write_text("int main;\n")
    assert moved(tmp_path / "ada.c", tmp_path / "there").read_text() == "int main;\n"


@given(st.dictionaries(st.from_regex(r"[a-z]{1,3}", fullmatch=True), st.binary(max_size=200), max_size=8))
def test_any_content(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("any")
    (folder / "here").mkdir()
    for name, content in files.items():
        (folder / "here" / name).write_bytes(content)
    assert seen(moved(folder / "here", folder / "there")) == seen(folder / "here")


def test_what_is_too_much_or_no_file_is_not_sent(tmp_path, monkeypatch):
    (tmp_path / "ada").mkdir()
    with pytest.raises(UnsendableError, match=r"^it cannot be read: No such file or directory$"):
        tar_of(tmp_path / "nobody", follows=False)
    (tmp_path / "null").symlink_to("/dev/null")
    with pytest.raises(UnsendableError, match=r"^'null' in it is not a file$"):
        tar_of(tmp_path / "null", follows=False)
    monkeypatch.setattr(cluster_packing, "_MAX_FILES", 3)
    for number in range(3):
        (tmp_path / "ada" / str(number)).touch()
    with pytest.raises(UnsendableError, match=r"^it has more than 3 files or 128 MB$"):
        tar_of(tmp_path / "ada", follows=False)


def test_what_a_link_is_named_by_is_a_link_there(tmp_path):
    (tmp_path / "week3").mkdir()
    (tmp_path / "week3" / "ada.c").touch()
    (tmp_path / "latest").symlink_to("week3")
    there = moved(tmp_path / "latest", tmp_path / "there")
    assert there.is_symlink()
    assert there.resolve() == tmp_path / "there" / (tmp_path / "week3").relative_to("/")
    assert list(seen(there.resolve())) == ["ada.c"]


def test_a_link_replaces_nothing_that_is_there(tmp_path):
    (tmp_path / "week3" / "ada").mkdir(parents=True)
    (tmp_path / "latest").symlink_to("week3")
    there = moved(tmp_path / "latest", tmp_path / "there")
    unpack(tar_of(tmp_path / "latest" / "ada", follows=False), str(tmp_path / "there"))
    assert (there / "ada").is_dir()
    assert not (there / "ada").is_symlink()
