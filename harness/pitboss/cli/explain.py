"""`pitboss explain`: shows the expected session of a case, step by step."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.cases import Session, all_sessions_of, sessions_of
from pitboss.assignments.selection import public_stages, with_single_session
from pitboss.assignments.specfile import assignments_in
from pitboss.cli.common_options import Seed, answers_option, assignment_option, player_option, spec_folders
from pitboss.cli.completing import case_names, stage_names
from pitboss.cli.consoles import report_console
from pitboss.cli.resolving import loadable_of, resolve_assignment, select_stages
from pitboss.errors import UsageError, as_found, did_you_mean
from pitboss.reports.conversation import StepByStep


@click.command()
@click.argument("words", nargs=-1, metavar="[STAGE] [CASE]", shell_complete=stage_names)
@assignment_option
@click.option("--case", metavar="NAME", shell_complete=case_names, help="The case, named as for `pitboss check`.")
@click.option("--seed", type=Seed(), help="Explain a session with this seed.")
@answers_option
@player_option
@click.option("--hidden", "has_hidden", is_flag=True, help="Include hidden cases; not for students.")
def explain(
    words: tuple[str, ...],
    name: str | None,
    case: str | None,
    seed: int | None,
    answers: str | None,
    player: str | None,
    has_hidden: bool,
) -> int:
    """Show the expected session of a case, step by step.

    Shows what is printed, typed and drawn, and which rules apply. Without a CASE, lists the cases of the STAGE, or of
    all stages.
    """
    # Imported here, so that --help is fast.
    from pitboss.kits.walkthrough import walkthrough_of

    has_session_options = any(value is not None for value in (seed, answers, player))
    words, case = _split_words(words, case, name, has_session_options=has_session_options)
    assignment = resolve_assignment(name, words)
    stages = select_stages(assignment, words)
    if not has_hidden:
        stages = public_stages(stages)
    assignment_name = name or assignment.name
    if has_session_options:
        if case is not None:
            raise UsageError("a case cannot be combined with --seed, --answers or --player: give one or the other")
        if len(stages) != 1:
            names = ", ".join(stage.name for stage in stages)
            raise UsageError(f"--seed, --answers and --player need a stage: name one of {names}")
        (session, *_) = all_sessions_of(with_single_session(assignment, stages[0], seed, answers, player))
    elif case is None:
        _list_cases(assignment, stages, assignment_name)
        return 0
    else:
        session = _session_called(assignment, stages, case)
    report_console().print(StepByStep(walkthrough_of(assignment, session, assignment_name)), crop=False)
    return 0


def _split_words(
    words: tuple[str, ...], case: str | None, name: str | None, *, has_session_options: bool
) -> tuple[tuple[str, ...], str | None]:
    """Returns two values: the words that name a stage (one or none), and the case or None.

    `case` is the value of --case, and `name` that of --assignment. With `has_session_options` the session is described
    by options, so no word is a case. Raises UsageError for too many words.
    """
    if len(words) > 2 or (len(words) == 2 and (case is not None or has_session_options)):
        example = "pitboss explain STAGE 'CASE'"
        raise UsageError(f"too many arguments: give a stage and a case, in quotes if it has blanks, as in {example}")
    if len(words) == 2:
        return words[:1], words[1]
    if not words or case is not None or has_session_options or words[0] in _stage_names(name):
        return words, case
    return (), words[0]


def _stage_names(name: str | None) -> set[str]:
    """Returns the names of the stages of the assignment called `name`, or of all assignments if `name` is None."""
    candidates = (
        [resolve_assignment(name)] if name is not None else loadable_of(assignments_in(spec_folders())).values()
    )
    return {stage.name for assignment in candidates for stage in assignment.stages}


def _session_called(assignment: Assignment, stages: Sequence[Stage], name: str) -> Session:
    """Returns the session of this name, or the first session of the case of this name.

    Raises UsageError unless exactly one of the stages has such a session.
    """
    sessions = {stage.name: session for stage in stages if (session := _session_of_stage(stage, name)) is not None}
    if len(sessions) == 1:
        return next(iter(sessions.values()))
    if sessions:
        stage = next(iter(sessions))
        example = f"pitboss explain {stage} {shlex.quote(name)}"
        raise UsageError(f"{name}: {' and '.join(sessions)} have a case of this name; name the stage, as in {example}")
    names = list(dict.fromkeys(case.name for stage in stages for case in stage.spec.cases))
    label = stages[0].name if len(stages) == 1 else assignment.name
    listing = f"pitboss explain {stages[0].name}" if len(stages) == 1 else "pitboss explain"
    raise UsageError(f"{label} has no case {as_found(name)}{did_you_mean(name, names)} — {listing} lists its cases")


def _session_of_stage(stage: Stage, name: str) -> Session | None:
    """Returns a stage's session of this name, or the first session of its case of this name; None if it has neither."""
    matching = [session for session in all_sessions_of(stage) if name in (session.name, session.case.name)]
    if matching:
        return matching[0]
    # In a stage with a reader, the sessions of a case are numbered (“NAME #2”), and there may be any number of them.
    is_numbered = any(name.startswith(f"{case.name} #") for case in stage.spec.cases)
    return sessions_of(stage, (name,))[0] if is_numbered and stage.reader else None


def _list_cases(assignment: Assignment, stages: Sequence[Stage], assignment_name: str) -> None:
    """List the cases of stages with the rules they exercise, and an example of the command."""
    click.echo(f"{assignment.title}. The cases that can be explained:")
    for stage in stages:
        click.echo(f"\n{stage.name}: {stage.title}")
        for case in stage.spec.cases:
            rules = f" — {'; '.join(case.rules)}" if case.rules else ""
            click.echo(f"  {case.name}{rules}")
    first_case = next(((stage.name, case.name) for stage in stages for case in stage.spec.cases), None)
    if first_case is not None:
        stage_name, case_name = first_case
        example = f"pitboss explain {stage_name} {shlex.quote(case_name)} --assignment {shlex.quote(assignment_name)}"
        click.echo(f"\nFor example: {example}")
