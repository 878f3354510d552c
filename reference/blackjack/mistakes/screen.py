"""Mistakes on the screen: the table, the hole card, blanks and lines, the pauses."""

from __future__ import annotations

from reference.blackjack.mistakes.changes import ALL, DEALT, MONEY, PLAYED, Change, Known
from reference.consoles import PausingAfter, PausingUnlessBust, Wrapper, replacing, substituting

_BRIEF = "the brief's sample sessions"
_EXACT = "Compare the line with the assignment's, character by character."
_SPACES = "Compare the line with the assignment's, space by space."
_LINES = "Compare your output with the assignment's, line by line."


def _shown(id_: str, title: str, hint: str, note: str, stages: tuple[str, ...], wrapper: Wrapper) -> Known:
    return Known(id_, title, hint, note, _BRIEF, stages, Change(consoles=(wrapper,)))


def _ruled(id_: str, title: str, hint: str, note: str, stages: tuple[str, ...], **fields: object) -> Known:
    return Known(id_, title, hint, note, _BRIEF, stages, Change(rules=fields))


_PAUSE = "Look at how long and where your program waits: the assignment says both."
SCREEN = (
    _ruled(
        "first-card-hidden",
        "the wrong card of the dealer is hidden",
        "Which of the dealer's cards lies face down?",
        "The first is hidden.",
        PLAYED,
        hidden_card=0,
    ),
    _ruled(
        "hole-shown",
        "the dealer's second card is shown from the beginning",
        "Which of the dealer's cards may the player see while playing?",
        "Nothing is hidden.",
        PLAYED,
        hidden_card=-1,
    ),
    _ruled(
        "hole-never-shown",
        "the hidden card is never shown",
        "When is the hidden card turned over?",
        "Stays ** to the end.",
        PLAYED,
        reveals_hole=False,
    ),
    _ruled(
        "table-not-shown-again",
        "the table is not shown before the dealer plays",
        "What does the player see when the hidden card is turned over?",
        "No table after the player's turn.",
        PLAYED,
        shows_table_again=False,
    ),
    _shown(
        "no-first-blank-line",
        "the empty line before the table is missing",
        _LINES,
        "The newline before the header.",
        DEALT,
        replacing("\n Player Dealer", " Player Dealer"),
    ),
    _shown(
        "header-without-blank",
        "the header begins one character too far left",
        _SPACES,
        "No leading blank.",
        DEALT,
        replacing(" Player Dealer", "Player Dealer"),
    ),
    _shown(
        "header-with-trailing-blank",
        "the header has a space at its end",
        _SPACES,
        "`Dealer `.",
        DEALT,
        replacing("Player Dealer\n", "Player Dealer \n"),
    ),
    _shown(
        "rows-with-trailing-blank",
        "the rows of the table have a space at their end",
        _SPACES,
        "`|` and a blank.",
        DEALT,
        substituting(r"^(\|.*\|)$", r"\1 "),
    ),
    _shown(
        "ten-too-wide",
        "a row with a 10 is one character too wide",
        "Look at rows with a 10: how many characters does a face take?",
        "A fixed blank before the face instead of a width of two.",
        DEALT,
        substituting(r"10([♣♦♥♠])", r" 10\1"),
    ),
    _shown(
        "ten-too-wide-list",
        "a line with a 10 is one character too wide",
        "Look at lines with a 10: how many characters does a face take?",
        "A fixed blank before the face instead of a width of two.",
        ("shuffle",),
        substituting(r"^10", " 10"),
    ),
    _shown(
        "one-written-for-ace",
        "an ace is shown as 1",
        "Which letter stands for an ace?",
        "1 instead of A.",
        ALL,
        substituting(r" A([♣♦♥♠])", r" 1\1"),
    ),
    _shown(
        "suits-swapped",
        "two suits are swapped",
        "Compare each suit's number with the symbol you print for it.",
        "Hearts and spades are swapped.",
        ALL,
        lambda console: substituting("@", "♠")(substituting("♠", "♥")(substituting("♥", "@")(console))),
    ),
    _shown(
        "suits-as-letters",
        "suits are shown as letters",
        "Which symbol is printed for a suit?",
        "C D H S.",
        ALL,
        lambda console: replacing("♣", "C")(replacing("♦", "D")(replacing("♥", "H")(replacing("♠", "S")(console)))),
    ),
    _shown(
        "prompt-with-newline",
        "the line ends after the question",
        "Where does the cursor stand after the question?",
        "A newline after the prompt.",
        DEALT,
        replacing("[h/s] ", "[h/s] \n"),
    ),
    _shown(
        "prompt-without-blank",
        "the last space of the question is missing",
        _SPACES,
        "`[h/s]` without a blank.",
        DEALT,
        replacing("[h/s] ", "[h/s]"),
    ),
    _shown(
        "seed-without-blank",
        "the space after `Seed:` is missing",
        _SPACES,
        "`Seed:`.",
        ALL,
        replacing("Seed: ", "Seed:"),
    ),
    _shown(
        "no-line-before-scores",
        "the empty line before the final scores is missing",
        _LINES,
        "One newline short.",
        PLAYED,
        replacing("\nFinal scores", "Final scores"),
    ),
    _shown(
        "scores-swapped",
        "the two scores are swapped",
        "Whose score stands first in the last lines?",
        "Dealer's score as the player's.",
        PLAYED,
        substituting(r"Player (\d+), Dealer (\d+)\.", r"Player \2, Dealer \1."),
    ),
    _shown(
        "no-final-newline-result",
        "the last line has no line end",
        "Where should the cursor be after the result?",
        "No newline after the result.",
        ("play",),
        substituting(r"(Player wins!|Dealer wins!)\n", r"\1"),
    ),
    _shown(
        "win-without-mark",
        "the result ends with a period",
        _EXACT,
        "`Player wins.`",
        PLAYED,
        substituting(r"wins!", "wins."),
    ),
    _shown(
        "bust-as-busted",
        "`busted` is written for `busts`",
        _EXACT,
        "Past tense.",
        PLAYED,
        replacing("busts!", "busted!"),
    ),
    _ruled("no-pauses", "the pauses are missing", _PAUSE, "No sleep at all.", DEALT, pause_s=0),
    _ruled("pauses-of-1s", "the pauses are too short", _PAUSE, "sleep(1).", DEALT, pause_s=1),
    _ruled("pauses-of-3s", "the pauses are too long", _PAUSE, "sleep(3).", DEALT, pause_s=3),
    _shown(
        "pauses-after",
        "the pause comes after the dealer's line instead of before",
        _PAUSE,
        "printf, then sleep.",
        DEALT,
        PausingAfter,
    ),
    _shown(
        "no-pause-before-bust",
        "there is no pause before the dealer's bust",
        "Before which of the dealer's lines does your program wait?",
        "The bust is tested before the sleep.",
        PLAYED,
        PausingUnlessBust,
    ),
    _ruled(
        "table-after-double",
        "the table is shown again after doubling",
        "What is shown after a bet was doubled?",
        "One table too many.",
        MONEY,
        shows_table_after_double=True,
    ),
)
