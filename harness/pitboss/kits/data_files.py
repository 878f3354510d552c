"""The data files of a kit: files that programs read, and a sample of the file in which submissions declare features.

rates.csv             a file of the stage, or else of a public case
features.sample.txt   a sample of features.txt, which is left out itself: it would declare features for the student
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.options import feature_names
from pitboss.errors import UsageError, as_found

#: The maximum number of lines of a file that a handout shows.
_MAX_LINES = 12


class DataFile(msgspec.Struct, frozen=True):
    """A text file of a kit."""

    name: str
    text: str

    @property
    def form(self) -> str:
        """The first lines of the file; a line with … replaces the omitted lines."""
        lines = self.text.splitlines()
        return "\n".join(lines if len(lines) <= _MAX_LINES else [*lines[:_MAX_LINES], "…"])


class DeclarationFile(msgspec.Struct, frozen=True):
    """The file in which a submission declares its features."""

    name: str
    #: A sample of the file, which declares all features.
    sample: DataFile
    #: The names of the features that a program's user requests by typing a key; a submission may declare its own key.
    with_keys: tuple[str, ...]


def data_files_of(stages: Sequence[Stage]) -> tuple[DataFile, ...]:
    """The text files that programs of these stages read; of files with equal names, the first."""
    invocations = [stage.invocation for stage in stages]
    invocations += [case.invocation for stage in stages for case in stage.spec.cases if case.visibility == "public"]
    files: dict[str, DataFile] = {}
    input_files = [invocation.input_file for invocation in invocations if invocation.input_file is not None]
    for file in (*(file for invocation in invocations for file in invocation.files or ()), *input_files):
        try:
            files.setdefault(file.name, DataFile(file.name, file.content.decode("utf-8")))
        except UnicodeDecodeError:
            continue
    return tuple(files.values())


def check_names(assignment: Assignment, data: Iterable[str], own: Iterable[str]) -> None:
    """Raises UsageError if the name of a data file is also the name of an `own` file of the kit, ignoring case."""
    own_names = {name.casefold(): name for name in own}
    for name in data:
        if name.casefold() in own_names:
            file, own_name = assignment.folder / "assignment.yaml", own_names[name.casefold()]
            raise UsageError(
                f"{file}: the sessions have a file {as_found(name)}, but the files for students include another "
                f"{own_name} — rename the file of the sessions"
            )


def declaration_file_of(assignment: Assignment) -> DeclarationFile | None:
    """The file in which submissions declare features, with a sample; None if the assignment has no `declared_in`."""
    if not assignment.declared_in:
        return None
    options = {option.name: option for stage in assignment.stages for option in stage.options if option.feature_rule}
    path = PurePath(assignment.declared_in)
    text = "".join(f"{word}\n" for word in feature_names(options.values()))
    sample = DataFile(f"{path.stem}.sample{path.suffix}", text)
    return DeclarationFile(path.name, sample, tuple(option.name for option in options.values() if option.key))
