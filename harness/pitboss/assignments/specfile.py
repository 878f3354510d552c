"""Loads an assignment: assignment.yaml and the spec file of each of its stages.

SPECS/<assignment>/
    assignment.yaml
    <stage>.yaml …
    mistakes/<id>/mistake.yaml …
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.assignment import (
    Assignment,
    Draws,
    Reference,
    Spec,
    Stage,
    Tolerated,
)
from pitboss.assignments.casefile import empty_reference, load_spec
from pitboss.assignments.comparefile import policy_in, with_checker
from pitboss.assignments.gradingfile import grading_in
from pitboss.assignments.invocationfile import invocation_in, with_fields_of_stage
from pitboss.assignments.kinds import Entries, mapping
from pitboss.assignments.names import function_named, named_file, program_named
from pitboss.assignments.nodes import Node, Text, items, printable_names, read_yaml
from pitboss.assignments.optionfile import (
    defined_options_in,
    draws_in,
    feature_names_in,
    options_of,
    required_in,
    requirements_in,
    rules_in,
)
from pitboss.assignments.options import Option, Rule
from pitboss.assignments.players import players_in, prompts_in
from pitboss.assignments.wordfile import load_words, mistakes_below
from pitboss.errors import SpecError, UsageError, as_found, did_you_mean, listed
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.model.languages import LANGUAGES, language_of
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import conceal

ASSIGNMENT_FILE = "assignment.yaml"


def assignments_in(folders: tuple[Path, ...]) -> dict[str, Path]:
    """Returns the folder of each assignment in these folders, by the assignment's name.

    If several assignments have the same name, the first is returned.
    """
    folders_by_name: dict[str, Path] = {}
    for folder in folders:
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                # For a folder that cannot be entered, os.path.isfile is False; Path.is_file raises PermissionError.
                if os.path.isfile(path / ASSIGNMENT_FILE):
                    folders_by_name.setdefault(path.name, path)
    return folders_by_name


def load_assignment_named(name: str, folders: tuple[Path, ...], *, may_lack_cases: bool = False) -> Assignment:
    """Load the assignment `name` in one of these folders; raises UsageError if no folder has it.

    If `name` has a slash, it is the path of the assignment's own folder.
    """
    if "/" in name or name in (".", ".."):
        try:
            has_assignment_file = (Path(name) / ASSIGNMENT_FILE).is_file()
        except OSError as error:
            raise UsageError(f"{Path(name) / ASSIGNMENT_FILE}: it cannot be used: {error.strerror}") from error
        if not has_assignment_file:
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

    With `may_lack_cases`, a stage may have no cases, or no spec file; it is for callers that judge nothing.
    """
    conceal(folder)
    entries = mapping(read_yaml(folder / ASSIGNMENT_FILE), keys.ASSIGNMENT, "the assignment")
    loader = _StageLoader(entries, folder, may_lack_cases=may_lack_cases)
    limits = _limits(entries, Limits())
    policy = policy_in(entries.get("compare"), EXACT)
    stages: list[Stage] = []
    for node in items(entries["stages"], "stages", at_least=1):
        stages.append(loader.load_stage(node, tuple(stage.name for stage in stages), limits, policy))
    mistakes = mistakes_below(folder, [stage.name for stage in stages if not stage.is_manual])
    language = entries.value("language") or _language_of(stages[0].reference)
    shared_names = set.intersection(*(set(stage.submitted_as) for stage in stages))
    stages = [
        msgspec.structs.replace(
            stage,
            mistake_folders=tuple(mistake for mistake in mistakes if stage.name in mistake.stages),
            language=language,
            is_only=len(stages) == 1 or bool(shared_names),
        )
        for stage in stages
    ]
    return Assignment(
        name=folder.resolve().name,
        title=entries.value("title"),
        folder=folder,
        stages=tuple(stages),
        players=tuple(loader.players.values()),
        is_seeded=loader.is_seeded,
        language=language,
        versions=tuple(entries.value("versions").present_values().items()) if "versions" in entries else (),
        grading=grading_in(entries.get("grading"), stages),
        handout=named_file(entries["handout"], "handout", folder) if "handout" in entries else None,
        generator=entries.value("generator"),
        declared_in=_declared_in(entries, loader.defined_options),
        ships_reference=entries.value("ship_reference"),
        is_bundle=loader.is_bundle,
    )


def _language_of(reference: Reference) -> str:
    """The title of the language of a source, or of a file or tool in a command; empty without kits in the language."""
    names = [Path(word).name for word in reference.command]
    used = (
        language
        for name in names
        for language in LANGUAGES.values()
        if language_of(name) is language or name in [tool.command for tool in language.tools]
    )
    return next((language.title for language in used if language.has_kit), "")


def _declared_in(entries: Entries, defined_options: dict[str, Option]) -> str:
    """Returns the name of the file in which a submission declares its features; empty if there is no such key."""
    name: str = entries.value("declared_in")
    if not name:
        return ""
    if not any(option.feature_rule for option in defined_options.values()):
        raise SpecError(
            f"{entries['declared_in'].place}: declared_in has no effect — no option has the key shows, so no "
            "feature can be declared"
        )
    return name


def _limits(entries: Entries, default_limits: Limits) -> Limits:
    """Returns the limits under the key `limits`; for limits that it does not have, the default limits."""
    values = entries.value("limits").present_values() if "limits" in entries else {}
    return msgspec.structs.replace(default_limits, **values)


class _StageLoader:
    """Loads the stages of one assignment."""

    def __init__(self, entries: Entries, folder: Path, *, may_lack_cases: bool) -> None:
        """Read the assignment's entries for all stages; SpecError for a mistake in a default, even if no stage uses it.

        With `may_lack_cases`, a stage may have no cases, or no spec file.
        """
        self._folder = folder
        self.is_seeded: bool = entries.value("seeded")
        #: Whether the assignment is a bundle for students, in which a stage may lack its reference.
        self.is_bundle: bool = entries.value("bundle")
        self._may_lack_cases = may_lack_cases or self.is_bundle
        self.players = players_in(entries["players"], folder) if "players" in entries else {}
        self._draws = draws_in(entries["draws"]) if "draws" in entries else Draws(())
        #: The assignment's defaults for all stages, by key.
        self._defaults = {name: node for name, node in entries.items() if name in keys.STAGE_DEFAULTS}
        entries.present_values("needs", "required", "most_sessions")
        if "reference" in entries:
            self._reference(entries["reference"])
        if "reader" in entries:
            function_named(entries["reader"], "reader", folder)
        self._tolerated(entries)
        self._submission_fields(entries)
        #: The options of the assignment, by name.
        self.defined_options = defined_options_in(entries.get("options"))
        #: The function that returns the known mistakes; empty if the assignment names no function.
        self._mistakes = function_named(entries["mistakes"], "mistakes", folder) if "mistakes" in entries else ""
        #: The texts of the known mistakes; None if the function returns the texts too.
        self._words = load_words(named_file(entries["words"], "words", folder)) if "words" in entries else None
        #: The manually graded stages that have been loaded so far; no other stage can need them.
        self._manual_stages: tuple[str, ...] = ()

    def load_stage(self, node: Node, earlier_stages: tuple[str, ...], limits: Limits, policy: Policy) -> Stage:
        """Load a stage from an item of `stages`.

        `limits` and `policy` are the assignment's; `earlier_stages` are the names of the stages before this stage.
        """
        entries = mapping(node, keys.STAGE, "a stage")
        name: str = entries.value("name")
        if name in earlier_stages:
            raise SpecError(
                f"{entries['name'].place}: stage {as_found(name)} is listed twice — each stage needs its own name"
            )
        is_manual = entries.value("graded_by") == "hand"
        if is_manual:
            self._manual_stages = (*self._manual_stages, name)
        policy = policy_in(entries.get("compare"), policy)
        # The stage's own rules and prompts are added to the defaults; all other entries replace their default.
        own_rules, own_prompts = entries.get("rules"), entries.get("prompts")
        unused_defaults = keys.JUDGED_STAGE_KEYS if is_manual else ()
        entries = entries.with_defaults(
            {name: node for name, node in self._defaults.items() if name not in unused_defaults}
        )
        if "reference" not in entries and not self.is_bundle:
            raise SpecError(f"{node.place}: a stage lacks the key 'reference': {keys.STAGE['reference'].meaning}")
        limits = _limits(entries, limits)
        policy = with_checker(policy, entries, self._folder)
        spec, invocation = self._spec_and_invocation(entries, name, policy, limits)
        self._check_readable_draws(entries, spec)
        rules = self._rules(entries, own_rules)
        return Stage(
            name=name,
            title=entries.value("title") or name,
            reference=self._reference(entries["reference"]) if "reference" in entries else empty_reference(spec),
            spec=spec,
            invocation=invocation,
            prompts=prompts_in(own_prompts, prompts_in(self._defaults.get("prompts"))),
            needs=self._needs(entries, name, earlier_stages),
            is_manual=is_manual,
            limits=limits,
            policy=policy,
            mistakes=self._mistakes,
            words=self._words,
            handout=named_file(entries["handout"], "handout", self._folder) if "handout" in entries else None,
            is_seeded=self.is_seeded,
            requirements=requirements_in(entries),
            is_optional=entries.value("is_optional"),
            not_checked=entries.value("not_checked"),
            most_sessions=entries.value("most_sessions"),
            reader=self._reader(entries),
            draws=self._draws if "reader" in entries else Draws(()),
            tolerated=self._tolerated(entries),
            options=self._options(entries, node),
            rules=rules,
            required=required_in(entries.get("required"), rules),
            **self._submission_fields(entries),  # type: ignore[arg-type]
        )

    def _needs(self, entries: Entries, stage: str, earlier: tuple[str, ...]) -> tuple[str, ...]:
        """Return the stages that must be accepted before `stage` is graded; by default all `earlier` judged stages.

        A stage that is graded manually needs no other stage, and no stage needs it.
        """
        if stage in self._manual_stages:
            return ()
        judged = tuple(name for name in earlier if name not in self._manual_stages)
        names: tuple[str, ...] = entries.value("needs") if "needs" in entries else judged
        for name in names:
            if name not in judged:
                if name in self._manual_stages:
                    reason = "that stage is graded manually, so it is never accepted"
                else:
                    rule = f"it must be one of the stages before it: {listed(judged)}"
                    reason = f"{rule if judged else 'no stage is before it'}{did_you_mean(name, judged)}"
                raise SpecError(f"{entries['needs'].place}: stage {as_found(stage)} needs {as_found(name)} — {reason}")
        return names

    def _check_readable_draws(self, entries: Entries, spec: Spec) -> None:
        """Raise SpecError if the stage has a reader, and also a checker, earlier runs or an input file."""
        checker_locations = [entries["checker"].place] if "checker" in entries else []
        locations = checker_locations or [case.place for case in spec.cases if case.policy.checker is not None]
        if "reader" in entries and locations:
            raise SpecError(
                f"{locations[0]}: the stage has a reader and a checker — draws are read back by comparing with "
                "the reference, so the stage can have only one of them"
            )
        for case in spec.cases if "reader" in entries else ():
            if key := "after" if case.invocation.runs_before else "input_file" if case.invocation.input_file else "":
                raise SpecError(
                    f"{case.place}: the stage has a reader, and the case has {key} — draws can be read back only from "
                    f"one session with typed lines, so the case cannot have the key {key}"
                )

    def _spec_and_invocation(
        self, entries: Entries, name: str, policy: Policy, limits: Limits
    ) -> tuple[Spec, Invocation]:
        """Return the spec of a stage, and the arguments, files and environment of the stage's sessions."""
        path = self._folder / (entries.value("spec") or f"{name}.yaml")
        default_invocation = msgspec.structs.replace(PLAIN, max_kb=limits.output_kb)
        invocation = invocation_in(entries, default_invocation, self._folder)
        flags = {"may_lack_cases": self._may_lack_cases, "is_bundle": self.is_bundle}
        spec = load_spec(path, name, policy, self.is_seeded, self.players, invocation, **flags)
        return spec, with_fields_of_stage(invocation, [case.invocation for case in spec.cases])

    def _reader(self, entries: Entries) -> str:
        if "reader" not in entries:
            return ""
        if not self._draws.values:
            raise SpecError(
                f"{entries['reader'].place}: the stage has a reader — list under draws the values that it may read"
            )
        return function_named(entries["reader"], "reader", self._folder)

    def _options(self, entries: Entries, node: Node) -> tuple[Option, ...]:
        """Return the options of a stage; `node` is the stage's own node, for the location in a SpecError."""
        options = options_of(self.defined_options, entries.get("with"), entries.get("without"))
        free_option = next((option.name for option in options if option.is_free), None)
        if free_option is not None and "reader" not in entries:
            raise SpecError(
                f"{node.place}: the stage has no reader, so its programs cannot be distinguished — name the option "
                f"{as_found(free_option)} under with or without"
            )
        return options

    def _tolerated(self, entries: Entries) -> tuple[Tolerated, ...]:
        references = printable_names(entries["tolerated"], "tolerated").entries if "tolerated" in entries else {}
        return tuple(Tolerated(name, self._reference(node)) for name, node in references.items())

    def _rules(self, entries: Entries, own_rules: Node | None) -> tuple[Rule, ...]:
        """Return the assignment's rules, the rules of the stage's features, and the stage's own rules.

        Of rules with the same name, the last is used.
        """
        names = feature_names_in(entries.get("with"), "with", self.defined_options)
        feature_rules = [rule for name in names for rule in self.defined_options[name].rules]
        rules = (*rules_in(self._defaults.get("rules")), *feature_rules, *rules_in(own_rules))
        return tuple({rule.name: rule for rule in rules}.values())

    def _submission_fields(self, entries: Entries) -> dict[str, object]:
        """Return the fields of a Stage for its source files, and for the names under which it may be handed in."""
        fields = entries.present_values("submitted_as", "sources", "flags")
        if "given" in entries:
            folder = self._folder / entries.value("given")
            if not folder.is_dir():
                raise SpecError(f"{entries['given'].place}: given is {as_found(str(folder))} — there is no such folder")
            duplicates = [name for name in fields.get("sources", ()) if os.path.exists(folder / name)]
            if duplicates:
                raise SpecError(
                    f"{entries['given'].place}: given has {duplicates[0]}, which is under sources too — submissions "
                    "contain that file"
                )
            fields["given"], fields["given_as"] = folder, f"{self._folder.resolve().name}/{folder.name}"
        return fields

    def _reference(self, node: Node) -> Reference:
        if isinstance(node, Text) and language_of(node.value) is not None:
            path = named_file(node, "reference", self._folder).resolve()
            if not path.is_relative_to(self._folder.resolve()):
                raise SpecError(f"{node.place}: reference is {as_found(node.value)} — it must be in {self._folder}")
            return Reference(command=(str(path),), is_source=True)
        return Reference(*program_named(node, "reference", self._folder))
