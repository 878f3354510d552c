"""The comparison policy that an instructor sets: which differences are accepted. Values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Literal

import msgspec

Strictness = Literal["exact", "ignored"]
#: The fields of a policy that may be ignored, which are also keys of spec files, with their meanings.
IGNORABLE = {
    "pauses": "whether pauses must be where the reference has them, and just as long",
    "trailing_blanks": "whether blanks at the end of a line are compared",
    "blank_lines": "whether empty lines are compared",
    "blanks": "whether blanks and line ends are compared, or only separate words",
    "letter_case": "whether A and a are different",
}
#: Where a free text is: a complete line, the end of a line, or the end of the last line when the program reads. An
#: `after` text comes after a typed line, where the reference shows nothing.
FreeKind = Literal["line", "end_of_line", "prompt", "after"]


class FreeText(msgspec.Struct, frozen=True):
    """A text of the reference that a program may replace by any other text, the same each time."""

    name: str
    #: The reference's text, without a newline. For `after`: the end of the screen line before it, typed input included.
    text: str
    kind: FreeKind
    may_be_missing: bool = False
    #: The maximum number of lines that a program's text may have.
    lines: int = 1
    #: Whether the numbers in it may differ each time it is shown; only for `after`.
    numbers_vary: bool = False
    #: Texts of the reference, free or not, that a program's text may equal although their meaning is different.
    may_equal: tuple[str, ...] = ()
    #: Texts of the reference that a program may replace by its text for this one, sometimes or always.
    synonyms: tuple[str, ...] = ()
    #: When the reference shows it, as a clause after "When" in the handout. Empty if the text makes that clear.
    when: str = ""
    #: Where it is defined, as file:line.
    place: str = ""

    @property
    def own_text(self) -> bytes:
        """The text that the reference shows; empty for `after`."""
        return b"" if self.kind == "after" else self.text.encode()


class AcceptedText(msgspec.Struct, frozen=True):
    """The text that a submission shows for a free text."""

    name: str
    #: Empty if the submission shows nothing there; None if it omits an empty line next to the text too.
    text: bytes | None
    #: Whether a session showed it; otherwise it is the reference's own text.
    is_seen: bool = True


class Tolerance(msgspec.Struct, frozen=True):
    """How far a number may be from the expected number; it is enough to be within either distance."""

    within: Decimal = Decimal(0)
    #: As a share of the expected number.
    relative: Decimal = Decimal(0)
    #: Regular expressions: the tolerance applies to expected lines that match one of them; if empty, to all lines.
    lines: tuple[str, ...] = ()


class Checker(msgspec.Struct, frozen=True):
    """A function or a command that decides whether a session is correct, instead of the comparison."""

    #: `module:function`, as for a reference; empty if it is a command.
    function: str = ""
    command: tuple[str, ...] = ()


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which differences an instructor accepts; everything else is compared exactly."""

    pauses: Strictness = "exact"
    trailing_blanks: Strictness = "exact"
    blank_lines: Strictness = "exact"
    blanks: Strictness = "exact"
    letter_case: Strictness = "exact"
    #: Groups of interchangeable texts; all are normalized to the first of their group. If a group has an empty text,
    #: its other texts may be missing.
    alternatives: tuple[tuple[str, ...], ...] = ()
    #: Regular expressions: lines that match one of them are ignored on both sides.
    not_judged: tuple[str, ...] = ()
    #: Regular expressions: where the reference shows a matching line, a program may show any line.
    free_lines: tuple[str, ...] = ()
    #: Regular expressions: where the reference shows a line that matches one, a program may show any line that does.
    matches: tuple[str, ...] = ()
    #: Regular expressions: neighbouring expected lines that match one of them may come in any order.
    any_order: tuple[str, ...] = ()
    #: The tolerances of numbers; the first that applies to a line is used.
    numbers: tuple[Tolerance, ...] = ()
    #: Decides instead of the comparison; None if texts are compared.
    checker: Checker | None = None
    #: A regular expression: output before the first matching line is ignored on both sides.
    begins: str = ""
    free: tuple[FreeText, ...] = ()
    #: Texts with a different meaning, which a program must not show for a free text.
    reserved: tuple[str, ...] = ()
    #: The submission's texts for the free texts, in all its sessions; None if they are read from each session.
    accepted_texts: tuple[AcceptedText, ...] | None = None

    @property
    def ignored(self) -> tuple[str, ...]:
        """The names of the fields that are ignored."""
        return tuple(name for name in IGNORABLE if getattr(self, name) == "ignored")

    def ignoring(self, names: Iterable[str]) -> Policy:
        """Return the policy that ignores these fields too."""
        return msgspec.structs.replace(self, **dict.fromkeys(names, "ignored"))

    def with_parts(self, parts: Sequence[tuple[str, str]]) -> Policy:
        """Return the policy for a reference in whose texts these parts are replaced; `parts` is applied in order."""
        if not parts:
            return self
        free = tuple(
            msgspec.structs.replace(
                free_text,
                text=_with_replacements(free_text.text, parts),
                may_equal=tuple(_with_replacements(text, parts) for text in free_text.may_equal),
                synonyms=tuple(_with_replacements(text, parts) for text in free_text.synonyms),
            )
            for free_text in self.free
        )
        reserved = tuple(_with_replacements(text, parts) for text in self.reserved)
        return msgspec.structs.replace(self, free=free, reserved=reserved)

    def with_accepted_texts(self, texts: Mapping[str, bytes | None]) -> Policy:
        """Return the policy for a submission that shows these free texts, and the reference's own for all others."""
        accepted = (
            AcceptedText(free_text.name, texts[free_text.name])
            if free_text.name in texts
            else AcceptedText(free_text.name, free_text.own_text, is_seen=False)
            for free_text in self.free
        )
        by_name = {free_text.name: free_text.text for free_text in self.free} | {
            name: text.decode("utf-8", "surrogateescape") for name, text in texts.items() if text
        }
        # A synonym may itself be a free text, for which the submission shows its own text.
        replaced_texts = {free_text.text: by_name[free_text.name] for free_text in self.free}
        groups = _merged_groups(
            [
                (text, replaced_texts.get(text, text), by_name[free_text.name])
                for free_text in self.free
                for text in free_text.synonyms
            ]
        )
        return msgspec.structs.replace(self, accepted_texts=tuple(accepted), alternatives=(*self.alternatives, *groups))

    @property
    def texts(self) -> dict[str, bytes | None]:
        """The submission's free texts that differ from the reference's own, by name."""
        own_texts = {accepted.name: accepted.own_text for accepted in self.free}
        return {
            accepted.name: accepted.text
            for accepted in self.accepted_texts or ()
            if accepted.text != own_texts[accepted.name]
        }


EXACT = Policy()


def _merged_groups(groups: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Returns the groups, with groups merged that share a text.

    >>> _merged_groups([("a", "b"), ("c", "d"), ("b", "e"), ("b", "b")])
    (('c', 'd'), ('a', 'b', 'e'))
    """
    merged: list[tuple[str, ...]] = []
    for group in groups:
        shared = [other_group for other_group in merged if not set(other_group).isdisjoint(group)]
        others = [other_group for other_group in merged if other_group not in shared]
        merged = [*others, tuple(dict.fromkeys(text for other_group in (*shared, group) for text in other_group))]
    return tuple(merged)


def _with_replacements(text: str, parts: Sequence[tuple[str, str]]) -> str:
    for part, replacement in parts:
        text = text.replace(part, replacement)
    return text
