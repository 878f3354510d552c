"""What students pack is unpacked, and nothing of it leaves its folder; what is unfit is told in a sentence."""

import io
import tarfile
import zipfile
import zlib

import pytest

from pitboss.harness.submissions import archives
from pitboss.harness.submissions.archives import ArchiveError, stem_of, unpack
from tests.handed_in import tarred, zipped


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("suffix", archives.SUFFIXES)
def test_every_kind_is_unpacked(tmp_path, suffix):
    path = tmp_path / f"ada{suffix.upper() if suffix == '.zip' else suffix}"
    members = (("play.c", b"int main;"), ("src/deal.c", b"x" * 70000), ("empty.c", b""))
    if suffix == ".zip":
        zipped(path, *members)
    else:
        kind = {"gz": "w:gz", "tgz": "w:gz", "bz2": "w:bz2", "tbz2": "w:bz2", "xz": "w:xz", "txz": "w:xz"}
        tarred(path, *members, mode=kind.get(suffix.rpartition(".")[2], "w"))
    unpack(path, tmp_path / "into")
    assert files_in(tmp_path / "into") == dict(members)
    assert stem_of(path.name) == "ada"


def test_what_systems_add_is_left_out(tmp_path):
    path = zipped(
        tmp_path / "a.zip",
        ("__MACOSX/._play.c", b"?"),
        (".DS_Store", b"?"),
        (".git/config", b"?"),
        ("play.c", b"1"),
        ("./x/../play.c".replace("/../", "/"), b"2"),
    )
    unpack(path, tmp_path / "into")
    assert files_in(tmp_path / "into") == {"play.c": b"1", "x/play.c": b"2"}


def test_links_are_left_out(tmp_path):
    link = zipfile.ZipInfo("passwd")
    link.create_system, link.external_attr = 3, 0o120777 << 16
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
    ("name", "shown"),
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
def test_a_file_that_lies_outside_is_refused(tmp_path, name, shown, kind):
    make = zipped if kind == "zip" else tarred
    path = make(tmp_path / f"a.{kind}", (name, b"1"))
    with pytest.raises(ArchiveError) as refused:
        unpack(path, tmp_path / "in" / "to")
    assert str(refused.value) == f"a.{kind} has a file {shown}, which lies outside of it: make the archive again."
    assert files_in(tmp_path / "in") == {}


def test_names_are_read_whatever_wrote_them(tmp_path):
    raw = zipped(tmp_path / "raw.zip", ("grussX.c", b"1"), ("src\\deal.c", b"2")).read_bytes()
    (tmp_path / "a.zip").write_bytes(raw.replace(b"grussX.c", "grüs.c".encode() + b"c"))
    unpack(tmp_path / "a.zip", tmp_path / "into")
    assert files_in(tmp_path / "into") == {"grüs.cc": b"1", "src/deal.c": b"2"}
    (tmp_path / "b.zip").write_bytes(raw.replace(b"grussX.c", b"gr\xfcss\xe9.c"))
    unpack(tmp_path / "b.zip", tmp_path / "other")
    assert len(files_in(tmp_path / "other")) == 2
    latin = tarred(tmp_path / "l.tar", ("grussX.c", b"1")).read_bytes()
    with tarfile.open(tmp_path / "l.tar", "w", encoding="latin-1") as archive:
        archive.addfile(tarfile.TarInfo("gr\xfcs.c"), io.BytesIO())
    unpack(tmp_path / "l.tar", tmp_path / "latin")
    assert len(files_in(tmp_path / "latin")) == 1
    assert latin


def test_a_name_that_is_there_twice_is_refused_unless_it_is_the_same_file(tmp_path):
    unpack(zipped(tmp_path / "same.zip", ("play.c", b"1"), ("play.c", b"1")), tmp_path / "same")
    with pytest.raises(ArchiveError, match=r"^a\.zip has two different files play\.c: hand in one of them\.$"):
        unpack(zipped(tmp_path / "a.zip", ("play.c", b"1"), ("play.c", b"2")), tmp_path / "into")


def test_one_with_a_password_is_told(tmp_path):
    raw = bytearray(zipped(tmp_path / "a.zip", ("play.c", b"1" * 50)).read_bytes())
    raw[6] |= 1
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(raw)
    with pytest.raises(ArchiveError, match=r"^a\.zip is locked with a password: hand in one that is not\.$"):
        unpack(tmp_path / "a.zip", tmp_path / "into")


def test_bombs_are_stopped_early(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 20)
    sentence = "unpacks to more than 1 MB: hand in only the programs."
    bomb = bytes(9 << 20)
    for path in (
        zipped(tmp_path / "a.zip", ("zeros.c", bomb)),
        zipped(tmp_path / "b.zip", *((f"{number}.c", bytes(1 << 18)) for number in range(5))),
        *(tarred(tmp_path / f"a.tar.{kind}", ("zeros.c", bomb), mode=f"w:{kind}") for kind in ("gz", "bz2", "xz")),
        tarred(tmp_path / "a.tar", ("zeros.c", bomb)),
    ):
        with pytest.raises(ArchiveError) as refused:
            unpack(path, tmp_path / f"into {path.name}")
        assert str(refused.value) == f"{path.name} {sentence}"
        assert sum(map(len, files_in(tmp_path / f"into {path.name}").values())) <= 1 << 20


def test_ten_thousand_files_are_too_many(tmp_path):
    path = zipped(tmp_path / "a.zip", *((f"{number}.c", b"") for number in range(2001)))
    with pytest.raises(ArchiveError, match=r"^a\.zip has more than 2000 files: hand in only the programs\.$"):
        unpack(path, tmp_path / "into")


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_one_that_is_cut_off_anywhere_is_told(tmp_path, suffix):
    """Wherever it is cut: the files before it may be whole, but not all are there."""
    members = [(f"{number}.c", bytes((number * 7 + place * 31) % 256 for place in range(3000))) for number in range(3)]
    mode = f"w:{suffix[5:]}" if len(suffix) > 4 else "w"
    whole = (
        zipped(tmp_path / "w", *members) if suffix == ".zip" else tarred(tmp_path / "w", *members, mode=mode)
    ).read_bytes()
    last = len(whole) - (10240 if suffix == ".tar" else 0)
    for length in sorted({0, 1, 2, 10, 30, 100, 512, 513, 3584, 4096, last // 2, last - 200, last - 1}):
        path = tmp_path / f"a{suffix}"
        path.write_bytes(whole[: min(max(length, 0), len(whole) - 1)])
        with pytest.raises(ArchiveError) as refused:
            unpack(path, tmp_path / f"into{length}")
        assert str(refused.value) == f"a{suffix} is damaged or cut off: it cannot be unpacked.", length


def test_one_that_is_changed_anywhere_never_raises_anything_else(tmp_path):
    import random

    chance = random.Random(5)
    wholes = [
        (".zip", zipped(tmp_path / "w.zip", ("a/play.c", b"int main;" * 40), ("deal.c", b"x" * 300)).read_bytes()),
        (".tar.gz", tarred(tmp_path / "w.tgz", ("a/play.c", b"int main;" * 40), mode="w:gz").read_bytes()),
        (".tar", tarred(tmp_path / "w.tar", ("a/play.c", b"int main;" * 40)).read_bytes()[:2048]),
    ]
    refusals = []
    for number in range(400):
        suffix, whole = wholes[number % 3]
        changed = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        path = tmp_path / f"{number}{suffix}"
        path.write_bytes(changed)
        try:
            unpack(path, tmp_path / "out" / str(number))
        except ArchiveError as refused:
            refusals.append((path.name, str(refused)))
    assert len(refusals) > 100
    assert all(said.startswith(name) for name, said in refusals)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["out"]


def test_what_cannot_be_unpacked_here_is_told(tmp_path):
    (tmp_path / "a.rar").write_bytes(b"Rar!")
    with pytest.raises(ArchiveError, match=r"^a\.rar cannot be unpacked here: hand in a \.zip instead\.$"):
        unpack(tmp_path / "a.rar", tmp_path / "into")
    (tmp_path / "a.zip").write_bytes(b"this is no archive " + zlib.compress(b"x"))
    with pytest.raises(ArchiveError, match=r"^a\.zip is damaged or cut off: it cannot be unpacked\.$"):
        unpack(tmp_path / "a.zip", tmp_path / "into")
