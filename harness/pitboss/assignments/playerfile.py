"""Loads what is typed in cases: the `players:` mapping, lists of answers, and the `prompts:` that need lines."""

from __future__ import annotations

import re
from pathlib import Path

from pitboss.assignments import keys
from pitboss.assignments.answers import MisplacedMarkError, answers_from_items
from pitboss.assignments.assignment import Answers, Player, Prompt, PromptAnswers
from pitboss.assignments.names import function_in_module, function_named, is_module, printable_names, printable_texts
from pitboss.assignments.nodes import check_pattern, choice, items, mapping, named_entries, text, texts
from pitboss.assignments.yamlfile import Items, Node, Text
from pitboss.errors import SpecError, as_found
from pitboss.model.invocation import LONGEST_LINE

#: Classes of lines at any prompt, as patterns in which {} stands for a plain line, such as 5 or y.
_CLASSES = {
    "empty lines": "",
    "blanks only": r"\s+",
    "blanks before": r"\s+{}\s*",
    "blanks after": r"\s*{}\s+",
    "several words": r"{}\s+\S.*",
    "longer words": r"{}[A-Za-z]+",
    "other words": r"(?i:(?!{})\w+)",
    "end of input": "\0",
}
#: Further classes at a prompt for numbers. A number beyond an int or a long is a small one in its lowest bits,
#: and int() of Python reads groups of digits.
_NUMBERS = {
    "plus signs": r"\s*\+\d+\s*",
    "minus signs": r"\s*-\d+\s*",
    "leading zeros": r"\s*[+-]?0\d+\s*",
    "decimals": r"\s*[+-]?\d+\.\d+\s*",
    "digit groups": r"\s*[+-]?\d+_\d+\s*",
    "beyond an int": r"429496(?:729[6-9]|73\d\d)",
    "beyond a long": r"1844674407370955\d{4}",
}


def prompts_in(node: Node | None, defaults: tuple[Prompt, ...] = ()) -> tuple[Prompt, ...]:
    """Returns the prompts in a `prompts:` node, and those of `defaults` that it does not have; longer texts first."""
    prompts = {prompt.text: prompt for prompt in defaults}
    for name, value in named_entries(node, "prompts").entries.items() if node else ():
        entries = mapping(value, keys.PROMPT, f"prompt {as_found(name)}")
        classes = _classes_in(entries["lines"])
        names = {class_name: class_name for class_name in classes}
        reasons = named_entries(entries["not_typed"], "not_typed").entries if "not_typed" in entries else {}
        untyped = [item for listed in reasons.values() for item in items(listed, "not_typed")]
        not_typed = frozenset(choice(item, "an item of not_typed", names) for item in untyped)
        prompts[name] = Prompt(name, tuple(classes.items()), not_typed, value.place)
    return tuple(sorted(prompts.values(), key=lambda prompt: -len(prompt.text)))


def _classes_in(node: Node) -> dict[str, str]:
    """Returns the pattern of each class of lines in a `lines:` node."""
    if isinstance(node, Text):
        own = choice(node, "lines", {"numbers": _NUMBERS})
        plain = r"[+-]?\d+"
    elif isinstance(node, Items) and node.items:
        answers = [text(item, "an item of lines") for item in node.items]
        plain = f"(?:{'|'.join(map(re.escape, answers))})"
        has_capitals = not {answer.swapcase() for answer in answers} <= {*answers}
        own = {"capitals": rf"\s*(?!{plain}\s*$)(?i:{plain})\s*"} if has_capitals else {}
    else:
        patterns = named_entries(node, "lines").entries.items()
        return {name: check_pattern(text(value, name), value.place, as_found(name)) for name, value in patterns}
    return {"plain lines": plain, **{name: _CLASSES[name].replace("{}", plain) for name in _CLASSES}, **own}


def players_in(node: Node, folder: Path) -> dict[str, Player]:
    """Returns the players in a `players:` node, by name; `folder` is searched for the modules of their functions.

    An entry is a player with a function or with habits, or it lists functions of a module, each of them a player.
    """
    players: dict[str, Player] = {}
    for name, value in printable_names(node, "players").entries.items():
        label = f"player {as_found(name)}"
        if isinstance(value, Text):
            new_players = [Player(name, function_named(value, label, folder), place=value.place)]
        elif is_module(name) and all(isinstance(item, Text) for item in items(value, label)):
            functions = zip(printable_texts(value, f"a player of {name}"), items(value, label), strict=True)
            new_players = [
                Player(function, function_in_module(function, name, folder), place=item.place)
                for function, item in functions
            ]
        else:
            habits = tuple(map(_habit_in, items(value, label)))
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
