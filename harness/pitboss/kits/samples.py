"""Sessions that a handout shows: recorded cases as the reference runs them now, and others where these are few."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from itertools import islice

import msgspec

from pitboss.assignments.assignment import Recorded, Stage
from pitboss.experiments.hunting.examples import examples_of
from pitboss.kits.verification import retold
from pitboss.model.transcript import Event, Paused, Transcript
from pitboss.reports.plain import plain_session
from pitboss.sessions.drivers import expected_run_here
from pitboss.unseeded.reader import rules_met

_MOST_SAMPLES, _FEW_SAMPLES, _MOST_EXAMPLES = 3, 2, 60
#: The most lines of an additional sample.
_SHORT = 45
#: How many seconds to run examples for: a reference that is a command takes long for each.
_LOOKING_S = 3.0


class Sample(msgspec.Struct, frozen=True):
    """A session shown in the handout."""

    name: str
    text: str
    has_pauses: bool
    transcript: Transcript


def samples_of(stage: Stage) -> tuple[Sample, ...]:
    """The first recorded cases of a stage as the reference runs them now, and others if there are few of these."""
    samples = _recorded_samples(stage)
    return samples if len(samples) >= _FEW_SAMPLES else (*samples, *_other_samples(stage, samples))


def _other_samples(stage: Stage, samples: Sequence[Sample]) -> list[Sample]:
    """Short sessions of other cases: those that show most rules that the samples do not show yet."""
    shown = {name for sample in samples for name in _rules_in(stage, sample.transcript.events)}
    names = {sample.name for sample in samples}
    found: list[Sample] = []
    others = sorted(some_sessions(stage), key=lambda one: len(one[1].text))
    left = [
        (name, transcript)
        for name, transcript in others
        if name not in names and transcript.text.count(b"\n") <= _SHORT
    ]
    if not samples and not left:  # a long one is better than none
        return [_sample(*one) for one in others[:1]]
    while left and len(samples) + len(found) < _MOST_SAMPLES:
        name, transcript = max(left, key=lambda one: (len(_rules_in(stage, one[1].events) - shown), -len(one[1].text)))
        new = _rules_in(stage, transcript.events) - shown
        if not new and len(samples) + len(found) >= _FEW_SAMPLES:
            break
        shown |= new
        left = [one for one in left if one[0] != name]
        found.append(_sample(name, transcript))
    return found


def _rules_in(stage: Stage, events: Sequence[Event]) -> set[str]:
    return {name for name, count in rules_met(stage, events).items() if count}


def _sample(name: str, transcript: Transcript) -> Sample:
    return Sample(
        name,
        plain_session(transcript.events),
        any(isinstance(event, Paused) for event in transcript.events),
        transcript,
    )


def _recorded_samples(stage: Stage) -> tuple[Sample, ...]:
    run = expected_run_here(stage)
    recorded = [case for case in stage.spec.cases if isinstance(case.session, Recorded) and case.visibility == "public"]
    samples = []
    for case in recorded[:_MOST_SAMPLES]:
        assert isinstance(case.session, Recorded)
        name = (
            f"{case.name} ({shlex.join((stage.name, *case.invocation.arguments))})"
            if case.invocation.arguments
            else case.name
        )
        samples.append(_sample(name, retold(stage, case.session.events, run, invocation=case.invocation)))
    return tuple(samples)


def some_sessions(stage: Stage) -> list[tuple[str, Transcript]]:
    """Sessions of public cases, each a pair of the case's name and the transcript."""
    until = time.monotonic() + _LOOKING_S
    found = []
    for name, events in islice(examples_of(stage), _MOST_EXAMPLES):
        found.append((name, Transcript(tuple(events))))
        if time.monotonic() > until:
            break
    return found
