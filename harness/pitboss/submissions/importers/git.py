"""Reads the files of one commit from a student's untrusted git repository, as they are stored.

A repository's configuration is never read, so that its hooks, filters and commands cannot run: its objects are linked
into an empty repository of ours, HEAD is read by this module, and git only reads a commit, its tree and its files as
they are stored. Attributes, links and submodules are ignored.

    IMPORT/0007/            our repository: HEAD, config, objects/, shallow
    IMPORT/0008/play.c      the files of the commit
"""

from __future__ import annotations

import datetime
import re
import shutil
from pathlib import Path

import msgspec

from pitboss.errors import UsageError
from pitboss.sandbox.files import beginning_of
from pitboss.sandbox.retry import refused
from pitboss.sandbox.shortages import is_short
from pitboss.submissions.importers.gathered_files import Scratch
from pitboss.submissions.importers.gitrun import GitError, NoCommit, run_git
from pitboss.submissions.sources import MAX_BYTES, MAX_FILES, is_left_out

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"refs/heads/[^\x00-\x20~^:?*\[\\\x7f]+")
_LOOSE, _LOOSE_NAME = re.compile(r"[0-9a-f]{2}"), re.compile(r"[0-9a-f]{38}|[0-9a-f]{62}")
_PACK = re.compile(r"pack-[0-9a-f]+\.(?:pack|idx)")
_MAX_HEAD, _MAX_REFS, _MAX_TREE = 4096, 16 << 20, 32 << 20
#: A class project has a few thousand objects.
_MAX_OBJECTS = 200_000
_REGULAR = ("100644", "100755", "100664")
_LFS = b"version https://git-lfs"


class Commit(msgspec.Struct, frozen=True):
    """A commit whose files were written to a folder."""

    folder: Path
    name: str
    at: datetime.datetime
    notes: tuple[str, ...] = ()


def is_repository(folder: Path) -> bool:
    """Whether a folder contains a repository, or is a bare repository."""
    return (folder / ".git").is_dir() or (folder / ".git").is_file() or _is_bare(folder)


def _is_bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def export_commit(folder: Path, scratch: Scratch, until: datetime.datetime | None) -> Commit:
    """Exports the last commit of a repository's branch, optionally up to and including an instant.

    Raises GitError if there is no such commit or it cannot be read, UsageError if this machine has no git.
    """
    if shutil.which("git") is None:
        raise UsageError(
            f"{scratch.as_given(folder)}: this is a git repository, and this machine has no git; "
            "on Debian: apt install git"
        )
    git_folder = _git_folder_of(folder)
    head = _head_commit(git_folder)
    ours = scratch.new()
    try:
        _link_objects(ours, git_folder, len(head))
    except OSError as error:
        if is_short(error.errno):
            raise refused(f"{scratch.as_given(folder)}: the repository could not be copied", error) from error
        raise GitError(f"The repository cannot be read: {error.strerror}.") from error
    try:
        name, at, notes = _select_commit(ours, head, until)
        into = scratch.new()
        lfs = _write_files(ours, name, into)
    finally:
        shutil.rmtree(ours, ignore_errors=True)
    return Commit(into, name, at, (*notes, *lfs))


def _git_folder_of(folder: Path) -> Path:
    git_folder = folder / ".git"
    if git_folder.is_symlink() or git_folder.is_file():
        raise GitError("Its .git leads elsewhere: clone the repository again.")
    return git_folder if git_folder.is_dir() else folder


def _text_of(path: Path, max_bytes: int) -> str:
    """Returns the text of a repository's file; empty if the file is missing, unreadable or a link."""
    try:
        return "" if path.is_symlink() else beginning_of(path, max_bytes).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _head_commit(git_folder: Path) -> str:
    """Returns the commit that HEAD points to; raises GitError if it points to none."""
    head = _text_of(git_folder / "HEAD", _MAX_HEAD).strip()
    if _HASH.fullmatch(head):
        return head
    branch = head.removeprefix("ref:").strip()
    if not _BRANCH.fullmatch(branch) or ".." in branch:
        raise GitError("Its HEAD names no branch: clone the repository again.")
    path = git_folder
    for part in branch.split("/"):
        path = path / part
        if path.is_symlink():
            raise GitError("Its HEAD leads elsewhere: clone the repository again.")
    commit = _text_of(path, _MAX_HEAD).strip()
    if _HASH.fullmatch(commit):
        return commit
    for line in _text_of(git_folder / "packed-refs", _MAX_REFS).splitlines():
        name, _, ref = line.partition(" ")
        if ref.strip() == branch and _HASH.fullmatch(name):
            return name
    raise NoCommit("The repository has no commit yet.")


def _link_objects(ours: Path, git_folder: Path, hash_length: int) -> None:
    """Creates a repository with the objects of another, linked or copied; alternates are ignored."""
    (ours / "refs").mkdir(parents=True)
    (ours / "HEAD").write_text("ref: refs/heads/none\n")
    kind = "[extensions]\n\tobjectformat = sha256\n" if hash_length == 64 else ""
    (ours / "config").write_text(f"[core]\n\trepositoryformatversion = {int(bool(kind))}\n\tbare = true\n{kind}")
    shallow = [line for line in _text_of(git_folder / "shallow", _MAX_REFS).splitlines() if _HASH.fullmatch(line)]
    if shallow:
        (ours / "shallow").write_text("".join(f"{line}\n" for line in shallow))
    objects, number = git_folder / "objects", 0
    for folder in sorted(objects.iterdir()) if objects.is_dir() and not objects.is_symlink() else ():
        pattern = _PACK if folder.name == "pack" else _LOOSE_NAME if _LOOSE.fullmatch(folder.name) else None
        if pattern is None or folder.is_symlink() or not folder.is_dir():
            continue
        (ours / "objects" / folder.name).mkdir(parents=True)
        for path in folder.iterdir():
            if pattern.fullmatch(path.name) and path.is_file() and not path.is_symlink():
                number += 1
                if number > _MAX_OBJECTS:
                    raise GitError(f"The repository has more than {_MAX_OBJECTS:,} objects.")
                _link(path, ours / "objects" / folder.name / path.name)
    (ours / "objects").mkdir(exist_ok=True)


def _link(path: Path, target: Path) -> None:
    try:
        target.hardlink_to(path)
    except OSError:
        shutil.copyfile(path, target, follow_symlinks=False)


def _select_commit(
    ours: Path, head: str, until: datetime.datetime | None
) -> tuple[str, datetime.datetime, tuple[str, ...]]:
    """Returns the commit to import, its instant, and notes."""
    limit = [] if until is None else [f"--min-age={int(until.timestamp())}"]
    name, at = _last_commit(ours, head, *limit)
    if not name:
        raise NoCommit(f"The repository has no commit until {utc_instant(until)}.")
    if until is None or name == head:
        return name, at, ()
    first, _ = _last_commit(ours, head, "--first-parent", *limit)
    note = f"the commits after {utc_instant(until)} are ignored"
    branched = f"branches were merged, and the last commit of the main line is {first[:7]}: check which one to grade"
    notes = (note, branched) if first and first != name else (note,)
    return name, at, notes


def utc_instant(at: datetime.datetime | None) -> str:
    """Formats an instant for a sentence, in UTC."""
    return "" if at is None else f"{at.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


def _last_commit(ours: Path, head: str, *options: str) -> tuple[str, datetime.datetime]:
    """Returns the last commit that git lists with these options, and its instant; an empty name if it lists none."""
    out = run_git(ours, "rev-list", "-1", "--timestamp", *options, head).decode("ascii", "replace").split()
    nothing = datetime.datetime.fromtimestamp(0, datetime.UTC)
    if len(out) != 2:
        return "", nothing
    try:
        return out[1], datetime.datetime.fromtimestamp(int(out[0]), datetime.UTC)
    except (ValueError, OverflowError, OSError):
        raise GitError("Its last commit has no date that can be read.") from None


def _write_files(ours: Path, commit: str, into: Path) -> tuple[str, ...]:
    """Writes the files of a commit into the new folder; returns notes."""
    into.mkdir()
    links, files = _listed_tree(ours, commit)
    size = sum(length for _, length, _ in files)
    names = "".join(f"{name}\n" for name, _, _ in files).encode()
    out = run_git(ours, "cat-file", "--batch", stdin=names, max_bytes=size + 200 * len(files) + 1)
    position, is_lfs = 0, False
    for name, length, parts in files:
        header = f"{name} blob {length}\n".encode()
        if not out.startswith(header, position):
            raise GitError("The repository is damaged: a file of its last commit is missing.")
        start = position + len(header)
        position = start + length + 1
        content = out[start : start + length]
        is_lfs = is_lfs or content.startswith(_LFS)
        _write_file(into.joinpath(*parts), content)
    notes = [f"links and submodules are left out: {links}"] if links else []
    return (*notes, *(("a file is stored in Git LFS and is missing here",) if is_lfs else ()))


def _listed_tree(ours: Path, commit: str) -> tuple[int, list[tuple[str, int, list[str]]]]:
    """Returns the number of links and submodules in a commit; and its files: object name, size, parts of the path."""
    links, size, files = 0, 0, []
    for entry in run_git(ours, "ls-tree", "-r", "-z", "-l", commit, max_bytes=_MAX_TREE).split(b"\0")[:-1]:
        attributes, _, raw = entry.partition(b"\t")
        mode, _, name, length = attributes.decode("ascii", "replace").split()
        if mode not in _REGULAR:
            links += 1
            continue
        parts = raw.decode("utf-8", "surrogateescape").split("/")
        if any(is_left_out(part) or part in ("", "..") for part in parts):
            continue
        if not length.isdigit():
            raise GitError("The repository is damaged: a file of its last commit is missing.")
        size += int(length)
        files.append((name, int(length), parts))
        if len(files) > MAX_FILES or size > MAX_BYTES:
            raise GitError(
                f"The repository has more than {MAX_FILES} files or {MAX_BYTES >> 20} MB: hand in only the programs."
            )
    return links, files


def _write_file(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        if is_short(error.errno):
            raise refused("a file of a repository could not be written", error) from error
        raise GitError(f"A file of the repository cannot be written: {error.strerror}.") from error
