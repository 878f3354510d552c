from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack import betting, deal, play, shuffle
from reference.blackjack.betting import BET_PROMPT, FIRST_PROMPT, QUIT_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import main
from tests.reference.consoles import decks_with, session

WIN = "10♣ 10♦ 9♣ 8♦"
SEED_42 = """\
Place your bet: [0]
Bet must be between 1 and 1,000,000
Place your bet: [10]

 Player Dealer
|  K♠  |  4♦  |
|  7♥  |  **  |
Hit, stand or double down? [h/s/d] [d]
Bet doubled to 20
Hit or stand? [h/s] [h]

 Player Dealer
|  K♠  |  4♦  |
|  7♥  |  **  |
|  6♣  |      |
Player busts!

 Player Dealer
|  K♠  |  4♦  |
|  7♥  |  A♦  |
|  6♣  |      |
Dealer stands.

Final scores: Player 23, Dealer 15.
Dealer wins!
Winnings: -20
Enter 'q' to quit, anything else to play another hand: [c]
"""
HOSTILE_LINES = st.lists(
    st.one_of(
        st.sampled_from(["h", "s", "d", "q", "10", "", " ", "1", "0", "\x00", "h s", "Seed: ", BET_PROMPT.strip()]),
        st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"").decode("utf-8", "surrogateescape")),
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30),
        st.integers().map(str),
    ),
    max_size=40,
)


def refused_line(prompt: str, refusal: str, line: str) -> str:
    """The part of a conversation in which this line is refused and the prompt repeated."""
    return f"{prompt}[{line}]\n{refusal}\n{prompt}"


def test_seed_42_gives_this_conversation() -> None:
    console = session(main, "42", "0", "10", "d", "h", "c")
    assert "|\n~Dealer stands.\n" in console.transcript
    assert console.conversation == "Seed: [42]\n\n" + SEED_42 + "\nPlace your bet: \n"


BAD_INTEGERS = ["", " ", "x", "1.5", "+", "-", "--1", "1 2", "1x", "0x1", "1e3", "٣", "1\0", "\udcff", "9" * 5000]


@pytest.mark.parametrize("line", [*BAD_INTEGERS, "2147483648", "-2147483649"], ids=lambda line: repr(line)[:14])
def test_a_seed_that_is_not_an_int_is_refused(line: str) -> None:
    conversation = session(main, line, "1").conversation
    assert conversation.startswith(refused_line("Seed: ", "Seed must be an integer", line) + "[1]\n\nPlace your bet: ")


@pytest.mark.parametrize("line", ["0", "-0", "+0", "2147483647", "-2147483648", " \t+7\r", "0000000000000000000007"])
def test_a_seed_that_is_an_int_is_accepted(line: str) -> None:
    expected = session(betting.main, str(int(line)), "10").text
    assert session(main, line, "10").text == expected + "\n"


@pytest.mark.parametrize("line", [*BAD_INTEGERS, "0", "-1", "1000001", "1,000"], ids=lambda line: repr(line)[:14])
def test_a_bet_that_is_not_an_int_in_bounds_is_refused(line: str) -> None:
    conversation = session(main, "1", line, "10").conversation
    expected = refused_line(BET_PROMPT, "Bet must be between 1 and 1,000,000", line) + "[10]\n\n Player Dealer\n"
    assert conversation.startswith("Seed: [1]\n\n" + expected)


@pytest.mark.parametrize("line", ["1", "1000000", "+5", " 5 ", "\t5\r", "0005"])
def test_a_bet_in_bounds_is_accepted(line: str) -> None:
    text = session(main, "1", line, "d", cards=decks_with(WIN)).text
    assert f"Bet doubled to {2 * int(line)}\n" in text


UNKNOWN_COMMANDS = ["x", "", "H", "S", "D", "hh", "h s", "hit", "'", "%s", "ä", "\0", "\udcff\udcfe", "q", "h\u00a0"]
UNKNOWN_COMMANDS += ["s" * 100_000]


@pytest.mark.parametrize("line", UNKNOWN_COMMANDS, ids=lambda line: repr(line)[:14])
@pytest.mark.parametrize(
    ("earlier_lines", "prompt"), [((), FIRST_PROMPT), (("d",), HIT_OR_STAND)], ids=["at the first prompt", "later"]
)
def test_an_unknown_command_is_quoted_and_the_prompt_repeated(
    line: str, earlier_lines: tuple[str, ...], prompt: str
) -> None:
    conversation = session(main, "1", "10", *earlier_lines, line, "s", "q").conversation
    assert refused_line(prompt, f"Command '{line}' unrecognized", line) + "[s]\n\n Player Dealer\n" in conversation


@pytest.mark.parametrize("blanks", list(" \t\v\f\r"), ids=repr)
def test_blanks_around_a_command_are_not_shown(blanks: str) -> None:
    conversation = session(main, "1", "10", f"{blanks}x y{blanks}", blanks, f"{blanks}s{blanks}", "q").conversation
    assert "\nCommand 'x y' unrecognized\n" in conversation
    assert "\nCommand '' unrecognized\n" in conversation
    assert "Winnings" in conversation


def test_a_refused_command_does_not_count_as_the_first_decision() -> None:
    text = session(main, "1", "10", "x", "d", "s", "q", cards=decks_with(WIN)).text
    assert text.count(FIRST_PROMPT) == 2
    assert "Bet doubled to 20\n" in text


@pytest.mark.parametrize("first", ["h", "d"])
def test_a_double_after_the_first_decision_is_refused(first: str) -> None:
    deck = decks_with("2♣ 10♦ 3♣ 8♦ 4♣")
    conversation = session(main, "1", "10", first, "d", "s", "q", cards=deck).conversation
    refusal = "Double down can only be first command"
    assert refused_line(HIT_OR_STAND, refusal, "d") + "[s]\n\n Player Dealer\n" in conversation


def test_a_double_is_offered_again_in_the_next_hand() -> None:
    text = session(main, "1", "10", "d", "s", "c", "10", "d", "s", "q", cards=decks_with(WIN, WIN)).text
    assert text.count("Bet doubled to 20\n") == 2


@pytest.mark.parametrize(
    ("line", "plays_on"), [("q", False), (" q\t\r", False), ("Q", True), ("q q", True), ("", True)]
)
def test_only_a_line_with_nothing_but_q_quits(line: str, plays_on: bool) -> None:
    text = session(main, "1", "10", "s", line, cards=decks_with(WIN)).text
    assert text.endswith(QUIT_PROMPT + "\nPlace your bet: \n" if plays_on else QUIT_PROMPT)


@pytest.mark.parametrize("count", range(6))
def test_the_end_of_input_shows_one_newline_after_any_prompt(count: int) -> None:
    lines = ("1", "10", "d", "s", "c")
    text = session(main, *lines[:count], cards=decks_with(WIN)).text
    prompts = ["Seed: ", "\nPlace your bet: ", FIRST_PROMPT, HIT_OR_STAND, QUIT_PROMPT, "\nPlace your bet: "]
    assert text.endswith(prompts[count] + "\n")


def test_lines_are_not_split_into_words() -> None:
    text = session(main, "1", "10 s").text
    assert "Bet must be between 1 and 1,000,000\n" in text


@given(HOSTILE_LINES)
def test_any_session_ends_and_prompts_for_each_line_that_it_reads(lines: list[str]) -> None:
    console = session(main, *lines)
    assert console.reads <= len(lines) + 1
    prompts = ("Seed: ", BET_PROMPT, FIRST_PROMPT, HIT_OR_STAND, QUIT_PROMPT)
    assert console.reads == sum(console.text.count(prompt) for prompt in prompts)


@given(HOSTILE_LINES)
def test_valid_sessions_are_the_same_as_in_betting(lines: list[str]) -> None:
    answers = [line for line in lines if line in ("h", "s")]
    script = ("3", "10", *answers)
    text = session(betting.main, *script).text
    if text.count(BET_PROMPT) == 1:  # otherwise “h” or “s” is typed as a bet, and only `errors` says that it is wrong
        assert session(main, *script).text.removesuffix("\n") == text.removesuffix("\n")


@pytest.mark.parametrize(
    "program", [shuffle.main, deal.main, play.main, betting.main], ids=lambda main: main.__module__
)
@given(lines=HOSTILE_LINES)
def test_no_input_crashes_the_other_stages(program: object, lines: list[str]) -> None:
    session(program, *lines)  # type: ignore[arg-type]
