"""A mistake as data: what it changes in the right program.

Changes can be combined, so that programs with two mistakes can be run as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from reference.blackjack import betting, deal, errors, play, shuffle
from reference.blackjack.betting import PlainDialogue
from reference.blackjack.errors import CarefulDialogue
from reference.blackjack.mistakes.flow import Flow, FunDialogue
from reference.blackjack.rules import FOR_FUN, FOR_MONEY, Rules
from reference.cards import SeededCards, Source
from reference.console import Console
from reference.consoles import Wrapper, end
from reference.mistakes import Mistake


class Change(NamedTuple):
    """What a mistake changes; empty fields change nothing."""

    #: Fields of Rules.
    rules: Mapping[str, Any] = {}
    #: Classes whose methods override those of Rules.
    decisions: tuple[type, ...] = ()
    #: Arguments of SeededCards.
    cards: Mapping[str, Any] = {}
    #: Functions that make the wrong source from the right one.
    sources: tuple[Callable[[Source], Source], ...] = ()
    consoles: tuple[Wrapper, ...] = ()
    #: Classes whose methods override those of the stage's dialogue.
    dialogues: tuple[type, ...] = ()
    #: Classes whose methods override those of Flow.
    flows: tuple[type, ...] = ()


class Leaves(Exception):
    """Ends a wrong program at once."""


class Known(NamedTuple):
    """A mistake in the catalogue: the stages that can have it, and the change."""

    id: str
    stages: tuple[str, ...]
    change: Change


DEALT = ("deal", "play", "betting", "errors")
PLAYED = ("play", "betting", "errors")
MONEY = ("betting", "errors")
ALL = ("shuffle", *DEALT)
_DIALOGUES = {"betting": PlainDialogue, "errors": CarefulDialogue}
_MAINS: Mapping[str, Callable[..., int]] = {
    "shuffle": shuffle.main,
    "deal": deal.main,
    "play": play.main,
    "betting": betting.main,
    "errors": errors.main,
}


def mistake_of(known: Known) -> Mistake:
    """The mistake with its programs."""
    return Mistake(known.id, {stage: program(stage, known.change) for stage in known.stages})


def program(stage: str, change: Change) -> Callable[..., int]:
    """The wrong program of a stage."""
    rules = _mixed(change.decisions, Rules)
    base = FOR_MONEY if stage in MONEY else FOR_FUN
    fields = {name: getattr(base, name) for name in Rules.__dataclass_fields__} | dict(change.rules)
    main = _MAINS[stage]
    dialogue = _mixed(change.dialogues, _DIALOGUES.get(stage, FunDialogue))
    flow = _mixed(change.flows, Flow)

    def run(console: Console, cards: Source | None = None) -> int:
        source: Source = SeededCards(**change.cards) if cards is None else cards
        for wrap in change.sources:
            source = wrap(source)
        for put_between in change.consoles:
            console = put_between(console)
        code = 0
        with suppress(Leaves):
            code = played(console, source)
        end(console)
        return code

    def played(console: Console, source: Source) -> int:
        if stage == "shuffle":
            return main(console, source)
        if change.flows:
            code: int = flow(stage, console, dialogue(console), source, rules(**fields)).run()
            return code
        if change.dialogues:
            return main(console, source, rules(**fields), dialogue)
        return main(console, source, rules(**fields))

    return run


def _mixed(classes: tuple[type, ...], base: type) -> Callable[..., Any]:
    return type(f"Wrong{base.__name__}", (*classes, base), {}) if classes else base


def together(one: Change, other: Change) -> Change | None:
    """Both changes; None if they change the same thing, so that they cannot be combined."""
    if one.rules.keys() & other.rules.keys() or one.cards.keys() & other.cards.keys():
        return None
    parts = ((one.decisions, other.decisions), (one.dialogues, other.dialogues), (one.flows, other.flows))
    if any(_methods(ours) & _methods(theirs) for ours, theirs in parts):
        return None
    return Change(
        {**one.rules, **other.rules},
        one.decisions + other.decisions,
        {**one.cards, **other.cards},
        one.sources + other.sources,
        one.consoles + other.consoles,
        one.dialogues + other.dialogues,
        one.flows + other.flows,
    )


def _methods(classes: tuple[type, ...]) -> set[str]:
    return {name for each in classes for name in vars(each) if not name.startswith("__")}
