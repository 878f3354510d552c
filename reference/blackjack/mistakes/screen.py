"""Mistakes on the screen: the table, the hole card, blanks and lines, the pauses."""

from __future__ import annotations

import re

from reference.blackjack.betting import FIRST_PROMPT, QUIT_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.mistakes.changes import ALL, DEALT, MONEY, PLAYED, Change, Known
from reference.blackjack.table import TEXTS
from reference.console import Console
from reference.consoles import (
    Wrapper,
    answering,
    pausing_after,
    pausing_once_shown,
    pausing_unless,
    replacing,
    showing,
    substituting,
    unflushed,
)

#: The stages that read word by word.
_BY_WORD = ("deal", "play", "betting")
_PROMPTS = (FIRST_PROMPT, HIT_OR_STAND)
_SUITS = "♣♦♥♠"
_BUST = re.compile(r"\b(?:2[2-9]|[3-9][0-9])\b")
_NUMBERS = {text: str(card) for card, text in TEXTS.items()}


def _bust_as_zero(text: str) -> str:
    return _BUST.sub("0", text) if text.startswith("\nFinal scores") else text


def _as_numbers(text: str) -> str:
    return "".join(f"{_NUMBERS.get(line, line)}\n" for line in text.splitlines()) if "\n" in text else text


def _twice(console: Console) -> Console:
    for prompt in _PROMPTS:
        console = replacing(prompt, prompt * 2)(console)
    return console


def _shown(id_: str, stages: tuple[str, ...], wrapper: Wrapper) -> Known:
    return Known(id_, stages, Change(consoles=(wrapper,)))


def _ruled(id_: str, stages: tuple[str, ...], **fields: object) -> Known:
    return Known(id_, stages, Change(rules=fields))


SCREEN = (
    _ruled("first-card-hidden", PLAYED, hidden_card=0),
    _ruled("hole-shown", PLAYED, hidden_card=-1),
    _ruled("hole-never-shown", PLAYED, reveals_hole=False),
    _ruled("table-not-shown-again", PLAYED, shows_table_again=False),
    _shown("line-after-table", DEALT, substituting(r"( Player Dealer\n(?:\|.*\|\n)+)", r"\1\n")),
    _shown("no-first-blank-line", DEALT, replacing("\n Player Dealer", " Player Dealer")),
    _shown("header-without-blank", DEALT, replacing(" Player Dealer", "Player Dealer")),
    _shown("header-with-trailing-blank", DEALT, replacing("Player Dealer\n", "Player Dealer \n")),
    _shown("rows-with-trailing-blank", DEALT, substituting(r"^(\|.*\|)$", r"\1 ")),
    _shown("ten-too-wide", DEALT, substituting(r"10([♣♦♥♠])", r" 10\1")),
    _shown("ten-too-wide-list", ("shuffle",), substituting(r"^10", " 10")),
    _shown("one-written-for-ace", ALL, substituting(r" A([♣♦♥♠])", r" 1\1")),
    _shown(
        "suits-swapped",
        ALL,
        lambda console: substituting("@", "♠")(substituting("♠", "♥")(substituting("♥", "@")(console))),
    ),
    _shown(
        "suits-as-letters",
        ALL,
        lambda console: replacing("♣", "C")(replacing("♦", "D")(replacing("♥", "H")(replacing("♠", "S")(console)))),
    ),
    _shown("prompt-with-newline", DEALT, replacing("[h/s] ", "[h/s] \n")),
    _shown("prompt-without-blank", DEALT, replacing("[h/s] ", "[h/s]")),
    _shown("seed-without-blank", ALL, replacing("Seed: ", "Seed:")),
    _shown("no-line-before-scores", PLAYED, replacing("\nFinal scores", "Final scores")),
    _shown("scores-swapped", PLAYED, substituting(r"Player (\d+), Dealer (\d+)\.", r"Player \2, Dealer \1.")),
    _shown("no-final-newline-result", ("play",), substituting(r"(Player wins!|Dealer wins!)\n", r"\1")),
    _shown("win-without-mark", PLAYED, substituting(r"wins!", "wins.")),
    _shown("bust-as-busted", PLAYED, replacing("busts!", "busted!")),
    _ruled("no-pauses", DEALT, pause_s=0),
    _ruled("pauses-of-1s", DEALT, pause_s=1),
    _ruled("pauses-of-3s", DEALT, pause_s=3),
    _ruled("pauses-of-2000s", DEALT, pause_s=2000),
    _ruled("pauses-of-2ms", DEALT, pause_s=0.002),
    _shown("pauses-before-all", DEALT, unflushed),
    _shown("pauses-after", DEALT, pausing_after("Dealer")),
    _shown("no-pause-before-bust", PLAYED, pausing_unless("Dealer busts")),
    _ruled("table-after-double", MONEY, shows_table_after_double=True),
    _shown("printed-as-numbers", ("shuffle",), showing(_as_numbers)),
    _shown("faces-not-padded", ALL, substituting(rf" ([2-9JQKA])([{_SUITS}])", r"\1\2")),
    _shown("faces-padded-behind", ALL, substituting(rf" ([2-9JQKA])([{_SUITS}])", r"\1 \2")),
    _shown("rows-of-player", DEALT, substituting(r"^\|      \|.*\|\n", "")),
    _shown("rows-of-shorter-hand", DEALT, substituting(r"^(?:\|      \|.*\||\|.*\|      \|)\n", "")),
    _shown("pause-after-hits", DEALT, pausing_after("Dealer hits")),
    _shown("pause-after-table", DEALT, pausing_once_shown("Dealer hits")),
    _shown("no-pause-before-standing", DEALT, pausing_unless("Dealer stands")),
    _shown("no-pause-before-hits", DEALT, pausing_unless("Dealer hits")),
    _shown("pause-before-hits-only", PLAYED, pausing_unless("Dealer stands", "Dealer busts")),
    _shown("newline-asks-again", _BY_WORD, _twice),
    _shown("newline-stands", _BY_WORD, answering(_PROMPTS, "s")),
    _shown("newline-plays-on", ("betting",), answering((QUIT_PROMPT,), "c")),
    _shown("bust-not-said", PLAYED, replacing("Player busts!\n", "")),
    _shown("hits-not-said", DEALT, replacing("Dealer hits.\n", "")),
    _shown("bust-scores-zero", PLAYED, showing(_bust_as_zero)),
    _shown("winner-before-scores", PLAYED, substituting(r"\A(\nFinal scores.*\n)(.*\n)", r"\2\1")),
    _shown("push-says-play-again", MONEY, replacing("Push!\n", "Push! Play again.\n")),
)
