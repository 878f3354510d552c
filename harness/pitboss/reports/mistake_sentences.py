"""Sentences on known mistakes: how certain they are, which, and how many sessions they explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitboss.compare.results import Diagnosis

#: With fewer sessions as evidence, a mistake is only called possible.
_FEW = 4


class MistakeGroup(NamedTuple):
    """Mistakes that are reported together."""

    #: How certain they are, as the beginning of a sentence: "likely mistake".
    label: str
    #: Their titles; several if no session distinguishes them.
    titles: tuple[str, ...]
    #: How much they explain, and what to do, as sentences.
    rest: str


def mistake_groups(diagnosis: Sequence[Diagnosis]) -> list[MistakeGroup]:
    """Returns all that is reported about the mistakes of a stage, in order."""
    whole = [one for one in diagnosis if one.explains == one.of]
    near = [one for one in diagnosis if one.explains != one.of]
    found = [_whole_group(whole)] if whole else []
    return [*found, *(MistakeGroup("something like", (one.title,), _rest("would explain", one)) for one in near)]


def _whole_group(whole: Sequence[Diagnosis]) -> MistakeGroup:
    is_likely = all(one.explains + one.tested >= _FEW for one in whole)
    titles = tuple(one.title for one in whole)
    if len(whole) == 1:
        return MistakeGroup("likely mistake" if is_likely else "possible mistake", titles, _rest("explains", whole[0]))
    hints = " ".join(dict.fromkeys(one.hint for one in whole))
    label = "likely one of these mistakes" if is_likely else "possibly one of these mistakes"
    return MistakeGroup(label, titles, f"({_count('each explains', whole[0])}). {hints}")


def _rest(how: str, one: Diagnosis) -> str:
    return f"({_count(how, one)}). {one.hint}"


def _count(how: str, one: Diagnosis) -> str:
    count = f"all {one.of}" if one.explains == one.of > 1 else f"{one.explains} of {one.of}"
    return f"{how} {count} that failed"
