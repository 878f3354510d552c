"""Reading the cards of each hand back from the lines of the screen that show hands."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from reference.csc101.rules import CARDS, RULES
from reference.reading import Conversation, Reading, Unreadable, cards_in_deal_order, in_order_of_appearance, screen_of

#: ASCII only, since other letters may have unexpected upper- and lower-case forms.
_HAND = re.compile(r"(Player|Dealer)'?s?\s+(First |Second )?hand\s*:(.*)", re.IGNORECASE | re.ASCII)
#: The question whether to play another hand.
_NEXT_ROUND = re.compile(r"another hand", re.IGNORECASE)
_HIDDEN_CARD = "X"
_CARDS_OR_HIDDEN = frozenset((*CARDS, _HIDDEN_CARD))
_EXAMPLE = "Player's Hand: 3S, JC"
_DECK_SIZE = len(CARDS)
#: How many cards of a used-up deck may not be shown yet when a blank card is shown: both cards of the dealer.
_MAX_UNSHOWN_CARDS = 2


class _Round:
    """The cards shown so far in one round: the player's hand, or two hands after a split, and the dealer's hand."""

    def __init__(self) -> None:
        #: The player's cards by the name of the hand, which is empty if there is no split.
        self.hands: dict[str, list[str]] = {"": [], "first": [], "second": []}
        self.dealer: list[str] = []

    @property
    def has_begun(self) -> bool:
        """Whether any card of this round was shown."""
        return bool(self.hands[""] or self.hands["first"] or self.dealer)

    def begins_next_round(self, name: str, cards: list[str]) -> bool:
        """Whether a line with these cards belongs to the next round.

        Some programs never ask whether to play another hand, so nothing else separates their rounds.
        """
        return not name and len(cards) > 1 and bool(self.hands[""]) and set(cards).isdisjoint(self.hands[""])

    def see(self, name: str, cards: list[str]) -> None:
        """Process a line with the cards of the player's hand of this name."""
        self.hands[name] = in_order_of_appearance(self.hands[name], cards)

    def see_dealer(self, cards: list[str]) -> None:
        """Process a line with the dealer's cards."""
        self.dealer = in_order_of_appearance(self.dealer, cards)

    @property
    def cards(self) -> list[str]:
        """All cards of this round that were shown."""
        return [*itertools.chain.from_iterable(self.hands.values()), *self.dealer]

    def draws(self, deal_order: str, *, hidden_first: bool) -> list[str | None]:
        """The cards in the order in which the reference draws them; None for a card that was not shown."""
        player, first, second = self.hands[""], self.hands["first"], self.hands["second"]
        pair = player[:2] or [*first[:1], *second[:1]]
        dealer = [*self.dealer[:2], None][:2] if self.dealer else []
        dealt = cards_in_deal_order(deal_order, {"p": pair, "d": dealer[::-1] if hidden_first else dealer})
        return [*dealt, *player[2:], *first[1:2], *second[1:2], *first[2:], *second[2:], *self.dealer[2:]]


def read(
    conversation: Conversation,
    deal_order: str = RULES.deal_order,
    deals_hidden_first: bool = RULES.deals_hidden_first,
) -> Reading:
    """Read the cards of all hands; a card that was never shown is None."""
    rounds, problem = [_Round()], None
    for number, line in enumerate(screen_of(conversation).split("\n"), 1):
        if "hand" not in line.lower():  # true of most lines; this test is faster than the patterns
            continue
        match = _HAND.search(line)
        if match is None:
            if _NEXT_ROUND.search(line):
                rounds.append(_Round())
            continue
        cards = match[3].replace(",", " ").split()
        if not cards or not _CARDS_OR_HIDDEN.issuperset(cards):
            if not _is_deck_used_up(_all_draws(rounds, deal_order, deals_hidden_first), rounds[-1], cards):
                problem = Unreadable(number, line, _EXAMPLE)
                break
            cards = [card for card in cards if card in _CARDS_OR_HIDDEN]
        name, hand = (match[2] or "").strip().lower(), [card for card in cards if card != _HIDDEN_CARD]
        if match[1].lower() == "dealer":
            rounds[-1].see_dealer(hand)
            continue
        if rounds[-1].begins_next_round(name, hand):
            rounds.append(_Round())
        rounds[-1].see(name, hand)
    draws = _all_draws(rounds, deal_order, deals_hidden_first)
    starts = itertools.accumulate(map(len, draws), initial=0)
    return Reading(tuple(itertools.chain(*draws)), problem, tuple(starts)[:-1])


def _all_draws(rounds: Iterable[_Round], deal_order: str, hidden_first: bool) -> list[list[str | None]]:
    return [round_.draws(deal_order, hidden_first=hidden_first) for round_ in rounds if round_.has_begun]


def _is_deck_used_up(draws: Iterable[Sequence[str | None]], last_round: _Round, cards: Iterable[str]) -> bool:
    """Whether the deck is used up at a line with these cards, so that the line may show blank cards.

    A blank card is what a program shows when it draws although no card is left: any text. It is no draw.
    """
    new_cards = set(cards).intersection(CARDS).difference(last_round.cards)
    all_draws = itertools.chain(*draws)
    last_shown = max((number for number, card in enumerate(all_draws, 1) if card is not None), default=0)
    return _DECK_SIZE - _MAX_UNSHOWN_CARDS <= last_shown + len(new_cards) <= _DECK_SIZE
