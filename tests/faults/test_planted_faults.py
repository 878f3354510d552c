"""Wherever pitboss or its machine fails, no verdict is wrong, and nothing is left behind.

A session that could not be run is JUDGE_ERROR; all others are judged as without the fault. `python -m tests.faults`
prints a table of the outcomes of each kind.
"""

import pytest

from tests.faults.kinds import KINDS, faults
from tests.faults.small_check import RIGHT_VERDICTS, small_check
from tests.faults.test_run_again import LASTING_FAULTS


def sample_of(kind):
    """Up to three faults of this kind, which even a quick test run plants: of different functions, at an early call."""
    early_faults = [fault for fault in faults(kind) if fault.call_number <= 2]
    return early_faults[1::17][:3]  # every 17th, so that different functions and calls occur


@pytest.fixture(scope="module")
def small():
    with small_check() as small:
        yield small


def assert_harmless(small, fault):
    """Assert that a fault makes no verdict wrong and leaves nothing behind; return whether it happened."""
    outcome = small.outcome(fault, workers=2 if fault.is_in_worker else 1)
    assert outcome.wrong == [], f"{fault}: {outcome.verdicts}"
    assert outcome.left == {}, str(fault)
    assert outcome.crash == "", str(fault)
    if not outcome.has_happened:
        assert outcome.verdicts == RIGHT_VERDICTS, str(fault)
    return outcome.has_happened


def test_every_place_where_a_fault_is_planted_exists():
    places = {fault.place for kind in KINDS for fault in faults(kind)} | {
        place for place, _, _ in LASTING_FAULTS.values()
    }
    assert [str(place) for place in places if not hasattr(place.owner, place.name)] == []


@pytest.mark.parametrize("fault", [fault for kind in KINDS for fault in sample_of(kind)], ids=str)
def test_a_fault_makes_no_verdict_wrong_and_leaves_nothing_behind(small, fault):
    assert_harmless(small, fault)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_fault_of_a_kind_makes_a_verdict_wrong_or_leaves_anything(small, kind):
    exhausted, happened_count = set(), 0
    for fault in faults(kind):
        if (fault.place, fault.name) in exhausted:
            continue
        if assert_harmless(small, fault):
            happened_count += 1
        else:  # the check does not call this function so often, so a fault at a later call cannot happen either
            exhausted.add((fault.place, fault.name))
    assert happened_count > 10, "most faults are planted in functions that the check does not call"
