"""Builds the known mistakes in folders: each is a program, built like a submission, or a patch of the reference.

A program is built only when it is needed, in a folder of this process: see `running`. If a program cannot be built, or
a patch does not apply, a SpecError names the place for the instructor to fix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pitboss.assignments.assignment import MistakeFolder, Stage
from pitboss.assignments.authored import call
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.assignments.wordfile import MISTAKE_FILE, PATCHES
from pitboss.errors import HarnessError, SessionError, ShortageError, SpecError, as_found, listed
from pitboss.experiments.mutation.copies import Copy, Original
from pitboss.experiments.programs.patches import NoFileError, with_changes
from pitboss.experiments.programs.reference_sources import (
    Lack,
    Unbuildable,
    files_that_may_change,
    source_of,
)
from pitboss.experiments.programs.running import Runner, conditions_here, fingerprint, is_noted, note
from pitboss.sandbox import scratch
from pitboss.sandbox.digests import Digest, UnknownError
from pitboss.sessions.programs import Program
from pitboss.sessions.references import ExpectedRun, expected_run_in_process
from pitboss.submissions.build import build
from pitboss.submissions.compilers import Build
from pitboss.submissions.sources import files_below, is_code
from pitboss.submissions.stage_files import expected_files
from pitboss.submissions.submission import open_submission

#: Why a patch cannot change a reference.
_LACKS = {
    Lack.ELSEWHERE: "{} is not in the assignment's folder",
    Lack.NO_SOURCE: "there is no source beside {}",
}


class FolderMistake(NamedTuple):
    """A known mistake in a folder, for one stage."""

    folder: MistakeFolder
    run: ExpectedRun


def folder_mistakes(stage: Stage) -> list[FolderMistake]:
    """The mistakes in folders for a stage, each with a function that runs its program.

    Raises SpecError with a line for each mistake that cannot be built, and ShortageError if this machine is at fault.
    """
    mistakes, problems = [], []
    for folder in stage.mistake_folders:
        try:
            run = _run_of(folder, stage)
        except SessionError:
            raise
        except HarnessError as error:
            problems.append(str(error))
            continue
        if run is not None:
            mistakes.append(FolderMistake(folder, run))
    if problems:
        raise SpecError("\n".join(problems))
    return mistakes


def unused_folders(stages: Iterable[Stage]) -> list[str]:
    """Sentences about the folders that have no program for any stage of an assignment."""
    stages = list(stages)
    folders = dict.fromkeys(folder for stage in stages for folder in stage.mistake_folders)
    return [
        _without_program(folder, [stage for stage in stages if folder in stage.mistake_folders])
        for folder in folders
        if all(_run_of(folder, stage) is None for stage in stages if folder in stage.mistake_folders)
    ]


def _without_program(folder: MistakeFolder, stages: Iterable[Stage]) -> str:
    subject = f"{folder.words.place}: mistake {as_found(folder.words.id)}"
    if _patches_in(folder):
        return f"{subject} changes no file of a reference — its patch names one with --- and +++"
    names = [expected_files(stage)[0] for stage in stages]
    return f"{subject} has no program — put {' or '.join(names)} there, or the like, or a change.patch of the reference"


def _patches_in(folder: MistakeFolder) -> list[Path]:
    return sorted(path for path in folder.folder.iterdir() if path.suffix in PATCHES and path.is_file())


def _run_of(folder: MistakeFolder, stage: Stage) -> ExpectedRun | None:
    """The function that runs a mistake; None if the folder has no program for the stage."""
    patches = _patches_in(folder)
    mistake = f"mistake {as_found(folder.words.id)}"
    if not patches:
        return _of_program(folder, stage, mistake)
    code_files = [name for name in files_below(folder.folder) if is_code(Path(name).name)]
    if len(patches) > 1 or code_files:
        names = listed([*(path.name for path in patches), *code_files])
        raise SpecError(f"{folder.words.place}: {mistake} has {names} — it has one patch, or a program")
    try:
        return _of_patch(patches[0], folder, stage, mistake)
    except NoFileError:
        if len(folder.stages) > 1:  # the patch is for another stage
            return None
        raise


def _of_program(folder: MistakeFolder, stage: Stage, mistake: str) -> ExpectedRun | None:
    place = folder.folder
    code_files = [name for name in files_below(place) if is_code(Path(name).name)]
    with open_submission(place) as submission:
        source = submission.sources([stage])[stage.name]
        if source is None and submission.is_ambiguous(stage):
            raise SpecError(f"{folder.words.place}: {mistake}: {submission.missing(stage)}")
    # As in a submission of one file, the file's name does not matter if there is only one stage.
    is_only_file = source is None and len(code_files) == 1 and len(folder.stages) == 1
    if source is None and not is_only_file:
        if len(folder.stages) == 1:
            raise SpecError(_without_program(folder, [stage]))
        return None
    digest = _digest(folder, stage, lambda digest: digest.add_path(place))

    def build_into(into: Path) -> Build:
        with open_submission(place / code_files[0] if is_only_file else place) as submission:
            program_source = submission.sources([stage])[stage.name]
            if program_source is None:
                raise SpecError(_without_program(folder, [stage]))
            return build(msgspec.structs.replace(program_source, passed_over=()), into, conditions_here())

    return _runner(folder, stage, mistake, digest, build_into)


def _of_patch(path: Path, folder: MistakeFolder, stage: Stage, mistake: str) -> ExpectedRun | None:
    try:
        patch = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{path}: the patch cannot be read: {error}") from error
    if stage.reference.function:
        return _of_patched_function(patch, path, stage, mistake)
    source = source_of(stage)
    if isinstance(source, Unbuildable):
        why = _LACKS[source.lack].format(source.detail)
        raise NoFileError(f"{path}: the reference of {stage.name!r} cannot be patched: {why} — give a program instead")
    changed_texts = with_changes(patch, path, files_that_may_change(source))
    digest = _digest(folder, stage, source.add_to)
    digest.add(*(part for item in sorted(changed_texts.items()) for part in item))

    def build_into(into: Path) -> Build:
        with scratch.folder("patched") as copies:
            copy = Path(copies) / "copy"
            source.copy(copy)
            for name, text in changed_texts.items():
                (copy / name).write_bytes(text.encode("utf-8"))
            return source.built(copy, into, conditions_here())

    return _runner(folder, stage, mistake, digest, build_into, place=f"{path}:1")


def _of_patched_function(patch: str, path: Path, stage: Stage, mistake: str) -> ExpectedRun:
    """The reference function from patched copies of its modules, which are loaded beside the original modules."""
    original = Original(stage.reference.function)
    modules = _modules_of(original)
    texts = {name: file.read_text(encoding="utf-8") for name, (_, file) in modules.items()}
    codes = {}
    for name, text in with_changes(patch, path, texts).items():
        try:
            codes[modules[name][0]] = compile(text, name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            line, why = (f":{error.lineno}", error.msg) if isinstance(error, SyntaxError) else ("", str(error))
            raise SpecError(f"{path}:1: {name}{line} is not Python with this patch: {why}") from error
    main: Any = call(f"{path}:1: {mistake}", Copy(original, codes).main)
    return expected_run_in_process(main, mistake, accepted_by(main, own_keywords(stage.options)))


def _modules_of(original: Original) -> dict[str, tuple[str, Path]]:
    """The names and files of a reference's modules, by path relative to the folder that contains the package."""
    package = original.main.partition(".")[0]
    package_file = original.path_of(package)
    if package_file is None:
        raise SpecError(f"{original.main}: there is no file of this module, so that no patch can change it")
    if package_file.name != "__init__.py":
        return {package_file.name: (package, package_file)}
    modules = {}
    for file in sorted(package_file.parent.rglob("*.py")):
        parts = file.relative_to(package_file.parent).with_suffix("").parts
        name = ".".join((package, *(parts[:-1] if parts[-1] == "__init__" else parts)))
        modules[file.relative_to(package_file.parent.parent).as_posix()] = (name, file)
    return modules


def _digest(folder: MistakeFolder, stage: Stage, add: Callable[[Digest], None]) -> Digest:
    """A digest of what `add` adds and everything else that a program depends on, except the words of its mistake."""
    digest = Digest("program of a mistake", [folder.folder / MISTAKE_FILE])
    digest.add(fingerprint(), stage.name, *stage.submitted_as, "sources", *stage.sources)
    try:
        if stage.given is not None:
            digest.add_path(stage.given)
        add(digest)
    except UnknownError as error:
        raise SpecError(f"{folder.words.place}: its program's files cannot be read: {error}") from error
    return digest


#: The programs that this process has built, by digest.
_built: dict[str, Program] = {}
#: The folders of these programs, which last until the process ends.
_folders = ExitStack()


def _runner(
    folder: MistakeFolder,
    stage: Stage,
    mistake: str,
    digest: Digest,
    build_into: Callable[[Path], Build],
    place: str = "",
) -> Runner:
    """The runner of a program that `build_into` builds in a new folder, at once unless it has been built before."""
    key = digest.text()
    program = partial(_program, key, build_into, f"{place or folder.words.place}: {mistake}")
    if not is_noted(key):
        program()
        note(key)
    return Runner(f"the program of {mistake}", key, program, stage, stage.limits)


def _program(key: str, build_into: Callable[[Path], Build], subject: str) -> Program:
    """The program with the digest `key`, built once in this process; SpecError if it cannot be built."""
    if key not in _built:
        into = Path(_folders.enter_context(scratch.folder("mistake"))) / "build"
        built = build_into(into)
        if built.is_fault:
            raise ShortageError(built.reason)
        if built.program is None:
            raise SpecError(f"{subject} cannot be built: {built.reason}")
        _built[key] = built.program
    return _built[key]
