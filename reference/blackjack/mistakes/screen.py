"""Mistakes in what the screen shows: the table, the hole card, blanks and empty lines, the pauses."""

from __future__ import annotations

import re

from reference.blackjack.betting import FIRST_PROMPT, QUIT_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.mistakes.changes import ALL, DEALT, MONEY, PLAYED, Change, MistakeEntry
from reference.blackjack.table import TEXT_OF_CARD
from reference.console import Console
from reference.consoles import (
    Wrapper,
    answering,
    apply_to_text,
    pausing_after,
    pausing_once_shown,
    pausing_unless,
    replacing,
    substituting,
    unflushed,
)

#: The stages that read their input word by word and ask for more than the seed.
_STAGES_READING_WORDS = ("deal", "play", "betting")
_PROMPTS = (FIRST_PROMPT, HIT_OR_STAND)
_SUITS = "♣♦♥♠"
#: A score above 21.
_BUST_SCORE = re.compile(r"\b(?:2[2-9]|[3-9][0-9])\b")
#: The number of each card as text, by the text that the right program prints for the card.
_NUMBER_OF_CARD = {text: str(card) for card, text in TEXT_OF_CARD.items()}


def _bust_scores_as_zero(text: str) -> str:
    """The final scores with 0 for each score above 21; other texts as they are."""
    return _BUST_SCORE.sub("0", text) if text.startswith("\nFinal scores") else text


def _cards_as_numbers(text: str) -> str:
    """The lines of a text with cards as numbers; a text without a newline (the prompt) as it is."""
    return "".join(f"{_NUMBER_OF_CARD.get(line, line)}\n" for line in text.splitlines()) if "\n" in text else text


def _repeat_prompts(console: Console) -> Console:
    """A console that shows each of these prompts twice, as a program does that reads a left-over newline in between."""
    for prompt in _PROMPTS:
        console = replacing(prompt, prompt * 2)(console)
    return console


def _console_mistake(id_: str, stages: tuple[str, ...], wrapper: Wrapper) -> MistakeEntry:
    """A mistake that changes texts or pauses on their way to the console."""
    return MistakeEntry(id_, stages, Change(consoles=(wrapper,)))


def _rules_mistake(id_: str, stages: tuple[str, ...], **fields: object) -> MistakeEntry:
    """A mistake that changes these fields of the rules."""
    return MistakeEntry(id_, stages, Change(rules=fields))


SCREEN = (
    _rules_mistake("first-card-hidden", PLAYED, hidden_card=0),
    _rules_mistake("hole-shown", PLAYED, hidden_card=-1),
    _rules_mistake("hole-never-shown", PLAYED, reveals_hole=False),
    _rules_mistake("table-not-shown-again", PLAYED, shows_table_before_dealer=False),
    _console_mistake("line-after-table", DEALT, substituting(r"( Player Dealer\n(?:\|.*\|\n)+)", r"\1\n")),
    _console_mistake("no-first-blank-line", DEALT, replacing("\n Player Dealer", " Player Dealer")),
    _console_mistake("header-without-blank", DEALT, replacing(" Player Dealer", "Player Dealer")),
    _console_mistake("header-with-trailing-blank", DEALT, replacing("Player Dealer\n", "Player Dealer \n")),
    _console_mistake("rows-with-trailing-blank", DEALT, substituting(r"^(\|.*\|)$", r"\1 ")),
    _console_mistake("ten-too-wide", DEALT, substituting(r"10([♣♦♥♠])", r" 10\1")),
    _console_mistake("ten-too-wide-list", ("shuffle",), substituting(r"^10", " 10")),
    _console_mistake("one-written-for-ace", ALL, substituting(r" A([♣♦♥♠])", r" 1\1")),
    _console_mistake(
        "suits-swapped",
        ALL,
        # The outermost change is made first.
        lambda console: substituting("♥", "@")(substituting("♠", "♥")(substituting("@", "♠")(console))),
    ),
    _console_mistake(
        "suits-as-letters",
        ALL,
        lambda console: replacing("♣", "C")(replacing("♦", "D")(replacing("♥", "H")(replacing("♠", "S")(console)))),
    ),
    _console_mistake("prompt-with-newline", DEALT, replacing("[h/s] ", "[h/s] \n")),
    _console_mistake("prompt-without-blank", DEALT, replacing("[h/s] ", "[h/s]")),
    _console_mistake("seed-without-blank", ALL, replacing("Seed: ", "Seed:")),
    _console_mistake("no-line-before-scores", PLAYED, replacing("\nFinal scores", "Final scores")),
    _console_mistake("scores-swapped", PLAYED, substituting(r"Player (\d+), Dealer (\d+)\.", r"Player \2, Dealer \1.")),
    _console_mistake("no-final-newline-result", ("play",), substituting(r"(Player wins!|Dealer wins!)\n", r"\1")),
    _console_mistake("win-without-mark", PLAYED, substituting(r"wins!", "wins.")),
    _console_mistake("bust-as-busted", PLAYED, replacing("busts!", "busted!")),
    _rules_mistake("no-pauses", DEALT, pause_s=0),
    _rules_mistake("pauses-of-1s", DEALT, pause_s=1),
    _rules_mistake("pauses-of-3s", DEALT, pause_s=3),
    _rules_mistake("pauses-of-2000s", DEALT, pause_s=2000),
    _rules_mistake("pauses-of-2ms", DEALT, pause_s=0.002),
    _console_mistake("pauses-before-all", DEALT, unflushed),
    _console_mistake("pauses-after", DEALT, pausing_after("Dealer")),
    _console_mistake("no-pause-before-bust", PLAYED, pausing_unless("Dealer busts")),
    _rules_mistake("table-after-double", MONEY, shows_table_after_double=True),
    _console_mistake("printed-as-numbers", ("shuffle",), apply_to_text(_cards_as_numbers)),
    _console_mistake("faces-not-padded", ALL, substituting(rf" ([2-9JQKA])([{_SUITS}])", r"\1\2")),
    _console_mistake("faces-padded-behind", ALL, substituting(rf" ([2-9JQKA])([{_SUITS}])", r"\1 \2")),
    _console_mistake("rows-of-player", DEALT, substituting(r"^\|      \|.*\|\n", "")),
    _console_mistake("rows-of-shorter-hand", DEALT, substituting(r"^(?:\|      \|.*\||\|.*\|      \|)\n", "")),
    _console_mistake("pause-after-hits", DEALT, pausing_after("Dealer hits")),
    _console_mistake("pause-after-table", DEALT, pausing_once_shown("Dealer hits")),
    _console_mistake("no-pause-before-standing", DEALT, pausing_unless("Dealer stands")),
    _console_mistake("no-pause-before-hits", DEALT, pausing_unless("Dealer hits")),
    _console_mistake("pause-before-hits-only", PLAYED, pausing_unless("Dealer stands", "Dealer busts")),
    _console_mistake("newline-asks-again", _STAGES_READING_WORDS, _repeat_prompts),
    _console_mistake("newline-stands", _STAGES_READING_WORDS, answering(_PROMPTS, "s")),
    _console_mistake("newline-plays-on", ("betting",), answering((QUIT_PROMPT,), "c")),
    _console_mistake("bust-not-said", PLAYED, replacing("Player busts!\n", "")),
    _console_mistake("hits-not-said", DEALT, replacing("Dealer hits.\n", "")),
    _console_mistake("bust-scores-zero", PLAYED, apply_to_text(_bust_scores_as_zero)),
    _console_mistake("winner-before-scores", PLAYED, substituting(r"\A(\nFinal scores.*\n)(.*\n)", r"\2\1")),
    _console_mistake("push-says-play-again", MONEY, replacing("Push!\n", "Push! Play again.\n")),
)
