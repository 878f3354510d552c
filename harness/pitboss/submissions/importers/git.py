"""Reads the files of one commit from a student's untrusted git repository, as they are stored.

The configuration of the student's repository is never read, so that its hooks, filters and commands cannot run. Its
objects are linked into an empty repository of ours, and this module reads HEAD. Git only reads a commit, its tree and
its files as they are stored. Attributes, links and submodules are ignored.

    IMPORT/0007/            our repository: HEAD, config, objects/, shallow
    IMPORT/0008/play.c      the files of the commit
"""

from __future__ import annotations

import datetime
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec

from pitboss.errors import HarnessError, SessionError, UsageError
from pitboss.machine import processes
from pitboss.machine.files import head_of
from pitboss.machine.retry import refusal_error
from pitboss.machine.shortages import is_short
from pitboss.machine.users import prlimit
from pitboss.submissions.archives import is_archive
from pitboss.submissions.importers.gathered_files import Scratch, link_file
from pitboss.submissions.importers.imported import (
    FoundSubmissions,
    ImportedSubmission,
    LeftOut,
    Person,
    entries_of,
    one_line,
)
from pitboss.submissions.sources import MAX_BYTES, MAX_FILES, is_ignored_name
from pitboss.submissions.submission import name_of

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"refs/heads/[^\x00-\x20~^:?*\[\\\x7f]+")
#: The name of the folder of an object that is not in a pack.
_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}")
#: The name of the file of an object that is not in a pack.
_LOOSE_NAME = re.compile(r"[0-9a-f]{38}|[0-9a-f]{62}")
_PACK = re.compile(r"pack-[0-9a-f]+\.(?:pack|idx)")
#: The maximum number of bytes read from HEAD or the file of a branch.
_MAX_REF_BYTES = 4096
#: The maximum number of bytes read from packed-refs or shallow.
_MAX_REFS_BYTES = 16 << 20
#: The maximum number of bytes read from `ls-tree`.
_MAX_TREE_BYTES = 32 << 20
#: The maximum number of files below a repository's folder `objects`; a class project has a few thousand.
_MAX_OBJECTS = 200_000
#: The modes of regular files in a tree.
_REGULAR_MODES = ("100644", "100755", "100664")
#: The start of a file that only points to a file in Git LFS.
_LFS_START = b"version https://git-lfs"


class Commit(msgspec.Struct, frozen=True):
    """A commit whose files were written to a folder."""

    folder: Path
    #: The hash of the commit.
    commit_hash: str
    #: The time of the commit.
    at: datetime.datetime
    notes: tuple[str, ...] = ()


def is_repository(folder: Path) -> bool:
    """Whether a folder contains a repository, or is a bare repository."""
    is_bare = (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    return is_bare or (folder / ".git").is_dir() or (folder / ".git").is_file()


def export_commit(folder: Path, scratch: Scratch, until: datetime.datetime | None) -> Commit:
    """Exports the last commit of a repository's branch; with `until`, the last commit up to and including that instant.

    Raises NoCommit if there is no such commit, GitError if it cannot be read, UsageError if this machine has no git,
    SessionError if this machine lacks room or cannot run git.
    """
    if shutil.which("git") is None:
        raise UsageError(
            f"{scratch.path_in_download(folder)}: this is a git repository, and this machine has no git; "
            "on Debian: apt install git"
        )
    git_folder = _git_folder_of(folder)
    head = _head_commit(git_folder)
    our_repository = scratch.unused_path()
    try:
        _link_objects(our_repository, git_folder, len(head))
    except OSError as error:
        if is_short(error.errno):
            raise refusal_error(
                f"{scratch.path_in_download(folder)}: the repository could not be copied", error
            ) from error
        raise GitError(f"The repository cannot be read: {error.strerror}.") from error
    try:
        commit_hash, committed_at, notes = _select_commit(our_repository, head, until)
        into = scratch.unused_path()
        file_notes = _write_files(our_repository, commit_hash, into)
    finally:
        shutil.rmtree(our_repository, ignore_errors=True)
    return Commit(into, commit_hash, committed_at, (*notes, *file_notes))


def _git_folder_of(folder: Path) -> Path:
    """The folder with HEAD and the objects of a repository; raises GitError if it is not in `folder`."""
    git_folder = folder / ".git"
    if git_folder.is_symlink() or git_folder.is_file():
        raise GitError("Its .git is not a folder, but leads to a folder elsewhere: clone the repository again.")
    return git_folder if git_folder.is_dir() else folder


def _text_of(path: Path, max_bytes: int) -> str:
    """Returns the text of a repository's file; empty if the file is missing, unreadable or a link."""
    return head_of(path, max_bytes, follows_links=False).decode("utf-8", "surrogateescape")


def _head_commit(git_folder: Path) -> str:
    """Returns the hash of the commit that HEAD points to; raises GitError if HEAD points to no commit."""
    head = _text_of(git_folder / "HEAD", _MAX_REF_BYTES).strip()
    if _HASH.fullmatch(head):
        return head
    branch = head.removeprefix("ref:").strip()
    if not _BRANCH.fullmatch(branch) or ".." in branch:
        raise GitError("Its HEAD names no branch: clone the repository again.")
    path = git_folder
    for part in branch.split("/"):
        path = path / part
        if path.is_symlink():
            raise GitError("Its HEAD leads to a symbolic link: clone the repository again.")
    commit = _text_of(path, _MAX_REF_BYTES).strip()
    if _HASH.fullmatch(commit):
        return commit
    for line in _text_of(git_folder / "packed-refs", _MAX_REFS_BYTES).splitlines():
        commit_hash, _, ref = line.partition(" ")
        if ref.strip() == branch and _HASH.fullmatch(commit_hash):
            return commit_hash
    raise NoCommit("The repository has no commit yet.")


def _link_objects(our_repository: Path, git_folder: Path, hash_length: int) -> None:
    """Creates `our_repository` with the objects in `git_folder`, linked or copied; alternates are ignored."""
    (our_repository / "refs").mkdir(parents=True)
    (our_repository / "HEAD").write_text("ref: refs/heads/none\n")  # git needs a HEAD; the branch does not exist
    extension = "[extensions]\n\tobjectformat = sha256\n" if hash_length == 64 else ""
    (our_repository / "config").write_text(
        f"[core]\n\trepositoryformatversion = {int(bool(extension))}\n\tbare = true\n{extension}"
    )
    shallow = [line for line in _text_of(git_folder / "shallow", _MAX_REFS_BYTES).splitlines() if _HASH.fullmatch(line)]
    if shallow:
        (our_repository / "shallow").write_text("".join(f"{line}\n" for line in shallow))
    objects, object_count = git_folder / "objects", 0
    folders = sorted(objects.iterdir()) if objects.is_dir() and not objects.is_symlink() else []
    for folder in folders:
        if folder.name == "pack":
            pattern = _PACK
        elif _LOOSE_FOLDER.fullmatch(folder.name):
            pattern = _LOOSE_NAME
        else:
            continue
        if folder.is_symlink() or not folder.is_dir():
            continue
        (our_repository / "objects" / folder.name).mkdir(parents=True)
        for path in folder.iterdir():
            if pattern.fullmatch(path.name) and path.is_file() and not path.is_symlink():
                object_count += 1
                if object_count > _MAX_OBJECTS:
                    raise GitError(f"The repository has more than {_MAX_OBJECTS:,} objects.")
                link_file(path, our_repository / "objects" / folder.name / path.name)
    (our_repository / "objects").mkdir(exist_ok=True)


def _select_commit(
    our_repository: Path, head: str, until: datetime.datetime | None
) -> tuple[str, datetime.datetime, tuple[str, ...]]:
    """Returns the hash of the commit to import, the time of the commit, and notes."""
    # With `--min-age`, git lists only the commits up to the instant.
    age_options = [] if until is None else [f"--min-age={int(until.timestamp())}"]
    commit_hash, committed_at = _last_commit(our_repository, head, *age_options)
    if not commit_hash:
        raise NoCommit(f"The repository has no commit until {utc_instant(until)}.")
    if until is None or commit_hash == head:
        return commit_hash, committed_at, ()
    main_line_hash, _ = _last_commit(our_repository, head, "--first-parent", *age_options)
    ignored_note = f"the commits after {utc_instant(until)} are ignored"
    branches_note = (
        f"branches were merged, and the last commit of the main line is {main_line_hash[:7]}: check which one to grade"
    )
    notes = (ignored_note, branches_note) if main_line_hash and main_line_hash != commit_hash else (ignored_note,)
    return commit_hash, committed_at, notes


def utc_instant(at: datetime.datetime | None) -> str:
    """Formats an instant for a sentence, in UTC; empty for None."""
    return "" if at is None else f"{at.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


def _last_commit(our_repository: Path, head: str, *options: str) -> tuple[str, datetime.datetime]:
    """Returns the hash and time of the last commit that git lists with these options; an empty hash if none."""
    output = run_git(our_repository, "rev-list", "-1", "--timestamp", *options, head)
    output_parts = output.decode("ascii", "replace").split()
    epoch = datetime.datetime.fromtimestamp(0, datetime.UTC)
    if len(output_parts) != 2:
        return "", epoch
    try:
        return output_parts[1], datetime.datetime.fromtimestamp(int(output_parts[0]), datetime.UTC)
    except (ValueError, OverflowError, OSError):
        raise GitError("Its last commit has no date that can be read.") from None


def _write_files(our_repository: Path, commit_hash: str, into: Path) -> tuple[str, ...]:
    """Writes the files of a commit into the new folder `into`; returns notes on files that are not written there."""
    into.mkdir()
    link_count, files = _files_of_commit(our_repository, commit_hash)
    size = sum(length for _, length, _ in files)
    object_names = "".join(f"{object_name}\n" for object_name, _, _ in files).encode()
    # For each file, git writes a header line, the content and a newline; header and newline have at most 200 bytes.
    max_bytes = size + 200 * len(files) + 1
    blobs = run_git(our_repository, "cat-file", "--batch", stdin=object_names, max_bytes=max_bytes)
    offset, has_lfs_file = 0, False
    for object_name, length, parts in files:
        header = f"{object_name} blob {length}\n".encode()
        if not blobs.startswith(header, offset):
            raise GitError("The repository is damaged: a file of its last commit is missing.")
        content_start = offset + len(header)
        offset = content_start + length + 1  # after the newline
        content = blobs[content_start : content_start + length]
        has_lfs_file = has_lfs_file or content.startswith(_LFS_START)
        _write_file(into.joinpath(*parts), content)
    notes = [f"links and submodules are left out: {link_count}"] if link_count else []
    if has_lfs_file:
        notes.append("a file is stored in Git LFS and is missing here")
    return tuple(notes)


def _files_of_commit(our_repository: Path, commit_hash: str) -> tuple[int, list[tuple[str, int, list[str]]]]:
    """Returns the number of links and submodules in a commit, and its regular files.

    Each file is a tuple of its object name, its size, and the parts of its path.
    """
    link_count, size, files = 0, 0, []
    listing = run_git(our_repository, "ls-tree", "-r", "-z", "-l", commit_hash, max_bytes=_MAX_TREE_BYTES)
    for entry in listing.split(b"\0")[:-1]:
        attributes, _, raw_path = entry.partition(b"\t")
        mode, _, object_name, length = attributes.decode("ascii", "replace").split()
        if mode not in _REGULAR_MODES:
            link_count += 1
            continue
        parts = raw_path.decode("utf-8", "surrogateescape").split("/")
        if any(is_ignored_name(part) or part in ("", "..") for part in parts):
            continue
        if not length.isdigit():
            raise GitError("The repository is damaged: a file of its last commit is missing.")
        size += int(length)
        files.append((object_name, int(length), parts))
        if len(files) > MAX_FILES or size > MAX_BYTES:
            raise GitError(
                f"The repository has more than {MAX_FILES} files or {MAX_BYTES >> 20} MB: hand in only the programs."
            )
    return link_count, files


def _write_file(path: Path, content: bytes) -> None:
    """Writes a file; raises SessionError if this machine lacks room, GitError for any other problem."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        if is_short(error.errno):
            raise refusal_error("a file of a repository could not be written", error) from error
        raise GitError(f"A file of the repository cannot be written: {error.strerror}.") from error


#: The limit on git's CPU time: more than the largest class project takes.
_CPU_S = 60
#: The limit on git's memory.
_MEMORY_BYTES = 2 << 30
#: The limit on elapsed time. If git exceeds only this limit, the machine or a disk is busy, and the student is not to
#: blame.
_MAX_WAIT_S = 1200.0
_MAX_OUTPUT_BYTES = 1 << 20
#: The environment of git, besides PATH.
_ENVIRONMENT = {
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
}
_SAFE_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "protocol.allow=never",
)
#: Settings that let a large pack fit into the memory limit.
_MEMORY_SETTINGS = ("core.packedGitWindowSize=32m", "core.packedGitLimit=256m")


class GitError(HarnessError):
    """A student's repository cannot be imported; the message is a sentence."""


class NoCommit(GitError):
    """A repository has no commit, or no commit up to the instant `until` of an import."""


def run_git(repository: Path, *arguments: str, stdin: bytes = b"", max_bytes: int = _MAX_OUTPUT_BYTES) -> bytes:
    """Runs git with these arguments, and returns the output.

    Raises GitError if git fails, uses too much CPU time or prints more than `max_bytes`; SessionError if this machine
    cannot start git, kills it, or blocks it for too long.
    """
    setting_arguments = [
        argument
        for setting in (*_SAFE_SETTINGS, *_MEMORY_SETTINGS, f"safe.directory={repository}")
        for argument in ("-c", setting)
    ]
    git = ["git", "--no-optional-locks", "--no-pager", f"--git-dir={repository}", *setting_arguments, *arguments]
    limiter = prlimit()
    limit_command = [limiter, f"--as={_MEMORY_BYTES}", f"--cpu={_CPU_S}:{_CPU_S + 5}", "--"] if limiter else []
    try:
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            process = subprocess.Popen(
                [*limit_command, *git],
                cwd=repository,
                env={**_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)},
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
    except OSError as error:
        raise refusal_error("git could not be started", error) from error
    try:
        output = _output_of(process, max_bytes)
        code = process.wait(_MAX_WAIT_S)
        if code == -signal.SIGKILL:
            raise SessionError("git was killed while it read a repository: is this machine out of memory?")
        if code == -signal.SIGXCPU:
            raise GitError(f"The repository could not be read within {_CPU_S} seconds of computing.")
        if code:
            raise GitError("The repository is damaged or incomplete: git cannot read it.")
        return output
    finally:
        process.kill()
        processes.wait_until(lambda: process.poll() is not None)
        if process.stdout is not None:
            process.stdout.close()


def _output_of(process: subprocess.Popen[bytes], max_bytes: int) -> bytes:
    """Returns the output of a process; raises GitError if the output is too long, SessionError if git is too slow."""
    output, deadline = bytearray(), time.monotonic() + _MAX_WAIT_S
    stream = process.stdout
    while stream is not None:
        if not select.select([stream], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise SessionError(f"git has not read a repository within {_MAX_WAIT_S:.0f} seconds: is this machine busy?")
        chunk = os.read(stream.fileno(), 1 << 16)
        if not chunk:
            break
        output += chunk
        if len(output) > max_bytes:
            raise GitError("The repository has too many or too large files: hand in only the programs.")
    return bytes(output)


def read_repositories(folder: Path, scratch: Scratch, until: datetime.datetime | None) -> FoundSubmissions:
    """Reads the last commit of each repository in a folder; with `until`, the last commit up to that instant.

    Raises UsageError if git is missing.
    """
    entries, left_out = entries_of(folder)
    result = FoundSubmissions(left_out_entries=left_out)
    for path in entries:
        if path.is_dir() or is_archive(path):
            result.submissions.append(_exported_submission(path, scratch, until))
        else:
            result.left_out_entries.append(LeftOut(one_line(path.name), "no repository"))
    return result


def _exported_submission(path: Path, scratch: Scratch, until: datetime.datetime | None) -> ImportedSubmission:
    """The submission in a git repository; a folder or archive that is not a repository is used unchanged."""
    name = one_line(path.name.removesuffix(".git") or path.name) if path.is_dir() else one_line(name_of(path))
    person, source = Person(name, name), one_line(path.name)
    if not path.is_dir() or not is_repository(path):
        note = "not a git repository: used as it is; the time of submission is unknown"
        return ImportedSubmission(person, path, source=source, notes=(note,))
    try:
        commit = export_commit(path, scratch, until)
    except NoCommit as error:
        return ImportedSubmission(person, None, source=source, notes=(str(error),))
    except GitError as error:
        return ImportedSubmission(person, None, source=source, problem=str(error))
    source_and_commit = f"{source}, commit {commit.commit_hash[:7]}"
    return ImportedSubmission(person, commit.folder, commit.at, source=source_and_commit, notes=commit.notes)
