"""The sample sessions of a handout: recorded cases as the reference runs them now.

If there are too few recorded cases, sessions of other cases are added.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice

import msgspec

from pitboss.assignments.assignment import Case, Recorded, Stage
from pitboss.experiments.hunting.examples import examples_of
from pitboss.kits.verification import run_reference_on
from pitboss.model.quoting import readable
from pitboss.model.transcript import Paused, Transcript
from pitboss.reports.plain import plain_session
from pitboss.sessions.drivers import expected_run_here
from pitboss.unseeded.reader import rule_counts

#: The maximum number of samples.
_MAX_SAMPLES = 3
#: If there are fewer recorded cases than this, sessions of other cases are added.
_MIN_SAMPLES = 2
#: The maximum number of sessions from which the added ones are chosen.
_MAX_EXAMPLES = 60
#: The maximum number of lines of an additional sample.
_MAX_LINES = 45
#: How long to collect examples, in seconds: each example takes long if the reference is a command.
_COLLECTING_S = 3.0


class Sample(msgspec.Struct, frozen=True):
    """A session shown in the handout."""

    name: str
    text: str
    has_pauses: bool
    transcript: Transcript
    #: Standard error, without the final newline, if it is compared separately; else empty.
    errors: str = ""

    @property
    def exit_code(self) -> int:
        return self.transcript.ending.exit_code


def samples_of(stage: Stage) -> tuple[Sample, ...]:
    """The first recorded public cases of a stage, as the reference runs them now.

    If there are too few, sessions of other public cases are added.
    """
    samples = _recorded_samples(stage)
    return samples if len(samples) >= _MIN_SAMPLES else (*samples, *_other_samples(stage, samples))


def _other_samples(stage: Stage, samples: Sequence[Sample]) -> list[Sample]:
    """Short sessions of other cases, each chosen to add the most traits that the samples so far lack.

    If there are neither samples nor short sessions: the shortest of the long sessions.
    """
    covered = {trait for sample in samples for trait in _traits_of(stage, sample.transcript)}
    names = {sample.name for sample in samples}
    additional_samples: list[Sample] = []
    examples = sorted(quick_public_sessions(stage), key=lambda example: len(example[1].text))
    candidates = [
        (case, transcript)
        for case, transcript in examples
        if sample_name(stage, case) not in names and transcript.text.count(b"\n") <= _MAX_LINES
    ]
    if not samples and not candidates:  # a long session is better than none
        return [_sample(stage, *example) for example in examples[:1]]

    def rank_of(candidate: tuple[Case, Transcript]) -> tuple[int, int]:
        _, transcript = candidate
        return len(_traits_of(stage, transcript) - covered), -len(transcript.text)

    while candidates and len(samples) + len(additional_samples) < _MAX_SAMPLES:
        case, transcript = max(candidates, key=rank_of)
        new_traits = _traits_of(stage, transcript) - covered
        if not new_traits and len(samples) + len(additional_samples) >= _MIN_SAMPLES:
            break
        covered |= new_traits
        candidates = [(other, session) for other, session in candidates if other is not case]
        additional_samples.append(_sample(stage, case, transcript))
    return additional_samples


def _traits_of(stage: Stage, transcript: Transcript) -> set[tuple[str, object]]:
    """The traits of a session by which samples are chosen.

    The traits are the rules that applied, the exit code, and whether anything is on standard error.
    """
    rules = {("rule", name) for name, count in rule_counts(stage, transcript.events).items() if count}
    return {*rules, ("exit code", transcript.ending.exit_code), ("standard error", bool(transcript.errors))}


def sample_name(stage: Stage, case: Case) -> str:
    """A case's name, with its command line if its program takes arguments or its standard input is a file."""
    invocation, started = case.invocation, case.invocation.started
    command = (started.command_line(stage.name) if started else "") or stage.name
    return case.name if invocation.arguments is None and not invocation.input_file else f"{case.name} ({command})"


def _sample(stage: Stage, case: Case, transcript: Transcript) -> Sample:
    return Sample(
        sample_name(stage, case),
        plain_session(transcript.events),
        any(isinstance(event, Paused) for event in transcript.events),
        transcript,
        readable(transcript.errors or b"").removesuffix("\n"),
    )


def _recorded_samples(stage: Stage) -> tuple[Sample, ...]:
    run = expected_run_here(stage)
    recorded = [case for case in stage.spec.cases if isinstance(case.session, Recorded) and case.visibility == "public"]
    samples = []
    for case in recorded[:_MAX_SAMPLES]:
        assert isinstance(case.session, Recorded)
        samples.append(
            _sample(stage, case, run_reference_on(stage, case.session.events, run, invocation=case.invocation))
        )
    return tuple(samples)


def quick_public_sessions(stage: Stage) -> list[tuple[Case, Transcript]]:
    """The first sessions of public cases that can be run within a few seconds, as pairs of case and transcript."""
    deadline = time.monotonic() + _COLLECTING_S
    examples = []
    for example in islice(examples_of(stage), _MAX_EXAMPLES):
        examples.append(example)
        if time.monotonic() > deadline:
            break
    return examples
