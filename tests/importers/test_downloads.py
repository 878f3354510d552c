"""Folders of a class, archives around a download, and archives of students that cost only their own student something."""

import errno
import os
import tarfile
import tempfile

import msgspec
import pytest

from pitboss.errors import SessionError, UsageError
from pitboss.submissions import archives
from pitboss.submissions.importers import gathered_files, importing
from pitboss.submissions.importers.importing import imported_class
from tests.counted import counted
from tests.handed_in import packed, tarred, zipped
from tests.importers.classes import C, of, put, rows
from tests.importers.left import not_understood


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """A folder for temporary files that nobody else writes to."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def test_folders_archives_and_what_is_neither(tmp_path, two):
    put(tmp_path, {"hw/ada/deal.c": "1", "hw/Bob Berg/src/deal.c": "2", "hw/roster.csv": "", "hw/.DS_Store": ""})
    packed(tmp_path / "hw" / "cy.zip", "deal.c")
    intake, found = rows(tmp_path, two)
    assert intake.kind == "folders"
    assert found["ada"] == {"deal.c": "1"}
    assert found["Bob Berg"] == {"src/deal.c": "2"}
    cy = of(intake, "cy")
    assert (cy.path.name, cy.person.key, cy.source, cy.files) == ("cy.zip", "cy", "hw/cy.zip", ("deal.c",))
    assert (cy.at, cy.is_late, cy.attempt, cy.earlier, cy.notes, cy.problem) == (None, None, 1, 0, (), "")
    assert not_understood(intake) == ("roster.csv", ".DS_Store: hidden, or made by a system or a tool")


def test_a_file_for_each_is_away_from_the_others(tmp_path, two):
    put(tmp_path, {"ada.c": "1", "bob.c": "2", "notes.txt": ""})
    with imported_class(tmp_path, two[:1]) as intake:
        ada = of(intake, "ada").path
        assert [path.name for path in ada.parent.iterdir()] == ["ada.c"]
        assert not_understood(intake) == ("notes.txt",)


def test_a_link_right_in_a_class_was_put_there_by_who_made_it(tmp_path, two):
    put(tmp_path, {"class/ada/deal.c": "1", "class/bob/deal.c": "2", "other/deal.c": "3"})
    (tmp_path / "class" / "cy").symlink_to(tmp_path / "other")
    (tmp_path / "class" / "di").symlink_to("ada")
    intake, found = rows(tmp_path / "class", two)
    assert list(found) == ["ada", "bob", "cy", "di"]
    assert not_understood(intake) == ()


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.bz2"])
def test_the_download_may_be_an_archive(tmp_path, two, suffix):
    inner = zipped(tmp_path / "x.zip", ("deal.c", C)).read_bytes()
    members = [
        ("submissions/lovelaceada_1_10_deal-1.c", b"1"),
        ("submissions/bergbob_2_20_hw.zip", inner),
        ("submissions/../../outside.c", b"o"),
        ("/etc/outside.c", b"o"),
        ("__MACOSX/submissions/._x", b""),
    ]
    if suffix == ".zip":
        path = zipped(tmp_path / "hw1.zip", *members)
    else:
        kind = suffix[5:]
        path = tarred(tmp_path / f"hw1{suffix}", *members, ("submissions/l", None), mode=f"w:{kind}" if kind else "w")
    intake, found = rows(path, two)
    assert intake.kind == "canvas"
    assert found["lovelaceada"] == {"deal.c": "1"}
    assert of(intake, "bergbob").files == ("deal.c",)
    link = ("submissions/l: a link, which is not followed",) if suffix != ".zip" else ()
    assert not_understood(intake) == (
        "__MACOSX: hidden, or made by a system or a tool",
        "submissions/../../outside.c: its path is outside the download",
        "/etc/outside.c: its path is outside the download",
        *link,
    )
    assert not (tmp_path / "outside.c").exists()


@pytest.mark.needs("git")
def test_repositories_in_an_archive_keep_what_is_hidden(tmp_path, two):
    path = zipped(tmp_path / "hw.zip", ("ada/.git/HEAD", "ref: refs/heads/main\n"), ("bob/.git/HEAD", "x"))
    intake, _ = rows(path, two)
    assert intake.kind == "git"
    assert of(intake, "ada").notes == ("The repository has no commit yet.",)


def refused(path, stages, kind=UsageError):
    with pytest.raises(kind) as error, imported_class(path, stages):
        pass
    return str(error.value)


def test_what_is_no_class_is_reported(tmp_path, two):
    put(tmp_path, {"x.txt": "", "broken.zip": "PK", "a.rar": "", "empty/x.txt": ""})
    assert refused(tmp_path / "none", two) == f"{tmp_path}/none: there is no such folder"
    assert refused(tmp_path / "x.txt", two) == (
        f"{tmp_path}/x.txt: this is a file; give the folder or the archive that holds the submissions"
    )
    assert refused(tmp_path / "broken.zip", two) == (
        f"{tmp_path}/broken.zip: it is damaged or cut off: download it again"
    )
    assert refused(tmp_path / "a.rar", two) == (
        f"{tmp_path}/a.rar: this kind of archive cannot be unpacked here; unpack it, and give the folder"
    )
    assert refused(tmp_path / "empty", two) == (
        f"{tmp_path}/empty: there is no submission in it — each submission is a separate folder or archive; there is x.txt"
    )


def test_a_message_names_the_archive_and_not_where_it_was_unpacked(tmp_path, two):
    path = zipped(tmp_path / "hw.zip", ("deal.c", C))
    assert refused(path, two) == (
        f"{path}: this is one submission, not a class: it directly contains programs; give the folder that contains hw, or "
        f"check it: pitboss check {path}"
    )


def test_a_download_that_is_cut_off_is_reported(tmp_path, two):
    members = [(f"a_{number}_1{number}_deal.c", bytes(2000)) for number in range(10, 14)]
    compressed = [tarred(tmp_path / f"a.tar.{kind}", *members, mode=f"w:{kind}") for kind in ("gz", "bz2", "xz")]
    for path in (zipped(tmp_path / "a.zip", *members), tarred(tmp_path / "a.tar", *members), *compressed):
        whole = path.read_bytes()
        near_the_end = (len(whole) - 1,) if path.suffix != ".tar" else ()  # which ends with thousands of zeros
        for length in (0, 100, len(whole) // 8, len(whole) // 2, *near_the_end):
            path.write_bytes(whole[:length])
            assert refused(path, two) == f"{path}: it is damaged or cut off: download it again"


def test_a_download_has_limits(tmp_path, two, monkeypatch):
    path = zipped(tmp_path / "a.zip", *((f"a_{number}_1_deal.c", bytes(2 << 20)) for number in range(10, 14)))
    monkeypatch.setattr(importing, "CLASS_RULES", msgspec.structs.replace(importing.CLASS_RULES, max_files=3))
    assert refused(path, two) == f"{path}: it has more than 3 files: this is not the download of one class"
    rules = msgspec.structs.replace(importing.CLASS_RULES, max_files=4, max_bytes=1 << 20)
    monkeypatch.setattr(importing, "CLASS_RULES", rules)
    assert refused(path, two) == f"{path}: it unpacks to more than 0 GB: give one class's download"


def hostile(folder):
    """Archives of students, each with the sentence about it; the others are right."""
    zipped(folder / "outside.zip", ("../x.c", C))
    zipped(folder / "absolute.zip", ("/etc/x.c", C))
    zipped(folder / "bomb.zip", ("deal.c", bytes(65 << 20)))
    zipped(folder / "many.zip", *((f"{number}.c", "") for number in range(2001)))
    zipped(folder / "twice.zip", ("deal.c", "1"), ("deal.c", "2"))
    put(folder, {"damaged.zip": "PK", "wrong.7z": ""})
    with tarfile.open(folder / "circles.tar", "w", format=tarfile.GNU_FORMAT) as archive:
        for name, size in (("deal.c", 0), (".x", -512)):
            member = tarfile.TarInfo(name)
            member.size = size
            archive.addfile(member)
    return {
        "outside": "outside.zip has a file '../x.c', whose path is outside the archive: create the archive again.",
        "absolute": "absolute.zip has a file '/etc/x.c', whose path is outside the archive: create the archive again.",
        "bomb": "bomb.zip unpacks to more than 64 MB: hand in only the programs.",
        "many": "many.zip has more than 2000 files: hand in only the programs.",
        "twice": "twice.zip has two different files deal.c: hand in one of them.",
        "circles": "circles.tar is damaged or cut off: it cannot be unpacked.",
        "damaged": "damaged.zip is damaged or cut off: it cannot be unpacked.",
        "wrong": "wrong.7z has a format that cannot be unpacked here: hand in a .zip file.",
    }


def test_hostile_archives_cost_only_their_own_student(tmp_path, two, alone):
    temporary, tmp_path = tmp_path / "temporary", tmp_path / "class"
    sentences = hostile(tmp_path)
    tarred(tmp_path / "linked.tar", ("deal.c", C.encode()), ("passwd.c", None))
    zipped(tmp_path / "screen.zip", ("\x1b[2Jx.c", ""), ("deal.c", C))
    put(tmp_path, {"right/deal.c": C})
    before = counted()
    intake, found = rows(tmp_path, two)
    assert {one.person.name: one.problem for one in intake.handed if one.problem} == sentences
    assert all(found[name] is None for name in sentences)
    assert of(intake, "linked").files == ("deal.c",)
    assert of(intake, "screen").files == ("\\x1b[2Jx.c", "deal.c")
    assert of(intake, "right").path == tmp_path / "right"
    assert counted() == before
    assert list(temporary.iterdir()) == []


def test_a_hostile_archive_beside_a_program_is_a_note(tmp_path, two):
    put(tmp_path, {"a_1_10_deal.c": C, "a_1_11_old.zip": "PK"})
    intake, found = rows(tmp_path, two)
    assert set(found["a"]) == {"deal.c", "old.zip"}
    assert of(intake, "a").notes == ("old.zip is damaged or cut off: it cannot be unpacked.",)


def test_a_lack_of_room_is_nobodys_problem(tmp_path, two, monkeypatch):
    packed(tmp_path / "ada.zip", "deal.c")
    put(tmp_path, {"bob/deal.c": C})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archives, "_open_target", full)
    assert refused(tmp_path, two, SessionError).startswith("ada.zip could not be unpacked: ")


@pytest.mark.parametrize("name", ["class", "hw.zip"])
def test_nothing_is_left_behind(tmp_path, two, name, alone):
    put(tmp_path / "class", {"a_1_10_deal.c": C, "b_2_20_deal.c": C, "b_2_21_deck.h": C})
    zipped(tmp_path / "hw.zip", ("a_1_10_deal.c", C), ("b_2_20_deal.c", C))
    before = counted()
    with imported_class(tmp_path / name, two) as intake:
        paths = [one.path for one in intake.handed]
        assert all(path.exists() for path in paths)
    assert not any(path.exists() for path in paths)
    with pytest.raises(ZeroDivisionError), imported_class(tmp_path / name, two):
        _ = 1 / 0
    assert counted() == before


def test_two_of_one_name_have_two_keys(tmp_path, two):
    put(tmp_path, {"ada/deal.c": "1", "bob/deal.c": "2"})
    packed(tmp_path / "ada.tar", "deal.c")
    (tmp_path / "ada.tar").rename(tmp_path / "ada.zip")
    intake, _ = rows(tmp_path, two)
    assert len({one.person.key for one in intake.handed}) == 3


def test_files_of_a_download_that_are_unfit_are_listed_with_the_reason(tmp_path, two):
    path = zipped(
        tmp_path / "hw.zip",
        ("a_1_10_deal.c", "1"),
        ("a_1_10_deal.c", "2"),
        ("a_1_10_deal.c/inside.c", "3"),
        ("x" * 300, ""),
        ("y/" * 3000, ""),
        (f"{'z/' * 3000}z", ""),
        ("b_2_20_deal.c", "b"),
    )
    intake, found = rows(path, two)
    assert found == {"a": {"deal.c": "1"}, "b": {"deal.c": "b"}}
    assert not_understood(intake) == (
        "a_1_10_deal.c: a second file of this name",
        "a_1_10_deal.c/inside.c: a second file of this name",
        f"{'x' * 300}: it cannot be unpacked: File name too long",
        f"{'z/' * 3000}z: its name is invalid",
    )


def test_names_in_a_download_are_read_whatever_wrote_them(tmp_path, two):
    raw = zipped(tmp_path / "x.zip", ("mueller_1_10_deal.c", "1"), ("mXXller_2_20_deal.c", "2")).read_bytes()
    (tmp_path / "hw.zip").write_bytes(raw.replace(b"mueller_", "müller_".encode()).replace(b"mXXller_", b"m\xfcXller_"))
    _, found = rows(tmp_path / "hw.zip", two)
    assert found["müller"] == {"deal.c": "1"}
    assert len(found) == 2


def test_a_download_with_a_password_is_reported(tmp_path, two):
    path = zipped(tmp_path / "a.zip", ("a_1_10_deal.c", "1" * 50))
    raw = bytearray(path.read_bytes())
    raw[6] |= 1
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    assert refused(path, two) == f"{path}: it is locked with a password: unpack it, and give the folder"


def test_pipes_and_devices_are_left_out(tmp_path, two):
    path = tarred(tmp_path / "hw.tar", ("a_1_10_deal.c", b"1"))
    with tarfile.open(path, "a") as archive:
        member = tarfile.TarInfo("b_2_20_deal.c")
        member.type = tarfile.FIFOTYPE
        archive.addfile(member)
    intake, found = rows(path, two)
    assert found == {"a": {"deal.c": "1"}}
    assert not_understood(intake) == ("b_2_20_deal.c: not a regular file",)
    put(tmp_path / "class", {"a_1_10_deal.c": "1"})
    os.mkfifo(tmp_path / "class" / "b_2_20_deal.c")
    intake, _ = rows(tmp_path / "class", two)
    assert not_understood(intake) == ("b_2_20_deal.c: neither a file nor a folder",)


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [
        (errno.EACCES, UsageError, "{}/a_1_10_deal.c: the file cannot be read: Permission denied"),
        (errno.ENOSPC, SessionError, "a submission could not be copied: "),
    ],
)
def test_what_cannot_be_copied_is_reported(tmp_path, two, monkeypatch, number, kind, said):
    put(tmp_path, {"a_1_10_deal.c": "1"})

    def fails(path, *_, **__):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(gathered_files.os, "link", fails)
    monkeypatch.setattr(gathered_files.shutil, "copyfile", fails)
    assert refused(tmp_path, two, kind).startswith(said.format(tmp_path))


def test_where_files_cannot_be_linked_they_are_copied(tmp_path, two, monkeypatch):
    def fails(*_, **__):
        raise OSError(errno.EXDEV, "no link")

    monkeypatch.setattr(gathered_files.os, "link", fails)
    put(tmp_path, {"a_1_10_deal.c": "1", "b_2_20_hw/src/deal.c": "2"})
    (tmp_path / "b_2_20_hw" / "link.c").symlink_to("/etc/passwd")
    _, found = rows(tmp_path, two)
    assert found == {"a": {"deal.c": "1"}, "b": {"hw/src/deal.c": "2"}}
