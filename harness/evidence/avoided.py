"""What never comes up in a program's sessions although it does in as many of the reference.

Each value may come as often as it should, and still one thing never: a program that draws again in place of a push has
none. No text shows that. So the reference plays the same sessions, with draws of its own. If the program's draws are as
good, each of the two is as likely to have a session in which the thing comes up, and that it came up in n sessions of
the reference and in none of the program has a chance of at most 2 ** -n (Fisher's exact test, with as many sessions of
each player on both sides).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pitboss.harness.assignments.assignment import Generated, Stage
from pitboss.harness.assignments.authored import Patience
from pitboss.harness.assignments.cases import Session
from pitboss.harness.assignments.players import input_script_of
from pitboss.harness.draws.drawn import DrawnSession
from pitboss.harness.draws.randomness import NEVER
from pitboss.harness.draws.reader import reader_of, rules_met
from pitboss.harness.errors import HarnessError
from pitboss.harness.evidence.showing import Held, parts
from pitboss.harness.evidence.wrong import Wrong
from pitboss.harness.running.references import ExpectedRun

#: What came up in none of the first of so many parts of the sessions is not looked for in the others.
_PARTS = 8


class Avoided:
    """What never came up in the sessions of a program that is right otherwise: rules, and wrong programs not shown."""

    def __init__(self, stage: Stage, rules: Sequence[str], wrong: Sequence[Wrong]) -> None:
        """These rules by name, and these wrong programs, of a stage under the setting of the program."""
        self._stage, self._rules, self._wrong = stage, list(rules), list(wrong)
        self._came: Counter[str] = Counter()

    def findings(self, sessions: Sequence[Session], reference: ExpectedRun) -> tuple[str, ...]:
        """A sentence on each that is no chance, where the program ran these sessions of the stage's cases.

        `reference` is run with draws of its own; empty if it cannot play the sessions.
        """
        sought = len(self._rules) + len(self._wrong)
        try:
            for start in range(_PARTS if sought else 0):
                self._play(sessions[start::_PARTS], reference)
                if start == 0:
                    self._rules = [name for name in self._rules if self._came[name]]
                    self._wrong = [one for one in self._wrong if self._came[one.title]]
        except HarnessError:
            return ()
        return tuple(
            f"{what} in {len(sessions):,} sessions, and in {came:,} of as many of the reference. Each value may come "
            "as often as it should; together they do not."
            for title, what in self._said()
            if sought * 0.5 ** (came := self._came[title]) < NEVER
        )

    def _said(self) -> list[tuple[str, str]]:
        rules = [(name, f"{name!r} never came up") for name in self._rules]
        return [*rules, *((one.title, f"What shows “{one.title}” never came up") for one in self._wrong)]

    def _play(self, sessions: Sequence[Session], reference: ExpectedRun) -> None:
        read, patience = reader_of(self._stage), Patience()
        for session in sessions if self._rules or self._wrong else ():
            case, generated = session.case, session.case.session
            assert isinstance(generated, Generated)
            transcript = reference(input_script_of(generated, None, case.place), invocation=case.invocation)
            met = patience.call(rules_met, self._stage, transcript.events) if self._rules else {}
            self._came.update(name for name in self._rules if met[name])
            reading = patience.call(read, transcript.events)
            if None not in reading.draws:
                held = Held(DrawnSession(session, transcript, reading), transcript)
                self._came.update(one.title for one in self._wrong if parts(one.run, held, self._stage.draws))
