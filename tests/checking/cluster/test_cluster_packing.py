import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.checking.cluster import cluster_packing
from pitboss.checking.cluster.cluster_packing import UnsendableError, tar_of, unpack


def folder_contents(folder):
    """For each path in a folder: its content or link target, and its mode and time unless it is a link."""
    entries = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        mode_and_time = None if path.is_symlink() else (state.st_mode, int(state.st_mtime))
        entries[str(path.relative_to(folder))] = (content, mode_and_time)
    return entries


def pack_and_unpack(folder, into, *, follows=False):
    """Pack a folder and unpack it below `into`; returns its path there. `follows`: links become their targets."""
    into.mkdir()
    unpack(tar_of(folder, follows=follows), str(into))
    return into / folder.relative_to("/")


def test_a_submission_unpacks_with_the_same_modes_times_and_links(tmp_path):
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
    assert folder_contents(pack_and_unpack(folder, tmp_path / "there")) == folder_contents(folder)


def test_hidden_folders_of_a_submission_and_tools_folders_of_an_assignment_are_left_out(tmp_path):
    for name in (".git", ".config", "__pycache__"):
        (tmp_path / "ada" / name).mkdir(parents=True)
    as_submission = pack_and_unpack(tmp_path / "ada", tmp_path / "one")
    assert list(folder_contents(as_submission)) == ["__pycache__"]
    as_assignment = pack_and_unpack(tmp_path / "ada", tmp_path / "two", follows=True)
    assert list(folder_contents(as_assignment)) == [".config"]


def test_links_in_an_assignment_are_replaced_by_their_targets(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "words.yaml").write_text("a: b\n")
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "words").symlink_to(tmp_path / "shared")
    (tmp_path / "spec" / "words" / "again").symlink_to(tmp_path / "spec")
    assert list(folder_contents(pack_and_unpack(tmp_path / "spec", tmp_path / "there", follows=True))) == [
        "words",
        "words/words.yaml",
    ]


def test_a_single_file_can_be_packed(tmp_path):
    (tmp_path / "ada.c").write_text("int main;\n")
    assert pack_and_unpack(tmp_path / "ada.c", tmp_path / "there").read_text() == "int main;\n"


@given(st.dictionaries(st.from_regex(r"[a-z]{1,3}", fullmatch=True), st.binary(max_size=200), max_size=8))
def test_files_with_any_content_unpack_unchanged(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("any")
    (folder / "here").mkdir()
    for name, content in files.items():
        (folder / "here" / name).write_bytes(content)
    assert folder_contents(pack_and_unpack(folder / "here", folder / "there")) == folder_contents(folder / "here")


def test_missing_or_special_files_and_folders_too_large_are_refused(tmp_path, monkeypatch):
    (tmp_path / "ada").mkdir()
    with pytest.raises(UnsendableError, match=r"^it cannot be read: No such file or directory$"):
        tar_of(tmp_path / "nobody", follows=False)
    (tmp_path / "null").symlink_to("/dev/null")
    with pytest.raises(UnsendableError, match=r"^'null' in it is not a file$"):
        tar_of(tmp_path / "null", follows=False)
    monkeypatch.setattr(cluster_packing, "_MAX_FILES", 3)
    for number in range(3):  # the folder itself counts as a fourth file
        (tmp_path / "ada" / str(number)).touch()
    with pytest.raises(UnsendableError, match=r"^it has more than 3 files or 128 MB$"):
        tar_of(tmp_path / "ada", follows=False)


def test_a_submission_named_by_a_link_unpacks_as_a_link(tmp_path):
    (tmp_path / "week3").mkdir()
    (tmp_path / "week3" / "ada.c").touch()
    (tmp_path / "latest").symlink_to("week3")
    there = pack_and_unpack(tmp_path / "latest", tmp_path / "there")
    assert there.is_symlink()
    assert there.resolve() == tmp_path / "there" / (tmp_path / "week3").relative_to("/")
    assert list(folder_contents(there.resolve())) == ["ada.c"]


def test_unpacking_does_not_replace_a_folder_by_a_link(tmp_path):
    (tmp_path / "week3" / "ada").mkdir(parents=True)
    (tmp_path / "latest").symlink_to("week3")
    there = pack_and_unpack(tmp_path / "latest", tmp_path / "there")
    unpack(tar_of(tmp_path / "latest" / "ada", follows=False), str(tmp_path / "there"))
    assert (there / "ada").is_dir()
    assert not (there / "ada").is_symlink()
