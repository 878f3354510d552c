"""The contents of a handout: the task in the instructor's words, rules, texts, samples, and what may differ."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import UsageError
from pitboss.kits.choices import permitted_choices, rules_with_other_features
from pitboss.kits.data_files import data_files_of, declaration_file_of
from pitboss.kits.excerpts import HandoutRule, handout_rules, sessions_for, with_new_rules
from pitboss.kits.fixed_texts import FixedText, fixed_texts_of
from pitboss.kits.kit_commands import commands_for
from pitboss.kits.leeway import choice_sentences, leeway_sentences, requirement_sentences
from pitboss.kits.markup import code_span, fenced, joined_in_sentence
from pitboss.kits.samples import Sample, sample_name
from pitboss.model.relaxation import compares_pauses
from pitboss.model.transcript import ExitCode, Shown, Transcript

#: If more cases than this have the same exit code, only the first of them is named.
_MAX_NAMED = 4


class _StageNotes(msgspec.Struct, frozen=True):
    """The rules and texts of a stage in a handout."""

    rules: tuple[HandoutRule, ...]
    texts: tuple[FixedText, ...]
    #: The lines on standard error, if that is compared separately from the output.
    errors: tuple[FixedText, ...]


def handout_values(
    assignment: Assignment, samples: dict[str, tuple[Sample, ...]], files: Sequence[str], called: str
) -> dict[str, object]:
    """The values for the template of a handout.

    `samples` are by the name of the stage, `files` are the names of the sources, and `called` is the assignment's name
    on the command line.
    """
    required_stages = [stage for stage in assignment.stages if not stage.is_optional] or list(assignment.stages)
    policies = {stage.policy for stage in assignment.stages}
    is_one_policy = len(policies) == 1
    notes = _notes_by_stage(assignment)
    returns_0 = not any(case.exit_code for stage in assignment.stages for case in stage.spec.cases)
    all_samples = [sample for stage_samples in samples.values() for sample in stage_samples]
    return {
        "title": assignment.title,
        "text": _handout_text(assignment.handout),
        "files": files,
        "is_seeded": assignment.is_seeded,
        "draws": any(stage.reader for stage in assignment.stages),
        "is_checked": all(policy.checker is not None for policy in policies),
        "has_pauses": any(sample.has_pauses for sample in all_samples) and any(map(compares_pauses, policies)),
        "has_samples": bool(all_samples),
        "shows_pauses": any(sample.has_pauses for sample in all_samples),
        "leeway": (
            *(leeway_sentences(required_stages[-1].policy) if is_one_policy else ()),
            *choice_sentences(assignment.stages),
        ),
        "declared": declaration_file_of(assignment),
        "choices": permitted_choices(assignment.stages),
        "limits": required_stages[-1].limits,
        "returns_0": returns_0,
        "stages": [
            {
                **_stage_values(stage, samples[stage.name], notes[stage.name], has_own_policy=not is_one_policy),
                "exit_codes": "" if returns_0 else exit_codes_sentence(stage),
            }
            for stage in assignment.stages
        ],
        "code": code_span,
        "fenced": fenced,
        "commands": commands_for(required_stages, called),
    }


def _notes_by_stage(assignment: Assignment) -> Mapping[str, _StageNotes]:
    """The rules and texts of each stage."""
    notes: dict[str, _StageNotes] = {}
    for stage in with_new_rules(assignment.stages):
        sessions = () if stage.is_manual else sessions_for(stage)
        rules = (*handout_rules(stage, sessions), *rules_with_other_features(stage))
        # If standard error may have any text, the handout must not ask for the reference's text. The other texts become
        # transcripts, as if they were output, since `fixed_texts_of` takes transcripts.
        compared_errors = [session.errors for session in sessions if session.errors and not session.accepts_any_errors]
        error_transcripts = [Transcript((Shown(text),)) for text in compared_errors]
        notes[stage.name] = _StageNotes(
            rules, fixed_texts_of(sessions, stage.draws.values), fixed_texts_of(error_transcripts, stage.draws.values)
        )
    return notes


def _stage_values(
    stage: Stage, samples: tuple[Sample, ...], notes: _StageNotes, *, has_own_policy: bool
) -> dict[str, object]:
    return {
        "name": stage.name,
        "title": stage.title,
        "is_optional": stage.is_optional,
        "needs": joined_in_sentence(stage.needs),
        "count_of_needs": len(stage.needs),
        "text": _handout_text(stage.handout),
        "rules": notes.rules,
        "questions": [text for text in notes.texts if text.is_question],
        "texts": [text for text in notes.texts if not text.is_question],
        "errors": notes.errors,
        "leeway": leeway_sentences(stage.policy) if has_own_policy else (),
        "requirements": requirement_sentences(stage),
        "invocation": _invocation_sentences(stage),
        "files": data_files_of([stage]),
        "samples": samples,
    }


def exit_codes_sentence(stage: Stage) -> str:
    """A sentence on the exit codes of a stage's public cases; empty without such cases."""
    names_by_code: dict[ExitCode, list[str]] = {}
    for case in stage.spec.cases:
        if case.visibility == "public":
            names_by_code.setdefault(case.exit_code, []).append(f"“{sample_name(stage, case)}”")
    if not names_by_code:
        return ""
    if len(names_by_code) == 1:
        (code,) = names_by_code
        return f"Its exit code is compared: in the public cases it is {_exit_code_text(code)}."
    # Numbers come first, then "nonzero".
    nonzero_texts = [
        f"{_exit_code_text(code)} in "
        f"{joined_in_sentence(names) if len(names) <= _MAX_NAMED else f'{len(names)} cases such as {names[0]}'}"
        for code, names in sorted(names_by_code.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        if code
    ]
    zero = "0, but " if 0 in names_by_code else ""
    return f"Its exit code is compared: in the public cases it is {zero}{joined_in_sentence(nonzero_texts)}."


def _exit_code_text(code: ExitCode) -> str:
    return "any number but 0" if code == "nonzero" else str(code)


def _invocation_sentences(stage: Stage) -> tuple[str, ...]:
    """Sentences on the arguments, environment, files and standard error in a stage's public cases."""
    invocations = [stage.invocation, *(case.invocation for case in stage.spec.cases if case.visibility == "public")]
    given_files = dict.fromkeys(f"`{file.name}`" for invocation in invocations for file in invocation.files or ())
    replaceable_files = dict.fromkeys(
        f"`{file.name}`" for invocation in invocations for file in invocation.files or () if file.may_be_submitted
    )
    written_files = dict.fromkeys(f"`{output.name}`" for invocation in invocations for output in invocation.outputs)
    arguments = dict.fromkeys(shlex.join(invocation.arguments) for invocation in invocations if invocation.arguments)
    variables = dict.fromkeys(
        code_span(variable) for invocation in invocations for variable in invocation.shown_variables
    )
    sentences = [
        f"It is started with arguments, such as `{stage.name} {argument}`." for argument in list(arguments)[:1]
    ]
    if variables:
        sentences.append(f"In its environment it may find {joined_in_sentence(list(variables))}.")
    if given_files:
        sentences.append(f"It finds {joined_in_sentence(list(given_files))} in the folder where it runs.")
    if replaceable_files:
        sentences.append(f"You may hand in your own version of {joined_in_sentence(list(replaceable_files))}.")
    if written_files:
        files = joined_in_sentence(list(written_files))
        sentences.append(f"It writes {files} in the folder where it runs; the content is compared, too.")
    files_of_previous_runs = {
        name for invocation in invocations for run in invocation.runs_before for name in run.files
    }
    if files_of_previous_runs:
        names = joined_in_sentence([f"`{name}`" for name in sorted(files_of_previous_runs)])
        sentences.append(f"It may be run several times in one folder: then {names} is as the previous run left it.")
    if stage.invocation.stderr == "ignored":
        sentences.append("What it writes to its standard error does not matter.")
    elif stage.invocation.stderr == "compared":
        sentences.append("What it writes to its standard error is compared separately from its output.")
        error_cases = [
            case.name for case in stage.spec.cases if case.invocation.accepts_any_errors and case.visibility == "public"
        ]
        if error_cases:
            cases = joined_in_sentence([f"“{name}”" for name in error_cases])
            sentences.append(f"If something is wrong, as in {cases}, it reports the error there in words of your own.")
    return tuple(sentences)


def _handout_text(path: Path | None) -> str:
    """The text of an instructor's Markdown file; empty without a file."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the handout cannot be read: {error}") from error
