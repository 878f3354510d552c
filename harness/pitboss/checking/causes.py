"""The causes of a result: digests of everything that it depends on, such as the code that the assignment runs.

Only results whose causes have changed are computed again. An assignment names its functions. Its code includes the
package or module of each function with all files in it, even files that are not Python, and every module that one of
these files imports, wherever Python finds the module. Python's own modules are left out, and of an installed package
that the assignment does not name only the location is noted: their versions are part of `digest_of_machine`.

Reports of earlier runs are in the user's cache folder, by everything that they depend on.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.functions import module_locations, parse_function_name
from pitboss.assignments.nodes import Items, Keyed, Node, Text, read_yaml
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.errors import SpecError
from pitboss.machine.store import StoreOrRefusal, open_store
from pitboss.model.transcript import MACHINE_DEPENDENT
from pitboss.sandbox.digests import Causes, Digest, NoDigestError, digest_of_machine, digest_of_pitboss


class ReportCache:
    """The cached reports for one command line."""

    def __init__(self, *request: str) -> None:
        """Open the cache; `request` is what reports depend on besides the causes of their results, such as names.

        If the user's cache folder cannot be used, no report is found or cached, and `refusal` says why. It is empty if
        the user has switched the cache off.
        """
        is_off = "cache" in os.environ.get("PITBOSS_WITHOUT", "")
        self._store, self.refusal = StoreOrRefusal(None) if is_off else open_store(os.environ)
        # Computed now, before anything runs: pitboss raises limits that are a part of it.
        self._request = (digest_of_machine(os.environ), os.getcwd(), *request) if self._store else ()

    @property
    def is_usable(self) -> bool:
        return self._store is not None

    def key(self, causes: Causes | None, *names: str) -> str:
        """The key of the report on a submission, which depends on these names too; empty if there is no such report.

        `causes` are None, or have an empty digest of the assignment, if they cannot be determined.
        """
        if self._store is None or causes is None or not causes.assignment:
            return ""
        digest = Digest("report")
        digest.add(*self._request, *causes, *names)
        return digest.text()

    def report(self, key: str) -> Report | None:
        """The cached report with this key, if there is one."""
        content = self._store.get(key) if self._store and key else None
        try:
            return msgspec.msgpack.decode(content, type=Report) if content is not None else None
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None

    def save(self, key: str, report: Report) -> None:
        """Cache a report under a key, if it may be cached and can be read back unchanged.

        The caller has seen that nothing that the key depends on has changed since the run began.
        """
        if self._store is None or not key or not is_cacheable(report):
            return
        try:
            content = msgspec.msgpack.encode(report)
            if msgspec.msgpack.decode(content, type=Report) == report:
                self._store.put(key, content)
        except (msgspec.MsgspecError, ValueError, TypeError):
            return


def is_cacheable(report: Report) -> bool:
    """Whether a new run would give the same report: it is complete, has no faults, and does not depend on timing."""
    if report.stopped or report.faults or report.draws_vary or report.verdict is Verdict.JUDGE_ERROR:
        return False
    return all(map(_is_repeatable, report.stages))


def _is_repeatable(stage: StageReport) -> bool:
    if stage.is_partial or stage.faults or stage.verdict is Verdict.JUDGE_ERROR or stage.build_was_stopped:
        return False
    return not any(
        result.verdict is Verdict.JUDGE_ERROR or result.actual.ending.kind in MACHINE_DEPENDENT
        for result in stage.results
    )


def digest_of_program(path: Path) -> str:
    """The digest of a submission, with its name if it is a file. Raises NoDigestError if it cannot be read."""
    digest = Digest("submission in a gradebook")
    if not path.is_dir():
        digest.add(path.name)
    digest.add_submission(path)
    return digest.text()


def digest_of_assignment(assignment: Assignment) -> str:
    """The digest of an assignment without its grading policy, on which no session depends.

    Raises NoDigestError if the assignment's code cannot be determined, SpecError if its file can no longer be read.
    """
    # The path is resolved as in `code_of`, which so recognizes the file and leaves it out.
    file = assignment.folder.resolve() / ASSIGNMENT_FILE
    digest = Digest("assignment in a gradebook")
    node = read_yaml(file)
    entries = node.entries if isinstance(node, Keyed) else {}
    digest.add(*(part for name, entry in entries.items() if name != "grading" for part in (name, _content_text(entry))))
    digest.add(code_of(assignment, [file]).digest)
    return digest.text()


def _content_text(node: Node) -> str:
    """A text that identifies a node's content, independent of its position in the file."""
    match node:
        case Text(value):
            return repr(value)
        case Items(items):
            return repr([_content_text(item) for item in items])
        case Keyed(entries):
            return repr([(name, _content_text(entry)) for name, entry in entries.items()])


def digest_of_request(options: Iterable[str], given: Iterable[Path]) -> str:
    """The digest of a command's options, and of the course's files in the folders `given`.

    Raises NoDigestError if a file cannot be read.
    """
    digest = Digest("asked of a gradebook")
    digest.add(*options)
    for folder in given:
        digest.add_path(folder)
    return digest.text()


class ClassCauses(NamedTuple):
    """The causes that all submissions of a class share; all empty if they cannot be determined."""

    #: The digest of the assignment.
    assignment: str
    #: The digest of the command's options and the course's files.
    options: str
    #: The digest of pitboss's own code.
    pitboss: str

    def causes_of(self, path: Path) -> Causes | None:
        """All causes of the result of the submission at `path`.

        None if the causes cannot be determined: then the submission is run each time.
        """
        if not self.assignment:
            return None
        try:
            return Causes(digest_of_program(path), *self)
        except (NoDigestError, OSError):
            return None


def class_causes(assignment: Assignment, command_options: Iterable[str], given: Iterable[Path]) -> ClassCauses:
    """Compute the causes that all submissions of a class share; all empty if they cannot be determined.

    `command_options` are the command's options, and `given` the folders with the course's files.
    """
    try:
        return ClassCauses(
            digest_of_assignment(assignment), digest_of_request(command_options, given), digest_of_pitboss()
        )
    except (NoDigestError, OSError, SpecError):
        return ClassCauses("", "", "")


#: A path in a spec file that may lead out of the assignment's folder, in a line that is not a comment.
_LEADS_OUT = re.compile(rb"^(?![ \t]*#).*(?:\.\./|:[ \t]+[\"']?/)", re.MULTILINE)


def packages_of(assignment: Assignment) -> tuple[tuple[str, str], ...]:
    """The packages and modules that an assignment names, each after the folder where its import path begins.

    Raises NoDigestError if a command or a path in a spec file may lead to files outside of the assignment's folder.
    """
    folder = assignment.folder.resolve()
    _check_paths(folder)
    for stage in assignment.stages:
        references = [reference.command for reference in stage.references]
        for command in (*references, *(checker.command for checker in stage.checkers)):
            # All files that a command uses are assumed to be in the assignment's folder if one argument is.
            if command and not any(Path(argument).is_relative_to(folder) for argument in command):
                raise NoDigestError(f"{stage.name}: the files that {command[0]} uses are unknown")
    parts = map(parse_function_name, assignment.functions)
    return tuple(sorted({(part.folder, part.package) for part in parts}))


def _check_paths(folder: Path) -> None:
    """Raise NoDigestError if a spec file may name a file outside of its folder."""
    for path in sorted(folder.rglob("*.yaml")):
        try:
            if _LEADS_OUT.search(path.read_bytes()):
                raise NoDigestError(f"{path}: it may name a file outside of {folder}")
        except OSError as error:
            raise NoDigestError(f"{path}: {error.strerror}") from error


#: The imports of a file, at any level of indentation.
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([A-Za-z_][\w.]*)[ \t]+import|import[ \t]+([A-Za-z_][^\n;#]*))"
    rb"|import_module\([ \t\n]*[\"']([A-Za-z_][\w.]*)",
    re.MULTILINE,
)
#: Packages that the digest of the code leaves out, since pitboss has a separate digest: see digests.py.
_OURS = ("pitboss",)


class Code(NamedTuple):
    """The code of an assignment."""

    #: A digest of all files of the code and their paths.
    digest: str
    #: The file or folder of each module or package, by name. The assignment's folder also belongs to the code.
    paths: dict[str, Path]
    #: The import names of the installed packages that the code uses.
    installed: tuple[str, ...]


def code_of(assignment: Assignment, files_to_ignore: Iterable[Path] = ()) -> Code:
    """Find the code that an assignment names and everything it imports, except for the files `files_to_ignore`.

    Raises NoDigestError if the code cannot be determined.
    """
    assignment_folder, packages = str(assignment.folder.resolve()), packages_of(assignment)
    digest, imported = Digest("code", files_to_ignore), dict[str, None]()
    paths, installed = dict[str, Path](), list[str]()

    def note_imports(path: str, content: bytes) -> None:
        if path.endswith(".py"):
            imported.update(dict.fromkeys(_imported_names(content)))

    digest.add_path(Path(assignment_folder), note_imports)
    pending, done = [*packages, *((assignment_folder, name) for name in imported)], set[tuple[str, str]]()
    importlib.invalidate_caches()
    while pending:
        folder, name = pending.pop(0)
        is_named = (folder, name) in packages
        if (folder, name) in done or name in _OURS or (name in sys.stdlib_module_names and not is_named):
            continue
        done.add((folder, name))
        path = _path_of(folder, name)
        digest.add(name, str(path))  # also if there is no such module: the digest changes when it appears
        if path is None:
            continue
        if not is_named and _is_installed(path):
            installed.append(name)
            continue
        imported.clear()
        digest.add_path(path, note_imports)
        paths[name] = path
        pending += ((folder, module) for module in imported)
    return Code(digest.text(), paths, tuple(sorted(set(installed))))


def _path_of(folder: str, name: str) -> Path | None:
    """The file or folder of a package or module, found on the import path of `folder` or by Python; None if not found.

    Raises NoDigestError if the code of the package or module is not in exactly one file or folder.
    """
    paths = module_locations(folder, name)
    if paths is None:
        try:
            # Not importlib.util.find_spec: for a loaded module, it returns the module's own __spec__ without a search.
            spec = next((spec for finder in sys.meta_path if (spec := finder.find_spec(name, None)) is not None), None)
        except Exception as error:  # third-party finders may raise anything
            raise NoDigestError(f"{name}: {error}") from error
        if spec is None:
            return None
        package_folders = spec.submodule_search_locations
        if package_folders is not None:
            paths = [Path(location) for location in package_folders]
        else:
            paths = [Path(spec.origin)] if spec.origin else []
    if len(paths) != 1:
        raise NoDigestError(f"{name}: it is in {len(paths)} places")
    if not paths[0].exists():
        raise NoDigestError(f"{name}: it is not in a file")
    return paths[0]


def _is_installed(path: Path) -> bool:
    """Whether a file or folder belongs to an installed package."""
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return any(path.is_relative_to(folder) for folder in installed)


def _imported_names(text: bytes) -> Iterator[str]:
    """The top-level names of the modules that a file imports."""
    for from_module, import_list, import_module_argument in _IMPORT.findall(text):
        for part in (from_module, import_module_argument, *import_list.split(b",")):
            name = part.strip().partition(b" ")[0].partition(b".")[0].decode("utf-8", "replace")
            if name.isidentifier():
                yield name
