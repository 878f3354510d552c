"""The commands that a handout suggests; each works in the folder of a starter kit."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pitboss.assignments.answers import answers_of_session, format_answers
from pitboss.assignments.assignment import Stage, Then
from pitboss.assignments.keys import SEEDS
from pitboss.kits.samples import quick_public_sessions


def commands_for(stages: Sequence[Stage], called: str) -> list[tuple[str, str]]:
    """Commands for these stages, padded to one width, each with a description.

    `called` is the assignment's name on the command line.
    """
    first, last, option = stages[0], stages[-1], f"--assignment {shlex.quote(called)}"
    commands = [("make check", "everything: all public cases")]
    if len(stages) > 1:
        commands.append((f"pitboss check {first.name} {option}", f"{first.name} only"))
    options = _short_run_options(last)
    if options is not None:
        description = (
            "one run, with a seed and answers of your own" if last.is_seeded else "one run, with your own answers"
        )
        commands.append((f"pitboss check {last.name} {option} {options}", description))
    commands.append((f"pitboss hunt {last.name} {option}", "look for the shortest run that goes wrong"))
    seed = " --seed 7" if last.is_seeded else ""
    commands.append((f"pitboss play {last.name} {option}{seed}", "try out how it should behave"))
    width = max(len(command) for command, _ in commands)
    return [(command.ljust(width), description) for command, description in commands]


def _short_run_options(stage: Stage) -> str | None:
    """The options of `pitboss check` that repeat the shortest public session of a stage.

    None if the stage has a reader, so that its questions depend on draws, or if options can repeat no session.
    """
    if stage.reader:
        return None
    # Whether there are no answers, their number, and the options: the minimum is the shortest session with answers.
    candidates: list[tuple[bool, int, str]] = []
    for _, transcript in quick_public_sessions(stage):
        seed_lines = transcript.lines[:1] if stage.is_seeded else ()
        typed = answers_of_session(transcript.events, has_seed=stage.is_seeded)
        answers = format_answers(typed)
        can_be_typed = answers is not None and typed.then is not Then.END
        if can_be_typed and all(_is_seed(line) for line in seed_lines) and (typed.lines or seed_lines):
            seed_options = "".join(f"--seed {int(line)} " for line in seed_lines)
            candidates.append(
                (not typed.lines, len(typed.lines), f"{seed_options}--answers={shlex.quote(answers or '')}")
            )
    if not candidates:
        return None
    has_no_answers, _, options = min(candidates)
    return options.partition(" --answers")[0] if has_no_answers else options


def _is_seed(line: bytes) -> bool:
    """Whether a typed line is a number without a sign that `--seed` accepts."""
    _, highest_seed = SEEDS
    text = line.decode("utf-8", "replace")
    return text.isascii() and text.isdigit() and int(text) <= highest_seed
