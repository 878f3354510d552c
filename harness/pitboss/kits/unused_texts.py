"""Finds free texts of an assignment that its references never show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pitboss.assignments.assignment import Generated, Recorded, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.options import settings_near, with_setting
from pitboss.assignments.players import input_script_of
from pitboss.errors import HarnessError, as_found
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.free_texts import names_in
from pitboss.model.scripts import script_of_lines
from pitboss.model.transcript import Event, Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import ExpectedRun

#: How often the sessions are run with a reader, since a text may be rare if programs draw at random.
_ROUNDS = 8
#: The position of a free text of each kind, after "no session of a reference has it".
_POSITIONS = {
    "line": "as a whole line",
    "end_of_line": "at the end of a line",
    "prompt": "where the program reads a line",
    "after": "at the end of a line with typed input",
}


def unused_free_text_sentences(stages: Sequence[Stage]) -> list[str]:
    """A sentence on each free text that the stages' references never show, with any values of the stages' options."""
    policies = [policy for stage in stages for policy in (stage.policy, *(case.policy for case in stage.spec.cases))]
    unused = {text: None for policy in policies for text in policy.free}
    variants = [*stages, *(variant for stage in stages for variant in _variants(stage))]
    for number in range(_ROUNDS):
        for variant in variants:
            # Without a reader, further rounds would only repeat the sessions of the first.
            if unused and (variant.reader or number == 0):
                for policy, events in _sessions(variant):
                    unused = {text: None for text in unused if text not in _free_texts_in(policy, events)}
                    if not unused:
                        return []
    return [
        f"{text.place}: the free text {as_found(text.name)} is {as_found(text.text)}, and no session of a reference "
        f"has it {_POSITIONS[text.kind]}"
        for text in unused
    ]


def _free_texts_in(policy: Policy, events: tuple[Event, ...]) -> list[FreeText]:
    names = names_in(events, policy.free)
    return [text for text in policy.free if text.name in names]


def _variants(stage: Stage) -> Iterator[Stage]:
    """Variants of the stage: with each tolerated reference, and with other values of its options."""
    yield from (msgspec.structs.replace(stage, reference=variant.reference) for variant in stage.tolerated)
    if stage.reader:
        yield from (with_setting(stage, setting) for setting in settings_near(stage.options))


def _sessions(stage: Stage) -> Iterator[tuple[Policy, tuple[Event, ...]]]:
    """Sessions of a stage's reference, each with the policy of its case, except sessions in which it fails."""
    expected_run, breaker = expected_run_here(stage), CircuitBreaker()
    for session in all_sessions_of(stage):
        try:
            yield session.case.policy, breaker.call(_events, session, expected_run)
        except HarnessError:
            continue


def _events(session: Session, expected_run: ExpectedRun) -> tuple[Event, ...]:
    """The events of a session of the reference; with a reader, a recorded session is returned as recorded."""
    match session.case.session:
        case Recorded(events):
            if session.stage.reader:
                return events
            script = script_of_lines(Transcript(events).lines)
        case Generated() as generated:
            script = input_script_of(generated, session.seed, session.case.place)
    return expected_run(script, invocation=session.case.invocation).events
