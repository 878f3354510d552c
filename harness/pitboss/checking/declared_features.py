"""Reads the features that a submission declares in a file, if the assignment provides for that."""

from __future__ import annotations

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import features_of, with_declared_features
from pitboss.compare.results import StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.sessions.job import Job
from pitboss.submissions.declaration import declaration_in
from pitboss.submissions.sources import Source
from pitboss.submissions.submission import listed


def apply_declarations(
    job: Job, sources: dict[str, Source | None]
) -> tuple[Job, dict[str, StageReport], tuple[str, ...]]:
    """Return the job with stages as the submission declares them, reports on undeclared stages, and notes."""
    name, notes = job.assignment.declared_in, dict[str, None]()
    stages: list[Stage] = []
    reports: dict[str, StageReport] = {}
    for stage in job.stages:
        source = sources.get(stage.name) if name else None
        declaration = declaration_in(source.folder, name, stage) if source is not None else None
        stages.append(stage)
        if declaration is None:
            continue
        if declaration.problem:
            notes[declaration.problem] = None
            continue
        keys = dict(declaration.words)
        declarations = [f"{feature} with the key {key}" if key else feature for feature, key in keys.items()]
        notes[f"{name} declares {listed(declarations) if declarations else 'no features'}."] = None
        missing = next((feature.name for feature in features_of(stage) if feature.name not in keys), None)
        if missing is not None:
            reason = f"{name} does not declare {missing}."
            reports[stage.name] = StageReport(stage.name, stage.title, Verdict.NOT_OFFERED, reason=reason)
        stages[-1] = with_declared_features(stage, keys)
    return msgspec.structs.replace(job, stages=tuple(stages)), reports, tuple(notes)
