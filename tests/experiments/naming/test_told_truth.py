"""Of wrong programs whose truth was written down before they were run, nothing false is told.

The programs, and what may be told of each, are those of tests/wrong; every one is run by `python -m benchmarks.naming`.
"""

from collections import Counter

import pytest
import yaml

from tests.conftest import ROOT
from tests.parts import parts_of
from tests.wrong.programs import entries_of, kind_of, tried

ASSIGNMENTS = ("bjm0", "blackjack", "csc101", "ece2036", "tournament")
#: Every so many of them are run here: all of them take a quarter of an hour.
EVERY = 9


def some():
    for name in ASSIGNMENTS:
        for number, (id_, entry) in enumerate(entries_of(name).items()):
            if number % EVERY == 0:
                parts = parts_of(ROOT / "examples" / name / entry["of"])
                yield pytest.param(name, entry, marks=pytest.mark.needs(*parts), id=f"{name}/{id_}")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "entry"), list(some()))
def test_what_is_reported_is_true(name, entry):
    one = tried(name, entry)
    output = [(output.id, output.title) for output in one.report.diagnosis]
    expected = {"right"} if entry.get("right") else {"none", "near"}
    if one.report.verdict.value == "WRONG_ANSWER":
        assert kind_of(entry, one.report) in expected, (entry["truth"], output)


@pytest.mark.slow
def test_nothing_is_named_where_other_sessions_crash():
    edits = {"play.c": [["i < hand->count", "i > hand->count"]]}  # so each hand is worth nothing, and grows too long
    report = tried("blackjack", {"of": "ada", "stage": "play", "edits": edits}).report
    verdicts = Counter(result.verdict.value for result in report.results)
    # A mistake of the catalogue explains all that are only wrong: that it is told a bust too late.
    assert (report.verdict.value, set(verdicts)) == ("WRONG_ANSWER", {"WRONG_ANSWER", "RUN_TIME_ERROR"})
    assert report.diagnosis == ()


def test_every_program_has_its_truth_and_an_edit():
    counts = {name: len(entries_of(name)) for name in ASSIGNMENTS}
    assert counts == {"bjm0": 97, "blackjack": 180, "csc101": 105, "ece2036": 73, "tournament": 69}
    for name in ASSIGNMENTS:
        for id_, entry in entries_of(name).items():
            assert {"of", "stage", "edits", "truth", "kind"} <= set(entry), id_
            assert entry["edits"], id_
            for file, edits in entry["edits"].items():
                text = (ROOT / "examples" / name / entry["of"] / file).read_text(encoding="utf-8")
                for old, new in edits:
                    assert text.count(old) == 1, (id_, old)
                    text = text.replace(old, new)


def test_the_yaml_of_each_has_no_id_twice():
    for name in ASSIGNMENTS:
        text = (ROOT / "tests" / "wrong" / f"{name}.yaml").read_text(encoding="utf-8")
        ids = [line for line in text.splitlines() if line and not line[0].isspace() and line.endswith(":")]
        assert len(ids) == len(set(ids)) == len(yaml.safe_load(text))
