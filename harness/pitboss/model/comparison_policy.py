"""The comparison policy that an instructor sets: which differences are accepted. Values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Literal

import msgspec

Strictness = Literal["exact", "ignored"]
#: What a policy may ignore: each is a field of it and a key of spec files, here with what it means.
IGNORABLE = {
    "pauses": "whether pauses must be where the reference has them, and as long",
    "trailing_blanks": "whether blanks at the end of a line count",
    "blank_lines": "whether empty lines count",
    "blanks": "whether blanks and line ends count other than as what is between two words",
    "letter_case": "whether A and a are told apart",
}
#: Where a free text stands: it is a whole line, the end of one, or what is on the last line when the program reads; or
#: it comes after a line was typed, where the reference shows nothing of its own.
FreeKind = Literal["line", "end_of_line", "prompt", "after"]


class FreeText(msgspec.Struct, frozen=True):
    """A text of the reference for which a program may show any other, the same each time."""

    name: str
    #: What the reference shows: it has no newline. For `after` the end of the line of the screen before it, with what
    #: was typed.
    text: str
    kind: FreeKind
    may_be_missing: bool = False
    #: How many lines a program's text may have at most.
    lines: int = 1
    #: Whether the numbers in it may differ from place to place; only for `after`.
    numbers_vary: bool = False
    #: Texts of the reference, free ones too, that it may equal although they mean something else.
    may_equal: tuple[str, ...] = ()
    #: Texts of the reference in whose place the program may show it too, here and there.
    synonyms: tuple[str, ...] = ()
    #: When the reference shows it, for the handout, as in "When … it shows"; empty if the text itself says it.
    when: str = ""
    #: Where it is defined, as file:line.
    place: str = ""

    @property
    def own(self) -> bytes:
        """What the reference shows."""
        return b"" if self.kind == "after" else self.text.encode()


class AcceptedText(msgspec.Struct, frozen=True):
    """What a submission shows for a free text."""

    name: str
    #: Empty if it shows nothing there; None if it leaves out the empty line around it too.
    text: bytes | None
    #: Whether some session showed that; else it is the reference's own text.
    is_seen: bool = True


class Tolerance(msgspec.Struct, frozen=True):
    """How far a number may be from the expected one: it is right if it is within one of the two distances."""

    within: Decimal = Decimal(0)
    #: As a share of the expected number.
    relative: Decimal = Decimal(0)
    #: Regular expressions: it is for the numbers of expected lines in which one of them is found; for all if empty.
    lines: tuple[str, ...] = ()


class Checker(msgspec.Struct, frozen=True):
    """What says whether a session is right in place of the comparison: a function, or a command."""

    #: `module:function`, as a reference is named; empty if it is a command.
    function: str = ""
    command: tuple[str, ...] = ()


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which differences an instructor accepts; everything else is compared exactly."""

    pauses: Strictness = "exact"
    trailing_blanks: Strictness = "exact"
    blank_lines: Strictness = "exact"
    blanks: Strictness = "exact"
    letter_case: Strictness = "exact"
    #: Groups of interchangeable texts; the first of each group is the one shown. If a group has an empty text, the
    #: others may also be left out.
    alternatives: tuple[tuple[str, ...], ...] = ()
    #: Regular expressions: lines in which one of them is found are left out on both sides.
    not_judged: tuple[str, ...] = ()
    #: Regular expressions: where the reference shows a line with one of them, a program may show any line.
    free_lines: tuple[str, ...] = ()
    #: Regular expressions: where the reference shows a line with one of them, a program shows any line with that one.
    matches: tuple[str, ...] = ()
    #: Regular expressions: neighbouring expected lines in which one of them is found may come in any order.
    any_order: tuple[str, ...] = ()
    #: How far numbers may be off; of several that are for a line the first counts.
    numbers: tuple[Tolerance, ...] = ()
    #: What decides instead of all this; None if texts are compared.
    checker: Checker | None = None
    #: A regular expression: what is shown before the first line in which it is found is left out on both sides.
    begins: str = ""
    free: tuple[FreeText, ...] = ()
    #: Texts with a meaning of their own, which no free text may be.
    reserved: tuple[str, ...] = ()
    #: What the submission shows for the free texts, in all of its sessions; None if that is read from each session.
    taken: tuple[AcceptedText, ...] | None = None

    @property
    def ignored(self) -> tuple[str, ...]:
        """What is ignored, by the names of the fields."""
        return tuple(name for name in IGNORABLE if getattr(self, name) == "ignored")

    def ignoring(self, names: Iterable[str]) -> Policy:
        """The policy that ignores these too, by the names of the fields."""
        return msgspec.structs.replace(self, **dict.fromkeys(names, "ignored"))

    def with_parts(self, parts: Sequence[tuple[str, str]]) -> Policy:
        """The policy for a reference whose texts have other parts, one after the other, in place of these."""
        if not parts:
            return self
        free = tuple(
            msgspec.structs.replace(
                one,
                text=_with_parts(one.text, parts),
                may_equal=tuple(_with_parts(text, parts) for text in one.may_equal),
                synonyms=tuple(_with_parts(text, parts) for text in one.synonyms),
            )
            for one in self.free
        )
        reserved = tuple(_with_parts(text, parts) for text in self.reserved)
        return msgspec.structs.replace(self, free=free, reserved=reserved)

    def with_accepted_texts(self, texts: Mapping[str, bytes | None]) -> Policy:
        """The policy for a submission that shows these texts, and the reference's for those not named."""
        taken = (
            AcceptedText(one.name, texts[one.name])
            if one.name in texts
            else AcceptedText(one.name, one.own, is_seen=False)
            for one in self.free
        )
        known = {one.name: one.text for one in self.free} | {
            name: text.decode("utf-8", "surrogateescape") for name, text in texts.items() if text
        }
        # A text in whose place another one may stand may be free too.
        theirs = {one.text: known[one.name] for one in self.free}
        groups = _merged(
            [(text, theirs.get(text, text), known[one.name]) for one in self.free for text in one.synonyms]
        )
        return msgspec.structs.replace(self, taken=tuple(taken), alternatives=(*self.alternatives, *groups))

    @property
    def texts(self) -> dict[str, bytes | None]:
        """What the submission shows for free texts where that is not the reference's own text, by their names."""
        own = {one.name: one.own for one in self.free}
        return {one.name: one.text for one in self.taken or () if one.text != own[one.name]}


EXACT = Policy()


def _merged(groups: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The groups, those that share a text as one.

    >>> _merged([("a", "b"), ("c", "d"), ("b", "e"), ("b", "b")])
    (('c', 'd'), ('a', 'b', 'e'))
    """
    merged: list[tuple[str, ...]] = []
    for group in groups:
        shared = [one for one in merged if not set(one).isdisjoint(group)]
        rest = [one for one in merged if one not in shared]
        merged = [*rest, tuple(dict.fromkeys(text for one in (*shared, group) for text in one))]
    return tuple(merged)


def _with_parts(text: str, parts: Sequence[tuple[str, str]]) -> str:
    for part, other in parts:
        text = text.replace(part, other)
    return text
