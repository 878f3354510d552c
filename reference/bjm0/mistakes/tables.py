"""Mistakes in the course of a game, in who wins, and in what is printed of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reference.bjm0.deal import HIT_OR_STAND, Table, has, run
from reference.bjm0.rules import HIGHEST, RIGHT, VALUES, Hand, Rules
from reference.console import Console
from reference.consoles import Wrapper, replacing, showing, substituting
from reference.variants import Variant
from reference.words import Words

_DEALT = ("aces", "dealer", "table", "chances")
_AGAINST = ("table", "chances")


class _BustAt21(Rules):
    def busts(self, values: Hand) -> bool:
        return self.total(values) >= HIGHEST


class _DealerBustForgotten(Rules):
    def wins(self, player: Hand, dealer: Hand) -> bool:
        return not self.busts(player) and self.total(player) > self.total(dealer)


class _HigherWins(Rules):
    def wins(self, player: Hand, dealer: Hand) -> bool:
        return self.busts(dealer) or self.total(player) > self.total(dealer)


class _AskingOn(Table):
    """Asks on after a bust."""

    def let_play(self, console: Console, words: Words, name: str, hand: list[int]) -> None:
        while True:
            console.write(has(name, hand, self._rules))
            if self._rules.busts(hand):
                console.write(" Bust!\n")
            if words.ask_letter(f" {HIT_OR_STAND}", "hs") == "s":
                return
            hand.append(self.card())


def _rounds(hands: list[list[int]], dealer: list[int]) -> list[list[int]]:
    return [*hands, dealer] * 2


def _dealer_first(hands: list[list[int]], dealer: list[int]) -> list[list[int]]:
    return [dealer, *hands] * 2


def _two_at_once(hands: list[list[int]], dealer: list[int]) -> list[list[int]]:
    return [hand for hand in (*hands, dealer) for _ in range(2)]


def _table(
    console: Console,
    cards: object = None,
    rules: Rules = RIGHT,
    *,
    order: Callable[[list[list[int]], list[int]], list[list[int]]] = _rounds,
    shown: int = 0,
    kind: type[Table] = Table,
) -> int:
    """The game of several players, with another order of dealing, another card shown, or another way to ask."""

    def play(console: Console, words: Words, deck: list[int], rules: Rules) -> None:
        count = 0
        while not 1 <= count <= 7:
            count = words.ask_integer("Players: ")
        table = kind(deck, rules)
        hands: list[list[int]] = [[] for _ in range(count)]
        dealer: list[int] = []
        for hand in order(hands, dealer):
            hand.append(table.card())
        console.write(f"Dealer shows {dealer[shown]}.\n")
        for number, hand in enumerate(hands, 1):
            table.let_play(console, words, f"Player {number}", hand)
        table.dealer_plays(console, dealer, hands)
        for number, hand in enumerate(hands, 1):
            console.write(f"Player {number} {'wins' if rules.wins(hand, dealer) else 'does not win'}.\n")

    return run(console, play, rules)


def _asked_on(console: Console, cards: object = None, rules: Rules = RIGHT) -> int:
    """The game of one hand, in which a bust does not end the questions."""

    def play(console: Console, words: Words, deck: list[int], rules: Rules) -> None:
        table = _AskingOn(deck, rules)
        hand = [table.card(), table.card()]
        renamed = replacing("You has", "You have")(console)
        table.let_play(renamed, words, "You", hand)
        console.write(f"Final total: {rules.total(hand)}\n")

    return run(console, play, rules)


def _cards(change: Callable[[int, str, str], str]) -> Wrapper:
    """A console that writes each card of the printed deck otherwise, from its place, its number and its value."""

    def changed(text: str) -> str:
        lines = [line.split() for line in text.splitlines()]
        if len(lines) < len(VALUES):
            return text
        return "".join(f"{change(place, *line)}\n" for place, line in enumerate(lines))

    return showing(changed)


def _at_table(id_: str, **change: object) -> Variant:
    return Variant(id_, ("table",), mains={"table": partial(_table, **change)})  # type: ignore[arg-type]


def _printed(id_: str, change: Callable[[int, str, str], str]) -> Variant:
    return Variant(id_, ("shuffle",), consoles=(_cards(change),))


def _shown(id_: str, stages: tuple[str, ...], wrapper: Wrapper) -> Variant:
    return Variant(id_, stages, consoles=(wrapper,))


TABLES = (
    _printed("order-stays", lambda place, card, value: f"{place + 1} {value}"),
    _printed("values-stay", lambda place, card, value: f"{card} {VALUES[place % 13]}"),
    _printed("value-before-order", lambda place, card, value: f"{value} {card}"),
    _printed("cards-from-zero", lambda place, card, value: f"{int(card) - 1} {value}"),
    Variant("bust-at-21", _DEALT, rules={"kind": _BustAt21}),
    Variant("asked-after-bust", ("aces", "table"), mains={"aces": _asked_on, "table": partial(_table, kind=_AskingOn)}),
    _shown("stands-when-bust", ("dealer",), replacing("Dealer busts.", "Dealer stands.")),
    Variant("dealer-bust-forgotten", _AGAINST, rules={"kind": _DealerBustForgotten}),
    Variant("player-bust-forgotten", _AGAINST, rules={"kind": _HigherWins}),
    _at_table("shows-second-card", shown=1),
    _at_table("dealer-dealt-first", order=_dealer_first),
    _at_table("two-cards-at-once", order=_two_at_once),
    _shown(
        "players-from-zero", ("table",), substituting(r"^Player ([1-7])", lambda found: f"Player {int(found[1]) - 1}")
    ),
    _shown(
        "results-from-zero",
        ("table",),
        substituting(r"^Player ([1-7])(?= wins| does)", lambda found: f"Player {int(found[1]) - 1}"),
    ),
)
