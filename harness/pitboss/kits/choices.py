"""The parts of a handout on programs with other features, and on the choices that any program has.

Like rules, both are explained by a text and an excerpt from a session of the reference. Sessions of the stage itself
may not show them, so sessions of its reference with every feature are searched too.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import features_of, with_every_feature
from pitboss.assignments.rules import Rule
from pitboss.errors import as_found
from pitboss.kits.excerpts import HandoutRule, handout_rules, sessions_for

#: The maximum number of sessions searched for a choice: at first, and if that finds nothing.
_FEW, _MOST = 60, 600


def rules_with_other_features(stage: Stage) -> tuple[HandoutRule, ...]:
    """The rules of the stage's features that come up with other features, each with an excerpt from a session."""
    rules = tuple(rule for option in features_of(stage) for rule in option.with_others)
    return _choices_in(with_every_feature(stage), rules, _MOST) if rules else ()


def permitted_choices(stages: Sequence[Stage]) -> tuple[HandoutRule, ...]:
    """What a program of these stages may choose, each choice with an excerpt from a session that shows it."""
    stages = [stage for stage in stages if not stage.is_manual]
    choices = {
        option.name: option.choice for stage in stages for option in stage.options if option.is_free and option.choice
    }
    found = {name: HandoutRule(name, choice.says) for name, choice in choices.items()}
    for most in (_FEW, _MOST):  # a few first: a stage that never shows a choice uses up all its sessions
        for stage in (*stages, *map(with_every_feature, stages)):
            left = tuple(choice for name, choice in choices.items() if not found[name].excerpt)
            if left:
                found |= {permitted.name: permitted for permitted in _choices_in(stage, left, most)}
    return tuple(found.values())


def _choices_in(stage: Stage, rules: tuple[Rule, ...], most: int) -> tuple[HandoutRule, ...]:
    stage = msgspec.structs.replace(stage, rules=rules)
    return handout_rules(stage, sessions_for(stage, most))


def unshown_choices(stages: Sequence[Stage]) -> list[str]:
    """A sentence on each explained choice, and each rule with other features, that no session of any stage shows."""
    choices = [("the choice of option", choice) for choice in permitted_choices(stages)]
    choices += [
        (f"stage {as_found(stage.name)}: the rule", rule)
        for stage in stages
        for rule in rules_with_other_features(stage)
    ]
    path = stages[0].spec.path.parent / "assignment.yaml"
    return [
        f"{path}: {label} {as_found(rule.name)} has words for the handout, but no session of the public cases shows it"
        for label, rule in choices
        if not rule.excerpt
    ]
