"""Mistakes in the value of a hand."""

from __future__ import annotations

from collections.abc import Sequence

from reference.blackjack.mistakes.changes import PLAYED, Change, Known
from reference.blackjack.rules import HIGHEST
from reference.cards import ACE, face_of
from reference.miscounts import (
    all_lowered,
    always_1,
    below_21,
    decided_when_drawn,
    of_hands,
    one_lowered,
    two_aces_as_22,
)

Hand = Sequence[int]


def _worth(card: int) -> int:
    return 11 if face_of(card) == ACE else min(face_of(card), 10)


ace_always_1 = of_hands(_worth, always_1)


def _pictures_count_up(hand: Hand) -> int:
    total = sum(1 if face_of(card) == ACE else face_of(card) for card in hand)
    has_ace = any(face_of(card) == ACE for card in hand)
    return total + 10 if has_ace and total + 10 <= HIGHEST else total


def _pictures_and_aces_as_faces(hand: Hand) -> int:
    return sum(face_of(card) for card in hand)


def _points(id_: str, count: object) -> Known:
    return Known(id_, PLAYED, Change(rules={"points": count}))


POINTS = (
    _points("ace-always-11", of_hands(_worth, sum)),
    _points("ace-always-1", ace_always_1),
    _points("one-ace-lowered", of_hands(_worth, one_lowered)),
    _points("all-aces-lowered", of_hands(_worth, all_lowered)),
    _points("ace-decided-when-drawn", of_hands(_worth, decided_when_drawn)),
    _points("soft-21-missed", of_hands(_worth, below_21)),
    _points("two-aces-as-22", of_hands(_worth, two_aces_as_22)),
    _points("pictures-count-up", _pictures_count_up),
    _points("faces-as-points", _pictures_and_aces_as_faces),
)
