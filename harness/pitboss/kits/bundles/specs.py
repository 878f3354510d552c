"""The assignment folder of a bundle: assignment.yaml and the spec files, written again, and the files they name.

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
from pitboss.kits.bundles.bundled_cases import Attached, invocation_entries, recorded_cases, unchanged_cases
from pitboss.kits.bundles.shipped import Shipped, shipped_files
from pitboss.kits.bundles.yamltext import plain, yaml_text

#: Why a stage is only built, and not run: its draws are read back, or a checker decides.
_DRAWN = "its programs draw at random, and only the reference, which is not in this bundle, decides what is right then."
_CHECKED = "a check of the course's own, which is not in this bundle, decides which sessions of its programs are right."
#: The keys of assignment.yaml and of its stages that are copied; and additional keys if the reference is shipped.
_COPIED = (
    "title",
    "language",
    "seeded",
    "needs",
    "submitted_as",
    "sources",
    "limits",
    "compare",
    "requires",
    "forbids",
)
_SHIPPED = (
    *("draws", "options", "declared_in"),
    *("reference", "reader", "checker", "tolerated", "rules", "required", "most_sessions"),
)
_COPIED_OF_STAGE = ("name", "title", "is_optional", "graded_by", *_COPIED[3:], "stderr")
_SHIPPED_OF_STAGE = ("with", "without", *_SHIPPED[3:])


class SpecFolder(NamedTuple):
    """The assignment folder of a bundle."""

    files: dict[str, BundleFile]
    #: The number of sessions of each stage that is run.
    session_counts: Mapping[str, int]
    #: The files of the reference that are copied, and the files left out of its folders.
    shipped: Shipped


def spec_folder(assignment: Assignment, withheld: frozenset[Path], *, is_installed: bool) -> SpecFolder:
    """The assignment folder of a bundle, for an assignment with only its public cases.

    `withheld` files are not copied with the reference. `is_installed`: the reference comes with pitboss, so it need not
    be copied. Raises UsageError for a reference that cannot be shipped, and any error from running the reference.
    """
    is_shipped = assignment.ships_reference
    root = read_yaml(assignment.folder / ASSIGNMENT_FILE)
    assert isinstance(root, Keyed)
    attached, counts, given = Attached(), dict[str, int](), _Given()
    shipped = shipped_files(assignment, withheld) if is_shipped and not is_installed else Shipped({})
    files = dict(shipped.files)
    stages = []
    for stage, node in zip(assignment.stages, _stage_nodes(root), strict=True):
        entries = _picked(by_new_names(node, keys.STAGE), _COPIED_OF_STAGE + (_SHIPPED_OF_STAGE if is_shipped else ()))
        invocation = invocation_entries(stage.invocation, None, attached, is_shipped=is_shipped)
        if not is_shipped:
            invocation.pop("expected_files", None)  # each session specifies their content
        entries |= {
            name: value for name, value in invocation.items() if name in ("files", "expected_files", "kept_files")
        }
        if stage.given is not None:
            entries["given"] = given.name_of(stage.given)
        if not is_run(assignment, stage):
            entries["not_checked"] = _DRAWN if stage.reader else _CHECKED
        elif stage.spec.cases:
            cases = unchanged_cases(stage, attached) if is_shipped else recorded_cases(stage, attached)
            counts[stage.name] = cases.session_count
            files[f"{stage.name}.yaml"] = _yaml_file({"program": stage.name, "cases": cases.entries})
        stages.append(entries)
    entries = {**_picked(root.entries, _COPIED + (_SHIPPED if is_shipped else ())), "bundle": "yes"}
    if is_shipped and (players := _players(root, set(assignment.players_of_cases))):
        entries["players"] = players
    files[ASSIGNMENT_FILE] = _yaml_file({**entries, "stages": stages})
    files |= {path: BundleFile(content) for path, content in attached.files.items()}
    return SpecFolder(files | given.files, counts, shipped)


def is_run(assignment: Assignment, stage: Stage) -> bool:
    """Whether a bundle of the assignment can run the programs of a stage, rather than only build them."""
    return assignment.ships_reference or not (stage.reader or stage.checkers) or stage.is_manual


def _yaml_file(entries: Mapping[str, object]) -> BundleFile:
    return BundleFile(yaml_text(entries).encode())


def _stage_nodes(root: Keyed) -> list[Keyed]:
    nodes = root.entries["stages"]
    assert isinstance(nodes, Items)
    return [node for node in nodes.items if isinstance(node, Keyed)]


def _picked(entries: Mapping[str, Node], names: tuple[str, ...]) -> dict[str, object]:
    return {name: plain(entries[name]) for name in names if name in entries}


def _players(root: Keyed, wanted: set[str]) -> dict[str, object]:
    """The players that the cases of the bundle name, with their entries in assignment.yaml."""
    found: dict[str, object] = {}
    players = root.entries.get("players")
    for name, node in players.entries.items() if isinstance(players, Keyed) else ():
        named = _names_in(node)
        if named is None:
            found |= {name: plain(node)} if name in wanted else {}
        elif used := [name for name in named if name in wanted]:
            found[name] = used
    return found


def _names_in(node: Node) -> list[str] | None:
    """The names of the players in an entry for a module; None if the entry is one player."""
    if not isinstance(node, Items) or not all(isinstance(item, Text) for item in node.items):
        return None
    return [item.value for item in node.items if isinstance(item, Text)]


class _Given:
    """The folders of the course's files for building, each copied once."""

    def __init__(self) -> None:
        self.files: dict[str, BundleFile] = {}
        self._names: dict[Path, str] = {}

    def name_of(self, folder: Path) -> str:
        """The name of a folder in the bundle."""
        folder = folder.resolve()
        if folder not in self._names:
            name = folder.name if folder.name not in self._names.values() else f"{folder.name}-{len(self._names) + 1}"
            self._names[folder] = name
            for path in files_below(folder):
                if path.is_symlink():
                    raise UsageError(f"{path}: this is a link; put the file itself there, for the bundle")
                self.files[f"{name}/{path.relative_to(folder).as_posix()}"] = read_bundle_file(path)
        return self._names[folder]
