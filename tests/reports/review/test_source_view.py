"""Sources with what is known of their lines, whatever stands in them."""

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.person_records import SourceFile
from pitboss.reports.review.source_view import code_of
from tests.reports.review.conftest import HOSTILE, Fact


def report(**fields):
    return Report("toy", "Toy", "ada", (StageReport("play", "Play", Verdict.COMPILE_ERROR, **fields),))


def remarks(files):
    return {
        (file.path, line.number): [tuple(one) for one in line.remarks]
        for file in files
        for line in file.lines
        if line.remarks
    }


PLAY = SourceFile("src/play.c", "int main(void)\n{\n\tint x;\n}\n")
READ = SourceFile("read me.txt", "hello")


def test_what_the_compiler_says_stands_at_its_line():
    output = (
        "play.c: In function ‘main’:\n"
        "play.c:3:6: warning: unused variable ‘x’ [-Wunused-variable]\n    3 |  int x;\n"
        "./src/play.c:3:6: warning: unused variable ‘x’ [-Wunused-variable]\n"
        "/usr/include/stdio.h:3:1: note: declared here\nplay.c:99: error: beyond\n"
    )
    assert remarks(code_of([PLAY, READ], report(build_messages=output), ())) == {
        ("src/play.c", 3): [("compiler", "warning: unused variable ‘x’ [-Wunused-variable]")]
    }


def test_what_crashed_and_what_it_means_stand_there_too():
    crash = "In play.c, line 4, “}”: it follows a pointer that points nowhere."
    meaning = "play.c, line 3: a semicolon is missing"
    assert remarks(code_of([PLAY], report(crash=crash, build_explanation=meaning), ())) == {
        ("src/play.c", 3): [("in plain words", "a semicolon is missing")],
        ("src/play.c", 4): [("crash", crash)],
    }


def test_a_name_that_may_be_either_of_two_files_is_neither():
    two = [SourceFile("a/play.c", "x\n"), SourceFile("b/play.c", "x\n")]
    assert remarks(code_of(two, report(build_messages="play.c:1: error: no"), ())) == {}
    assert remarks(code_of(two, report(build_messages="b/play.c:1: error: no"), ())) == {
        ("b/play.c", 1): [("compiler", "error: no")]
    }


def test_facts_stand_at_their_lines_and_those_of_a_file_above_it():
    facts = [
        Fact(path="src/play.c", line=0, kind="header_comment", text="no comment at the top"),
        Fact(path="src/play.c", line=1, kind="function_length", text="main has 61 lines"),
    ]
    (file,) = code_of([PLAY], None, facts)
    assert [tuple(one) for one in file.remarks] == [("header comment", "no comment at the top")]
    assert remarks([file]) == {("src/play.c", 1): [("function length", "main has 61 lines")]}


def test_tabs_are_blanks_and_nothing_moves_or_hides_what_stands_beside():
    (file,) = code_of([SourceFile("a.c", f"\tx\r\n{HOSTILE}\n")], None, ())
    assert [line.text for line in file.lines] == [
        "        x",
        '<script>document.title="harmed"</script><img src=x onerror=document.title="harmed">'
        "\\x1b[2J\\xe2\\x80\\xaeltr\\xe2\\x81\\xa6\\x00",
    ]


def test_what_has_no_end_is_cut():
    long, tall = SourceFile("a.c", "\x1b" * 10_000_000), SourceFile("b.c", "x\n" * 100_000)
    many = [SourceFile(f"{number}.c", "") for number in range(100)]
    output = "".join(f"a.c:1:{number}: warning: {number} \u202e{'y' * 1000}\n" for number in range(1000))
    files = code_of([long, tall, *many], report(build_messages=output), ())
    assert len(files) == 40
    (line,) = files[0].lines
    assert len(line.text) <= 400 and line.text.endswith("…")
    assert len(line.remarks) == 8
    assert all(len(one.text) <= 400 and "\u202e" not in one.text for one in line.remarks)
    assert (len(files[1].lines), files[1].more) == (2_000, 98_000)
