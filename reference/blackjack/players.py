"""Players of the ladder: each decides its next line from what the screen has shown so far.

A player is called with all the text shown, up to the prompt, and the lines typed so far; the seed is typed for it.
It returns the next line, or None to end the input. Each plays every stage, and each ends whatever it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reference.blackjack.betting import BET_PROMPT, FIRST_PROMPT, QUIT_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import HIGHEST_BET, LATE_DOUBLE
from reference.blackjack.rules import HIGHEST, points
from reference.blackjack.screen import hands_played, is_asked, player_hand
from reference.blackjack.shuffle import SEED_PROMPT
from reference.blackjack.table import HEADER

#: Returns the next line, given the text shown and the lines typed so far; None ends the input.
Player = Callable[[str, tuple[str, ...]], str | None]

#: A player leaves after this many lines: no right game is that long, and some wrong programs never end.
MAX_LINES = 400


def _named(player: Player, model: Callable[..., object]) -> Player:
    """The player with the name and docstring of its model."""
    player.__name__ = player.__qualname__ = model.__name__
    player.__doc__ = model.__doc__
    return player


def _ending(player: Player) -> Player:
    """The same player, but it leaves an endless session, and types a seed if asked for another one."""

    def ending_player(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        return "1" if is_asked(shown, SEED_PROMPT) else player(shown, typed)

    return _named(ending_player, player)


def _playing(hands: int = 2, bets: Sequence[int] = (10,)) -> Callable[[Callable[[str], str]], Player]:
    """Make a player from a decision function; in games for money it plays some hands with these bets in turn."""

    def made(decision: Callable[[str], str]) -> Player:
        def player(shown: str, typed: tuple[str, ...]) -> str | None:
            if is_asked(shown, BET_PROMPT):
                return str(bets[hands_played(shown) % len(bets)])
            if is_asked(shown, QUIT_PROMPT):
                return "q" if hands_played(shown) >= hands else "c"
            return decision(shown)

        return _ending(_named(player, decision))

    return made


def _below(limit: int, shown: str) -> str:
    return "h" if points(player_hand(shown)) < limit else "s"


def _doubling(lowest: int, highest: int, shown: str) -> str:
    if is_asked(shown, FIRST_PROMPT) and lowest <= points(player_hand(shown)) <= highest:
        return "d"
    return _below(17, shown)


@_playing()
def stand_at_once(shown: str) -> str:
    """Never take a card."""
    return "s"


@_playing()
def hit_once(shown: str) -> str:
    """Take one card in each hand."""
    return "h" if len(player_hand(shown)) == 2 else "s"


@_playing()
def hit_below_17(shown: str) -> str:
    """Do as the dealer does."""
    return _below(17, shown)


@_playing()
def hit_below_21(shown: str) -> str:
    """Take cards up to 21 or over it."""
    return _below(21, shown)


@_playing()
def hit_until_bust(shown: str) -> str:
    """Take cards even at 21. The game ends it, or the deck does."""
    # A program that asks after a bust, which none should, would never end.
    is_bust = "**" in shown.rpartition(HEADER)[2] and points(player_hand(shown)) > HIGHEST
    return "s" if is_bust else "h"


@_playing(hands=1)
def one_hand(shown: str) -> str:
    """Play one hand for 10."""
    return _below(17, shown)


@_playing(hands=5)
def five_hands(shown: str) -> str:
    """Play five hands for 10 each."""
    return _below(17, shown)


@_playing(hands=20)
def twenty_hands(shown: str) -> str:
    """Play twenty hands for 10 each."""
    return _below(17, shown)


@_playing(hands=6, bets=(5, 10, 25))
def doubler(shown: str) -> str:
    """Double on 9, 10 and 11."""
    return _doubling(9, 11, shown)


@_playing(hands=12, bets=(1, 3, 5, 7, 15))
def odd_bets(shown: str) -> str:
    """Raise odd bets, of which a blackjack wins halves, and double on 10 and 11."""
    return _doubling(10, 11, shown)


@_playing(hands=4, bets=(7,))
def always_doubles(shown: str) -> str:
    """Double every hand."""
    return _doubling(0, 21, shown)


@_playing(hands=4, bets=(1, HIGHEST_BET))
def table_limits(shown: str) -> str:
    """Bet the least and the most in turn, and double on 11."""
    return _doubling(11, 11, shown)


_BAD_BETS = (
    *("0", "-5", "ten", "", "1000001", "2.5", "10 20", "99999999999999999999", "+0", " "),
    *("+", "- 5", "1,000", "1e3", "0x10", "10c", "9" * 600),
)
_BAD_COMMANDS = (
    *("x", "", "H", "S", "D", "hit", "stand", "q", "h s", "'"),
    *("%s", "ä", "-1", "dd", "\\n", "\t", "s" * 2000),
)


@_ending
def all_errors(shown: str, typed: tuple[str, ...]) -> str | None:
    """Type every wrong thing at every prompt once, then play on; two hands, then quit."""
    if is_asked(shown, BET_PROMPT):
        refused = shown.count("Bet must be between")
        return _BAD_BETS[refused] if refused < len(_BAD_BETS) else " 10 "
    if is_asked(shown, QUIT_PROMPT):
        return "q" if hands_played(shown) >= 2 else "Q"
    refused = shown.count("' unrecognized\n")
    if refused < len(_BAD_COMMANDS):
        return _BAD_COMMANDS[refused]
    if is_asked(shown, FIRST_PROMPT):
        return "\td "
    if LATE_DOUBLE not in shown:
        return "d"
    return _below(17, shown)


@_ending
def late_doubles(shown: str, typed: tuple[str, ...]) -> str | None:
    """Hit first and double then, in each of three hands, and leave at the end of input."""
    if is_asked(shown, BET_PROMPT):
        return "20" if hands_played(shown) < 3 else None
    if is_asked(shown, QUIT_PROMPT):
        return "again"
    if is_asked(shown, HIT_OR_STAND):
        return "d" if shown.count(LATE_DOUBLE) <= hands_played(shown) else _below(17, shown)
    return "h"


#: Every player by its public name.
PLAYERS: dict[str, Player] = {
    "stand at once": stand_at_once,
    "hit once": hit_once,
    "hit below 17": hit_below_17,
    "hit below 21": hit_below_21,
    "hit until bust": hit_until_bust,
    "one hand": one_hand,
    "five hands": five_hands,
    "twenty hands": twenty_hands,
    "double on 9 to 11": doubler,
    "odd bets": odd_bets,
    "always double": always_doubles,
    "bet the table limits": table_limits,
    "make every error": all_errors,
    "double too late": late_doubles,
}
