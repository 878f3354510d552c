"""Reads the features that a submission declares in a file, if the assignment provides for such a file."""

from __future__ import annotations

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import stage_features, with_declared_features
from pitboss.compare.results import StageReport, Verdict
from pitboss.model.words import shortlist
from pitboss.sessions.job import Job
from pitboss.submissions.sources import Source, declaration_in


def apply_declarations(
    job: Job, sources: dict[str, Source | None]
) -> tuple[Job, dict[str, StageReport], tuple[str, ...]]:
    """Return the job with the declared features, reports on stages whose feature is not declared, and notes.

    `sources` has the source of each stage. The reports are by stage; the notes are sentences for the student. A stage
    stays as it is without such a file, or if something is wrong in the file.
    """
    file_name, notes = job.assignment.declared_in, dict[str, None]()
    stages: list[Stage] = []
    reports: dict[str, StageReport] = {}
    for stage in job.stages:
        source = sources.get(stage.name) if file_name else None
        declaration = declaration_in(source.folder, file_name, stage) if source is not None else None
        stages.append(stage)
        if declaration is None:
            continue
        if declaration.problem:
            notes[declaration.problem] = None
            continue
        key_by_feature = dict(declaration.keys_by_feature)
        feature_texts = [f"{feature}, typed as {key}" if key else feature for feature, key in key_by_feature.items()]
        notes[f"{file_name} declares {shortlist(feature_texts) if feature_texts else 'no features'}."] = None
        undeclared_feature = next(
            (feature.name for feature in stage_features(stage) if feature.name not in key_by_feature), None
        )
        if undeclared_feature is not None:
            reason = f"{file_name} does not declare {undeclared_feature}."
            reports[stage.name] = StageReport(stage.name, stage.title, Verdict.NOT_OFFERED, reason=reason)
        stages[-1] = with_declared_features(stage, key_by_feature)
    return msgspec.structs.replace(job, stages=tuple(stages)), reports, tuple(notes)
