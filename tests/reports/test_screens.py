"""Reports in the terminal as they look at 60, 80 and 120 columns: screens/ holds each, and tells of every change.

`python -m tests.reports.test_screens` writes them anew; git diff shows what became of them.
"""

from pathlib import Path

import pytest
import yaml

from pitboss.assignments.answers import Rerun
from pitboss.compare.comparison import difference_between
from pitboss.compare.findings import Compared, NotRun
from pitboss.compare.results import Diagnosis, Report, Result, StageReport
from pitboss.compare.verdicts import Verdict, verdict_of
from pitboss.model.notation import events_in
from pitboss.model.transcript import Ending, EndingKind, Transcript
from pitboss.reports.report import as_text, report_of
from pitboss.sandbox.limits import Limits
from pitboss.submissions.explanations import explanation_of

HERE = Path(__file__).parent
WIDTHS = (60, 80, 120)
PROGRAMS = yaml.safe_load((HERE / "screens.yaml").read_text())
NOTHING = Transcript(())


def session_of(told):
    """The session of a program as it would be judged."""
    expected = Transcript(events_in(told["expected"]))
    ending = Ending(EndingKind.EXITED)
    if "signal" in told:
        ending = Ending(EndingKind.SIGNALLED, signal=told["signal"])
    elif "ending" in told:
        ending = Ending(EndingKind(told["ending"]))
    actual = Transcript(events_in(told["actual"]), ending)
    difference = difference_between(expected.events, actual.events)
    assert difference is not None
    verdict = verdict_of(difference, expected=expected.events, ending=expected.ending, actual=actual)
    finding = Compared(Limits(cpu_s=1), is_cause_known="crash" in told)
    rerun = Rerun("play", "blackjack", session="player busts")
    return Result("play", "player busts", verdict, expected, actual, difference, finding, rerun=rerun)


def stage_of(told):
    if "verdict" in told:
        messages = told.get("messages", "")
        return StageReport(
            "play",
            "Play",
            Verdict(told["verdict"]),
            is_begun=told["verdict"] != "NOT_HANDED_IN",
            reason=told.get("reason", ""),
            summary=told.get("summary", ""),
            build_command=told.get("command", ""),
            build_messages=messages,
            build_explanation=explanation_of(messages),
        )
    result = session_of(told)
    skipped = Result("play", "another", Verdict.SKIPPED, NOTHING, NOTHING, finding=NotRun())
    results = (*[result] * told.get("failed", 1), *[skipped] * told.get("skipped", 0))
    diagnosis = tuple(Diagnosis("id", note="", **one) for one in told.get("diagnosis", ()))
    crash = told.get("crash", "")
    return StageReport("play", "Play", result.verdict, results, len(results), diagnosis=diagnosis, crash=crash)


def report_on(told):
    skipped = StageReport("betting", "Bet", Verdict.SKIPPED, reason="betting counts only when play is accepted.")
    stages = (StageReport("deal", "Deal", Verdict.ACCEPTED), stage_of(told), skipped)
    return Report("blackjack", "Blackjack", "ada", stages)


def screens(told):
    """A report at each width, one above the other."""
    parts = []
    for width in WIDTHS:
        text = as_text(report_of(report_on(told)), width=width)
        parts += [f"{f' {width} columns ':=^{width}}", *(line.rstrip() for line in text.rstrip().splitlines())]
    return "\n".join(parts) + "\n"


def file_of(name):
    return HERE / "screens" / f"{name.replace(' ', '_').lower()}.txt"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_report_looks_as_it_did(name):
    assert screens(PROGRAMS[name]) == file_of(name).read_text()


def test_no_screen_is_left_of_a_program_that_is_gone():
    assert sorted((HERE / "screens").iterdir()) == sorted(map(file_of, PROGRAMS))


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_wider_than_the_screen_but_commands(name):
    for width in WIDTHS:
        for line in as_text(report_of(report_on(PROGRAMS[name])), width=width).splitlines():
            assert len(line) <= width or line.startswith(("  again: ", "  smallest failing session: ")), line


@pytest.mark.parametrize("name", [name for name, output in PROGRAMS.items() if "actual" in output])
def test_the_carets_stand_under_what_differs(name):
    """Where both lines begin alike, they differ above the first caret."""
    for width in WIDTHS:
        lines = as_text(report_of(report_on(PROGRAMS[name])), width=width).splitlines()
        place = next(number for number, line in enumerate(lines) if line.startswith("  expected │ "))
        ours, theirs, carets = (line.ljust(width) for line in lines[place : place + 3])
        first = carets.index("^")
        assert ours[13:first] == theirs[13:first]
        # A pause is one mark, whatever its length.
        assert ours[first] != theirs[first] or theirs[first:].startswith("(pause ")


if __name__ == "__main__":
    (HERE / "screens").mkdir(exist_ok=True)
    for program, words in PROGRAMS.items():
        file_of(program).write_text(screens(words))
