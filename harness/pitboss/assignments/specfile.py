"""Loads an assignment: assignment.yaml and the spec file of each of its stages.

SPECS/<assignment>/
    assignment.yaml
    <stage>.yaml …
    mistakes/<id>/mistake.yaml …
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.assignment import (
    Assignment,
    Draws,
    Player,
    Reference,
    Spec,
    Stage,
    Tolerated,
    WordFile,
)
from pitboss.assignments.casefile import empty_reference, load_spec
from pitboss.assignments.comparefile import policy_in, with_checker
from pitboss.assignments.drawfile import draws_in
from pitboss.assignments.gradingfile import grading_in
from pitboss.assignments.invocationfile import invocation_in, with_fields_of_stage
from pitboss.assignments.names import (
    file_name,
    function_named,
    named_file,
    printable_names,
    printable_text,
    program_named,
    short_name,
)
from pitboss.assignments.needs import is_manual, needs_of
from pitboss.assignments.nodes import choice, integer, items, mapping, text, texts
from pitboss.assignments.playerfile import players_in
from pitboss.assignments.requirementfile import requirements_in
from pitboss.assignments.switches import Switch, merged_rules, options_of, required_in, rules_in, switches_in
from pitboss.assignments.wordfile import mistakes_below, words_named
from pitboss.assignments.yamlfile import Node, read_yaml
from pitboss.errors import SpecError, UsageError, as_found, did_you_mean, listed
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.sandbox.concealment import conceal
from pitboss.sandbox.limits import Limits

ASSIGNMENT_FILE = "assignment.yaml"
_YES_NO = {"yes": True, "no": False, "true": True, "false": False}
_GENERATORS = {name: name for name in keys.GENERATORS}


def assignments_in(folders: tuple[Path, ...]) -> dict[str, Path]:
    """Returns the folders of the assignments in these folders, by name; of several with the same name, the first."""
    folders_by_name: dict[str, Path] = {}
    for folder in folders:
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                if os.path.isfile(path / ASSIGNMENT_FILE):  # also in a folder that cannot be entered
                    folders_by_name.setdefault(path.name, path)
    return folders_by_name


def load_assignment_named(name: str, folders: tuple[Path, ...], *, may_lack_cases: bool = False) -> Assignment:
    """Load the assignment of this name, or at this path if `name` has a slash; raises UsageError if not found."""
    if "/" in name or name in (".", ".."):
        try:
            is_there = (Path(name) / ASSIGNMENT_FILE).is_file()
        except OSError as error:
            raise UsageError(f"{Path(name) / ASSIGNMENT_FILE}: it cannot be used: {error.strerror}") from error
        if not is_there:
            raise UsageError(f"{name}: there is no {ASSIGNMENT_FILE} in this folder")
        return load_assignment(Path(name), may_lack_cases=may_lack_cases)
    folders_by_name = assignments_in(folders)
    if name not in folders_by_name:
        incomplete = next((folder / name for folder in folders if os.path.isdir(folder / name)), None)
        if incomplete is not None:
            raise UsageError(f"{incomplete}: there is no {ASSIGNMENT_FILE} in this folder")
        allowed = (
            f"known are {listed(folders_by_name)}"
            if folders_by_name
            else f"none is known in {', '.join(map(str, folders))}"
        )
        raise UsageError(f"there is no assignment {as_found(name)} — {allowed}{did_you_mean(name, folders_by_name)}")
    return load_assignment(folders_by_name[name], may_lack_cases=may_lack_cases)


def load_assignment(folder: Path, *, may_lack_cases: bool = False) -> Assignment:
    """Load and check an assignment; raises SpecError with file and line for any mistake in its files.

    `may_lack_cases`: nothing will be judged, so a stage may have no cases, or no spec file.
    """
    conceal(folder)
    entries = mapping(read_yaml(folder / ASSIGNMENT_FILE), keys.ASSIGNMENT, "the assignment")
    is_seeded, is_bundle = _is_on(entries, "seeded", default=True), _is_on(entries, "bundle")
    players = players_in(entries["players"], folder) if "players" in entries else {}
    draws = draws_in(entries["draws"]) if "draws" in entries else Draws(())
    loader = _StageLoader(folder, is_seeded, players, draws)
    loader.set_defaults({name: node for name, node in entries.items() if name in keys.SHARED})
    loader.may_lack_cases, loader.is_bundle = may_lack_cases or is_bundle, is_bundle
    loader.switches = switches_in(entries.get("options"))
    loader.read_mistakes(entries)
    limits = _limits(entries.get("limits"), Limits())
    policy = policy_in(entries.get("compare"), EXACT)
    stage_nodes = items(entries["stages"], "stages")
    if not stage_nodes:
        raise SpecError(f"{entries['stages'].place}: stages is an empty list — an assignment has at least one")
    stages: list[Stage] = []
    for node in stage_nodes:
        stages.append(loader.stage(node, tuple(stage.name for stage in stages), limits, policy))
    mistakes = mistakes_below(folder, [stage.name for stage in stages if not stage.is_manual])
    language = printable_text(entries["language"], "language") if "language" in entries else ""
    stages = [
        msgspec.structs.replace(
            stage,
            mistake_folders=tuple(mistake for mistake in mistakes if stage.name in mistake.stages),
            language=language,
        )
        for stage in stages
    ]
    return Assignment(
        name=folder.resolve().name,
        title=printable_text(entries["title"], "title"),
        folder=folder,
        stages=tuple(stages),
        players=tuple(players.values()),
        is_seeded=is_seeded,
        language=language,
        grading=grading_in(entries.get("grading"), stages),
        handout=named_file(entries["handout"], "handout", folder) if "handout" in entries else None,
        generator=choice(entries["generator"], "generator", _GENERATORS) if "generator" in entries else "",
        declared_in=_declared_in(entries, loader.switches),
        ships_reference=_is_on(entries, "ship_reference"),
        is_bundle=is_bundle,
    )


def _is_on(entries: dict[str, Node], key: str, *, default: bool = False) -> bool:
    """Whether these entries have `key: yes`."""
    return choice(entries[key], key, _YES_NO) if key in entries else default


def _declared_in(entries: dict[str, Node], switches: dict[str, Switch]) -> str:
    """Returns the name of the file in which a submission declares its features; empty if not given."""
    if "declared_in" not in entries:
        return ""
    name = file_name(entries["declared_in"], "declared_in")
    if "/" in name:
        raise SpecError(
            f"{entries['declared_in'].place}: declared_in is {as_found(name)} — it must be a name without a slash"
        )
    if not any(switch.option.shows for switch in switches.values()):
        raise SpecError(
            f"{entries['declared_in'].place}: declared_in is given — no option has shows, so no feature can be declared"
        )
    return name


def _limits(node: Node | None, outer: Limits) -> Limits:
    if node is None:
        return outer
    entries = mapping(node, keys.LIMITS, "limits")
    values = {name: integer(value, name, 1, keys.MAX_OF_A_LIMIT) for name, value in entries.items()}
    return msgspec.structs.replace(outer, **values)


class _StageLoader:
    """Loads the stages of one assignment."""

    def __init__(self, folder: Path, is_seeded: bool, players: dict[str, Player], draws: Draws) -> None:
        self._folder, self._is_seeded, self._players, self._draws = folder, is_seeded, players, draws
        self.mistakes = ""
        self.words: WordFile | None = None
        #: The assignment's defaults for all stages.
        self.defaults: dict[str, Node] = {}
        self.switches: dict[str, Switch] = {}
        self.may_lack_cases = False
        #: Whether this is a bundle for students, in which a stage may lack its reference.
        self.is_bundle = False
        #: The manually graded stages so far, which no other stage can need.
        self._manual_stages: tuple[str, ...] = ()

    def set_defaults(self, entries: dict[str, Node]) -> None:
        """Use these entries as defaults of all stages; SpecError for a mistake, even if no stage uses its default."""
        self.defaults = entries
        for name in ("needs", "required"):
            if name in entries:
                texts(entries[name], name)
        if "reference" in entries:
            self._reference(entries["reference"])
        if "reader" in entries:
            function_named(entries["reader"], "reader", self._folder)
        self._tolerated_field(entries)
        self._most_sessions_field(entries)
        self._submission_fields(entries)

    def read_mistakes(self, entries: dict[str, Node]) -> None:
        """Read the entries for known mistakes."""
        if "mistakes" in entries:
            self.mistakes = function_named(entries["mistakes"], "mistakes", self._folder)
        if "words" in entries:
            path = self._folder / file_name(entries["words"], "words")
            self.words = words_named(entries["words"], path, has_mistakes="mistakes" in entries)

    def stage(self, node: Node, earlier: tuple[str, ...], limits: Limits, policy: Policy) -> Stage:
        """Load a stage; `limits` and `policy` are the assignment's, `earlier` the names of the stages before it."""
        entries = mapping(node, keys.STAGE, "a stage")
        name = text(entries["name"], "name")
        if name in earlier:
            raise SpecError(
                f"{entries['name'].place}: stage {as_found(name)} is listed twice — each stage needs its own name"
            )
        short_name(entries["name"], name, "name")
        if not re.fullmatch(keys.STAGE_NAME, name):
            raise SpecError(
                f"{entries['name'].place}: name is {as_found(name)} — it may have only letters, digits, - and _"
            )
        if is_manual(entries):
            self._manual_stages = (*self._manual_stages, name)
        policy = policy_in(entries.get("compare"), policy)
        own_rules, entries = entries.get("rules"), {**self.defaults, **entries}
        if "reference" not in entries and not self.is_bundle:
            raise SpecError(
                f"{node.place}: a stage has no 'reference' — it needs one: {keys.STAGE['reference'].meaning}"
            )
        limits = _limits(entries.get("limits"), limits)
        policy = with_checker(policy, entries, self._folder)
        spec, invocation = self._spec_and_invocation(entries, name, policy, limits)
        self._check_readable_draws(entries, spec)
        return Stage(
            name=name,
            title=printable_text(entries["title"], "title") if "title" in entries else name,
            reference=self._reference(entries["reference"]) if "reference" in entries else empty_reference(spec),
            spec=spec,
            invocation=invocation,
            needs=needs_of(entries, name, earlier, self._manual_stages),
            is_manual=name in self._manual_stages,
            limits=limits,
            policy=policy,
            mistakes=self.mistakes,
            words=self.words,
            handout=named_file(entries["handout"], "handout", self._folder) if "handout" in entries else None,
            is_seeded=self._is_seeded,
            requirements=requirements_in(entries),
            is_optional=_is_on(entries, "is_optional"),
            not_checked=printable_text(entries["not_checked"], "not_checked") if "not_checked" in entries else "",
            **self._draw_fields(entries, node),  # type: ignore[arg-type]
            **self._rule_fields(entries, own_rules),  # type: ignore[arg-type]
            **self._submission_fields(entries),  # type: ignore[arg-type]
        )

    def _check_readable_draws(self, entries: dict[str, Node], spec: Spec) -> None:
        """Raise SpecError for a checker, or for runs before a session, in a stage whose draws are read back."""
        checker_locations = [entries["checker"].place] if "checker" in entries else []
        locations = checker_locations or [case.place for case in spec.cases if case.policy.checker is not None]
        if "reader" in entries and locations:
            raise SpecError(
                f"{locations[0]}: the stage has a reader and a checker — draws are read back by comparing with "
                "the reference, so it can have only one of them"
            )
        case_with_runs = next((case for case in spec.cases if case.invocation.runs_before), None)
        if "reader" in entries and case_with_runs:
            raise SpecError(
                f"{case_with_runs.place}: the stage has a reader, and the case has runs before its session — draws in "
                "these runs cannot be read back, so it cannot have after"
            )

    def _spec_and_invocation(
        self, entries: dict[str, Node], name: str, policy: Policy, limits: Limits
    ) -> tuple[Spec, Invocation]:
        """Return the spec of a stage, and the arguments and files of its sessions."""
        path = self._folder / (file_name(entries["spec"], "spec") if "spec" in entries else f"{name}.yaml")
        plain = msgspec.structs.replace(PLAIN, max_kb=limits.output_kb)
        invocation = invocation_in(entries, plain, self._folder)
        flags = {"may_lack_cases": self.may_lack_cases, "is_bundle": self.is_bundle}
        spec = load_spec(path, name, policy, self._is_seeded, self._players, invocation, **flags)
        return spec, with_fields_of_stage(invocation, [case.invocation for case in spec.cases])

    def _draw_fields(self, entries: dict[str, Node], node: Node) -> dict[str, object]:
        """Return the fields of a stage for draws that are read back, and for its options."""
        if "reader" in entries and not self._draws.values:
            raise SpecError(
                f"{entries['reader'].place}: the stage has a reader — list under draws the values that it may read"
            )
        fields: dict[str, object] = {"draws": self._draws} if "reader" in entries else {}
        if "reader" in entries:
            fields["reader"] = function_named(entries["reader"], "reader", self._folder)
        fields |= self._tolerated_field(entries)
        options, _ = options_of(self.switches, entries.get("with"), entries.get("without"))
        free_option = next((option.name for option in options if option.is_free), None)
        if free_option is not None and "reader" not in entries:
            raise SpecError(
                f"{node.place}: the stage has no reader, so its programs cannot be distinguished — name the option "
                f"{as_found(free_option)} under with or without"
            )
        return {**fields, "options": options}

    def _tolerated_field(self, entries: dict[str, Node]) -> dict[str, object]:
        if "tolerated" not in entries:
            return {}
        references = printable_names(entries["tolerated"], "tolerated").entries
        return {"tolerated": tuple(Tolerated(name, self._reference(node)) for name, node in references.items())}

    def _most_sessions_field(self, entries: dict[str, Node]) -> dict[str, object]:
        if "most_sessions" not in entries:
            return {}
        return {"most_sessions": integer(entries["most_sessions"], "most_sessions", 1, keys.MAX_OF_A_LIMIT)}

    def _rule_fields(self, entries: dict[str, Node], own_rules: Node | None) -> dict[str, object]:
        """Return the fields of a stage for its rules: the assignment's, the rules of its features, and its own."""
        _, feature_rules = options_of(self.switches, entries.get("with"), entries.get("without"))
        rules = merged_rules(merged_rules(rules_in(self.defaults.get("rules")), feature_rules), rules_in(own_rules))
        return {
            "rules": rules,
            "required": required_in(entries.get("required"), rules),
            **self._most_sessions_field(entries),
        }

    def _submission_fields(self, entries: dict[str, Node]) -> dict[str, object]:
        """Return the fields of a stage for the source files and names under which it is submitted."""
        fields: dict[str, object] = {
            name: texts(entries[name], name) for name in ("submitted_as", "sources") if name in entries
        }
        if "given" in entries:
            folder = self._folder / file_name(entries["given"], "given")
            if not folder.is_dir():
                raise SpecError(f"{entries['given'].place}: given is {as_found(str(folder))} — there is no such folder")
            duplicates = [name for name in fields.get("sources", ()) if os.path.exists(folder / name)]  # type: ignore[attr-defined]
            if duplicates:
                raise SpecError(
                    f"{entries['given'].place}: given has {duplicates[0]}, which is under sources too — submissions "
                    "bring that file"
                )
            fields["given"], fields["given_as"] = folder, f"{self._folder.resolve().name}/{folder.name}"
        return fields

    def _reference(self, node: Node) -> Reference:
        return Reference(*program_named(node, "reference", self._folder))
