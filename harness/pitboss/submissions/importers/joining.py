"""Matches submissions with the people of a roster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from pitboss.submissions.importers.display_names import squashed, squashed_forms
from pitboss.submissions.importers.imported import ImportedSubmission, Person, Submitted
from pitboss.submissions.importers.roster import Roster
from pitboss.submissions.importers.teams import team_called


def match_with_roster(handed: list[ImportedSubmission], roster: Roster) -> list[ImportedSubmission]:
    """Replaces each person with the matching person on the roster.

    Each person on the roster who submitted nothing gets a row without a path. A submission named like a team is not
    changed: see `teams`.
    """
    index, teams = _RosterIndex(roster), {person.team for person in roster.people} - {""}
    rows, present = [], set[str]()
    for submission in handed:
        listed, note = index.lookup(submission.person)
        if listed is None:
            is_team = team_called(submission.person, teams)
            rows.append(submission if is_team else msgspec.structs.replace(submission, notes=(*submission.notes, note)))
            continue
        present.add(listed.key)
        ids = tuple(dict.fromkeys((*listed.ids, *submission.person.ids)))
        person = msgspec.structs.replace(listed, ids=ids, email=listed.email or submission.person.email)
        notes = (*submission.notes, note) if note else submission.notes
        named = msgspec.structs.replace(submission, person=person, notes=notes)
        rows.append(_with_facts(named, roster.submitted.get(listed.key, Submitted())))
    return rows + [ImportedSubmission(person, None) for person in roster.people if person.key not in present]


def _with_facts(submission: ImportedSubmission, facts: Submitted) -> ImportedSubmission:
    """Adds the facts of a worksheet that are not in the download."""
    extension_note = f"has an extension in Moodle until {facts.extension}: set it as this person's due date"
    return msgspec.structs.replace(
        submission,
        at=submission.at or facts.at,
        is_late=facts.is_late if submission.is_late is None else submission.is_late,
        days_late=facts.days_late if submission.days_late is None else submission.days_late,
        notes=(*submission.notes, extension_note) if facts.extension else submission.notes,
    )


#: Kinds of ids that only one platform uses.
_PLATFORM_ID_KINDS = ("canvas", "canvas-anonymous", "moodle")


class _RosterIndex:
    """An index of a roster's people: by kind and value of an id, any identifier (id, key, login, e-mail), and name."""

    def __init__(self, roster: Roster) -> None:
        self._missing = f"not on the roster {roster.path.name}"
        self._by_id = defaultdict[tuple[str, str], list[Person]](list)
        self._by_identifier = defaultdict[str, list[Person]](list)
        self._by_name = defaultdict[str, list[Person]](list)
        for person in roster.people:
            for kind, value in person.ids:
                self._by_id[kind, value.casefold()].append(person)
            identifiers = {person.key, person.login, person.email, *(value for _, value in person.ids)} - {""}
            for identifier in {identifier.casefold() for identifier in identifiers}:
                self._by_identifier[identifier].append(person)
            for form in squashed_forms(person.name):
                self._by_name[form].append(person)

    def lookup(self, person: Person) -> tuple[Person | None, str]:
        """Returns the person on the roster, None if missing or ambiguous; and a note about the match."""
        for kind, value in ((kind, value) for own, value in person.ids for kind in (own, "id")):
            if len(matches := self._by_id[kind, value.casefold()]) == 1:
                return matches[0], self._name_mismatch_note(person, matches[0])
        # A platform's own number may belong to somebody else in another system.
        is_number = any(kind in _PLATFORM_ID_KINDS for kind, _ in person.ids)
        for identifier in (person.email, person.login, "" if is_number else person.key):
            if (
                identifier
                and len(matches := self._without_conflicting_ids(person, self._by_identifier[identifier.casefold()]))
                == 1
            ):
                return matches[0], ""
        named = self._without_conflicting_ids(person, self._by_name[squashed(person.name)])
        if len(named) > 1:
            return None, f"{self._missing}: {len(named)} people there have this name, so it is unclear who this is"
        if not named and person.ids[:1] and person.ids[0][0] == "moodle":
            named = self._without_conflicting_ids(person, self._people_after_group(person.name))
            return (named[0], f"called {person.name} there") if len(named) == 1 else (None, self._missing)
        if not named and not person.ids:
            named = self._people_by_login_suffix(person.key)
        return (named[0], "") if len(named) == 1 else (None, self._missing)

    @staticmethod
    def _without_conflicting_ids(person: Person, people: Iterable[Person]) -> list[Person]:
        """Drops people who have a different id of the same kind: they only share the name."""
        ids = dict(person.ids)
        return [person for person in people if all(ids.get(kind, value) == value for kind, value in person.ids)]

    @staticmethod
    def _name_mismatch_note(person: Person, listed: Person) -> str:
        """Returns a note if the person with this id has another name, as in a group that submits together."""
        is_canvas = person.ids[0][0] == "canvas"
        if is_canvas and squashed(person.name) not in squashed_forms(listed.name):
            own = f"another name for {listed.name}"
            return f"its files are named after {person.name}: perhaps a group submission, or {own}"
        return ""

    def _people_after_group(self, name: str) -> list[Person]:
        """Returns the people whose name follows a hyphen: Moodle writes GROUP-NAME."""
        parts = name.split("-")
        for start in range(1, len(parts)):
            if people := self._by_name[squashed("-".join(parts[start:]))]:
                return people
        return []

    def _people_by_login_suffix(self, folder: str) -> list[Person]:
        """Returns the people whose login ends the folder's name: repositories are named ASSIGNMENT-LOGIN."""
        parts = folder.casefold().split("-")
        for start in range(1, len(parts)):
            if people := self._by_identifier["-".join(parts[start:])]:
                return people
        return []
