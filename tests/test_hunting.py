"""The smallest failing game: found for the wrong examples in at most three typed lines, and none for a right one."""

import pytest

from harness.checking import hunted
from harness.drivers import find_conditions
from harness.holding import Job
from harness.hunting import games_of, vocabulary_of
from harness.transcript import EndingKind
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples" / "blackjack"


def hunt(blackjack, student, stage):
    chosen = blackjack.stage(stage)
    job = Job(blackjack, (chosen,), find_conditions("watched", "landlock"), "blackjack")
    return hunted(job, chosen, EXAMPLES / student, seconds=9)


@pytest.mark.parametrize(
    ("student", "stage"),
    [("barbara", "deal"), ("brian", "play"), ("dennis", "play"), ("edsger", "play"), ("ken", "deal")],
)
def test_a_wrong_example_fails_in_three_lines(blackjack, student, stage):
    found, count = hunt(blackjack, student, stage)
    assert found is not None
    loops = found.actual.ending.kind is EndingKind.OUT_OF_CPU_TIME  # then it never asks for the rest
    assert len(found.actual.lines if loops else found.expected.lines) <= 3
    assert count <= 2000
    assert f"pitboss check {stage} --assignment blackjack --seed" in found.replay


def test_a_right_example_survives_thousands_of_games(blackjack):
    found, count = hunt(blackjack, "ada", "play")
    assert found is None
    assert count > 1500


def test_games_are_made_of_what_is_typed_and_the_short_ones_come_first(blackjack):
    stage = blackjack.stage("play")
    vocabulary = vocabulary_of(stage)
    assert set(vocabulary[b"Hit or stand? [h/s] "]) == {b"h", b"s"}
    lengths = [len(game.lines) for game, _ in zip(games_of(stage), range(300), strict=False)]
    assert lengths == sorted(lengths)
