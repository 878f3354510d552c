"""Reports on the terminal look as recorded in screens/, at 60, 80 and 120 columns.

`python -m tests.reports.test_screens` rewrites these files; git diff then shows what has changed.
"""

from pathlib import Path

import pytest
import yaml

from pitboss.assignments.answers import Rerun
from pitboss.compare.comparison import difference_between
from pitboss.compare.findings import Compared, NotRun
from pitboss.compare.results import Diagnosis, Report, Result, StageReport, Verdict, verdict_of
from pitboss.model.notation import events_in
from pitboss.model.transcript import Ending, EndingKind, Transcript
from pitboss.reports.report import as_text, report_of
from pitboss.sandbox.limits import Limits
from pitboss.submissions.explanations import explanation_of

HERE = Path(__file__).parent
WIDTHS = (60, 80, 120)
PROGRAMS = yaml.safe_load((HERE / "screens.yaml").read_text())
EMPTY = Transcript(())


def session_of(program):
    """The judged session of a program from screens.yaml."""
    expected = Transcript(events_in(program["expected"]))
    ending = Ending(EndingKind.EXITED)
    if "signal" in program:
        ending = Ending(EndingKind.SIGNALLED, signal=program["signal"])
    elif "ending" in program:
        ending = Ending(EndingKind(program["ending"]))
    actual = Transcript(events_in(program["actual"]), ending)
    difference = difference_between(expected.events, actual.events)
    assert difference is not None
    verdict = verdict_of(difference, expected, actual)
    finding = Compared(Limits(cpu_s=1), is_misuse_located="crash" in program)
    rerun = Rerun("play", "blackjack", session="player busts")
    return Result("play", "player busts", verdict, expected, actual, difference, finding, rerun=rerun)


def stage_of(program):
    """The judged stage of a program from screens.yaml."""
    if "verdict" in program:
        messages = program.get("messages", "")
        return StageReport(
            "play",
            "Play",
            Verdict(program["verdict"]),
            is_begun=program["verdict"] != "NOT_HANDED_IN",
            reason=program.get("reason", ""),
            summary=program.get("summary", ""),
            build_command=program.get("command", ""),
            build_messages=messages,
            build_explanation=explanation_of(messages),
        )
    result = session_of(program)
    skipped = Result("play", "another", Verdict.SKIPPED, EMPTY, EMPTY, finding=NotRun())
    results = (*[result] * program.get("failed", 1), *[skipped] * program.get("skipped", 0))
    diagnosis = tuple(Diagnosis("id", note="", **fields) for fields in program.get("diagnosis", ()))
    crash = program.get("crash", "")
    return StageReport("play", "Play", result.verdict, results, len(results), diagnosis=diagnosis, crash=crash)


def report_on(program):
    """A report in which the program's stage stands between an accepted and a skipped stage."""
    skipped = StageReport("betting", "Bet", Verdict.SKIPPED, reason="betting counts only when play is accepted.")
    stages = (StageReport("deal", "Deal", Verdict.ACCEPTED), stage_of(program), skipped)
    return Report("blackjack", "Blackjack", "ada", stages)


def screens(program):
    """A report at each width, one above the other."""
    parts = []
    for width in WIDTHS:
        text = as_text(report_of(report_on(program)), width=width)
        parts += [f"{f' {width} columns ':=^{width}}", *(line.rstrip() for line in text.rstrip().splitlines())]
    return "\n".join(parts) + "\n"


def screen_file(name):
    return HERE / "screens" / f"{name.replace(' ', '_').lower()}.txt"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_report_looks_as_recorded_in_its_screen_file(name):
    assert screens(PROGRAMS[name]) == screen_file(name).read_text()


def test_there_is_one_screen_file_for_each_program():
    assert sorted((HERE / "screens").iterdir()) == sorted(map(screen_file, PROGRAMS))


@pytest.mark.parametrize("name", PROGRAMS)
def test_only_commands_may_be_wider_than_the_screen(name):
    for width in WIDTHS:
        for line in as_text(report_of(report_on(PROGRAMS[name])), width=width).splitlines():
            assert len(line) <= width or line.startswith(("  again: ", "  smallest failing session: ")), line


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if "actual" in program])
def test_the_carets_begin_below_the_first_difference(name):
    """Both lines are equal up to the first caret, and differ above it."""
    for width in WIDTHS:
        lines = as_text(report_of(report_on(PROGRAMS[name])), width=width).splitlines()
        index = next(number for number, line in enumerate(lines) if line.startswith("  expected │ "))
        expected_line, actual_line, carets = (line.ljust(width) for line in lines[index : index + 3])
        caret = carets.index("^")
        assert expected_line[13:caret] == actual_line[13:caret]
        # Two pauses of different lengths are marked from their beginning, where their texts are equal.
        assert expected_line[caret] != actual_line[caret] or actual_line[caret:].startswith("(pause ")


if __name__ == "__main__":
    (HERE / "screens").mkdir(exist_ok=True)
    for program_name, values in PROGRAMS.items():
        screen_file(program_name).write_text(screens(values))
