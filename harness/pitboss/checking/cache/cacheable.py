"""Decides, before a report is computed, whether it may be cached, and on which code of its assignment it depends."""

from __future__ import annotations

import re
from pathlib import Path

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.functions import parse_function_name
from pitboss.checking.cache.assignment_code import NamedCode
from pitboss.sandbox.digests import NoDigestError

#: A path in a spec file that may lead out of the assignment's folder, in a line that is not a comment.
_LEADS_OUT = re.compile(rb"^(?![ \t]*#).*(?:\.\./|:[ \t]+[\"']?/)", re.MULTILINE)


def named_code_of(assignment: Assignment) -> NamedCode:
    """The code that an assignment names.

    Raises NoDigestError if a command or a path in a spec file may lead to files outside of the assignment's folder.
    """
    folder = assignment.folder.resolve()
    _check_paths(folder)
    for stage in assignment.stages:
        references = (stage.reference, *(tolerated.reference for tolerated in stage.tolerated))
        commands = [reference.command for reference in references] + [checker.command for checker in stage.checkers]
        for command in commands:
            # All files that a command uses are assumed to be in the assignment's folder if one argument is.
            if command and not any(Path(argument).is_relative_to(folder) for argument in command):
                raise NoDigestError(f"{stage.name}: the files that {command[0]} uses are unknown")
    parts = map(parse_function_name, assignment.functions)
    return NamedCode(str(folder), tuple(sorted({(part.folder, part.package) for part in parts})))


def _check_paths(folder: Path) -> None:
    """Raise NoDigestError if a spec file may name a file outside of its folder."""
    for path in sorted(folder.rglob("*.yaml")):
        try:
            if _LEADS_OUT.search(path.read_bytes()):
                raise NoDigestError(f"{path}: it may name a file outside of {folder}")
        except OSError as error:
            raise NoDigestError(f"{path}: {error.strerror}") from error
