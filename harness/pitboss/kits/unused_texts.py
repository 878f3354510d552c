"""Finding free texts of an assignment that its references never show, and so never match."""

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
from pitboss.model.scripts import typing
from pitboss.model.transcript import Event, Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import ExpectedRun

#: How often the sessions are run, since a text may be rare where programs draw at random.
_ROUNDS = 8
_WHERE = {
    "line": "as a whole line",
    "end_of_line": "at the end of a line",
    "prompt": "where it reads a line",
    "after": "with what is typed",
}


def idle_free_texts(stages: Sequence[Stage]) -> list[str]:
    """A sentence on each free text that no session of any reference shows, with any of its options."""
    policies = [policy for stage in stages for policy in (stage.policy, *(case.policy for case in stage.spec.cases))]
    left = {text: None for policy in policies for text in policy.free}
    variants = [*stages, *(variant for stage in stages for variant in _variants(stage))]
    for number in range(_ROUNDS):
        for variant in variants:
            if left and (variant.reader or number == 0):
                for policy, events in _sessions(variant):
                    left = {text: None for text in left if text not in _texts_in(policy, events)}
                    if not left:
                        return []
    return [
        f"{text.place}: the free text {as_found(text.name)} is {as_found(text.text)}, and no session of a reference "
        f"has it {_WHERE[text.kind]}"
        for text in left
    ]


def _texts_in(policy: Policy, events: tuple[Event, ...]) -> list[FreeText]:
    names = names_in(events, policy.free)
    return [text for text in policy.free if text.name in names]


def _variants(stage: Stage) -> Iterator[Stage]:
    """The stage with each tolerated reference, and with other features."""
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
    match session.case.session:
        case Recorded(events):
            if session.stage.reader:
                return events
            typed = typing(Transcript(events).lines)
        case Generated() as generated:
            typed = input_script_of(generated, session.seed, session.case.place)
    return expected_run(typed, invocation=session.case.invocation).events
