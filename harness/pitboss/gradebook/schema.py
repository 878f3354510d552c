"""The tables of a gradebook, and the upgrades from earlier versions."""

from __future__ import annotations

#: "PITB": identifies the application of a SQLite file, see PRAGMA application_id in its manual.
APPLICATION = 0x50495442

#: The upgrade to each version from the previous one, and from an empty file to the first. Released versions never
#: change. Instants are in UTC as ISO 8601; numbers that count for a score are exact: an integer, or n/d.
VERSIONS = (
    """
    CREATE TABLE class (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE person (key TEXT PRIMARY KEY, name TEXT NOT NULL, content BLOB NOT NULL) WITHOUT ROWID;

    -- Each content that a person has handed in, once: its instant is that of the first time, and stays.
    CREATE TABLE submission (
        id INTEGER PRIMARY KEY,
        person TEXT NOT NULL REFERENCES person,
        program TEXT NOT NULL,
        handed_at TEXT,
        content BLOB NOT NULL,
        UNIQUE (person, program)
    );
    -- Each run of a submission. What pitboss failed to run has is_fault, and counts only where nothing else is there.
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

    -- Which submission and which of its runs count.
    CREATE TABLE counted (
        person TEXT PRIMARY KEY REFERENCES person,
        submission INTEGER NOT NULL REFERENCES submission,
        report INTEGER REFERENCES report
    ) WITHOUT ROWID;

    -- What people add: style, override, due, comment. Nothing is changed or removed; the last of a kind counts, one
    -- without a value takes it back. Comments stand beside each other.
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

    -- Each score that a person has had, with its sum and why it is another than before.
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
    -- The sources of each program that was handed in, for people to read; one row for what has none.
    CREATE TABLE source (program TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
    """,
    """
    -- A result has its case, its seed and its number, where it had the name of the session.
    UPDATE report SET light = with_cases(light), whole = with_cases(whole);
    """,
    """
    -- A result has what was found in the session, where it had a sentence on it.
    UPDATE report SET light = with_findings(light), whole = with_findings(whole);
    """,
    """
    -- Two fields of a stage and a verdict have new names.
    UPDATE report SET light = with_new_names(light), whole = with_new_names(whole);
    """,
)
