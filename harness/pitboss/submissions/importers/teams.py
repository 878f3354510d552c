"""Shares the submission of a member of a team, or a submission named like the team, among all members of the team."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from pitboss.submissions.importers.display_names import compact_name
from pitboss.submissions.importers.imported import ImportedSubmission, Person


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
    parts = person.key.split("-")
    name_ends = ("-".join(parts[start:]) for start in range(len(parts)))
    return next((team_by_name[compact_name(end)] for end in name_ends if compact_name(end) in team_by_name), "")


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
        if submission.path is not None or submission.problem:  # else the person submitted nothing
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
            _with_note(submission, note) if submission.person.key in members_without_submission else submission
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
    return _with_note(msgspec.structs.replace(submission, person=person), note)


def _with_note(submission: ImportedSubmission, note: str) -> ImportedSubmission:
    return msgspec.structs.replace(submission, notes=(*submission.notes, note))
