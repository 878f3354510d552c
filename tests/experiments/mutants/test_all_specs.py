"""The specs of the assignments against the mutants of their references: each is caught, or listed with its reason.

A mutant that is caught lies on a line that a session ran; a line that none runs is listed too, with its reason.
"""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.mutants.mutant_list import load_listed
from pitboss.experiments.mutants.stages import summary_of
from tests.conftest import ROOT

#: How many mutants each stage has at least: fewer would mean that changes are not made any more.
LEAST = {
    ("bjm0", "shuffle"): 700,
    ("bjm0", "aces"): 950,
    ("bjm0", "dealer"): 1000,
    ("bjm0", "table"): 1350,
    ("bjm0", "chances"): 1500,
    ("blackjack", "shuffle"): 800,
    ("blackjack", "deal"): 1100,
    ("blackjack", "play"): 1600,
    ("blackjack", "betting"): 2000,
    ("blackjack", "errors"): 2100,
    ("blackjack", "extra"): 1700,
    ("csc101", "basic"): 1650,
    ("csc101", "reshuffle"): 1700,
    ("csc101", "split"): 2250,
    ("csc101", "betting"): 2050,
    ("csc101", "errors"): 1800,
    ("ece2036", "blackjack"): 2000,
    ("ece2036", "double"): 2100,
    ("ece2036", "split"): 2200,
    ("tournament", "minimum"): 1200,
    ("tournament", "blackjack"): 1350,
    ("tournament", "aces"): 1400,
}
ASSIGNMENTS = {name: load_assignment(ROOT / "specs" / name) for name, _ in LEAST}


def summary(name, stage, **options):
    assignment = ASSIGNMENTS[name]
    return summary_of(assignment, assignment.stage(stage), load_listed(assignment), **options)


def assert_caught_or_listed(found, name):
    assert (found.survivors, found.unlisted) == ((), ())
    stage = found.stage.name
    assert load_listed(ASSIGNMENTS[name]).problems({stage: found.tried}, {stage: found.unreached}) == []


@pytest.mark.slow
@pytest.mark.rotates("mutants")
@pytest.mark.parametrize(("name", "stage"), LEAST, ids=[" ".join(one) for one in LEAST])
def test_every_mutant_is_caught_or_listed_and_every_entry_fits(name, stage):
    found = summary(name, stage)
    assert_caught_or_listed(found, name)
    assert len(found.tried) >= LEAST[name, stage]


def test_every_stage_is_here():
    assert list(LEAST) == [
        (name, stage.name) for name, assignment in ASSIGNMENTS.items() for stage in assignment.stages
    ]


def test_the_mutants_of_one_stage_are_caught_or_listed():
    """A part of the above that takes some seconds."""
    found = summary("bjm0", "shuffle", jobs=1)
    assert_caught_or_listed(found, "bjm0")
    assert len(found.tried) > 500
