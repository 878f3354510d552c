"""The grading policy in assignment.yaml: its defaults, its keys, and the sentence that reports each mistake."""

import re
from fractions import Fraction

import msgspec
import pytest

from pitboss.assignments.grading_policy import GradingPolicy, LateRow, Rounding, StagePolicy
from pitboss.assignments.keys import GRADING
from pitboss.assignments.specfile import load_assignment
from tests.authors import load_error
from tests.conftest import ROOT

#: Three stages in a row, and an optional one that is graded by hand.
ASSIGNMENT = """title: Small
seeded: yes
reference: somewhere.one:main
stages:
  - name: one
  - name: two
  - {name: three, needs: [one]}
  - {name: own, is_optional: yes, graded_by: hand}
"""
SPEC = "program: {}\ncases:\n  - {{name: first, seeds: 1..3, answers: [x]}}\n  - {{name: second, seeds: 4, answers: [x]}}\n"
STAGES = ("one", "two", "three", "own")


def write_assignment(folder, grading="", assignment=ASSIGNMENT):
    """Write an assignment with these lines under `grading`, which begin on line 10, and return its folder."""
    text = assignment + ("grading:\n" + "".join(f"  {line}\n" for line in grading.splitlines()) if grading else "")
    (folder / "assignment.yaml").write_text(text)
    for stage in STAGES:
        (folder / f"{stage}.yaml").write_text(SPEC.format(stage))
    return folder


def load_policy(folder, grading="", assignment=ASSIGNMENT):
    """The grading policy of an assignment with these lines under `grading`."""
    return load_assignment(write_assignment(folder, grading, assignment)).grading


def by_stage(policy, field):
    """The value of this field of the policy for each stage, by the stage's name."""
    return {stage.name: getattr(stage, field) for stage in policy.stages}


def test_without_a_policy_each_stage_has_the_same_points(tmp_path):
    third = Fraction(100, 3)
    assert load_policy(tmp_path) == GradingPolicy(
        (
            StagePolicy("one", third),
            StagePolicy("two", third, gates=("one",)),
            StagePolicy("three", third, gates=("one",)),
            StagePolicy("own", Fraction(0), is_optional=True, is_manual=True),
        )
    )
    assert load_policy(tmp_path).out_of == 100


def test_the_defaults_written_out_are_the_same_policy(tmp_path):
    assignment = ASSIGNMENT.replace("  - {name: three, needs: [one]}\n", "")
    spelled_out = (
        "points: {one: 50, two: 50.0}\npartial_credit: {one: sessions}\ngates: needs\ncaps: {}\nextra: []\ndropped: {}\n"
        "drop_lowest: {}\nfunctionality: 100%\nstyle: 0%"
    )
    default_policy = load_policy(tmp_path, assignment=assignment)
    assert load_policy(tmp_path, spelled_out, assignment) == default_policy
    assert load_policy(tmp_path, "gates: {two: [one], own: []}", assignment) == default_policy


def test_optional_stages_share_the_points_if_all_stages_are_optional(tmp_path):
    assignment = (
        ASSIGNMENT.replace("name: one", "name: one\n    is_optional: yes")
        .replace("name: two", "name: two\n    is_optional: yes")
        .replace("needs: [one]", "is_optional: yes")
    )
    assert by_stage(load_policy(tmp_path, assignment=assignment), "points") == {
        "one": Fraction(100, 3),
        "two": Fraction(100, 3),
        "three": Fraction(100, 3),
        "own": 0,
    }


def test_an_optional_stage_has_no_points_unless_it_is_given_some(tmp_path):
    assignment = ASSIGNMENT.replace("needs: [one]", "is_optional: yes")
    assert by_stage(load_policy(tmp_path, assignment=assignment), "points") == {
        "one": 50,
        "two": 50,
        "three": 0,
        "own": 0,
    }
    policy = load_policy(tmp_path, "points: {one: 50, two: 50, three: 9}\nextra: [three]", assignment)
    assert by_stage(policy, "points")["three"] == 9
    assert policy.out_of == 100


def test_the_blackjack_assignment_has_the_policy_of_its_brief():
    ladder = ("shuffle", "deal", "play", "betting", "errors")
    points = (40, 30, 30, 5, 5)
    stages = [
        StagePolicy(name, Fraction(worth), "none", ladder[:number], is_extra=number > 2)
        for number, (name, worth) in enumerate(zip(ladder, points, strict=True))
    ]
    extra = StagePolicy("extra", Fraction(10), gates=ladder[:3], is_extra=True, is_optional=True, is_manual=True)
    policy = load_assignment(ROOT / "specs" / "blackjack").grading
    assert policy == GradingPolicy(
        (*stages, extra),
        Fraction(7, 10),
        Fraction(3, 10),
        "earned",
        Fraction(110),
        (
            LateRow(-1, Fraction(1, 20)),
            LateRow(0, Fraction(0)),
            LateRow(1, Fraction(-1, 10)),
            LateRow(2, Fraction(-2, 5)),
            LateRow(3, Fraction(-1)),
        ),
    )
    assert policy.out_of == 100


def test_the_example_in_the_docs_is_the_blackjack_policy():
    docs = (ROOT / "docs" / "grading.md").read_text()
    example = docs.partition("```yaml\n")[2].partition("```")[0]
    assert example.startswith("grading:\n")
    assert (ROOT / "specs" / "blackjack" / "assignment.yaml").read_text().endswith(example)


def test_the_docs_list_every_key():
    reference = (ROOT / "docs" / "reference" / "assignment-file.md").read_text()
    assert set(GRADING) <= set(re.findall(r"^\| `(\w+)` \|", reference, re.MULTILINE))
    assert "reference/assignment-file.md" in (ROOT / "docs" / "grading.md").read_text()


def test_reached_sets_cumulative_points_and_gates_on_all_earlier_stages(tmp_path):
    policy = load_policy(tmp_path, "reached: {one: 12.5, two: 12.5, three: 100}")
    assert by_stage(policy, "points") == {"one": Fraction("12.5"), "two": 0, "three": Fraction("87.5"), "own": 0}
    assert by_stage(policy, "gates") == {"one": (), "two": ("one",), "three": ("one", "two"), "own": ()}


def test_gates_are_the_needed_stages_all_earlier_stages_or_a_list(tmp_path):
    assert by_stage(load_policy(tmp_path, "gates: needs"), "gates")["three"] == ("one",)
    assert by_stage(load_policy(tmp_path, "gates: earlier"), "gates") == {
        "one": (),
        "two": ("one",),
        "three": ("one", "two"),
        "own": ("one", "two", "three"),
    }
    policy = load_policy(tmp_path, "gates: {two: [], three: [two], own: [three]}")
    assert by_stage(policy, "gates") == {"one": (), "two": (), "three": ("two",), "own": ("three",)}


def test_partial_credit_is_set_for_all_stages_or_by_stage(tmp_path):
    for_all = by_stage(load_policy(tmp_path, "partial_credit: cases"), "partial_credit")
    assert for_all == {"one": "cases", "two": "cases", "three": "cases", "own": "sessions"}
    by_name = by_stage(load_policy(tmp_path, "partial_credit: {two: none}"), "partial_credit")
    assert by_name == {"one": "sessions", "two": "none", "three": "sessions", "own": "sessions"}


def test_the_numbers_of_all_other_keys_are_read_exactly(tmp_path):
    policy = load_policy(
        tmp_path,
        "points: {one: 0.1, two: 0.2, three: 30, own: 4}\ncaps: {one: 10, two: 20, three: 30}\nmost: 33.3\nextra: [own]\n"
        "dropped: {one: [second]}\ndrop_lowest: {two: 1}\nstyle: 12.5 %\nlate: {1 day late: -0.1%, 10 days late: no credit}\n"
        "rounding: {to: 0.5, direction: up}",
    )
    assert by_stage(policy, "cap") == {"one": 10, "two": 20, "three": 30, "own": None}
    assert (policy.out_of, policy.most) == (Fraction("30.3"), Fraction("33.3"))
    assert (by_stage(policy, "dropped")["one"], by_stage(policy, "drop_lowest")["two"]) == (("second",), 1)
    assert (policy.functionality, policy.style, policy.style_of) == (Fraction(7, 8), Fraction(1, 8), "total")
    assert policy.late == (LateRow(0, Fraction(0)), LateRow(1, Fraction(-1, 1000)), LateRow(10, Fraction(-1)))
    assert (policy.early_from, policy.rounding) == ("class", Rounding(Fraction(1, 2), "up"))
    numbers = [*by_stage(policy, "points").values(), policy.functionality, policy.late[1].change, policy.out_of]
    assert {type(number) for number in numbers} == {Fraction}


KEYS = "points, reached, partial_credit, gates, caps, most, extra, dropped, drop_lowest, functionality, style, style_of, late, early_from, rounding"
POINTS = "points: {one: 1, two: 1, three: 1}\n"
ROWS = "write rows like 1 day early, on time, 1 day late, 2 days late"
CHANGE = "it must be a percentage of the score to add or deduct, such as +5% or -10%, or no credit"
#: By test id: lines under `grading`, and the sentence that is reported, after the file's path.
MISTAKES = {
    "unknown key": ("lat: {}", f":10: grading has no key 'lat' — allowed are {KEYS}; did you mean 'late'?"),
    "unknown stage": (
        "points: {one: 1, tow: 1}",
        ":10: points has 'tow' — the stages are one, two, three, own; did you mean 'two'?",
    ),
    "points no mapping": ("points: 100", ":10: points is '100' — it must be a mapping with names as keys"),
    "points no number": (
        "points: {one: -1}",
        ":10: the points of one is '-1' — it must be a number such as 40 or 2.5",
    ),
    "points a float": ("points: {one: 1e2}", ":10: the points of one is '1e2' — it must be a number such as 40 or 2.5"),
    "points missing": ("points: {one: 1, three: 1}", ":10: points has no 'two' — each stage has its own"),
    "reached missing": ("reached: {one: 1, three: 1}", ":10: reached has no 'two' — each stage has its own"),
    "points and reached": (
        "reached: {one: 1, two: 2, three: 3}\npoints: {two: 1}",
        ":11: points has 'two', and so has reached — use only one of them",
    ),
    "reached falls": (
        "reached: {one: 40, two: 39, three: 50}",
        ":10: reached of two is less than reached of one — it must not decrease from stage to stage",
    ),
    "reached out of order": (
        "reached:\n  two: 1\n  one: 2\n  three: 3",
        ":12: reached has 'one' after 'two' — use the order of the stages",
    ),
    "reached by a person": (
        "reached: {one: 1, own: 2}",
        ":10: reached has 'own' — that stage is graded manually, so it has only points",
    ),
    "nothing to be out of": (
        POINTS + "extra: [one, two, three]",
        ":10: only extra stages have points — give points to a stage that is not extra",
    ),
    "extra unknown": (
        "extra: [onw]",
        ":10: extra has 'onw' — the stages are one, two, three, own; did you mean 'own'?",
    ),
    "extra without points": ("extra: [own]", ":10: extra has 'own' — that stage has no points"),
    "partial word": (
        "partial_credit: case",
        ":10: partial_credit is 'case' — it must be sessions, cases or none; did you mean 'cases'?",
    ),
    "partial word of a stage": (
        "partial_credit: {one: all}",
        ":10: partial_credit of one is 'all' — it must be sessions, cases or none",
    ),
    "gates word": ("gates: early", ":10: gates is 'early' — it must be needs or earlier; did you mean 'earlier'?"),
    "gate not before": (
        "gates: {two: [three]}",
        ":10: gates of two has 'three' — a gate must be one of the stages before it: one",
    ),
    "gate of the first": (
        "gates: {one: [two]}",
        ":10: gates of one has 'two' — a gate must be one of the stages before it: none",
    ),
    "gate unknown": (
        "gates: {two: [ones]}",
        ":10: gates of two has 'ones' — the stages are one, two, three, own; did you mean 'one'?",
    ),
    "gate of what is reached": (
        "reached: {one: 1, two: 2, three: 3}\ngates: {two: []}",
        ":11: gates has 'two', which is under reached too — a stage under reached earns points only if all stages before it are perfect",
    ),
    "caps missing": ("caps: {one: 1, two: 2}", ":10: caps has no 'three' — each stage has its own"),
    "caps fall": (
        "caps: {one: 2, two: 1, three: 3}",
        ":10: caps of two is less than caps of one — it must not decrease from stage to stage",
    ),
    "most": ("most: 110%", ":10: most is '110%' — it must be a number such as 40 or 2.5"),
    "dropped unknown": (
        "dropped: {one: [frist]}",
        ":10: dropped of one has 'frist' — its cases are first, second; did you mean 'first'?",
    ),
    "dropped all": (
        "dropped: {one: [first, second]}",
        ":10: dropped of one has all its cases — at least one must be graded",
    ),
    "dropped of a person": (
        "dropped: {own: [first]}",
        ":10: dropped has 'own' — that stage is graded manually, so it has only points",
    ),
    "lowest too many": (
        "drop_lowest: {one: 2}",
        ":10: drop_lowest of one is '2' — it must be a whole number from 1 to 1",
    ),
    "lowest of one": (
        "dropped: {one: [first]}\ndrop_lowest: {one: 1}",
        ":11: drop_lowest has 'one' — that stage has fewer than two graded cases",
    ),
    "functionality": (
        "functionality: 70",
        ":10: functionality is '70' — it must be a percentage from 0% to 100%, such as 70%",
    ),
    "style": ("style: 101%", ":10: style is '101%' — it must be a percentage from 0% to 100%, such as 70%"),
    "weights": (
        "functionality: 70%\nstyle: 40%",
        ":11: functionality is 70% and style 40% — together they must be 100%",
    ),
    "style of": (
        "style: 30%\nstyle_of: eared",
        ":11: style_of is 'eared' — it must be total or earned; did you mean 'earned'?",
    ),
    "style of nothing": (
        "style_of: earned",
        ":10: grading has style_of — it has no effect without a share for style: add one, such as style: 30%",
    ),
    "early from": (
        "late: {1 day late: -10%}\nearly_from: owns",
        ":11: early_from is 'owns' — it must be class or own; did you mean 'own'?",
    ),
    "early from no table": (
        "early_from: own",
        ":10: grading has early_from — it has no effect without a late table: add the key late",
    ),
    "late empty": ("late: {}", ":10: late is an empty mapping — give rows such as 1 day late: -10%"),
    "late row": (
        "late: {1 day lat: -10%}",
        f":10: late has an unknown row '1 day lat' — {ROWS}; did you mean '1 day late'?",
    ),
    "late day 0": (
        "late: {0 days late: -10%}",
        f":10: late has an unknown row '0 days late' — {ROWS}; did you mean '2 days late'?",
    ),
    "late value": ("late: {1 day late: -10}", f":10: 1 day late is '-10' — {CHANGE}"),
    "late too much": ("late: {1 day late: -101%}", f":10: 1 day late is '-101%' — {CHANGE}"),
    "late twice": (
        "late: {1 day late: -1%, 1 days late: -2%}",
        ":10: late has '1 day late' and '1 days late' — list each day only once",
    ),
    "late pays": (
        "late:\n  1 day late: -10%\n  2 days late: -5%",
        ":12: 2 days late leaves more of the score than 1 day late — a later day must not leave more than an earlier one",
    ),
    "late is better than on time": (
        "late: {1 day late: +10%}",
        ":10: 1 day late leaves more of the score than on time — a later day must not leave more than an earlier one",
    ),
    "early is worse than on time": (
        "late: {1 day early: -10%}",
        ":10: on time leaves more of the score than 1 day early — a later day must not leave more than an earlier one",
    ),
    "rounding no mapping": ("rounding: up", ":10: rounding is 'up' — it must be a mapping with to, direction"),
    "rounding without a step": (
        "rounding: {direction: up}",
        ":10: rounding lacks the key 'to': the step, such as 1, 0.5 or 0.01",
    ),
    "rounding to nothing": ("rounding: {to: 0.0}", ":10: to is '0.0' — it must be a number above 0, such as 1 or 0.5"),
    "rounding direction": (
        "rounding: {to: 1, direction: upwards}",
        ":10: direction is 'upwards' — it must be nearest, up or down",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_policy_is_reported_with_its_place(tmp_path, name):
    grading, sentence = MISTAKES[name]
    assert load_error(write_assignment(tmp_path, grading)) == f"{tmp_path}/assignment.yaml{sentence}"


def test_grading_must_be_a_mapping(tmp_path):
    (write_assignment(tmp_path) / "assignment.yaml").write_text(ASSIGNMENT + "grading: strict\n")
    assert (
        load_error(tmp_path) == f"{tmp_path}/assignment.yaml:9: grading is 'strict' — it must be a mapping with {KEYS}"
    )


def test_no_case_may_be_named_like_a_session_of_a_dropped_case(tmp_path):
    write_assignment(tmp_path, "dropped: {one: [first]}")
    (tmp_path / "one.yaml").write_text(SPEC.format("one").replace("name: second", 'name: "first, seed 9"'))
    assert load_error(tmp_path) == (
        f"{tmp_path}/assignment.yaml:10: dropped of one has 'first' — the case 'first, seed 9' is named like one of "
        "its sessions; rename one of these two cases"
    )


def test_recorded_cases_are_not_graded_where_draws_are_read_back(tmp_path):
    assignment = ASSIGNMENT.replace("seeded: yes", "seeded: no\ndraws: {values: [a, b]}\nreader: somewhere.one:read")
    write_assignment(tmp_path, "dropped: {one: [second]}", assignment)
    spec = "program: {}\ncases:\n  - {{name: first, transcript: x}}\n  - {{name: second, answers: [x]}}\n"
    for stage in STAGES:
        (tmp_path / f"{stage}.yaml").write_text(spec.format(stage))
    assert load_error(tmp_path) == (
        f"{tmp_path}/assignment.yaml:12: dropped of one has all its cases — at least one must be graded"
    )


@pytest.mark.parametrize(
    ("days", "change"),
    [(-9, 20), (-3, 20), (-2, 5), (-1, 5), (0, 0), (1, -10), (2, -10), (3, -40), (4, -100), (400, -100)],
)
def test_a_day_between_two_rows_takes_the_row_nearer_to_on_time(tmp_path, days, change):
    late = "late: {3 days early: +20%, 1 day early: +5%, 1 day late: -10%, 3 days late: -40%, 4 days late: no credit}"
    assert load_policy(tmp_path, late).change_for(days) == Fraction(change, 100)


def test_a_row_for_on_time_applies_up_to_the_next_row(tmp_path):
    policy = load_policy(tmp_path, "late: {on time: -1%, 2 days late: -2%}")
    assert [policy.change_for(days) * 100 for days in (-5, 0, 1, 2)] == [-1, -1, -1, -2]
    assert msgspec.structs.replace(policy, late=()).change_for(9) == 0
