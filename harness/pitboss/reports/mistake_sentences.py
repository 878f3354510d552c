"""Sentences on known mistakes: how certain they are, which, and how many sessions they explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitboss.compare.results import Diagnosis

#: With fewer sessions as evidence, a mistake is only called possible.
_MIN_SESSIONS = 4


class MistakeGroup(NamedTuple):
    """Mistakes that are reported together."""

    #: How certain they are, as the beginning of a sentence: "likely mistake".
    label: str
    #: Their titles; several if no session distinguishes them.
    titles: tuple[str, ...]
    #: How many sessions they explain, and the hints, as sentences.
    rest: str


def mistake_groups(diagnosis: Sequence[Diagnosis]) -> list[MistakeGroup]:
    """Returns everything that is reported about the mistakes of a stage, in order."""
    full = [mistake for mistake in diagnosis if mistake.explains == mistake.of]
    partial = [mistake for mistake in diagnosis if mistake.explains != mistake.of]
    groups = [_full_group(full)] if full else []
    return [
        *groups,
        *(
            MistakeGroup("something like", (mistake.title,), _evidence_and_hint("would explain", mistake))
            for mistake in partial
        ),
    ]


def _full_group(full: Sequence[Diagnosis]) -> MistakeGroup:
    """The group of mistakes that explain all failed sessions."""
    is_likely = all(mistake.explains + mistake.tested >= _MIN_SESSIONS for mistake in full)
    titles = tuple(mistake.title for mistake in full)
    if len(full) == 1:
        return MistakeGroup(
            "likely mistake" if is_likely else "possible mistake", titles, _evidence_and_hint("explains", full[0])
        )
    hints = " ".join(dict.fromkeys(mistake.hint for mistake in full))
    label = "likely one of these mistakes" if is_likely else "possibly one of these mistakes"
    return MistakeGroup(label, titles, f"({_count_clause('each explains', full[0])}). {hints}")


def _evidence_and_hint(verb: str, mistake: Diagnosis) -> str:
    return f"({_count_clause(verb, mistake)}). {mistake.hint}"


def _count_clause(verb: str, mistake: Diagnosis) -> str:
    count = f"all {mistake.of}" if mistake.explains == mistake.of > 1 else f"{mistake.explains} of {mistake.of}"
    return f"{verb} {count} that failed"
