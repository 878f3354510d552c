import html
import re

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pitboss.compare.findings import WrittenFinding
from pitboss.compare.results import Report, Result, StageReport, Verdict
from pitboss.model.quoting import printable
from pitboss.model.transcript import Transcript
from pitboss.reports.exports.github import commands_for, step_summary, without_commands
from tests.conftest import TOY
from tests.gradebook.made import A, W, report, result

COMPILER_MESSAGES = """\
play.c: In function ‘main’:
play.c:3:5: error: expected ‘;’ before ‘}’ token, 100%
    3 |     x
sub/own.h:12:1: warning: unused: y
"""


def test_a_compiler_message_is_annotated_at_its_line():
    stage = StageReport(
        "play", "Play", Verdict.COMPILE_ERROR, summary="It does not compile.", build_messages=COMPILER_MESSAGES
    )
    assert commands_for(Report("b", "B", "ada", (stage,), folder="class/ada")).splitlines() == [
        "::error file=class/ada/play.c,line=3,col=5,title=play%3A the compiler::expected ‘;’ before ‘}’ token, 100%25",
        "::warning file=class/ada/sub/own.h,line=12,col=1,title=play%3A the compiler::unused: y",
        "::error title=play%3A compile error::It does not compile.",
    ]


def test_a_crash_is_annotated_at_its_line():
    crash = "In play.c, line 7, “*p = 3;”: it follows a pointer that points nowhere."
    stage = StageReport("play", "Play", Verdict.RUN_TIME_ERROR, (result(1, W),), 1, crash=crash)
    assert commands_for(Report("b", "B", "ada", (stage,))).splitlines() == [
        f"::error file=play.c,line=7,title=play%3A memory::{crash}",
        "::error title=play%3A run time error::case 1: It parts.",
    ]


def test_an_accepted_submission_has_no_annotations():
    assert commands_for(report(A)) == ""


def test_the_summary_has_all_stages_and_the_failed_sessions():
    text = step_summary(report(A, W, W))
    assert text.startswith(
        "## Blackjack\n\n| stage | verdict | sessions |\n|---|---|---|\n| play | ❌ wrong answer | 1 of 3 |\n"
    )
    assert text.count("<details>") == 2


@given(st.text(), st.text())
def test_no_text_ends_a_workflow_command_or_a_code_block(text, compiler_message):
    stage = StageReport(
        text, text, Verdict.COMPILE_ERROR, summary=f"x{text}", build_messages=f"a.c:1: error: x\n{compiler_message}"
    )
    hostile_report = Report("b", text, text, (stage,))
    for line in commands_for(hostile_report).removesuffix("\n").split("\n"):
        assert re.match(r"::(error|warning) ", line)
        assert "\r" not in line
    before_block, fence, rest = re.split("(?m)^(`{3,})text$", step_summary(hostile_report), maxsplit=1)
    assert "<" not in before_block.replace("\\<", "")
    block, closing_fence, after_block = rest.partition(f"\n{fence}\n")
    assert closing_fence
    assert after_block == ""
    assert re.sub(r"\s", "", block) == re.sub(r"\s", "", printable(f"a.c:1: error: x\n{compiler_message}".rstrip()))


#: The HTML tags that the summary has for one failed session, apart from those of paragraphs and code.
FAILED_SESSION_TAGS = ["details", "summary", "/summary", "/details"]


@given(st.text(), st.text())
@example("one", "It shows “</summary ></details ><h1 >✅ accepted</h1 ><!”.")
@example("<!--", "\n\n<h1>")
def test_no_text_of_a_report_becomes_html_in_the_rendered_summary(case, finding_text):
    failed = Result(
        "play", case, Verdict.WRONG_ANSWER, Transcript(()), Transcript(()), finding=WrittenFinding(finding_text)
    )
    stage = StageReport("play", "Play", Verdict.WRONG_ANSWER, (failed,), 1)
    rendered = MarkdownIt("commonmark").enable("table").render(step_summary(Report("b", "B", "ada", (stage,))))
    tags = re.findall("<(/?[a-z0-9!-]+)", rendered[rendered.index("<details>") :])
    assert [tag for tag in tags if tag not in ("p", "/p", "pre", "/pre", "code", "/code")] == FAILED_SESSION_TAGS
    expected_summary = printable(" ".join(f"{case}: {finding_text}".split()))
    assert html.unescape(rendered.partition("<summary>")[2].partition("</summary>")[0]) == expected_summary


def test_the_runner_obeys_no_command_that_a_program_prints(pitboss, tmp_path):
    (tmp_path / "mine").mkdir()
    program = (
        "#!/bin/sh\nprintf 'Opening balance: '; read x; echo; echo '::error file=x::mine'; echo '::set-env name=A::b'\n"
    )
    (tmp_path / "mine" / "teller.sh").write_text(program)
    output = pitboss("check", "mine", "-a", f"{TOY}/", "--github", GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
    first_line, *lines = output.out.splitlines()
    token = first_line.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    # After this line the runner obeys commands again.
    (command,) = lines[lines.index(f"::{token}::") + 1 :]
    assert command.startswith("::error title=teller%3A ")
    assert (tmp_path / "summary.md").read_text().startswith("## A bank teller\n")


def test_a_text_is_enclosed_between_commands_that_stop_and_resume_commands():
    assert without_commands("a\n::error::b\n\n", "t") == "::stop-commands::t\na\n::error::b\n::t::\n"
