"""The comparison policy that an instructor sets: which differences are accepted. Data types only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from itertools import chain
from typing import Literal, NamedTuple

import msgspec

Strictness = Literal["exact", "ignored"]
#: In an alternative text: any text on the line, at most 30 characters without a colon, or none. If the alternative text
#: begins with it, a line begins there.
OWN_TEXT = "{text}"


class Ignorable(NamedTuple):
    """The words for a difference that a policy may ignore."""

    #: What the key of spec files decides.
    meaning: str
    #: What does not matter: in a sentence that explains a session, and in a handout.
    phrase: str
    handout_phrase: str


#: The fields of a policy whose value may be "ignored"; they are also keys of spec files.
IGNORABLE = {
    "pauses": Ignorable("whether pauses must be where the reference has them, and just as long", "pauses", "pauses"),
    "trailing_blanks": Ignorable(
        "whether blanks at the end of a line are compared, such as the carriage return of Windows",
        *("blanks at the ends of lines", "spaces at the ends of lines"),
    ),
    "blank_lines": Ignorable("whether empty lines are compared", "empty lines", "empty lines"),
    "blanks": Ignorable(
        "whether blanks and line ends are compared, or only separate words",
        *("blanks and line ends", "spaces and line ends, except one between two words,"),
    ),
    "letter_case": Ignorable("whether A and a are different", "capital letters", "upper and lower case"),
}
#: Where a free text is: a complete line, the end of a line, or the end of the last line when the program reads. An
#: `after` text comes after a typed line, where the reference shows nothing.
FreeKind = Literal["line", "end_of_line", "prompt", "after"]


class FreeText(msgspec.Struct, frozen=True):
    """A text of the reference that a program may replace by any other text, the same each time."""

    name: str
    #: The reference's text, without a newline. For `after`: the end of the line of the screen that comes before the
    #: program's text, including typed input.
    text: str
    kind: FreeKind
    may_be_missing: bool = False
    #: The maximum number of lines that a program's text may have.
    lines: int = 1
    #: Whether the numbers in a program's text, and the line typed before it, may differ each time the text is shown.
    numbers_vary: bool = False
    #: Other texts of the reference, free or not, that a program's text may equal although their meaning is different.
    may_equal: tuple[str, ...] = ()
    #: Other texts of the reference that a program may replace by its text for this free text, sometimes or always.
    synonyms: tuple[str, ...] = ()
    #: When the reference shows the text, as a clause after "When" in the handout. Empty if the text makes that clear.
    when: str = ""
    #: Where the free text is defined, as file:line.
    place: str = ""

    @property
    def reference_text(self) -> bytes:
        """The text that the reference shows; empty for `after`."""
        return b"" if self.kind == "after" else self.text.encode()

    def may_equal_text_of(self, other: FreeText) -> bool:
        """Whether a program may show one text for this free text and for another one."""
        return other.text in (*self.may_equal, *self.synonyms) or self.text in (*other.may_equal, *other.synonyms)

    def has_common_synonym(self, other: FreeText) -> bool:
        """Whether a program may show its text for either free text instead of its text for the other one."""
        return not {self.text, *self.synonyms}.isdisjoint((other.text, *other.synonyms))


class AcceptedText(msgspec.Struct, frozen=True):
    """The text that a submission shows for a free text."""

    name: str
    #: The submission's text: empty if the text is omitted; None if an empty line next to the text is omitted, too.
    text: bytes | None
    #: Whether a session of the submission showed a text for the free text; if not, `text` is the reference's text.
    is_seen: bool = True


class Tolerance(msgspec.Struct, frozen=True):
    """How far a number may be from the expected number: the larger of two distances is permitted."""

    #: A permitted distance.
    within: Decimal = Decimal(0)
    #: A permitted distance, as a share of the expected number.
    relative: Decimal = Decimal(0)
    #: Regular expressions: the tolerance applies to expected lines that match one of them; if empty, to all lines.
    lines: tuple[str, ...] = ()


class Checker(msgspec.Struct, frozen=True):
    """A function or a command that decides whether a session is correct, instead of the comparison."""

    #: `module:function`, as for a reference; empty if the checker is a command.
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
    #: its other texts may be missing. Texts other than the first may contain `OWN_TEXT`.
    alternatives: tuple[tuple[str, ...], ...] = ()
    #: Regular expressions: lines that match one of them are ignored on both sides.
    not_judged: tuple[str, ...] = ()
    #: Regular expressions: where the reference shows a matching line, a program may show any line.
    free_lines: tuple[str, ...] = ()
    #: Regular expressions: where the reference shows a line that matches one of them, a program may show any line that
    #: matches the same one.
    matches: tuple[str, ...] = ()
    #: Regular expressions: neighbouring expected lines that match one of them may come in any order.
    any_order: tuple[str, ...] = ()
    #: The tolerances of numbers; the first tolerance that applies to a line is used.
    numbers: tuple[Tolerance, ...] = ()
    #: The checker that decides instead of the comparison; None if texts are compared.
    checker: Checker | None = None
    #: A regular expression: output before the first matching line is ignored on both sides.
    begins: str = ""
    free: tuple[FreeText, ...] = ()
    #: Texts with a different meaning, which a program must not show for a free text.
    reserved: tuple[str, ...] = ()
    #: The submission's texts for the free texts, in all its sessions; None if these texts are read from each session.
    accepted_texts: tuple[AcceptedText, ...] | None = None

    @property
    def ignored(self) -> tuple[str, ...]:
        """The names of the fields whose value is "ignored"."""
        return tuple(name for name in IGNORABLE if getattr(self, name) == "ignored")

    @property
    def has_line_rules(self) -> bool:
        """Whether the policy accepts a line, or a number in it, that differs from the expected one."""
        return bool(self.free_lines or self.matches or self.numbers or self.any_order)

    @property
    def looks_ahead(self) -> bool:
        """Whether normalizing the beginning of a session may depend on its end."""
        return bool(self.free or self.begins or self.not_judged or self.has_line_rules)

    def with_ignored_fields(self, names: Iterable[str]) -> Policy:
        """Return the policy that ignores these fields too."""
        return msgspec.structs.replace(self, **dict.fromkeys(names, "ignored"))

    def with_free_line(self, pattern: str) -> Policy:
        """Return the policy that also allows anything in lines that match a regular expression."""
        return msgspec.structs.replace(self, free_lines=(*self.free_lines, pattern))

    def with_replaced_texts(self, replacements: Sequence[tuple[str, str]]) -> Policy:
        """Return the policy for a reference with other texts.

        `replacements` are pairs of a substring of the reference's texts and the substring that replaces it; they are
        applied in order.
        """
        if not replacements:
            return self

        def changed(*texts: str) -> tuple[str, ...]:
            return tuple(reduce(lambda text, pair: text.replace(*pair), replacements, text) for text in texts)

        free = tuple(
            msgspec.structs.replace(
                each, text=changed(each.text)[0], may_equal=changed(*each.may_equal), synonyms=changed(*each.synonyms)
            )
            for each in self.free
        )
        return msgspec.structs.replace(self, free=free, reserved=changed(*self.reserved))

    def with_accepted_texts(self, texts: Mapping[str, bytes | None]) -> Policy:
        """Return the policy for a submission that shows these free texts, and the reference's texts for all others."""
        accepted = (
            AcceptedText(free_text.name, texts[free_text.name])
            if free_text.name in texts
            else AcceptedText(free_text.name, free_text.reference_text, is_seen=False)
            for free_text in self.free
        )
        text_by_name = {free_text.name: free_text.text for free_text in self.free} | {
            name: text.decode("utf-8", "surrogateescape") for name, text in texts.items() if text
        }
        # For each synonym of a free text, these texts may replace one another: the synonym as the reference shows it,
        # the submission's text for it if the synonym is a free text too, and the submission's text for the free text.
        # A line is replaced only as a whole: it may begin another text.
        text_by_reference_text = {free_text.text: text_by_name[free_text.name] for free_text in self.free}
        groups = _merged_groups(
            [
                tuple(
                    f"{each}\n" if free_text.kind == "line" else each
                    for each in (text, text_by_reference_text.get(text, text), text_by_name[free_text.name])
                )
                for free_text in self.free
                for text in free_text.synonyms
            ]
        )
        return msgspec.structs.replace(self, accepted_texts=tuple(accepted), alternatives=(*self.alternatives, *groups))

    @property
    def changed_free_texts(self) -> dict[str, bytes | None]:
        """The submission's texts that differ from the reference's text for the same free text, by name."""
        reference_texts = {free_text.name: free_text.reference_text for free_text in self.free}
        return {
            accepted.name: accepted.text
            for accepted in self.accepted_texts or ()
            if accepted.text != reference_texts[accepted.name]
        }


EXACT = Policy()


def _merged_groups(groups: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Returns the groups, after merging groups that share a text.

    >>> _merged_groups([("a", "b"), ("c", "d"), ("b", "e"), ("b", "b")])
    (('c', 'd'), ('a', 'b', 'e'))
    """
    merged: list[tuple[str, ...]] = []
    for group in groups:
        overlapping = [earlier_group for earlier_group in merged if not set(earlier_group).isdisjoint(group)]
        others = [earlier_group for earlier_group in merged if earlier_group not in overlapping]
        merged = [*others, tuple(dict.fromkeys(chain.from_iterable((*overlapping, group))))]
    return tuple(merged)
