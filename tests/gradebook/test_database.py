"""The file of a gradebook: what is opened and what is not, in whose hands, and how old ones become new."""

import contextlib
import os
import sqlite3
import stat
import zlib

import msgspec
import pytest

from pitboss.compare.results import Report
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.compare.verdicts import Verdict
from pitboss.errors import SessionError, UsageError
from pitboss.gradebook import database
from pitboss.gradebook.database import Database
from pitboss.gradebook.packing import unpacked
from pitboss.gradebook.schema import APPLICATION, VERSIONS
from pitboss.reports.finding_sentences import note_of, stage_summary, summary_of
from tests.counted import counted


@pytest.fixture
def path(tmp_path):
    return tmp_path / "class.gradebook"


def made(path, *versions):
    Database(path, versions or VERSIONS, may_be_new=True).close()
    return path


def refusal(path, **more):
    with pytest.raises((UsageError, SessionError)) as caught:
        Database(path, **more)
    return str(caught.value)


def test_a_new_one_can_be_read_by_its_owner_alone(path):
    before = counted()
    database = Database(path, may_be_new=True)
    database.add("INSERT INTO class VALUES ('assignment', 'blackjack')", ())
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
    database.close()
    assert set(modes.values()) == {0o600}
    assert [one.name for one in path.parent.iterdir()] == ["class.gradebook"]
    assert counted() == before


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o777])
def test_whatever_the_mask_of_the_user_says(path, mask):
    before = os.umask(mask)
    try:
        if mask == 0o777 and os.geteuid() != 0:
            assert "the gradebook cannot be opened" in refusal(path, may_be_new=True)
            return
        made(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_none_is_made_where_none_is_asked_for(path):
    assert refusal(path) == f"{path}: there is no such gradebook; `pitboss grade` creates one"
    assert not path.exists()


def test_a_folder_is_none(tmp_path):
    assert refusal(tmp_path) == f"{tmp_path}: the gradebook cannot be opened: Is a directory"


def test_a_folder_that_is_missing_is_reported(tmp_path):
    path = tmp_path / "nowhere" / "class"
    assert refusal(path, may_be_new=True) == f"{path}: there is no such folder"


def test_a_text_is_none_and_stays_what_it_is(path):
    path.write_text("name,score\nada,100\n" * 100)
    assert refusal(path, may_be_new=True) == f"{path}: this is not a gradebook; name another file"
    assert path.read_text() == "name,score\nada,100\n" * 100


def test_a_database_of_others_is_none_and_stays_what_it_is(path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE students (name TEXT)")
    other.close()
    before = path.read_bytes()
    assert refusal(path) == f"{path}: this is a database, but not a gradebook of pitboss; name another file"
    assert path.read_bytes() == before


def test_one_of_a_later_version_is_not_touched(path):
    made(path, *VERSIONS, "CREATE TABLE later (one TEXT);")
    before = path.read_bytes()
    assert refusal(path) == (
        f"{path}: this gradebook is of version {len(VERSIONS) + 1}, and this pitboss supports version {len(VERSIONS)}; "
        "use the pitboss that wrote it, or a later one"
    )
    assert path.read_bytes() == before


def test_one_that_was_cut_off_is_damaged(path):
    made(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert refusal(path) == (
        f"{path}: the gradebook is damaged (database disk image is malformed); restore an earlier copy"
    )


def test_an_old_one_is_brought_to_this_version_whole(path):
    made(path, "CREATE TABLE one (name TEXT);")
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO one VALUES ('ada')")
    database.close()
    new = ("CREATE TABLE one (name TEXT);", "ALTER TABLE one ADD COLUMN score TEXT;\nUPDATE one SET score = '7/2';")
    opened = Database(path, new)
    assert opened.rows("SELECT * FROM one") == [("ada", "7/2")]
    assert opened.rows("PRAGMA user_version") == [(2,)]
    assert opened.rows("PRAGMA application_id") == [(APPLICATION,)]
    opened.close()


def test_or_not_at_all(path):
    made(path, "CREATE TABLE one (name TEXT);")
    with pytest.raises(sqlite3.OperationalError):
        Database(
            path, ("CREATE TABLE one (name TEXT);", "CREATE TABLE two (name TEXT);\nCREATE TABLE one (name TEXT);")
        )
    database = Database(path, ("CREATE TABLE one (name TEXT);",))
    assert database.rows("SELECT name FROM sqlite_master WHERE type = 'table'") == [("one",)]
    database.close()


def test_a_transaction_is_whole_or_nothing(path):
    database = Database(path, may_be_new=True)

    def fails():
        with database.writing():
            database.add("INSERT INTO class VALUES ('assignment', 'blackjack')", ())
            with database.writing():
                database.add("INSERT INTO class VALUES ('due', '2026-09-04')", ())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert database.rows("SELECT * FROM class") == []
    with database.writing():
        database.add("INSERT INTO class VALUES ('due', '2026-09-04')", ())
    assert database.rows("SELECT * FROM class") == [("due", "2026-09-04")]
    database.close()


def test_a_full_disk_is_a_fault_and_loses_nothing(path):
    database = Database(path, may_be_new=True)
    database.rows(f"PRAGMA max_page_count = {path.stat().st_size // 4096 + 1}")
    with pytest.raises(SessionError) as caught, database.writing():
        database.add("INSERT INTO class VALUES (?, ?)", ("notes", "x" * 100_000))
    assert str(caught.value) == f"{path}: the gradebook cannot be written: database or disk is full"
    assert database.rows("SELECT * FROM class") == []
    database.close()


def test_one_that_another_program_writes_to_for_long_is_a_fault(path, monkeypatch):
    made(path)
    monkeypatch.setattr(database, "_BUSY_TIMEOUT_S", 0.0)
    with contextlib.closing(Database(path)) as one, contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SessionError) as caught, one.writing():
            pass
    assert str(caught.value) == f"{path}: another program has been writing to it for over 0 s"


def test_what_sqlite_does_not_wait_for_is_asked_again_soon(path, monkeypatch):
    slept, answers = [], [sqlite3.OperationalError(), sqlite3.OperationalError(), None]
    for error, name in zip(answers, ("SQLITE_BUSY", "SQLITE_LOCKED"), strict=False):
        error.sqlite_errorname = name

    class Busy:
        def execute(self, statement):
            if (error := answers.pop(0)) is not None:
                raise error

    made(path)
    with contextlib.closing(Database(path)) as one:
        connection = one._connection
        one._connection = Busy()
        monkeypatch.setattr(database.time, "sleep", slept.append)
        one._write_ahead()
        one._connection = connection
    assert (slept, answers) == ([0.01, 0.01], [])


def test_every_table_is_checked_by_sqlite_itself(path):
    made(path)
    database = Database(path)
    assert database.rows("PRAGMA integrity_check") == [("ok",)]
    assert database.rows("PRAGMA foreign_key_check") == []
    assert database.rows("PRAGMA journal_mode") == [("wal",)]
    assert database.rows("PRAGMA synchronous") == [(2,)]
    database.close()


def test_an_empty_file_is_none_and_becomes_one_only_where_one_is_made(path):
    path.touch(0o644)
    assert refusal(path) == f"{path}: this file is empty; `pitboss grade` creates a gradebook"
    assert path.read_bytes() == b""
    made(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("size", [1, 2, 14, 15, 16, 99, 100, 511, 512, 4096])
@pytest.mark.parametrize("of", [b"x", b"\0", b"SQLite format 3\0"])
def test_a_file_of_something_else_is_left_as_it_is_however_short(path, size, of):
    content = (of * size)[:size]
    path.write_bytes(content)
    path.chmod(0o644)
    for may_be_new in (False, True):
        with pytest.raises(
            UsageError, match=r": this is not a gradebook; name another file$|: the gradebook is damaged"
        ):
            Database(path, may_be_new=may_be_new)
        assert path.read_bytes() == content
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


def upgraded(path, version, *reports):
    """Pairs of a packed report without and with transcripts: stored by this version, read with the current one."""
    made(path, *VERSIONS[:version])
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO person VALUES ('ada', 'Ada', x'00')")
        database.execute("INSERT INTO submission VALUES (1, 'ada', 'p', NULL, x'00')")
        for light, whole in reports:
            database.execute("INSERT INTO report VALUES (NULL, 1, 'a', 'q', 'p', 0, ?, ?, 'now')", (light, whole))
    database.close()
    with contextlib.closing(Database(path)) as opened:
        return opened.rows("SELECT light, whole FROM report ORDER BY id")


def test_a_report_of_version_2_has_its_cases_and_seeds_in_this_one(path):
    """A result had the name of its session alone: a case with several sessions would count as several cases."""
    names = ["two doors", "a hundred games, seed -3", "games #12", "odd\nname #3"]
    results = [{"stage": "play", "case": name, "verdict": "ACCEPTED"} for name in names]
    old = zlib.compress(msgspec.msgpack.encode({"stages": [{"stage": "play", "results": results}]}))
    (light, whole), damaged = upgraded(path, 2, (old, old), (b"\0", old[:-9]))
    assert light == whole
    assert damaged == (b"\0", old[:-9])
    (stage,) = msgspec.msgpack.decode(zlib.decompress(light))["stages"]
    found = [(one["case"], one.get("seed"), one.get("number", 0)) for one in stage["results"]]
    assert found == [("two doors", None, 0), ("a hundred games", -3, 0), ("games", None, 12), ("odd\nname", None, 3)]


def test_a_report_of_version_3_says_what_it_said(path):
    """A result had a sentence, and has what was found."""
    summaries = ["", "Line 2 is “a” where “b” is expected."]
    results = [{"stage": "play", "case": "one", "verdict": "WRONG_ANSWER", "summary": one} for one in summaries]
    nothing = {"expected": {"events": []}, "actual": {"events": []}}
    failed = {
        "stage": "play",
        "title": "Play",
        "verdict": "WRONG_ANSWER",
        "results": [one | nothing for one in results],
    }
    skipped = {
        "stage": "bet",
        "title": "Bet",
        "verdict": "SKIPPED",
        "summary": "Skipped: bet needs play.",
        "results": [],
    }
    stages = [failed, skipped]
    report = {"assignment": "a", "title": "A", "submission": "ada", "stages": stages}
    old = zlib.compress(msgspec.msgpack.encode(report))
    ((light, whole),) = upgraded(path, 3, (old, old))
    for content in (light, whole):
        play, bet = unpacked(content, Report).stages
        assert [summary_of(one) for one in play.results] == summaries
        assert (note_of(play), note_of(bet)) == ("", "bet needs play.")
        assert stage_summary(bet) == "Skipped: bet needs play."


def test_a_report_of_version_4_has_the_new_names(path):
    """Two fields of a stage and a verdict were renamed."""
    nothing = {"expected": {"events": []}, "actual": {"events": []}}
    result = {"stage": "own", "case": "a", "verdict": "FOR_A_PERSON", **nothing}
    own = {"stage": "own", "title": "Own", "verdict": "FOR_A_PERSON", "results": [result], "is_for_person": True}
    text = {"name": "goodbye", "expected": "Bye.", "text": b"So long."}
    play = {"stage": "play", "title": "Play", "verdict": "ACCEPTED", "results": [], "taken": [text]}
    report = {"assignment": "a", "title": "A", "submission": "ada", "stages": [play, own]}
    old = zlib.compress(msgspec.msgpack.encode(report))
    ((light, whole),) = upgraded(path, 4, (old, old))
    for content in (light, whole):
        play_now, own_now = unpacked(content, Report).stages
        assert play_now.accepted_differences == (AcceptedDifference("goodbye", "Bye.", b"So long."),)
        assert (own_now.is_manual, own_now.verdict) == (True, Verdict.NEEDS_REVIEW)
        assert [one.verdict for one in own_now.results] == [Verdict.NEEDS_REVIEW]


@pytest.fixture
def write_protected(monkeypatch):
    """Files as they are for somebody who may not write them: root may write all."""
    monkeypatch.setattr(database, "_is_writable", lambda path: False)


def test_one_that_cannot_be_written_is_read_and_stays_what_it_is(path, write_protected):
    with contextlib.closing(Database(path, may_be_new=True)) as one:
        one.add("INSERT INTO class VALUES ('assignment', 'blackjack')", ())
    before = path.read_bytes()
    with contextlib.closing(Database(path)) as one:
        assert (one.is_read_only, one.rows("SELECT * FROM class")) == (True, [("assignment", "blackjack")])
        assert [beside.name for beside in path.parent.iterdir()] == [path.name]
        with pytest.raises(UsageError) as caught, one.writing():
            pass
    assert str(caught.value) == f"{path}: this gradebook is write-protected: it can be read, but not changed"
    assert path.read_bytes() == before


def test_what_another_program_has_written_ahead_is_read(path, write_protected):
    with contextlib.closing(Database(path, may_be_new=True)) as writer:
        writer.add("INSERT INTO class VALUES ('assignment', 'blackjack')", ())
        with contextlib.closing(Database(path)) as one:
            assert one.rows("SELECT * FROM class") == [("assignment", "blackjack")]


def test_an_old_one_that_cannot_be_written_is_read_as_one_of_this_version(path, write_protected):
    made(path, "CREATE TABLE one (name TEXT);")
    before = path.read_bytes()
    new = ("CREATE TABLE one (name TEXT);", "ALTER TABLE one ADD COLUMN score TEXT;")
    with contextlib.closing(Database(path, new)) as one:
        assert one.rows("SELECT score FROM one") == []
        with pytest.raises(UsageError, match="write-protected"), one.writing():
            pass
    assert path.read_bytes() == before


def test_one_that_is_graded_into_must_be_writable(path, write_protected):
    made(path)
    with contextlib.closing(Database(path, may_be_new=True)) as one:
        assert not one.is_read_only
