"""The README of a bundle: how students check their programs, and what the bundle can and cannot check."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from pitboss.assignments.assignment import Assignment, Recorded, Stage
from pitboss.assignments.bundled import seed_of, seed_ranges_text
from pitboss.kits.bundles.specs import SpecFolder, is_run


def readme_of(assignment: Assignment, specs: SpecFolder, called: str, *, has_makefile: bool) -> str:
    """The text of the README; `assignment` has only its public cases, and `called` is its path in the bundle."""
    parts = [
        f"# {assignment.title}",
        _INTRODUCTION,
        _command_section(assignment, called, has_makefile=has_makefile),
        _checkable_section(assignment, specs.session_counts),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


_INTRODUCTION = """\
`HANDOUT.md` describes the task. Write your programs in this folder. pitboss checks them here; it needs only what is in
this folder, and no network. If `pitboss --version` is not found, install it first, as your course describes."""


def _command_section(assignment: Assignment, called: str, *, has_makefile: bool) -> str:
    stages = [stage for stage in assignment.stages if not stage.is_optional] or list(assignment.stages)
    option = f"--assignment {shlex.quote(called)}"
    check_command = f"pitboss check {stages[0].name} {option}"
    if has_makefile:
        rows = [("make check", "everything")]
        rows += [(f"make check-{stage.name}", f"{stage.name} alone") for stage in assignment.stages]
        rows.append((check_command, "the same without make"))
    else:
        rows = [(f"pitboss check {option}", "everything")]
        rows += [(f"pitboss check {stage.name} {option}", f"{stage.name} alone") for stage in assignment.stages]
    if not assignment.ships_reference and (seed := _first_seed(stages[0])) is not None:
        rows.append((f"{check_command} --seed {seed}", "one of the seeds below"))
    width = max(len(command) for command, _ in rows)
    return "\n".join(
        ["## How to check", "", *(f"    {command.ljust(width)}   # {comment}" for command, comment in rows)]
    )


def _first_seed(stage: Stage) -> int | None:
    """The lowest positive seed of a stage's sessions, else the lowest seed; None without seeds."""
    seeds = _seeds(stage)
    return next((seed for seed in seeds if seed > 0), next(iter(seeds), None))


def _seeds(stage: Stage) -> list[int]:
    """The seeds of a stage's sessions, sorted and without duplicates."""
    if not stage.is_seeded:
        return []
    seeds: set[int] = set()
    for case in stage.spec.cases:
        case_seeds = (seed_of(case),) if isinstance(case.session, Recorded) else case.session.seeds
        seeds |= {seed for seed in case_seeds if seed is not None}
    return sorted(seeds)


def _checkable_section(assignment: Assignment, counts: Mapping[str, int]) -> str:
    """The section on what can be checked of each stage."""
    if assignment.ships_reference:
        checkable_text = "any seed and any lines" if assignment.is_seeded else "any lines"
        sentences = [
            f"This folder includes the reference, a correct program. So {checkable_text} can be checked: "
            f"{'`--seed`, ' if assignment.is_seeded else ''}`--answers`, and `pitboss hunt`."
        ]
    else:
        lines_text = "Other seeds and other" if assignment.is_seeded else "Other"
        sentences = [
            "In `specs/` there are recorded sessions: what is typed and what a correct program shows. Your programs "
            f"are compared with these. {lines_text} lines cannot be checked here, since the correct program is not in "
            "this folder. `pitboss play`, `pitboss hunt` and `--answers` need that program."
        ]
    lines = [f"- {_stage_line(assignment, stage, counts.get(stage.name, 0))}" for stage in assignment.stages]
    sentences += ["\n".join(lines), "Your course may run further sessions when it grades."]
    return "\n\n".join(["## What can be checked", *sentences])


def _stage_line(assignment: Assignment, stage: Stage, count: int) -> str:
    """A sentence on what is checked of a stage; `count` is the number of its sessions in the bundle."""
    if not is_run(assignment, stage):
        reason = (
            "its programs draw at random, and only the reference can decide whether their output is right."
            if stage.reader
            else "the course's own checker decides which of its sessions are right."
        )
        return f"{stage.name}: it is built, and the compiler's messages are shown. It is not run: {reason}"
    if not count:
        return f"{stage.name}: it is built. This folder has no session of this stage."
    sessions = "1 session" if count == 1 else f"{count:,} sessions"
    if stage.is_manual:
        return f"{stage.name}: its sessions are run and shown; it is graded manually."
    seeds = seed_ranges_text(_seeds(stage))
    return f"{stage.name}: {sessions}{f', with {seeds}' if seeds else ''}."
