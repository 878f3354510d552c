"""A submission: a folder, an archive or a file, and the locations of its programs.

An archive is unpacked; archives in a folder are unpacked only if a program is missing outside them:

    /tmp/pitboss-unpacked-XXXXXX/0/ …     one folder for each archive
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.errors import SessionError
from pitboss.model.languages import is_header, language_of
from pitboss.sandbox import scratch
from pitboss.sandbox.files import beginning_of
from pitboss.submissions.archives import ArchiveError, is_archive, stem_of, unpack
from pitboss.submissions.instead import sentences_on
from pitboss.submissions.java_build import with_packages
from pitboss.submissions.sources import (
    MAX_DEPTH,
    Source,
    folders_below,
    has_folders,
    in_folder_above,
    is_code,
    is_left_out,
    source_among,
    source_of_file,
)
from pitboss.submissions.stage_files import is_expected, likely_files

#: The maximum number of archives of a submission that are unpacked, and of names listed in a sentence.
_MAX_ARCHIVES, _MAX_NAMED = 20, 5
#: A file larger than this is never reported as empty.
_BLANK_BYTES = 4096
#: Hidden folders of tools: sources in them were not written for submission.
_TOOL_FOLDERS = frozenset(
    (".cache", ".git", ".history", ".hg", ".idea", ".ipynb_checkpoints", ".svn", ".venv", ".vs", ".vscode")
)


class Submission:
    """An open submission; unpacked files exist until it is closed."""

    def __init__(self, path: Path, *, is_alone: bool) -> None:
        """Lists the submitted files; raises UsageError if they cannot be read."""
        self._path, self._is_alone = path, is_alone
        #: Removes the unpacked files when it is closed.
        self._unpacked = contextlib.ExitStack()
        self._file = path if path.is_file() and not is_archive(path) else None
        #: Folders with the files in each, the submission's own first; and root folders with their labels in sentences.
        self._folders: list[tuple[Path, frozenset[str]]] = []
        self._roots: list[tuple[Path, str]] = []
        #: Sentences on why archives could not be unpacked.
        self.problems: list[str] = []
        #: Sentences on programs that are not directly in the folder, ignored files and empty programs.
        self.notes: list[str] = []
        self._has_unpacked = False
        #: The files that are the programs of stages, once `sources` has looked for them.
        self._programs: set[Path] = set()
        if self._file is None and path.is_file():
            self._unpack([path], is_given=True)
        elif self._file is None:
            self._add_root(path, "")

    @property
    def is_empty(self) -> bool:
        """Whether it has no files except files that are always left out."""
        names = (name for _, files in self._folders for name in files if not is_left_out(name))
        return self._file is None and not self.problems and not any(names)

    @property
    def is_one_file(self) -> bool:
        """Whether it is a single source file, and files beside it are not part of it."""
        return self._file is not None

    def close(self) -> None:
        """Removes the unpacked files."""
        self._unpacked.close()

    def sources(self, stages: Sequence[Stage]) -> dict[str, Source | None]:
        """Returns the source of each stage, by name; None if it is missing or there are several."""
        if self._file is not None:
            sources = self._sources_from_file(self._file, stages)
            self._note_empty(sources)
            return sources
        found = {stage.name: self._candidate_sources(stage) for stage in stages}
        if not all(found.values()) and not self._has_unpacked:
            self._unpack(self._archives(), is_given=False)
            found = {stage.name: found[stage.name] or self._candidate_sources(stage) for stage in stages}
        sources = {name: candidates[0] if len(candidates) == 1 else None for name, candidates in found.items()}
        self._programs = {source.folder / source.file for source in sources.values() if source is not None}
        self._note_places(sources)
        self._note_empty(sources)
        if hidden := self._hidden_with_code():
            verb, reason = ("were", "their names begin") if len(hidden) > 1 else ("was", "its name begins")
            self.notes.append(f"{listed(hidden)} {verb} ignored, since {reason} with a dot.")
        return sources

    def readable_files(self) -> list[tuple[str, Path]]:
        """Returns the sources, headers and makefiles, each with its name in the submission."""
        if self._file is not None:
            return [(readable(self._file.name), self._file)]
        found = self._readable_files()
        if not found and not self._has_unpacked:
            self._unpack(self._archives(), is_given=False)
            found = self._readable_files()
        return found

    def _readable_files(self) -> list[tuple[str, Path]]:
        found = []
        for root, called in self._roots:
            for folder, names in self._folders:
                if root in (folder, *folder.parents):
                    inner = Path(called) / folder.relative_to(root)
                    found += [(readable(str(inner / name)), folder / name) for name in sorted(names) if is_code(name)]
        return found

    def is_ambiguous(self, stage: Stage) -> bool:
        """Whether there are several programs for a stage."""
        return self._file is None and len(self._candidate_sources(stage)) > 1

    def missing(self, stage: Stage) -> str:
        """Returns why a stage has no program, as a clause."""
        folders = sorted(
            {self._folder_label(source.folder) or "the folder itself" for source in self._candidate_sources(stage)}
        )
        if len(folders) > 1:
            return readable(
                f"there are {len(folders)} programs for {stage.name}, in {listed(folders)}, so it is unclear "
                "which one to grade; hand in one."
            )
        files = ", ".join(likely_files(stage))
        sentence = f"there is no {files} or the like, and no Makefile that makes {stage.name}."
        return readable(" ".join([sentence, *self.problems, *self.alternatives_to(stage)]))

    def alternatives_to(self, stage: Stage) -> list[str]:
        """Returns sentences on files that may have been meant as a stage's program, if it has none."""
        if self._file is not None:
            return []
        names = [(folder, name) for folder, names in self._folders for name in names if not is_left_out(name)]
        inner = [(folder, name) for folder, name in names if self._path not in (folder, *folder.parents)]
        archives = [folder / name for folder, name in inner if is_archive(Path(name))]
        files = (folder / name for folder, name in names if not is_archive(Path(name)))
        others = [path for path in files if path not in self._programs]
        # If there are sources, a compiled program was made from them, and a document may be a report.
        return sentences_on([*others, *archives], stage, has_code=bool(self._readable_files()))

    @property
    def content(self) -> str:
        """A clause on the contents of a submission without any program."""
        if self._file is not None:
            return f"{self._file.name} is none"
        too_deep = f"its folders are more than {MAX_DEPTH} deep, and pitboss does not search below that"
        names = sorted({name for _, files in self._folders for name in files if not is_left_out(name)})
        if self._is_too_deep():
            return readable(f"there is {listed(names)}; {too_deep}") if names else too_deep
        if self.is_empty:
            hidden = self._hidden_with_code()
            return f"there is only {listed(hidden)}, hidden because of the dot" if hidden else "it is empty"
        return readable(f"there is {listed(names)}") if names else "it has only folders"

    def _is_too_deep(self) -> bool:
        """Whether there are folders below the maximum depth of the search."""
        roots = [root for root, _ in self._roots]
        deepest = (
            folder
            for folder, _ in self._folders
            for root in roots
            if root in folder.parents and len(folder.relative_to(root).parts) == MAX_DEPTH
        )
        return any(has_folders(folder) for folder in deepest)

    def _sources_from_file(self, file: Path, stages: Sequence[Stage]) -> dict[str, Source | None]:
        """Assigns a file to the stage that its name matches, or to the only stage in `stages`."""
        matching = [stage for stage in stages if is_expected(file.name, stage)]
        possible = matching or (list(stages) if len(stages) == 1 else [])
        return {
            stage.name: source_of_file(file, stage, is_alone=self._is_alone) if stage in possible[:1] else None
            for stage in stages
        }

    def _add_root(self, root: Path, called: str) -> None:
        self._roots.append((root, called))
        self._folders += folders_below(root)

    def _candidate_sources(self, stage: Stage) -> list[Source]:
        sources: list[Source] = []
        for folder, names in self._folders:
            if not any(source.folder in folder.parents for source in sources):
                source = source_among(folder, names, stage)
                sources += [source] if source else []
        return [self._from_program_root(sources[0])] if len(sources) == 1 else sources

    def _from_program_root(self, source: Source) -> Source:
        """Returns the source relative to the folder of its entire program, which may be above the source's folder."""
        if source.language == "java":
            return with_packages(source, [folder for folder, _ in self._folders])
        return self._with_headers(source)

    def _with_headers(self, source: Source) -> Source:
        """Returns the source relative to its parent folder, if course headers are there or in a sibling folder."""
        parent = source.folder.parent
        is_inside = any(root in (parent, *parent.parents) for root, _ in self._roots)
        if source.given is None or source.language == "make" or not is_inside:
            return source
        given = {path.name.lower() for path in source.given.iterdir() if is_header(path)}
        own, siblings = set[str](), set[str]()
        for folder, names in self._folders:
            if parent in (folder, folder.parent):
                (own if folder == source.folder else siblings).update(name.lower() for name in names)
        return in_folder_above(source) if given & (siblings - own) else source

    def _archives(self) -> list[Path]:
        paths = (folder / name for folder, names in self._folders for name in sorted(names) if not is_left_out(name))
        return [path for path in paths if is_archive(path) and path.is_file() and not path.is_symlink()]

    def _unpack(self, archives: list[Path], *, is_given: bool) -> None:
        self._has_unpacked = True
        folder = Path(self._unpacked.enter_context(scratch.folder("unpacked"))) if archives else Path()
        for number, archive in enumerate(archives[:_MAX_ARCHIVES]):
            into = folder / str(number)
            try:
                unpack(archive, into)
            except ArchiveError as error:
                self.problems.append(str(error))
                shutil.rmtree(into, ignore_errors=True)
            except SessionError:
                self.close()
                raise
            else:
                self._add_root(into, "" if is_given else self._archive_label(archive))

    def _archive_label(self, path: Path) -> str:
        return str(path.relative_to(self._path)) if self._path in path.parents else path.name

    def _hidden_with_code(self) -> list[str]:
        """Returns the hidden folders that contain sources, which are ignored; folders of tools are not listed."""
        hidden = (inner for folder, _ in self._folders for inner in sorted(folder.glob(".*")))
        folders = (
            path for path in hidden if path.name not in _TOOL_FOLDERS and path.is_dir() and not path.is_symlink()
        )
        return [
            self._folder_label(folder)
            for folder in folders
            if any(map(is_code, chain(*(f for _, f in folders_below(folder)))))
        ]

    def _folder_label(self, folder: Path) -> str:
        """Returns a folder's name in a sentence, relative to the submission; empty for the submission's own folder."""
        for root, called in self._roots:
            if folder == root:
                return readable(called)
            if root in folder.parents:
                inner = str(folder.relative_to(root))
                return readable(f"{called}, folder {inner}" if called else inner)
        return readable(str(folder))

    def _note_places(self, sources: dict[str, Source | None]) -> None:
        elsewhere: dict[str, list[str]] = {}
        for name, source in sources.items():
            if source is not None and (called := self._folder_label(source.folder)):
                elsewhere.setdefault(called, []).append(name)
        if len(elsewhere) == 1 and len(next(iter(elsewhere.values()))) == sum(map(bool, sources.values())):
            self.notes = [f"The programs are in {next(iter(elsewhere))}."]
        else:
            self.notes = [
                f"{listed(names, most=20)} {'are' if len(names) > 1 else 'is'} in {called}."
                for called, names in elsewhere.items()
            ]
        passed_over = [pair for source in sources.values() if source is not None for pair in source.passed_over]
        self.notes += [_preference_sentence(used, other) for used, other in dict.fromkeys(passed_over)]

    def _note_empty(self, sources: dict[str, Source | None]) -> None:
        empty = dict.fromkeys(source.file for source in sources.values() if source is not None and _is_empty(source))
        self.notes += [readable(f"{file} is empty: was it saved before it was handed in?") for file in empty]


def _is_empty(source: Source) -> bool:
    """Whether the file of a program is empty; False if it cannot be read."""
    path = source.folder / source.file
    try:
        return path.stat().st_size <= _BLANK_BYTES and not beginning_of(path, _BLANK_BYTES).strip()
    except OSError:
        return False


def _preference_sentence(used: str, other: str) -> str:
    """Returns a sentence on which of two possible program files was used, and why."""
    first, second = language_of(used), language_of(other)
    if Path(used).stem != Path(other).stem or first is None or second is None:
        reason = "its name is the closest to the expected one"
    elif first is second:
        reason = f"{Path(used).suffix} is preferred to {Path(other).suffix}"
    else:
        reason = f"{first.title} is preferred to {second.title}"
    return readable(f"{used} was used, and {other} was not: {reason}.")


def readable(text: str) -> str:
    """Replaces undecodable bytes (as in file names), so that the text can be written as UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def listed(names: Sequence[str], most: int = _MAX_NAMED) -> str:
    """Lists names for a sentence; after the first `most` only their number is given."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    if more or len(names) == 1:
        return ", ".join(names[:most]) + more
    return ", ".join(names[:-1]) + " and " + names[-1]


@contextmanager
def open_submission(path: Path, *, is_alone: bool = False) -> Iterator[Submission]:
    """Opens a submission for the duration of the context; raises UsageError if it cannot be read.

    `is_alone`: if it is a file, other files in its folder belong to other students.
    """
    submission = Submission(path, is_alone=is_alone)
    try:
        yield submission
    finally:
        submission.close()


def program_count(path: Path, stages: Sequence[Stage]) -> int:
    """Counts the stages that a submission has programs for; raises UsageError if it cannot be read."""
    with open_submission(path) as submission:
        sources = submission.sources(stages)
        return sum(bool(sources[stage.name]) or submission.is_ambiguous(stage) for stage in stages)


def may_be_submission(path: Path) -> bool:
    """Whether a file can be a submission: an archive, or a source in a known language."""
    return is_archive(path) or language_of(path) is not None


def not_a_submission(path: Path) -> str:
    """Returns the message for a file that cannot be a submission."""
    return (
        f"{path}: this is a file; give the folder that holds the programs, an archive of them, or one program's source"
    )


def name_of(path: Path) -> str:
    """Returns a submission's name: its folder's or file's, without suffix unless another file has that name."""
    if path.is_dir():
        return readable(path.resolve().name)
    stem = stem_of(path.name) if is_archive(path) else path.stem
    return readable(path.name if path.with_name(stem).exists() else stem)
