"""What a result in a gradebook hangs on, by its causes: a rerun runs what one of these has changed, and says which."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.assignments.yamlfile import Items, Keyed, Node, Text, read_yaml
from pitboss.errors import SpecError
from pitboss.kept.code import digest_of_code
from pitboss.kept.named import named_by
from pitboss.machine.digests import Digest, UnknownError
from pitboss.machine.surroundings import digest_of_pitboss


class Causes(NamedTuple):
    """Digests of what a result hangs on."""

    program: str
    #: The specs, and the code of reference, readers, players and mistakes.
    assignment: str
    #: Stages, limits, files of the course: what the command was asked.
    asked: str
    pitboss: str

    @property
    def unknown(self) -> Causes:
        """The causes of a run of which it is not known what it hangs on: no other run has the same."""
        return self._replace(assignment="", asked="", pitboss="")

    def changed_since(self, earlier: Causes) -> tuple[str, ...]:
        """The names of those that differ."""
        return tuple(name for name in self._fields if getattr(self, name) != getattr(earlier, name))


def of_program(path: Path) -> str:
    """The digest of what was handed in; UnknownError if it cannot be read. Its own name counts only for a file."""
    digest = Digest("submission in a gradebook")
    if not path.is_dir():
        digest.add(path.name)
    digest.add_submission(path)
    return digest.text()


def of_assignment(assignment: Assignment) -> str:
    """The digest of an assignment but for its grading policy, which no session hangs on.

    Raises UnknownError if it cannot be told what its code is, SpecError if it cannot be read any more.
    """
    # The folder as `named_by` has it.
    file = assignment.folder.resolve() / ASSIGNMENT_FILE
    digest = Digest("assignment in a gradebook")
    node = read_yaml(file)
    entries = node.entries if isinstance(node, Keyed) else {}
    digest.add(*(part for name, entry in entries.items() if name != "grading" for part in (name, _plain(entry))))
    digest.add(digest_of_code(named_by(assignment), [file]))
    return digest.text()


def _plain(node: Node) -> str:
    """A node as a text that no other node has, wherever in its file it is."""
    match node:
        case Text(value):
            return repr(value)
        case Items(items):
            return repr([_plain(one) for one in items])
        case Keyed(entries):
            return repr([(name, _plain(one)) for name, one in entries.items()])


def of_asked(words: Iterable[str], given: Iterable[Path]) -> str:
    """The digest of what a command was asked, with the files of the course; UnknownError if one cannot be read."""
    digest = Digest("asked of a gradebook")
    digest.add(*words)
    for folder in given:
        digest.add_path(folder)
    return digest.text()


class Common(NamedTuple):
    """The causes that a whole class shares."""

    assignment: str
    asked: str
    pitboss: str

    def of(self, path: Path) -> Causes | None:
        """All causes of the result of one submission; None if they cannot be told: it is run each time."""
        if not self.assignment:
            return None
        try:
            return Causes(of_program(path), *self)
        except (UnknownError, OSError):
            return None


def common(assignment: Assignment, words: Iterable[str], given: Iterable[Path]) -> Common:
    """The causes that a class shares; that of the assignment is empty if it cannot be told what its code is."""
    try:
        return Common(of_assignment(assignment), of_asked(words, given), digest_of_pitboss())
    except (UnknownError, OSError, SpecError):
        return Common("", "", "")
