"""The named players decide by the screen alone, and each of them ends every session."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack import betting, deal, errors, play, shuffle
from reference.blackjack.players import MAX_LINES, PLAYERS, Player
from reference.blackjack.rules import points
from reference.blackjack.screen import hands_played, player_hand
from reference.blackjack.table import table
from reference.cards import FRESH_DECK
from tests.reference.consoles import ScriptedConsole

PROGRAMS = {program.__name__.rpartition(".")[2]: program.main for program in (shuffle, deal, play, betting, errors)}


class PlayedConsole(ScriptedConsole):
    """A console that types a seed, and then the answers of a player to the text shown."""

    def __init__(self, seed: int, player: Player) -> None:
        super().__init__(())
        self.typed: list[str] = []
        self._seed, self._player = seed, player

    def read_line(self) -> str | None:
        self.reads += 1
        line = self._player(self.text, tuple(self.typed)) if self.typed else str(self._seed)
        if line is not None:
            self.typed.append(line)
            self.conversation += f"[{line}]\n"
        return line


def play_with(program: Callable[..., int], player: str, seed: int) -> PlayedConsole:
    console = PlayedConsole(seed, PLAYERS[player])
    assert program(console) == 0
    return console


@pytest.mark.parametrize("stage", PROGRAMS)
@pytest.mark.parametrize("player", PLAYERS)
def test_a_player_ends_each_stage_and_always_plays_the_same(player: str, stage: str) -> None:
    for seed in range(-3, 12):
        console = play_with(PROGRAMS[stage], player, seed)
        assert not any("\n" in line or len(line.encode()) > 4000 for line in console.typed)
        assert play_with(PROGRAMS[stage], player, seed).conversation == console.conversation


@pytest.mark.parametrize("stage", ["betting", "errors"])
@pytest.mark.parametrize("player", [name for name in PLAYERS if name not in ("make every error", "double too late")])
def test_a_player_for_money_types_no_refused_line_and_quits(player: str, stage: str) -> None:
    for seed in range(1, 10):
        console = play_with(PROGRAMS[stage], player, seed)
        assert console.typed[-1] == "q"
        assert len(console.typed) < MAX_LINES / 2
        assert not any(word in console.text for word in ("must be", "unrecognized", "can only"))


@pytest.mark.parametrize(
    ("player", "expected"),
    [("one hand", 1), ("stand at once", 2), ("five hands", 5), ("odd bets", 12), ("twenty hands", 20)],
)
def test_a_player_quits_after_its_number_of_hands(player: str, expected: int) -> None:
    for seed in range(1, 10):
        assert hands_played(play_with(betting.main, player, seed).text) == expected


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ("stand at once", lambda typed: set(typed) == {"s"}),
        ("hit once", lambda typed: typed in (["h", "s"], ["h"], ["h", "s"] * 2)),
        ("hit until bust", lambda typed: set(typed) == {"h"}),
    ],
    ids=["stand at once", "hit once", "hit until bust"],
)
def test_a_simple_player_does_what_its_name_says(player: str, expected: Callable[[list[str]], bool]) -> None:
    for seed in range(1, 23):
        assert expected(play_with(play.main, player, seed).typed[1:])


@pytest.mark.parametrize(("player", "limit"), [("hit below 17", 17), ("hit below 21", 21)])
def test_a_careful_player_hits_below_a_limit(player: str, limit: int) -> None:
    for seed in range(1, 60):
        console = play_with(play.main, player, seed)
        for game in console.text.split("Push! Play again.\n"):
            *earlier_totals, last_total = [points(player_hand(screen)) for screen in _screens(game)]
            assert all(total < limit for total in earlier_totals)
            assert last_total >= limit


def _screens(game: str) -> list[str]:
    """The text of a game up to each prompt, and up to the player's bust."""
    pieces = game.replace("Player busts!", "Hit or stand? [h/s] ").split("Hit or stand? [h/s] ")[:-1]
    return ["".join(pieces[: count + 1]) for count in range(len(pieces))]


def test_the_doubler_doubles_on_9_to_11_only() -> None:
    doubled = set()
    for seed in range(1, 80):
        console = play_with(betting.main, "double on 9 to 11", seed)
        for piece in console.conversation.split("[d]\n")[:-1]:
            doubled.add(points(player_hand(piece)))
    assert doubled == {9, 10, 11}


def test_odd_bets_lead_to_winnings_with_halves() -> None:
    assert any(".5\n" in play_with(betting.main, "odd bets", seed).text for seed in range(1, 20))


def test_the_error_maker_causes_every_refusal_and_plays_on() -> None:
    for seed in range(1, 30):
        text = play_with(errors.main, "make every error", seed).text
        refusals = (
            "Bet must be",
            "Command 'x' unr",
            "Command '' unr",
            "Command 'H' unr",
            "Double down can only",
            "doubled",
        )
        assert [refusal for refusal in refusals if refusal not in text] == []
        assert hands_played(text) == 2


def test_the_late_doubler_ends_the_input_at_a_bet() -> None:
    console = play_with(errors.main, "double too late", 2)
    assert console.text.endswith("Place your bet: \n")
    assert "Double down can only be first command" in console.text


@pytest.mark.parametrize("player", PLAYERS)
def test_a_player_ends_the_input_of_a_program_that_never_ends(player: str) -> None:
    typed: list[str] = []
    while (line := PLAYERS[player]("Hit or stand? [h/s] ", tuple(typed))) is not None:
        typed.append(line)
    assert len(typed) <= MAX_LINES


@pytest.mark.parametrize("player", PLAYERS)
def test_a_player_types_a_seed_when_the_seed_is_asked_for_again(player: str) -> None:
    assert PLAYERS[player]("Seed: Seed must be an integer\nSeed: ", ("x",)) == "1"


@given(st.lists(st.sampled_from(FRESH_DECK), min_size=1), st.lists(st.sampled_from(FRESH_DECK)), st.booleans())
def test_the_hand_on_the_screen_is_the_hand_on_the_table(
    player: list[int], dealer: list[int], hides_a_card: bool
) -> None:
    earlier = table([102, 103], [104, 105])
    assert (
        player_hand(earlier + table(player, dealer, hidden=1 if hides_a_card else -1) + "Hit or stand? [h/s] ")
        == player
    )


def test_there_is_no_hand_before_the_first_table() -> None:
    assert player_hand("Seed: ") == []
