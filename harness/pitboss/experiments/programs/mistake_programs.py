"""Builds the known mistakes in folders: each folder has a program, or a patch of the reference.

A program is built like a submission, but only when it is needed (see `running`), and in a temporary folder of this
process. If a program cannot be built, or a patch does not apply, a SpecError names the place for the instructor to fix.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from pitboss.assignments.assignment import MistakeFolder, Stage, Words
from pitboss.assignments.authored import call
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.assignments.wordfile import MISTAKE_FILE, PATCHES
from pitboss.errors import HarnessError, SessionError, ShortageError, SpecError, as_found, did_you_mean, listed
from pitboss.experiments.mutants.copies import Copy, Original
from pitboss.experiments.programs.running import Runner, conditions_here, fingerprint, is_digest_recorded, record_digest
from pitboss.machine import scratch
from pitboss.sandbox.digests import Digest, NoDigestError
from pitboss.sessions.references import ExpectedRun, expected_run_in_process
from pitboss.submissions.build import build
from pitboss.submissions.compilers import Build
from pitboss.submissions.projects import is_code
from pitboss.submissions.reference_source import built_program, reference_source
from pitboss.submissions.sources import files_below
from pitboss.submissions.stage_files import expected_files
from pitboss.submissions.submission import open_submission


def folder_mistakes(stage: Stage) -> list[tuple[Words, ExpectedRun]]:
    """The texts of the mistakes in folders for a stage, each with the function that runs the program with the mistake.

    Raises SpecError with a line for each mistake that cannot be built, and ShortageError if this machine is at fault.
    """
    mistakes, problems = list[tuple[Words, ExpectedRun]](), []
    for folder in stage.mistake_folders:
        try:
            run = _run_of(folder, stage)
        except SessionError:
            raise
        except HarnessError as error:
            problems.append(str(error))
        else:
            mistakes += [(folder.words, run)] if run is not None else []
    if problems:
        raise SpecError("\n".join(problems))
    return mistakes


def unused_folder_sentences(stages: Iterable[Stage]) -> list[str]:
    """Returns a sentence about each folder that has no program for any stage of an assignment."""
    stages = list(stages)
    folders = dict.fromkeys(folder for stage in stages for folder in stage.mistake_folders)
    return [
        _problem_without_program(folder, [stage for stage in stages if folder in stage.mistake_folders])
        for folder in folders
        if all(_run_of(folder, stage) is None for stage in stages if folder in stage.mistake_folders)
    ]


def _problem_without_program(folder: MistakeFolder, stages: Iterable[Stage]) -> str:
    subject = f"{folder.words.place}: {_label_of(folder)}"
    if _patches_in(folder):
        return f"{subject} changes no file of a reference — its patch must name one with --- and +++"
    names = [expected_files(stage)[0] for stage in stages]
    return f"{subject} has no program — put {' or '.join(names)} there, or the like, or a change.patch of the reference"


def _label_of(folder: MistakeFolder) -> str:
    return f"mistake {as_found(folder.words.id)}"


def _patches_in(folder: MistakeFolder) -> list[Path]:
    return sorted(path for path in folder.folder.iterdir() if path.suffix in PATCHES and path.is_file())


def _run_of(folder: MistakeFolder, stage: Stage) -> ExpectedRun | None:
    """The function that runs the program with a mistake; None if the folder has no program for the stage."""
    patches = _patches_in(folder)
    if not patches:
        return _run_of_program(folder, stage)
    code_files = [name for name in files_below(folder.folder) if is_code(Path(name).name)]
    if len(patches) > 1 or code_files:
        names = listed([*(path.name for path in patches), *code_files])
        raise SpecError(f"{folder.words.place}: {_label_of(folder)} has {names} — it must have one patch, or a program")
    try:
        return _run_of_patch(patches[0], folder, stage)
    except NoFileError:
        if len(folder.stages) > 1:  # the patch is for another stage
            return None
        raise


def _run_of_program(folder: MistakeFolder, stage: Stage) -> ExpectedRun | None:
    program_folder = folder.folder
    code_files = [name for name in files_below(program_folder) if is_code(Path(name).name)]
    with open_submission(program_folder) as submission:
        source = submission.sources([stage])[stage.name]
        if source is None and submission.is_ambiguous(stage):
            reason = submission.reason_for_missing_program(stage)
            raise SpecError(f"{folder.words.place}: {_label_of(folder)}: {reason}")
    # As in a submission of one file, the file's name does not matter if there is only one stage.
    is_only_file = source is None and len(code_files) == 1 and len(folder.stages) == 1
    if source is None and not is_only_file:
        if len(folder.stages) == 1:
            raise SpecError(_problem_without_program(folder, [stage]))
        return None
    digest = _digest(folder, stage, lambda digest: digest.add_path(program_folder))

    def build_into(into: Path) -> Build:
        with open_submission(program_folder / code_files[0] if is_only_file else program_folder) as submission:
            program_source = submission.sources([stage])[stage.name]
            if program_source is None:
                raise SpecError(_problem_without_program(folder, [stage]))
            return build(msgspec.structs.replace(program_source, passed_over=()), into, conditions_here())

    return _runner(folder, stage, digest, build_into)


def _run_of_patch(path: Path, folder: MistakeFolder, stage: Stage) -> ExpectedRun | None:
    try:
        patch = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{path}: the patch cannot be read: {error}") from error
    if stage.reference.function:
        return _run_of_patched_function(patch, path, stage, _label_of(folder))
    if not stage.reference.is_source:
        raise NoFileError(
            f"{path}: the reference of {stage.name!r} is a command, which cannot be patched — name its source, as in "
            "`reference: meter.c`, or give a program instead"
        )
    source = reference_source(stage, Path(stage.reference.command[0]))
    changed_texts = texts_after_patch(patch, path, source.texts())
    digest = _digest(folder, stage, source.add_to)
    digest.add(*(part for name_and_text in sorted(changed_texts.items()) for part in name_and_text))

    def build_into(into: Path) -> Build:
        with scratch.folder("patched") as copies:
            copy = Path(copies) / "copy"
            source.copy(copy)
            for name, text in changed_texts.items():
                (copy / name).write_bytes(text.encode("utf-8"))
            return source.built(copy, into, conditions_here())

    return _runner(folder, stage, digest, build_into, place=f"{path}:1")


def _run_of_patched_function(patch: str, path: Path, stage: Stage, mistake_label: str) -> ExpectedRun:
    """The reference function from patched copies of its modules, which are loaded beside the original modules."""
    original = Original(stage.reference.function)
    modules = _modules_of(original)
    texts = {file_name: file.read_text(encoding="utf-8") for file_name, (_, file) in modules.items()}
    codes = {}
    for file_name, text in texts_after_patch(patch, path, texts).items():
        module_name, _ = modules[file_name]
        try:
            codes[module_name] = compile(text, file_name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            line, reason = (f":{error.lineno}", error.msg) if isinstance(error, SyntaxError) else ("", str(error))
            raise SpecError(f"{path}:1: {file_name}{line} is not Python with this patch: {reason}") from error
    main: Any = call(f"{path}:1: {mistake_label}", Copy(original, codes).main)
    return expected_run_in_process(main, mistake_label, accepted_by(main, own_keywords(stage.options)))


def _modules_of(original: Original) -> dict[str, tuple[str, Path]]:
    """The names and files of a reference's modules, by path relative to the folder that contains the package."""
    package = original.main_module.partition(".")[0]
    package_file = original.path_of(package)
    if package_file is None:
        raise SpecError(f"{original.main_module}: this module has no file, so no patch can change it")
    if package_file.name != "__init__.py":
        return {package_file.name: (package, package_file)}
    modules = {}
    for file in sorted(package_file.parent.rglob("*.py")):
        parts = file.relative_to(package_file.parent).with_suffix("").parts
        name = ".".join((package, *(parts[:-1] if parts[-1] == "__init__" else parts)))
        modules[file.relative_to(package_file.parent.parent).as_posix()] = (name, file)
    return modules


def _digest(folder: MistakeFolder, stage: Stage, add: Callable[[Digest], None]) -> Digest:
    """A digest of the sources that `add` adds and everything else that a program depends on.

    The file with the mistake's title and hint is left out.
    """
    digest = Digest("program of a mistake", [folder.folder / MISTAKE_FILE])
    digest.add(fingerprint(), stage.name, *stage.submitted_as, "sources", *stage.sources)
    try:
        if stage.given is not None:
            digest.add_path(stage.given)
        add(digest)
    except NoDigestError as error:
        raise SpecError(f"{folder.words.place}: its program's files cannot be read: {error}") from error
    return digest


def _runner(
    folder: MistakeFolder, stage: Stage, digest: Digest, build_into: Callable[[Path], Build], place: str = ""
) -> Runner:
    """The runner of a program that `build_into` builds in a new folder.

    The program is built at once, so that an error is reported, unless this or another process has built it before.
    `place` is what the instructor has to fix; if it is empty, this is the place of the mistake's texts.
    """
    key, label = digest.text(), _label_of(folder)
    program = partial(built_program, key, build_into, f"{place or folder.words.place}: {label}")
    if not is_digest_recorded(key):
        program()
        record_digest(key)
    return Runner(f"the program of {label}", key, program, stage, stage.limits)


#: Applying a patch takes milliseconds.
_PATCH_LIMIT_S = 60
_OPTIONS = ("--unified", "--force", "--fuzz=0", "--reject-file=-", "--output=-")
#: What patch(1) writes about a hunk that does not apply, or a line that is not part of a unified diff.
_COMPLAINT = re.compile(r"Hunk #(?P<hunk>\d+) FAILED|malformed patch at line (?P<line>\d+)")
_NO_FILE = "/dev/null"
_HOW_TO_MAKE = "make one with: diff -u FILE-OF-THE-REFERENCE CHANGED-FILE > change.patch"


class NoFileError(SpecError):
    """The reference has no file that the patch may change."""


class FilePatch(NamedTuple):
    """The changes to one file."""

    #: The line of the patch that begins with `---`, from 1.
    line: int
    #: The names of the file before and after the changes.
    names: tuple[str, str]
    #: The lines of the patch from that line on, without line ends.
    lines: tuple[str, ...]


def texts_after_patch(text: str, path: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Returns the new texts of the changed files; raises SpecError if the patch does not apply or changes nothing.

    `text` is the patch, read from the file `path`: a unified diff, as written by `diff -u` and `git diff`, which
    patch(1) applies. `files` contains the texts that the patch may change, by name.

    The context lines and removed lines of a hunk must match the file exactly (no fuzz), but may be at any line of the
    file; a hunk with less context at one end than at the other belongs at that end of the file.
    """
    texts: dict[str, str] = {}
    for patch in _file_patches(text, path):
        name = _file_named(patch, tuple(files), path)
        texts[name] = _patched_text(patch, texts.get(name, files[name]), name, path)
    if all(texts[name] == files[name] for name in texts):
        raise SpecError(f"{path}:1: this patch leaves the reference unchanged — it must change something")
    return texts


def _file_patches(text: str, path: Path) -> list[FilePatch]:
    """The changes of each file in a patch; raises SpecError, with file and line, if there are none."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    starts = [
        index
        for index in range(len(lines) - 2)
        if lines[index].startswith("--- ") and lines[index + 1].startswith("+++ ") and lines[index + 2][:3] == "@@ "
    ]
    if not starts:
        raise SpecError(f"{path}:1: this is not a unified diff: no lines --- and +++ name a file — {_HOW_TO_MAKE}")
    return [
        # A line that begins with none of these characters follows the changes, such as `diff --git`.
        FilePatch(
            start + 1, (_name(lines[start]), _name(lines[start + 1])), tuple(takewhile(_is_of_hunk, lines[start:end]))
        )
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def _name(line: str) -> str:
    """The file name in a line that begins with --- or +++, without the time that may follow the name."""
    return line[4:].partition("\t")[0].strip().strip('"')


def _is_of_hunk(line: str) -> bool:
    return line[:1] in "@ -+\\"  # also true for an empty line, of which an editor may have stripped the blank


def _patched_text(patch: FilePatch, text: str, file_name: str, path: Path) -> str:
    """The text of a file after the changes of a patch; raises SpecError if the changes do not apply.

    `file_name` is the name of the changed file for messages; `path` is the file of the patch.
    """
    if shutil.which("patch") is None:
        raise SpecError(f"{path}: this machine has no program patch, which applies it — on Debian: apt install patch")
    has_windows_lines = text.partition("\n")[0].endswith("\r")
    with scratch.folder("patch") as folder:
        file = Path(folder, "file")
        file.write_bytes(text.replace("\r\n", "\n").encode() if has_windows_lines else text.encode())
        try:
            run = subprocess.run(
                ["patch", *_OPTIONS, str(file)],
                input="\n".join(patch.lines).encode() + b"\n",
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
                capture_output=True,
                check=False,
                timeout=_PATCH_LIMIT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise ShortageError(f"{path}: the program patch did not end within {_PATCH_LIMIT_S} s") from error
    if run.returncode:
        raise SpecError(_misfit_sentence(patch, run.stderr.decode("utf-8", "replace"), file_name, path))
    patched_text = run.stdout.decode("utf-8", "replace")
    return patched_text.replace("\n", "\r\n") if has_windows_lines else patched_text


def _misfit_sentence(patch: FilePatch, complaints: str, file_name: str, path: Path) -> str:
    """A sentence on changes that patch(1) refused with these complaints, with the line of the hunk if it is known."""
    complaint = _COMPLAINT.search(complaints)
    if complaint is None or complaint["line"]:
        line = patch.line + int(complaint["line"]) - 1 if complaint else patch.line
        return f"{path}:{line}: the changes of {file_name} cannot be read — {_HOW_TO_MAKE}"
    hunk_lines = [index for index, line in enumerate(patch.lines) if line.startswith("@@ ")]
    line = patch.line + hunk_lines[int(complaint["hunk"]) - 1]
    return f"{path}:{line}: the patch does not apply to {file_name} — create it again from the current reference"


def _file_named(patch: FilePatch, names: Sequence[str], path: Path) -> str:
    """Returns the file that a patch changes: the file whose path shares the most last parts with a path in the patch.

    If there is only one file, the patch may give any name. Raises NoFileError if no file matches, and SpecError if two
    files match equally well.
    """
    if _NO_FILE in patch.names:
        raise SpecError(f"{path}:{patch.line}: it adds or removes a file — a patch changes existing files")
    for name in patch.names:
        shared_counts = {candidate: _shared_end(name, candidate) for candidate in names}
        longest = max(shared_counts.values(), default=0)
        best = [candidate for candidate, count in shared_counts.items() if count == longest]
        if longest and len(best) == 1:
            return best[0]
        if longest:
            raise SpecError(f"{path}:{patch.line}: {as_found(name)} may be {listed(best)} — write one of these paths")
    if len(names) == 1:
        return names[0]
    allowed = f"it has {listed(names)}{did_you_mean(patch.names[0], names)}"
    raise NoFileError(f"{path}:{patch.line}: the reference has no file {as_found(patch.names[0])} — {allowed}")


def _shared_end(first_path: str, second_path: str) -> int:
    """How many parts at the end of two paths are the same."""
    pairs = zip(reversed(PurePosixPath(first_path).parts), reversed(PurePosixPath(second_path).parts), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
