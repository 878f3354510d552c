"""The sample sessions of a handout: recorded cases as the reference runs them now.

If there are too few, sessions of other cases are added.
"""

from __future__ import annotations

import shlex
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

_MAX_SAMPLES, _FEW_SAMPLES, _MAX_EXAMPLES = 3, 2, 60
#: The maximum number of lines of an additional sample.
_SHORT = 45
#: How long to collect examples, in seconds: each takes long if the reference is a command.
_LOOKING_S = 3.0


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
        """The exit code of the session."""
        return self.transcript.ending.exit_code


def samples_of(stage: Stage) -> tuple[Sample, ...]:
    """The first recorded cases of a stage, as the reference runs them now, plus sessions of other cases if too few."""
    samples = _recorded_samples(stage)
    return samples if len(samples) >= _FEW_SAMPLES else (*samples, *_other_samples(stage, samples))


def _other_samples(stage: Stage, samples: Sequence[Sample]) -> list[Sample]:
    """Short sessions of other cases, chosen to add the most traits that the samples so far lack."""
    covered = {trait for sample in samples for trait in _traits_of(stage, sample.transcript)}
    names = {sample.name for sample in samples}
    chosen: list[Sample] = []
    others = sorted(some_sessions(stage), key=lambda session: len(session[1].text))
    left = [
        (case, transcript)
        for case, transcript in others
        if sample_name(stage, case) not in names and transcript.text.count(b"\n") <= _SHORT
    ]
    if not samples and not left:  # a long session is better than none
        return [_sample(stage, *other) for other in others[:1]]
    while left and len(samples) + len(chosen) < _MAX_SAMPLES:
        case, transcript = max(left, key=lambda pair: (len(_traits_of(stage, pair[1]) - covered), -len(pair[1].text)))
        new = _traits_of(stage, transcript) - covered
        if not new and len(samples) + len(chosen) >= _FEW_SAMPLES:
            break
        covered |= new
        left = [pair for pair in left if pair[0] is not case]
        chosen.append(_sample(stage, case, transcript))
    return chosen


def _traits_of(stage: Stage, transcript: Transcript) -> set[tuple[str, object]]:
    """The traits of a session by which samples are chosen.

    They are the rules that applied, the exit code, and whether anything is on standard error.
    """
    rules = {("rule", name) for name, count in rule_counts(stage, transcript.events).items() if count}
    return {*rules, ("exit code", transcript.ending.exit_code), ("standard error", bool(transcript.errors))}


def sample_name(stage: Stage, case: Case) -> str:
    """A case's name, with its command line if its program takes arguments."""
    arguments = case.invocation.arguments
    return case.name if arguments is None else f"{case.name} ({shlex.join((stage.name, *arguments))})"


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


def some_sessions(stage: Stage) -> list[tuple[Case, Transcript]]:
    """Sessions of public cases, each with its case."""
    until = time.monotonic() + _LOOKING_S
    found = []
    for example in islice(examples_of(stage), _MAX_EXAMPLES):
        found.append(example)
        if time.monotonic() > until:
            break
    return found
