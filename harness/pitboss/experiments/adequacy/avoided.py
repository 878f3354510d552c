"""What never comes up in a program's sessions although it does in as many of the reference.

Each value may come as often as it should, and still some event never: a program that draws again instead of pushing
never pushes. No text shows that. So the reference plays the same sessions, with draws of its own. If the program's
draws are as good, each session in which the event comes up is equally likely to be on either side. So the chance that
all n of them are the reference's is at most 2 ** -n (Fisher's exact test, with as many sessions of each player on both
sides).
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

#: The number of parts in which the sessions are run; a rule that a part does not show is not searched for in the next.
_PARTS = 8


def never_shown_sentences(
    stage: Stage,
    sessions: Sequence[Session],
    reference: ExpectedRun,
    rules: Sequence[str],
    wrong: Sequence[WrongProgram],
) -> tuple[str, ...]:
    """A sentence on each rule, and each wrong program, that never came up in these sessions, unless that is chance.

    `sessions` are all sessions of a program with the setting of `stage`. `reference` is run in them with draws of its
    own; the result is empty if that fails.
    """
    read, patience = reader_of(stage), CircuitBreaker()
    by_rule = {f"{name!r} never came up": name for name in rules}
    by_wrong = {f"What shows “{program.title}” never came up": program for program in wrong}
    left, came = {*by_rule, *by_wrong}, Counter[str]()

    def comes_up(session: Session) -> Iterator[str]:
        transcript = played(reference, session)
        met = patience.call(rule_counts, stage, transcript.events)
        reading = patience.call(read, transcript.events)
        experiment = AcceptedSession(DrawnSession(session, transcript, reading), transcript).experiment(stage)
        yield from (sentence for sentence, name in by_rule.items() if met[name])
        for sentence, program in by_wrong.items() if None not in reading.draws else ():
            if sentence in left and experiment.differs(program.run):
                yield sentence

    try:
        for start in range(_PARTS):
            for session in sessions[start::_PARTS] if left else ():
                came.update(comes_up(session))
            left = {sentence for sentence in left if came[sentence]}
    except HarnessError:
        return ()
    return tuple(
        f"{sentence} in {len(sessions):,} sessions, and in {came[sentence]:,} of as many of the reference. Each value "
        "may come as often as it should; together they do not."
        for sentence in (*by_rule, *by_wrong)
        if (len(by_rule) + len(by_wrong)) * 0.5 ** came[sentence] < NEVER
    )
