"""The assignment folder of a bundle: assignment.yaml and the spec files, rewritten, and the files that they name.

<assignment>/
    assignment.yaml
    <stage>.yaml …      the spec of each stage that is run
    files/…             files of sessions that are not text, or too long for a spec file
    <given>/…           the course's files that programs are built with
    …                   the code of the reference, if it is shipped
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pitboss.assignments import keys
from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.nodes import by_new_names
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.assignments.yamlfile import Items, Keyed, Node, Text, read_yaml
from pitboss.errors import UsageError
from pitboss.kits.bundles.bundle_files import BundleFile, files_below, read_bundle_file
from pitboss.kits.bundles.bundled_cases import AttachedFiles, invocation_entries, recorded_cases, unchanged_cases
from pitboss.kits.bundles.shipped import ReferenceFiles, shipped_files
from pitboss.kits.bundles.yamltext import plain, yaml_text

#: Why a stage is only built, and not run: its draws are read back, or a checker decides.
_DRAWS_ARE_READ_BACK = (
    "its programs draw at random, and only the reference, which is not in this bundle, decides whether their output is "
    "right."
)
_CHECKER_DECIDES = (
    "the course's own checker, which is not in this bundle, decides which sessions of its programs are right."
)
#: The keys that are copied both from the top level of assignment.yaml and from a stage.
_COPIED_OF_BOTH = ("needs", "submitted_as", "sources", "flags", "limits", "compare", "requires", "forbids")
#: Further keys that are copied from both if the reference is shipped.
_SHIPPED_OF_BOTH = ("reference", "reader", "checker", "tolerated", "rules", "required", "most_sessions")
#: All keys that are copied from the top level.
_COPIED = ("title", "language", "versions", "seeded", *_COPIED_OF_BOTH)
#: Further keys that are copied from the top level if the reference is shipped.
_SHIPPED = ("draws", "options", "declared_in", *_SHIPPED_OF_BOTH)
#: All keys that are copied from a stage.
_COPIED_OF_STAGE = ("name", "title", "is_optional", "graded_by", *_COPIED_OF_BOTH, "stderr")
#: Further keys that are copied from a stage if the reference is shipped.
_SHIPPED_OF_STAGE = ("with", "without", *_SHIPPED_OF_BOTH)


class SpecFolder(NamedTuple):
    """The assignment folder of a bundle."""

    files: dict[str, BundleFile]
    #: The number of sessions of each stage that is run, by the stage's name.
    session_counts: Mapping[str, int]
    #: The files of the reference that are copied, and the files left out of its folders.
    shipped: ReferenceFiles


def spec_folder(assignment: Assignment, withheld: frozenset[Path], *, is_installed: bool) -> SpecFolder:
    """The assignment folder of a bundle, for an assignment with only its public cases.

    `withheld` files are not copied with the reference. `is_installed` says that the reference comes with pitboss, so it
    need not be copied. Raises UsageError for a reference that cannot be shipped. Errors from running the reference are
    passed on.
    """
    is_shipped = assignment.ships_reference
    root = read_yaml(assignment.folder / ASSIGNMENT_FILE)
    assert isinstance(root, Keyed)
    attached, counts, course_folders = AttachedFiles(), dict[str, int](), _CourseFolders()
    shipped = shipped_files(assignment, withheld) if is_shipped and not is_installed else ReferenceFiles({})
    files = dict(shipped.files)
    stages = []
    for stage, node in zip(assignment.stages, _stage_nodes(root), strict=True):
        entries = _plain_entries(
            by_new_names(node, keys.STAGE), _COPIED_OF_STAGE + (_SHIPPED_OF_STAGE if is_shipped else ())
        )
        invocation = invocation_entries(stage.invocation, None, attached, is_shipped=is_shipped)
        if not is_shipped:
            invocation.pop("expected_files", None)  # each session specifies their content
        entries |= {
            name: value for name, value in invocation.items() if name in ("files", "expected_files", "kept_files")
        }
        if stage.given is not None:
            entries["given"] = course_folders.name_of(stage.given)
        if not is_run(assignment, stage):
            entries["not_checked"] = _DRAWS_ARE_READ_BACK if stage.reader else _CHECKER_DECIDES
        elif stage.spec.cases:
            cases = unchanged_cases(stage, attached) if is_shipped else recorded_cases(stage, attached)
            counts[stage.name] = cases.session_count
            files[f"{stage.name}.yaml"] = _yaml_file({"program": stage.name, "cases": cases.entries})
        stages.append(entries)
    entries = {**_plain_entries(root.entries, _COPIED + (_SHIPPED if is_shipped else ())), "bundle": "yes"}
    if is_shipped and (players := _players(root, set(assignment.players_of_cases))):
        entries["players"] = players
    files[ASSIGNMENT_FILE] = _yaml_file({**entries, "stages": stages})
    files |= {path: BundleFile(content) for path, content in attached.files.items()}
    return SpecFolder(files | course_folders.files, counts, shipped)


def is_run(assignment: Assignment, stage: Stage) -> bool:
    """Whether a bundle of the assignment can run the programs of a stage, rather than only build them."""
    return assignment.ships_reference or not (stage.reader or stage.checkers) or stage.is_manual


def _yaml_file(entries: Mapping[str, object]) -> BundleFile:
    return BundleFile(yaml_text(entries).encode())


def _stage_nodes(root: Keyed) -> list[Keyed]:
    """The nodes of the stages in assignment.yaml; `root` is the root node of the file."""
    nodes = root.entries["stages"]
    assert isinstance(nodes, Items)
    return [node for node in nodes.items if isinstance(node, Keyed)]


def _plain_entries(entries: Mapping[str, Node], names: tuple[str, ...]) -> dict[str, object]:
    """The plain values of the entries with these names; missing entries are left out."""
    return {name: plain(entries[name]) for name in names if name in entries}


def _players(root: Keyed, wanted: set[str]) -> dict[str, object]:
    """The entries for the `wanted` players under `players` in assignment.yaml, reduced to these players."""
    entries: dict[str, object] = {}
    players = root.entries.get("players")
    for name, node in players.entries.items() if isinstance(players, Keyed) else ():
        names = _names_in(node)
        if names is None:
            entries |= {name: plain(node)} if name in wanted else {}
        elif used_names := [name for name in names if name in wanted]:
            entries[name] = used_names
    return entries


def _names_in(node: Node) -> list[str] | None:
    """The names of the players in an entry for a module; None if the entry describes a single player."""
    if not isinstance(node, Items) or not all(isinstance(item, Text) for item in node.items):
        return None
    return [item.value for item in node.items if isinstance(item, Text)]


class _CourseFolders:
    """Copies of the folders with the course's files for building; each folder is copied once."""

    def __init__(self) -> None:
        self.files: dict[str, BundleFile] = {}
        self._names: dict[Path, str] = {}

    def name_of(self, folder: Path) -> str:
        """The name of a folder's copy in the bundle; copies the folder unless that has been done."""
        folder = folder.resolve()
        if folder not in self._names:
            name = folder.name if folder.name not in self._names.values() else f"{folder.name}-{len(self._names) + 1}"
            self._names[folder] = name
            for path in files_below(folder):
                if path.is_symlink():
                    raise UsageError(f"{path}: this is a link; put the file itself there, for the bundle")
                self.files[f"{name}/{path.relative_to(folder).as_posix()}"] = read_bundle_file(path)
        return self._names[folder]
