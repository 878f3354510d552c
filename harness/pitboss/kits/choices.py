"""Two parts of a handout: rules for programs with several features, and choices that every program has.

Like a stage's rules, they are explained by a text and an excerpt from a session of the reference. The sessions of the
stage may not show them, so sessions of its reference with every feature are searched too.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import stage_features, with_every_feature
from pitboss.assignments.rules import Rule
from pitboss.errors import as_found
from pitboss.kits.excerpts import HandoutRule, handout_rules, sessions_for

#: The maximum number of sessions in the first search for a choice.
_FEW_SESSIONS = 60
#: The maximum number of sessions in the second search, if the first was in vain.
_MAX_SESSIONS = 600


def rules_with_other_features(stage: Stage) -> tuple[HandoutRule, ...]:
    """The rules that apply only if a program has a feature that the stage tests and other features, with excerpts."""
    rules = tuple(rule for option in stage_features(stage) for rule in option.with_others)
    return _with_excerpts(with_every_feature(stage), rules, _MAX_SESSIONS) if rules else ()


def permitted_choices(stages: Sequence[Stage]) -> tuple[HandoutRule, ...]:
    """The choices that programs of these stages have, each with an excerpt from a session that shows the choice."""
    stages = [stage for stage in stages if not stage.is_manual]
    choices = {
        option.name: option.choice for stage in stages for option in stage.options if option.is_free and option.choice
    }
    rules_by_name = {name: HandoutRule(name, choice.says) for name, choice in choices.items()}
    # Few sessions at first, since for a choice that a stage never shows, the maximum number is run in vain.
    for max_sessions in (_FEW_SESSIONS, _MAX_SESSIONS):
        for stage in (*stages, *map(with_every_feature, stages)):
            unshown = tuple(choice for name, choice in choices.items() if not rules_by_name[name].excerpt)
            if unshown:
                rules_by_name |= {rule.name: rule for rule in _with_excerpts(stage, unshown, max_sessions)}
    return tuple(rules_by_name.values())


def _with_excerpts(stage: Stage, rules: tuple[Rule, ...], max_sessions: int) -> tuple[HandoutRule, ...]:
    """These rules for a handout, each with an excerpt from a session of the stage that shows the rule, if any does."""
    stage = msgspec.structs.replace(stage, rules=rules)
    return handout_rules(stage, sessions_for(stage, max_sessions))


def unshown_choices(stages: Sequence[Stage]) -> list[str]:
    """A sentence on each choice or rule that no session of any stage shows: these parts of a handout lack it."""
    choices = [("the choice of option", choice) for choice in permitted_choices(stages)]
    choices += [
        (f"stage {as_found(stage.name)}: the rule", rule)
        for stage in stages
        for rule in rules_with_other_features(stage)
    ]
    path = stages[0].spec.path.parent / "assignment.yaml"
    return [
        f"{path}: {label} {as_found(rule.name)} has a text for the handout, but no session of the public cases shows it"
        for label, rule in choices
        if not rule.excerpt
    ]
