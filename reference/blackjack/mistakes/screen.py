"""Mistakes on the screen: the table, the hole card, blanks and lines, the pauses."""

from __future__ import annotations

from reference.blackjack.mistakes.changes import ALL, DEALT, MONEY, PLAYED, Change, Known
from reference.consoles import PausingAfter, PausingUnlessBust, Wrapper, replacing, substituting


def _shown(id_: str, stages: tuple[str, ...], wrapper: Wrapper) -> Known:
    return Known(id_, stages, Change(consoles=(wrapper,)))


def _ruled(id_: str, stages: tuple[str, ...], **fields: object) -> Known:
    return Known(id_, stages, Change(rules=fields))


SCREEN = (
    _ruled("first-card-hidden", PLAYED, hidden_card=0),
    _ruled("hole-shown", PLAYED, hidden_card=-1),
    _ruled("hole-never-shown", PLAYED, reveals_hole=False),
    _ruled("table-not-shown-again", PLAYED, shows_table_again=False),
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
    _shown("pauses-after", DEALT, PausingAfter),
    _shown("no-pause-before-bust", PLAYED, PausingUnlessBust),
    _ruled("table-after-double", MONEY, shows_table_after_double=True),
)
