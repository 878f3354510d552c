"""A slip in a feature costs the stage of that feature, and no stage that is about something else."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from pitboss.assignments.options import Option, OptionValue
from pitboss.assignments.rules import Rule
from pitboss.compare.outcome import Outcome
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import Shown, Typed, canonical
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.other_features import without_other_features

DOUBLE = Option(
    "double", "double", (OptionValue("without doubling", False), OptionValue("with doubling", True)), shows="doubled"
)
STAGE = SimpleNamespace(options=(DOUBLE,))
STAGES = [
    SimpleNamespace(
        name="double", rules=(Rule("doubled", r"\(d\)ouble: d$"),), spec=SimpleNamespace(path=Path("double.yaml"))
    )
]
WITH, WITHOUT = (Selection(STAGE, "", setting, "", (), ()) for setting in ((1,), (0,)))


def session(*answers, wrong_after=None, verdict=Verdict.WRONG_ANSWER, place=""):
    """The result of a session with these answers; wrong so many answers and lines after its beginning."""
    events = canonical(
        [one for answer in answers for one in (Shown(b"Hit or (d)ouble: "), Typed(answer.encode()), Shown(b"Card\n"))]
    )
    if wrong_after is None:
        return SimpleNamespace(verdict=Verdict.ACCEPTED, difference=None, expected=SimpleNamespace(events=events))
    cut = [index for index, event in enumerate(events) if isinstance(event, Typed)][wrong_after - 1] + 2
    quoted = SimpleNamespace(expected_before=events[:cut])
    difference = SimpleNamespace(quoted=quoted, place=place)
    return SimpleNamespace(verdict=verdict, difference=difference, expected=SimpleNamespace(events=events))


RIGHT = [session("h", "s")] * 20
SLIP = session("h", "d", "s", wrong_after=2)


def verdict_of(results, chosen=WITH, stage=STAGE, **more):
    outcome = without_other_features(Outcome(tuple(results), **more), chosen, stage, STAGES)
    return outcome.verdict, len(outcome.counted_results), outcome.judged_as


def test_a_stage_is_judged_without_the_sessions_of_a_feature_that_it_is_not_about():
    results = [*RIGHT, SLIP, session("d", "s"), SLIP]
    assert verdict_of(results, judged_as="with doubling") == (
        Verdict.ACCEPTED,
        20,
        "with doubling, without the 3 sessions with doubling, of which 2 are wrong",
    )


def test_a_key_that_asks_for_the_feature_where_it_is_not_offered_is_of_the_feature_too():
    events = (Shown(b"Hit or stand: "), Typed(b"d"), Shown(b"No.\n"))
    unoffered = SimpleNamespace(
        verdict=Verdict.WRONG_ANSWER,
        difference=SimpleNamespace(quoted=SimpleNamespace(expected_before=events[:2]), place=""),
        expected=SimpleNamespace(events=events),
    )
    assert verdict_of([*RIGHT, unoffered])[0] is Verdict.WRONG_ANSWER  # nobody knows that d asks for it
    assert verdict_of([*RIGHT, unoffered, session("d")])[:2] == (Verdict.ACCEPTED, 20)


@pytest.mark.parametrize(
    "results",
    [
        pytest.param([*RIGHT, SLIP, session("h", "s", wrong_after=2)], id="one differs without the feature"),
        pytest.param([*RIGHT, session("d", "H", "s", wrong_after=2)], id="one differs after another key"),
        pytest.param([*RIGHT, session("h", "d", wrong_after=1)], id="one differs before it"),
        pytest.param([*RIGHT[:11], SLIP], id="too few are without the feature"),
        pytest.param([*RIGHT, *[SLIP] * 6], id="too few for so many that differ"),
        pytest.param([*RIGHT, session("d", wrong_after=1, verdict=Verdict.RUN_TIME_ERROR)], id="one crashes"),
        pytest.param([*RIGHT, session("d", wrong_after=1, place="a file")], id="one differs in a file"),
    ],
)
def test_what_may_be_of_the_stage_itself_costs_the_stage(results):
    assert verdict_of(results)[0] is not Verdict.ACCEPTED
    assert verdict_of(results)[1] == len(results)


def test_the_stage_of_the_feature_and_a_program_without_it_are_judged_as_they_are():
    subject = SimpleNamespace(
        options=(Option(**{name: getattr(DOUBLE, name) for name in DOUBLE.__struct_fields__} | {"is_subject": True}),)
    )
    assert verdict_of([*RIGHT, SLIP], stage=subject)[0] is Verdict.WRONG_ANSWER
    assert verdict_of([*RIGHT, SLIP], chosen=WITHOUT)[0] is Verdict.WRONG_ANSWER
    assert verdict_of([*RIGHT, SLIP], findings=("It never draws an ace.",))[0] is Verdict.WRONG_ANSWER
