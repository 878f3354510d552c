"""The README of a bundle: how a student checks with it, and what it can and cannot check."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from pitboss.assignments.assignment import Assignment, Recorded, Stage
from pitboss.assignments.bundled import seed_of, seed_ranges_text
from pitboss.kits.bundles.specs import SpecFolder, is_run


def readme_of(assignment: Assignment, specs: SpecFolder, called: str) -> str:
    """The text of the README, for an assignment with only its public cases."""
    parts = [
        f"# {assignment.title}",
        _BEGIN,
        _commands(assignment, called),
        _checkable(assignment, specs.session_counts),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


_BEGIN = """\
`HANDOUT.md` describes the task. Write your programs in this folder. pitboss checks them here; it needs only what is in
this folder, and no network. If `pitboss --version` is not found, install it first, as your course describes."""


def _commands(assignment: Assignment, called: str) -> str:
    """The commands for checking, each with what it checks."""
    stages = [stage for stage in assignment.stages if not stage.is_optional] or list(assignment.stages)
    rows = [("make check", "everything")]
    rows += [(f"make check-{stage.name}", f"{stage.name} alone") for stage in assignment.stages]
    rows.append((f"pitboss check {stages[0].name} --assignment {shlex.quote(called)}", "the same without make"))
    if not assignment.ships_reference and (seed := _first_seed(stages[0])) is not None:
        rows.append((f"{rows[-1][0]} --seed {seed}", "one seed of those below"))
    width = max(len(row[0]) for row in rows)
    return "\n".join(
        ["## How to check", "", *(f"    {command.ljust(width)}   # {comment}" for command, comment in rows)]
    )


def _first_seed(stage: Stage) -> int | None:
    seeds = _seeds(stage)
    return next((seed for seed in seeds if seed > 0), next(iter(seeds), None))


def _seeds(stage: Stage) -> list[int]:
    """The seeds of a stage's sessions, in order, each once."""
    if not stage.is_seeded:
        return []
    seeds: set[int] = set()
    for case in stage.spec.cases:
        if isinstance(case.session, Recorded):
            seeds |= {seed} if (seed := seed_of(case)) is not None else set()
        else:
            seeds |= {seed for seed in case.session.seeds if seed is not None}
    return sorted(seeds)


def _checkable(assignment: Assignment, counts: Mapping[str, int]) -> str:
    """The section on what can be checked of each stage."""
    if assignment.ships_reference:
        possible = "any seed can be checked, and other lines" if assignment.is_seeded else "other lines can be checked"
        sentences = [
            f"The reference, a program that is right, comes with this folder. So {possible} than those of the cases: "
            f"{'`--seed`, ' if assignment.is_seeded else ''}`--answers`, and `pitboss hunt`."
        ]
    else:
        others = "Other seeds and other" if assignment.is_seeded else "Other"
        sentences = [
            "In `specs/` there are recorded sessions: what is typed and what a correct program shows. Your programs "
            f"are compared with these. {others} lines cannot be checked here, since the program that is right is not "
            "in this folder: `pitboss play`, `pitboss hunt` and `--answers` say so."
        ]
    lines = [f"- {_stage_line(assignment, stage, counts.get(stage.name, 0))}" for stage in assignment.stages]
    sentences += ["\n".join(lines), "Your course may run further sessions when it grades."]
    return "\n\n".join(["## What can be checked", *sentences])


def _stage_line(assignment: Assignment, stage: Stage, count: int) -> str:
    if not is_run(assignment, stage):
        reason = (
            "its programs draw at random, and only the reference can decide what is right then."
            if stage.reader
            else "a check of the course's own decides which of its sessions are right."
        )
        return f"{stage.name}: it is built, and the compiler's messages are shown. It is not run: {reason}"
    if not count:
        return f"{stage.name}: it is built. This folder has no session of it."
    sessions = "1 session" if count == 1 else f"{count:,} sessions"
    if stage.is_manual:
        return f"{stage.name}: its sessions are run and shown; it is graded manually."
    seeds = seed_ranges_text(_seeds(stage))
    return f"{stage.name}: {sessions}{f', with {seeds}' if seeds else ''}."
