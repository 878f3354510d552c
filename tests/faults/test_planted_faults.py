"""Whatever fails on our side, and whenever: no verdict is wrong, and nothing is left.

A session that could not be run is JUDGE_ERROR, all others are judged as without the fault. `python -m tests.faults`
prints what came of each kind as a table.
"""

import pytest

from tests.faults.kinds import KINDS, faults
from tests.faults.small_check import RIGHT, small_check
from tests.faults.test_run_again import LASTING

#: A fault that is tried also where little time is: of each kind some, spread over what fails and when.
SAMPLE = {kind: [fault for fault in faults(kind) if fault.at <= 2][1::17][:3] for kind in KINDS}


@pytest.fixture(scope="module")
def small():
    with small_check() as small:
        yield small


def hold(small, fault):
    """Check with a fault; returns whether the check came to it."""
    outcome = small.outcome(fault, count=2 if fault.is_in_worker else 1)
    assert outcome.wrong == [], f"{fault}: {outcome.verdicts}"
    assert outcome.left == {}, str(fault)
    assert outcome.crash == "", str(fault)
    if not outcome.has_come:
        assert outcome.verdicts == RIGHT, str(fault)
    return outcome.has_come


def test_every_place_where_a_fault_is_planted_exists():
    places = {fault.place for kind in KINDS for fault in faults(kind)} | {place for place, _, _ in LASTING.values()}
    assert [str(place) for place in places if not hasattr(place.owner, place.name)] == []


@pytest.mark.parametrize("fault", [fault for some in SAMPLE.values() for fault in some], ids=str)
def test_a_fault_of_ours_wrongs_nobody_and_leaves_nothing(small, fault):
    hold(small, fault)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nor_does_any_other_of_its_kind(small, kind):
    over, came = set(), 0
    for fault in faults(kind):
        if (fault.place, fault.kind) not in over:
            has_come = hold(small, fault)
            came += has_come
            over |= set() if has_come else {(fault.place, fault.kind)}
    assert came > 10
