"""Consoles without a terminal: a session of a program is played in memory, and nothing sleeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from reference.blackjack.table import TEXTS
from reference.cards import GivenDecks

#: How a pause is drawn in a transcript.
PAUSE = "~"
_CARDS = {text.strip(): card for card, text in TEXTS.items()}


@dataclass
class ScriptedConsole:
    """Types lines in order, then ends the input; keeps what happens."""

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
    """Run a program on these lines to its end; it must exit with this code."""
    console = ScriptedConsole(lines)
    assert program(console, **settings) == exit_code
    return console


def draws(*decks: str) -> GivenDecks:
    """Decks that begin with these cards, in the order of dealing: draws("A♠ 10♦ K♠ 9♣")."""
    return GivenDecks([[_CARDS[text] for text in deck.split()][::-1] for deck in decks])


def drawn(text: str) -> str:
    """A transcript as it is drawn in tests: no indentation to take off, `$` at each line end, `~` for a pause."""
    return text.strip("\n").replace("$\n", "\n").replace("$", "\n")
