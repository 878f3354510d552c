"""Loads the `players:` mapping and lists of answers. Both supply the lines that are typed in generated cases."""

from __future__ import annotations

from pathlib import Path

from pitboss.assignments import keys
from pitboss.assignments.answers import MisplacedMarkError, answers_from_items
from pitboss.assignments.assignment import Answers, Player, PromptAnswers
from pitboss.assignments.names import function_in_module, function_named, is_module, printable_names, printable_texts
from pitboss.assignments.nodes import items, mapping, text, texts
from pitboss.assignments.yamlfile import Node, Text
from pitboss.errors import SpecError, as_found
from pitboss.model.scripts import LONGEST_LINE


def players_in(node: Node, folder: Path) -> dict[str, Player]:
    """Returns the players in a `players:` node, by name; `folder` is searched for the modules of their functions.

    An entry is a player with a function or with habits, or it lists functions of a module, each of them a player.
    """
    players: dict[str, Player] = {}
    for name, value in printable_names(node, "players").entries.items():
        if isinstance(value, Text):
            new_players = [Player(name, function_named(value, f"player {as_found(name)}", folder), place=value.place)]
        elif is_module(name) and all(isinstance(item, Text) for item in items(value, f"player {as_found(name)}")):
            new_players = [
                Player(function_name, function_in_module(function_name, name, folder), place=item.place)
                for function_name, item in zip(
                    printable_texts(value, f"a player of {name}"), items(value, f"player {as_found(name)}"), strict=True
                )
            ]
        else:
            habits = tuple(_habit_in(habit) for habit in items(value, f"player {as_found(name)}"))
            new_players = [Player(name, prompt_answers=habits, place=value.place)]
        for player in new_players:
            if player.name in players:
                raise SpecError(
                    f"{value.place}: player {as_found(player.name)} is listed twice — each player needs its own name"
                )
            players[player.name] = player
    return players


def _habit_in(node: Node) -> PromptAnswers:
    """Returns the habit of a player in a node: a prompt, and the answers that the player gives at this prompt."""
    entries = mapping(node, keys.HABIT, "a habit of a player")
    answers = answers_at(entries["answers"])
    if answers == Answers(()):
        raise SpecError(f"{entries['answers'].place}: answers is an empty list — give at least one answer")
    return PromptAnswers(text(entries["prompt"], "prompt"), answers, node.place)


def answers_at(node: Node) -> Answers:
    """Returns the answers in an `answers:` node, which is a list.

    Raises SpecError for a line that cannot be typed, and for a mark (`<eof>` or `...`) that is not the last item.
    """
    lines = texts(node, "answers")
    locations = [item.place for item in items(node, "answers")]
    try:
        answers = answers_from_items(lines)
    except MisplacedMarkError as error:
        raise SpecError(f"{locations[error.index]}: answers has {error}") from None
    for line, location in zip(answers.lines, locations, strict=False):
        check_typed(line, location)
    return answers


def check_typed(line: bytes, place: str) -> None:
    """Raise SpecError, with the location `place`, if a text is too long to type or has a newline in it."""
    if len(line) > LONGEST_LINE:
        raise SpecError(f"{place}: a typed line has {len(line)} bytes — a terminal takes at most {LONGEST_LINE}")
    if b"\n" in line:
        raise SpecError(f"{place}: a typed line has a newline in it — write it as two lines")
