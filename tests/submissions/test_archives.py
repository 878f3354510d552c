import errno
import io
import lzma
import os
import random
import resource
import signal
import tarfile
import zipfile
import zlib
from contextlib import contextmanager, suppress

import msgspec
import pytest

from pitboss.errors import SessionError
from pitboss.submissions import archives
from pitboss.submissions.archives import STUDENT_RULES, ArchiveError, stem_of, unpack
from pitboss.submissions.importers.importing import CLASS_RULES
from pitboss.submissions.submission import open_submission
from pitboss.submissions.texts import texts_of
from tests.counted import resources_in_use
from tests.handed_in import tarred, zipped

#: Runs a test with the rules for one student and for a class, each with the sentence about a damaged archive.
with_both_rules = pytest.mark.parametrize(
    ("rules", "damaged"),
    [
        pytest.param(STUDENT_RULES, "a.tar is damaged or cut off: it cannot be unpacked.", id="student"),
        pytest.param(CLASS_RULES, "a.tar: it is damaged or cut off: download it again", id="class"),
    ],
)


def files_in(folder):
    """The contents of all files in a folder by relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("suffix", archives.SUFFIXES)
def test_every_kind_of_archive_is_unpacked(tmp_path, suffix):
    path = tmp_path / f"ada{suffix.upper() if suffix == '.zip' else suffix}"
    members = (("play.c", b"int main;"), ("src/deal.c", b"x" * 70000), ("empty.c", b""))
    if suffix == ".zip":
        zipped(path, *members)
    else:
        modes = {"gz": "w:gz", "tgz": "w:gz", "bz2": "w:bz2", "tbz2": "w:bz2", "xz": "w:xz", "txz": "w:xz"}
        tarred(path, *members, mode=modes.get(suffix.rpartition(".")[2], "w"))
    unpack(path, tmp_path / "into")
    assert files_in(tmp_path / "into") == dict(members)
    assert stem_of(path.name) == "ada"


def test_files_added_by_operating_systems_and_git_are_left_out(tmp_path):
    path = zipped(
        tmp_path / "a.zip",
        ("__MACOSX/._play.c", b"?"),
        (".DS_Store", b"?"),
        (".git/config", b"?"),
        ("play.c", b"1"),
        ("./x/play.c", b"2"),
    )
    unpack(path, tmp_path / "into")
    assert files_in(tmp_path / "into") == {"play.c": b"1", "x/play.c": b"2"}


def test_links_and_special_files_are_left_out(tmp_path):
    link = zipfile.ZipInfo("passwd")
    link.create_system, link.external_attr = 3, 0o120777 << 16  # Unix, and the mode of a symbolic link
    path = zipped(tmp_path / "a.zip", (link, "/etc/passwd"), ("play.c", b"1"))
    unpack(path, tmp_path / "zip")
    assert files_in(tmp_path / "zip") == {"play.c": b"1"}
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo(f"link{kind!r}")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        archive.addfile(tarfile.TarInfo("play.c"), io.BytesIO())
    unpack(tmp_path / "a.tar", tmp_path / "tar")
    assert files_in(tmp_path / "tar") == {"play.c": b""}


@pytest.mark.parametrize(
    ("name", "quoted_name"),
    [
        ("../x.c", "'../x.c'"),
        ("a/../../x.c", "'a/../../x.c'"),
        ("/etc/x.c", "'/etc/x.c'"),
        ("C:\\x.c", "'C:\\\\x.c'"),
        ("..\\x.c", "'..\\\\x.c'"),
        ("\\x.c", "'\\\\x.c'"),
    ],
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_path_that_leads_out_of_the_archive_is_refused(tmp_path, name, quoted_name, kind):
    make = zipped if kind == "zip" else tarred
    path = make(tmp_path / f"a.{kind}", (name, b"1"))
    with pytest.raises(ArchiveError) as refused:
        unpack(path, tmp_path / "in" / "to")
    assert (
        str(refused.value)
        == f"a.{kind} has a file {quoted_name}, whose path is outside the archive: create the archive again."
    )
    assert files_in(tmp_path / "in") == {}


def test_file_names_in_other_encodings_and_with_backslashes_are_read(tmp_path):
    raw = zipped(tmp_path / "raw.zip", ("grussX.c", b"1"), ("src\\deal.c", b"2")).read_bytes()
    (tmp_path / "a.zip").write_bytes(raw.replace(b"grussX.c", "grüs.cc".encode()))  # eight bytes too, in UTF-8
    unpack(tmp_path / "a.zip", tmp_path / "into")
    assert files_in(tmp_path / "into") == {"grüs.cc": b"1", "src/deal.c": b"2"}
    (tmp_path / "b.zip").write_bytes(raw.replace(b"grussX.c", b"gr\xfcss\xe9.c"))
    unpack(tmp_path / "b.zip", tmp_path / "other")
    assert len(files_in(tmp_path / "other")) == 2
    with tarfile.open(tmp_path / "l.tar", "w", encoding="latin-1") as archive:
        archive.addfile(tarfile.TarInfo("gr\xfcs.c"), io.BytesIO())
    unpack(tmp_path / "l.tar", tmp_path / "latin")
    assert len(files_in(tmp_path / "latin")) == 1


def test_two_files_of_one_name_are_refused_unless_they_are_equal(tmp_path):
    unpack(zipped(tmp_path / "same.zip", ("play.c", b"1"), ("play.c", b"1")), tmp_path / "same")
    with pytest.raises(ArchiveError, match=r"^a\.zip has two different files play\.c: hand in one of them\.$"):
        unpack(zipped(tmp_path / "a.zip", ("play.c", b"1"), ("play.c", b"2")), tmp_path / "into")


def test_an_archive_with_a_password_is_reported(tmp_path):
    raw = bytearray(zipped(tmp_path / "a.zip", ("play.c", b"1" * 50)).read_bytes())
    raw[6] |= 1  # the flag for encryption, in the header of the file and in the directory
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(raw)
    with pytest.raises(ArchiveError, match=r"^a\.zip is locked with a password: hand it in without a password\.$"):
        unpack(tmp_path / "a.zip", tmp_path / "into")


def test_archives_that_unpack_to_too_many_bytes_are_stopped_early(tmp_path):
    rules = msgspec.structs.replace(STUDENT_RULES, max_bytes=1 << 20)
    sentence = "unpacks to more than 1 MB: hand in only the programs."
    bomb = bytes(9 << 20)
    for path in (
        zipped(tmp_path / "a.zip", ("zeros.c", bomb)),
        zipped(tmp_path / "b.zip", *((f"{number}.c", bytes(1 << 18)) for number in range(5))),
        *(tarred(tmp_path / f"a.tar.{kind}", ("zeros.c", bomb), mode=f"w:{kind}") for kind in ("gz", "bz2", "xz")),
        tarred(tmp_path / "a.tar", ("zeros.c", bomb)),
        tarred(tmp_path / "hidden.tar.gz", (".zeros", bomb), mode="w:gz"),
    ):
        with pytest.raises(ArchiveError) as refused:
            unpack(path, tmp_path / f"into {path.name}", rules)
        assert str(refused.value) == f"{path.name} {sentence}"
        assert sum(map(len, files_in(tmp_path / f"into {path.name}").values())) <= 1 << 20


def test_more_than_two_thousand_files_are_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", *((f"{number}.c", b"") for number in range(2001)))
    with pytest.raises(ArchiveError, match=r"^a\.zip has more than 2000 files: hand in only the programs\.$"):
        unpack(path, tmp_path / "into")


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_an_archive_that_is_cut_off_anywhere_is_reported(tmp_path, suffix):
    """The files before the cut may be complete, but others are missing."""
    members = [(f"{number}.c", bytes((number * 7 + index * 31) % 256 for index in range(3000))) for number in range(3)]
    if suffix == ".zip":
        complete = zipped(tmp_path / "w", *members).read_bytes()
    else:
        mode = "w" + suffix.removeprefix(".tar").replace(".", ":")
        complete = tarred(tmp_path / "w", *members, mode=mode).read_bytes()
    data_length = len(complete) - (10240 if suffix == ".tar" else 0)  # a tar file is filled up with zeros
    lengths = {0, 1, 2, 10, 30, 100, 512, 513, 3584, 4096, data_length // 2, data_length - 200, data_length - 1}
    for length in sorted(length for length in lengths if 0 <= length < len(complete)):
        path = tmp_path / f"a{suffix}"
        path.write_bytes(complete[:length])
        with pytest.raises(ArchiveError) as refused:
            unpack(path, tmp_path / f"into{length}")
        assert str(refused.value) == f"a{suffix} is damaged or cut off: it cannot be unpacked.", length


@pytest.mark.parametrize("first_bytes", [b"Rar!\x1a\x07\x01\x00", b"7z\xbc\xaf\x27\x1c\0\4"])
def test_another_kind_of_archive_named_zip_is_not_reported_as_damaged(tmp_path, first_bytes):
    (tmp_path / "a.zip").write_bytes(first_bytes + bytes(100))
    with pytest.raises(ArchiveError, match=r"^a\.zip has a format that cannot be unpacked here: "):
        unpack(tmp_path / "a.zip", tmp_path / "into")


def test_a_randomly_changed_archive_raises_no_other_exception(tmp_path):
    """An archive is either unpacked or refused by an ArchiveError with a sentence about this archive."""
    rng = random.Random(5)
    originals = [
        (".zip", zipped(tmp_path / "w.zip", ("a/play.c", b"int main;" * 40), ("deal.c", b"x" * 300)).read_bytes()),
        (".tar.gz", tarred(tmp_path / "w.tgz", ("a/play.c", b"int main;" * 40), mode="w:gz").read_bytes()),
        (".tar", tarred(tmp_path / "w.tar", ("a/play.c", b"int main;" * 40)).read_bytes()[:2048]),
    ]
    refusals = []
    for number in range(400):
        suffix, original = originals[number % 3]
        changed = bytearray(original)
        for _ in range(rng.randrange(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        path = tmp_path / f"{number}{suffix}"
        path.write_bytes(changed)
        try:
            unpack(path, tmp_path / "out" / str(number))
        except ArchiveError as error:
            refusals.append((path.name, str(error)))
    assert len(refusals) > 100
    assert all(message.startswith(name) for name, message in refusals)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["out"]  # nothing was written elsewhere


def test_archives_of_an_unknown_format_are_reported(tmp_path):
    (tmp_path / "a.rar").write_bytes(b"Rar!")
    with pytest.raises(ArchiveError, match=r"^a\.rar has a format that cannot be unpacked here: hand in a \.zip file"):
        unpack(tmp_path / "a.rar", tmp_path / "into")
    (tmp_path / "a.zip").write_bytes(b"this is no archive " + zlib.compress(b"x"))
    with pytest.raises(ArchiveError, match=r"^a\.zip is damaged or cut off: it cannot be unpacked\.$"):
        unpack(tmp_path / "a.zip", tmp_path / "into")


def tar_header(name, size=0, kind=tarfile.REGTYPE, **bytes_at):
    """The header of a file in a tar archive. The size may be negative; `_482=1` sets the byte at offset 482 to 1."""
    member = tarfile.TarInfo(name)
    member.type = kind
    block = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = b"\xff" + (256**11 + size).to_bytes(11, "big") if size < 0 else b"%011o\0" % size
    for key, value in bytes_at.items():
        block[int(key[1:])] = value
    block[148:156] = b" " * 8  # the checksum is computed with blanks in its own field
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


#: Two empty blocks.
END_OF_TAR = bytes(1024)
SLOW_HEADER_TEXT = b"1" * 4096
HOSTILE_TARS = {
    "a header that leads back": tar_header("a.c") + tar_header(".x", -512) + END_OF_TAR,
    "a link that leads back": tar_header("a.c")
    + tar_header("x", -512, b"9")
    + tar_header("x", -1024, b"9")
    + END_OF_TAR,
    # The byte at 482 says that the map goes on in the next block.
    "a map of a sparse file that is cut off": tar_header("a.c") + tar_header("x", 0, tarfile.GNUTYPE_SPARSE, _482=1),
    "an endless extended header": tar_header("x", 1 << 40, tarfile.XHDTYPE) + b"1" * (1 << 20),
    "a long extended header": tar_header("x", 1 << 20, tarfile.XHDTYPE)
    + b"1" * (1 << 20)
    + tar_header("a.c")
    + END_OF_TAR,
    "many slow headers": 9000 * (tar_header("x", 4096, tarfile.XHDTYPE) + SLOW_HEADER_TEXT + tar_header(".x"))
    + END_OF_TAR,
    "a file that is longer than the archive": tar_header("a.c", 5000) + b"1" * 700,
    "something after the end": tar_header("a.c") + END_OF_TAR + tar_header("b.c") + END_OF_TAR,
}


@contextmanager
def time_limit(seconds):
    """Fail if the body of the `with` statement takes longer."""

    def fail(*_):
        raise AssertionError("it does not end")

    previous_handler = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous_handler)


@with_both_rules
@pytest.mark.parametrize("name", HOSTILE_TARS)
def test_a_misleading_tar_file_is_reported_as_damaged(tmp_path, rules, damaged, name):
    """On such files, the tarfile module alone loops for ever, takes hours, or raises unexpected exceptions."""
    rules = msgspec.structs.replace(rules, max_files=40)
    (tmp_path / "a.tar").write_bytes(HOSTILE_TARS[name])
    before = resources_in_use()
    with pytest.raises(ArchiveError) as refused, time_limit(60):
        unpack(tmp_path / "a.tar", tmp_path / "into", rules)
    assert str(refused.value).removeprefix(f"{tmp_path}/") == damaged
    assert resources_in_use() == before


def test_long_names_and_many_headers_are_accepted(tmp_path):
    members = {f"{'folder/' * 90}{number}.c": b"1" for number in range(1990)}
    for kind, format_code in {"pax": tarfile.PAX_FORMAT, "gnu": tarfile.GNU_FORMAT}.items():
        with tarfile.open(tmp_path / f"{kind}.tar", "w", format=format_code) as archive:
            for name, content in members.items():
                member = tarfile.TarInfo(name)
                member.size, member.mtime = 1, 1.5
                archive.addfile(member, io.BytesIO(content))
        assert unpack(tmp_path / f"{kind}.tar", tmp_path / kind) == []  # nothing is left out
        assert files_in(tmp_path / kind) == members


@with_both_rules
@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_a_wrong_checksum_is_reported_as_damage(tmp_path, rules, damaged, mode):
    archive_bytes = bytearray(tarred(tmp_path / "a.tar", ("play.c", b"int main;" * 99), mode=mode).read_bytes())
    archive_bytes[-8 if mode == "w:gz" else -20] ^= 1
    (tmp_path / "a.tar").write_bytes(archive_bytes)
    with pytest.raises(ArchiveError) as refused:
        unpack(tmp_path / "a.tar", tmp_path / "into", rules)
    assert str(refused.value).removeprefix(f"{tmp_path}/") == damaged


def test_an_xz_file_may_have_several_streams(tmp_path):
    """As written by programs that compress in parallel."""
    tar_bytes = tarred(tmp_path / "a.tar", ("play.c", b"int main;" * 999)).read_bytes()
    (tmp_path / "a.tar.xz").write_bytes(lzma.compress(tar_bytes[:5000]) + lzma.compress(tar_bytes[5000:]))
    unpack(tmp_path / "a.tar.xz", tmp_path / "into")
    assert files_in(tmp_path / "into") == {"play.c": b"int main;" * 999}


def test_an_xz_file_that_asks_for_4_gb_of_memory_does_not_get_them(tmp_path):
    packed = bytearray(lzma.compress(tarred(tmp_path / "a.tar", ("play.c", bytes(1 << 20))).read_bytes(), preset=0))
    start, end = 12, 12 + (packed[12] + 1) * 4  # of the block header, whose first byte is its length
    packed[packed.index(b"\x21\x01", start, end) + 2] = 40  # the code of a dictionary of 4 GB
    packed[end - 4 : end] = zlib.crc32(bytes(packed[start : end - 4])).to_bytes(4, "little")
    (tmp_path / "a.tar.xz").write_bytes(packed)
    memory_before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(ArchiveError):  # raised where the system does not overcommit memory
        unpack(tmp_path / "a.tar.xz", tmp_path / "into")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory_before_kb < 200 << 10


def test_a_zip_file_whose_members_begin_before_it_is_damaged(tmp_path):
    archive_bytes = bytearray(zipped(tmp_path / "a.zip", ("play.c", b"1")).read_bytes())
    entry = archive_bytes.index(b"PK\x01\x02")
    end = archive_bytes.index(b"PK\x05\x06")
    # The offset of the directory, 99 too large: zipfile then subtracts 99 from the offsets of all members.
    archive_bytes[end + 16 : end + 20] = (entry + 99).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(archive_bytes)
    with pytest.raises(ArchiveError, match=r"^a\.zip is damaged or cut off: it cannot be unpacked\.$"):
        unpack(tmp_path / "a.zip", tmp_path / "into")


def test_a_file_and_a_folder_of_one_name_are_refused(tmp_path):
    for number, names in enumerate([("a.c", "a.c/b.c"), ("a.c/b.c", "a.c"), ("a.c", "a.c/b/c.c")]):
        path = zipped(tmp_path / f"{number}.zip", *((name, b"1") for name in names))
        with pytest.raises(ArchiveError) as refused:
            unpack(path, tmp_path / str(number))
        assert str(refused.value) == f"{number}.zip has two different files {names[1]}: hand in one of them."


@pytest.mark.parametrize("content", ["1", "12", "", "2"])
def test_in_a_class_the_first_of_two_files_of_one_name_is_used(tmp_path, content):
    path = zipped(tmp_path / "hw.zip", ("a.c", "1"), ("a.c", content), ("b.c", "b"))
    left_out = [] if content == "1" else [("a.c", "a second file of this name")]
    assert unpack(path, tmp_path / "into", CLASS_RULES) == left_out
    assert files_in(tmp_path / "into") == {"a.c": b"1", "b.c": b"b"}


def test_a_full_disk_is_not_reported_as_a_fault_of_the_archive(tmp_path, two_stages, monkeypatch):
    zipped(tmp_path / "in" / "ada.zip", ("more.c", "1"))

    def fail_with_full_disk(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(archives, "_open_target", fail_with_full_disk)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    before = resources_in_use()
    for path in (tmp_path / "in" / "ada.zip", tmp_path / "in"):
        with pytest.raises(SessionError) as refused, open_submission(path) as submission:
            submission.sources(two_stages)
        assert list((tmp_path / "temporary").iterdir()) == []
        assert str(refused.value).startswith("ada.zip could not be unpacked: No space left on device — ")
    assert texts_of(tmp_path / "in" / "ada.zip") == ()
    assert resources_in_use() == before
