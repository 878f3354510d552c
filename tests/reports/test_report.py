import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from pitboss.assignments.answers import Rerun
from pitboss.compare.comparison import difference_between
from pitboss.compare.findings import Compared, NotRun, WrittenFinding
from pitboss.compare.results import Diagnosis, Report, Result, StageReport, Verdict
from pitboss.model.transcript import Ending, EndingKind, Paused, Shown, Transcript, Typed, canonical
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.report import UnbrokenQuotations, as_text, report_of
from pitboss.reports.screen import Piece, PieceKind, cut_end, cut_start, fit_difference, screen_difference, width_of
from pitboss.sandbox.limits import Limits

EMPTY = Transcript(())
EXPECTED = Transcript((Shown(b"Hit? "), Typed(b"h"), Shown(b"You have 21.\n")))


def failed_result(actual, case="first", verdict=Verdict.WRONG_ANSWER):
    """The result of a case whose expected session is EXPECTED."""
    difference = difference_between(EXPECTED.events, actual.events)
    return Result(
        "play",
        case,
        verdict,
        EXPECTED,
        actual,
        difference,
        Compared(Limits()),
        rerun=Rerun("play", "blackjack", seed=3),
    )


def skipped_results(count):
    return [
        Result("play", f"later {number}", Verdict.SKIPPED, EMPTY, EMPTY, finding=NotRun()) for number in range(count)
    ]


WRONG = failed_result(Transcript((Shown(b"Hit? "), Typed(b"h"), Shown(b"You have 12.\n"))))
CRASHED = failed_result(
    Transcript((Shown(b"Hit? "), Typed(b"h")), Ending(EndingKind.SIGNALLED, signal="SIGSEGV")),
    verdict=Verdict.RUN_TIME_ERROR,
)
FAULT = Result(
    "play", "ours", Verdict.JUDGE_ERROR, EMPTY, EMPTY, finding=WrittenFinding("This session could not be run.")
)


def report_text(results, width=80, verdict=Verdict.WRONG_ANSWER, *, has_details=True, **fields):
    stage = StageReport("play", "Play", verdict, tuple(results), len(results), **fields)
    report = Report("blackjack", "Blackjack", "ada", (stage,), folder="class/ada")
    text = as_text(report_of(report, has_details=has_details), width=width)
    return "\n".join(line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(
    ("results", "heading"),
    [
        ([WRONG], "case first"),
        ([WRONG, *skipped_results(296)], "case first (296 were skipped)"),
        ([WRONG, WRONG, WRONG, *skipped_results(1)], "case first (the simplest of 3 that failed; 1 was skipped)"),
        ([*skipped_results(2), WRONG, WRONG], "case first (the simplest of 2 that failed; 2 were skipped)"),
        ([FAULT, WRONG, WRONG], "case first (the simplest of 2 that failed; 1 could not be judged)"),
        ([FAULT, *skipped_results(1)], "case ours"),
    ],
)
def test_only_sessions_that_were_run_are_counted_as_failed(results, heading):
    assert f"\n  {heading}\n" in report_text(results)


def test_why_a_session_could_not_be_judged_is_said_beside_a_failure():
    assert "\n  case ours: This session could not be run.\n" in report_text([FAULT, WRONG])
    assert report_text([FAULT, *skipped_results(1)]).count("This session could not be run.") == 1


LONG = failed_result(Transcript((Shown(b"Hit? "), Typed(b"h"), Typed(b"h"), Shown(b"No.\n"))), case="long")
LATE = failed_result(Transcript((Shown(b"Hit? "), Typed(b"h"), Shown(b"You have 2!\n"))), case="late")
EARLY = failed_result(Transcript((Shown(b"Hit! "), Typed(b"h"), Shown(b"You have 21.\n"))), case="early")


@settings(max_examples=30)
@given(st.permutations([LONG, LATE, EARLY]))
def test_the_simplest_failure_is_shown_whatever_the_order_of_results(results):
    """The simplest failure has the fewest typed lines, and among equals the earliest difference."""
    assert "case early (the simplest of 3 that failed)" in report_text(results)
    stage = StageReport("play", "Play", Verdict.WRONG_ANSWER, tuple(results), 3)
    assert [failure.case for failure in stage.failures] == ["early", "late", "long"]


def test_failures_that_a_known_mistake_explains_are_shown_first():
    partial_diagnosis = Diagnosis("id", "every ace counts 11", "Count again.", "", explains=2, of=3, beyond=("early",))
    assert "case late (the simplest of 3 that failed)" in report_text(
        [LONG, LATE, EARLY], diagnosis=(partial_diagnosis,)
    )


#: Fields of a stage that are mostly printed with --details only.
DETAILS = {
    "rules": (("push", 3),),
    "judged_as": "with betting",
    "build_messages": "play.c:9:9: warning: unused variable ‘x’ [-Wunused-variable]",
    "made_with": "It was built with cards.c of the course.",
}
PASSED = Result("play", "first", Verdict.ACCEPTED, EXPECTED, EXPECTED)


def test_without_details_an_accepted_stage_is_one_line():
    report = report_text([PASSED], verdict=Verdict.ACCEPTED, has_details=False, **DETAILS)
    assert report == (
        "Blackjack: ada — accepted\n\n  play  accepted  1 of 1\n\n"
        "details: --details adds rules that were reached, tolerated differences, warnings"
    )
    detailed_report = report_text([PASSED], verdict=Verdict.ACCEPTED, **DETAILS)
    assert all(fragment in detailed_report for fragment in ("push 3", "with betting", "unused variable", "cards.c"))
    assert "--details" not in detailed_report
    assert "--details" not in report_text([PASSED], verdict=Verdict.ACCEPTED, has_details=False)


def test_without_details_memory_errors_and_warnings_on_failures_remain():
    assert "it reads past" in report_text(
        [PASSED], verdict=Verdict.ACCEPTED, has_details=False, memory="it reads past an array."
    )
    report = report_text([WRONG], has_details=False, **DETAILS)
    assert "unused variable" in report
    assert not any(fragment in report for fragment in ("push 3", "with betting", "cards.c", "pitboss hunt"))


def test_the_cause_precedes_the_difference_commands_and_warnings():
    report = report_text(
        [CRASHED, *skipped_results(2)],
        verdict=Verdict.RUN_TIME_ERROR,
        crash="In play.c, line 36, “hand[52] = 0;”: it uses index 52 of an array of 52, whose indexes go from 0 to 51.",
        build_messages="play.c:9:9: warning: unused variable ‘x’ [-Wunused-variable]",
        build_explanation="This variable is never used.",
        build_command="cc play.c",
        diagnosis=(Diagnosis("id", "every ace counts 11", "Count again.", "", 1, 1),),
    )
    assert report == (
        "Blackjack: ada — run time error\n"
        "\n"
        "  play  run time error  0 of 3\n"
        "\n"
        "play\n"
        "  In play.c, line 36, “hand[52] = 0;”: it uses index 52 of an array of 52, whose\n"
        "  indexes go from 0 to 51.\n"
        "  possible mistake: every ace counts 11 (explains 1 of 1 that failed). Count\n"
        "  again.\n"
        "  case first (2 were skipped)\n"
        "  It crashed: it accessed memory that does not belong to it (a segmentation\n"
        "  fault). Most often the cause is an index outside an array, a missing & in\n"
        "  scanf, a wrong pointer, a very large array, or a function that calls itself\n"
        "  endlessly. On the screen it had reached the start of line 2.\n"
        "\n"
        "         1 │ Hit? h\n"
        "  expected │ You have 21.\n"
        "     yours │ (the end)\n"
        "             ^^^^^^^^^ line 2\n"
        "\n"
        "  again: pitboss check class/ada play --assignment blackjack --seed 3\n"
        "  smallest failing session: pitboss hunt class/ada play --assignment blackjack\n"
        "  the compiler warns:\n"
        "  play.c:9:9: warning: unused variable ‘x’ [-Wunused-variable]\n"
        "  that is: This variable is never used.\n"
    )


def test_the_output_of_a_makefile_is_not_called_a_warning():
    report = report_text([WRONG], build_messages="cc -Wall -o play play.c", build_command="make play")
    assert report.endswith("  the build printed:\n  cc -Wall -o play play.c\n")


def test_the_warnings_of_stages_that_are_one_program_are_shown_once():
    stages = tuple(
        StageReport(name, name, Verdict.WRONG_ANSWER, (WRONG,), 1, build_messages="play.c:9: warning: unused ‘x’")
        for name in ("play", "betting")
    )
    assert as_text(report_of(Report("blackjack", "", "ada", stages)), width=80).count("unused ‘x’") == 1


def test_what_is_typed_after_a_long_question_is_shown():
    question = b"How much do you want to bet? Press Enter for the lowest bet of 10, or type a number up to 350: "
    actual = Transcript((Shown(question), Typed(b"-20"), Shown(b"You have 12.\n")))
    expected = Transcript((Shown(question), Typed(b"-20"), Shown(b"That is no bet.\n")))
    difference = difference_between(expected.events, actual.events)
    text = report_text([msgspec.structs.replace(failed_result(actual), expected=expected, difference=difference)])
    assert "         1 │ How much do you want to bet? Press Enter for the lowest bet of… -20\n" in text


def summary_with_known_cause(result):
    finding = msgspec.structs.replace(result.finding, is_misuse_located=True)
    return summary_of(msgspec.structs.replace(result, finding=finding))


def test_no_causes_are_guessed_when_the_cause_is_known():
    assert summary_with_known_cause(CRASHED) == (
        "It crashed: it accessed memory that does not belong to it (a segmentation fault). On the screen it had reached the start "
        "of line 2."
    )
    undecodable = failed_result(Transcript((Shown(b"Hit? "), Typed(b"h"), Shown(b"You have \xff\n"))))
    assert summary_with_known_cause(undecodable) == (
        "Line 2 has bytes that are not valid characters: it is “You have \\xff” where “You have 21.” is expected."
    )
    assert summary_with_known_cause(WRONG) == summary_of(WRONG)


def test_a_compile_error_is_shown_before_any_number_of_warnings():
    warnings = [f"play.c:{line}:1: warning: unused variable ‘v{line}’" for line in range(20)]
    error = ["play.c: In function ‘main’:", "play.c:30:5: error: ‘x’ undeclared", "   30 |     x = 1;", "      |     ^"]
    report = report_text(
        [],
        verdict=Verdict.COMPILE_ERROR,
        summary="cc could not build play: play.c:30:5: error: ‘x’ undeclared",
        build_messages="\n".join([*warnings, *error, *warnings]),
        build_command="cc -o play play.c",
    )
    lines = report.splitlines()
    assert lines[6:10] == [f"  {line}" for line in error]
    assert lines[18] == "  … and 32 more lines: cc -o play play.c"


def test_the_caret_is_aligned_after_double_width_characters():
    expected, actual = Shown("日本 right\n".encode()), Shown("日本 wrong\n".encode())
    result = Result(
        "play",
        "wide",
        Verdict.WRONG_ANSWER,
        Transcript((expected,)),
        Transcript((actual,)),
        difference_between((expected,), (actual,)),
    )
    actual_line, caret = report_text([result]).splitlines()[8:10]
    assert actual_line == "     yours │ 日本 wrong"
    assert caret == " " * (len("     yours │ ") + 5) + "^^^^^ line 1"  # “日” and “本” are two columns wide each


piece_lines = st.lists(
    st.builds(Piece, st.sampled_from([PieceKind.SHOWN, PieceKind.TYPED]), st.text("ab\\x80\\t日é", max_size=40)),
    max_size=4,
).map(tuple)


def text_of(line):
    return "".join(piece.text for piece in line)


@given(piece_lines, st.integers(20, 60))
def test_a_long_line_is_cut_at_its_beginning_or_at_its_end(line, columns):
    assert width_of(cut_end(line, columns)) <= columns
    assert width_of(cut_start(line, columns)) <= columns
    if width_of(line) > columns:
        assert text_of(cut_end(line, columns)).endswith("…")
        assert text_of(line).startswith(text_of(cut_end(line, columns))[:-1])
        assert text_of(cut_start(line, columns)).startswith("…")
        assert text_of(line).endswith(text_of(cut_start(line, columns))[1:])
    else:
        assert cut_end(line, columns) == cut_start(line, columns) == line


shown_events = st.text("ab ♣\n", min_size=1, max_size=60).map(lambda text: Shown(text.encode()))
event_sequences = st.lists(st.one_of(shown_events, st.sampled_from([Typed(b"h" * 30), Paused(2000)])), max_size=6).map(
    canonical
)


@settings(max_examples=200)
@given(event_sequences, event_sequences, st.integers(20, 100))
def test_the_first_difference_is_never_cut_off(expected, actual, columns):
    difference = difference_between(expected, actual)
    if difference is None:
        return
    full_screen, fitted_screen = screen_difference(difference), fit_difference(screen_difference(difference), columns)
    # Each line is in two parts: what agrees before the difference, and the rest.
    for (whole_agreement, whole_rest), (cut_agreement, cut_rest) in (
        (full_screen.expected, fitted_screen.expected),
        (full_screen.actual, fitted_screen.actual),
    ):
        assert width_of((*cut_agreement, *cut_rest)) <= columns
        assert text_of(whole_agreement).endswith(text_of(cut_agreement).removeprefix("…"))
        # The rest takes at least half of the columns; where it is shorter, only its end is cut.
        rest_text, visible_start = text_of(cut_rest), text_of(whole_rest)[: columns // 2 - 1]
        assert rest_text.startswith(visible_start) or (
            rest_text.removesuffix("…") == visible_start[: len(rest_text) - 1]
        )
    assert text_of(fitted_screen.expected[1]) != text_of(fitted_screen.actual[1])


@settings(max_examples=200)
@given(st.lists(st.tuples(st.text("ab ", max_size=12), st.text("cd ", max_size=20)), max_size=6), st.integers(20, 80))
def test_a_short_quotation_stays_on_one_line(parts, width):
    """A quotation is short if it takes at most two thirds of the width, with its quotation marks."""
    text = " ".join(f"{before.strip()} “{quotation}”" for before, quotation in parts)
    lines = as_text(UnbrokenQuotations(Text(text)), width=width).splitlines()
    assert all(len(line) <= width and line == line.rstrip(" ") for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(f"“{quotation}”" in "".join(lines) for _, quotation in parts if len(quotation) + 2 <= width * 2 // 3)


def test_the_heading_of_a_long_case_continues_on_the_next_line():
    case = "a hundred games of one who hits below seventeen and then stands, seed 249"
    text = report_text([failed_result(EMPTY, case), failed_result(EMPTY, "other")])
    assert f"  case {case}\n  (the simplest of 2 that failed)\n" in text
