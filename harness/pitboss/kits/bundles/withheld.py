"""The files of an assignment that students must not get, even if a folder that contains such a file is copied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.functions import parse_function_name
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.assignments.yamlfile import Items, Keyed, Node, Text, read_yaml
from pitboss.kits.bundles.shipped import module_files_in


def withheld_files(assignment: Assignment, public: Assignment) -> frozenset[Path]:
    """The resolved paths of all files that students must not get.

    These are the files named only by cases that are not public, the modules of players that only such cases use, and
    the known mistakes with their texts. `public` is the assignment with only its public cases.
    """
    folder = assignment.folder.resolve()
    withheld, public_files = set[Path](), set(_files_named_in(read_yaml(folder / ASSIGNMENT_FILE), folder))
    for stage, public_stage in zip(assignment.stages, public.stages, strict=True):
        public_names = {case.name for case in public_stage.spec.cases}
        for name, node in _case_nodes(stage):
            (public_files if name in public_names else withheld).update(_files_named_in(node, stage.spec.path.parent))
        if stage.words is not None:
            withheld.add(stage.words.path.resolve())
        for mistake in stage.mistake_folders:
            withheld.update(path.resolve() for path in mistake.folder.rglob("*"))
    players, public_players = assignment.players_of_cases, public.players_of_cases
    public_modules = {path for player in public_players.values() for path in _module_files_of(player.function, folder)}
    for player_name in players.keys() - public_players.keys():
        withheld.update(set(_module_files_of(players[player_name].function, folder)) - public_modules)
    return frozenset(withheld - public_files)


def _module_files_of(function: str, folder: Path) -> list[Path]:
    """The file of a function's module as a list; empty if the file is not in the folder."""
    return [
        path.resolve()
        for path in (module_files_in(parse_function_name(function).module, folder)[:1] if function else ())
    ]


def _case_nodes(stage: Stage) -> Iterator[tuple[str, Keyed]]:
    root = read_yaml(stage.spec.path) if stage.spec.cases else None
    nodes = root.entries["cases"] if isinstance(root, Keyed) else None
    for node in nodes.items if isinstance(nodes, Items) else ():
        name = node.entries.get("name") if isinstance(node, Keyed) else None
        if isinstance(node, Keyed) and isinstance(name, Text):
            yield name.value, node


def _files_named_in(node: Node, folder: Path) -> Iterator[Path]:
    """The resolved paths of the files that are named anywhere below a node as `{file: …}`."""
    if isinstance(node, Keyed):
        for name, item in node.entries.items():
            if name == "file" and isinstance(item, Text):
                yield (folder / item.value).resolve()
            yield from _files_named_in(item, folder)
    elif isinstance(node, Items):
        for item in node.items:
            yield from _files_named_in(item, folder)
