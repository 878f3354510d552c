from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.gradebook.people import SourceFile
from pitboss.reports.review.source_view import annotated_files
from tests.reports.review.conftest import HOSTILE, Fact


def compile_error_report(**fields):
    return Report("toy", "Toy", "ada", (StageReport("play", "Play", Verdict.COMPILE_ERROR, **fields),))


def remarks_by_line(files):
    """By path and line number, the (kind, text) pairs of the remarks at that line."""
    return {
        (file.path, line.number): [tuple(remark) for remark in line.remarks]
        for file in files
        for line in file.lines
        if line.remarks
    }


PLAY = SourceFile("src/play.c", "int main(void)\n{\n\tint x;\n}\n")
README = SourceFile("read me.txt", "hello")


def test_compiler_messages_are_shown_at_their_lines():
    output = (
        "play.c: In function ‘main’:\n"
        "play.c:3:6: warning: unused variable ‘x’ [-Wunused-variable]\n    3 |  int x;\n"
        "./src/play.c:3:6: warning: unused variable ‘x’ [-Wunused-variable]\n"
        "/usr/include/stdio.h:3:1: note: declared here\nplay.c:99: error: beyond\n"
    )
    assert remarks_by_line(annotated_files([PLAY, README], compile_error_report(build_messages=output), ())) == {
        ("src/play.c", 3): [("compiler", "warning: unused variable ‘x’ [-Wunused-variable]")]
    }


def test_crashes_and_explained_errors_are_shown_at_their_lines():
    crash = "In play.c, line 4, “}”: it follows a pointer that points nowhere."
    meaning = "play.c, line 3: a semicolon is missing"
    assert remarks_by_line(
        annotated_files([PLAY], compile_error_report(crash=crash, build_explanation=meaning), ())
    ) == {("src/play.c", 3): [("in plain words", "a semicolon is missing")], ("src/play.c", 4): [("crash", crash)]}


def test_a_message_for_an_ambiguous_file_name_is_not_shown():
    same_name_files = [SourceFile("a/play.c", "x\n"), SourceFile("b/play.c", "x\n")]
    assert (
        remarks_by_line(
            annotated_files(same_name_files, compile_error_report(build_messages="play.c:1: error: no"), ())
        )
        == {}
    )
    assert remarks_by_line(
        annotated_files(same_name_files, compile_error_report(build_messages="b/play.c:1: error: no"), ())
    ) == {("b/play.c", 1): [("compiler", "error: no")]}


def test_style_facts_are_shown_at_their_lines_or_above_the_file():
    facts = [
        Fact(path="src/play.c", line=0, kind="not_examined", text="its functions were not measured"),
        Fact(path="src/play.c", line=1, kind="function_length", text="main has 61 lines"),
    ]
    (file,) = annotated_files([PLAY], None, facts)
    assert [tuple(remark) for remark in file.remarks] == [("not examined", "its functions were not measured")]
    assert remarks_by_line([file]) == {("src/play.c", 1): [("function length", "main has 61 lines")]}


def test_tabs_become_blanks_and_control_characters_are_escaped():
    (file,) = annotated_files([SourceFile("a.c", f"\tx\r\n{HOSTILE}\n")], None, ())
    assert [line.text for line in file.lines] == [
        "        x",
        '<script>document.title="harmed"</script><img src=x onerror=document.title="harmed">'
        "\\x1b[2J\\xe2\\x80\\xaeltr\\xe2\\x81\\xa6\\x00",
    ]


def test_long_lines_long_files_and_many_files_are_shortened():
    """At most 40 files, 2,000 lines of a file, 400 characters of a line or remark, and 8 remarks at a line."""
    file_with_long_line, file_with_many_lines = (
        SourceFile("a.c", "\x1b" * 10_000_000),
        SourceFile("b.c", "x\n" * 100_000),
    )
    empty_files = [SourceFile(f"{number}.c", "") for number in range(100)]
    output = "".join(f"a.c:1:{number}: warning: {number} \u202e{'y' * 1000}\n" for number in range(1000))
    files = annotated_files(
        [file_with_long_line, file_with_many_lines, *empty_files], compile_error_report(build_messages=output), ()
    )
    assert len(files) == 40
    (line,) = files[0].lines
    assert len(line.text) <= 400 and line.text.endswith("…")
    assert len(line.remarks) == 8
    assert all(len(remark.text) <= 400 and "\u202e" not in remark.text for remark in line.remarks)
    assert (len(files[1].lines), files[1].more) == (2_000, 98_000)
