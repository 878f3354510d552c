"""The specs of the assignments against the mutants of their references: each is caught, or listed with its reason."""

import pytest

from pitboss.harness.assignments.specfile import load_assignment
from pitboss.harness.mutants.listed import load_listed
from pitboss.harness.mutants.stages import summary_of
from tests.conftest import ROOT

#: The assignments whose specs catch every mutant, and how many there are at least.
DONE = {"bjm0": 5600, "blackjack": 9400, "csc101": 9000, "ece2036": 5800, "tournament": 3800}


@pytest.mark.slow
@pytest.mark.parametrize("name", DONE)
def test_every_mutant_is_caught_or_listed_and_every_entry_fits(name):
    assignment = load_assignment(ROOT / "specs" / name)
    listed = load_listed(assignment)
    found = [summary_of(assignment, stage, listed) for stage in assignment.stages]
    assert [(one.stage.name, id_) for one in found for id_ in one.survivors] == []
    assert [(one.stage.name, line) for one in found for line in one.unlisted] == []
    assert (
        listed.problems({one.stage.name: one.tried for one in found}, {one.stage.name: one.unreached for one in found})
        == []
    )
    assert sum(len(one.tried) for one in found) >= DONE[name]


def test_the_mutants_of_one_stage_are_caught_or_listed():
    """A part of the above that takes some seconds."""
    assignment = load_assignment(ROOT / "specs" / "bjm0")
    stage = assignment.stage("shuffle")
    found = summary_of(assignment, stage, load_listed(assignment), jobs=1)
    assert (found.survivors, found.unlisted) == ((), ())
    assert len(found.tried) > 500
