"""Reading the cards back from the screen, hand by hand, from the lines that show them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from reference.csc101.rules import CARDS, RIGHT
from reference.reading import Conversation, Reading, Unreadable, in_order_of_appearance, in_turn, screen_of

#: ASCII only, since other letters may have unexpected upper- and lower-case forms.
_HAND = re.compile(r"(Player|Dealer)'?s?\s+(First |Second )?hand\s*:(.*)", re.IGNORECASE | re.ASCII)
_AGAIN = re.compile(r"another hand", re.IGNORECASE)
_HOLE = "X"
_CARDS = frozenset((*CARDS, _HOLE))
_FORM = "Player's Hand: 3S, JC"
_DECK = len(CARDS)
#: How many cards of the deck may not be shown yet where a blank one is: both of the dealer's.
_NOT_YET_SHOWN = 2


class _Round:
    """The cards of one hand that were shown so far."""

    def __init__(self) -> None:
        self.hands: dict[str, list[str]] = {"": [], "first": [], "second": []}
        self.dealer: list[str] = []

    @property
    def has_begun(self) -> bool:
        """Whether any card of it was shown."""
        return bool(self.hands[""] or self.hands["first"] or self.dealer)

    def is_over_before(self, name: str, cards: list[str]) -> bool:
        """Whether these cards are another hand's; a program that never asks for one shows nothing else between."""
        return not name and len(cards) > 1 and bool(self.hands[""]) and set(cards).isdisjoint(self.hands[""])

    def see(self, name: str, cards: list[str]) -> None:
        """Process a line with the cards of a hand."""
        self.hands[name] = in_order_of_appearance(self.hands[name], cards)

    def see_dealer(self, cards: list[str]) -> None:
        """Process a line with the dealer's cards."""
        self.dealer = in_order_of_appearance(self.dealer, cards)

    @property
    def cards(self) -> list[str]:
        """All cards that were shown."""
        return [*itertools.chain.from_iterable(self.hands.values()), *self.dealer]

    def draws(self, deal_order: str) -> list[str | None]:
        """The cards in the order in which they are dealt."""
        player, first, second = self.hands[""], self.hands["first"], self.hands["second"]
        pair = player[:2] or [*first[:1], *second[:1]]
        dealt = in_turn(deal_order, {"p": pair, "d": self.dealer})
        return [*dealt, *player[2:], *first[1:2], *second[1:2], *first[2:], *second[2:], *self.dealer[2:]]


def read(conversation: Conversation, deal_order: str = RIGHT.deal_order) -> Reading:
    """Read the cards of all hands; a card that was never shown is None."""
    rounds, problem = [_Round()], None
    for number, line in enumerate(screen_of(conversation).split("\n"), 1):
        if "hand" not in line.lower():  # true of most lines, and faster than the patterns
            continue
        shown = _HAND.search(line)
        if shown is None:
            if _AGAIN.search(line):
                rounds.append(_Round())
            continue
        cards = shown[3].replace(",", " ").split()
        if not cards or not _CARDS.issuperset(cards):
            if not _is_deck_used_up(rounds, cards, deal_order):
                problem = Unreadable(number, line, _FORM)
                break
            cards = [card for card in cards if card in _CARDS]
        name, hand = (shown[2] or "").strip().lower(), [card for card in cards if card != _HOLE]
        if shown[1].lower() == "dealer":
            rounds[-1].see_dealer(hand)
            continue
        if rounds[-1].is_over_before(name, hand):
            rounds.append(_Round())
        rounds[-1].see(name, hand)
    return Reading(tuple(_all_draws(rounds, deal_order)), problem)


def _all_draws(rounds: Iterable[_Round], deal_order: str) -> list[str | None]:
    return [card for each in rounds if each.has_begun for card in each.draws(deal_order)]


def _is_deck_used_up(rounds: Sequence[_Round], cards: Iterable[str], deal_order: str) -> bool:
    """Whether a line with these cards may have blank ones, which look as they like and are no draws."""
    new = set(cards).intersection(CARDS).difference(rounds[-1].cards)
    draws = _all_draws(rounds, deal_order)
    last = max((number for number, card in enumerate(draws, 1) if card is not None), default=0)
    return _DECK - _NOT_YET_SHOWN <= last + len(new) <= _DECK
