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
from pitboss.submissions.importers.gathered_files import Scratch, only_file
from pitboss.submissions.importers.imported import FoundSubmissions, ImportedSubmission, LeftOut, Person
from pitboss.submissions.importers.instants import NAIVE, parse_instant

METADATA = "submission_metadata.yml"


def read_gradescope(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """Reads the submissions of an export, one per submitter; raises UsageError if the metadata are unreadable."""
    entries, left_out = entries_of(folder)
    result = FoundSubmissions(not_understood=left_out)
    metadata = _metadata(folder / METADATA, scratch.as_given(folder / METADATA))
    folders = {path.name: path for path in entries if path.is_dir() or path.name in metadata}
    for path in entries:
        if path.name not in folders and path.name != METADATA:
            result.not_understood.append(LeftOut(one_line(path.name), f"not listed in {METADATA}"))
    for name, path in folders.items():
        if name not in metadata:
            person = Person(one_line(name), one_line(name))
            note = f"{METADATA} lists no submitters"
            result.handed.append(
                ImportedSubmission(person, only_file(path, stages), source=one_line(name), notes=(note,))
            )
    for name, details in metadata.items():
        result.handed += _submissions_of(name, details, folders.get(name), stages)
    return result


def _metadata(path: Path, given: Path) -> dict[str, Keyed]:
    try:
        node = read_yaml(path, is_ours=False, called=given)
    except SpecError as error:
        raise UsageError(f"{error}; download the export again") from error
    if not isinstance(node, Keyed) or not any(isinstance(entry, Keyed) for entry in node.entries.values()):
        raise UsageError(f"{given}: it is not the {METADATA} of Gradescope; download the export again")
    return {name: node for name, node in node.entries.items() if isinstance(node, Keyed)}


def _submissions_of(name: str, details: Keyed, path: Path | None, stages: Sequence[Stage]) -> list[ImportedSubmission]:
    written = _text(details, "created_at")
    at, has_zone = parse_instant(written)
    instants = [parse_instant(_text(item, "created_at"))[0] for item in _items(details, "history")]
    other_instants = [other for other in instants if other is not None and other != at]
    notes = [NAIVE] if at is not None and not has_zone else []
    if written and at is None:
        notes.append(f"the time of submission cannot be read: {one_line(written)[:60]}")
    if path is None:
        notes.append(f"listed in {METADATA}, but its folder {one_line(name)} is missing")
    if at is not None and any(instant > at for instant in other_instants):
        notes.append("there is a later submission, but this one was selected on Gradescope")
    submitters = _items(details, "submitters")
    people = [_person(submitter, name) for submitter in submitters] or [Person(one_line(name), one_line(name))]
    if not submitters:
        notes.append(f"{METADATA} lists no submitters")
    attempt = 1 + (sum(instant < at for instant in other_instants) if at is not None else 0)
    program = only_file(path, stages) if path is not None else None
    handed = ImportedSubmission(
        people[0], program, at, None, attempt, len(other_instants), one_line(name), tuple(notes)
    )
    return [_submission_for(person, people, handed) for person in people]


def _submission_for(person: Person, people: list[Person], handed: ImportedSubmission) -> ImportedSubmission:
    others = [other.name for other in people if other is not person]
    notes = (*handed.notes, f"handed in together with {', '.join(others)}") if others else handed.notes
    return msgspec.structs.replace(handed, person=person, notes=notes)


def _person(node: Node, submission: str) -> Person:
    name, sid, email = (one_line(_text(node, key)) for key in ("name", "sid", "email"))
    ids = (("sis", sid),) if sid else ()
    key = sid or email or name or one_line(submission)
    return Person(person_name(name) or key, key, email=email, ids=(*ids, ("gradescope", one_line(submission))))


def _entry(node: Node, key: str) -> Node | None:
    if not isinstance(node, Keyed):
        return None
    return node.entries.get(f":{key}") or node.entries.get(key)


def _text(node: Node, key: str) -> str:
    entry = _entry(node, key)
    return entry.value.strip() if isinstance(entry, Text) and entry.value not in ("null", "~") else ""


def _items(node: Node, key: str) -> tuple[Node, ...]:
    entry = _entry(node, key)
    return entry.items if isinstance(entry, Items) else ()
