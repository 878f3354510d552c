"""Programs whose mistake shows in only one of several hundred deals are always rejected, and correct ones accepted."""

import pytest

from benchmarks import rare
from pitboss.assignments.options import setting_with, with_setting
from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.catalogue import mistakes_of
from tests.conftest import ROOT
from tests.parts import required_compilers

EXAMPLES = [
    pytest.param(
        name, marks=pytest.mark.needs(*required_compilers(ROOT / "examples" / name / example.student)), id=name
    )
    for name, example in rare.EXAMPLES.items()
]
#: Each changes all draws of a program. With 1 and 3, csc101's mistake shows first in sessions that are left out because
#: of another feature.
SALTS = range(5)


@pytest.mark.slow
@pytest.mark.parametrize("salt", SALTS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_mistake_shown_by_one_deal_in_hundreds_is_always_rejected(name, salt):
    verdict, _, _ = rare.run(name, salt, is_wrong=True)
    assert verdict == "WRONG_ANSWER"


@pytest.mark.slow
@pytest.mark.parametrize("salt", SALTS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_correct_program_is_accepted_with_every_mistake_exposed(name, salt):
    verdict, _, _ = rare.run(name, salt, is_wrong=False)
    assert verdict == "ACCEPTED"


#: Each: an assignment, a stage, an option, a mistake, and with which values of the option it can be seen.
SOUGHT = [
    ("csc101", "betting", "halves", "half-without-zero", {"kept": True, "cents": True, "down": False, "up": False}),
    (
        "ece2036",
        "blackjack",
        "shows_dealer_after_blackjack",
        "blackjack-beats-blackjack",
        {"always": True, "push": True, "never": False},
    ),
]


@pytest.mark.parametrize(("assignment", "stage_name", "keyword", "id_", "expected"), SOUGHT)
def test_a_mistake_is_sought_only_with_the_values_of_options_with_which_it_can_be_seen(
    assignment, stage_name, keyword, id_, expected
):
    stage = load_assignment(ROOT / "specs" / assignment).stage(stage_name)
    (values,) = (option.values for option in stage.options if option.keyword == keyword)
    settings = [setting_with(stage.options, {keyword: value.value}) for value in values]
    mistakes = [mistakes_of(with_setting(stage, setting)) for setting in settings]
    is_sought = {
        value.value: any(mistake.id == id_ for mistake in found) for value, found in zip(values, mistakes, strict=True)
    }
    assert is_sought == expected
