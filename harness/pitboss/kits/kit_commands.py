"""Commands that a handout names: each works in the folder of a kit."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pitboss.assignments.answers import answers_of, answers_text
from pitboss.assignments.assignment import Stage, Then
from pitboss.kits.samples import some_sessions


def commands_for(stages: Sequence[Stage], called: str) -> list[tuple[str, str]]:
    """Commands that work in the folder of a kit, and what each does."""
    first, last, option = stages[0], stages[-1], f"--assignment {shlex.quote(called)}"
    commands = [("make check", "everything: all public cases")]
    if len(stages) > 1:
        commands.append((f"pitboss check {first.name} {option}", f"{first.name} only"))
    game = _short_game(last)
    if game is not None:
        description = (
            "one run, with a seed and answers of your own" if last.is_seeded else "one run, with your own answers"
        )
        commands.append((f"pitboss check {last.name} {option} {game}", description))
    commands.append((f"pitboss hunt {last.name} {option}", "look for the shortest run that goes wrong"))
    seed = " --seed 7" if last.is_seeded else ""
    commands.append((f"pitboss play {last.name} {option}{seed}", "try out how it should behave"))
    width = max(len(command) for command, _ in commands)
    return [(command.ljust(width), description) for command, description in commands]


def _short_game(stage: Stage) -> str | None:
    """Options for a short run of a stage; None if its questions cannot be known in advance."""
    if stage.reader:
        return None
    games = []
    for _, transcript in some_sessions(stage):
        seed = transcript.lines[: stage.is_seeded]
        typed = answers_of(transcript.events, has_seed=stage.is_seeded)
        answers = answers_text(typed)
        is_good = answers is not None and typed.then is not Then.END
        if is_good and all(_is_seed(line) for line in seed) and (typed.lines or seed):
            seeds = "".join(f"--seed {int(line)} " for line in seed)
            games.append((not typed.lines, len(typed.lines), f"{seeds}--answers={shlex.quote(answers or '')}"))
    if not games:
        return None
    is_empty, _, game = min(games)
    return game.partition(" --answers")[0] if is_empty else game


def _is_seed(line: bytes) -> bool:
    text = line.decode("utf-8", "replace")
    return text.isascii() and text.isdigit() and int(text) < 1 << 31
