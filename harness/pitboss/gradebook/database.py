"""The SQLite file of a gradebook: its tables and packed values, opening, upgrading, and writing in transactions.

The only module that imports sqlite3. The file uses write-ahead logging (WAL), and each transaction is on the disk when
it ends, so a crash loses no completed transaction: see https://sqlite.org/wal.html and SQLite's PRAGMA synchronous.
A file that cannot be written is opened read-only, and nothing is created beside it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sqlite3
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pitboss.compare.findings import WrittenFinding
from pitboss.compare.results import Report, Result, StageReport
from pitboss.errors import SessionError, UsageError, WaitWarning, shortened
from pitboss.machine.processes import text_of
from pitboss.model.transcript import Transcript

_T = TypeVar("_T")
#: Matches a session's name as stored up to version 2: the case, then the seed or the number of the session.
_OLD_SESSION_NAME = re.compile(r"(?P<case>.*)(?:, seed (?P<seed>-?[0-9]+)| #(?P<number>[0-9]+))", re.DOTALL)


def pack_value(value: object) -> bytes:
    """Returns a value as compressed msgpack; fractions are stored as text, which is exact."""
    return zlib.compress(msgspec.msgpack.encode(value, enc_hook=str))


def unpack_value(content: bytes, kind: type[_T]) -> _T:
    """Returns the value of type `kind` that `pack_value` turned into this content."""
    return msgspec.msgpack.decode(zlib.decompress(content), type=kind, dec_hook=lambda target, text: target(text))


def _for_each_stage(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    """Turns a function that changes one stage into a function that changes every stage of a packed report.

    A damaged report is returned unchanged, so that a gradebook with such a report can still be upgraded.
    """

    @functools.wraps(change)
    def change_report(content: bytes) -> bytes:
        try:
            report = msgspec.msgpack.decode(zlib.decompress(content))
        except (zlib.error, msgspec.MsgspecError):
            return content
        for stage in report["stages"]:
            change(stage)
        return zlib.compress(msgspec.msgpack.encode(report))

    return change_report


@_for_each_stage
def with_cases(stage: dict[str, Any]) -> None:
    """Upgrades a stage of version 2: stores the case, seed and number of each session instead of its name."""
    for result in stage["results"]:
        if match := _OLD_SESSION_NAME.fullmatch(result["case"]):
            seed, number = match["seed"], match["number"]
            result |= {"case": match["case"], "seed": int(seed) if seed else None, "number": int(number or 0)}


@_for_each_stage
def with_findings(stage: dict[str, Any]) -> None:
    """Upgrades a stage of version 3.

    It stores a finding for each session instead of a sentence, and the reason why the stage was not run.
    """
    if stage.get("verdict") in ("SKIPPED", "NOT_HANDED_IN", "EMPTY"):
        # The summary is the verdict and the reason, such as "Empty: nothing was handed in."
        stage["reason"] = stage.get("summary", "").partition(": ")[2]
    for result in stage["results"]:
        if sentence := result.pop("summary", ""):
            result["finding"] = msgspec.to_builtins(WrittenFinding(sentence))


#: The fields of a stage that version 5 renamed: the new name by the old name.
_NEW_FIELD_NAMES = {"taken": "accepted_differences", "is_for_person": "is_manual"}


@_for_each_stage
def with_new_names(stage: dict[str, Any]) -> None:
    """Upgrades a stage of version 4: renames two of its fields, and the verdict FOR_A_PERSON."""
    for old, new in _NEW_FIELD_NAMES.items():
        if old in stage:
            stage[new] = stage.pop(old)
    for entry in (stage, *stage["results"]):
        if entry.get("verdict") == "FOR_A_PERSON":
            entry["verdict"] = "NEEDS_REVIEW"


_EMPTY = Transcript(())


def without_transcripts(report: Report) -> Report:
    """The report with the case, verdict and points of each session, but without transcripts and build messages."""
    return msgspec.structs.replace(report, stages=tuple(map(_stage_without_transcripts, report.stages)))


def _stage_without_transcripts(stage: StageReport) -> StageReport:
    return msgspec.structs.replace(
        stage, results=tuple(map(_result_without_transcripts, stage.results)), build_messages=""
    )


def _result_without_transcripts(result: Result) -> Result:
    return Result(
        stage=result.stage,
        case=result.case,
        seed=result.seed,
        number=result.number,
        verdict=result.verdict,
        expected=_EMPTY,
        actual=_EMPTY,
        points=result.points,
        visibility=result.visibility,
    )


#: "PITB" in ASCII: marks a SQLite file as a gradebook of pitboss; see PRAGMA application_id in SQLite's manual.
GRADEBOOK_APPLICATION_ID = 0x50495442

#: The SQL that upgrades a gradebook: first from an empty file to version 1, then from each version to the next.
#: Released versions never change. Times are in UTC as ISO 8601. Numbers that scores are computed from are exact: an
#: integer, or a fraction as n/d. A report is stored `whole`, and `light`: without transcripts. `asked` is a digest of
#: the command's options. The functions that upgrade reports, such as `with_cases`, are above.
VERSIONS = (
    """
    CREATE TABLE class (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE person (key TEXT PRIMARY KEY, name TEXT NOT NULL, content BLOB NOT NULL) WITHOUT ROWID;

    -- Each different submission of a person, once; handed_at is when it was first handed in, and never changes.
    CREATE TABLE submission (
        id INTEGER PRIMARY KEY,
        person TEXT NOT NULL REFERENCES person,
        program TEXT NOT NULL,
        handed_at TEXT,
        content BLOB NOT NULL,
        UNIQUE (person, program)
    );
    -- Each run of a submission. A run with a fault of pitboss has is_fault, and is used only if there is no other.
    CREATE TABLE report (
        id INTEGER PRIMARY KEY,
        submission INTEGER NOT NULL REFERENCES submission,
        assignment TEXT NOT NULL,
        asked TEXT NOT NULL,
        pitboss TEXT NOT NULL,
        is_fault INTEGER NOT NULL,
        light BLOB NOT NULL,
        whole BLOB NOT NULL,
        written_at TEXT NOT NULL
    );
    CREATE INDEX report_of ON report (submission, id);

    -- Which submission, and which of its runs, a person is graded by.
    CREATE TABLE counted (
        person TEXT PRIMARY KEY REFERENCES person,
        submission INTEGER NOT NULL REFERENCES submission,
        report INTEGER REFERENCES report
    ) WITHOUT ROWID;

    -- What people add: style, override, due, comment. Nothing is changed or removed; the last mark of a kind is used,
    -- and a mark without a value withdraws it. All comments are used.
    CREATE TABLE mark (
        id INTEGER PRIMARY KEY,
        person TEXT NOT NULL REFERENCES person,
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        reason TEXT NOT NULL,
        written_by TEXT NOT NULL,
        written_at TEXT NOT NULL
    );
    CREATE INDEX mark_of ON mark (person, kind, id);

    -- Each score that a person has had, with its sum and why it differs from the previous score.
    CREATE TABLE score (
        id INTEGER PRIMARY KEY,
        person TEXT NOT NULL REFERENCES person,
        score TEXT NOT NULL,
        out_of TEXT NOT NULL,
        content BLOB NOT NULL,
        why BLOB NOT NULL,
        written_at TEXT NOT NULL
    );
    CREATE INDEX score_of ON score (person, id);
    """,
    """
    -- The sources of each program that was handed in, for people to read; programs without sources have a row too.
    CREATE TABLE source (program TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
    """,
    """
    -- A result has its case, its seed and its number instead of the name of the session.
    UPDATE report SET light = with_cases(light), whole = with_cases(whole);
    """,
    """
    -- A result has the finding of the session instead of a sentence on it.
    UPDATE report SET light = with_findings(light), whole = with_findings(whole);
    """,
    """
    -- Two fields of a stage and a verdict have new names.
    UPDATE report SET light = with_new_names(light), whole = with_new_names(whole);
    """,
)


#: How long to wait while another process writes to the file, and how long of that in silence, in seconds.
_BUSY_TIMEOUT_S, _SILENT_S = 30.0, 1.0
#: SQLite's error codes while another process writes.
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
#: The pause before another try, in seconds: SQLite itself waits in most statements, but not in a switch to WAL.
_RETRY_PAUSE_S = 0.01
#: An exclusive lock in /proc/locks: the process, and the file's inode.
_LOCK = re.compile(r" WRITE +(\d+) \S+:(\d+) ")
#: SQLite's error codes for problems of the machine, such as a lack of disk space or memory: no mistakes of the user.
_MACHINE_ERRORS = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_NOMEM")
Row = tuple[Any, ...]


class Database:
    """An open gradebook file."""

    def __init__(self, path: Path, versions: Sequence[str] = VERSIONS, *, may_be_new: bool = False) -> None:
        """Open a gradebook; with `may_be_new`, a missing file is created, and only its owner can read that file.

        Without `may_be_new`, a file that this user cannot write is opened for reading. `versions` are the scripts that
        upgrade the file to each version. Raises UsageError if the file is missing, not a gradebook, damaged, or of a
        later version.
        """
        self._path, self._versions, self._may_be_new = path, versions, may_be_new
        #: Whether the file can be read but not written.
        self.is_read_only = _check_file(path, may_be_new=may_be_new)
        with self._translated_errors():
            database = _read_only_uri(path) if self.is_read_only else path
            self._connection = _connect(database, is_uri=self.is_read_only)
        try:
            with self._translated_errors():
                self._prepare(versions)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, versions: Sequence[str]) -> None:
        """Check the file's application and version, set SQLite's options, and upgrade an older file."""
        self._connection.execute("PRAGMA foreign_keys = ON")
        is_empty = not self.rows("SELECT 1 FROM sqlite_master LIMIT 1")
        if is_empty and not self._may_be_new:
            raise UsageError(f"{self._path}: this file is empty; `pitboss grade` creates a gradebook")
        ((application,),), ((version,),) = self.rows("PRAGMA application_id"), self.rows("PRAGMA user_version")
        if application != GRADEBOOK_APPLICATION_ID and not is_empty:
            raise UsageError(f"{self._path}: this is a database, but not a gradebook of pitboss; name another file")
        if version > len(versions):
            raise UsageError(
                f"{self._path}: this gradebook is of version {version}, and this pitboss supports version "
                f"{len(versions)}; use the pitboss that wrote it, or a later one"
            )
        if self.is_read_only:
            if version < len(versions):
                self._migrate_a_copy(versions)
            return
        self._execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        if version < len(versions):
            self._migrate(versions)

    def _migrate_a_copy(self, versions: Sequence[str]) -> None:
        """Continue with an upgraded copy in memory, since the file cannot be written."""
        copy = _connect(":memory:")
        self._connection.backup(copy)
        self._connection.close()
        self._connection = copy
        self.is_read_only = False  # otherwise `writing` would refuse to change the copy
        self._migrate(versions)
        self.is_read_only = True

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run a statement, and retry while another process writes; warns, once, of a wait that a person notices."""
        begun_at = time.monotonic()
        while True:
            try:
                return self._connection.execute(statement, values)
            except sqlite3.OperationalError as error:
                waited_s = time.monotonic() - begun_at
                if error.sqlite_errorname not in _BUSY or waited_s > _BUSY_TIMEOUT_S:
                    raise
            if waited_s > _SILENT_S:
                warnings.warn(WaitWarning(f"{self._path}: waiting for {_writer_of(self._path)}"), stacklevel=2)
            time.sleep(_RETRY_PAUSE_S)

    def _migrate(self, versions: Sequence[str]) -> None:
        """Upgrade the file to the current version, completely or not at all."""
        with self.writing():
            # Checked again inside the transaction: another process may have upgraded the file meanwhile.
            ((version,),) = self.rows("PRAGMA user_version")
            for script in versions[version:]:
                for statement in _statements(script):
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {GRADEBOOK_APPLICATION_ID}")
            self._connection.execute(f"PRAGMA user_version = {len(versions)}")

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._translated_errors():
            return self._execute(statement, values).fetchall()

    def execute(self, statement: str, values: Sequence[Any]) -> int:
        """Run a statement that changes rows; if it inserts a row, returns the number of that row."""
        with self._translated_errors():
            return self._execute(statement, values).lastrowid or 0

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: writes everything or nothing. Nested transactions join the outer one.

        Raises UsageError if the gradebook is read-only.
        """
        if self.is_read_only:
            raise UsageError(f"{self._path}: this gradebook is write-protected: it can be read, but not changed")
        if self._connection.in_transaction:
            yield
            return
        with self._translated_errors():
            self._execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._translated_errors():
                self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def damage(self) -> str:
        """Returns what is damaged in the file; empty if SQLite finds nothing, and all tables have their columns."""
        columns = (
            "SELECT t.name, c.name, c.type, c.pk FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c "
            "WHERE t.type = 'table' ORDER BY t.name, c.cid"
        )
        try:
            ((version,),) = self._connection.execute("PRAGMA user_version")
            with contextlib.closing(_connect(":memory:")) as intact:
                for statement in _statements("".join(self._versions[:version])):
                    intact.execute(statement)
                if intact.execute(columns).fetchall() != self._connection.execute(columns).fetchall():
                    return "its tables are not those of a gradebook"
            ((problem,),) = self._connection.execute("PRAGMA integrity_check(1)")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return str(error) if _shows_damage(error) else ""
        return "" if problem == "ok" else problem

    def close(self) -> None:
        """Close the file; the last process to do so also removes the files beside it (-wal, -shm)."""
        self._connection.close()

    @contextlib.contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into UsageError or SessionError."""
        path = self._path
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            code = getattr(error, "sqlite_errorname", "")
            if code.startswith(_MACHINE_ERRORS):
                raise SessionError(f"{path}: the gradebook cannot be written: {error}") from error
            if code.startswith(_BUSY):
                raise SessionError(
                    f"{path}: it was locked for over {_BUSY_TIMEOUT_S:g} s by {_writer_of(path)}"
                ) from error
            if code.startswith("SQLITE_NOTADB"):
                raise UsageError(f"{path}: this is not a gradebook; name another file") from error
            if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
                raise UsageError(f"{path}: the gradebook cannot be opened or written here: {error}") from error
            if damage := str(error) if _shows_damage(error) else self.damage():
                raise UsageError(f"{path}: the gradebook is damaged ({damage}); restore an earlier copy") from error
            raise


def _shows_damage(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Whether an error itself says that the file is damaged: we write nothing that cannot be decoded."""
    code = getattr(error, "sqlite_errorname", "")
    return code.startswith("SQLITE_CORRUPT") or (not code and "decode" in str(error))


def _connect(database: str | Path, *, is_uri: bool = False) -> sqlite3.Connection:
    """Return a connection with the SQL functions that `schema` uses."""
    connection = sqlite3.connect(database, timeout=_SILENT_S, isolation_level=None, uri=is_uri)
    for function in (with_cases, with_findings, with_new_names):
        connection.create_function(function.__name__, 1, function)
    return connection


def _writer_of(path: Path) -> str:
    """Returns the process that has locked a gradebook, for a message."""
    inodes = {str(file.stat().st_ino) for file in (path, Path(f"{path}-shm")) if file.exists()}
    for pid, inode in _LOCK.findall(text_of("/proc/locks")):
        if inode in inodes and (command := text_of(f"/proc/{pid}/cmdline")):
            return f"the process {pid} ({shortened(command.replace(chr(0), ' ').strip())}), which is writing to it"
    return "another program, which is writing to it"


def _read_only_uri(path: Path) -> str:
    """The URI with which SQLite reads a file without creating files beside it: https://sqlite.org/uri.html.

    If there is no write-ahead log, or if it is empty, nobody is writing to the file. So SQLite may assume that the
    file does not change (`immutable`).
    """
    absolute = path.resolve()
    log = Path(f"{absolute}-wal")
    return f"{absolute.as_uri()}?{'mode=ro' if log.exists() and log.stat().st_size else 'immutable=1'}"


def _check_file(path: Path, *, may_be_new: bool) -> bool:
    """Check that a file can be opened, and return whether it is read-only; the file is not left open.

    If `may_be_new`, a missing file is created, readable only by its owner. Raises UsageError if the path is not a file
    or cannot be opened.
    """
    try:
        if may_be_new:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        is_read_only = not may_be_new and not _is_writable(path)
        access = os.O_RDONLY if is_read_only else os.O_RDWR
        os.close(os.open(path, access | os.O_NONBLOCK | os.O_CLOEXEC))
        if not path.is_file():
            raise UsageError(f"{path}: this is not a file, so not a gradebook")
        size = path.stat().st_size
        if may_be_new and not size:  # new, or an empty file that was there before
            path.chmod(0o600)
        # SQLite treats a file of one byte as an empty database, and would overwrite it.
        if size == 1:
            raise UsageError(f"{path}: this is not a gradebook; name another file")
        return is_read_only
    except FileNotFoundError:
        message = "there is no such folder" if may_be_new else "there is no such gradebook; `pitboss grade` creates one"
        raise UsageError(f"{path}: {message}") from None
    except OSError as error:
        raise UsageError(f"{path}: the gradebook cannot be opened: {error.strerror}") from error


def _is_writable(path: Path) -> bool:
    """Whether SQLite can write a file and create files beside it.

    Also True for a missing file and for a folder: `os.open` then raises the error to report.
    """
    is_existing_file = path.exists() and not path.is_dir()
    return not is_existing_file or (os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK))


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, each ending at a line end.

    `sqlite3.Connection.executescript` is no alternative: it would commit the open transaction first.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
