import errno
import os
import tarfile
import tempfile
from pathlib import PurePath

import msgspec
import pytest

from pitboss.errors import SessionError, UsageError
from pitboss.submissions import archives
from pitboss.submissions.importers import gathered_files, importing
from pitboss.submissions.importers.importing import imported_class
from pitboss.submissions.sources import MAX_FILES
from tests.counted import resources_in_use
from tests.handed_in import tarred, zip_same_text, zipped
from tests.importers.classes import C, import_and_read, submission_of, write_class_files
from tests.importers.omitted import omitted_file_lines


@pytest.fixture
def private_temporary_folder(tmp_path, monkeypatch):
    """Use a folder for temporary files that no other process writes to."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def test_folders_and_archives_are_imported_and_other_files_listed(tmp_path, two_stages):
    write_class_files(
        tmp_path, {"hw/ada/deal.c": "1", "hw/Bob Berg/src/deal.c": "2", "hw/roster.csv": "", "hw/.DS_Store": ""}
    )
    zip_same_text(tmp_path / "hw" / "cy.zip", "deal.c")
    intake, files_by_name = import_and_read(tmp_path, two_stages)
    assert intake.kind == "folders"
    assert files_by_name["ada"] == {"deal.c": "1"}
    assert files_by_name["Bob Berg"] == {"src/deal.c": "2"}
    cy = submission_of(intake, "cy")
    assert (cy.path.name, cy.person.key, cy.source, cy.files) == ("cy.zip", "cy", "hw/cy.zip", ("deal.c",))
    assert (cy.at, cy.is_late, cy.attempt, cy.other_attempts, cy.notes, cy.problem) == (None, None, 1, 0, (), "")
    assert omitted_file_lines(intake) == ("roster.csv", ".DS_Store: hidden, or made by a system or a tool")


def test_single_file_submissions_are_in_separate_folders(tmp_path, two_stages):
    write_class_files(tmp_path, {"ada.c": "1", "bob.c": "2", "notes.txt": ""})
    with imported_class(tmp_path, two_stages[:1]) as intake:
        ada = submission_of(intake, "ada").path
        assert [path.name for path in ada.parent.iterdir()] == ["ada.c"]
        assert omitted_file_lines(intake) == ("notes.txt",)


def test_links_directly_in_a_class_folder_are_followed(tmp_path, two_stages):
    write_class_files(tmp_path, {"class/ada/deal.c": "1", "class/bob/deal.c": "2", "other/deal.c": "3"})
    (tmp_path / "class" / "cy").symlink_to(tmp_path / "other")
    (tmp_path / "class" / "di").symlink_to("ada")
    intake, files_by_name = import_and_read(tmp_path / "class", two_stages)
    assert list(files_by_name) == ["ada", "bob", "cy", "di"]
    assert omitted_file_lines(intake) == ()


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.bz2"])
def test_the_download_may_be_an_archive(tmp_path, two_stages, suffix):
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
        compression = suffix.removeprefix(".tar").removeprefix(".")
        path = tarred(tmp_path / f"hw1{suffix}", *members, ("submissions/l", None), mode=f"w:{compression}")
    intake, files_by_name = import_and_read(path, two_stages)
    assert intake.kind == "canvas"
    assert files_by_name["lovelaceada"] == {"deal.c": "1"}
    assert submission_of(intake, "bergbob").files == ("deal.c",)
    link = ("submissions/l: a link, which is not followed",) if suffix != ".zip" else ()
    assert omitted_file_lines(intake) == (
        "__MACOSX: hidden, or made by a system or a tool",
        "submissions/../../outside.c: its path is outside the download",
        "/etc/outside.c: its path is outside the download",
        *link,
    )
    assert not (tmp_path / "outside.c").exists()


@pytest.mark.needs("git")
def test_repositories_in_an_archive_keep_their_hidden_files(tmp_path, two_stages):
    path = zipped(tmp_path / "hw.zip", ("ada/.git/HEAD", "ref: refs/heads/main\n"), ("bob/.git/HEAD", "x"))
    intake, _ = import_and_read(path, two_stages)
    assert intake.kind == "git"
    assert submission_of(intake, "ada").notes == ("The repository has no commit yet.",)


def refusal_of_class(path, stages, kind=UsageError):
    """The message of the error with which this path is not imported as a class."""
    with pytest.raises(kind) as error, imported_class(path, stages):
        pass
    return str(error.value)


def test_a_path_that_is_not_a_class_is_refused(tmp_path, two_stages):
    write_class_files(tmp_path, {"x.txt": "", "broken.zip": "PK", "a.rar": "", "empty/x.txt": ""})
    assert refusal_of_class(tmp_path / "none", two_stages) == f"{tmp_path}/none: there is no such folder"
    assert refusal_of_class(tmp_path / "x.txt", two_stages) == (
        f"{tmp_path}/x.txt: this is a file; give the folder or the archive that contains the submissions"
    )
    assert refusal_of_class(tmp_path / "broken.zip", two_stages) == (
        f"{tmp_path}/broken.zip: it is damaged or cut off: download it again"
    )
    assert refusal_of_class(tmp_path / "a.rar", two_stages) == (
        f"{tmp_path}/a.rar: this kind of archive cannot be unpacked here; unpack it, and give the folder"
    )
    assert refusal_of_class(tmp_path / "empty", two_stages) == (
        f"{tmp_path}/empty: there is no submission in it — each submission is a separate folder or archive; there is x.txt"
    )


def test_a_message_names_the_archive_and_not_its_unpacked_folder(tmp_path, two_stages):
    path = zipped(tmp_path / "hw.zip", ("deal.c", C))
    assert refusal_of_class(path, two_stages) == (
        f"{path}: this is one submission, not a class: it directly contains programs; give the folder that contains hw, or "
        f"check it: pitboss check {path}"
    )


def test_a_truncated_download_is_refused(tmp_path, two_stages):
    members = [(f"a_{number}_1{number}_deal.c", bytes(2000)) for number in range(10, 14)]
    compressed = [tarred(tmp_path / f"a.tar.{kind}", *members, mode=f"w:{kind}") for kind in ("gz", "bz2", "xz")]
    for path in (zipped(tmp_path / "a.zip", *members), tarred(tmp_path / "a.tar", *members), *compressed):
        content = path.read_bytes()
        lengths = [0, 100, len(content) // 8, len(content) // 2]
        if path.suffix != ".tar":  # a tar file ends with thousands of zeros, so the last byte makes no difference
            lengths.append(len(content) - 1)
        for length in lengths:
            path.write_bytes(content[:length])
            assert refusal_of_class(path, two_stages) == f"{path}: it is damaged or cut off: download it again"


def test_a_download_over_a_limit_is_refused(tmp_path, two_stages, monkeypatch):
    path = zipped(tmp_path / "a.zip", *((f"a_{number}_1_deal.c", bytes(2 << 20)) for number in range(10, 14)))
    monkeypatch.setattr(importing, "CLASS_RULES", msgspec.structs.replace(importing.CLASS_RULES, max_files=3))
    assert (
        refusal_of_class(path, two_stages) == f"{path}: it has more than 3 files: this is not the download of one class"
    )
    rules = msgspec.structs.replace(importing.CLASS_RULES, max_files=4, max_bytes=1 << 20)
    monkeypatch.setattr(importing, "CLASS_RULES", rules)
    assert refusal_of_class(path, two_stages) == f"{path}: it unpacks to more than 0 GB: give one class's download"


def write_hostile_archives(folder):
    """Write hostile archives of students; returns the expected problem of each, by the student's name."""
    zipped(folder / "outside.zip", ("../x.c", C))
    zipped(folder / "absolute.zip", ("/etc/x.c", C))
    zipped(folder / "bomb.zip", ("deal.c", bytes(65 << 20)))
    zipped(folder / "many.zip", *((f"{number}.c", "") for number in range(2001)))
    zipped(folder / "twice.zip", ("deal.c", "1"), ("deal.c", "2"))
    write_class_files(folder, {"damaged.zip": "PK", "wrong.7z": ""})
    with tarfile.open(folder / "circles.tar", "w", format=tarfile.GNU_FORMAT) as archive:
        for name, size in (("deal.c", 0), (".x", -512)):  # the negative size leads back to the same member
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


def test_a_hostile_archive_affects_only_its_own_student(tmp_path, two_stages, private_temporary_folder):
    class_folder = tmp_path / "class"
    problems = write_hostile_archives(class_folder)
    tarred(class_folder / "linked.tar", ("deal.c", C.encode()), ("passwd.c", None))
    zipped(class_folder / "screen.zip", ("\x1b[2Jx.c", ""), ("deal.c", C))
    write_class_files(class_folder, {"right/deal.c": C})
    before = resources_in_use()
    intake, files_by_name = import_and_read(class_folder, two_stages)
    assert {
        submission.person.name: submission.problem for submission in intake.submissions if submission.problem
    } == problems
    assert all(files_by_name[name] is None for name in problems)
    assert submission_of(intake, "linked").files == ("deal.c",)
    assert submission_of(intake, "screen").files == ("\\x1b[2Jx.c", "deal.c")
    assert submission_of(intake, "right").path == class_folder / "right"
    assert resources_in_use() == before
    assert list((tmp_path / "temporary").iterdir()) == []


def test_folders_nested_beyond_any_path_affect_only_their_own_student(tmp_path, two_stages):
    write_class_files(tmp_path, {"hw/ada/deal.c": "1", "hw/bob/deal.c": "2"})
    before = os.getcwd()
    os.chdir(tmp_path / "hw" / "bob")
    for _ in range(100):
        os.mkdir("x" * 50)
        os.chdir("x" * 50)
    os.chdir(before)
    with imported_class(tmp_path / "hw", two_stages) as intake:
        assert [(found.person.key, found.problem, found.files) for found in intake.submissions] == [
            ("ada", "", ("deal.c",)),
            ("bob", "", ("deal.c",)),
        ]


def test_too_many_files_are_a_problem_of_their_own_student_and_read_once(tmp_path, two_stages, monkeypatch):
    write_class_files(tmp_path, {"hw/ada/deal.c": "1", **{f"hw/bob/{number}.c": "" for number in range(MAX_FILES)}})
    comparisons = 0
    is_equal = PurePath.__eq__

    def count(path, other):
        nonlocal comparisons
        comparisons += 1
        return is_equal(path, other)

    monkeypatch.setattr(PurePath, "__eq__", count)
    with imported_class(tmp_path / "hw", two_stages) as intake:
        assert [(found.person.key, found.problem) for found in intake.submissions] == [
            ("ada", ""),
            ("bob", "It has 2,000 files or more."),
        ]
    assert comparisons < 10 * MAX_FILES


def test_a_damaged_archive_next_to_a_program_is_only_a_note(tmp_path, two_stages):
    write_class_files(tmp_path, {"a_1_10_deal.c": C, "a_1_11_old.zip": "PK"})
    intake, files_by_name = import_and_read(tmp_path, two_stages)
    assert set(files_by_name["a"]) == {"deal.c", "old.zip"}
    assert submission_of(intake, "a").notes == ("old.zip is damaged or cut off: it cannot be unpacked.",)


def test_a_full_disk_is_not_reported_as_a_problem_of_the_submission(tmp_path, two_stages, monkeypatch):
    zip_same_text(tmp_path / "ada.zip", "deal.c")
    write_class_files(tmp_path, {"bob/deal.c": C})

    def raise_disk_full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archives, "_open_target", raise_disk_full)
    assert refusal_of_class(tmp_path, two_stages, SessionError).startswith("ada.zip could not be unpacked: ")


@pytest.mark.parametrize("name", ["class", "hw.zip"])
def test_importing_leaves_no_files_or_processes_behind(tmp_path, two_stages, name, private_temporary_folder):
    write_class_files(tmp_path / "class", {"a_1_10_deal.c": C, "b_2_20_deal.c": C, "b_2_21_deck.h": C})
    zipped(tmp_path / "hw.zip", ("a_1_10_deal.c", C), ("b_2_20_deal.c", C))
    before = resources_in_use()
    with imported_class(tmp_path / name, two_stages) as intake:
        paths = [submission.path for submission in intake.submissions]
        assert all(path.exists() for path in paths)
    assert not any(path.exists() for path in paths)
    with pytest.raises(ZeroDivisionError), imported_class(tmp_path / name, two_stages):
        _ = 1 / 0
    assert resources_in_use() == before


def test_people_with_the_same_name_get_different_keys(tmp_path, two_stages):
    write_class_files(tmp_path, {"ada/deal.c": "1", "bob/deal.c": "2"})
    zip_same_text(tmp_path / "ada.zip", "deal.c")
    intake, _ = import_and_read(tmp_path, two_stages)
    assert len({submission.person.key for submission in intake.submissions}) == 3


def test_unusable_files_of_a_download_are_listed_with_the_reason(tmp_path, two_stages):
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
    intake, files_by_name = import_and_read(path, two_stages)
    assert files_by_name == {"a": {"deal.c": "1"}, "b": {"deal.c": "b"}}
    assert omitted_file_lines(intake) == (
        "a_1_10_deal.c: a second file of this name",
        "a_1_10_deal.c/inside.c: a second file of this name",
        f"{'x' * 300}: it cannot be unpacked: File name too long",
        f"{'z/' * 3000}z: its name is invalid",
    )


def test_file_names_in_a_download_are_read_in_any_encoding(tmp_path, two_stages):
    # Names in UTF-8 and in Latin-1 replace names of the same number of bytes, so the archive stays valid.
    content = zipped(tmp_path / "x.zip", ("mueller_1_10_deal.c", "1"), ("mXXller_2_20_deal.c", "2")).read_bytes()
    content = content.replace(b"mueller_", "müller_".encode()).replace(b"mXXller_", b"m\xfcXller_")
    (tmp_path / "hw.zip").write_bytes(content)
    _, files_by_name = import_and_read(tmp_path / "hw.zip", two_stages)
    assert files_by_name["müller"] == {"deal.c": "1"}
    assert len(files_by_name) == 2


def test_a_download_with_a_password_is_refused(tmp_path, two_stages):
    path = zipped(tmp_path / "a.zip", ("a_1_10_deal.c", "1" * 50))
    content = bytearray(path.read_bytes())
    # Bit 0 of the flags says that a file is encrypted; they are in the file's header and in the central directory.
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    assert refusal_of_class(path, two_stages) == f"{path}: it is locked with a password: unpack it, and give the folder"


def test_pipes_in_a_download_are_left_out(tmp_path, two_stages):
    path = tarred(tmp_path / "hw.tar", ("a_1_10_deal.c", b"1"))
    with tarfile.open(path, "a") as archive:
        member = tarfile.TarInfo("b_2_20_deal.c")
        member.type = tarfile.FIFOTYPE
        archive.addfile(member)
    intake, files_by_name = import_and_read(path, two_stages)
    assert files_by_name == {"a": {"deal.c": "1"}}
    assert omitted_file_lines(intake) == ("b_2_20_deal.c: not a regular file",)
    write_class_files(tmp_path / "class", {"a_1_10_deal.c": "1"})
    os.mkfifo(tmp_path / "class" / "b_2_20_deal.c")
    intake, _ = import_and_read(tmp_path / "class", two_stages)
    assert omitted_file_lines(intake) == ("b_2_20_deal.c: neither a file nor a folder",)


@pytest.mark.parametrize(
    ("number", "kind", "message"),
    [
        (errno.EACCES, UsageError, "{}/a_1_10_deal.c: the file cannot be read: Permission denied"),
        (errno.ENOSPC, SessionError, "a submission could not be copied: "),
    ],
)
def test_a_file_that_cannot_be_copied_is_reported(tmp_path, two_stages, monkeypatch, number, kind, message):
    write_class_files(tmp_path, {"a_1_10_deal.c": "1"})

    def raise_os_error(path, *_, **__):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(gathered_files.os, "link", raise_os_error)
    monkeypatch.setattr(gathered_files.shutil, "copyfile", raise_os_error)
    assert refusal_of_class(tmp_path, two_stages, kind).startswith(message.format(tmp_path))


def test_files_that_cannot_be_hard_linked_are_copied(tmp_path, two_stages, monkeypatch):
    def raise_cross_device_error(*_, **__):
        raise OSError(errno.EXDEV, "no link")

    monkeypatch.setattr(gathered_files.os, "link", raise_cross_device_error)
    write_class_files(tmp_path, {"a_1_10_deal.c": "1", "b_2_20_hw/src/deal.c": "2"})
    (tmp_path / "b_2_20_hw" / "link.c").symlink_to("/etc/passwd")
    _, files_by_name = import_and_read(tmp_path, two_stages)
    assert files_by_name == {"a": {"deal.c": "1"}, "b": {"hw/src/deal.c": "2"}}
