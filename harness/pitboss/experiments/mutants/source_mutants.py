"""The mutants of a reference that is a source: each is built and run like a submission.

Mutants that do not compile, or compile to the same program as the reference, are left out. Each process builds in its
own folder:

    /tmp/pitboss-run-000/mutants-000/
        copy/       the files of the source; one file is changed at a time
        build/      the built mutant
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.errors import ShortageError, SpecError
from pitboss.experiments.mutants.edits import SourceChange, apply_edit, changes_in
from pitboss.experiments.mutants.mutant_list import ExclusionReason
from pitboss.experiments.mutants.tokens import digest_of
from pitboss.experiments.mutants.trial import Mutant, Mutants
from pitboss.experiments.programs.running import ProgramRun, conditions_here, programs_ready
from pitboss.machine import removal, scratch
from pitboss.model.languages import LANGUAGES, is_header, language_of
from pitboss.sessions.drivers import expected_run_here
from pitboss.submissions.compilers import Build, first_error
from pitboss.submissions.projects import is_code
from pitboss.submissions.reference_source import reference_source
from pitboss.submissions.sources import files_below

#: The default maximum number of changes to try: building and running one mutant takes tenths of a second, or seconds.
DEFAULT_MAX_CHANGES = 200
#: The maximum idle time of a mutant, in seconds: a change may make the program wait forever.
_MAX_IDLE_S = 2
#: Flags for C and C++ compilers: without debug information, equal programs are equal files.
_COMPILER_FLAGS = ("-g0",)


#: Languages whose programs are run from a source file.
_INTERPRETED = frozenset(
    language.name
    for language in LANGUAGES.values()
    if language.is_interpreted or (language.run and "{file}" in " ".join(language.run))
)


class SourceMutants(Mutants):
    """The changes of the source of a stage's reference."""

    def __init__(self, stage: Stage, max_changes: int) -> None:
        """Find the source, and select at most `max_changes` changes to try."""
        self.stage, self._source = stage, reference_source(stage, Path(stage.reference.command[0]))
        self.reference = expected_run_here(stage)
        self._limits = msgspec.structs.replace(stage.limits, idle_s=min(_MAX_IDLE_S, stage.limits.idle_s))
        self._texts = {name: _read(self._source.folder / name) for name in self._own_files()}
        all_changes = [
            change for name, text in self._texts.items() for change in changes_in(text, name, self._language(name))
        ]
        selected = set(spread_evenly(all_changes, max_changes))
        self.changes = [change for index, change in enumerate(all_changes) if index in selected]
        self.untried = [change for index, change in enumerate(all_changes) if index not in selected]
        #: The digest of the program built from the unchanged source; empty before it is built.
        self._unchanged = ""

    def _own_files(self) -> list[str]:
        """The source's files, without those that students are given."""
        folder = self._source.source.folder.relative_to(self._source.folder)
        given_names = files_below(self.stage.given) if self.stage.given is not None else ()
        given = {(folder / name).as_posix() for name in given_names}
        return [name for name in self._source.code_files if name not in given]

    def _language(self, name: str) -> str:
        """The language that the file's name shows; the program's language for a header, or if the name shows none.

        The language of a program built by make is that of the first file other than headers whose name shows a
        language, or else C.
        """
        language = language_of(name)
        if language is not None and not is_header(name):
            return language.name
        if self._source.source.language != "make":
            return self._source.source.language
        languages = (language_of(file) for file in self._texts if not is_header(file))
        return next((candidate.name for candidate in languages if candidate is not None), "c")

    @contextlib.contextmanager
    def opened(self) -> Iterator[Callable[[SourceChange | None], Mutant]]:
        """Yields a function that builds the mutant of a change; only one mutant exists at a time."""
        with scratch.folder("mutants") as folder, contextlib.ExitStack() as ready:
            self._source.copy(Path(folder) / "copy")
            yield partial(self._mutant, Path(folder), ready)

    def _mutant(self, folder: Path, ready: contextlib.ExitStack, change: SourceChange | None) -> Mutant:
        """Raises SpecError if the unchanged source cannot be built."""
        ready.close()  # so that the previous mutant does not stay ready to run
        texts = self._texts
        if change is not None:
            texts = {**texts, change.file: apply_edit(texts[change.file], change.edit)}
            _write(folder / "copy" / change.file, texts[change.file])
        try:
            built = self._build(folder)
        finally:
            if change is not None:
                _write(folder / "copy" / change.file, self._texts[change.file])
        program = built.program
        if program is None and change is None:
            raise SpecError(built.reason or first_error(built.messages))
        if program is None:
            return Mutant(None, exclusion=ExclusionReason.NOT_BUILT)
        digest = self._digest(folder / "build", texts)
        if change is None:
            self._unchanged = digest
        elif digest == self._unchanged:
            return Mutant(None, exclusion=ExclusionReason.EQUAL)
        ready.enter_context(programs_ready())
        name = "the reference" if change is None else "the mutant"
        return Mutant(ProgramRun(name, lambda: program, self.stage, self._limits), digest)

    def _build(self, folder: Path) -> Build:
        """Build the files in `folder`/copy; raises ShortageError if this machine cannot build them."""
        removal.remove(str(folder / "build"))
        built = self._source.built(folder / "copy", folder / "build", conditions_here(), _COMPILER_FLAGS)
        if built.is_fault:
            raise ShortageError(built.reason)
        return built

    def _digest(self, build: Path, texts: dict[str, str]) -> str:
        """A digest of the built files that are not sources; for an interpreted language, of the code in `texts`."""
        if self._source.source.language in _INTERPRETED:
            parts = [digest_of(text, self._language(name)).encode() for name, text in texts.items()]
        else:
            paths = sorted(path for path in build.rglob("*") if path.is_file() and not is_code(path.name))
            parts = [f"\n{path.relative_to(build)}\n".encode() + path.read_bytes() for path in paths]
        return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


def spread_evenly(changes: Sequence[SourceChange], max_changes: int) -> list[int]:
    """The indexes of at most `max_changes` changes, in ascending order.

    A digest of each change's id decides, so the selection is spread over all changes and always the same.
    """
    indexes = range(len(changes))
    if len(changes) <= max_changes:
        return list(indexes)
    by_digest = sorted(indexes, key=lambda index: hashlib.blake2b(changes[index].id.encode()).digest())
    return sorted(by_digest[:max_changes])


def _read(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _write(file: Path, text: str) -> None:
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
