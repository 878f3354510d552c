"""Reading the cards back from the screen, round by round, from the lines that name them."""

from __future__ import annotations

import re

from reference.ece2036.rules import CARDS, RULES
from reference.reading import Conversation, Reading, Unreadable, cards_in_deal_order, in_order_of_appearance, screen_of

_CARDS = frozenset(CARDS)
#: A line that shows a hand. The hands of a split pair may be named, as in "Player's first hand is:", or the owner may
#: have a name, as in "Player (2)'s hand is:", which has no other owner in it.
HAND = re.compile(
    r"(?P<owner>Player|Dealer)(?P<owners_name>(?: (?!player|dealer)[^:\s]+){0,3}).{0,3}s "
    r"(?P<name>first card|(?:[^:\s]+ ){0,3}hand(?: (?!value\b)[^:\s]+){0,3}) is:(?P<cards>.*)",
    re.IGNORECASE,
)
_ROUND = re.compile(r"Round [0-9]+")
#: An example of a readable line.
_FORM = "Player's hand is: Six Jack"


class _Round:
    """The cards that were shown in one round."""

    def __init__(self) -> None:
        self.hands: list[list[str]] = []
        #: For each hand, what the program calls it.
        self.names: list[str] = []
        self.is_split = self.is_just_split = False
        self.dealer: list[str] = []

    def process_answer(self, *, splits: bool) -> None:
        """Process a typed line: a bet before the first hand, then a key; `splits` is whether it is the key that splits.

        The hand is split only if a hand is shown before the next typed line; otherwise the program refused the key.
        """
        self.is_just_split = splits and bool(self.hands)

    def process_hand(self, name: str, cards: list[str]) -> None:
        """Process a line with the player's cards: the current hand with one more card, or the next hand of a pair."""
        self.is_split = self.is_split or self.is_just_split
        hand = self.hands[-1] if self.hands else None
        # Both hands of a split may be shown before the first is played: a name may then say which of two has grown.
        first = int(self.is_split)
        named = [
            hand for hand, its_name in zip(self.hands[first:], self.names[first:], strict=True) if its_name == name
        ]
        candidates = named or self.hands[first:]
        grown = next((hand for hand in reversed(candidates) if self._is_grown(hand, cards)), None)
        if grown is not None and not self.is_just_split:
            grown[:] = cards
        elif hand is None or self.is_just_split or (self.is_split and len(self.hands) == 2):
            # The second hand of a split may begin with the same two cards as the first, and is still a new hand.
            self.hands.append(list(cards))
            self.names.append(name)
        elif not self.is_split:  # the program sorts the cards, or shows the new card alone
            hand[:] = in_order_of_appearance(hand, cards) if len(cards) > 1 else [*hand, *cards]
        self.is_just_split = False

    @staticmethod
    def _is_grown(hand: list[str], cards: list[str]) -> bool:
        """Whether the cards are a hand with more cards."""
        return len(cards) > len(hand) and cards[: len(hand)] == hand

    def draws(self) -> list[str | None]:
        """The cards in the order in which they are dealt."""
        first_hand = self.hands[0] if self.hands else []
        dealt = cards_in_deal_order(RULES.deal_order, {"p": first_hand, "d": self.dealer})
        split_hands = self.hands[1:3]
        # Both hands get their second card right after the split. The second hand's card may never be shown.
        second_count = 2 if self.is_split else 0
        second_cards = [
            split_hands[index][1] if index < len(split_hands) and len(split_hands[index]) > 1 else None
            for index in range(second_count)
        ]
        later_cards = [card for hand in split_hands for card in hand[2:]]
        return [*dealt, *first_hand[2:], *second_cards, *later_cards, *self.dealer[2:]]


def _answers(conversation: Conversation) -> dict[int, str]:
    """The typed lines, keyed by the number of the screen line that each of them ends.

    The prompts are ignored, since every student may word them differently.
    """
    answers, number = {}, 1
    for kind, text in conversation:
        if kind == "typed":
            answers[number] = text.strip()
        number += 1 if kind == "typed" else text.count("\n")
    return answers


def read(conversation: Conversation, split_key: str = RULES.split_key) -> Reading:
    """Read the cards of all rounds; a card that was never shown is None. `split_key` is the key that splits."""
    rounds, problem, answers = [_Round()], None, _answers(conversation)
    for number, line in enumerate(screen_of(conversation).split("\n"), 1):
        if "Round" in line and _ROUND.search(line) and (rounds[-1].hands or rounds[-1].dealer):
            rounds.append(_Round())
        if number in answers:
            rounds[-1].process_answer(splits=answers[number] == split_key)
        match = HAND.search(line) if " is:" in line else None
        if match is None:
            continue
        cards, name = match["cards"].split(), match["owners_name"] + match["name"]
        if not cards or not _CARDS.issuperset(cards):
            if name not in ("hand", "first card"):
                continue  # a text whose wording is free
            problem = Unreadable(number, line, _FORM)
            break
        if match["owner"].lower() == "player":
            rounds[-1].process_hand(name, cards)
        else:
            rounds[-1].dealer = in_order_of_appearance(rounds[-1].dealer, cards)
    draws = [card for round_ in rounds if round_.hands or round_.dealer for card in round_.draws()]
    return Reading(tuple(draws), problem)
