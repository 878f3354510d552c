"""Teams of a roster: a submission of one member, or in a folder named like the team, is graded for all members."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from pitboss.submissions.importers.display_names import squashed
from pitboss.submissions.importers.imported import ImportedSubmission, Person


def team_called(person: Person, teams: Iterable[str]) -> str:
    """Returns the team that a folder is named after, or whose name ends a repository's name; empty if no team matches.

    >>> team_called(Person("hw1-Team-Rocket", "hw1-Team-Rocket"), ["team rocket", "b"])
    'team rocket'
    """
    if person.ids:  # a platform identifies the person
        return ""
    by_name = {squashed(team): team for team in teams}
    parts = person.key.split("-")
    ends = ("-".join(parts[start:]) for start in range(len(parts)))
    return next((by_name[squashed(end)] for end in ends if squashed(end) in by_name), "")


def share_in_teams(handed: Sequence[ImportedSubmission], people: Iterable[Person]) -> list[ImportedSubmission]:
    """Gives the team's submission to each member who has no submission of their own.

    The team's submission is a folder with the team's name, or a submission of another member. If there are several,
    the last is used, provided that all times are known. `people` are the members of the class.
    """
    by_key = {person.key: person for person in people}
    teams = defaultdict[str, list[Person]](list)
    for person in by_key.values():
        if person.team:
            teams[person.team].append(person)
    by_team = defaultdict[str, list[ImportedSubmission]](list)
    for submission in handed:
        if submission.path is not None or submission.problem:
            member = by_key.get(submission.person.key)
            by_team[member.team if member else team_called(submission.person, teams)].append(submission)
    result = list(handed)
    for team, members in teams.items():
        result = _share_latest(result, team, members, by_team[team])
    return result


def _share_latest(
    handed: list[ImportedSubmission], team: str, members: Sequence[Person], submitted: Sequence[ImportedSubmission]
) -> list[ImportedSubmission]:
    """Returns all submissions, with the last of a team's submissions (`submitted`) shared among its members."""
    own = {submission.person.key for submission in submitted}
    missing = {person.key: person for person in members if person.key not in own}
    if not submitted or not missing:
        return handed
    latest = _latest_of(submitted)
    if latest is None:
        note = f"{len(submitted)} of team {team} have handed in, so it is unclear which submission is the team's"
        return [
            _with_note(submission, note) if submission.person.key in missing else submission for submission in handed
        ]
    is_of_member = latest.person.key in {person.key for person in members}
    rest = [submission for submission in handed if submission.person.key not in missing and submission is not latest]
    sharing = [*([latest.person] if is_of_member else []), *missing.values()]
    return rest + [_submission_for(person, sharing, latest, team) for person in sharing]


def _latest_of(submitted: Sequence[ImportedSubmission]) -> ImportedSubmission | None:
    """Returns the last submission; None if there are several and any of their times is unknown."""
    if len(submitted) == 1:
        return submitted[0]
    dated = [(submission.at, submission) for submission in submitted if submission.at is not None]
    return max(dated, key=lambda pair: pair[0])[1] if len(dated) == len(submitted) else None


def _submission_for(
    person: Person, sharing: Sequence[Person], handed: ImportedSubmission, team: str
) -> ImportedSubmission:
    others = ", ".join(member.name for member in sharing if member.key != person.key)
    note = f"handed in together with {others}, as team {team}" if others else f"handed in as team {team}"
    return _with_note(msgspec.structs.replace(handed, person=person), note)


def _with_note(handed: ImportedSubmission, note: str) -> ImportedSubmission:
    return msgspec.structs.replace(handed, notes=(*handed.notes, note))
