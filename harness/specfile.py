"""Loading an assignment: assignment.yaml and the spec file of each of its stages.

SPECS/<assignment>/
    assignment.yaml
    <stage>.yaml …
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from harness import speckeys
from harness.assignment import (
    Answers,
    Assignment,
    Case,
    Generated,
    Limits,
    Player,
    Recorded,
    Reference,
    Scripted,
    Spec,
    Stage,
)
from harness.comparison import EXACT, Policy
from harness.errors import SpecError, UsageError
from harness.notation import NotationError, events_in
from harness.reading import choice, integer, items, kind_of, mapping, named, near, text, texts
from harness.sessions import LONGEST_LINE
from harness.transcript import Typed
from harness.yamlfile import Items, Keyed, Node, Text, read_yaml

ASSIGNMENT_FILE = "assignment.yaml"
_STRICTNESS = {"exact": "exact", "ignored": "ignored"}
_VISIBILITY = {name: name for name in ("public", "hidden", "after due")}
_YES_NO = {"yes": True, "no": False, "true": True, "false": False}
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_RANGE = re.compile(r"(-?[0-9]{1,11})(?:\.\.(-?[0-9]{1,11}))?")
_MOST_SEEDS = 1_000_000
_MOST_OF_A_LIMIT = 1_000_000


def assignments_in(folders: tuple[Path, ...]) -> dict[str, Path]:
    """The assignments that stand in these folders, by name; the first of a name counts."""
    found: dict[str, Path] = {}
    for folder in folders:
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                if (path / ASSIGNMENT_FILE).is_file():
                    found.setdefault(path.name, path)
    return found


def load_assignment_named(name: str, folders: tuple[Path, ...]) -> Assignment:
    """The assignment of this name, or in the folder of this path; UsageError when there is none."""
    if "/" in name or name in (".", ".."):
        if not (Path(name) / ASSIGNMENT_FILE).is_file():
            raise UsageError(f"{name}: there is no {ASSIGNMENT_FILE} in this folder")
        return load_assignment(Path(name))
    known = assignments_in(folders)
    if name not in known:
        allowed = f"known are {', '.join(known)}" if known else f"none is known in {', '.join(map(str, folders))}"
        raise UsageError(f"there is no assignment {name!r} — {allowed}{near(name, known)}")
    return load_assignment(known[name])


def load_assignment(folder: Path) -> Assignment:
    """Load and check an assignment; SpecError with file and line for whatever is wrong in its files."""
    entries = mapping(read_yaml(folder / ASSIGNMENT_FILE), speckeys.ASSIGNMENT, "the assignment")
    is_seeded = choice(entries["seeded"], "seeded", _YES_NO) if "seeded" in entries else True
    players = _players(entries["players"]) if "players" in entries else {}
    loader = _Loader(folder, is_seeded, players)
    limits = _limits(entries.get("limits"), Limits())
    policy = _policy(entries.get("compare"), EXACT)
    nodes = items(entries["stages"], "stages")
    if not nodes:
        raise SpecError(f"{entries['stages'].place}: stages is an empty list — an assignment has at least one")
    stages: list[Stage] = []
    for node in nodes:
        stages.append(loader.stage(node, tuple(stage.name for stage in stages), limits, policy))
    return Assignment(
        name=folder.resolve().name,
        title=text(entries["title"], "title"),
        folder=folder,
        stages=tuple(stages),
        players=tuple(players.values()),
        is_seeded=is_seeded,
        grading=_plain(entries["grading"]) if "grading" in entries else {},  # type: ignore[arg-type]
    )


def _plain(node: Node) -> object:
    match node:
        case Text(value):
            return value
        case Items(children):
            return [_plain(child) for child in children]
        case Keyed(entries):
            return {name: _plain(child) for name, child in entries.items()}


def _limits(node: Node | None, outer: Limits) -> Limits:
    if node is None:
        return outer
    given = mapping(node, speckeys.LIMITS, "limits")
    values = {name: integer(value, name, 1, _MOST_OF_A_LIMIT) for name, value in given.items()}
    return msgspec.structs.replace(outer, **values)


def _policy(node: Node | None, outer: Policy) -> Policy:
    if node is None:
        return outer
    given = mapping(node, speckeys.COMPARE, "compare")
    values: dict[str, object] = {
        name: choice(value, name, _STRICTNESS) for name, value in given.items() if name != "alternatives"
    }
    if "alternatives" in given:
        values["alternatives"] = tuple(_group(group) for group in items(given["alternatives"], "alternatives"))
    return msgspec.structs.replace(outer, **values)


def _group(node: Node) -> tuple[str, ...]:
    group = texts(node, "a group of alternatives")
    if len(group) < 2:
        raise SpecError(f"{node.place}: a group of alternatives has {len(group)} — it has two texts or more")
    return group


def _players(node: Node) -> dict[str, Player]:
    players = {}
    for name, value in named(node, "players").entries.items():
        if isinstance(value, Text):
            players[name] = Player(name, function=_function(value, f"player {name!r}"))
        else:
            habits = tuple(_habit(habit) for habit in items(value, f"player {name!r}"))
            players[name] = Player(name, habits=habits)
    return players


def _habit(node: Node) -> Scripted:
    entries = mapping(node, speckeys.HABIT, "a habit of a player")
    answers = texts(entries["answers"], "answers")
    if not answers:
        raise SpecError(f"{entries['answers'].place}: answers is an empty list — it has one answer or more")
    return Scripted(text(entries["prompt"], "prompt"), tuple(None if line == "<eof>" else line for line in answers))


def _function(node: Text, what: str) -> str:
    if not _FUNCTION.fullmatch(node.value):
        raise SpecError(f"{node.place}: {what} is {node.value!r} — it is written package.module:function")
    return node.value


class _Loader:
    """Loads the stages of one assignment."""

    def __init__(self, folder: Path, is_seeded: bool, players: dict[str, Player]) -> None:
        self._folder, self._is_seeded, self._players = folder, is_seeded, players

    def stage(self, node: Node, earlier: tuple[str, ...], limits: Limits, policy: Policy) -> Stage:
        entries = mapping(node, speckeys.STAGE, "a stage")
        name = text(entries["name"], "name")
        if name in earlier:
            raise SpecError(f"{entries['name'].place}: stage {name!r} stands twice — each stage has a name of its own")
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            raise SpecError(f"{entries['name'].place}: name is {name!r} — it has letters, digits, - and _ only")
        policy = _policy(entries.get("compare"), policy)
        path = self._folder / (text(entries["spec"], "spec") if "spec" in entries else f"{name}.yaml")
        return Stage(
            name=name,
            title=text(entries["title"], "title") if "title" in entries else name,
            reference=self._reference(entries["reference"]),
            spec=self.spec(path, name, policy),
            needs=_needs(entries["needs"], name, earlier) if "needs" in entries else earlier,
            limits=_limits(entries.get("limits"), limits),
            policy=policy,
        )

    def _reference(self, node: Node) -> Reference:
        if isinstance(node, Text):
            return Reference(function=_function(node, "reference"))
        command = mapping(node, speckeys.COMMAND, "reference")["command"]
        argv = texts(command, "command")
        if not argv:
            raise SpecError(f"{command.place}: command is an empty list — it names a program")
        if "/" in argv[0]:
            argv = (str((self._folder / argv[0]).resolve()), *argv[1:])
        return Reference(command=argv)

    def spec(self, path: Path, stage: str, policy: Policy) -> Spec:
        entries = mapping(read_yaml(path), speckeys.SPEC, "a spec file")
        program = text(entries["program"], "program")
        if program != stage:
            raise SpecError(f"{entries['program'].place}: program is {program!r} — this is the spec of {stage!r}")
        nodes = items(entries["cases"], "cases")
        if not nodes:
            raise SpecError(f"{entries['cases'].place}: cases is an empty list — a spec without a case accepts all")
        cases: dict[str, Case] = {}
        for node in nodes:
            case = self._case(node, policy)
            if case.name in cases:
                before = cases[case.name].place.rpartition(":")[2]
                raise SpecError(f"{case.place}: case {case.name!r} stands on line {before} too — each has its own name")
            cases[case.name] = case
        return Spec(path, program, tuple(cases.values()))

    def _case(self, node: Node, policy: Policy) -> Case:
        entries = mapping(node, speckeys.CASE, "a case")
        return Case(
            name=text(entries["name"], "name"),
            session=self._session(node, entries),
            policy=_policy(entries.get("compare"), policy),
            exit_code=integer(entries["exit"], "exit", 0, 255) if "exit" in entries else 0,
            points=integer(entries["points"], "points", 0, _MOST_OF_A_LIMIT) if "points" in entries else 1,
            visibility=choice(entries["visibility"], "visibility", _VISIBILITY)
            if "visibility" in entries
            else "public",
            rules=texts(entries["rules"], "rules") if "rules" in entries else (),
            place=node.place,
        )

    def _session(self, node: Node, entries: dict[str, Node]) -> Recorded | Generated:
        ways = [name for name in ("transcript", "answers", "player") if name in entries]
        if len(ways) != 1:
            found = f"has {' and '.join(ways)}" if ways else "has no transcript, answers or player"
            raise SpecError(f"{node.place}: the case {found} — it has exactly one of them")
        if ways == ["transcript"]:
            if "seeds" in entries:
                raise SpecError(f"{entries['seeds'].place}: a recorded case has seeds — its seed is in its transcript")
            return _recorded(entries["transcript"])
        if self._is_seeded and "seeds" not in entries:
            raise SpecError(f"{node.place}: the case has no seeds — in this assignment the first line typed is one")
        if not self._is_seeded and "seeds" in entries:
            raise SpecError(f"{entries['seeds'].place}: the case has seeds — this assignment is not seeded")
        seeds = _seeds(entries["seeds"]) if "seeds" in entries else (None,)
        return Generated(
            seeds, self._player(entries["player"]) if "player" in entries else _answers(entries["answers"])
        )

    def _player(self, node: Node) -> Player:
        name = text(node, "player")
        if name not in self._players:
            allowed = f"known are {', '.join(self._players)}" if self._players else "the assignment has none"
            raise SpecError(f"{node.place}: there is no player {name!r} — {allowed}{near(name, self._players)}")
        return self._players[name]


def _needs(node: Node, stage: str, earlier: tuple[str, ...]) -> tuple[str, ...]:
    names = texts(node, "needs")
    for name in names:
        if name not in earlier:
            allowed = f"it is one of the stages before it: {', '.join(earlier)}" if earlier else "no stage is before it"
            raise SpecError(f"{node.place}: stage {stage!r} needs {name!r} — {allowed}{near(name, earlier)}")
    return names


def _recorded(node: Node) -> Recorded:
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: transcript is {kind_of(node)} — it is a text, as after |")
    try:
        events = events_in(node.value)
    except NotationError as error:
        path, _, _ = node.place.rpartition(":")
        line = node.lines[0] + (error.line if node.is_block else 0)
        raise SpecError(f"{path}:{line}: {error}") from None
    for event in events:
        if isinstance(event, Typed):
            _checked_line(event.line, node.place)
    if not events:
        raise SpecError(f"{node.place}: transcript is empty — a session shows or asks for something")
    return Recorded(events, node.lines[0])


def _answers(node: Node) -> Answers:
    lines = tuple(line.encode("utf-8", "surrogateescape") for line in texts(node, "answers"))
    for line in lines:
        _checked_line(line, node.place)
    return Answers(lines)


def _checked_line(line: bytes, place: str) -> None:
    if len(line) > LONGEST_LINE:
        raise SpecError(f"{place}: a typed line has {len(line)} bytes — a terminal takes at most {LONGEST_LINE}")
    if b"\n" in line:
        raise SpecError(f"{place}: a typed line holds a line end — each line is typed by itself")


def _seeds(node: Node) -> tuple[int, ...]:
    nodes = node.items if isinstance(node, Items) else (node,)
    seeds = [seed for item in nodes for seed in _seed_range(item)]
    if not seeds:
        raise SpecError(f"{node.place}: seeds is an empty list — it has one seed or more")
    return tuple(seeds)


def _seed_range(node: Node) -> range:
    value = text(node, "seeds")
    match = _RANGE.fullmatch(value)
    if not match:
        raise SpecError(
            f"{node.place}: seeds is {value!r} — it is a number such as 7, a range such as 1..100, or a list"
        )
    first, last = int(match[1]), int(match[2] or match[1])
    if first > last or last - first >= _MOST_SEEDS:
        raise SpecError(f"{node.place}: seeds is {value!r} — a range goes up, over at most {_MOST_SEEDS:,} seeds")
    if not -(1 << 31) <= first <= last < 1 << 31:
        raise SpecError(f"{node.place}: seeds is {value!r} — a seed is a C int, from -2147483648 to 2147483647")
    return range(first, last + 1)
