"""Players of the blackjack assignment: each decides which line to type next from the text shown so far.

A player is called with all the text shown, up to the prompt, and the lines typed so far; pitboss types the seed.
A player returns the next line, or None to end the input. Every player can play every stage, and ends its session
even if the program never would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reference.blackjack.betting import BET_PROMPT, FIRST_PROMPT, QUIT_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import HIGHEST_BET, LATE_DOUBLE
from reference.blackjack.rules import MAX_POINTS, points
from reference.blackjack.screen import hands_played, player_hand, waits_at_prompt
from reference.blackjack.shuffle import SEED_PROMPT
from reference.blackjack.table import HEADER

#: Returns the next line, given the text shown and the lines typed so far; None ends the input.
Player = Callable[[str, tuple[str, ...]], str | None]

#: A player ends the input after this many lines: no session with a correct program needs as many, and some wrong
#: programs never end.
MAX_LINES = 400


def _copy_name_and_docstring(player: Player, model: Callable[..., object]) -> Player:
    """Give a player the name and the docstring of another function; return the player."""
    player.__name__ = player.__qualname__ = model.__name__
    player.__doc__ = model.__doc__
    return player


def _limit_lines(player: Player) -> Player:
    """Wrap a player: end the input after MAX_LINES lines, and type 1 if the program asks for another seed."""

    def limited_player(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        return "1" if waits_at_prompt(shown, SEED_PROMPT) else player(shown, typed)

    return _copy_name_and_docstring(limited_player, player)


def _make_player(hands: int = 2, bets: Sequence[int] = (10,)) -> Callable[[Callable[[str], str]], Player]:
    """Return a decorator that makes a player from a decision function.

    The decision function gets the text shown and returns what to type within a hand. In games for money the player
    makes these bets in turn and quits after `hands` hands.
    """

    def decorate(decision: Callable[[str], str]) -> Player:
        def player(shown: str, typed: tuple[str, ...]) -> str | None:
            if waits_at_prompt(shown, BET_PROMPT):
                return str(bets[hands_played(shown) % len(bets)])
            if waits_at_prompt(shown, QUIT_PROMPT):
                return "q" if hands_played(shown) >= hands else "c"
            return decision(shown)

        return _limit_lines(_copy_name_and_docstring(player, decision))

    return decorate


def _hit_below(limit: int, shown: str) -> str:
    """Hit with fewer points than the limit, otherwise stand."""
    return "h" if points(player_hand(shown)) < limit else "s"


def _double_between(lowest: int, highest: int, shown: str) -> str:
    """Double with `lowest` to `highest` points at the first decision of a hand, and otherwise hit below 17."""
    if waits_at_prompt(shown, FIRST_PROMPT) and lowest <= points(player_hand(shown)) <= highest:
        return "d"
    return _hit_below(17, shown)


@_make_player()
def stand_at_once(shown: str) -> str:
    """Never take a card."""
    return "s"


@_make_player()
def hit_once(shown: str) -> str:
    """Take one card in each hand."""
    return "h" if len(player_hand(shown)) == 2 else "s"


@_make_player()
def hit_below_17(shown: str) -> str:
    """Hit below 17, as the dealer does."""
    return _hit_below(17, shown)


@_make_player()
def hit_below_21(shown: str) -> str:
    """Hit below 21."""
    return _hit_below(21, shown)


@_make_player()
def hit_until_bust(shown: str) -> str:
    """Hit even at 21, until the hand is bust or, in stage 2, the deck is empty."""
    # Stand if a wrong program asks after a bust: its session would never end. Stage 2, without busts, hides no card.
    is_bust = "**" in shown.rpartition(HEADER)[2] and points(player_hand(shown)) > MAX_POINTS
    return "s" if is_bust else "h"


@_make_player(hands=1)
def one_hand(shown: str) -> str:
    """Play one hand for 10."""
    return _hit_below(17, shown)


@_make_player(hands=5)
def five_hands(shown: str) -> str:
    """Play five hands for 10 each."""
    return _hit_below(17, shown)


@_make_player(hands=20)
def twenty_hands(shown: str) -> str:
    """Play twenty hands for 10 each."""
    return _hit_below(17, shown)


@_make_player(hands=6, bets=(5, 10, 25))
def doubler(shown: str) -> str:
    """Double on 9, 10 and 11."""
    return _double_between(9, 11, shown)


@_make_player(hands=12, bets=(1, 3, 5, 7, 15))
def odd_bets(shown: str) -> str:
    """Place odd bets, so that a blackjack wins an amount with a half dollar, and double on 10 and 11."""
    return _double_between(10, 11, shown)


@_make_player(hands=4, bets=(7,))
def always_doubles(shown: str) -> str:
    """Double every hand."""
    return _double_between(0, 21, shown)


@_make_player(hands=4, bets=(1, HIGHEST_BET))
def table_limits(shown: str) -> str:
    """Place the lowest and the highest bet in turn, and double on 11."""
    return _double_between(11, 11, shown)


_BAD_BETS = (
    *("0", "-5", "ten", "", "1000001", "2.5", "10 20", "99999999999999999999", "+0", " "),
    *("+", "- 5", "1,000", "1e3", "0x10", "10c", "9" * 600),
)
_BAD_COMMANDS = (
    *("x", "", "H", "S", "D", "hit", "stand", "q", "h s", "'"),
    *("%s", "ä", "-1", "dd", "\\n", "\t", "s" * 2000),
)


@_limit_lines
def all_errors(shown: str, typed: tuple[str, ...]) -> str | None:
    """Type every invalid bet and command once, then play on; quit after two hands."""
    if waits_at_prompt(shown, BET_PROMPT):
        refused = shown.count("Bet must be between")
        return _BAD_BETS[refused] if refused < len(_BAD_BETS) else " 10 "
    if waits_at_prompt(shown, QUIT_PROMPT):
        return "q" if hands_played(shown) >= 2 else "Q"
    refused = shown.count("' unrecognized\n")
    if refused < len(_BAD_COMMANDS):
        return _BAD_COMMANDS[refused]
    if waits_at_prompt(shown, FIRST_PROMPT):
        return "\td "
    if LATE_DOUBLE not in shown:
        return "d"
    return _hit_below(17, shown)


@_limit_lines
def late_doubles(shown: str, typed: tuple[str, ...]) -> str | None:
    """In each of three hands, hit and then try to double; end the input when asked for a fourth bet."""
    if waits_at_prompt(shown, BET_PROMPT):
        return "20" if hands_played(shown) < 3 else None
    if waits_at_prompt(shown, QUIT_PROMPT):
        return "again"
    if waits_at_prompt(shown, HIT_OR_STAND):
        return "d" if shown.count(LATE_DOUBLE) <= hands_played(shown) else _hit_below(17, shown)
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
