import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.assignments.assignment import Answers, Generated
from pitboss.assignments.players import MAX_LINES, input_script_of
from pitboss.model.transcript import InputEnded
from pitboss.sessions.references import expected_run_of
from reference.blackjack.players import player_hand

PLAYERS_OF_STAGE = {
    "play": ["stand at once", "hit below 17", "hit below 21", "hit until bust"],
    "betting": ["one hand", "five hands", "double on 9 to 11", "odd bets", "always double", "bet the table limits"],
    "errors": ["one hand", "five hands", "odd bets", "make every error", "double too late"],
}
PAIRS = [(stage, player) for stage, players in PLAYERS_OF_STAGE.items() for player in players]


@pytest.mark.parametrize(("stage", "name"), PAIRS)
def test_a_player_ends_the_session(blackjack, stage, name):
    player = next(player for player in blackjack.players if player.name == name)
    expected_run = expected_run_of(blackjack.stage(stage), None)

    @settings(max_examples=60)
    @given(st.integers(-(2**31), 2**31 - 1))
    def check_session(seed):
        transcript = expected_run(input_script_of(Generated((seed,), player), seed, "here:1"))
        assert len(transcript.lines) < min(200, MAX_LINES)
        assert name == "double too late" or not any(isinstance(event, InputEnded) for event in transcript.events)

    check_session()


def test_the_hand_is_read_from_the_last_table():
    screen = (
        "\n Player Dealer\n|  9♠  |  A♠  |\n\n Player Dealer\n|  8♣  |  9♠  |\n| 10♦  |  **  |\nHit or stand? [h/s] "
    )
    assert player_hand(screen) == [108, 210]


def test_the_player_that_makes_every_error_causes_every_message(blackjack):
    player = next(player for player in blackjack.players if player.name == "make every error")
    expected_run = expected_run_of(blackjack.stage("errors"), None)
    output = b"".join(
        expected_run(input_script_of(Generated((seed,), player), seed, "here:1")).text for seed in range(1, 11)
    )
    for message in (b"Bet must be between", b"' unrecognized", b"Double down can only be first command"):
        assert message in output


def test_the_last_answer_is_repeated_while_the_program_asks():
    script = input_script_of(Generated((1,), Answers((b"10", b"h"))), 1, "here:1")
    assert [script(()) for _ in range(5)] == [b"1", b"10", b"h", b"h", b"h"]
    # The seed and the two answers are followed by MAX_LINES repetitions; the script has returned five lines above.
    assert sum(script(()) is not None for _ in range(2 * MAX_LINES)) == MAX_LINES + 3 - 5
