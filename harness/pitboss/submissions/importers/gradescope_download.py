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
from pitboss.submissions.importers.instants import NAIVE, instant

METADATA = "submission_metadata.yml"


def read_gradescope(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """The submissions of an export, one for each submitter; raises UsageError if the metadata are unreadable."""
    entries, left = entries_of(folder)
    result = FoundSubmissions(not_understood=left)
    metadata = _metadata(folder / METADATA, scratch.as_given(folder / METADATA))
    folders = {path.name: path for path in entries if path.is_dir() or path.name in metadata}
    for path in entries:
        if path.name not in folders and path.name != METADATA:
            result.not_understood.append(LeftOut(one_line(path.name), f"not listed in {METADATA}"))
    for name, path in folders.items():
        if name not in metadata:
            person = Person(one_line(name), one_line(name))
            note = f"{METADATA} names nobody"
            result.handed.append(
                ImportedSubmission(person, only_file(path, stages), source=one_line(name), notes=(note,))
            )
    for name, about in metadata.items():
        result.handed += _handed(name, about, folders.get(name), stages)
    return result


def _metadata(path: Path, given: Path) -> dict[str, Keyed]:
    try:
        node = read_yaml(path, is_ours=False, called=given)
    except SpecError as error:
        raise UsageError(f"{error}; download the export again") from error
    if not isinstance(node, Keyed) or not any(isinstance(entry, Keyed) for entry in node.entries.values()):
        raise UsageError(f"{given}: it is not the {METADATA} of Gradescope; download the export again")
    return {name: node for name, node in node.entries.items() if isinstance(node, Keyed)}


def _handed(name: str, about: Keyed, path: Path | None, stages: Sequence[Stage]) -> list[ImportedSubmission]:
    written = _text(about, "created_at")
    at, has_zone = instant(written)
    others = [instant(_text(item, "created_at"))[0] for item in _items(about, "history")]
    dated = [other for other in others if other is not None and other != at]
    notes = [NAIVE] if at is not None and not has_zone else []
    if written and at is None:
        notes.append(f"the time of submission cannot be read: {one_line(written)[:60]}")
    if path is None:
        notes.append(f"it is in {METADATA}, and its folder {one_line(name)} is missing")
    if at is not None and any(instant > at for instant in dated):
        notes.append("there is a later submission, but this one was selected on Gradescope")
    submitters = _items(about, "submitters")
    people = [_person(submitter, name) for submitter in submitters] or [Person(one_line(name), one_line(name))]
    if not submitters:
        notes.append(f"{METADATA} names nobody")
    attempt = 1 + (sum(instant < at for instant in dated) if at is not None else 0)
    program = only_file(path, stages) if path is not None else None
    handed = ImportedSubmission(people[0], program, at, None, attempt, len(dated), one_line(name), tuple(notes))
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
    found = _entry(node, key)
    return found.value.strip() if isinstance(found, Text) and found.value not in ("null", "~") else ""


def _items(node: Node, key: str) -> tuple[Node, ...]:
    found = _entry(node, key)
    return found.items if isinstance(found, Items) else ()
