"""Finds events that never occur in a program's sessions, but do occur in as many sessions of the reference.

Even if each value is drawn as often as it should be, some event may never occur: a program that draws again instead of
pushing never pushes. No output shows that. So the reference plays the same sessions, with its own draws. If the
program's draws are as good, each session in which the event occurs is equally likely to be the program's or the
reference's. So the chance that all n of these sessions are the reference's is at most 2 ** -n (Fisher's exact test,
with as many sessions of each player on both sides).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pitboss.assignments.assignment import Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.errors import HarnessError
from pitboss.experiments.adequacy.exposure import AcceptedSession, WrongProgram
from pitboss.experiments.relation import played
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.randomness import NEVER
from pitboss.unseeded.reader import reader_of, rule_counts

#: The sessions are run in this many parts; an event that does not occur in one part is not looked for in the next.
_PARTS = 8


def never_shown_sentences(
    stage: Stage,
    sessions: Sequence[Session],
    reference: ExpectedRun,
    rules: Sequence[str],
    wrong: Sequence[WrongProgram],
) -> tuple[str, ...]:
    """A sentence on each rule and wrong program that the sessions never showed, unless chance may explain that.

    `sessions` are all sessions of a program with the setting of `stage`. `reference` is run in the same sessions with
    its own draws; the result is empty if a run fails.
    """
    read, patience = reader_of(stage), CircuitBreaker()
    by_rule = {f"{name!r} never came up": name for name in rules}
    by_wrong = {f"What shows “{program.title}” never came up": program for program in wrong}
    searched, seen = {*by_rule, *by_wrong}, Counter[str]()

    def comes_up(session: Session) -> Iterator[str]:
        transcript = played(reference, session)
        rules_met = patience.call(rule_counts, stage, transcript.events)
        reading = patience.call(read, transcript.events)
        experiment = AcceptedSession(DrawnSession(session, transcript, reading), transcript).experiment(stage)
        yield from (sentence for sentence, name in by_rule.items() if rules_met[name])
        for sentence, program in by_wrong.items() if None not in reading.draws else ():
            if sentence in searched and experiment.differs(program.run):
                yield sentence

    try:
        for part in range(_PARTS):
            for session in sessions[part::_PARTS] if searched else ():
                seen.update(comes_up(session))
            searched = {sentence for sentence in searched if seen[sentence]}
    except HarnessError:
        return ()
    return tuple(
        f"{sentence} in {len(sessions):,} sessions, and in {seen[sentence]:,} of as many of the reference. Each value "
        "may come as often as it should; together they do not."
        for sentence in (*by_rule, *by_wrong)
        if (len(by_rule) + len(by_wrong)) * 0.5 ** seen[sentence] < NEVER
    )
