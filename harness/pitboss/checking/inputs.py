"""Computes the causes of a result: digests of everything that a result in a gradebook depends on.

Only results whose causes have changed are computed again.
"""

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
from pitboss.gradebook.people import Causes
from pitboss.sandbox.digests import Digest, NoDigestError
from pitboss.sandbox.fingerprint import digest_of_pitboss


def digest_of_program(path: Path) -> str:
    """The digest of a submission, with its name if it is a file. Raises NoDigestError if it cannot be read."""
    digest = Digest("submission in a gradebook")
    if not path.is_dir():
        digest.add(path.name)
    digest.add_submission(path)
    return digest.text()


def digest_of_assignment(assignment: Assignment) -> str:
    """The digest of an assignment without its grading policy, on which no session depends.

    Raises NoDigestError if the assignment's code cannot be determined, SpecError if its file can no longer be read.
    """
    # The path is resolved as in `named_code_of`, so that `digest_of_code` recognizes the file and leaves it out.
    file = assignment.folder.resolve() / ASSIGNMENT_FILE
    digest = Digest("assignment in a gradebook")
    node = read_yaml(file)
    entries = node.entries if isinstance(node, Keyed) else {}
    digest.add(*(part for name, entry in entries.items() if name != "grading" for part in (name, _content_text(entry))))
    digest.add(digest_of_code(named_code_of(assignment), [file]))
    return digest.text()


def _content_text(node: Node) -> str:
    """A text that identifies a node's content, independent of its position in the file."""
    match node:
        case Text(value):
            return repr(value)
        case Items(items):
            return repr([_content_text(item) for item in items])
        case Keyed(entries):
            return repr([(name, _content_text(entry)) for name, entry in entries.items()])


def digest_of_request(options: Iterable[str], given: Iterable[Path]) -> str:
    """The digest of a command's options, and of the course's files in the folders `given`.

    Raises NoDigestError if a file cannot be read.
    """
    digest = Digest("asked of a gradebook")
    digest.add(*options)
    for folder in given:
        digest.add_path(folder)
    return digest.text()


class ClassCauses(NamedTuple):
    """The causes that all submissions of a class share; all empty if they cannot be determined."""

    #: The digest of the assignment.
    assignment: str
    #: The digest of the command's options and the course's files.
    options: str
    #: The digest of pitboss's own code.
    pitboss: str

    def causes_of(self, path: Path) -> Causes | None:
        """All causes of the result of the submission at `path`.

        None if the causes cannot be determined: then the submission is run each time.
        """
        if not self.assignment:
            return None
        try:
            return Causes(digest_of_program(path), *self)
        except (NoDigestError, OSError):
            return None


def class_causes(assignment: Assignment, command_options: Iterable[str], given: Iterable[Path]) -> ClassCauses:
    """Compute the causes that all submissions of a class share; all empty if they cannot be determined.

    `command_options` are the command's options, and `given` the folders with the course's files.
    """
    try:
        return ClassCauses(
            digest_of_assignment(assignment), digest_of_request(command_options, given), digest_of_pitboss()
        )
    except (NoDigestError, OSError, SpecError):
        return ClassCauses("", "", "")
