"""The files of an assignment that students must not get, even if they are in a copied folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.functions import parts_of
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.assignments.yamlfile import Items, Keyed, Node, Text, read_yaml
from pitboss.kits.bundles.shipped import module_files_in


def withheld_files(assignment: Assignment, public: Assignment) -> frozenset[Path]:
    """The files named only by cases that are not public, and the known mistakes with their texts, as resolved paths.

    `public`: the assignment with only its public cases.
    """
    folder = assignment.folder.resolve()
    hidden, visible = set[Path](), set(_named_in(read_yaml(folder / ASSIGNMENT_FILE), folder))
    for stage, open_stage in zip(assignment.stages, public.stages, strict=True):
        names = {case.name for case in open_stage.spec.cases}
        for name, node in _case_nodes(stage):
            (visible if name in names else hidden).update(_named_in(node, stage.spec.path.parent))
        if stage.words is not None:
            hidden.add(stage.words.path.resolve())
        for mistake in stage.mistake_folders:
            hidden.update(path.resolve() for path in mistake.folder.rglob("*"))
    players, public_players = assignment.players_of_cases, public.players_of_cases
    public_modules = {path for player in public_players.values() for path in _module_of(player.function, folder)}
    for player_name in players.keys() - public_players.keys():
        hidden.update(set(_module_of(players[player_name].function, folder)) - public_modules)
    return frozenset(hidden - visible)


def _module_of(function: str, folder: Path) -> list[Path]:
    """The file of the module of a function, if it is in the folder."""
    return [path.resolve() for path in (module_files_in(parts_of(function).module, folder)[:1] if function else ())]


def _case_nodes(stage: Stage) -> Iterator[tuple[str, Keyed]]:
    """The cases of a spec file with their names."""
    root = read_yaml(stage.spec.path) if stage.spec.cases else None
    nodes = root.entries["cases"] if isinstance(root, Keyed) else None
    for node in nodes.items if isinstance(nodes, Items) else ():
        name = node.entries.get("name") if isinstance(node, Keyed) else None
        if isinstance(node, Keyed) and isinstance(name, Text):
            yield name.value, node


def _named_in(node: Node, folder: Path) -> Iterator[Path]:
    """The files named anywhere below a node as `{file: …}`."""
    if isinstance(node, Keyed):
        for name, item in node.entries.items():
            if name == "file" and isinstance(item, Text):
                yield (folder / item.value).resolve()
            yield from _named_in(item, folder)
    elif isinstance(node, Items):
        for item in node.items:
            yield from _named_in(item, folder)
