"""Loads a spec file: the cases of one stage, with their seeds, answers and sessions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.assignment import Answers, Case, Generated, Player, Recorded, Reference, Spec
from pitboss.assignments.comparefile import policy_in, with_checker
from pitboss.assignments.invocationfile import invocation_in, with_fields_of_stage
from pitboss.assignments.kinds import Entries, KeyTable, mapping
from pitboss.assignments.nodes import Items, Keyed, Node, Text, is_blank_file, items, kind_of, read_yaml, text
from pitboss.assignments.players import answers_at, check_typed
from pitboss.errors import SpecError, as_found, did_you_mean, listed
from pitboss.model.comparison_policy import Policy
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.model.notation import NotationError, events_in
from pitboss.model.transcript import InputEnded, Typed

_RANGE = re.compile(r"(-?[0-9]{1,11})(?:\.\.(-?[0-9]{1,11}))?")
#: The maximum number of seeds in one range.
_MAX_SEEDS = 1_000_000
#: The keys of a spec file that may lack `cases`.
_SPEC_WITHOUT_CASES = KeyTable(**{**keys.SPEC, "cases": keys.SPEC["cases"]._replace(is_required=False)})


def load_spec(
    path: Path,
    stage: str,
    policy: Policy,
    is_seeded: bool,
    players: dict[str, Player],
    invocation: Invocation = PLAIN,
    *,
    may_lack_cases: bool = False,
    is_bundle: bool = False,
) -> Spec:
    """Load the spec file of a stage; raises SpecError with file and line for any mistake in the file.

    `policy` and `invocation` are the stage's. With `may_lack_cases`, the file may be missing or have no cases; the spec
    then has no cases. In a bundle for students a transcript may be empty, since the bundle has the expected files and
    standard error.
    """
    if may_lack_cases and is_blank_file(path):
        return Spec(path, stage, ())
    if not os.path.exists(path):
        raise SpecError(f"{path}: there is no such file — pitboss record {stage} creates it, with a first case")
    loader = _CaseLoader(is_seeded, players, invocation, path.parent)
    loader.may_transcripts_be_empty = is_bundle
    entries = mapping(read_yaml(path), _SPEC_WITHOUT_CASES if may_lack_cases else keys.SPEC, "a spec file")
    program = text(entries["program"], "program")
    if program != stage:
        raise SpecError(
            f"{entries['program'].place}: program is {as_found(program)} — this is the spec of {as_found(stage)}"
        )
    cases_node = entries.get("cases")
    if cases_node is None or (may_lack_cases and isinstance(cases_node, Text) and not cases_node.value):
        return Spec(path, program, ())
    nodes = items(cases_node, "cases")
    if not nodes and not may_lack_cases:
        raise SpecError(f"{cases_node.place}: cases is an empty list — a spec without cases would accept every program")
    return Spec(path, program, loader.cases(nodes, policy))


def case_nodes(root: Node) -> Iterator[tuple[Text, Keyed]]:
    """Yields the name and the node of each case that has a name, from the root node of a spec file."""
    cases = root.entries.get("cases") if isinstance(root, Keyed) else None
    for node in cases.items if isinstance(cases, Items) else ():
        name = node.entries.get("name") if isinstance(node, Keyed) else None
        if isinstance(node, Keyed) and isinstance(name, Text):
            yield name, node


def line_of_key(path: Path, case_name: str, key: str) -> int | None:
    """Returns the number, from 1, of the line in a spec file with a key of a case; None if there is no such key."""
    places = (node.key_places.get(key) for name, node in case_nodes(read_yaml(path)) if name.value == case_name)
    return next((int(place.rpartition(":")[2]) for place in places if place), None)


def empty_reference(spec: Spec) -> Reference:
    """Returns an empty reference, for a stage of a bundle for students; SpecError if a case needs a reference."""
    for case in spec.cases:
        if isinstance(case.session, Generated) or case.invocation.needs_reference:
            raise SpecError(
                f"{case.place}: {as_found(case.name)} lacks expected output — in a bundle without the reference, "
                "each case must have its transcript, files and standard error"
            )
    return Reference()


class _CaseLoader:
    """Loads the cases of one spec file."""

    def __init__(self, is_seeded: bool, players: dict[str, Player], invocation: Invocation, folder: Path) -> None:
        self._is_seeded, self._players, self._invocation, self._folder = is_seeded, players, invocation, folder
        self.may_transcripts_be_empty = False

    def cases(self, nodes: tuple[Node, ...], policy: Policy) -> tuple[Case, ...]:
        """Load the cases of a stage.

        A case without arguments, files or an environment has () there instead of None, if the stage or another case has
        some.
        """
        cases: dict[str, Case] = {}
        for node in nodes:
            case = self.case(node, policy)
            if case.name in cases:
                line = cases[case.name].place.rpartition(":")[2]
                raise SpecError(
                    f"{case.place}: case {as_found(case.name)} is on line {line} too — each case needs its own name"
                )
            cases[case.name] = case
        invocations = [self._invocation, *(case.invocation for case in cases.values())]
        return tuple(
            msgspec.structs.replace(case, invocation=with_fields_of_stage(case.invocation, invocations))
            for case in cases.values()
        )

    def case(self, node: Node, policy: Policy) -> Case:
        """Load one case; `policy` is the stage's."""
        entries = mapping(node, keys.CASE, "a case")
        return Case(
            name=entries.value("name"),
            session=self._session(node, entries),
            policy=with_checker(policy_in(entries.get("compare"), policy), entries, self._folder),
            exit_code=entries.value("exit"),
            points=entries.value("points"),
            visibility=entries.value("visibility"),
            rules=entries.value("covers"),
            hint=entries.value("hint").strip(),
            place=node.place,
            invocation=invocation_in(entries, self._invocation, self._folder),
        )

    def _session(self, node: Node, entries: Entries) -> Recorded | Generated:
        """Load the recorded session of a case, or its seeds and answers; `node` is the case."""
        if "input_file" in entries:
            return _session_with_input_file(entries)
        if "transcript" in entries:
            return _recorded(entries["transcript"], may_be_empty=self.may_transcripts_be_empty)
        if self._is_seeded and "seeds" not in entries:
            raise SpecError(f"{node.place}: the case has no seeds — in this assignment the first line typed is a seed")
        if not self._is_seeded and "seeds" in entries:
            raise SpecError(f"{entries['seeds'].place}: the case has seeds — this assignment is not seeded")
        if self._is_seeded and "sessions" in entries:
            raise SpecError(
                f"{entries['sessions'].place}: the case has sessions — in this assignment the seeds determine them"
            )
        seeds = _seeds(entries["seeds"]) if "seeds" in entries else (None,) * entries.value("sessions")
        return Generated(
            seeds, self._player(entries["player"]) if "player" in entries else answers_at(entries["answers"])
        )

    def _player(self, node: Node) -> Player:
        name = text(node, "player")
        if name not in self._players:
            allowed = f"known are {listed(self._players)}" if self._players else "the assignment has none"
            raise SpecError(
                f"{node.place}: there is no player {as_found(name)} — {allowed}{did_you_mean(name, self._players)}"
            )
        return self._players[name]


def _session_with_input_file(entries: Entries) -> Recorded | Generated:
    """Returns the session of a case whose standard input is a file; SpecError if something is typed in it."""
    if "transcript" not in entries:
        return Generated((None,), Answers(()))
    session = _recorded(entries["transcript"], may_be_empty=True)
    if any(isinstance(event, Typed | InputEnded) for event in session.events):
        place = entries["transcript"].place
        raise SpecError(f"{place}: a case has a typed line or <eof> in its transcript — {keys.ONLY_INPUT_FILE}")
    return session


def _recorded(node: Node, *, may_be_empty: bool) -> Recorded:
    """Returns the recorded session of a `transcript:` node."""
    if not isinstance(node, Text):
        raise SpecError(
            f"{node.place}: transcript is {kind_of(node)} — it must be text, such as a block after `transcript: |`"
        )
    try:
        events = events_in(node.value)
    except NotationError as error:
        path, _, _ = node.place.rpartition(":")
        # Only the lines of a block are lines of the file too.
        line = node.lines[0] + (error.line_index if node.is_block else 0)
        raise SpecError(f"{path}:{line}: {error}") from None
    for event in events:
        if isinstance(event, Typed):
            check_typed(event.line, node.place)
    if not events and not may_be_empty:
        raise SpecError(f"{node.place}: transcript is empty — a session must have output or input")
    return Recorded(events, node.lines[0])


def _seeds(node: Node) -> tuple[int, ...]:
    nodes = items(node, "seeds", at_least=1) if isinstance(node, Items) else (node,)
    return tuple(seed for item in nodes for seed in _seed_range(item))


def _seed_range(node: Node) -> range:
    value = text(node, "seeds")
    match = _RANGE.fullmatch(value)
    if not match:
        raise SpecError(
            f"{node.place}: seeds is {as_found(value)} — it must be a number such as 7, a range such as "
            "1..100, or a list"
        )
    first, last = int(match[1]), int(match[2] or match[1])
    if first > last or last - first >= _MAX_SEEDS:
        raise SpecError(
            f"{node.place}: seeds is {as_found(value)} — a range needs a larger second number, and has at most "
            f"{_MAX_SEEDS:,} seeds"
        )
    if not keys.SEEDS[0] <= first <= last <= keys.SEEDS[1]:
        raise SpecError(
            f"{node.place}: seeds is {as_found(value)} — a seed is a C int, from {keys.SEEDS[0]} to {keys.SEEDS[1]}"
        )
    return range(first, last + 1)
