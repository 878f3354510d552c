"""Computes what a result in a gradebook depends on, so that only results that may have changed are computed again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.assignments.yamlfile import Items, Keyed, Node, Text, read_yaml
from pitboss.checking.cache.assignment_code import digest_of_code
from pitboss.checking.cache.cacheable import named_code_of
from pitboss.errors import SpecError
from pitboss.gradebook.person_records import Causes
from pitboss.sandbox.digests import Digest, UnknownError
from pitboss.sandbox.fingerprint import digest_of_pitboss


def digest_of_program(path: Path) -> str:
    """The digest of a submission, with its name if it is a file. Raises UnknownError if it cannot be read."""
    digest = Digest("submission in a gradebook")
    if not path.is_dir():
        digest.add(path.name)
    digest.add_submission(path)
    return digest.text()


def digest_of_assignment(assignment: Assignment) -> str:
    """The digest of an assignment without its grading policy, on which no session depends.

    Raises UnknownError if its code cannot be determined, SpecError if its file can no longer be read.
    """
    # Resolved as in `named_code_of`, so that the digest of the code leaves out this file.
    file = assignment.folder.resolve() / ASSIGNMENT_FILE
    digest = Digest("assignment in a gradebook")
    node = read_yaml(file)
    entries = node.entries if isinstance(node, Keyed) else {}
    digest.add(*(part for name, entry in entries.items() if name != "grading" for part in (name, _plain(entry))))
    digest.add(digest_of_code(named_code_of(assignment), [file]))
    return digest.text()


def _plain(node: Node) -> str:
    """A text that identifies a node's content, independent of its position in the file."""
    match node:
        case Text(value):
            return repr(value)
        case Items(items):
            return repr([_plain(item) for item in items])
        case Keyed(entries):
            return repr([(name, _plain(entry)) for name, entry in entries.items()])


def digest_of_request(words: Iterable[str], given: Iterable[Path]) -> str:
    """The digest of a command's request, with the files of the course; UnknownError if a file cannot be read."""
    digest = Digest("asked of a gradebook")
    digest.add(*words)
    for folder in given:
        digest.add_path(folder)
    return digest.text()


class Common(NamedTuple):
    """The causes that all submissions of a class share."""

    assignment: str
    asked: str
    pitboss: str

    def causes_of(self, path: Path) -> Causes | None:
        """All causes of a submission's result; None if they cannot be determined: then it is run each time."""
        if not self.assignment:
            return None
        try:
            return Causes(digest_of_program(path), *self)
        except (UnknownError, OSError):
            return None


def common(assignment: Assignment, words: Iterable[str], given: Iterable[Path]) -> Common:
    """The causes that a class shares; all empty if the assignment's code cannot be determined."""
    try:
        return Common(digest_of_assignment(assignment), digest_of_request(words, given), digest_of_pitboss())
    except (UnknownError, OSError, SpecError):
        return Common("", "", "")
