"""People in a gradebook: their records, and how the command line names them and parts of a class."""

from __future__ import annotations

import datetime
import difflib
import getpass
import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence

import msgspec

from pitboss.assignments.gradingfile import RubricItem
from pitboss.compare.results import Report
from pitboss.errors import UsageError, as_found, did_you_mean, listed
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.marks import LineComment, Mark, Request, has_open
from pitboss.submissions.importers.imported import Person


class HandedIn(msgspec.Struct, frozen=True):
    """One submission of a person."""

    #: The digest of the submission's content; empty if the submission could not be used.
    program: str
    #: The time when the submission was first handed in; None if unknown.
    at: datetime.datetime | None
    #: Whether the platform marks the submission as late; None if the platform does not say.
    is_late: bool | None = None
    attempt: int = 1
    #: The location of the submission in the download.
    source: str = ""
    notes: tuple[str, ...] = ()
    #: Why the submission cannot be graded; empty if it can be graded.
    problem: str = ""
    #: The days late according to the platform; None if the platform does not say.
    days_late: int | None = None


class SourceFile(msgspec.Struct, frozen=True):
    """A source file of a program; its path and text are untrusted."""

    path: str
    text: str


class PersonRecord(msgspec.Struct, frozen=True):
    """The submission, report and marks by which one person is graded."""

    person: Person
    handed_in: HandedIn | None = None
    #: The newest report without a fault (JUDGE_ERROR), else the newest report; None without a report. The results lack
    #: their transcripts.
    report: Report | None = None
    #: The style score that a grader entered; empty if no grader did.
    style: str = ""
    #: The score that a grader set for the whole submission; None if no grader did.
    override: Mark | None = None
    #: The person's own due date; empty if the due date of the class applies.
    due: str = ""
    #: The days late that a grader entered; empty if no grader did.
    late: str = ""
    #: The grader's scores for manually graded stages: pairs of a stage and a share of its points, from 0 to 1.
    manual_scores: tuple[tuple[str, str], ...] = ()
    #: The rubric items that a grader picked, in the order of the rubric.
    picked: tuple[RubricItem, ...] = ()
    comments: tuple[Mark, ...] = ()
    #: Comments at lines of the graded program, in the order of the lines.
    line_comments: tuple[LineComment, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def has_open_request(self) -> bool:
        return has_open(self.requests)

    @property
    def is_waiting(self) -> bool:
        """Whether a submission can be run but has not been run yet, so that there is nothing to score."""
        return self.handed_in is not None and not self.handed_in.problem and self.report is None


class Scored(msgspec.Struct, frozen=True):
    """A score in the history of a person's scores."""

    person: str
    grade: Grade
    #: Sentences on why the score differs from the previous score.
    why: tuple[str, ...]
    #: The time when the score was recorded, as ISO 8601.
    at: str


_MAX_SUGGESTIONS = 8


def user_name() -> str:
    """The name of the current user, or the number of a user without a name, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # OSError since Python 3.13
        return f"user {os.getuid()}"


def find_person(people: Sequence[Person], word: str, *, needs_whole_name: bool = False) -> Person:
    """The person with this key, login, address or name; raises UsageError unless exactly one person matches.

    Unless `needs_whole_name`, part of a name is enough if only one person's name contains that part. The error
    suggests people whose name, key or login contains the word.
    """
    # A key takes precedence: keys are unique, even if a key is also the login of another person.
    by_key = [person for person in people if person.key == word]
    wanted = word.casefold()
    exact = [
        person
        for person in people
        if wanted in {text.casefold() for text in (person.key, person.login, person.email, person.name)}
    ]
    partial = [person for person in people if wanted in person.name.casefold()]
    matches = by_key or exact or ([] if needs_whole_name else partial)
    if len(matches) == 1:
        return matches[0]
    if exact:
        raise UsageError(f"{as_found(word)} matches several people; {_key_suggestions(exact)}")
    similar = [
        person
        for person in people
        if any(wanted in text.casefold() for text in (person.name, person.key, person.login))
    ]
    if len(similar) > 1:
        raise UsageError(f"{as_found(word)} matches several people; {_key_suggestions(similar)}")
    if similar:
        raise UsageError(f"nobody in this gradebook is called {as_found(word)}; {_key_suggestions(similar)}")
    close_names = difflib.get_close_matches(word, [text for person in people for text in (person.name, person.key)], 1)
    hint = f", did you mean {close_names[0]!r}?" if close_names else ""
    raise UsageError(f"nobody in this gradebook is called {as_found(word)}{hint}")


#: K/N: part K of N equal parts of a class.
_SHARE = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")


def keys_in_parts(people: Sequence[Person], words: Sequence[str]) -> frozenset[str] | None:
    """The keys of the people in the sections and shares that `words` name; None, meaning everybody, without words.

    A share is a fraction of the class, sorted by name: 1/3 is the first third. Raises UsageError for any other word.

    >>> class_ = [Person(name, name, section=section) for name, section in (("ada", "A"), ("bob", "A"), ("eve", "B"))]
    >>> [sorted(keys_in_parts(class_, [word])) for word in ("a", "1/2", "2/2")]
    [['ada', 'bob'], ['ada'], ['bob', 'eve']]
    """
    if not words:
        return None
    return frozenset(key for word in words for key in _keys_in_part(people, word))


def _keys_in_part(people: Sequence[Person], word: str) -> list[str]:
    """The keys of the people in one section, or in one share of the class."""
    wanted = word.strip()
    # An empty word names no section: it does not mean the people without a section.
    if wanted and (keys := [person.key for person in people if person.section.casefold() == wanted.casefold()]):
        return keys
    share = _SHARE.fullmatch(wanted)
    if share is None:
        sections = sorted({person.section for person in people if person.section})
        sections_text = (
            f"sections are {listed(sections)}{did_you_mean(word, sections)}"
            if sections
            else "nobody here has a section"
        )
        raise UsageError(f"--only {as_found(word)} — it must be a section, or a share such as 1/3; {sections_text}")
    number, count = int(share[1]), int(share[2])
    if not 1 <= number <= count:
        raise UsageError(
            f"--only {as_found(word)} — the first of {count} shares is 1/{count}, the last is {count}/{count}"
        )
    return [person.key for person in people[len(people) * (number - 1) // count : len(people) * number // count]]


def _key_suggestions(people: Sequence[Person]) -> str:
    """A hint with the key to type for each of these people, quoted for a shell."""
    counts = Counter(person.name.casefold() for person in people)
    suggestions = [
        shlex.quote(person.key)
        + (f" for {person.name}" if person.name != person.key else "")
        + (_namesake_label(person) if counts[person.name.casefold()] > 1 else "")
        for person in people
    ]
    more = len(suggestions) - _MAX_SUGGESTIONS
    return f"type {listed(suggestions[:_MAX_SUGGESTIONS])}{f' and {more} more' if more > 0 else ''}"


def _namesake_label(person: Person) -> str:
    """Text in parentheses that distinguishes a person from namesakes: a login, a section or an address, if any."""
    login = person.login if person.login != person.key else ""
    labels = (login, person.section and f"section {person.section}", person.email)
    label = next((label for label in labels if label), "")
    return f" ({label})" if label else ""
