"""The report on the terminal: what is known comes first, and nothing is cut where sessions part."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from pitboss.assignments.answers import Rerun
from pitboss.compare.comparison import difference_between
from pitboss.compare.findings import Compared, NotRun, WrittenFinding
from pitboss.compare.results import Diagnosis, Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import Ending, EndingKind, Paused, Shown, Transcript, Typed, canonical
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.fitting import cut_end, cut_start, fitted, width_of
from pitboss.reports.report import Sentence, as_text, report_of
from pitboss.reports.screen import Piece, PieceKind, parting_of
from pitboss.sandbox.limits import Limits

NOTHING = Transcript(())
EXPECTED = Transcript((Shown(b"Hit? "), Typed(b"h"), Shown(b"You have 21.\n")))


def failed(actual, case="first", verdict=Verdict.WRONG_ANSWER):
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


def skipped(count):
    return [
        Result("play", f"later {number}", Verdict.SKIPPED, NOTHING, NOTHING, finding=NotRun())
        for number in range(count)
    ]


WRONG = failed(Transcript((Shown(b"Hit? "), Typed(b"h"), Shown(b"You have 12.\n"))))
CRASHED = failed(
    Transcript((Shown(b"Hit? "), Typed(b"h")), Ending(EndingKind.SIGNALLED, signal="SIGSEGV")),
    verdict=Verdict.RUN_TIME_ERROR,
)
FAULT = Result(
    "play", "ours", Verdict.JUDGE_ERROR, NOTHING, NOTHING, finding=WrittenFinding("This session could not be run.")
)


def told(results, width=80, verdict=Verdict.WRONG_ANSWER, *, has_details=True, **fields):
    stage = StageReport("play", "Play", verdict, tuple(results), len(results), **fields)
    report = Report("blackjack", "Blackjack", "ada", (stage,), folder="class/ada")
    text = as_text(report_of(report, has_details=has_details), width=width)
    return "\n".join(line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(
    ("results", "heading"),
    [
        ([WRONG], "case first"),
        ([WRONG, *skipped(296)], "case first (296 were skipped)"),
        ([WRONG, WRONG, WRONG, *skipped(1)], "case first (the simplest of 3 that failed; 1 was skipped)"),
        ([*skipped(2), WRONG, WRONG], "case first (the simplest of 2 that failed; 2 were skipped)"),
        ([FAULT, WRONG, WRONG], "case first (the simplest of 2 that failed; 1 could not be judged)"),
        ([FAULT, *skipped(1)], "case ours"),
    ],
)
def test_only_sessions_that_were_run_are_said_to_have_failed(results, heading):
    assert f"\n  {heading}\n" in told(results)


LONG = failed(Transcript((Shown(b"Hit? "), Typed(b"h"), Typed(b"h"), Shown(b"No.\n"))), case="long")
LATE = failed(Transcript((Shown(b"Hit? "), Typed(b"h"), Shown(b"You have 2!\n"))), case="late")
EARLY = failed(Transcript((Shown(b"Hit! "), Typed(b"h"), Shown(b"You have 21.\n"))), case="early")


@settings(max_examples=30)
@given(st.permutations([LONG, LATE, EARLY]))
def test_the_simplest_failure_is_shown_wherever_it_stands(results):
    """Few typed lines, and then an early difference, make a session simple."""
    assert "case early (the simplest of 3 that failed)" in told(results)
    stage = StageReport("play", "Play", Verdict.WRONG_ANSWER, tuple(results), 3)
    assert [one.case for one in stage.failures] == ["early", "late", "long"]


def test_what_a_named_mistake_does_not_explain_comes_after_what_it_does():
    near = Diagnosis("id", "every ace counts 11", "Count again.", "", 2, 3, beyond=("early",))
    assert "case late (the simplest of 3 that failed)" in told([LONG, LATE, EARLY], diagnosis=(near,))


ASIDE = {
    "rules": (("push", 3),),
    "judged_as": "with betting",
    "build_messages": "play.c:9:9: warning: unused variable ‘x’ [-Wunused-variable]",
    "made_with": "It was built with cards.c of the course.",
}
RIGHT = Result("play", "first", Verdict.ACCEPTED, EXPECTED, EXPECTED)


def test_without_details_a_stage_that_is_accepted_is_one_line():
    report = told([RIGHT], verdict=Verdict.ACCEPTED, has_details=False, **ASIDE)
    assert report == (
        "Blackjack: ada — accepted\n\n  play  accepted  1 of 1\n\n"
        "details: --details adds rules that came up, what was tolerated, warnings"
    )
    whole = told([RIGHT], verdict=Verdict.ACCEPTED, **ASIDE)
    assert all(word in whole for word in ("push 3", "with betting", "unused variable", "cards.c"))
    assert "--details" not in whole
    assert "--details" not in told([RIGHT], verdict=Verdict.ACCEPTED, has_details=False)


def test_without_details_a_remark_that_matters_and_the_warnings_of_a_wrong_program_are_left():
    assert "it reads past" in told(
        [RIGHT], verdict=Verdict.ACCEPTED, has_details=False, memory="it reads past an array."
    )
    report = told([WRONG], has_details=False, **ASIDE)
    assert "unused variable" in report
    assert not any(word in report for word in ("push 3", "with betting", "cards.c", "pitboss hunt"))


def test_the_cause_comes_first_then_where_it_shows_then_the_commands_and_what_a_compiler_says():
    report = told(
        [CRASHED, *skipped(2)],
        verdict=Verdict.RUN_TIME_ERROR,
        crash="In play.c, line 36, “hand[52] = 0;”: it uses index 52 of an array of 52, whose indexes go from 0 to 51.",
        build_messages="play.c:9:9: warning: unused variable ‘x’ [-Wunused-variable]",
        build_explanation="This variable is never used.",
        build_command="cc play.c",
        diagnosis=(Diagnosis("id", "every ace counts 11", "Count again.", "", 1, 1),),
    )
    assert (
        report
        == (
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
        ).rstrip("\n")
        + "\n"
    )


def test_what_a_makefile_prints_is_no_warning():
    report = told([WRONG], build_messages="cc -Wall -o play play.c", build_command="make play")
    assert report.endswith("  the build printed:\n  cc -Wall -o play play.c\n")


def without_guesses(result):
    finding = msgspec.structs.replace(result.finding, is_cause_known=True)
    return summary_of(msgspec.structs.replace(result, finding=finding))


def test_where_the_cause_is_known_nothing_is_guessed():
    assert without_guesses(CRASHED) == (
        "It crashed: it accessed memory that does not belong to it (a segmentation fault). On the screen it had reached the start "
        "of line 2."
    )
    strange = failed(Transcript((Shown(b"Hit? "), Typed(b"h"), Shown(b"You have \xff\n"))))
    assert without_guesses(strange) == (
        "Line 2 has bytes that are not valid characters: it is “You have \\xff” where “You have 21.” is expected."
    )
    assert without_guesses(WRONG) == summary_of(WRONG)


def test_a_compile_error_is_shown_before_warnings_however_many_there_are():
    warnings = [f"play.c:{line}:1: warning: unused variable ‘v{line}’" for line in range(20)]
    error = ["play.c: In function ‘main’:", "play.c:30:5: error: ‘x’ undeclared", "   30 |     x = 1;", "      |     ^"]
    report = told(
        [],
        verdict=Verdict.COMPILE_ERROR,
        summary="cc could not build play: play.c:30:5: error: ‘x’ undeclared",
        build_messages="\n".join([*warnings, *error, *warnings]),
        build_command="cc -o play play.c",
    )
    lines = report.splitlines()
    assert lines[6:10] == [f"  {line}" for line in error]
    assert lines[18] == "  … and 32 more lines: cc -o play play.c"


def test_a_line_without_end_is_cut_around_the_place():
    start = b"x" * 39_000
    expected, actual = Shown(start + b"right" + b"y" * 39_000), Shown(start + b"wrong" + b"y" * 39_000)
    difference = difference_between((expected,), (actual,))
    result = Result("play", "long", Verdict.WRONG_ANSWER, Transcript((expected,)), Transcript((actual,)), difference)
    for width in (60, 80, 120):
        lines = told([result], width=width).splitlines()
        place = next(number for number, line in enumerate(lines) if line.startswith("  expected"))
        ours, theirs, caret = lines[place : place + 3]
        assert max(map(len, (ours, theirs, caret))) <= width
        assert (ours[:13], theirs[:13]) == ("  expected │ ", "     yours │ ")
        assert ours[caret.index("^") :].startswith("righty")
        assert theirs[caret.index("^") :].startswith("wrongy")
        assert ours[13:15] == theirs[13:15] == "…x"
        assert ours.endswith("y…")
        assert theirs.endswith("y…")


def test_the_caret_stands_under_the_place_where_letters_are_wide():
    expected, actual = Shown("日本 right\n".encode()), Shown("日本 wrong\n".encode())
    result = Result(
        "play",
        "wide",
        Verdict.WRONG_ANSWER,
        Transcript((expected,)),
        Transcript((actual,)),
        difference_between((expected,), (actual,)),
    )
    theirs, caret = told([result]).splitlines()[8:10]
    assert theirs == "     yours │ 日本 wrong"
    assert caret == " " * (len("     yours │ ") + 5) + "^^^^^ line 1"  # each of the two takes two columns


lines = st.lists(
    st.builds(Piece, st.sampled_from([PieceKind.SHOWN, PieceKind.TYPED]), st.text("ab\\x80\\t日é", max_size=40)),
    max_size=4,
).map(tuple)


def text_of(line):
    return "".join(piece.text for piece in line)


@given(lines, st.integers(20, 60))
def test_what_is_cut_of_a_line_is_its_beginning_or_its_end(line, columns):
    assert width_of(cut_end(line, columns)) <= columns
    assert width_of(cut_start(line, columns)) <= columns
    if width_of(line) > columns:
        assert text_of(cut_end(line, columns)).endswith("…")
        assert text_of(line).startswith(text_of(cut_end(line, columns))[:-1])
        assert text_of(cut_start(line, columns)).startswith("…")
        assert text_of(line).endswith(text_of(cut_start(line, columns))[1:])
    else:
        assert cut_end(line, columns) == cut_start(line, columns) == line


shown = st.text("ab ♣\n", min_size=1, max_size=60).map(lambda text: Shown(text.encode()))
sessions = st.lists(st.one_of(shown, st.sampled_from([Typed(b"h" * 30), Paused(2000)])), max_size=6).map(canonical)


@settings(max_examples=200)
@given(sessions, sessions, st.integers(20, 100))
def test_the_place_where_sessions_part_is_never_cut(expected, actual, columns):
    difference = difference_between(expected, actual)
    if difference is None:
        return
    whole, cut = parting_of(difference), fitted(parting_of(difference), columns)
    for before, after in ((whole.expected, cut.expected), (whole.actual, cut.actual)):
        assert width_of((*after[0], *after[1])) <= columns
        assert text_of(before[0]).endswith(text_of(after[0]).removeprefix("…"))
        first = text_of(before[1])[: columns // 2 - 1]
        assert (
            text_of(after[1]).startswith(first)
            or text_of(after[1]).removesuffix("…") == first[: len(text_of(after[1])) - 1]
        )
    shown_texts = (text_of(cut.expected[1]), text_of(cut.actual[1]))
    assert shown_texts[0][:1] != shown_texts[1][:1] or shown_texts[0] != shown_texts[1]


@settings(max_examples=200)
@given(st.lists(st.tuples(st.text("ab ", max_size=12), st.text("cd ", max_size=20)), max_size=6), st.integers(20, 80))
def test_a_short_quotation_is_not_broken_over_lines(parts, width):
    text = " ".join(f"{before.strip()} “{quotation}”" for before, quotation in parts)
    lines = as_text(Sentence(Text(text)), width=width).splitlines()
    assert all(len(line) <= width and line == line.rstrip(" ") for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(f"“{quotation}”" in "".join(lines) for _, quotation in parts if len(quotation) + 2 <= width * 2 // 3)


def test_the_heading_of_a_long_case_goes_on_below_itself():
    case = "a hundred games of one who hits below seventeen and then stands, seed 249"
    text = told([failed(NOTHING, case), failed(NOTHING, "other")])
    assert f"  case {case}\n  (the simplest of 2 that failed)\n" in text
