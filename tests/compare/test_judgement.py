"""Which transcripts the result of a judged session keeps."""

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


def transcript_with(text, *, pause_ms=2000):
    return Transcript((Shown(b"Name: "), Typed(b"ada"), Paused(pause_ms), Shown(text)))


def judge(toy, actual, policy, expected=EXPECTED):
    return judged_result(sessions_of(toy.stages[0])[0], expected, actual, "teller", policy)


def relaxed_field(value):
    """The test id of a parameter: the first field in which a policy differs from EXACT; empty for a transcript."""
    if not isinstance(value, Policy):
        return ""
    return next(name for name in msgspec.structs.asdict(EXACT) if getattr(value, name) != getattr(EXACT, name))


@pytest.mark.parametrize(
    ("policy", "actual"),
    [
        (Policy(letter_case="ignored"), transcript_with(b"HELLO\nBYE ada\n")),
        (Policy(trailing_blanks="ignored"), transcript_with(b"Hello \nBye ada\n")),
        (Policy(blank_lines="ignored"), transcript_with(b"\nHello\nBye ada\n")),
        (Policy(pauses="ignored"), transcript_with(b"Hello\nBye ada\n", pause_ms=1)),
        (Policy(alternatives=(("Hello", "Hi"),)), transcript_with(b"Hi\nBye ada\n")),
        (Policy(free_lines=("^Hello",)), transcript_with(b"My own words\nBye ada\n")),
        (Policy(not_judged=("^Hello", "^Hi")), transcript_with(b"Hi\nBye ada\n")),
        (Policy(begins="^Bye"), transcript_with(b"My own words\nBye ada\n")),
        (Policy(free=(FreeText("greeting", "Hello", "line"),)), transcript_with(b"My own words\nBye ada\n")),
    ],
    ids=relaxed_field,
)
def test_an_accepted_result_keeps_the_output_of_the_program(toy, policy, actual):
    result = judge(toy, actual, policy)
    assert (result.verdict, result.expected, result.actual) == (Verdict.ACCEPTED, EXPECTED, actual)


def test_a_result_keeps_the_errors_and_files_of_the_program(toy):
    expected, actual = (
        msgspec.structs.replace(EXPECTED, errors=text, written=(WrittenFile("out", FileKind.REGULAR, text),))
        for text in (b"Note\n", b"NOTE\n")
    )
    result = judge(toy, actual, Policy(letter_case="ignored"), expected)
    assert (result.verdict, result.actual) == (Verdict.ACCEPTED, actual)


def test_equal_sessions_share_one_transcript(toy):
    result = judge(toy, transcript_with(b"Hello\nBye ada\n"), EXACT)
    assert result.actual is result.expected


def test_json_includes_an_accepted_session_only_if_it_differs(toy):
    def actual_in_json(actual, policy):
        result = judge(toy, actual, policy)
        stage = StageReport("teller", "", result.verdict, (result,), 1)
        return json.loads(check_json(Report("teller", "", "one", (stage,))))["results"][0]["actual"]

    assert actual_in_json(transcript_with(b"Hello\nBye ada\n"), EXACT) is None
    assert "HELLO" in actual_in_json(transcript_with(b"HELLO\nBYE ada\n"), Policy(letter_case="ignored"))["transcript"]
