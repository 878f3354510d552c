"""A mistake as data: the change that it makes to the right program."""

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
    """What a mistake changes in the right program; empty fields change nothing."""

    #: New values of fields of Rules.
    rules: Mapping[str, Any] = {}
    #: Classes whose methods override methods of Rules.
    decisions: tuple[type, ...] = ()
    #: Keyword arguments of SeededCards, the source of decks.
    cards: Mapping[str, Any] = {}
    #: Functions that wrap the right source of decks in a wrong one.
    sources: tuple[Callable[[Source], Source], ...] = ()
    #: Functions that wrap the console, to change output or input.
    consoles: tuple[Wrapper, ...] = ()
    #: Classes whose methods override methods of the stage's dialogue.
    dialogues: tuple[type, ...] = ()
    #: Classes whose methods override methods of Flow.
    flows: tuple[type, ...] = ()


class ProgramAborted(Exception):
    """Raised by a mistake to end its program at once, with exit code 0."""


class MistakeEntry(NamedTuple):
    """A mistake in the catalogue: the stages that can have it, and the change."""

    id: str
    stages: tuple[str, ...]
    change: Change


#: The stages that deal cards.
DEALT = ("deal", "play", "betting", "errors")
#: The stages that play a whole game.
PLAYED = ("play", "betting", "errors")
#: The stages that play for money.
MONEY = ("betting", "errors")
#: All stages that can have mistakes.
ALL = ("shuffle", *DEALT)
_DIALOGUES = {"betting": PlainDialogue, "errors": CarefulDialogue}
_MAINS: Mapping[str, Callable[..., int]] = {
    "shuffle": shuffle.main,
    "deal": deal.main,
    "play": play.main,
    "betting": betting.main,
    "errors": errors.main,
}


def mistake_of(known: MistakeEntry) -> Mistake:
    """The mistake with its wrong programs."""
    return Mistake(known.id, {stage: program(stage, known.change) for stage in known.stages})


def program(stage: str, change: Change) -> Callable[..., int]:
    """The program of a stage with a change."""
    rules = _with_overrides(change.decisions, Rules)
    base = FOR_MONEY if stage in MONEY else FOR_FUN
    fields = {name: getattr(base, name) for name in Rules.__dataclass_fields__} | dict(change.rules)
    main = _MAINS[stage]
    dialogue = _with_overrides(change.dialogues, _DIALOGUES.get(stage, FunDialogue))
    flow = _with_overrides(change.flows, Flow)

    def run(console: Console, cards: Source | None = None) -> int:
        source: Source = SeededCards(**change.cards) if cards is None else cards
        for wrap_source in change.sources:
            source = wrap_source(source)
        for wrap_console in change.consoles:
            console = wrap_console(console)
        code = 0
        with suppress(ProgramAborted):
            code = run_stage(console, source)
        end(console)
        return code

    def run_stage(console: Console, source: Source) -> int:
        if stage == "shuffle":
            return main(console, source)
        if change.flows:
            code: int = flow(stage, console, dialogue(console), source, rules(**fields)).run()
            return code
        if change.dialogues:
            return main(console, source, rules(**fields), dialogue)
        return main(console, source, rules(**fields))

    return run


def _with_overrides(classes: tuple[type, ...], base: type) -> Callable[..., Any]:
    """A subclass of `base` with the methods of these classes; without classes `base` itself."""
    return type(f"Wrong{base.__name__}", (*classes, base), {}) if classes else base
