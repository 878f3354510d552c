"""What is kept of a session that was judged."""

import json

import msgspec
import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.compare.judgement import judged_result
from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.comparison_policy import EXACT, FreeText, Policy
from pitboss.model.transcript import FileKind, Paused, Shown, Transcript, Typed, WrittenFile
from pitboss.reports.json_and_csv import check_json

EXPECTED = Transcript((Shown(b"Name: "), Typed(b"ada"), Paused(2000), Shown(b"Hello\nBye ada\n")))


def shown(text, *, pause_ms=2000):
    return Transcript((Shown(b"Name: "), Typed(b"ada"), Paused(pause_ms), Shown(text)))


def judged_as(toy, actual, policy, expected=EXPECTED):
    return judged_result(sessions_of(toy.stages[0])[0], expected, actual, "teller", policy)


@pytest.mark.parametrize(
    ("policy", "actual"),
    [
        (Policy(letter_case="ignored"), shown(b"HELLO\nBYE ada\n")),
        (Policy(trailing_blanks="ignored"), shown(b"Hello \nBye ada\n")),
        (Policy(blank_lines="ignored"), shown(b"\nHello\nBye ada\n")),
        (Policy(pauses="ignored"), shown(b"Hello\nBye ada\n", pause_ms=1)),
        (Policy(alternatives=(("Hello", "Hi"),)), shown(b"Hi\nBye ada\n")),
        (Policy(free_lines=("^Hello",)), shown(b"My own words\nBye ada\n")),
        (Policy(not_judged=("^Hello", "^Hi")), shown(b"Hi\nBye ada\n")),
        (Policy(begins="^Bye"), shown(b"My own words\nBye ada\n")),
        (Policy(free=(FreeText("greeting", "Hello", "line"),)), shown(b"My own words\nBye ada\n")),
    ],
    ids=lambda one: (
        next(name for name in msgspec.structs.asdict(EXACT) if getattr(one, name) != getattr(EXACT, name))
        if isinstance(one, Policy)
        else ""
    ),
)
def test_an_accepted_session_keeps_what_the_program_showed(toy, policy, actual):
    result = judged_as(toy, actual, policy)
    assert (result.verdict, result.expected, result.actual) == (Verdict.ACCEPTED, EXPECTED, actual)


def test_it_keeps_what_the_program_wrote_besides_the_screen(toy):
    expected, actual = (
        msgspec.structs.replace(EXPECTED, errors=text, written=(WrittenFile("out", FileKind.REGULAR, text),))
        for text in (b"Note\n", b"NOTE\n")
    )
    result = judged_as(toy, actual, Policy(letter_case="ignored"), expected)
    assert (result.verdict, result.actual) == (Verdict.ACCEPTED, actual)


def test_two_equal_sessions_are_kept_once(toy):
    result = judged_as(toy, shown(b"Hello\nBye ada\n"), EXACT)
    assert result.actual is result.expected


def test_json_has_the_session_of_an_accepted_program_where_it_is_not_the_expected_one(toy):
    def written(actual, policy):
        result = judged_as(toy, actual, policy)
        stage = StageReport("teller", "", result.verdict, (result,), 1)
        return json.loads(check_json(Report("teller", "", "one", (stage,))))["results"][0]["actual"]

    assert written(shown(b"Hello\nBye ada\n"), EXACT) is None
    assert "HELLO" in written(shown(b"HELLO\nBYE ada\n"), Policy(letter_case="ignored"))["transcript"]
