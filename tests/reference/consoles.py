"""Consoles without a terminal: they run a session of a program in memory, and pauses take no time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from reference.blackjack.table import TEXT_OF_CARD
from reference.cards import PredeterminedDecks

#: The sign for a pause in a transcript.
PAUSE = "~"
_CARDS = {text.strip(): card for card, text in TEXT_OF_CARD.items()}


@dataclass
class ScriptedConsole:
    """A console that types lines in order, then ends the input, and records what the program does."""

    lines: Iterable[str]
    #: What the program showed, with PAUSE where it paused.
    transcript: str = ""
    #: What the program showed, and each typed line in brackets.
    conversation: str = ""
    pauses: list[float] = field(default_factory=list)
    #: How many lines, and ends of input, the program has read.
    reads: int = 0

    def __post_init__(self) -> None:
        self._lines = iter(self.lines)

    def write(self, text: str) -> None:
        self.transcript += text
        self.conversation += text

    def read_line(self) -> str | None:
        self.reads += 1
        line = next(self._lines, None)
        if line is not None:
            self.conversation += f"[{line}]\n"
        return line

    def pause(self, seconds: float) -> None:
        self.transcript += PAUSE
        self.pauses.append(seconds)

    @property
    def text(self) -> str:
        """All text shown, and nothing else."""
        return self.transcript.replace(PAUSE, "")


def session(program: Callable[..., int], *lines: str, exit_code: int = 0, **settings: object) -> ScriptedConsole:
    """Run a program on these lines to its end, where it must exit with this code; return the console."""
    console = ScriptedConsole(lines)
    assert program(console, **settings) == exit_code
    return console


def decks_with(*decks: str) -> PredeterminedDecks:
    """Decks, one for each text, from which its cards are dealt first, in this order: decks_with("A♠ 10♦ K♠ 9♣")."""
    return PredeterminedDecks([[_CARDS[text] for text in deck.split()][::-1] for deck in decks])


def transcript_of(text: str) -> str:
    """The transcript for a text in a test, in which `$` marks the end of each line, since lines may end with blanks.

    A pause is `~`, as in `ScriptedConsole.transcript`. What follows the last `$`, such as a prompt, has no newline.
    """
    return text.strip("\n").replace("$\n", "\n").replace("$", "\n")
