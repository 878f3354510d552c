"""The files that a kit has samples of: what programs find where they run, and what a submission declares itself in.

rates.csv             a file of the stage, or else of a public case
features.sample.txt   of features.txt, which holds a program to what is in it and so is not in the kit
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.options import words_of
from pitboss.errors import UsageError, as_found

#: The most lines of a file that a handout shows.
_MOST_LINES = 12


class DataFile(msgspec.Struct, frozen=True):
    """A text file as a kit has it."""

    name: str
    text: str

    @property
    def form(self) -> str:
        """Its first lines; a line with … says that there are more."""
        lines = self.text.splitlines()
        return "\n".join(lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], "…"])


class Declared(msgspec.Struct, frozen=True):
    """The file in which a submission declares its features."""

    name: str
    sample: DataFile
    #: Those of the features that may have another key.
    with_keys: tuple[str, ...]


def data_files_of(stages: Sequence[Stage]) -> tuple[DataFile, ...]:
    """The files that programs of these stages find where they run, as far as they are text: the first of each name."""
    invocations = [stage.invocation for stage in stages]
    invocations += [case.invocation for stage in stages for case in stage.spec.cases if case.visibility == "public"]
    found: dict[str, DataFile] = {}
    for file in (file for invocation in invocations for file in invocation.files or ()):
        try:
            found.setdefault(file.name, DataFile(file.name, file.content.decode("utf-8")))
        except UnicodeDecodeError:
            continue
    return tuple(found.values())


def see_names(assignment: Assignment, data: Iterable[str], own: Iterable[str]) -> None:
    """Raise UsageError if a file of the sessions is called as one of the kit's own, where capitals may not count."""
    owned = {name.casefold(): name for name in own}
    for name in data:
        if name.casefold() in owned:
            file, taken = assignment.folder / "assignment.yaml", owned[name.casefold()]
            raise UsageError(
                f"{file}: the sessions have a file {as_found(name)}, and what students get has a {taken} of its own "
                "— give that of the sessions another name"
            )


def declared_of(assignment: Assignment) -> Declared | None:
    """The file in which submissions declare their features, with a sample that has all; None if there is none."""
    if not assignment.declared_in:
        return None
    options = {option.name: option for stage in assignment.stages for option in stage.options if option.shows}
    path = PurePath(assignment.declared_in)
    text = "".join(f"{word}\n" for word in words_of(options.values()))
    sample = DataFile(f"{path.stem}.sample{path.suffix}", text)
    return Declared(path.name, sample, tuple(option.name for option in options.values() if option.key))
