"""A roster: the people of a class, from a platform's CSV export; and whose submissions are whose.

A grading worksheet of Moodle also states when each person submitted, and whether the submission was late.

Columns are recognised by their headings, in any order: the headings of Canvas (Student, ID, SIS User ID, SIS Login ID,
Section), Moodle (Identifier, Full name, First name, Last name, ID number, Email address, Username), Gradescope (Name,
First Name, Last Name, SID, Email, Sections) and common handwritten headings. Other columns are ignored.

A submission of a member of a team, or one named like the team, is shared among all members of the team.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from pitboss.errors import UsageError, as_found, listed
from pitboss.submissions.importers.csv_tables import TableRow, normalised_heading, table_rows
from pitboss.submissions.importers.imported import (
    ImportedSubmission,
    Person,
    SubmissionFacts,
    compact_name,
    compact_name_rotations,
    one_line,
    person_name,
)
from pitboss.submissions.importers.instants import parse_worksheet_status

#: The accepted headings of each column, in lower case and with single spaces.
_HEADINGS = {
    "name": ("name", "student", "full name", "fullname", "student name", "display name", "vollständiger name"),
    "first": ("first name", "firstname", "first", "given name", "given names", "forename", "vorname"),
    "last": ("last name", "lastname", "last", "surname", "family name", "nachname"),
    "login": ("sis login id", "login id", "login", "username", "user name", "user", "anmeldename"),
    "email": ("email", "e-mail", "email address", "e-mail address", "mail", "e-mail-adresse"),
    "section": ("section", "sections", "section name", "group", "groups", "class"),
    "team": ("team", "team name", "group name"),
    "sis": ("sis user id", "sis id", "sid", "student id", "id number", "student number", "matrikelnummer"),
    "canvas": ("canvas id", "canvas user id", "user id"),
    "moodle": ("identifier", "participant"),
    "github": ("github", "github username", "github login"),
    "id": ("id", "key"),
    "status": ("status",),
    "modified": ("last modified (submission)", "zuletzt geändert (abgabe)"),
}
_COLUMN_OF_HEADING = {heading: column for column, headings in _HEADINGS.items() for heading in headings}
#: The columns of ids. A person's first id in this order becomes the person's key.
_ID_COLUMNS = ("canvas", "sis", "moodle", "github", "id")
#: Names in rows of a Canvas gradebook that are not about a person.
_NAMES_OF_NO_PERSON = ("points possible", "student, test", "test student")


class Roster(msgspec.Struct, frozen=True):
    """The people of a class, in the order of the file."""

    path: Path
    people: tuple[Person, ...]
    #: Facts about the people's submissions, by the key of the person.
    facts_by_key: dict[str, SubmissionFacts] = {}


def read_roster(path: Path) -> Roster:
    """Reads a CSV file separated by commas, semicolons or tabs; raises UsageError, with file and line, if invalid."""
    rows = table_rows(path, _count_known_columns)
    header_line, columns = _header(path, rows)
    lines_and_people: dict[str, tuple[int, Person]] = {}
    facts_by_key: dict[str, SubmissionFacts] = {}
    for line, row in rows:
        if line <= header_line:
            continue
        person = _person(path, line, columns, row)
        if person is None:
            continue
        first_line, first_person = lines_and_people.setdefault(person.key, (line, person))
        if first_person != person:
            raise UsageError(f"{path}:{line}: {as_found(person.key)} is also on line {first_line}")
        facts = parse_worksheet_status(_cell(columns, row, "status"), _cell(columns, row, "modified"))
        if facts is not None:
            facts_by_key.setdefault(person.key, facts)
    if not lines_and_people:
        raise UsageError(f"{path}: there are no people below the header")
    return Roster(path, tuple(person for _, person in lines_and_people.values()), facts_by_key)


def _count_known_columns(row: Sequence[str]) -> int:
    """Counts the known columns whose headings are in a row."""
    return len({_COLUMN_OF_HEADING[word] for cell in row if (word := normalised_heading(cell)) in _COLUMN_OF_HEADING})


def _header(path: Path, rows: Sequence[TableRow]) -> tuple[int, dict[str, int]]:
    """Returns the number of the header's line, and the index of each known column."""
    line, row = rows[0]
    headings = [normalised_heading(cell) for cell in row]
    columns: dict[str, int] = {}
    for index, column_heading in enumerate(headings):
        column = _COLUMN_OF_HEADING.get(column_heading)
        if column == "id" and "student" in headings:
            column = "canvas"  # in a gradebook of Canvas, ID is Canvas's own id
        if column is not None:
            columns.setdefault(column, index)
    if not {"name", "last", "login", "email", *_ID_COLUMNS} & set(columns):
        headings_in_file = listed(cell.strip() for cell in row if cell.strip())
        raise UsageError(
            f"{path}:{line}: no column identifies people; the columns are {headings_in_file} — one must be called "
            "name, first name and last name, id, login or email"
        )
    return line, columns


def _cell(columns: dict[str, int], row: Sequence[str], column: str) -> str:
    """Returns a row's cell in a column; empty if the column is missing or the row is too short."""
    index = columns.get(column, len(row))
    return one_line(" ".join(row[index].split())) if index < len(row) else ""


def _person(path: Path, line: int, columns: dict[str, int], row: Sequence[str]) -> Person | None:
    """Returns the person of a row; None if the row's columns that identify people are empty.

    None also for rows that are not about a person, which a gradebook of Canvas has.
    """

    def cell(column: str) -> str:
        return _cell(columns, row, column)

    full_name = cell("name")
    if full_name.casefold() in _NAMES_OF_NO_PERSON or not any(
        map(cell, ("name", "first", "last", "login", "email", *_ID_COLUMNS))
    ):
        return None
    ids = tuple((kind, cell(kind).removeprefix("Participant ")) for kind in _ID_COLUMNS if cell(kind))
    name = person_name(full_name) or f"{cell('first')} {cell('last')}".strip()
    possible_keys = (*(value for _, value in ids), cell("login"), cell("email"), name)
    key = next(filter(None, possible_keys), "")
    if not key:
        raise UsageError(f"{path}:{line}: nothing identifies the person")
    return Person(name or key, key, cell("login"), cell("email"), cell("section"), ids, cell("team"))


def match_with_roster(submissions: list[ImportedSubmission], roster: Roster) -> list[ImportedSubmission]:
    """Returns the submissions with each person replaced by the matching person on the roster.

    Adds an `ImportedSubmission` without a path for each person on the roster who submitted nothing. A submission named
    like a team is not changed: see `teams`.
    """
    index, teams = _RosterIndex(roster), {person.team for person in roster.people} - {""}
    result, submitter_keys = [], set[str]()
    for submission in submissions:
        roster_person, note = index.lookup(submission.person)
        if roster_person is None:
            is_of_team = team_called(submission.person, teams)
            result.append(submission if is_of_team else submission.with_notes(note))
            continue
        submitter_keys.add(roster_person.key)
        ids = tuple(dict.fromkeys((*roster_person.ids, *submission.person.ids)))
        person = msgspec.structs.replace(roster_person, ids=ids, email=roster_person.email or submission.person.email)
        submission_on_roster = msgspec.structs.replace(submission, person=person).with_notes(note)
        result.append(_with_facts(submission_on_roster, roster.facts_by_key.get(roster_person.key, SubmissionFacts())))
    return result + [ImportedSubmission(person, None) for person in roster.people if person.key not in submitter_keys]


def _with_facts(submission: ImportedSubmission, facts: SubmissionFacts) -> ImportedSubmission:
    """Adds the facts of a grading worksheet that the download lacks, and a note on an extension."""
    note = f"has an extension in Moodle until {facts.extension}: set it as this person's due date"
    return msgspec.structs.replace(
        submission,
        at=submission.at or facts.at,
        is_late=facts.is_late if submission.is_late is None else submission.is_late,
        days_late=facts.days_late if submission.days_late is None else submission.days_late,
    ).with_notes(note if facts.extension else "")


#: Kinds of ids that a platform assigns and no other system uses.
_PLATFORM_ID_KINDS = ("canvas", "canvas-anonymous", "moodle")


class _RosterIndex:
    """Finds a roster's people by kind and value of an id, by any identifier (id, key, login, e-mail), and by name."""

    def __init__(self, roster: Roster) -> None:
        self._missing_note = f"not on the roster {roster.path.name}"
        self._by_id = defaultdict[tuple[str, str], list[Person]](list)
        self._by_identifier = defaultdict[str, list[Person]](list)
        self._by_name = defaultdict[str, list[Person]](list)
        for person in roster.people:
            for kind, value in person.ids:
                self._by_id[kind, value.casefold()].append(person)
            identifiers = {person.key, person.login, person.email, *(value for _, value in person.ids)} - {""}
            for identifier in {identifier.casefold() for identifier in identifiers}:
                self._by_identifier[identifier].append(person)
            for rotation in compact_name_rotations(person.name):
                self._by_name[rotation].append(person)

    def lookup(self, person: Person) -> tuple[Person | None, str]:
        """Returns the matching person on the roster and a note about the match, which may be empty.

        If no person or more than one matches, returns None and a note that says so.
        """
        # The roster's column `id` may contain ids of any kind.
        possible_ids = ((kind, value) for id_kind, value in person.ids for kind in (id_kind, "id"))
        for kind, value in possible_ids:
            if len(matches := self._by_id[kind, value.casefold()]) == 1:
                return matches[0], self._name_mismatch_note(person, matches[0])
        # An id of a platform is not looked up among all kinds of ids: it may be somebody else's id of another kind.
        has_platform_id = any(kind in _PLATFORM_ID_KINDS for kind, _ in person.ids)
        for identifier in filter(None, (person.email, person.login, "" if has_platform_id else person.key)):
            matches = self._without_conflicting_ids(person, self._by_identifier[identifier.casefold()])
            if len(matches) == 1:
                return matches[0], ""
        namesakes = self._without_conflicting_ids(person, self._by_name[compact_name(person.name)])
        if len(namesakes) > 1:
            return (
                None,
                f"{self._missing_note}: {len(namesakes)} people there have this name, so it is unclear who this is",
            )
        first_id_kind = person.ids[0][0] if person.ids else ""
        if not namesakes and first_id_kind == "moodle":
            # Moodle writes GROUP-NAME.
            people = (self._by_name[compact_name(end)] for end in _name_ends(person.name)[1:])
            namesakes = self._without_conflicting_ids(person, next(filter(None, people), []))
            return (
                (namesakes[0], f"called {person.name} in Moodle") if len(namesakes) == 1 else (None, self._missing_note)
            )
        if not namesakes and not person.ids:  # the key is the name of a folder or repository: ASSIGNMENT-LOGIN
            people = (self._by_identifier[end] for end in _name_ends(person.key.casefold())[1:])
            namesakes = next(filter(None, people), [])
        return (namesakes[0], "") if len(namesakes) == 1 else (None, self._missing_note)

    @staticmethod
    def _without_conflicting_ids(person: Person, people: Iterable[Person]) -> list[Person]:
        """Returns the people except those whose id of a kind differs from the person's id of that kind."""
        ids = dict(person.ids)
        return [other for other in people if all(ids.get(kind, value) == value for kind, value in other.ids)]

    @staticmethod
    def _name_mismatch_note(person: Person, roster_person: Person) -> str:
        """Returns a note if `roster_person`, who has an id of `person`, has another name; else empty.

        Only for Canvas. The names differ, for example, if a group submits together.
        """
        is_canvas = person.ids[0][0] == "canvas"
        if is_canvas and compact_name(person.name) not in compact_name_rotations(roster_person.name):
            possible_reasons = f"perhaps a group submission, or another name for {roster_person.name}"
            return f"its files are named after {person.name}: {possible_reasons}"
        return ""


def _name_ends(name: str) -> list[str]:
    """Returns a name, and what follows each of its hyphens.

    >>> _name_ends("hw1-Team-Rocket")
    ['hw1-Team-Rocket', 'Team-Rocket', 'Rocket']
    """
    parts = name.split("-")
    return ["-".join(parts[start:]) for start in range(len(parts))]


def team_called(person: Person, teams: Iterable[str]) -> str:
    """Returns the team that a submission is named after; empty if no team matches.

    The key of `person` is the name of the submission's folder or repository. Before the team's name, it may have other
    words and a hyphen.

    >>> team_called(Person("hw1-Team-Rocket", "hw1-Team-Rocket"), ["team rocket", "b"])
    'team rocket'
    """
    if person.ids:  # a platform identifies the person
        return ""
    team_by_name = {compact_name(team): team for team in teams}
    possible_names = map(compact_name, _name_ends(person.key))
    return next((team_by_name[name] for name in possible_names if name in team_by_name), "")


def share_in_teams(submissions: Sequence[ImportedSubmission], people: Iterable[Person]) -> list[ImportedSubmission]:
    """Returns the submissions, and the team's submission for each member of a team who submitted nothing.

    The team's submission is a folder with the team's name, or a submission of another member. If a team has several
    submissions, the latest is used, but only if the times of all are known. `people` are the people of the class.
    """
    person_by_key = {person.key: person for person in people}
    teams = defaultdict[str, list[Person]](list)
    for person in person_by_key.values():
        if person.team:
            teams[person.team].append(person)
    # Submissions that belong to no team are under the empty name.
    submissions_by_team = defaultdict[str, list[ImportedSubmission]](list)
    for submission in submissions:
        if not submission.is_missing:
            member = person_by_key.get(submission.person.key)
            team = member.team if member else team_called(submission.person, teams)
            submissions_by_team[team].append(submission)
    result = list(submissions)
    for team, members in teams.items():
        result = _share_latest(result, team, members, submissions_by_team[team])
    return result


def _share_latest(
    submissions: list[ImportedSubmission],
    team: str,
    members: Sequence[Person],
    team_submissions: Sequence[ImportedSubmission],
) -> list[ImportedSubmission]:
    """Returns all submissions, with the latest of `team_submissions` shared among the team's members."""
    submitter_keys = {submission.person.key for submission in team_submissions}
    members_without_submission = {person.key: person for person in members if person.key not in submitter_keys}
    if not team_submissions or not members_without_submission:
        return submissions
    latest = _latest_of(team_submissions)
    if latest is None:
        note = f"{len(team_submissions)} of team {team} have handed in, so it is unclear which submission is the team's"
        return [
            submission.with_notes(note) if submission.person.key in members_without_submission else submission
            for submission in submissions
        ]
    is_of_member = latest.person.key in {person.key for person in members}
    unchanged = [
        submission
        for submission in submissions
        if submission.person.key not in members_without_submission and submission is not latest
    ]
    sharers = [*([latest.person] if is_of_member else []), *members_without_submission.values()]
    return unchanged + [_submission_for(person, sharers, latest, team) for person in sharers]


def _latest_of(team_submissions: Sequence[ImportedSubmission]) -> ImportedSubmission | None:
    """Returns the latest of a team's submissions; None if there are several and the time of any is unknown."""
    if len(team_submissions) == 1:
        return team_submissions[0]
    dated = [(submission.at, submission) for submission in team_submissions if submission.at is not None]
    if len(dated) < len(team_submissions):
        return None
    _, latest = max(dated, key=lambda pair: pair[0])
    return latest


def _submission_for(
    person: Person, sharers: Sequence[Person], submission: ImportedSubmission, team: str
) -> ImportedSubmission:
    """Returns a team's submission as handed in by one of the people who share it."""
    others = ", ".join(member.name for member in sharers if member.key != person.key)
    note = f"handed in together with {others}, as team {team}" if others else f"handed in as team {team}"
    return msgspec.structs.replace(submission, person=person).with_notes(note)
