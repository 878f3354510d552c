"""Mistakes with what a hand wins or loses."""

from __future__ import annotations

from reference.consoles import replacing
from reference.variants import Variant

BRIEF = "the brief's rules and samples"

MONEY = (
    Variant(
        "quit-is-free",
        "quitting a hand costs nothing",
        "Work out on paper what this round wins or loses.",
        "No loss.",
        BRIEF,
        ("betting",),
        rules={"quit_halves": 0},
    ),
    Variant(
        "every-win-pays-more",
        "every win is paid like a blackjack",
        "Work out on paper what this round wins or loses.",
        "1.5 for all.",
        BRIEF,
        ("betting",),
        rules={"win_halves": 3},
    ),
    Variant(
        "blackjack-pays-once",
        "a blackjack is paid like any other win",
        "Work out on paper what this round wins or loses.",
        "1:1.",
        BRIEF,
        ("betting",),
        rules={"blackjack_halves": 2},
    ),
    Variant(
        "any-21-pays-more",
        "every 21 is paid as a blackjack",
        "How many cards does a blackjack have?",
        "Cards are not counted.",
        BRIEF,
        ("betting",),
        rules={"any_21_is_blackjack": True},
    ),
    Variant(
        "push-paid",
        "a push is paid like a win",
        "Work out on paper what this round wins or loses.",
        "Paid.",
        BRIEF,
        ("betting",),
        rules={"push_halves": 2},
    ),
    Variant(
        "push-lost",
        "a push costs the bet",
        "Work out on paper what this round wins or loses.",
        "Lost.",
        BRIEF,
        ("betting",),
        rules={"push_halves": -2},
    ),
    Variant(
        "double-pays-single",
        "a doubled bet is not paid double",
        "Which bet counts after doubling? Follow the variable that holds it.",
        "The message alone.",
        BRIEF,
        ("betting",),
        rules={"doubling": 1},
    ),
    Variant(
        "winnings-not-added",
        "the winnings are those of the last hand alone",
        "What becomes of the winnings of the hand before?",
        "= instead of +=.",
        BRIEF,
        ("betting",),
        rules={"adds_winnings": False},
    ),
    Variant(
        "winnings-without-plus",
        "the plus sign of the winnings is missing",
        "How are winnings above zero written?",
        "%d.",
        BRIEF,
        ("betting",),
        consoles=(replacing("Winnings: +", "Winnings: "),),
    ),
)
