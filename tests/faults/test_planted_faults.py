"""Wherever pitboss or its machine fails, no verdict is wrong, and nothing is left behind.

A session that could not be run is JUDGE_ERROR; all others are judged as without the fault. `python -m tests.faults`
prints a table of the outcomes of each kind.
"""

import pytest

from tests.faults.kinds import KINDS, faults
from tests.faults.small_check import RIGHT_VERDICTS, small_check
from tests.faults.test_run_again import LASTING_FAULTS

#: The faults of each kind that even a quick test run plants: up to three, spread over functions and calls.
SAMPLE = {kind: [fault for fault in faults(kind) if fault.call_number <= 2][1::17][:3] for kind in KINDS}


@pytest.fixture(scope="module")
def small():
    with small_check() as small:
        yield small


def assert_harmless(small, fault):
    """Assert that a fault makes no verdict wrong and leaves nothing behind; returns whether it happened."""
    outcome = small.outcome(fault, count=2 if fault.is_in_worker else 1)
    assert outcome.wrong == [], f"{fault}: {outcome.verdicts}"
    assert outcome.left == {}, str(fault)
    assert outcome.crash == "", str(fault)
    if not outcome.has_come:
        assert outcome.verdicts == RIGHT_VERDICTS, str(fault)
    return outcome.has_come


def test_every_place_where_a_fault_is_planted_exists():
    places = {fault.place for kind in KINDS for fault in faults(kind)} | {
        place for place, _, _ in LASTING_FAULTS.values()
    }
    assert [str(place) for place in places if not hasattr(place.owner, place.name)] == []


@pytest.mark.parametrize("fault", [fault for sample in SAMPLE.values() for fault in sample], ids=str)
def test_a_fault_makes_no_verdict_wrong_and_leaves_nothing_behind(small, fault):
    assert_harmless(small, fault)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_fault_of_a_kind_makes_a_verdict_wrong_or_leaves_anything(small, kind):
    exhausted, count = set(), 0  # a fault that did not happen will not happen at a later call either
    for fault in faults(kind):
        if (fault.place, fault.kind) not in exhausted:
            has_come = assert_harmless(small, fault)
            count += has_come
            exhausted |= set() if has_come else {(fault.place, fault.kind)}
    assert count > 10  # else the faults are planted where the check never comes
