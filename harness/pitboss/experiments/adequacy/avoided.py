"""Finds events that never occur in a program's sessions, but do occur when the reference plays the same sessions.

An event is a rule that is reached, or a wrong program that a session shows.

Even if each value is drawn as often as it should be, some event may never occur: a program that draws again instead of
ending in a tie never ends in a tie. No single output shows that. So the reference plays the same sessions, with its own
draws. If the program's draws are as random as the reference's, each session in which the event occurs is equally likely
to be the program's or the reference's. So if it occurs in n sessions, the probability that all n are the reference's is
at most 2 ** -n (Fisher's exact test, with equally many sessions of each player on both sides).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pitboss.assignments.assignment import Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.errors import HarnessError
from pitboss.experiments.adequacy.exposure import AcceptedSession, WrongProgram
from pitboss.experiments.relation import run_in_session
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.randomness import NEVER
from pitboss.unseeded.reader import reader_of, rule_counts

#: The sessions are run in this many parts. A wrong program that the first part does not show is not tried in the
#: others; if no event occurs in the first part, the others are not run.
_PARTS = 8


def never_shown_sentences(
    stage: Stage,
    sessions: Sequence[Session],
    reference: ExpectedRun,
    rules: Sequence[str],
    wrong: Sequence[WrongProgram],
) -> tuple[str, ...]:
    """A sentence on each rule and wrong program that the sessions never showed, unless chance may be the reason.

    `sessions` are all sessions of a program that has the setting of `stage`. `reference` is run in the same sessions
    with its own draws; the result is empty if one of these runs fails.
    """
    read, breaker = reader_of(stage), CircuitBreaker()
    rules_by_sentence = {f"{name!r} never occurred": name for name in rules}
    programs_by_sentence = {f"A session that shows “{program.title}” never occurred": program for program in wrong}
    searched, occurrences = {*rules_by_sentence, *programs_by_sentence}, Counter[str]()

    def occurring_events(session: Session) -> Iterator[str]:
        """Run the reference in a session; yield the sentences on the events that occur."""
        transcript = run_in_session(reference, session)
        rule_occurrences = breaker.call(rule_counts, stage, transcript.events)
        reading = breaker.call(read, transcript.events)
        experiment = AcceptedSession(DrawnSession(session, transcript, reading), transcript).experiment(stage)
        yield from (sentence for sentence, name in rules_by_sentence.items() if rule_occurrences[name])
        # If some draws are unknown, it is unknown too what the wrong program would have done.
        for sentence, program in programs_by_sentence.items() if None not in reading.draws else ():
            if sentence in searched and experiment.differs(program.run):
                yield sentence

    try:
        for part in range(_PARTS):
            for session in sessions[part::_PARTS] if searched else ():
                occurrences.update(occurring_events(session))
            searched = {sentence for sentence in searched if occurrences[sentence]}
    except HarnessError:
        return ()
    return tuple(
        f"{sentence} in {len(sessions):,} sessions, but in {occurrences[sentence]:,} of as many sessions of the "
        "reference. Each value may be drawn as often as it should, but their combinations are not."
        for sentence in (*rules_by_sentence, *programs_by_sentence)
        # Times the number of events, since chance has that many opportunities to leave out an event.
        if (len(rules_by_sentence) + len(programs_by_sentence)) * 0.5 ** occurrences[sentence] < NEVER
    )
