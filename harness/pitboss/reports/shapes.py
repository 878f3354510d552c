"""Types of the JSON of reports and scores: docs/json.md describes their fields, docs/*.schema.json is made from them.

A removed field, or a field with another meaning, needs a new version of its format; an added field does not.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType, field

from pitboss.compare.results import Verdict

CHECK_FORMAT, GRADE_FORMAT, SCORES_FORMAT = "pitboss/check/v2", "pitboss/grade/v3", "pitboss/scores/v2"
SIMILARITY_FORMAT = "pitboss/similarity/v1"


class ReportedFile(msgspec.Struct, frozen=True):
    """A file that a session wrote or should have written."""

    name: str
    kind: str = field(name="is")
    content: str


class ReportedSession(msgspec.Struct, frozen=True):
    """What happened in a session, in the notation of the spec files."""

    transcript: str
    ending: str
    bytes_dropped: int
    paused_ms: int
    remarks: tuple[str, ...]
    stderr: str | UnsetType = UNSET
    files: tuple[ReportedFile, ...] | UnsetType = UNSET


class FirstDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session first differs from the expected one; lines and columns are counted from 1."""

    line: int
    column: int
    place: str | UnsetType = field(default=UNSET, name="in")
    expected: str
    actual: str


class ReportedResult(msgspec.Struct, frozen=True):
    """The result of one session: its verdict, and what was expected and what happened."""

    stage: str
    case: str
    verdict: Verdict
    summary: str
    expected: ReportedSession | None
    actual: ReportedSession | None
    first_difference: FirstDifference | None
    points: int | float
    visibility: str
    replay: str
    place: str
    hint: str | UnsetType = UNSET
    not_judged: int | UnsetType = UNSET


class ReportedCase(msgspec.Struct, frozen=True):
    """The fields of a session that are equal for all submissions; `expected` is a key of `transcripts`."""

    stage: str
    case: str
    expected: str | None
    points: int | float
    visibility: str
    place: str


class ClassResult(msgspec.Struct, frozen=True):
    """A session of a submission in a class; `session` is a key of `sessions`, and `actual` a key of `transcripts`."""

    session: str
    verdict: Verdict
    summary: str | UnsetType = UNSET
    actual: str | UnsetType = UNSET
    first_difference: FirstDifference | UnsetType = UNSET
    replay: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET
    not_judged: int | UnsetType = UNSET


class ReportedText(msgspec.Struct, frozen=True):
    """A text that was accepted in place of the reference's text."""

    name: str
    expected: str
    actual: str | None


class ReportedRule(msgspec.Struct, frozen=True):
    """How often accepted sessions reached a rule."""

    rule: str
    met: int


class Explanation(msgspec.Struct, frozen=True):
    """A known mistake, and how many failed sessions it explains (`explains`) of how many in all (`of`)."""

    id: str
    title: str
    explains: int
    of: int
    note: str | UnsetType = UNSET


class Built(msgspec.Struct, frozen=True):
    """How a program was built, and the messages of the compiler."""

    command: str
    messages: str
    explanation: str
    tool: str
    made_with: str


class StageCounts(msgspec.Struct, frozen=True):
    """The verdict on a stage, and how many sessions were accepted."""

    stage: str
    verdict: Verdict
    passed: int
    total: int


class ReportedStage(StageCounts, frozen=True):
    """One stage of one submission."""

    summary: str
    judged_as: str
    accepted_differences: tuple[ReportedText, ...]
    crash: str
    memory: str
    comment: str
    rules: tuple[ReportedRule, ...]
    unshown: tuple[str, ...]
    constructs: tuple[str, ...]
    diagnosis: tuple[Explanation, ...]
    build: Built


#: The type of a report's results: ReportedResult, or ClassResult in the report on a class.
R = TypeVar("R")


class Checked(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """The report on one submission."""

    schema: str | UnsetType = UNSET
    assignment: str
    submission: str
    #: In a class: identifies the person by a login, an id or the name of a folder.
    key: str | UnsetType = UNSET
    verdict: Verdict
    stages: tuple[ReportedStage, ...]
    results: tuple[R, ...]
    faults: tuple[str, ...]
    conditions: tuple[str, ...]
    notes: tuple[str, ...]
    stopped: str | UnsetType = UNSET


class ReportedClass(msgspec.Struct, frozen=True):
    """The reports on a class. A session or transcript of several submissions is stored once, under its digest."""

    schema: str
    assignment: str
    transcripts: dict[str, ReportedSession]
    sessions: dict[str, ReportedCase]
    submissions: tuple[Checked[ClassResult], ...]
    missing: tuple[str, ...]
    faults: tuple[str, ...]


class ReportedHandIn(msgspec.Struct, frozen=True):
    """What a person handed in, and when."""

    at: str | None
    program: str
    attempt: int
    source: str
    problem: str


class SumLine(msgspec.Struct, frozen=True):
    """One of the lines that add up to a score; `amount` is an integer or a fraction n/d."""

    text: str
    amount: str


class SetScore(msgspec.Struct, frozen=True):
    """A score that was set manually."""

    score: str
    reason: str


class RegradeRequest(msgspec.Struct, frozen=True):
    """A student's request to look at a grade again: open, answered or declined."""

    text: str
    state: str
    by: str
    at: str
    answer: str
    answered_by: str
    answered_at: str


class CommentAt(msgspec.Struct, frozen=True):
    """A comment on a line of a source file; lines are counted from 1."""

    file: str
    line: int
    text: str


class PickedItem(msgspec.Struct, frozen=True):
    """An item that a grader picked from the rubric; `points` is an integer or a fraction n/d."""

    key: str
    text: str
    points: str


class PersonScore(msgspec.Struct, frozen=True):
    """A person's score, with the lines that add up to it."""

    key: str
    name: str
    email: str
    section: str
    handed_in: ReportedHandIn | None
    score: str | None
    out_of: str | None
    sum: tuple[SumLine, ...]
    open: tuple[str, ...]
    style: str | None
    override: SetScore | None
    comments: tuple[str, ...]
    line_comments: tuple[CommentAt, ...]
    rubric: tuple[PickedItem, ...]
    requests: tuple[RegradeRequest, ...]
    verdict: Verdict
    stages: tuple[StageCounts, ...]


class Scores(msgspec.Struct, frozen=True):
    """The scores of a class."""

    schema: str
    assignment: str
    due: str
    people: tuple[PersonScore, ...]


class LinesOf(msgspec.Struct, frozen=True):
    """The lines of a file from `first` to `last`, counted from 1."""

    path: str
    first: int
    last: int


class ReportedPassage(msgspec.Struct, frozen=True):
    """A passage that two submissions share."""

    tokens: int
    left: LinesOf
    right: LinesOf


class ReportedSimilarity(msgspec.Struct, frozen=True):
    """One of two submissions that share passages."""

    key: str
    name: str
    earlier: str
    fingerprints: int


class SimilarPair(msgspec.Struct, frozen=True):
    """Two submissions that share passages."""

    left: ReportedSimilarity
    right: ReportedSimilarity
    shared_fingerprints: int
    same_person: bool
    passages: tuple[ReportedPassage, ...]


class Fingerprints(msgspec.Struct, frozen=True):
    """The parameters of winnowing; a shared passage of at least `always_found` tokens is always found."""

    k: int
    w: int
    always_found: int


class Similarity(msgspec.Struct, frozen=True):
    """The pairs of submissions that share passages; lines of passages are numbers without text."""

    schema: str
    gradebook: dict[str, str]
    tokens: Fingerprints
    remarks: tuple[str, ...]
    pairs: tuple[SimilarPair, ...]
