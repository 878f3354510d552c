"""What never comes up in a program's sessions, although each value comes as often as it should, is a finding."""

import re

import msgspec
import pytest

from pitboss.assignments.assignment import Rule
from pitboss.compare.verdicts import Verdict
from pitboss.experiments.adequacy.exposure import WrongProgram
from pitboss.sessions.references import expected_run_in_process
from tests.experiments.adequacy.test_gathering import rolling

ALIKE = Rule("three alike", r"^You rolled (\d), \1, \1\.$")


def rolling_again(console, draw):
    """A program that rolls again in place of three alike."""

    def rolls():
        while True:
            rolled = [draw() for _ in range(3)]
            if len(set(rolled)) > 1:
                yield from rolled

    return rolling.right(console, rolls().__next__)


def counting_alike_twice(console, draw=rolling.at_random):
    """A wrong program: says after three alike what the right one does not."""

    class Noticing:
        read_line, pause = console.read_line, lambda self, seconds: None

        def write(self, text):
            console.write(text)
            if re.match(ALIKE.pattern, text):
                console.write("All alike!\n")

    return rolling.right(Noticing(), draw)


@pytest.fixture
def long(sixes):
    """The stage with so many sessions that three alike come up in about 50 of them."""
    return msgspec.structs.replace(sixes.stages[0], rules=(*sixes.stages[0].rules, ALIKE), most_sessions=400)


def wrong(stage, judged_as):
    return [WrongProgram("alike", "three alike are praised", expected_run_in_process(counting_alike_twice, "alike"))]


def test_a_rule_that_never_comes_up_although_it_should_is_a_finding(sixes, long, judge):
    outcome = judge(sixes, long, rolling_again, sources=())
    assert outcome.verdict is Verdict.WRONG_ANSWER
    (finding,) = outcome.findings
    assert re.fullmatch(
        r"'three alike' never came up in \d+ sessions, and in [3-6][0-9] of as many of the reference\. "
        r"Each value may come as often as it should; together they do not\.",
        finding,
    )


def test_so_is_what_would_show_a_wrong_program(sixes, long, judge):
    without_rules = msgspec.structs.replace(long, rules=(), most_sessions=100)
    outcome = judge(sixes, without_rules, rolling_again, sources=(wrong,))
    assert outcome.verdict is Verdict.WRONG_ANSWER
    (finding,) = outcome.findings
    assert finding.startswith("What shows “three alike are praised” never came up in ")


def test_what_should_come_up_in_few_sessions_is_none(sixes, long, judge):
    seldom = msgspec.structs.replace(long, most_sessions=60)
    outcome = judge(sixes, seldom, rolling_again, sources=())
    assert (outcome.verdict, outcome.findings) == (Verdict.ACCEPTED, ())


def test_a_right_program_has_none(sixes, long, judge):
    never = Rule("never", "^You rolled 7")
    outcome = judge(sixes, msgspec.structs.replace(long, rules=(*long.rules, never)), rolling.right, sources=(wrong,))
    assert (outcome.verdict, outcome.findings) == (Verdict.ACCEPTED, ())
