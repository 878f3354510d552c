"""Reads an export of Gradescope: a folder for each submission, and a file that lists the submitters.

    submission_1234567/…         the files
    submission_metadata.yml      submission_1234567: {:submitters: [{:name:, :sid:, :email:}], :created_at:, …}

Keys begin with a colon because the file is written by Ruby.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.yamlfile import Items, Keyed, Node, Text, read_yaml
from pitboss.errors import SpecError, UsageError
from pitboss.submissions.importers.display_names import entries_of, one_line, person_name
from pitboss.submissions.importers.gathered_files import Scratch, program_or_folder
from pitboss.submissions.importers.imported import FoundSubmissions, ImportedSubmission, LeftOut, Person
from pitboss.submissions.importers.instants import NO_TIME_ZONE_NOTE, parse_instant

METADATA = "submission_metadata.yml"


def read_gradescope(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """Reads the submissions of an export, one for each submitter; raises UsageError if the metadata are unreadable."""
    entries, left_out = entries_of(folder)
    result = FoundSubmissions(left_out_entries=left_out)
    metadata = _metadata(folder / METADATA, scratch.path_in_download(folder / METADATA))
    submission_paths = {path.name: path for path in entries if path.is_dir() or path.name in metadata}
    for path in entries:
        if path.name not in submission_paths and path.name != METADATA:
            result.left_out_entries.append(LeftOut(one_line(path.name), f"not listed in {METADATA}"))
    for name, path in submission_paths.items():
        if name not in metadata:
            person = Person(one_line(name), one_line(name))
            note = f"{METADATA} lists no submitters"
            result.submissions.append(
                ImportedSubmission(person, program_or_folder(path, stages), source=one_line(name), notes=(note,))
            )
    for name, details in metadata.items():
        result.submissions += _submissions_of(name, details, submission_paths.get(name), stages)
    return result


def _metadata(path: Path, path_in_messages: Path) -> dict[str, Keyed]:
    """Returns the metadata of each submission, by the submission's name; messages name the file `path_in_messages`."""
    try:
        node = read_yaml(path, is_strict=False, name=path_in_messages)
    except SpecError as error:
        raise UsageError(f"{error}; download the export again") from error
    if not isinstance(node, Keyed) or not any(isinstance(entry, Keyed) for entry in node.entries.values()):
        raise UsageError(f"{path_in_messages}: it is not the {METADATA} of Gradescope; download the export again")
    return {name: node for name, node in node.entries.items() if isinstance(node, Keyed)}


def _submissions_of(name: str, details: Keyed, path: Path | None, stages: Sequence[Stage]) -> list[ImportedSubmission]:
    """Returns the submission `name` once for each submitter; `path` is its folder, or None if the folder is missing."""
    timestamp = _text(details, "created_at")
    submitted_at, has_zone = parse_instant(timestamp)
    instants = [parse_instant(_text(item, "created_at"))[0] for item in _items(details, "history")]
    other_instants = [other for other in instants if other is not None and other != submitted_at]
    notes = [NO_TIME_ZONE_NOTE] if submitted_at is not None and not has_zone else []
    if timestamp and submitted_at is None:
        notes.append(f"the time of submission cannot be read: {one_line(timestamp)[:60]}")
    if path is None:
        notes.append(f"listed in {METADATA}, but its folder {one_line(name)} is missing")
    if submitted_at is not None and any(instant > submitted_at for instant in other_instants):
        notes.append("there is a later submission, but this one was selected on Gradescope")
    submitters = _items(details, "submitters")
    people = [_person(submitter, name) for submitter in submitters] or [Person(one_line(name), one_line(name))]
    if not submitters:
        notes.append(f"{METADATA} lists no submitters")
    attempt = 1 + (sum(instant < submitted_at for instant in other_instants) if submitted_at is not None else 0)
    program = program_or_folder(path, stages) if path is not None else None
    submission = ImportedSubmission(
        people[0],
        program,
        at=submitted_at,
        attempt=attempt,
        other_attempts=len(other_instants),
        source=one_line(name),
        notes=tuple(notes),
    )
    return [_submission_for(person, people, submission) for person in people]


def _submission_for(person: Person, people: list[Person], submission: ImportedSubmission) -> ImportedSubmission:
    """Returns a submission as handed in by one of the people who share it."""
    others = [other.name for other in people if other is not person]
    notes = (*submission.notes, f"handed in together with {', '.join(others)}") if others else submission.notes
    return msgspec.structs.replace(submission, person=person, notes=notes)


def _person(node: Node, submission_name: str) -> Person:
    """Returns a submitter; the key is the student id, else the e-mail, the name or the name of the submission."""
    name, sid, email = (one_line(_text(node, key)) for key in ("name", "sid", "email"))
    ids = (("sis", sid),) if sid else ()
    key = sid or email or name or one_line(submission_name)
    return Person(person_name(name) or key, key, email=email, ids=(*ids, ("gradescope", one_line(submission_name))))


def _entry(node: Node, key: str) -> Node | None:
    """Returns the value of a key, which may be written with a colon before it; None if the key is missing."""
    if not isinstance(node, Keyed):
        return None
    return node.entries.get(f":{key}") or node.entries.get(key)


def _text(node: Node, key: str) -> str:
    """Returns the text under a key; empty if the key is missing, or its value is null."""
    entry = _entry(node, key)
    return entry.value.strip() if isinstance(entry, Text) and entry.value not in ("null", "~") else ""


def _items(node: Node, key: str) -> tuple[Node, ...]:
    """Returns the items of the list under a key; empty if the key is missing."""
    entry = _entry(node, key)
    return entry.items if isinstance(entry, Items) else ()
