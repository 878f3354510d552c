"""A combination of drawn values that never occurs, although each value is drawn often enough, is a finding."""

import re

import msgspec
import pytest

from pitboss.assignments.assignment import Rule
from pitboss.compare.results import Verdict
from pitboss.experiments.adequacy.exposure import WrongProgram
from pitboss.sessions.references import expected_run_in_process
from tests.experiments.adequacy.test_gathering import rolling

TRIPLE_RULE = Rule("three alike", r"^You rolled (\d), \1, \1\.$")


def rolling_without_triples(console, draw):
    """A wrong program: never shows three equal dice, but rolls again."""

    def rolls():
        while True:
            dice = [draw() for _ in range(3)]
            if len(set(dice)) > 1:
                yield from dice

    return rolling.right(console, rolls().__next__)


def praising_triples(console, draw=rolling.at_random):
    """A wrong program: after three equal dice it prints a line that the correct program does not print."""

    class PraisingConsole:
        read_line, pause = console.read_line, lambda self, seconds: None

        def write(self, text):
            console.write(text)
            if re.match(TRIPLE_RULE.pattern, text):
                console.write("All alike!\n")

    return rolling.right(PraisingConsole(), draw)


@pytest.fixture
def long_stage(sixes):
    """The stage with so many sessions that about 50 of them have three equal dice."""
    return msgspec.structs.replace(sixes.stages[0], rules=(*sixes.stages[0].rules, TRIPLE_RULE), most_sessions=400)


def praising_program(stage, judged_as):
    """A source of wrong programs: `praising_triples` alone."""
    return [WrongProgram("alike", "three alike are praised", expected_run_in_process(praising_triples, "alike"))]


def test_a_rule_that_never_matches_although_expected_is_a_finding(sixes, long_stage, judge):
    outcome = judge(sixes, long_stage, rolling_without_triples, sources=())
    assert outcome.verdict is Verdict.WRONG_ANSWER
    (finding,) = outcome.findings
    assert re.fullmatch(
        r"'three alike' never occurred in \d+ sessions, but in [3-6][0-9] of as many sessions of the reference\. "
        r"Each value may be drawn as often as it should, but their combinations are not\.",
        finding,
    )


def test_sessions_that_never_expose_a_wrong_program_are_a_finding(sixes, long_stage, judge):
    without_rules = msgspec.structs.replace(long_stage, rules=(), most_sessions=100)
    outcome = judge(sixes, without_rules, rolling_without_triples, sources=(praising_program,))
    assert outcome.verdict is Verdict.WRONG_ANSWER
    (finding,) = outcome.findings
    assert finding.startswith("A session that shows “three alike are praised” never occurred in ")


def test_a_rule_expected_in_few_sessions_is_no_finding(sixes, long_stage, judge):
    short_stage = msgspec.structs.replace(long_stage, most_sessions=60)
    outcome = judge(sixes, short_stage, rolling_without_triples, sources=())
    assert (outcome.verdict, outcome.findings) == (Verdict.ACCEPTED, ())


def test_a_correct_program_has_no_findings(sixes, long_stage, judge):
    impossible_rule = Rule("never", "^You rolled 7")
    outcome = judge(
        sixes,
        msgspec.structs.replace(long_stage, rules=(*long_stage.rules, impossible_rule)),
        rolling.right,
        sources=(praising_program,),
    )
    assert (outcome.verdict, outcome.findings) == (Verdict.ACCEPTED, ())
