"""Mistakes with what a hand is worth."""

from __future__ import annotations

from collections.abc import Sequence

from reference.blackjack.mistakes.changes import PLAYED, Change, Known
from reference.blackjack.rules import HIGHEST
from reference.cards import ACE, face_of
from reference.miscounts import all_lowered, always_1, decided_when_drawn, of_hands, one_lowered

Hand = Sequence[int]


def _worth(card: int) -> int:
    return 11 if face_of(card) == ACE else min(face_of(card), 10)


ace_always_1 = of_hands(_worth, always_1)


def _ace_raised_below_21(hand: Hand) -> int:
    low = ace_always_1(hand)
    return low + 10 if any(face_of(card) == ACE for card in hand) and low + 10 < HIGHEST else low


def _pictures_count_up(hand: Hand) -> int:
    total = sum(1 if face_of(card) == ACE else face_of(card) for card in hand)
    has_ace = any(face_of(card) == ACE for card in hand)
    return total + 10 if has_ace and total + 10 <= HIGHEST else total


def _pictures_and_aces_as_faces(hand: Hand) -> int:
    return sum(face_of(card) for card in hand)


_ACES = "the most frequent mistake of all blackjack programs"
_LOOK = "Work out on paper what a hand with an ace is worth, card by card."


def _points(id_: str, title: str, hint: str, note: str, count: object) -> Known:
    return Known(id_, title, hint, note, _ACES, PLAYED, Change(rules={"points": count}))


POINTS = (
    _points("ace-always-11", "every ace counts 11", _LOOK, "No ace is ever lowered.", of_hands(_worth, sum)),
    _points("ace-always-1", "every ace counts 1", _LOOK, "No ace is ever raised.", ace_always_1),
    _points(
        "one-ace-lowered",
        "only one ace is ever lowered",
        "Try a hand with two aces and some more cards: what should each of them count?",
        "if instead of while: 10 is taken off once.",
        of_hands(_worth, one_lowered),
    ),
    _points(
        "all-aces-lowered",
        "all aces are lowered together",
        "Try a hand with two aces: must both count the same?",
        "A A counts 2.",
        of_hands(_worth, all_lowered),
    ),
    _points(
        "ace-decided-when-drawn",
        "an ace is decided when it is drawn and never again",
        "What becomes of an ace when a later card would make the hand too high?",
        "The value is fixed in the order of the cards.",
        of_hands(_worth, decided_when_drawn),
    ),
    _points(
        "soft-21-missed",
        "an ace is not raised to make exactly 21",
        "Look at the comparison that decides whether an ace may count more: what about exactly the highest total?",
        "< 21 instead of <= 21.",
        _ace_raised_below_21,
    ),
    _points(
        "pictures-count-up",
        "jack, queen and king count 11, 12 and 13",
        "What is a jack worth? And a king?",
        "11, 12 and 13 instead of 10 each.",
        _pictures_count_up,
    ),
    _points(
        "faces-as-points",
        "the number of the face is taken for its points",
        "What are jack, queen, king and ace worth? Compare with what you add up.",
        "card % 100 is added up.",
        _pictures_and_aces_as_faces,
    ),
)
