"""Matches submissions with the people of a roster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from pitboss.submissions.importers.display_names import compact_name, compact_name_rotations
from pitboss.submissions.importers.imported import ImportedSubmission, Person, SubmissionFacts
from pitboss.submissions.importers.roster import Roster
from pitboss.submissions.importers.teams import team_called


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
            matching_team = team_called(submission.person, teams)
            result.append(
                submission if matching_team else msgspec.structs.replace(submission, notes=(*submission.notes, note))
            )
            continue
        submitter_keys.add(roster_person.key)
        ids = tuple(dict.fromkeys((*roster_person.ids, *submission.person.ids)))
        person = msgspec.structs.replace(roster_person, ids=ids, email=roster_person.email or submission.person.email)
        notes = (*submission.notes, note) if note else submission.notes
        submission_on_roster = msgspec.structs.replace(submission, person=person, notes=notes)
        result.append(_with_facts(submission_on_roster, roster.facts_by_key.get(roster_person.key, SubmissionFacts())))
    return result + [ImportedSubmission(person, None) for person in roster.people if person.key not in submitter_keys]


def _with_facts(submission: ImportedSubmission, facts: SubmissionFacts) -> ImportedSubmission:
    """Adds the facts of a grading worksheet that the download lacks, and a note on an extension."""
    extension_note = f"has an extension in Moodle until {facts.extension}: set it as this person's due date"
    return msgspec.structs.replace(
        submission,
        at=submission.at or facts.at,
        is_late=facts.is_late if submission.is_late is None else submission.is_late,
        days_late=facts.days_late if submission.days_late is None else submission.days_late,
        notes=(*submission.notes, extension_note) if facts.extension else submission.notes,
    )


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
            namesakes = self._without_conflicting_ids(person, self._people_after_group(person.name))
            return (
                (namesakes[0], f"called {person.name} in Moodle") if len(namesakes) == 1 else (None, self._missing_note)
            )
        if not namesakes and not person.ids:  # the key is the name of a folder or repository
            namesakes = self._people_by_login_suffix(person.key)
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

    def _people_after_group(self, name: str) -> list[Person]:
        """Returns the people whose name follows a hyphen in `name`: Moodle writes GROUP-NAME."""
        parts = name.split("-")
        for start in range(1, len(parts)):
            if people := self._by_name[compact_name("-".join(parts[start:]))]:
                return people
        return []

    def _people_by_login_suffix(self, folder: str) -> list[Person]:
        """Returns the people whose login ends the folder's name: repositories are named ASSIGNMENT-LOGIN."""
        parts = folder.casefold().split("-")
        for start in range(1, len(parts)):
            if people := self._by_identifier["-".join(parts[start:])]:
                return people
        return []
