"""The free texts that a submission is likely to show: learned from a few sessions, so that the others need not be read.

Reading a text from a session takes many comparisons; if the text is known, one is enough. Likely texts decide nothing
by themselves: a session that they do not explain is read, and in the end all are judged by one set of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pitboss.compare.side_outputs import first_difference
from pitboss.compare.submission_texts import ObservedSession, texts_in
from pitboss.model.comparison_policy import Policy
from pitboss.model.free_texts import names_in
from pitboss.model.transcript import Transcript

Texts = Mapping[str, bytes | None]
#: A text is read at first from this many sessions in which it comes up.
_FEW = 4


class Likely:
    """What a submission showed for free texts so far."""

    def __init__(self) -> None:
        """Start with the reference's own texts."""
        self._texts: dict[str, bytes | None] = {}
        #: By policy without texts.
        self._policies: dict[Policy, Policy] = {}

    @property
    def texts(self) -> Texts:
        """The texts that are likely."""
        return self._texts

    def know(self, texts: Texts) -> None:
        """Assume these texts from now on."""
        if any(name not in self._texts or self._texts[name] != text for name, text in texts.items()):
            self._texts |= texts
            self._policies.clear()

    def explain(self, expected: Transcript, actual: Transcript, policy: Policy) -> bool:
        """Whether two sessions are the same with the texts that are likely."""
        if policy not in self._policies:
            self._policies[policy] = policy.with_accepted_texts(self._texts)
        return first_difference(expected, actual, self._policies[policy]) is None

    def learn(self, expected: Transcript, actual: Transcript, policy: Policy) -> None:
        """Learn the texts of a session that is accepted with texts of its own."""
        self.know(texts_in([ObservedSession(policy, expected.events, actual.events)]))


def texts_of_all(seen: Sequence[ObservedSession], explain: Callable[[Texts], bool]) -> Texts:
    """Returns what a submission shows for each free text; `explain` says whether texts explain all sessions.

    They are read from the shortest sessions that show them, and from all if these texts do not explain all sessions.
    """
    few = _shortest(seen)
    if len(few) < len(seen):
        texts = texts_in(few, beside=seen)
        if has_all_of(texts, seen) and explain(texts):
            return texts
    return texts_in(seen)


def has_all_of(texts: Texts, seen: Sequence[ObservedSession]) -> bool:
    """Whether there is a text for each free text that comes up in these sessions."""
    return all(name in texts for session in seen for name in names_in(session.expected, session.policy.free))


def _shortest(seen: Sequence[ObservedSession]) -> list[ObservedSession]:
    """For each free text the shortest sessions in which it comes up."""
    counts: dict[str, int] = {}
    few = []
    for session in sorted(seen, key=lambda session: len(session.expected)):
        names = names_in(session.expected, session.policy.free)
        if any(counts.get(name, 0) < _FEW for name in names):
            few.append(session)
            counts |= {name: counts.get(name, 0) + 1 for name in names}
    return few
