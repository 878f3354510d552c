"""No false mistake is named for wrong programs whose actual mistake was written down before they were run.

The programs, and what may be reported of each, are in tests/wrong; `python -m benchmarks.naming` runs them all.
"""

from collections import Counter

import pytest
import yaml

from tests.conftest import ROOT
from tests.parts import required_compilers
from tests.wrong.programs import check_wrong_program, known_mistake_edits, rate_diagnosis

ASSIGNMENTS = ("bjm0", "blackjack", "csc101", "ece2036", "tournament")
#: Only every ninth program is run here: all of them take a quarter of an hour.
STEP = 9


def sampled_programs():
    """Parameters of a test: the assignment and the entry of every ninth wrong program of each assignment."""
    for name in ASSIGNMENTS:
        for number, (id_, entry) in enumerate(known_mistake_edits(name).items()):
            if number % STEP == 0:
                parts = required_compilers(ROOT / "examples" / name / entry["of"])
                yield pytest.param(name, entry, marks=pytest.mark.needs(*parts), id=f"{name}/{id_}")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "entry"), list(sampled_programs()))
def test_no_false_mistake_is_named(name, entry):
    report = check_wrong_program(name, entry).report
    named = [(mistake.id, mistake.title) for mistake in report.diagnosis]
    expected_ratings = {"right"} if entry.get("right") else {"none", "near"}
    if report.verdict.value == "WRONG_ANSWER":
        assert rate_diagnosis(entry, report) in expected_ratings, (entry["truth"], named)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "id_"),
    [
        # The text for an invalid bet, which a program may word freely, comes after the wrong text in each session.
        pytest.param("tournament", "welcome-in-small-letters", marks=pytest.mark.needs(".NET")),
        # The few further sessions that confirm the mistake fit another order of dealing too.
        ("csc101", "basic-dealer-stands-on-soft-17"),
    ],
)
def test_free_texts_and_options_do_not_hide_a_mistake(name, id_):
    entry = known_mistake_edits(name)[id_]
    assert rate_diagnosis(entry, check_wrong_program(name, entry).report) == "right"


@pytest.mark.slow
def test_nothing_is_named_where_other_sessions_crash():
    edits = {"play.c": [["i < hand->count", "i > hand->count"]]}  # each hand counts as 0, and overflows its array
    report = check_wrong_program("blackjack", {"of": "ada", "stage": "play", "edits": edits}).report
    verdicts = Counter(result.verdict.value for result in report.results)
    # One known mistake, that a bust is reported too late, explains all wrong answers, but not the crashes.
    assert (report.verdict.value, set(verdicts)) == ("WRONG_ANSWER", {"WRONG_ANSWER", "RUN_TIME_ERROR"})
    assert report.diagnosis == ()


def test_every_wrong_program_has_its_truth_and_edits_that_apply():
    counts = {name: len(known_mistake_edits(name)) for name in ASSIGNMENTS}
    assert counts == {"bjm0": 97, "blackjack": 180, "csc101": 107, "ece2036": 74, "tournament": 69}
    for name in ASSIGNMENTS:
        for id_, entry in known_mistake_edits(name).items():
            assert {"of", "stage", "edits", "truth", "kind"} <= set(entry), id_
            assert entry["edits"], id_
            for file, edits in entry["edits"].items():
                text = (ROOT / "examples" / name / entry["of"] / file).read_text(encoding="utf-8")
                for old, new in edits:
                    assert text.count(old) == 1, (id_, old)
                    text = text.replace(old, new)


def test_no_yaml_file_repeats_an_id():
    for name in ASSIGNMENTS:
        text = (ROOT / "tests" / "wrong" / f"{name}.yaml").read_text(encoding="utf-8")
        ids = [line for line in text.splitlines() if line and not line[0].isspace() and line.endswith(":")]
        assert len(ids) == len(set(ids)) == len(yaml.safe_load(text))
