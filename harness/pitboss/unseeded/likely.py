"""The free texts that a submission is likely to show: learned from a few sessions, so that the others need not be read.

A free text is a text that a program may word freely: `compare: free`. Reading it from a session takes many comparisons.
If the text is known, one comparison is enough. Likely texts do not decide a verdict: a session that they do not explain
is read, and in the end all sessions are judged by one set of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pitboss.compare.comparison import Difference, first_difference
from pitboss.compare.submission_texts import ObservedSession, texts_in
from pitboss.model.comparison_policy import Policy
from pitboss.model.free_texts import names_in
from pitboss.model.transcript import Transcript

#: The submission's text for each free text, by the name of the free text; None if the submission shows nothing for it.
Texts = Mapping[str, bytes | None]
#: A text is read at first from this many of the sessions that show it.
_FIRST_SESSIONS = 4


class LikelyTexts:
    """The free texts that a submission showed so far."""

    def __init__(self) -> None:
        """Start without learned texts: only the reference's own are accepted."""
        self._texts: dict[str, bytes | None] = {}
        #: Policies with the likely texts, by the policy without them.
        self._policies: dict[Policy, Policy] = {}

    @property
    def texts(self) -> Texts:
        return self._texts

    def assume(self, texts: Texts) -> None:
        if any(name not in self._texts or self._texts[name] != text for name, text in texts.items()):
            self._texts |= texts
            self._policies.clear()

    def difference(self, expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
        """Return the first difference of two sessions if the likely texts are accepted; None if they are the same."""
        if policy not in self._policies:
            self._policies[policy] = policy.with_accepted_texts(self._texts)
        return first_difference(expected, actual, self._policies[policy])

    def learn(self, expected: Transcript, actual: Transcript, policy: Policy) -> None:
        """Learn the free texts of a session that is accepted with its own texts."""
        self.assume(texts_in([ObservedSession(policy, expected.events, actual.events)]))


def texts_of_all(sessions: Sequence[ObservedSession], explain_as_much: Callable[[Texts], bool]) -> Texts:
    """Returns the text that a submission shows for each free text, read from its sessions.

    The texts are read from the shortest sessions that show them; from all sessions if these texts explain less.
    `explain_as_much` returns whether texts explain all sessions that their own texts explain.
    """
    first_sessions = _shortest_sessions(sessions)
    if len(first_sessions) < len(sessions):
        texts = texts_in(first_sessions, other_sessions=sessions)
        if has_text_for_all(texts, sessions) and explain_as_much(texts):
            return texts
    return texts_in(sessions)


def has_text_for_all(texts: Texts, sessions: Sequence[ObservedSession]) -> bool:
    """Whether there is a text for each free text that comes up in these sessions."""
    return all(name in texts for session in sessions for name in names_in(session.expected, session.policy.free))


def _shortest_sessions(sessions: Sequence[ObservedSession]) -> list[ObservedSession]:
    """The sessions from which texts are read at first: for each free text, the shortest sessions that show it."""
    counts: dict[str, int] = {}
    first_sessions = []
    for session in sorted(sessions, key=lambda session: len(session.expected)):
        names = names_in(session.expected, session.policy.free)
        if any(counts.get(name, 0) < _FIRST_SESSIONS for name in names):
            first_sessions.append(session)
            counts |= {name: counts.get(name, 0) + 1 for name in names}
    return first_sessions
