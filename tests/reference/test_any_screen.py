"""Players decide something on any screen, and readers read any: also those that no right program shows."""

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitboss.assignments.assignment import Generated
from pitboss.assignments.functions import parts_of, resolve_function
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.model.scripts import LONGEST_LINE
from pitboss.model.transcript import Shown, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.unseeded.replay import GivenDraws
from tests.conftest import ROOT

ASSIGNMENTS = {
    path.parent.name: load_assignment(path.parent) for path in sorted((ROOT / "specs").glob("*/assignment.yaml"))
}


PLAYERS = {
    (name, player.name): resolve_function(player.function, player.name)
    for name, one in ASSIGNMENTS.items()
    for player in one.players
}
READERS = {
    stage.reader: resolve_function(stage.reader, "a reader")
    for one in ASSIGNMENTS.values()
    for stage in one.stages
    if stage.reader
}


def sessions(name):
    """What the reference shows to a player in a few sessions of each stage, as conversations."""
    chance = random.Random(name)
    assignment = ASSIGNMENTS[name]
    for stage in assignment.stages:
        expected_run = expected_run_here(stage)
        for player in assignment.players[:8]:
            generated = Generated((chance.randrange(99) if assignment.is_seeded else None,), player)
            draws = [chance.choice(stage.draws.values) for _ in range(90)] if stage.reader else None
            input_script = input_script_of(generated, generated.seeds[0], "here")
            output = expected_run(input_script, GivenDraws(draws, stage.draws)) if draws else expected_run(input_script)
            yield [
                ("shown", event.text.decode()) if isinstance(event, Shown) else ("typed", event.line.decode())
                for event in output.events
                if isinstance(event, Shown | Typed)
            ]


CONVERSATIONS = {name: list(sessions(name)) for name in ASSIGNMENTS}
WORDS = {
    name: sorted({word for conversation in told for _, text in conversation for word in text.split(" ")})
    for name, told in CONVERSATIONS.items()
}
NINES = "9" * 5000
#: What makes trouble: cards as others write them, numbers of any length, letters that are
#: another one's small or capital form, and line ends that are none to a terminal.
TROUBLE = [
    *["T", "X", "6", "TS", "11H", "Ace", "King", "**", "(p)", "(d)"],
    *["Dealer", "Player", "hand", "Hand:", "Round 1", "ROUND"],
    *["-1", "1e999", "nan", "inf", "1.5.2", "٣", "²", NINES],
    *["", " ", ",", "ſ", "ı", "\u212a", "\n", "\r", "\x0b", "\x85", "\u2028", "\x00", "\udc80"],
]


@st.composite
def mutated(draw, name):
    """A conversation of a right program up to a question, with some of its words exchanged, lost, doubled or cut."""
    whole = draw(st.sampled_from(CONVERSATIONS[name]))
    questions = [index for index, (kind, _) in enumerate(whole) if kind == "shown"]
    kinds, texts = zip(*whole[: draw(st.sampled_from(questions)) + 1], strict=True)
    texts = list(texts)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(texts) - 1) | st.just(len(texts) - 1))
        parts = re.split(r"([ ,\n|]+)", texts[at])
        place = draw(st.integers(0, len(parts) - 1))
        changes = st.sampled_from(TROUBLE) | st.sampled_from(WORDS[name]) | st.text(max_size=4)
        parts[place] = draw(changes | st.just(parts[place] * 2) | st.just(parts[place][:-1]))
        texts[at] = "".join(parts)
    return list(zip(kinds, texts, strict=True))


def any_text(name):
    words = sorted(
        {word for conversation in CONVERSATIONS[name] for _, text in conversation for word in text.split(" ")}
    )
    return st.lists(st.sampled_from(TROUBLE) | st.sampled_from(words) | st.text(max_size=5)).map(" ".join)


def decides(player, shown, typed):
    line = player(shown, tuple(typed))
    if line is not None:
        assert isinstance(line, str)
        assert "\n" not in line
        assert len(line.encode("utf-8", "surrogateescape")) <= LONGEST_LINE


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_player_decides_something_whatever_is_shown(name):
    players = [player for (assignment, _), player in PLAYERS.items() if assignment == name]

    @settings(max_examples=60)
    @given(mutated(name), any_text(name))
    @example([], f"\nRound 1\nPlayer's hand is: {NINES}\nPlayer has {NINES} dollars\nEnter your bet: ")
    @example([], f"You have ², hand value\nYou have {NINES}, hand value is 1\nAnother (y/n)")
    @example([], f"Money <= {NINES}. Enter your bet.")
    @example([], f"(-{NINES})\n({NINES})\nYou have T, total {NINES}. [h/s] ")
    @example([], "Player's Hand: T, X, 6\nDealer's Hand: 5, X\n\nEnter command: ")
    @example([], "Player's hand is: Ace\nEnter (h)it, (s)tand or s(p)lit: ")
    def decide(conversation, text):
        typed = [line for kind, line in conversation if kind == "typed"]
        output = "".join(line for kind, line in conversation if kind == "shown")
        for player in players:
            decides(player, output, typed)
            decides(player, text, typed)
            decides(player, output + text, ())
            decides(player, text + output, ())

    decide()


@pytest.mark.parametrize("reader", READERS, ids=lambda name: parts_of(name).written)
def test_every_reader_reads_whatever_is_shown(reader):
    name = parts_of(reader).module.split(".")[1]
    read, values = READERS[reader], ASSIGNMENTS[name].stages[0].draws.values

    @settings(max_examples=120)
    @given(mutated(name), any_text(name))
    @example([("shown", "Player's ſecond Hand: 3S, JC\nPlayer's fırst Hand: 3S, JC\n")], "")
    @example([("shown", "a\x0bb\x85c\n\rYou have Knave, hand value is 3.\n")], "")
    def reads(conversation, text):
        for one in (
            conversation,
            [*conversation, ("shown", text)],
            [("shown", text), *conversation],
            [("typed", text)],
        ):
            reading = read(one)
            assert set(reading.draws) <= {*values, None}
            if reading.problem is not None:
                screen = "".join(text if kind == "shown" else f"{text}\n" for kind, text in one)
                assert reading.problem.found == screen.split("\n")[reading.problem.line - 1]

    reads()
