"""Sentences on the known mistakes in a program: how certain they are, and how many failed sessions they explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitboss.compare.results import Diagnosis

#: With fewer sessions as evidence, a mistake is called possible rather than likely.
_MIN_SESSIONS = 4


class MistakeGroup(NamedTuple):
    """Mistakes that are reported together."""

    #: How certain the mistakes are, as the beginning of a sentence: "likely mistake".
    label: str
    #: The titles of the mistakes; several if no session distinguishes these mistakes.
    titles: tuple[str, ...]
    #: How many failed sessions the mistakes explain, in parentheses, and then the hints.
    rest: str


def mistake_groups(diagnosis: Sequence[Diagnosis]) -> list[MistakeGroup]:
    """Returns the mistakes of a stage in groups: first the mistakes that explain all failed sessions, as one group.

    Each mistake that explains only some failed sessions is a group of its own.
    """
    complete = [mistake for mistake in diagnosis if mistake.explains == mistake.of]
    partial = [mistake for mistake in diagnosis if mistake.explains != mistake.of]
    groups = [_complete_group(complete)] if complete else []
    return [
        *groups,
        *(
            MistakeGroup("something like", (mistake.title,), _evidence_and_hint("would explain", mistake))
            for mistake in partial
        ),
    ]


def _complete_group(mistakes: Sequence[Diagnosis]) -> MistakeGroup:
    """Returns the group of the mistakes that explain all failed sessions."""
    # The evidence for a mistake: failed sessions that it explains, and further sessions that confirmed it.
    is_likely = all(mistake.explains + mistake.tested >= _MIN_SESSIONS for mistake in mistakes)
    titles = tuple(mistake.title for mistake in mistakes)
    if len(mistakes) == 1:
        return MistakeGroup(
            "likely mistake" if is_likely else "possible mistake", titles, _evidence_and_hint("explains", mistakes[0])
        )
    hints = " ".join(dict.fromkeys(mistake.hint for mistake in mistakes))
    label = "likely one of these mistakes" if is_likely else "possibly one of these mistakes"
    return MistakeGroup(label, titles, f"({_count_clause('each explains', mistakes[0])}). {hints}")


def _evidence_and_hint(verb: str, mistake: Diagnosis) -> str:
    return f"({_count_clause(verb, mistake)}). {mistake.hint}"


def _count_clause(verb: str, mistake: Diagnosis) -> str:
    explains_all_of_several = mistake.explains == mistake.of and mistake.of > 1
    count = f"all {mistake.of}" if explains_all_of_several else f"{mistake.explains} of {mistake.of}"
    return f"{verb} {count} that failed"
