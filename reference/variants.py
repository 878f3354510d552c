"""Mistakes as the right program with other rules, for assignments whose programs take their rules as one value."""

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
    #: The fields of the assignment's rules that the mistake changes, with their new values. The key "kind" is no field:
    #: its value replaces the class of the rules.
    rules: Mapping[str, Any] = {}
    #: Wrappers of the console, which change what the program prints or reads.
    consoles: tuple[Wrapper, ...] = ()
    #: The options, each with a value or a tuple of values, without which the mistake cannot occur.
    needs: Mapping[str, Any] = {}
    #: Programs that replace the right program, by stage, if the mistake needs more than other rules.
    mains: Mapping[str, Callable[..., int]] = {}


class Programs(NamedTuple):
    """The right program of an assignment, or one program for each stage, and the rules of each stage."""

    main: Callable[..., int] | Mapping[str, Callable[..., int]]
    rules: Mapping[str, Any]
    #: Returns the rules that it is given, changed by a setting of the assignment's options.
    with_setting: Callable[..., Any] = replace

    def catalogue(self, variants: Sequence[Variant]) -> tuple[Mistake, ...]:
        """The mistakes of these variants, each with its wrong programs."""
        return tuple(
            Mistake(variant.id, {stage: self.wrong(stage, variant) for stage in variant.stages}) for variant in variants
        )

    def wrong(self, stage: str, variant: Variant) -> Callable[..., int]:
        """The program of a stage that makes the mistake."""
        right = self.main if callable(self.main) else self.main[stage]
        return _wrong_program(variant.mains.get(stage, right), self.rules[stage], variant, self.with_setting)

    def tolerating(
        self, variants: Sequence[Variant], one: Mistake, right: Callable[..., int]
    ) -> Callable[..., int] | None:
        """The program that makes a mistake where another program, `right`, is accepted as right.

        `right` is a `functools.partial` of the assignment's only program with other `rules`. Returns None for any other
        `right`, or if each stage has a program of its own.
        """
        if not isinstance(right, partial) or not callable(self.main):
            return None
        by_id = {variant.id: variant for variant in variants}
        return _wrong_program(self.main, right.keywords["rules"], by_id[one.id], self.with_setting)


def _wrong_program(
    main: Callable[..., int], base_rules: Any, variant: Variant, with_setting: Callable[..., Any] = replace
) -> Callable[..., int]:
    """A program that runs `main` with the base rules, changed first by the setting and then by the variant."""

    def run(console: Console, draw: Any = None, **setting: Any) -> int:
        right_rules = with_setting(base_rules, **setting)
        fields = {name: getattr(right_rules, name) for name in right_rules.__dataclass_fields__} | dict(variant.rules)
        rules = fields.pop("kind", type(right_rules))(**fields)
        for wrap in variant.consoles:
            console = wrap(console)
        return main(console, draw, rules)

    run.needs = variant.needs  # type: ignore[attr-defined]
    return run
