"""The tables of a gradebook, and the upgrades from earlier versions."""

from __future__ import annotations

#: "PITB" in ASCII: marks a SQLite file as a gradebook of pitboss; see PRAGMA application_id in SQLite's manual.
GRADEBOOK_APPLICATION_ID = 0x50495442

#: The SQL that upgrades a gradebook: first from an empty file to version 1, then from each version to the next.
#: Released versions never change. Times are in UTC as ISO 8601. Numbers that scores are computed from are exact: an
#: integer, or a fraction as n/d. A report is stored `whole`, and `light`: without transcripts. `asked` is a digest of
#: the command's options. The functions that upgrade reports, such as `with_cases`, are in packing.py.
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
