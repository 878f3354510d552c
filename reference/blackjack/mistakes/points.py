"""Mistakes in the value of a hand."""

from __future__ import annotations

from collections.abc import Sequence

from reference.blackjack.mistakes.changes import PLAYED, Change, MistakeEntry
from reference.blackjack.rules import MAX_POINTS
from reference.cards import ACE, face_of
from reference.miscounts import (
    all_lowered,
    always_1,
    decided_when_drawn,
    hand_counter,
    one_lowered,
    soft_21_missed,
    two_aces_as_22,
)

Hand = Sequence[int]


def _card_value(card: int) -> int:
    """The value of a card, 11 for an ace."""
    return 11 if face_of(card) == ACE else min(face_of(card), 10)


ace_always_1 = hand_counter(_card_value, always_1)


def _pictures_count_up(hand: Hand) -> int:
    """Jack, queen and king count 11, 12 and 13; an ace counts 1 or 11 as in the right rules."""
    total = sum(1 if face_of(card) == ACE else face_of(card) for card in hand)
    has_ace = any(face_of(card) == ACE for card in hand)
    return total + 10 if has_ace and total + 10 <= MAX_POINTS else total


def _pictures_and_aces_as_faces(hand: Hand) -> int:
    """Every card counts its face number: a jack 11, an ace 14."""
    return sum(face_of(card) for card in hand)


def _points_mistake(id_: str, points: object) -> MistakeEntry:
    """A mistake whose rules compute the points of a hand with this function."""
    return MistakeEntry(id_, PLAYED, Change(rules={"points": points}))


POINTS = (
    _points_mistake("ace-always-11", hand_counter(_card_value, sum)),
    _points_mistake("ace-always-1", ace_always_1),
    _points_mistake("one-ace-lowered", hand_counter(_card_value, one_lowered)),
    _points_mistake("all-aces-lowered", hand_counter(_card_value, all_lowered)),
    _points_mistake("ace-decided-when-drawn", hand_counter(_card_value, decided_when_drawn)),
    _points_mistake("soft-21-missed", hand_counter(_card_value, soft_21_missed)),
    _points_mistake("two-aces-as-22", hand_counter(_card_value, two_aces_as_22)),
    _points_mistake("pictures-count-up", _pictures_count_up),
    _points_mistake("faces-as-points", _pictures_and_aces_as_faces),
)
