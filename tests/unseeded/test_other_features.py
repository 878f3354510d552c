"""A slip in a feature fails the stage of that feature, but no stage that is about something else."""

from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from pitboss.assignments.options import Option, OptionValue
from pitboss.assignments.rules import Rule
from pitboss.compare.outcome import Outcome
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import Shown, Typed, canonical
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.other_features import without_other_features

DOUBLE = Option(
    "double",
    "double",
    (OptionValue("without doubling", False), OptionValue("with doubling", True)),
    feature_rule="doubled",
)
#: The stage that is judged.
STAGE = SimpleNamespace(options=(DOUBLE,))
#: The stages that are about a feature: only one, about doubling.
FEATURE_STAGES = [
    SimpleNamespace(
        name="double", rules=(Rule("doubled", r"\(d\)ouble: d$"),), spec=SimpleNamespace(path=Path("double.yaml"))
    )
]
WITH_DOUBLING, WITHOUT_DOUBLING = (Selection(STAGE, "", setting, "", (), ()) for setting in ((1,), (0,)))


def session_result(*answers, wrong_after=None, verdict=Verdict.WRONG_ANSWER, place=""):
    """The result of a session with these answers.

    With `wrong_after`, the result is wrong: it differs in the line after the answer with this number, from 1.
    """
    events = canonical(
        [
            event
            for answer in answers
            for event in (Shown(b"Hit or (d)ouble: "), Typed(answer.encode()), Shown(b"Card\n"))
        ]
    )
    if wrong_after is None:
        return SimpleNamespace(verdict=Verdict.ACCEPTED, difference=None, expected=SimpleNamespace(events=events))
    typed_indexes = [index for index, event in enumerate(events) if isinstance(event, Typed)]
    end = typed_indexes[wrong_after - 1] + 2  # includes the answer and the text after it
    quoted = SimpleNamespace(expected_before=events[:end])
    difference = SimpleNamespace(quoted=quoted, place=place)
    return SimpleNamespace(verdict=verdict, difference=difference, expected=SimpleNamespace(events=events))


ACCEPTED_SESSIONS = [session_result("h", "s")] * 20
DOUBLING_SLIP = session_result("h", "d", "s", wrong_after=2)


def judge_outcome(results, selection=WITH_DOUBLING, stage=STAGE, **fields):
    """The verdict on these results, the number of results that count for it, and what the program was judged as.

    `fields` are further fields of the outcome.
    """
    outcome = without_other_features(Outcome(tuple(results), **fields), selection, stage, FEATURE_STAGES)
    return outcome.verdict, len(outcome.counted_results), outcome.judged_as


def test_sessions_with_another_stages_feature_are_not_counted():
    results = [*ACCEPTED_SESSIONS, DOUBLING_SLIP, session_result("d", "s"), DOUBLING_SLIP]
    assert judge_outcome(results, judged_as="with doubling") == (
        Verdict.ACCEPTED,
        20,
        "with doubling, without the 3 sessions with doubling, of which 2 are wrong",
    )


def test_a_feature_key_typed_where_it_is_not_offered_belongs_to_the_feature():
    events = (Shown(b"Hit or stand: "), Typed(b"d"), Shown(b"No.\n"))
    unoffered = SimpleNamespace(
        verdict=Verdict.WRONG_ANSWER,
        difference=SimpleNamespace(quoted=SimpleNamespace(expected_before=events[:2]), place=""),
        expected=SimpleNamespace(events=events),
    )
    # Without another session, nothing shows that d is the key of doubling.
    assert judge_outcome([*ACCEPTED_SESSIONS, unoffered])[0] is Verdict.WRONG_ANSWER
    assert judge_outcome([*ACCEPTED_SESSIONS, unoffered, session_result("d")])[:2] == (Verdict.ACCEPTED, 20)


@pytest.mark.parametrize(
    "results",
    [
        pytest.param(
            [*ACCEPTED_SESSIONS, DOUBLING_SLIP, session_result("h", "s", wrong_after=2)],
            id="one differs without the feature",
        ),
        pytest.param(
            [*ACCEPTED_SESSIONS, session_result("d", "H", "s", wrong_after=2)], id="one differs after another key"
        ),
        pytest.param(
            [*ACCEPTED_SESSIONS, session_result("h", "d", wrong_after=1)], id="one differs before the feature"
        ),
        pytest.param([*ACCEPTED_SESSIONS[:11], DOUBLING_SLIP], id="too few sessions are without the feature"),
        pytest.param(
            [*ACCEPTED_SESSIONS, *[DOUBLING_SLIP] * 6], id="too few accepted sessions for so many that differ"
        ),
        pytest.param(
            [*ACCEPTED_SESSIONS, session_result("d", wrong_after=1, verdict=Verdict.RUN_TIME_ERROR)], id="one crashes"
        ),
        pytest.param(
            [*ACCEPTED_SESSIONS, session_result("d", wrong_after=1, place="a file")], id="one differs in a file"
        ),
    ],
)
def test_a_stage_fails_for_a_mistake_that_may_not_be_in_the_feature(results):
    assert judge_outcome(results)[0] is not Verdict.ACCEPTED
    assert judge_outcome(results)[1] == len(results)


def test_no_session_is_left_out_for_the_features_own_stage_or_without_the_feature():
    results = [*ACCEPTED_SESSIONS, DOUBLING_SLIP]
    stage_of_doubling = SimpleNamespace(options=(msgspec.structs.replace(DOUBLE, is_tested=True),))
    assert judge_outcome(results, stage=stage_of_doubling)[0] is Verdict.WRONG_ANSWER
    assert judge_outcome(results, selection=WITHOUT_DOUBLING)[0] is Verdict.WRONG_ANSWER


def test_no_session_is_left_out_if_the_draws_of_all_sessions_show_a_mistake():
    results = [*ACCEPTED_SESSIONS, DOUBLING_SLIP]
    assert judge_outcome(results, findings=("It never draws an ace.",))[0] is Verdict.WRONG_ANSWER
