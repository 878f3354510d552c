import io
import re

import msgspec
import pytest

from pitboss.cli.consoles import report_console
from pitboss.compare.results import Diagnosis, Report, Result, StageReport, Verdict
from pitboss.model.transcript import Ending, EndingKind, Shown, Transcript
from pitboss.reports.class_table import grade_csv
from pitboss.reports.exports.github import commands_for, step_summary
from pitboss.reports.exports.junit import junit_xml
from pitboss.reports.pages import submission_values
from pitboss.reports.report import report_of
from pitboss.reports.templates import page, style

#: Every C0 and C1 control but tab and newline, DEL, and every character that sets the direction of a text.
CONTROLS = "".join(map(chr, [*range(9), *range(11, 32), *range(0x7F, 0xA0)]))
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ACTIVE = re.compile(f"[{re.escape(CONTROLS + DIRECTIONS)}]")
HOSTILE_TEXT = f"a{CONTROLS}b{DIRECTIONS}\x1b]52;c;cm0gLXJmIH4=\x1b\\\x1b[2J c"


def with_text(value, text):
    """A struct with the text in each of its fields that is a text."""
    changes = {
        field.name: text
        for field in msgspec.structs.fields(value)
        if field.type == "str" and field.name not in ("visibility", "file")
    }
    return msgspec.structs.replace(value, **changes)


def hostile_report(verdict):
    shown = HOSTILE_TEXT.encode()
    result = Result(
        stage="s",
        case="c",
        verdict=Verdict.WRONG_ANSWER,
        expected=Transcript((Shown(shown + b"1\n"),), Ending(EndingKind.EXITED, 0)),
        actual=Transcript((Shown(shown + b"2\n"),), Ending(EndingKind.EXITED, 0)),
    )
    stage = StageReport(
        "s", "S", verdict, (with_text(result, HOSTILE_TEXT),), 1, diagnosis=(with_text(Diagnosis("", "", "", "", explains=1, of=1), HOSTILE_TEXT),), faults=(HOSTILE_TEXT,),
    )  # fmt: skip
    return with_text(Report("a", "A", "ada", (with_text(stage, HOSTILE_TEXT),), (HOSTILE_TEXT,), ()), HOSTILE_TEXT)


def on_terminal(report):
    console = report_console()
    console.file = io.StringIO()
    console.print(report_of(report), crop=False)
    return console.file.getvalue()


WRITERS = {
    "terminal": on_terminal,
    "page": lambda report: page("submission.html.j2", submission_values(report, style())),
    "GitHub's commands": commands_for,
    "GitHub's summary": step_summary,
    "JUnit": lambda report: junit_xml([report]),
    "CSV": lambda report: grade_csv(["s"], [report]),
}


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("writer", WRITERS)
def test_no_text_acts_on_what_shows_it(writer, verdict):

    assert not ACTIVE.findall(WRITERS[writer](hostile_report(verdict)))
