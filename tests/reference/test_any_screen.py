import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitboss.assignments.assignment import Generated
from pitboss.assignments.functions import parse_function_name, resolve_function
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.model.invocation import LONGEST_LINE
from pitboss.model.transcript import Shown, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.unseeded.replay import GivenDraws
from tests.conftest import ROOT

ASSIGNMENTS = {
    path.parent.name: load_assignment(path.parent) for path in sorted((ROOT / "specs").glob("*/assignment.yaml"))
}


#: By the names of assignment and player.
PLAYERS = {
    (name, player.name): resolve_function(player.function, player.name)
    for name, assignment in ASSIGNMENTS.items()
    for player in assignment.players
}
READERS = {
    stage.reader: resolve_function(stage.reader, "a reader")
    for assignment in ASSIGNMENTS.values()
    for stage in assignment.stages
    if stage.reader
}


def play_reference_conversations(name):
    """Conversations of the reference with players: one session of each stage with each of the first eight players."""
    rng = random.Random(name)
    assignment = ASSIGNMENTS[name]
    for stage in assignment.stages:
        expected_run = expected_run_here(stage)
        for player in assignment.players[:8]:
            seed = rng.randrange(99) if assignment.is_seeded else None
            generated = Generated((seed,), player)
            draws = [rng.choice(stage.draws.values) for _ in range(90)] if stage.reader else None
            input_script = input_script_of(generated, seed, "here")
            output = expected_run(input_script, GivenDraws(draws, stage.draws)) if draws else expected_run(input_script)
            yield [
                ("shown", event.text.decode()) if isinstance(event, Shown) else ("typed", event.line.decode())
                for event in output.events
                if isinstance(event, Shown | Typed)
            ]


#: By assignment: conversations, each a list of pairs: "shown" or "typed", and the text.
CONVERSATIONS = {name: list(play_reference_conversations(name)) for name in ASSIGNMENTS}
WORDS = {
    name: sorted({word for conversation in conversations for _, text in conversation for word in text.split(" ")})
    for name, conversations in CONVERSATIONS.items()
}
NINES = "9" * 5000
#: Words that players and readers may misread: cards in other notations, numbers of any length, letters whose upper or
#: lower case is an ASCII letter, and characters that end a line for Python but not on a terminal.
TROUBLESOME_WORDS = [
    *["T", "X", "6", "TS", "11H", "Ace", "King", "**", "(p)", "(d)"],
    *["Dealer", "Player", "hand", "Hand:", "Round 1", "ROUND"],
    *["-1", "1e999", "nan", "inf", "1.5.2", "٣", "²", NINES],
    *["", " ", ",", "ſ", "ı", "\u212a", "\n", "\r", "\x0b", "\x85", "\u2028", "\x00", "\udc80"],
]


@st.composite
def mutated_conversation(draw, name):
    """A correct program's conversation up to a question, with some words replaced, left out, doubled or shortened."""
    conversation = draw(st.sampled_from(CONVERSATIONS[name]))
    questions = [index for index, (kind, _) in enumerate(conversation) if kind == "shown"]
    kinds, texts = zip(*conversation[: draw(st.sampled_from(questions)) + 1], strict=True)
    texts = list(texts)
    for _ in range(draw(st.integers(0, 5))):
        text_index = draw(st.integers(0, len(texts) - 1) | st.just(len(texts) - 1))
        parts = re.split(r"([ ,\n|]+)", texts[text_index])
        part_index = draw(st.integers(0, len(parts) - 1))
        replacements = st.sampled_from(TROUBLESOME_WORDS) | st.sampled_from(WORDS[name]) | st.text(max_size=4)
        parts[part_index] = draw(replacements | st.just(parts[part_index] * 2) | st.just(parts[part_index][:-1]))
        texts[text_index] = "".join(parts)
    return list(zip(kinds, texts, strict=True))


def any_text(name):
    """A strategy for texts of troublesome words, words of the assignment's programs and arbitrary words."""
    words = st.sampled_from(TROUBLESOME_WORDS) | st.sampled_from(WORDS[name]) | st.text(max_size=5)
    return st.lists(words).map(" ".join)


def assert_valid_answer(player, shown, typed):
    """Assert that the player ends the input or types a single line of a permitted length."""
    line = player(shown, tuple(typed))
    if line is not None:
        assert isinstance(line, str)
        assert "\n" not in line
        assert len(line.encode("utf-8", "surrogateescape")) <= LONGEST_LINE


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_player_gives_a_valid_answer_to_any_screen(name):
    players = [player for (assignment, _), player in PLAYERS.items() if assignment == name]

    @settings(max_examples=60)
    @given(mutated_conversation(name), any_text(name))
    @example([], f"\nRound 1\nPlayer's hand is: {NINES}\nPlayer has {NINES} dollars\nEnter your bet: ")
    @example([], f"You have ², hand value\nYou have {NINES}, hand value is 1\nAnother (y/n)")
    @example([], f"Money <= {NINES}. Enter your bet.")
    @example([], f"(-{NINES})\n({NINES})\nYou have T, total {NINES}. [h/s] ")
    @example([], "Player's Hand: T, X, 6\nDealer's Hand: 5, X\n\nEnter command: ")
    @example([], "Player's hand is: Ace\nEnter (h)it, (s)tand or s(p)lit: ")
    def check_players(conversation, text):
        typed = [line for kind, line in conversation if kind == "typed"]
        screen = "".join(line for kind, line in conversation if kind == "shown")
        for player in players:
            assert_valid_answer(player, screen, typed)
            assert_valid_answer(player, text, typed)
            assert_valid_answer(player, screen + text, ())
            assert_valid_answer(player, text + screen, ())

    check_players()


@pytest.mark.parametrize("reader", READERS, ids=lambda name: parse_function_name(name).written)
def test_every_reader_can_read_any_screen(reader):
    name = parse_function_name(reader).module.split(".")[1]  # the assignment's, as in reference.csc101.reader
    reader_function, values = READERS[reader], ASSIGNMENTS[name].stages[0].draws.values

    @settings(max_examples=120)
    @given(mutated_conversation(name), any_text(name))
    @example([("shown", "Player's ſecond Hand: 3S, JC\nPlayer's fırst Hand: 3S, JC\n")], "")
    @example([("shown", "a\x0bb\x85c\n\rYou have Knave, hand value is 3.\n")], "")
    def check_reader(conversation, text):
        for variant in (
            conversation,
            [*conversation, ("shown", text)],
            [("shown", text), *conversation],
            [("typed", text)],
        ):
            reading = reader_function(variant)
            assert set(reading.draws) <= {*values, None}
            if reading.problem is not None:
                screen = "".join(part if kind == "shown" else f"{part}\n" for kind, part in variant)
                assert reading.problem.found == screen.split("\n")[reading.problem.line - 1]

    check_reader()
