"""What a kit shows of an assignment: sample sessions, files that programs read, and a sample of declared features.

The sample sessions are recorded cases as the reference runs them now; if there are too few, sessions of other cases.

rates.csv             a file of the stage, or else of a public case
features.sample.txt   a sample of features.txt, which is left out itself: it would declare features for the student
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import PurePath

import msgspec

from pitboss.assignments.assignment import Assignment, Case, Recorded, Stage
from pitboss.assignments.options import feature_names
from pitboss.errors import UsageError, as_found
from pitboss.experiments.hunting.questions import examples_of
from pitboss.kits.verification import run_reference_on
from pitboss.model.quoting import readable
from pitboss.model.transcript import Paused, Transcript
from pitboss.reports.screen import plain_session
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
#: The maximum number of lines of a file that a handout shows.
_MAX_FILE_LINES = 12


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

    If there are too few, short sessions of other public cases are added: each adds the most traits that the samples so
    far lack. If there are neither, the sample is the shortest of the long sessions.
    """
    samples = _recorded_samples(stage)
    if len(samples) >= _MIN_SAMPLES:
        return tuple(samples)
    examples = sorted(_quick_public_sessions(stage), key=lambda example: len(example[1].text))
    names = {sample.name for sample in samples}
    candidates = [
        (case, transcript)
        for case, transcript in examples
        if sample_name(stage, case) not in names and transcript.text.count(b"\n") <= _MAX_LINES
    ]
    if not samples and not candidates:
        return tuple(_sample(stage, *example) for example in examples[:1])
    covered = {trait for sample in samples for trait in _traits_of(stage, sample.transcript)}

    def rank_of(candidate: tuple[Case, Transcript]) -> tuple[int, int]:
        _, transcript = candidate
        return len(_traits_of(stage, transcript) - covered), -len(transcript.text)

    while candidates and len(samples) < _MAX_SAMPLES:
        case, transcript = max(candidates, key=rank_of)
        new_traits = _traits_of(stage, transcript) - covered
        if not new_traits and len(samples) >= _MIN_SAMPLES:
            break
        covered |= new_traits
        candidates = [(other, session) for other, session in candidates if other is not case]
        samples.append(_sample(stage, case, transcript))
    return tuple(samples)


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


def _recorded_samples(stage: Stage) -> list[Sample]:
    run = expected_run_here(stage)
    recorded = [(case, case.session.events) for case in stage.spec.public_cases if isinstance(case.session, Recorded)]
    return [
        _sample(stage, case, run_reference_on(stage, events, run, invocation=case.invocation))
        for case, events in recorded[:_MAX_SAMPLES]
    ]


def _quick_public_sessions(stage: Stage) -> list[tuple[Case, Transcript]]:
    """The first sessions of public cases that can be run within a few seconds, as pairs of case and transcript."""
    deadline = time.monotonic() + _COLLECTING_S
    examples = []
    for example in islice(examples_of(stage), _MAX_EXAMPLES):
        examples.append(example)
        if time.monotonic() > deadline:
            break
    return examples


class DataFile(msgspec.Struct, frozen=True):
    """A text file of a kit."""

    name: str
    text: str

    @property
    def form(self) -> str:
        """The first lines of the file; a line with … replaces the omitted lines."""
        lines = self.text.splitlines()
        return "\n".join(lines if len(lines) <= _MAX_FILE_LINES else [*lines[:_MAX_FILE_LINES], "…"])


class DeclarationFile(msgspec.Struct, frozen=True):
    """The file in which a submission declares its features."""

    name: str
    #: A sample of the file, which declares all features.
    sample: DataFile
    #: The names of the features that a program's user requests by typing a key; a submission may declare its own key.
    with_keys: tuple[str, ...]


def data_files_of(stages: Sequence[Stage]) -> tuple[DataFile, ...]:
    """The text files that programs of these stages read; of files with equal names, the first."""
    invocations = [stage.invocation for stage in stages]
    invocations += [case.invocation for stage in stages for case in stage.spec.public_cases]
    files: dict[str, DataFile] = {}
    input_files = [invocation.input_file for invocation in invocations if invocation.input_file is not None]
    for file in (*(file for invocation in invocations for file in invocation.files or ()), *input_files):
        try:
            files.setdefault(file.name, DataFile(file.name, file.content.decode("utf-8")))
        except UnicodeDecodeError:
            continue
    return tuple(files.values())


def check_names(assignment: Assignment, data: Iterable[str], own: Iterable[str]) -> None:
    """Raises UsageError if the name of a data file is also the name of an `own` file of the kit, ignoring case."""
    own_names = {name.casefold(): name for name in own}
    for name in data:
        if name.casefold() in own_names:
            file, own_name = assignment.folder / "assignment.yaml", own_names[name.casefold()]
            raise UsageError(
                f"{file}: the sessions have a file {as_found(name)}, but the files for students include another "
                f"{own_name} — rename the file of the sessions"
            )


def declaration_file_of(assignment: Assignment) -> DeclarationFile | None:
    """The file in which submissions declare features, with a sample; None if the assignment has no `declared_in`."""
    if not assignment.declared_in:
        return None
    options = {option.name: option for stage in assignment.stages for option in stage.options if option.feature_rule}
    path = PurePath(assignment.declared_in)
    text = "".join(f"{word}\n" for word in feature_names(options.values()))
    sample = DataFile(f"{path.stem}.sample{path.suffix}", text)
    return DeclarationFile(path.name, sample, tuple(option.name for option in options.values() if option.key))
