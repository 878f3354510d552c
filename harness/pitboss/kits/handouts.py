"""The contents of a handout: the task in the instructor's words, rules, texts, samples, and what may differ."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import UsageError
from pitboss.kits.choices import permitted_choices, rules_with_other_features
from pitboss.kits.data_files import data_files_of, declared_of
from pitboss.kits.excerpts import HandoutRule, handout_rules, sessions_for, with_new_rules
from pitboss.kits.fixed_texts import FixedText, fixed_texts_of
from pitboss.kits.kit_commands import commands_for
from pitboss.kits.leeway import choices_of, leeway_of, requirements_of
from pitboss.kits.markup import code_span, fenced, listed
from pitboss.kits.samples import Sample, sample_name
from pitboss.model.relaxation import compares_pauses
from pitboss.model.transcript import ExitCode, Shown, Transcript


class _StageNotes(msgspec.Struct, frozen=True):
    """The parts of a handout about a stage besides its samples."""

    rules: tuple[HandoutRule, ...]
    texts: tuple[FixedText, ...]
    #: The lines on a standard error that is compared separately.
    errors: tuple[FixedText, ...]


def handout_values(
    assignment: Assignment, samples: dict[str, tuple[Sample, ...]], files: Sequence[str], called: str
) -> dict[str, object]:
    """The values for the template of a handout."""
    needed = [stage for stage in assignment.stages if not stage.is_optional] or list(assignment.stages)
    policies = {stage.policy for stage in assignment.stages}
    is_one_policy = len(policies) == 1
    notes = _notes_by_stage(assignment)
    returns_0 = not any(case.exit_code for stage in assignment.stages for case in stage.spec.cases)
    all_samples = [sample for stage_samples in samples.values() for sample in stage_samples]
    return {
        "title": assignment.title,
        "text": _text_of(assignment.handout),
        "files": files,
        "is_seeded": assignment.is_seeded,
        "draws": any(stage.reader for stage in assignment.stages),
        "is_checked": all(policy.checker is not None for policy in policies),
        "has_pauses": any(sample.has_pauses for sample in all_samples) and any(map(compares_pauses, policies)),
        "has_samples": bool(all_samples),
        "shows_pauses": any(sample.has_pauses for sample in all_samples),
        "leeway": (*(leeway_of(needed[-1].policy) if is_one_policy else ()), *choices_of(assignment.stages)),
        "declared": declared_of(assignment),
        "choices": permitted_choices(assignment.stages),
        "limits": needed[-1].limits,
        "returns_0": returns_0,
        "stages": [
            {
                **_stage_values(stage, samples[stage.name], notes[stage.name], has_own_policy=not is_one_policy),
                "exit_codes": "" if returns_0 else exit_codes_of(stage),
            }
            for stage in assignment.stages
        ],
        "code": code_span,
        "fenced": fenced,
        "commands": commands_for(needed, called),
    }


def _notes_by_stage(assignment: Assignment) -> Mapping[str, _StageNotes]:
    """The rules and texts of each stage."""
    notes: dict[str, _StageNotes] = {}
    for stage in with_new_rules(assignment.stages):
        sessions = () if stage.is_manual else sessions_for(stage)
        rules = (*handout_rules(stage, sessions), *rules_with_other_features(stage))
        # If any text is right on the standard error, the reference's must not be copied.
        fixed = [session.errors for session in sessions if session.errors and not session.has_any_errors]
        errors = [Transcript((Shown(text),)) for text in fixed]
        notes[stage.name] = _StageNotes(
            rules, fixed_texts_of(sessions, stage.draws.values), fixed_texts_of(errors, stage.draws.values)
        )
    return notes


def _stage_values(
    stage: Stage, samples: tuple[Sample, ...], notes: _StageNotes, *, has_own_policy: bool
) -> dict[str, object]:
    return {
        "name": stage.name,
        "title": stage.title,
        "is_optional": stage.is_optional,
        "needs": listed(stage.needs),
        "count_of_needs": len(stage.needs),
        "text": _text_of(stage.handout),
        "rules": notes.rules,
        "questions": [text for text in notes.texts if text.is_question],
        "texts": [text for text in notes.texts if not text.is_question],
        "errors": notes.errors,
        "leeway": leeway_of(stage.policy) if has_own_policy else (),
        "requirements": requirements_of(stage),
        "invocation": _invocation_of(stage),
        "files": data_files_of([stage]),
        "samples": samples,
    }


def exit_codes_of(stage: Stage) -> str:
    """A sentence on the exit codes of a stage's public cases; empty if it has none."""
    cases: dict[ExitCode, list[str]] = {}
    for case in stage.spec.cases:
        if case.visibility == "public":
            cases.setdefault(case.exit_code, []).append(f"“{sample_name(stage, case)}”")
    if len(cases) < 2:
        return "".join(f"Its exit code is compared: in the public cases it is {_in_words(code)}." for code in cases)
    others = [
        f"{_in_words(code)} in "
        f"{listed(names) if len(names) <= _MAX_NAMED else f'{len(names)} cases such as {names[0]}'}"
        for code, names in sorted(cases.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        if code
    ]
    zero = "0, but " if 0 in cases else ""
    return f"Its exit code is compared: in the public cases it is {zero}{listed(others)}."


def _in_words(code: ExitCode) -> str:
    return "any number but 0" if code == "nonzero" else str(code)


#: The maximum number of cases with an exit code that are named.
_MAX_NAMED = 4


def _invocation_of(stage: Stage) -> tuple[str, ...]:
    """Sentences on the arguments, files, environment and standard error of a stage's public cases."""
    invocations = [stage.invocation, *(case.invocation for case in stage.spec.cases if case.visibility == "public")]
    given = dict.fromkeys(f"`{file.name}`" for invocation in invocations for file in invocation.files or ())
    own = dict.fromkeys(
        f"`{file.name}`" for invocation in invocations for file in invocation.files or () if file.may_be_submitted
    )
    written = dict.fromkeys(f"`{output.name}`" for invocation in invocations for output in invocation.outputs)
    arguments = dict.fromkeys(shlex.join(invocation.arguments) for invocation in invocations if invocation.arguments)
    variables = dict.fromkeys(
        code_span(variable) for invocation in invocations for variable in invocation.shown_variables
    )
    sentences = [
        f"It is started with arguments, such as `{stage.name} {argument}`." for argument in list(arguments)[:1]
    ]
    sentences += [f"In its environment it may find {listed(list(variables))}."] if variables else []
    sentences += [f"It finds {listed(list(given))} in the folder where it runs."] if given else []
    sentences += [f"You may hand in your own version of {listed(list(own))}."] if own else []
    sentences += [f"It writes {listed(list(written))} there; its content is compared, too."] if written else []
    again = {name for invocation in invocations for run in invocation.runs_before for name in run.files}
    if again:
        names = listed([f"`{name}`" for name in sorted(again)])
        sentences.append(f"It may be run several times in one folder: then {names} is as the previous run left it.")
    if stage.invocation.stderr == "ignored":
        sentences.append("What it writes to its standard error does not matter.")
    elif stage.invocation.stderr == "compared":
        sentences.append("What it writes to its standard error is compared separately from its output.")
        anything = [
            case.name for case in stage.spec.cases if case.invocation.has_errors and case.visibility == "public"
        ]
        if anything:
            cases = listed([f"“{name}”" for name in anything])
            sentences.append(f"If something is wrong, as in {cases}, it says so there in words of your own.")
    return tuple(sentences)


def _text_of(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the handout cannot be read: {error}") from error
