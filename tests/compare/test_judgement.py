import json

import msgspec
import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.compare.outcome import judged_result
from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.model.comparison_policy import EXACT, FreeText, Policy
from pitboss.model.transcript import FileKind, Paused, Shown, Transcript, Typed, WrittenFile, exited
from pitboss.reports.report_json import check_json

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


#: What runtimes print about errors that end a program, for which it fails whatever exit code a case expects.
UNCAUGHT = {
    "Python": b'Traceback (most recent call last):\n  File "/b/a.py", line 9, in <module>\n    f()\nKeyError: 1\n',
    "Python: a group": b"  + Exception Group Traceback (most recent call last):\n"
    b'  |   File "/b/a.py", line 9, in <module>\n  |     f()\n  | ExceptionGroup: many (1 sub-exception)\n',
    "Python: after a caught one": b'Traceback (most recent call last):\n  File "/b/a.py", line 2, in f\nKeyError: 1\n\n'
    b"During handling of the above exception, another exception occurred:\n\n"
    b'Traceback (most recent call last):\n  File "/b/a.py", line 9, in <module>\n    f()\nValueError: 2\n',
    "Java": b'Exception in thread "main" java.util.NoSuchElementException\n\tat A.main(A.java:9)\n',
    "C#, called by a script": b"Unhandled exception. System.ArgumentException: no\n   at P.Main() in /b/a.cs:line 9\n",
    "Rust": b"thread 'main' (7) panicked at a.rs:9:5:\nno card is left\n",
    "Rust: a thread, then the program": b"thread '<unnamed>' panicked at a.rs:9:5:\nno\n\n"
    b"thread 'main' panicked at a.rs:12:14:\ncalled `Result::unwrap()` on an `Err` value: Any { .. }\n",
    "Lua": b"lua5.4: a.lua:9: attempt to call a nil value\nstack traceback:\n\t[C]: in ?\n",
    "C++, called by a script": b"terminate called after throwing an instance of 'int'\n",
}
#: What they print about errors that the program caught, or that ended one thread.
SURVIVED = {
    "Python: print_exc": b'Traceback (most recent call last):\n  File "/b/a.py", line 4, in main\nKeyError: 1\nsorry\n',
    "Python: a thread": b"Exception in thread Thread-1 (f):\nTraceback (most recent call last):\n"
    b'  File "/usr/lib/python3.11/threading.py", line 1038, in _bootstrap_inner\n  File "/b/a.py", line 4, in f\nKeyError: 1\n',
    "Java: a thread": b'Exception in thread "Thread-0" java.lang.IllegalStateException\n\tat A.run(A.java:9)\n',
    "Java: printStackTrace": b"java.lang.IllegalStateException: no\n\tat A.main(A.java:9)\nsorry\n",
    "Rust: a thread": b"thread '<unnamed>' panicked at a.rs:9:5:\nno card is left\n",
    "Rust: an error returned by main": b'Error: Os { code: 2, kind: NotFound, message: "No such file" }\n',
    "a message of the program's own": b"ValueError: no such file\n",
}


def verdict_of_failure(toy, text, field, *, exit_code=1, expected_errors=b""):
    """The verdict on a program that prints this text, where a case expects `exit_code` and any message."""
    events = (Shown(b"Hello\n"),)
    expected = Transcript(events, exited(exit_code), errors=expected_errors, accepts_any_errors=True)
    actual = Transcript(events, exited(3 if exit_code == "nonzero" else exit_code), **{field: text})
    return judge(toy, actual, EXACT, expected).verdict


@pytest.mark.parametrize("field", ["errors", "complaint"])
@pytest.mark.parametrize("exit_code", [1, 101, "nonzero"])
@pytest.mark.parametrize("text", UNCAUGHT.values(), ids=UNCAUGHT)
def test_an_uncaught_error_is_a_run_time_error_whatever_exit_code_is_expected(toy, text, exit_code, field):
    assert verdict_of_failure(toy, text, field, exit_code=exit_code) is Verdict.RUN_TIME_ERROR


@pytest.mark.parametrize("text", UNCAUGHT.values(), ids=UNCAUGHT)
def test_an_uncaught_error_is_accepted_where_the_expected_session_has_one(toy, text):
    assert verdict_of_failure(toy, text, "errors", expected_errors=UNCAUGHT["Java"]) is Verdict.ACCEPTED


@pytest.mark.parametrize("text", SURVIVED.values(), ids=SURVIVED)
def test_an_error_that_did_not_end_the_program_changes_no_verdict(toy, text):
    assert verdict_of_failure(toy, text, "errors") is Verdict.ACCEPTED
