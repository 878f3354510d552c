"""Mistakes in the course of a game, in who wins, and in the output."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reference.bjm0.deal import HIT_OR_STAND, Table, has, run
from reference.bjm0.rules import HIGHEST, RULES, VALUES, Hand, Rules
from reference.console import Console
from reference.consoles import Wrapper, apply_to_text, replacing, substituting
from reference.variants import Variant
from reference.words import Words

_DEALING_STAGES = ("aces", "dealer", "table", "chances")
_STAGES_AGAINST_DEALER = ("table", "chances")


class _BustAt21(Rules):
    def busts(self, values: Hand) -> bool:
        return self.total(values) >= HIGHEST


class _DealerBustForgotten(Rules):
    def wins(self, player: Hand, dealer: Hand) -> bool:
        return not self.busts(player) and self.total(player) > self.total(dealer)


class _HigherWins(Rules):
    def wins(self, player: Hand, dealer: Hand) -> bool:
        return self.busts(dealer) or self.total(player) > self.total(dealer)


class _AsksAfterBust(Table):
    """Does not stop asking when a hand is bust."""

    def let_play(self, console: Console, words: Words, name: str, hand: list[int]) -> None:
        while True:
            console.write(has(name, hand, self._rules))
            if self._rules.busts(hand):
                console.write(" Bust!\n")
            if words.ask_letter(f" {HIT_OR_STAND}", "hs") == "s":
                return
            hand.append(self.card())


def _order_by_rounds(hands: list[list[int]], dealer: list[int]) -> list[list[int]]:
    return [*hands, dealer] * 2


def _order_dealer_first(hands: list[list[int]], dealer: list[int]) -> list[list[int]]:
    return [dealer, *hands] * 2


def _order_two_at_once(hands: list[list[int]], dealer: list[int]) -> list[list[int]]:
    return [hand for hand in (*hands, dealer) for _ in range(2)]


def _main_of_table(
    console: Console,
    cards: object = None,
    rules: Rules = RULES,
    *,
    order: Callable[[list[list[int]], list[int]], list[list[int]]] = _order_by_rounds,
    shown_card: int = 0,
    table_class: type[Table] = Table,
) -> int:
    """The program of the stage table, with changes.

    `order` returns the hands in the order in which they get the cards of the deal; `shown_card` is the index of the
    dealer's card that is shown; `table_class` can change how players are asked.
    """

    def play(console: Console, words: Words, deck: list[int], rules: Rules) -> None:
        count = 0
        while not 1 <= count <= 7:
            count = words.ask_integer("Players: ")
        table = table_class(deck, rules)
        hands: list[list[int]] = [[] for _ in range(count)]
        dealer: list[int] = []
        for hand in order(hands, dealer):
            hand.append(table.card())
        console.write(f"Dealer shows {dealer[shown_card]}.\n")
        for number, hand in enumerate(hands, 1):
            table.let_play(console, words, f"Player {number}", hand)
        table.dealer_plays(console, dealer, hands)
        for number, hand in enumerate(hands, 1):
            console.write(f"Player {number} {'wins' if rules.wins(hand, dealer) else 'does not win'}.\n")

    return run(console, play, rules)


def _main_of_aces_asking_after_bust(console: Console, cards: object = None, rules: Rules = RULES) -> int:
    """The program of the stage aces, but a bust does not end the questions."""

    def play(console: Console, words: Words, deck: list[int], rules: Rules) -> None:
        table = _AsksAfterBust(deck, rules)
        hand = [table.card(), table.card()]
        corrected_console = replacing("You has", "You have")(console)
        table.let_play(corrected_console, words, "You", hand)
        console.write(f"Final total: {rules.total(hand)}\n")

    return run(console, play, rules)


def _rewrite_card_lines(change: Callable[[int, str, str], str]) -> Wrapper:
    """A console that changes the lines of the printed deck; `change` gets an index, a card's number and its value."""

    def rewrite(text: str) -> str:
        lines = [line.split() for line in text.splitlines()]
        if len(lines) < len(VALUES):
            return text
        return "".join(f"{change(index, *line)}\n" for index, line in enumerate(lines))

    return apply_to_text(rewrite)


def _table_mistake(id_: str, **change: object) -> Variant:
    return Variant(id_, ("table",), mains={"table": partial(_main_of_table, **change)})  # type: ignore[arg-type]


def _card_line_mistake(id_: str, change: Callable[[int, str, str], str]) -> Variant:
    return Variant(id_, ("shuffle",), consoles=(_rewrite_card_lines(change),))


def _output_mistake(id_: str, stages: tuple[str, ...], wrapper: Wrapper) -> Variant:
    return Variant(id_, stages, consoles=(wrapper,))


TABLES = (
    _card_line_mistake("order-stays", lambda index, card, value: f"{index + 1} {value}"),
    _card_line_mistake("values-stay", lambda index, card, value: f"{card} {VALUES[index % 13]}"),
    _card_line_mistake("value-before-order", lambda index, card, value: f"{value} {card}"),
    _card_line_mistake("cards-from-zero", lambda index, card, value: f"{int(card) - 1} {value}"),
    Variant("bust-at-21", _DEALING_STAGES, rules={"kind": _BustAt21}),
    Variant(
        "asked-after-bust",
        ("aces", "table"),
        mains={"aces": _main_of_aces_asking_after_bust, "table": partial(_main_of_table, table_class=_AsksAfterBust)},
    ),
    _output_mistake("stands-when-bust", ("dealer",), replacing("Dealer busts.", "Dealer stands.")),
    Variant("dealer-bust-forgotten", _STAGES_AGAINST_DEALER, rules={"kind": _DealerBustForgotten}),
    Variant("player-bust-forgotten", _STAGES_AGAINST_DEALER, rules={"kind": _HigherWins}),
    _table_mistake("shows-second-card", shown_card=1),
    _table_mistake("dealer-dealt-first", order=_order_dealer_first),
    _table_mistake("two-cards-at-once", order=_order_two_at_once),
    _output_mistake(
        "players-from-zero", ("table",), substituting(r"^Player ([1-7])", lambda match: f"Player {int(match[1]) - 1}")
    ),
    _output_mistake(
        "results-from-zero",
        ("table",),
        substituting(r"^Player ([1-7])(?= wins| does)", lambda match: f"Player {int(match[1]) - 1}"),
    ),
)
