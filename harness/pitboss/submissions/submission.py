"""A submission: a folder, an archive or a file, and the locations of its programs. The submissions of a class.

An archive is unpacked. Archives in a folder are unpacked only if a program is not found outside them:

    /tmp/pitboss-unpacked-XXXXXX/0/ …     one folder for each archive
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.errors import SessionError, UsageError
from pitboss.machine import scratch
from pitboss.machine.files import beginning_of
from pitboss.model.languages import is_header, language_of
from pitboss.model.words import shortlist
from pitboss.sandbox.sandbox import conceal
from pitboss.submissions.archives import ArchiveError, is_archive, stem_of, unpack
from pitboss.submissions.java_build import with_packages
from pitboss.submissions.native import COMPILERS
from pitboss.submissions.projects import has_outer_file, is_code
from pitboss.submissions.sources import (
    MAX_DEPTH,
    Source,
    folders_below,
    has_folders,
    is_ignored_name,
    paths_in,
    relative_to_parent_folder,
)
from pitboss.submissions.stage_files import (
    find_source,
    is_expected,
    likely_files,
    sentences_on_likely_programs,
    source_of_file,
    sources_in,
)

#: The maximum number of archives of a submission that are unpacked.
_MAX_ARCHIVES = 20
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
        #: Removes the unpacked files when this stack is closed.
        self._unpacked = contextlib.ExitStack()
        #: The submission, if it is a single source file; else None.
        self._file = path if path.is_file() and not is_archive(path) else None
        #: All folders with the names of their files: the submission's folders first, then folders of unpacked archives.
        self._folders: list[tuple[Path, frozenset[str]]] = []
        #: The top folder of the submission and of each unpacked archive, each with its label in sentences.
        self._roots: list[tuple[Path, str]] = []
        #: Sentences on why archives could not be unpacked.
        self.problems: list[str] = []
        #: Sentences on programs that are not directly in the folder, ignored files and empty programs.
        self.notes: list[str] = []
        #: Whether the submission's archives have been unpacked.
        self._has_unpacked = False
        #: The source files of the stages' programs; empty until `sources` is called.
        self._programs: set[Path] = set()
        if self._file is None and path.is_file():
            self._unpack([path], is_submission=True)
        elif self._file is None:
            self._add_root(path, "")

    @property
    def is_empty(self) -> bool:
        """Whether the submission has only files that are always ignored, and no archive that could not be unpacked."""
        names = (name for _, files in self._folders for name in files if not is_ignored_name(name))
        return self._file is None and not self.problems and not any(names)

    @property
    def is_one_file(self) -> bool:
        """Whether the submission is a single source file; the files beside that file are not part of it."""
        return self._file is not None

    def close(self) -> None:
        """Removes the unpacked files."""
        self._unpacked.close()

    def sources(self, stages: Sequence[Stage]) -> dict[str, Source | None]:
        """Maps each stage's name to its source, or to None if the stage has no source or several; updates `notes`."""
        if self._file is not None:
            sources = self._sources_from_file(self._file, stages)
            self._note_empty(sources)
            return sources
        candidates_by_stage = {stage.name: self._candidate_sources(stage) for stage in stages}
        if not all(candidates_by_stage.values()) and not self._has_unpacked:
            self._unpack(self._archives(), is_submission=False)
            candidates_by_stage = {
                stage.name: candidates_by_stage[stage.name] or self._candidate_sources(stage) for stage in stages
            }
        sources = {
            name: candidates[0] if len(candidates) == 1 else None for name, candidates in candidates_by_stage.items()
        }
        self._programs = {source.folder / source.file for source in sources.values() if source is not None}
        self._note_locations(sources)
        self._note_empty(sources)
        if hidden_folders := self._hidden_with_code():
            verb, reason = ("were", "their names begin") if len(hidden_folders) > 1 else ("was", "its name begins")
            self.notes.append(f"{shortlist(hidden_folders)} {verb} ignored, since {reason} with a dot.")
        return sources

    def code_files(self) -> list[tuple[str, Path]]:
        """Returns the sources, headers and makefiles, each with its name in the submission."""
        if self._file is not None:
            return [(encodable(self._file.name), self._file)]
        files = self._listed_code_files()
        if not files and not self._has_unpacked:
            self._unpack(self._archives(), is_submission=False)
            files = self._listed_code_files()
        return files

    def _listed_code_files(self) -> list[tuple[str, Path]]:
        """Returns the files of `code_files` in the folders listed so far; unpacks nothing."""
        files = []
        for root, label in self._roots:
            for folder, names in self._folders:
                if root in (folder, *folder.parents):
                    inner = Path(label) / folder.relative_to(root)
                    files += [(encodable(str(inner / name)), folder / name) for name in sorted(names) if is_code(name)]
        return files

    def is_ambiguous(self, stage: Stage) -> bool:
        """Whether there are several programs for a stage."""
        return self._file is None and len(self._candidate_sources(stage)) > 1

    def reason_for_missing_program(self, stage: Stage) -> str:
        """Returns why a stage has no program that can be graded, as a clause."""
        folders = sorted(
            {self._folder_label(source.folder) or "the folder itself" for source in self._candidate_sources(stage)}
        )
        if len(folders) > 1:
            return encodable(
                f"there are {len(folders)} programs for {stage.name}, in {shortlist(folders)}, so it is unclear "
                "which one to grade; hand in one."
            )
        files = ", ".join(likely_files(stage))
        sentence = f"there is no {files} or the like, and no Makefile that makes {stage.name}."
        return encodable(" ".join([sentence, *self.problems, *self.file_hints(stage)]))

    def file_hints(self, stage: Stage) -> list[str]:
        """Returns sentences on files that may have been meant as a stage's program, if it has none."""
        if self._file is not None:
            return []
        paths = [folder / name for folder, names in self._folders for name in names if not is_ignored_name(name)]
        # Archives inside other archives are not unpacked. They are outside the submitted folder, among unpacked files.
        inner_archives = [path for path in paths if is_archive(path) and self._path not in path.parents]
        others = [path for path in paths if not is_archive(path) and path not in self._programs]
        # If there are sources, a compiled program was built from them, and a document may be a report.
        return sentences_on_likely_programs([*others, *inner_archives], stage, has_code=bool(self._listed_code_files()))

    @property
    def content(self) -> str:
        """A clause that says what a submission without any program contains."""
        if self._file is not None:
            return f"{self._file.name} is not one of these files"
        too_deep = f"its folders are more than {MAX_DEPTH} deep, and pitboss does not search below that"
        names = sorted({name for _, files in self._folders for name in files if not is_ignored_name(name)})
        if self._is_too_deep():
            return encodable(f"there is {shortlist(names)}; {too_deep}") if names else too_deep
        if self.is_empty:
            folders = self._hidden_with_code()
            return f"there is only {shortlist(folders)}, hidden because of the dot" if folders else "it is empty"
        return encodable(f"there is {shortlist(names)}") if names else "it has only folders"

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
        """Assigns a file to the first stage that accepts its name; if none does, to the only stage in `stages`."""
        matching = [stage for stage in stages if is_expected(file.name, stage)]
        possible = matching or (list(stages) if len(stages) == 1 else [])
        return {
            stage.name: source_of_file(file, stage, is_alone=self._is_alone) if stage in possible[:1] else None
            for stage in stages
        }

    def _add_root(self, root: Path, label: str) -> None:
        self._roots.append((root, label))
        self._folders += folders_below(root)

    def _candidate_sources(self, stage: Stage) -> list[Source]:
        """Returns the possible sources of a stage, usually one; does not search below a folder with a source."""
        sources = sources_in(self._folders, stage)
        return [self._from_program_root(sources[0])] if len(sources) == 1 else sources

    def _from_program_root(self, source: Source) -> Source:
        """Returns the source relative to the top folder of its program, which may be above the source's folder."""
        if source.language == "java":
            return with_packages(source, [folder for folder, _ in self._folders])
        return self._with_headers(source)

    def _with_headers(self, source: Source) -> Source:
        """Returns the source relative to the parent of its folder, if the program may need headers from there.

        The parent or a sibling folder then has a file named like a course header that the source's own folder lacks; or
        the course has no headers, and a sibling folder is for headers.
        """
        parent = source.folder.parent
        is_inside = any(root in (parent, *parent.parents) for root, _ in self._roots)
        if source.language not in COMPILERS or not is_inside:
            return source
        if source.course_files_folder is None:
            siblings = (folder for folder, _ in self._folders if folder.parent == parent)
            return relative_to_parent_folder(source) if any(map(_is_for_headers, siblings)) else source
        course_headers = {path.name.lower() for path in source.course_files_folder.iterdir() if is_header(path)}
        own_names, outer_names = set[str](), set[str]()
        for folder, names in self._folders:
            if parent in (folder, folder.parent):
                names_to_extend = own_names if folder == source.folder else outer_names
                names_to_extend.update(name.lower() for name in names)
        return relative_to_parent_folder(source) if course_headers & (outer_names - own_names) else source

    def _archives(self) -> list[Path]:
        paths = (
            folder / name for folder, names in self._folders for name in sorted(names) if not is_ignored_name(name)
        )
        return [path for path in paths if is_archive(path) and path.is_file() and not path.is_symlink()]

    def _unpack(self, archives: list[Path], *, is_submission: bool) -> None:
        """Unpacks archives; `is_submission`: whether the only archive is the submission itself."""
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
                self._add_root(into, "" if is_submission else self._archive_label(archive))

    def _archive_label(self, path: Path) -> str:
        """Returns an archive's name in a sentence: its path in the submission."""
        return str(path.relative_to(self._path)) if self._path in path.parents else path.name

    def _hidden_with_code(self) -> list[str]:
        """Returns the hidden folders that contain sources, which are ignored; folders of tools are not listed."""
        hidden = (inner for folder, _ in self._folders for inner in sorted(folder.glob(".*")))
        folders = (
            path for path in hidden if path.name not in _TOOL_FOLDERS and path.is_dir() and not path.is_symlink()
        )
        return [self._folder_label(folder) for folder in folders if _contains_code(folder)]

    def _folder_label(self, folder: Path) -> str:
        """Returns a folder's name in a sentence, relative to the submission; empty for the submission's own folder."""
        for root, label in self._roots:
            if folder == root:
                return encodable(label)
            if root in folder.parents:
                inner = str(folder.relative_to(root))
                return encodable(f"{label}, folder {inner}" if label else inner)
        return encodable(str(folder))

    def _note_locations(self, sources: dict[str, Source | None]) -> None:
        """Sets `notes` to sentences on programs that are not in the top folder, and on files that were passed over."""
        stages_by_location: dict[str, list[str]] = {}
        for name, source in sources.items():
            if source is not None and (location := self._folder_label(source.folder)):
                stages_by_location.setdefault(location, []).append(name)
        stages_outside_top = [name for names in stages_by_location.values() for name in names]
        stages_with_source = [name for name, source in sources.items() if source is not None]
        if len(stages_by_location) == 1 and len(stages_outside_top) == len(stages_with_source):
            self.notes = [f"The programs are in {next(iter(stages_by_location))}."]
        else:
            self.notes = [
                f"{shortlist(names, most=20)} {'are' if len(names) > 1 else 'is'} in {location}."
                for location, names in stages_by_location.items()
            ]
        passed_over = [pair for source in sources.values() if source is not None for pair in source.passed_over]
        self.notes += [_preference_sentence(used, other) for used, other in dict.fromkeys(passed_over)]

    def _note_empty(self, sources: dict[str, Source | None]) -> None:
        """Adds a note for each program whose source file is empty."""
        empty = dict.fromkeys(source.file for source in sources.values() if source is not None and _is_empty(source))
        self.notes += [encodable(f"{file} is empty: was it saved before it was handed in?") for file in empty]


def _contains_code(folder: Path) -> bool:
    """Whether a folder or one of its subfolders contains a source, a header or a makefile."""
    return any(is_code(name) for _, names in folders_below(folder) for name in names)


def _is_for_headers(folder: Path) -> bool:
    return folder.name.lower() in ("include", "inc", "headers")


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
    return encodable(f"{used} was used, and {other} was not: {reason}.")


def encodable(text: str) -> str:
    """Replaces undecodable bytes (as in file names), so that the text can be encoded as UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextmanager
def open_submission(path: Path, *, is_alone: bool = False) -> Iterator[Submission]:
    """Opens a submission for the duration of the context; raises UsageError if it cannot be read.

    `is_alone`: if the submission is a file, the other files in its folder belong to other students.
    """
    conceal(path)  # from the programs of other submissions
    submission = Submission(path, is_alone=is_alone)
    try:
        yield submission
    finally:
        submission.close()


def program_count(path: Path, stages: Sequence[Stage]) -> int:
    """Counts the stages that a submission has one or more programs for; raises UsageError if it cannot be read."""
    with open_submission(path) as submission:
        sources = submission.sources(stages)
        return sum(bool(sources[stage.name]) or submission.is_ambiguous(stage) for stage in stages)


def may_be_submission(path: Path) -> bool:
    """Whether a file can be a submission: an archive, or a source in a known language."""
    return is_archive(path) or language_of(path) is not None


def not_a_submission(path: Path) -> str:
    """Returns the message for a file that cannot be a submission."""
    return (
        f"{path}: this is a file; give the folder that contains the programs, an archive of them, or one program's "
        "source"
    )


def name_of(path: Path) -> str:
    """Returns a submission's name: the name of its folder, or of its file.

    The suffix of a file is dropped, unless another file or folder beside it already has the name without suffix.
    """
    if path.is_dir():
        return encodable(path.resolve().name)
    stem = stem_of(path.name) if is_archive(path) else path.stem
    return encodable(path.name if path.with_name(stem).exists() else stem)


def submissions_in(
    folder: Path, stages: Sequence[Stage], *, folder_in_messages: Path | None = None
) -> tuple[list[Path], list[str]]:
    """Returns the paths of the submissions of a class, and the names of the other files.

    The submissions may also be in a subfolder, if there are no submissions beside the subfolder. Raises UsageError if
    the folder is not a single class. The message says what the folder contains, and names it `folder_in_messages`.
    """
    folder_in_messages = folder_in_messages or folder
    if _is_submission_itself(folder, stages):
        name = folder.resolve().name
        raise UsageError(
            f"{folder_in_messages}: this is one submission, not a class: it directly contains programs; "
            f"give the folder that contains {name}, or check it: pitboss check {folder_in_messages}"
        )
    paths, other_names = _submissions_and_others(folder, stages)
    if not paths:
        raise UsageError(_no_submission(folder_in_messages, other_names))
    class_folders = [path for path in paths if path.is_dir() and _is_class(path, stages)]
    # If there is a submission beside these folders, `folder` itself is the class.
    if not class_folders or any(_is_submission(path, stages) for path in paths if path not in class_folders):
        return paths, other_names
    if len(class_folders) == 1:
        submissions, inner_names = _submissions_and_others(class_folders[0], stages)
        return submissions, [*other_names, *inner_names]
    descriptions = [
        f"{path.name} ({len(_submissions_and_others(path, stages)[0])} submissions)" for path in class_folders
    ]
    raise UsageError(
        f"{folder_in_messages}: this is not one class: there is {shortlist(descriptions)}; grade one of them"
    )


def check_class_folder(folder: Path) -> None:
    """Raises UsageError if a folder cannot be read, or if nothing in the folder can be a submission."""
    paths = paths_in(folder)
    if not any(path.is_dir() or may_be_submission(path) for path in paths):
        raise UsageError(_no_submission(folder, [path.name for path in paths]))


def _no_submission(folder: Path, other_names: Sequence[str]) -> str:
    """Returns the message about a folder without submissions."""
    contents = f"; there is {shortlist(other_names)}" if other_names else ""
    return f"{folder}: there is no submission in it — each submission is a separate folder or archive{contents}"


def _submissions_and_others(folder: Path, stages: Sequence[Stage]) -> tuple[list[Path], list[str]]:
    """Returns the submissions directly in a folder, and the names of the other files in that folder."""
    paths = paths_in(folder)
    submissions = [path for path in paths if path.is_dir() or is_archive(path) or _is_program(path, stages)]
    known = set(submissions)
    return submissions, [encodable(path.name) for path in paths if path not in known]


def _is_program(path: Path, stages: Sequence[Stage]) -> bool:
    """Whether a file is a source and thus a complete submission, which is possible if only one stage is graded."""
    return len(stages) == 1 and path.is_file() and source_of_file(path, stages[0], is_alone=True) is not None


def _is_submission_itself(folder: Path, stages: Sequence[Stage]) -> bool:
    """Whether a folder is itself a submission: it directly has a program, and no subfolder looks like a submission."""
    if not any(sources_in(folders_below(folder)[:1], stage) for stage in stages):
        return False
    return not any(_is_submission(path, stages) for path in paths_in(folder) if path.is_dir())


def _is_submission(path: Path, stages: Sequence[Stage]) -> bool:
    """Whether a path in a class is a submission: any file, or a folder with a program that is not in an archive."""
    return not path.is_dir() or any(find_source(path, stage) for stage in stages)


def _is_class(folder: Path, stages: Sequence[Stage]) -> bool:
    """Whether a folder is a class: at least two folders or archives in it may have a program of the same stage.

    A folder that directly contains a program or a solution is not a class.
    """
    candidates = [path for path in _submissions_and_others(folder, stages)[0] if path.is_dir() or is_archive(path)]
    top = folders_below(folder)[:1]
    if len(candidates) < 2 or has_outer_file(top[0][1]) or any(sources_in(top, stage) for stage in stages):
        return False
    return any(
        sum(is_archive(path) or find_source(path, stage) is not None for path in candidates) > 1 for stage in stages
    )
