"""The comparison policy that an instructor sets: which differences are accepted. Values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Literal

import msgspec

Strictness = Literal["exact", "ignored"]
#: What a policy may ignore: each is a field of it and a key of spec files, here with its meaning.
IGNORABLE = {
    "pauses": "whether pauses must be where the reference has them, and as long",
    "trailing_blanks": "whether blanks at the end of a line count",
    "blank_lines": "whether empty lines count",
    "blanks": "whether blanks and line ends count other than as separators of words",
    "letter_case": "whether A and a count as different",
}
#: Where a free text is: a whole line, the end of a line, or the last line when the program reads. An `after` text comes
#: after a typed line, where the reference shows nothing.
FreeKind = Literal["line", "end_of_line", "prompt", "after"]


class FreeText(msgspec.Struct, frozen=True):
    """A text of the reference for which a program may show any other, the same each time."""

    name: str
    #: The reference's text, without a newline. For `after`: the end of the screen line before it, typed input included.
    text: str
    kind: FreeKind
    may_be_missing: bool = False
    #: The maximum number of lines that a program's text may have.
    lines: int = 1
    #: Whether the numbers in it may differ each time it is shown; only for `after`.
    numbers_vary: bool = False
    #: Texts of the reference, free or not, that a program's text may equal although they mean something else.
    may_equal: tuple[str, ...] = ()
    #: Texts of the reference that a program may replace by its text for this one, sometimes or always.
    synonyms: tuple[str, ...] = ()
    #: When the reference shows it; the handout puts "When" before this. Empty if the text itself says when.
    when: str = ""
    #: Where it is defined, as file:line.
    place: str = ""

    @property
    def own(self) -> bytes:
        """The text that the reference shows; empty for `after`."""
        return b"" if self.kind == "after" else self.text.encode()


class AcceptedText(msgspec.Struct, frozen=True):
    """The text that a submission shows in place of a free text."""

    name: str
    #: Empty if the submission shows nothing there; None if it leaves out the empty line around the text too.
    text: bytes | None
    #: Whether some session showed it; else it is the reference's own text.
    is_seen: bool = True


class Tolerance(msgspec.Struct, frozen=True):
    """How far a number may be from the expected one; either of the two distances is enough."""

    within: Decimal = Decimal(0)
    #: As a share of the expected number.
    relative: Decimal = Decimal(0)
    #: Regular expressions: the tolerance applies to expected lines in which one is found, or to all if there are none.
    lines: tuple[str, ...] = ()


class Checker(msgspec.Struct, frozen=True):
    """A function or a command that decides whether a session is right, in place of the comparison."""

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
    #: Groups of interchangeable texts; the first of a group is shown for all of them. If a group has an empty text, the
    #: others may be left out.
    alternatives: tuple[tuple[str, ...], ...] = ()
    #: Regular expressions: lines in which one of them is found are left out on both sides.
    not_judged: tuple[str, ...] = ()
    #: Regular expressions: in place of a line of the reference in which one is found, a program may show any line.
    free_lines: tuple[str, ...] = ()
    #: Regular expressions: in place of a line in which one is found, a program may show any other in which it is found.
    matches: tuple[str, ...] = ()
    #: Regular expressions: neighbouring expected lines in which one of them is found may come in any order.
    any_order: tuple[str, ...] = ()
    #: How far numbers may be off. The first tolerance that applies to a line counts.
    numbers: tuple[Tolerance, ...] = ()
    #: Decides instead of these rules; None if texts are compared.
    checker: Checker | None = None
    #: A regular expression: output before the first line in which it is found is left out on both sides.
    begins: str = ""
    free: tuple[FreeText, ...] = ()
    #: Texts with a meaning of their own, which a program must not show in place of a free text.
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
        """Return the policy for a reference whose texts have these parts replaced, one pair after another."""
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
        """Return the policy for a submission that shows these free texts, and otherwise the reference's own."""
        accepted = (
            AcceptedText(one.name, texts[one.name])
            if one.name in texts
            else AcceptedText(one.name, one.own, is_seen=False)
            for one in self.free
        )
        by_name = {one.name: one.text for one in self.free} | {
            name: text.decode("utf-8", "surrogateescape") for name, text in texts.items() if text
        }
        # A synonym may itself be a free text, for which the submission shows its own.
        theirs = {one.text: by_name[one.name] for one in self.free}
        groups = _merged(
            [(text, theirs.get(text, text), by_name[one.name]) for one in self.free for text in one.synonyms]
        )
        return msgspec.structs.replace(self, accepted_texts=tuple(accepted), alternatives=(*self.alternatives, *groups))

    @property
    def texts(self) -> dict[str, bytes | None]:
        """The submission's free texts that differ from the reference's own, by name."""
        own = {one.name: one.own for one in self.free}
        return {one.name: one.text for one in self.accepted_texts or () if one.text != own[one.name]}


EXACT = Policy()


def _merged(groups: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Merges the groups that share a text.

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
