import contextlib
import os
import sqlite3
import stat
import warnings
import zlib
from pathlib import Path

import msgspec
import pytest

from pitboss.compare.results import Report, Verdict
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.errors import SessionError, UsageError, WaitWarning, shortened
from pitboss.gradebook import database as database_module
from pitboss.gradebook.database import GRADEBOOK_APPLICATION_ID, VERSIONS, Database, unpack_value
from pitboss.reports.finding_sentences import note_of, stage_summary, summary_of
from tests.counted import resources_in_use


@pytest.fixture
def path(tmp_path):
    return tmp_path / "class.gradebook"


def create_gradebook(path, *versions):
    """Create a gradebook by the SQL scripts of these schema versions; without any, of the current schema."""
    Database(path, versions or VERSIONS, may_be_new=True).close()
    return path


def refusal(path, **more):
    """The message of the error with which a file is not opened."""
    with pytest.raises((UsageError, SessionError)) as caught:
        Database(path, **more)
    return str(caught.value)


def test_a_new_gradebook_can_be_read_by_its_owner_only(path):
    before = resources_in_use()
    database = Database(path, may_be_new=True)
    database.execute("INSERT INTO class VALUES ('assignment', 'blackjack')", ())
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    database.close()
    assert set(modes.values()) == {0o600}
    assert [file.name for file in path.parent.iterdir()] == ["class.gradebook"]
    assert resources_in_use() == before


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o777])
def test_a_new_gradebook_is_private_under_any_umask(path, mask):
    before = os.umask(mask)
    try:
        if mask == 0o777 and os.geteuid() != 0:
            assert "the gradebook cannot be opened" in refusal(path, may_be_new=True)
            return
        create_gradebook(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("class", {}, "there is no such gradebook; `pitboss grade` creates one"),
        (".", {}, "the gradebook cannot be opened: Is a directory"),
        ("nowhere/class", {"may_be_new": True}, "there is no such folder"),
    ],
)
def test_what_is_no_file_is_not_opened(tmp_path, name, more, message):
    assert refusal(tmp_path / name, **more) == f"{tmp_path / name}: {message}"
    assert list(tmp_path.iterdir()) == []


def test_a_foreign_database_is_refused_and_left_unchanged(path):
    with sqlite3.connect(path) as foreign:
        foreign.execute("CREATE TABLE students (name TEXT)")
    foreign.close()
    before = path.read_bytes()
    assert refusal(path) == f"{path}: this is a database, but not a gradebook of pitboss; name another file"
    assert path.read_bytes() == before


def test_a_gradebook_of_a_later_version_is_refused_and_left_unchanged(path):
    create_gradebook(path, *VERSIONS, "CREATE TABLE later (one TEXT);")
    before = path.read_bytes()
    assert refusal(path) == (
        f"{path}: this gradebook is of version {len(VERSIONS) + 1}, and this pitboss supports version {len(VERSIONS)}; "
        "use the pitboss that wrote it, or a later one"
    )
    assert path.read_bytes() == before


def test_a_truncated_gradebook_is_reported_as_damaged(path):
    create_gradebook(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert refusal(path) == (
        f"{path}: the gradebook is damaged (database disk image is malformed); restore an earlier copy"
    )


def test_an_old_gradebook_is_upgraded_to_the_current_version(path):
    create_gradebook(path, "CREATE TABLE one (name TEXT);")
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO one VALUES ('ada')")
    database.close()
    versions = (
        "CREATE TABLE one (name TEXT);",
        "ALTER TABLE one ADD COLUMN score TEXT;\nUPDATE one SET score = '7/2';",
    )
    opened = Database(path, versions)
    assert opened.rows("SELECT * FROM one") == [("ada", "7/2")]
    assert opened.rows("PRAGMA user_version") == [(2,)]
    assert opened.rows("PRAGMA application_id") == [(GRADEBOOK_APPLICATION_ID,)]
    opened.close()


def test_a_failed_upgrade_leaves_the_gradebook_unchanged(path):
    create_gradebook(path, "CREATE TABLE one (name TEXT);")
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
            database.execute("INSERT INTO class VALUES ('assignment', 'blackjack')", ())
            with database.writing():
                database.execute("INSERT INTO class VALUES ('due', '2026-09-04')", ())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert database.rows("SELECT * FROM class") == []
    with database.writing():
        database.execute("INSERT INTO class VALUES ('due', '2026-09-04')", ())
    assert database.rows("SELECT * FROM class") == [("due", "2026-09-04")]
    database.close()


def test_a_full_disk_is_our_fault_and_undoes_the_transaction(path):
    database = Database(path, may_be_new=True)
    database.rows(f"PRAGMA max_page_count = {path.stat().st_size // 4096 + 1}")
    with pytest.raises(SessionError) as caught, database.writing():
        database.execute("INSERT INTO class VALUES (?, ?)", ("notes", "x" * 100_000))
    assert str(caught.value) == f"{path}: the gradebook cannot be written: database or disk is full"
    assert database.rows("SELECT * FROM class") == []
    database.close()


def test_a_gradebook_locked_for_too_long_by_another_program_is_an_error(path, monkeypatch):
    create_gradebook(path)
    monkeypatch.setattr(database_module, "_BUSY_TIMEOUT_S", 0.0)
    with contextlib.closing(Database(path)) as gradebook, contextlib.closing(sqlite3.connect(path)) as other_program:
        other_program.execute("BEGIN IMMEDIATE")
        with pytest.raises(SessionError) as caught, gradebook.writing():
            pass
    command = Path("/proc/self/cmdline").read_text().replace("\0", " ").strip()
    assert str(caught.value) == (
        f"{path}: it was locked for over 0 s by the process {os.getpid()} ({shortened(command)}), which is writing to it"
    )


def test_a_wait_for_another_program_is_announced_once_and_ends_with_its_transaction(path, monkeypatch):
    create_gradebook(path)
    monkeypatch.setattr(database_module, "_SILENT_S", 0.0)
    with contextlib.closing(Database(path)) as gradebook, contextlib.closing(sqlite3.connect(path)) as other_program:
        other_program.execute("BEGIN IMMEDIATE")
        sleeps = []

        def sleep(seconds):
            sleeps.append(seconds)
            if len(sleeps) == 5:
                other_program.execute("COMMIT")

        monkeypatch.setattr(database_module.time, "sleep", sleep)
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("default")
            with gradebook.writing():
                pass
    (warning,) = shown
    assert (warning.category, len(sleeps)) == (WaitWarning, 5)
    assert str(warning.message).startswith(f"{path}: waiting for the process {os.getpid()} (")


def test_switching_to_write_ahead_logging_is_retried_while_locked(path, monkeypatch):
    sleeps, statements, remaining_errors = [], [], ["SQLITE_BUSY", "SQLITE_LOCKED"]

    class LockedConnection:
        """A connection whose first two statements fail."""

        def execute(self, statement, values):
            statements.append(statement)
            if remaining_errors:
                error = sqlite3.OperationalError()
                error.sqlite_errorname = remaining_errors.pop(0)
                raise error

    create_gradebook(path)
    with contextlib.closing(Database(path)) as gradebook:
        connection = gradebook._connection
        gradebook._connection = LockedConnection()
        monkeypatch.setattr(database_module.time, "sleep", sleeps.append)
        gradebook._execute("PRAGMA journal_mode = WAL")
        gradebook._connection = connection
    assert (sleeps, statements) == ([0.01, 0.01], [statements[0]] * 3)


def test_the_database_passes_the_checks_of_sqlite(path):
    create_gradebook(path)
    database = Database(path)
    assert database.rows("PRAGMA integrity_check") == [("ok",)]
    assert database.rows("PRAGMA foreign_key_check") == []
    assert database.rows("PRAGMA journal_mode") == [("wal",)]
    assert database.rows("PRAGMA synchronous") == [(2,)]
    database.close()


def test_an_empty_file_becomes_a_gradebook_only_if_it_may_be_new(path):
    path.touch(0o644)
    assert refusal(path) == f"{path}: this file is empty; `pitboss grade` creates a gradebook"
    assert path.read_bytes() == b""
    create_gradebook(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("size", [1, 2, 14, 15, 16, 99, 100, 511, 512, 4096])
@pytest.mark.parametrize("pattern", [b"x", b"\0", b"SQLite format 3\0"])
def test_a_foreign_file_of_any_size_is_refused_and_left_unchanged(path, size, pattern):
    content = (pattern * size)[:size]
    path.write_bytes(content)
    path.chmod(0o644)
    for may_be_new in (False, True):
        with pytest.raises(
            UsageError, match=r": this is not a gradebook; name another file$|: the gradebook is damaged"
        ):
            Database(path, may_be_new=may_be_new)
        assert path.read_bytes() == content
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


def upgraded_reports(path, version, *reports):
    """Store packed reports in a gradebook of this version, and return them as they are after its upgrade.

    Each report is a pair: the report without transcripts (`light`) and with them (`whole`).
    """
    create_gradebook(path, *VERSIONS[:version])
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO person VALUES ('ada', 'Ada', x'00')")
        database.execute("INSERT INTO submission VALUES (1, 'ada', 'p', NULL, x'00')")
        for light, whole in reports:
            database.execute("INSERT INTO report VALUES (NULL, 1, 'a', 'q', 'p', 0, ?, ?, 'now')", (light, whole))
    database.close()
    with contextlib.closing(Database(path)) as opened:
        return opened.rows("SELECT light, whole FROM report ORDER BY id")


def test_a_report_of_version_2_is_upgraded_with_its_cases_and_seeds(path):
    """Version 2 stored only the name of each session, so a case with several sessions would count as several cases."""
    names = ["two doors", "a hundred games, seed -3", "games #12", "odd\nname #3"]
    results = [{"stage": "play", "case": name, "verdict": "ACCEPTED"} for name in names]
    old = zlib.compress(msgspec.msgpack.encode({"stages": [{"stage": "play", "results": results}]}))
    (light, whole), damaged = upgraded_reports(path, 2, (old, old), (b"\0", old[:-9]))
    assert light == whole
    assert damaged == (b"\0", old[:-9])
    (stage,) = msgspec.msgpack.decode(zlib.decompress(light))["stages"]
    cases = [(result["case"], result.get("seed"), result.get("number", 0)) for result in stage["results"]]
    assert cases == [("two doors", None, 0), ("a hundred games", -3, 0), ("games", None, 12), ("odd\nname", None, 3)]


def test_a_report_of_version_3_keeps_its_sentences(path):
    """Version 3 stored a sentence for each result; the current version stores a finding."""
    summaries = ["", "Line 2 is “a” where “b” is expected."]
    results = [
        {"stage": "play", "case": "one", "verdict": "WRONG_ANSWER", "summary": sentence} for sentence in summaries
    ]
    no_events = {"expected": {"events": []}, "actual": {"events": []}}
    failed = {
        "stage": "play",
        "title": "Play",
        "verdict": "WRONG_ANSWER",
        "results": [result | no_events for result in results],
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
    ((light, whole),) = upgraded_reports(path, 3, (old, old))
    for content in (light, whole):
        play, bet = unpack_value(content, Report).stages
        assert [summary_of(result) for result in play.results] == summaries
        assert (note_of(play), note_of(bet)) == ("", "bet needs play.")
        assert stage_summary(bet) == "Skipped: bet needs play."


def test_a_report_of_version_4_is_read_with_the_new_names(path):
    """After version 4, two fields of a stage and one verdict were renamed."""
    no_events = {"expected": {"events": []}, "actual": {"events": []}}
    result = {"stage": "own", "case": "a", "verdict": "FOR_A_PERSON", **no_events}
    own = {"stage": "own", "title": "Own", "verdict": "FOR_A_PERSON", "results": [result], "is_for_person": True}
    text = {"name": "goodbye", "expected": "Bye.", "text": b"So long."}
    play = {"stage": "play", "title": "Play", "verdict": "ACCEPTED", "results": [], "taken": [text]}
    report = {"assignment": "a", "title": "A", "submission": "ada", "stages": [play, own]}
    old = zlib.compress(msgspec.msgpack.encode(report))
    ((light, whole),) = upgraded_reports(path, 4, (old, old))
    for content in (light, whole):
        play_now, own_now = unpack_value(content, Report).stages
        assert play_now.accepted_differences == (AcceptedDifference("goodbye", "Bye.", b"So long."),)
        assert (own_now.is_manual, own_now.verdict) == (True, Verdict.NEEDS_REVIEW)
        assert [result.verdict for result in own_now.results] == [Verdict.NEEDS_REVIEW]


@pytest.fixture
def write_protected(monkeypatch):
    """Treat every existing gradebook as write-protected; with `may_be_new` it can be written nevertheless.

    A file mode would not do, as root may write every file.
    """
    monkeypatch.setattr(database_module, "_is_writable", lambda path: False)


def test_a_write_protected_gradebook_is_read_and_left_unchanged(path, write_protected):
    with contextlib.closing(Database(path, may_be_new=True)) as gradebook:
        gradebook.execute("INSERT INTO class VALUES ('assignment', 'blackjack')", ())
    before = path.read_bytes()
    with contextlib.closing(Database(path)) as gradebook:
        assert (gradebook.is_read_only, gradebook.rows("SELECT * FROM class")) == (True, [("assignment", "blackjack")])
        assert [file.name for file in path.parent.iterdir()] == [path.name]
        with pytest.raises(UsageError) as caught, gradebook.writing():
            pass
    assert str(caught.value) == f"{path}: this gradebook is write-protected: it can be read, but not changed"
    assert path.read_bytes() == before


def test_a_write_ahead_log_is_read_despite_write_protection(path, write_protected):
    with contextlib.closing(Database(path, may_be_new=True)) as writer:
        writer.execute("INSERT INTO class VALUES ('assignment', 'blackjack')", ())
        with contextlib.closing(Database(path)) as reader:
            assert reader.rows("SELECT * FROM class") == [("assignment", "blackjack")]


def test_an_old_write_protected_gradebook_is_read_as_the_current_version(path, write_protected):
    create_gradebook(path, "CREATE TABLE one (name TEXT);")
    before = path.read_bytes()
    versions = ("CREATE TABLE one (name TEXT);", "ALTER TABLE one ADD COLUMN score TEXT;")
    with contextlib.closing(Database(path, versions)) as gradebook:
        assert gradebook.rows("SELECT score FROM one") == []
        with pytest.raises(UsageError, match="write-protected"), gradebook.writing():
            pass
    assert path.read_bytes() == before


def test_a_gradebook_that_may_be_new_is_never_opened_read_only(path, write_protected):
    create_gradebook(path)
    with contextlib.closing(Database(path, may_be_new=True)) as gradebook:
        assert not gradebook.is_read_only
