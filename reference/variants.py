"""Mistakes of assignments whose programs take their rules as one value: the right program with other rules.

`together` combines two of them in one program, unless they change the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from reference.console import Console
from reference.consoles import Wrapper
from reference.mistakes import Mistake


class Variant(NamedTuple):
    """A mistake: the stages that can have it, and the rules that it changes."""

    id: str
    stages: tuple[str, ...]
    #: Fields of the assignment's rules; "kind" is a class of rules that decides in another way.
    rules: Mapping[str, Any] = {}
    consoles: tuple[Wrapper, ...] = ()
    #: The setting of options with which alone it shows.
    needs: Mapping[str, Any] = {}
    #: Wrong programs in place of the right ones, by stage, where a mistake is more than another rule.
    mains: Mapping[str, Callable[..., int]] = {}


class Programs(NamedTuple):
    """The right programs of an assignment (one function, or one for each stage), and the rules of each stage."""

    main: Callable[..., int] | Mapping[str, Callable[..., int]]
    rules: Mapping[str, Any]
    #: Returns rules changed by a setting of the assignment's options.
    under: Callable[..., Any] = replace

    def catalogue(self, variants: Sequence[Variant]) -> tuple[Mistake, ...]:
        """The mistakes with their programs."""
        return tuple(Mistake(one.id, {stage: self.wrong(stage, one) for stage in one.stages}) for one in variants)

    def together(self, variants: Sequence[Variant], one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
        """The programs that make both mistakes, by stage; empty if they change the same rule."""
        by_id = {variant.id: variant for variant in variants}
        first, second = by_id[one.id], by_id[other.id]
        if first.rules.keys() & second.rules.keys() or (first.mains and second.mains):
            return {}
        both = first._replace(rules={**first.rules, **second.rules}, consoles=first.consoles + second.consoles)
        both = both._replace(needs={**first.needs, **second.needs}, mains={**first.mains, **second.mains})
        return {stage: self.wrong(stage, both) for stage in first.stages if stage in second.stages}

    def wrong(self, stage: str, variant: Variant) -> Callable[..., int]:
        """The wrong program of a stage."""
        right = self.main if callable(self.main) else self.main[stage]
        return _wrong(variant.mains.get(stage, right), self.rules[stage], variant, self.under)

    def tolerating(
        self, variants: Sequence[Variant], one: Mistake, right: Callable[..., int]
    ) -> Callable[..., int] | None:
        """The program that makes a mistake when another is tolerated as the right one, a main with its own rules."""
        if not isinstance(right, partial) or not callable(self.main):
            return None
        by_id = {variant.id: variant for variant in variants}
        return _wrong(self.main, right.keywords["rules"], by_id[one.id], self.under)


def _wrong(
    main: Callable[..., int], right: Any, variant: Variant, under: Callable[..., Any] = replace
) -> Callable[..., int]:
    """A program with other rules than the right ones, under any setting of the options."""

    def run(console: Console, draw: Any = None, **setting: Any) -> int:
        meant = under(right, **setting)
        fields = {name: getattr(meant, name) for name in meant.__dataclass_fields__} | dict(variant.rules)
        rules = fields.pop("kind", type(meant))(**fields)
        for put_between in variant.consoles:
            console = put_between(console)
        return main(console, draw, rules)

    run.needs = variant.needs  # type: ignore[attr-defined]
    return run
