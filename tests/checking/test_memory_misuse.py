import csv
import html
import io
import json
import re
from pathlib import Path

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.checking.memory_misuse import (
    COSTS_NOTHING,
    MAX_SELECTED_PER_STAGE,
    finding_in,
    is_nearly_accepted,
    revealing_sessions,
)
from pitboss.compare.results import Result, StageReport, Verdict
from pitboss.errors import SessionError
from pitboss.model.transcript import Ending, EndingKind, InputEnded, Shown, Transcript, Typed, exited
from pitboss.reports.class_table import grade_csv
from pitboss.reports.pages import submission_values
from pitboss.reports.report import as_text, report_of
from pitboss.reports.report_json import check_json
from pitboss.reports.templates import page, style
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

#: A correct teller with two places to fill: functions before main, and a line that runs for each amount typed.
TELLER = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <alloca.h>
%s
int main(void)
{
    int balance, amount = 0, count = 0;
    char command;
    printf("Opening balance: ");
    if (scanf("%%d", &balance) != 1) {
        return 0;
    }
    for (;;) {
        printf("Deposit, withdraw or close? [d/w/c] ");
        if (scanf(" %%c", &command) != 1 || command == 'c') {
            break;
        }
        printf("Amount: ");
        scanf("%%d", &amount);
        count++;
        %s
        if (command == 'd') {
            balance += amount;
        } else if (amount > balance) {
            printf("Not enough money.\\n");
            continue;
        } else {
            sleep(1);
            printf("Please count your money.\\n");
            balance -= amount;
        }
        printf("Balance: %%d €\\n", balance);
    }
    printf("Closing balance: %%d €\\n", balance);
    return 0;
}
"""
INDEX = "it uses index {} of an array of {}, whose indexes go from 0 to {}"
OUTSIDE, BEYOND_MALLOC = "it uses an element outside an array", "it uses memory outside what malloc or new gave it"
LARGE = "a number grows larger than its type can hold"
#: Programs that misuse memory: functions before main, the planted line, and the cause that the remark must name. All
#: causes were written down before any of the programs was run. test_memory_truths.py has further programs.
MISUSED = {
    "an array on the stack that is too short": (
        "struct hand { int cards[3]; int spare[99]; } hand;",
        "hand.cards[count] = amount;",
        INDEX.format(3, 3, 2),
    ),
    "memory of the heap, one too few": ("", "int *all = malloc(3); *all = amount; free(all);", BEYOND_MALLOC),
    "a deck that is read before its beginning": (
        "int before[52], deck[52];",
        "count += deck[-(amount > 0)] > 99;",
        INDEX.format(-1, 52, 51),
    ),
    "a sum that grows too large": ("int sum = 2147483000;", "sum += amount * 100;", LARGE),
    "a variable outside its braces": (
        "",
        "volatile int *kept; { volatile int mine = amount; kept = &mine; } count += *kept < -99999;",
        "it uses a variable outside the braces that it lives in",
    ),
    "an array whose length is computed": (
        "",
        "volatile int row[count + 1]; row[0] = 1; row[count + 1 - (amount < 1)] = 1;",
        OUTSIDE,
    ),
}
#: Programs that get no remark: correct ones, and mistakes that the sanitizers miss or cannot name for certain.
SILENT = {
    "nothing is planted": ("", ""),
    "memory that is never freed": ("", "int *all = malloc(40); all[9] = amount; count += all[9] < -99999;"),
    "exit in the middle, with memory in use": (
        "char *kept; static void bye(void) { kept[0] = 0; }",
        "if (!kept) { kept = malloc(9); atexit(bye); } if (amount == -99999) exit(1);",
    ),
    "large arrays": (
        "static int table[1 << 20];",
        "volatile int many[100000]; many[99999] = 1; table[amount & 7] = 1;",
    ),
    "deep recursion": (
        "static int down(int n) { volatile char room[256]; room[0] = 0; return n ? 1 + down(n - 1) + room[0] : 0; }",
        "count += down(20000) < 0;",
    ),
    "random numbers of its own": (
        "static unsigned next = 1; static int my_rand(void) { next = next * 1103515245u + 12345u; "
        "return next / 65536 % 32768; }",
        "for (int i = 0; i < 99; i++) count += my_rand() < 0;",
    ),
    "its own function called rand": (
        "static unsigned long long s = 88172645463325252ull; int rand(void) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; "
        "return s & 32767; }",
        "for (int i = 0; i < 99; i++) count += rand() < 0;",
    ),
    "a pointer to the end of an array": (
        "int deck[52];",
        "for (int *one = deck; one != &deck[52]; one++) count += *one < 0;",
    ),
    "an array at the end of a struct": (
        "struct hand { int n; int cards[1]; };",
        "struct hand *h = malloc(sizeof *h + 9 * sizeof(int)); for (h->n = 0; h->n < 9; h->n++) h->cards[h->n] = 1; free(h);",
    ),
    "a jump out of functions": (
        "static jmp_buf back; static void leap(int n) { volatile char room[99]; room[n] = 1; if (n) leap(n - 1); "
        "else longjmp(back, 1); }",
        "if (!setjmp(back)) leap(20); { volatile char room[400]; memset((void *)room, 1, 400); }",
    ),
    "room on the stack": ("", "char *room = alloca(count * 8); memset(room, 1, count * 8); free(NULL);"),
    "numbers that become small, or wrap as they may": (
        "int low = -2147483647; unsigned wraps;",
        "low -= amount > 0; low += low < -2147483647; wraps -= 9; wraps *= 77777;",
    ),
    "an address computed from nothing": (
        "struct hand { int n, cards[9]; }; static size_t place(struct hand *h) { return (size_t)&h->cards; }",
        "count += place(NULL) > 99;",
    ),
    "shifts and a number that is moved": (
        "",
        "int word = -1; word <<= 1; char four[5] = {0}; count += *(int *)(four + 1);",
    ),
    "a large memory that it does not get": ("", "void *all = malloc((size_t)1 << 50); free(all);"),
    "a value that was never set": ("", "int answer; if (amount < 1) answer = 3; count += answer == 77777;"),
}


def write_teller(tmp_path: Path, functions: str, line: str, name: str = "teller.c") -> Path:
    (tmp_path / name).write_text(TELLER % (functions, line), encoding="utf-8")
    return tmp_path


def check_assignment(assignment, folder, **changes):
    """Check a submission with remarks on memory, and with these changes of the Job."""
    job = Job(assignment, assignment.stages, find_conditions("watched", "landlock"), "x", remarks_on_memory=True)
    return check(msgspec.structs.replace(job, **changes), folder, cores=1)


@pytest.mark.parametrize("name", MISUSED)
def test_misuse_in_an_accepted_program_is_reported_with_its_line(toy, tmp_path, name):
    functions, line, cause = MISUSED[name]
    (stage,) = check_assignment(toy, write_teller(tmp_path, functions, line)).stages
    number = 1 + TELLER.rpartition("%s")[0].count("\n")  # of the planted line, since the functions are on one line
    assert (stage.verdict, stage.crash) == (Verdict.ACCEPTED, "")
    assert stage.memory == f"In teller.c, line {number}, “{line}”: {cause}. {COSTS_NOTHING}"


@pytest.mark.parametrize("name", SILENT)
def test_a_program_without_certain_misuse_gets_no_remark(toy, tmp_path, name):
    (stage,) = check_assignment(toy, write_teller(tmp_path, *SILENT[name])).stages
    assert (stage.verdict, stage.memory) == (Verdict.ACCEPTED, "")


#: An edit of ada's `play`: a hand has room for three cards; further cards overflow into the next field of its struct.
SHORT_HAND = ("int cards[CARDS];\n    int count;", "int cards[3];\n    int others[CARDS];\n    int count;")


def write_ada_play(tmp_path, *changes):
    """Write ada's play.c with SHORT_HAND and further replacements (old, new)."""
    text = (ROOT / "examples" / "blackjack" / "ada" / "play.c").read_text()
    for old, new in (SHORT_HAND, *changes):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "play.c").write_text(text)
    return tmp_path


def check_play(blackjack, folder, **changes):
    return check_assignment(blackjack, folder, stages=(blackjack.stage("play"),), **changes)


SHORT_HAND_REMARK = (
    "In play.c, line 102, “hand->cards[hand->count++] = deck[--*top];”: it uses index 3 of an array of 3, whose indexes "
    f"go from 0 to 2. {COSTS_NOTHING}"
)


def test_misuse_appears_in_every_kind_of_report(blackjack, tmp_path):
    report = check_play(blackjack, write_ada_play(tmp_path))
    (stage,) = report.stages
    assert (report.verdict, stage.passed, stage.memory) == (Verdict.ACCEPTED, stage.total, SHORT_HAND_REMARK)
    assert SHORT_HAND_REMARK in " ".join(as_text(report_of(report)).split())
    assert json.loads(check_json(report))["stages"][0]["memory"] == SHORT_HAND_REMARK
    assert f"<p>{html.escape(SHORT_HAND_REMARK, quote=False)}</p>" in page(
        "submission.html.j2", submission_values(report, style())
    )
    (row,) = csv.DictReader(io.StringIO(grade_csv(["play"], [report])))
    assert row["memory"] == f"play: {SHORT_HAND_REMARK}"


def test_remarks_on_memory_change_nothing_else_in_the_report(blackjack, tmp_path):
    first_report, second_report = (check_json(check_play(blackjack, write_ada_play(tmp_path))) for _ in range(2))
    assert first_report == second_report
    report_without_remarks = check_json(check_play(blackjack, tmp_path, remarks_on_memory=False))
    assert report_without_remarks == first_report.replace(json.dumps(SHORT_HAND_REMARK, ensure_ascii=False), '""')


@pytest.mark.parametrize(
    ("verdict", "failed_counts", "is_nearly"),
    [
        (Verdict.ACCEPTED, {}, True),
        (Verdict.WRONG_ANSWER, {Verdict.WRONG_ANSWER: 2}, True),
        (Verdict.WRONG_ANSWER, {Verdict.WRONG_ANSWER: 3}, False),
        (Verdict.WRONG_ANSWER, {Verdict.WRONG_ANSWER: 1, Verdict.TIME_LIMIT_EXCEEDED: 1}, False),
        (Verdict.RUN_TIME_ERROR, {Verdict.RUN_TIME_ERROR: 1}, False),
        (Verdict.JUDGE_ERROR, {Verdict.JUDGE_ERROR: 1}, False),
        (Verdict.WRONG_ANSWER, {}, True),  # each session is correct, but all have the same draws
    ],
)
def test_nearly_accepted_is_nine_of_ten_sessions_and_only_wrong_answers(verdict, failed_counts, is_nearly):
    """Of twenty sessions, `failed_counts` says how many failed with each verdict."""
    failed_results = [
        play_result("failed", verdict=failed_verdict)
        for failed_verdict, count in failed_counts.items()
        for _ in range(count)
    ]
    results = (*failed_results, *(play_result("right") for _ in range(20 - len(failed_results))))
    assert is_nearly_accepted(StageReport("play", "", verdict, results, 20)) is is_nearly


def test_a_nearly_accepted_stage_is_examined_for_misuse(blackjack, tmp_path):
    """The program prints a wrong text only where the player has 20 and the dealer 21."""
    folder = write_ada_play(
        tmp_path, ('printf("Dealer wins!', 'printf(ours == 20 && theirs == 21 ? "House wins!\\n" : "Dealer wins!')
    )
    (stage,) = check_play(blackjack, folder).stages
    assert stage.verdict is Verdict.WRONG_ANSWER and 0.9 <= stage.passed / stage.total < 1
    # If a failed session misuses memory too, this explains the failure and is not a remark.
    assert SHORT_HAND_REMARK in (stage.memory, f"{stage.crash} {COSTS_NOTHING}")


def test_a_stage_that_fails_more_often_is_not_examined(blackjack, tmp_path, monkeypatch):
    monkeypatch.setattr("pitboss.checking.memory_misuse.memory_misuse_in", lambda *_: pytest.fail("it was run again"))
    (stage,) = check_play(blackjack, write_ada_play(tmp_path, ("Dealer hits.", "Dealer takes."))).stages
    assert stage.verdict is Verdict.WRONG_ANSWER


def test_a_check_of_a_single_session_is_not_examined_for_misuse(blackjack, tmp_path, monkeypatch):
    monkeypatch.setattr("pitboss.checking.memory_misuse.memory_misuse_in", lambda *_: pytest.fail("it was run again"))
    assert check_play(blackjack, write_ada_play(tmp_path), only=("player busts",)).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("name", ["teller.py", "teller.c"])
def test_without_sanitizers_there_is_no_remark(toy, tmp_path, monkeypatch, name):
    """Python has no sanitizers; for C, the compiler refuses the flag that would turn them on."""
    if name == "teller.c":
        monkeypatch.setattr("pitboss.checking.memory_misuse.FLAGS", ("-fsanitize=no-such-thing",))
        folder = write_teller(tmp_path, *MISUSED["memory of the heap, one too few"][:2])
    else:
        monkeypatch.setattr(
            "pitboss.checking.memory_misuse.memory_misuse_in", lambda *_: pytest.fail("it was run again")
        )
        folder = ROOT / "tests" / "submissions" / "ACCEPTED" / "python"
    (stage,) = check_assignment(toy, folder).stages
    assert (stage.verdict, stage.memory, stage.faults) == (Verdict.ACCEPTED, "", ())


@pytest.mark.parametrize(
    ("compiler", "has_remark"), [("$(CC)", True), ("gcc", False)], ids=["its usual variable", "a compiler by name"]
)
def test_a_makefile_build_is_examined_if_its_compiler_is_a_variable(toy, tmp_path, compiler, has_remark):
    functions, line, cause = MISUSED["a deck that is read before its beginning"]
    write_teller(tmp_path, functions, line)
    (tmp_path / "Makefile").write_text(
        f"CC = gcc\nCFLAGS = -O2 -Wall\nteller: teller.c\n\t{compiler} $(CFLAGS) -o $@ $<\n"
    )
    (stage,) = check_assignment(toy, tmp_path).stages
    remark = f"In teller.c, line 24, “{line}”: {cause}. {COSTS_NOTHING}"
    assert (stage.verdict, stage.memory) == (Verdict.ACCEPTED, remark if has_remark else "")


PIG = (ROOT / "tests" / "checking" / "pigs" / "c" / "pig.c").read_text()


def test_a_rerun_with_sanitizers_has_the_same_random_draws(tmp_path):
    """The preloaded library that fixes the time, and so the draws, works together with the sanitizers' library."""
    text = PIG.replace("int points = 0;", "int points = 0, count = 0, rolls[2];")
    text = text.replace("points += roll;", "points += rolls[count++] = roll;")
    (tmp_path / "pig.c").write_text(text)
    dice = load_assignment(ROOT / "tests" / "toy" / "dice")
    (stage,) = check_assignment(dice, tmp_path).stages
    assert (stage.verdict, stage.memory) == (
        Verdict.ACCEPTED,
        "In pig.c, line 26, “points += rolls[count++] = roll;”: it uses index 2 of an array of 2, whose indexes go "
        f"from 0 to 1. {COSTS_NOTHING}",
    )


CPP = """#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>
struct Teller {
    int balance = 0;
    std::vector<int> all = std::vector<int>(2);
    int size() { return 3; }
    void keep(const std::string &, int amount) { %s; balance += amount; }
};
"""
#: A line to plant in the method `keep`, and the cause in the remark; without a cause there is no remark.
CPP_LINES = {
    "nothing wrong": ("all.push_back(amount)", ""),
    "an element beyond the end of a vector": ("all[2] = amount", BEYOND_MALLOC),
    "a method of a null pointer": (
        "Teller *none = nullptr; amount += none->size() - 3",
        "it follows a pointer that points nowhere",
    ),
    "an array deleted like a single object": ("delete new int[9]", ""),
}


@pytest.mark.needs("C++")
@pytest.mark.parametrize("name", CPP_LINES)
def test_a_method_in_cpp_is_reported_with_its_own_line(toy, tmp_path, name):
    line, cause = CPP_LINES[name]
    body = (TELLER % ("", "teller.keep(std::string(99, 'x'), 0);")).replace(
        "int main(void)\n{", "int main(void)\n{\n    Teller teller;"
    )
    (tmp_path / "teller.cpp").write_text(CPP % line + body)
    (stage,) = check_assignment(toy, tmp_path).stages
    remark = f"In teller.cpp, line 9, “void keep(const std::string &, int amount) {{ {line}; balance += amount; }}”: {cause}. {COSTS_NOTHING}"
    assert (stage.verdict, stage.memory) == (Verdict.ACCEPTED, remark if cause else "")


@pytest.mark.slow
def test_a_remark_on_a_program_of_several_stages_appears_once(tmp_path):
    csc101 = load_assignment(ROOT / "specs" / "csc101")
    folder = ROOT / "examples" / "csc101" / "kathleen"
    for path in folder.iterdir():
        if path.suffix in (".c", ".h"):
            (tmp_path / path.name).write_text(path.read_text())
    text = (tmp_path / "blackjack.c").read_text()
    main = re.search(r"int main\([^)]*\)\s*\{", text)
    planted_line = "\n    volatile char *kept = malloc(3); kept[3] = 0;\n"
    (tmp_path / "blackjack.c").write_text(
        "#include <stdlib.h>\n" + text[: main.end()] + planted_line + text[main.end() :]
    )
    stages = check_assignment(csc101, tmp_path).stages
    remarks = [stage.memory for stage in stages if stage.memory]
    assert len([stage for stage in stages if stage.verdict is Verdict.ACCEPTED]) > 1
    assert remarks == [stages[0].memory]
    assert remarks[0].endswith(f"“volatile char *kept = malloc(3); kept[3] = 0;”: {BEYOND_MALLOC}. {COSTS_NOTHING}")


def play_result(case, *lines, stage="play", prompt="x", verdict=Verdict.ACCEPTED, visibility="public"):
    """A result of this case, in which the program prints this prompt before each of these typed lines."""
    events = [event for line in lines for event in (Shown(f"{prompt} ".encode()), Typed(line.encode()))]
    transcript = Transcript(tuple(events))
    return Result(stage, case, verdict, transcript, transcript, visibility=visibility)


def test_long_sessions_and_unusual_lines_are_selected():
    plain_results = [play_result(f"plain {number}", "1", "s") for number in range(40)]
    unusual_results = [
        play_result("many lines", *"1hshshsh"),
        play_result("the same line again and again", *"1hhhhs"),
        play_result("a long output at once", "1", "s", prompt="y" * 999),
        play_result("a long line", "1", "h" * 400, "s"),
        play_result("lines that are no answer", "1", "x", "", "99", "s"),
    ]
    unusable_results = [
        play_result("hidden", *"1hhhhhhhhhhhhhs", visibility="hidden"),
        play_result("failed", *"1" * 99, verdict=Verdict.WRONG_ANSWER),
    ]
    selected = revealing_sessions([*plain_results, *unusable_results, *unusual_results])
    assert sorted(result.case for result in selected) == sorted(result.case for result in unusual_results)
    assert revealing_sessions([]) == []


def test_sessions_with_new_output_are_selected_up_to_a_maximum():
    prompts = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    different_results = [play_result(prompt, "1", prompt=prompt) for prompt in prompts]
    selected = revealing_sessions(different_results)
    assert len(selected) == len({result.case for result in selected}) == MAX_SELECTED_PER_STAGE
    similar_results = [play_result(str(number), "1", prompt=f"{number} of 9") for number in range(1, 9)]
    assert [result.case for result in revealing_sessions(similar_results)] == ["1"]
    longer = play_result("longer", "1", prompt="10 of 9")
    assert [result.case for result in revealing_sessions([*similar_results, longer])] == ["1", "longer"]


def test_sessions_are_selected_in_each_stage_of_one_program():
    similar_results = [
        play_result(f"{stage} {number}", "1", "2", stage=stage) for stage in ("deal", "play") for number in range(9)
    ]
    assert [result.case for result in revealing_sessions(similar_results)] == ["deal 0", "play 0"]
    longest = play_result("longest", *"1234", stage="play")
    assert [result.case for result in revealing_sessions([*similar_results, longest])] == ["longest", "deal 0"]


#: A report of the sanitizers, with two gaps: the kind of error, and the file of the innermost function.
REPORT = b"""=================================================================
==7==ERROR: AddressSanitizer: %s on address 0x7f at pc 0x55 bp 0x7f sp 0x7f
READ of size 4 at 0x7f thread T0
    #0 0x55 in sum(int const*, int) /tmp/x/%s:3
    #1 0x55 in main /tmp/x/play.c:9

allocated by thread T0 here:
    #1 0x55 in main /tmp/x/play.c:1
"""
#: Reports of the sanitizers from which no misuse of memory by the program follows for certain.
UNCERTAIN_REPORTS = {
    "a stack that is too small for the sanitizers": REPORT % (b"stack-overflow", b"play.c"),
    "an address that may belong to the sanitizers": REPORT % (b"SEGV", b"play.c"),
    "memory that the sanitizers do not get": REPORT % (b"out-of-memory", b"play.c"),
    "memory freed in another way than it was allocated": REPORT % (b"alloc-dealloc-mismatch", b"play.c"),
    "an error in which no line is the student's": (REPORT % (b"heap-buffer-overflow", b"given.c")).replace(
        b"play.c:9", b"given.c:9"
    ),
    "an order in which libraries are loaded": b"==7==ASan runtime does not come first in initial library list;\n",
    "a leak": b"==7==ERROR: LeakSanitizer: detected memory leaks\n    #1 0x55 in main /tmp/x/play.c:9\n",
    "a number that becomes small": b"play.c:3:9: runtime error: signed integer overflow: -9 + -9 cannot be represented in type 'int'\n",
    "an address computed from nothing": b"play.c:3:9: runtime error: member access within null pointer of type 'struct hand'\n",
}


def sanitized_transcript(report, *before, code=99):
    """A session under the sanitizers: these events, then this report, and the exit code, which they set to 99."""
    return Transcript((*before, Shown(report)), Ending(EndingKind.EXITED, exit_code=code))


def test_a_certain_finding_is_at_the_first_line_in_the_student_s_files():
    files = frozenset({"play.c"})
    finding = finding_in(sanitized_transcript(REPORT % (b"heap-buffer-overflow", b"play.c")), Transcript(()), files)
    assert (finding.file, finding.line, finding.why) == ("play.c", 3, BEYOND_MALLOC)
    finding = finding_in(sanitized_transcript(REPORT % (b"heap-buffer-overflow", b"vector.h")), Transcript(()), files)
    assert (finding.file, finding.line, finding.why) == ("play.c", 9, BEYOND_MALLOC)


@pytest.mark.parametrize("name", UNCERTAIN_REPORTS)
def test_an_uncertain_sanitizer_report_is_ignored(name):
    assert finding_in(sanitized_transcript(UNCERTAIN_REPORTS[name]), Transcript(()), frozenset({"play.c"})) is None


def test_a_session_that_differs_under_the_sanitizers_gives_no_finding():
    report, files = REPORT % (b"heap-buffer-overflow", b"play.c"), frozenset({"play.c"})
    accepted_session = Transcript((Shown(b"Card 7. Hit? "), Typed(b"h"), Shown(b"Card 9.\n")), exited())
    same_session = sanitized_transcript(report, Shown(b"Card 7. Hit? "), Typed(b"h"), Shown(b"Card "))
    assert finding_in(same_session, accepted_session, files) is not None
    assert (
        finding_in(sanitized_transcript(report, Shown(b"Card 8. Hit? "), Typed(b"h")), accepted_session, files) is None
    )
    assert (
        finding_in(sanitized_transcript(report, Shown(b"Card 7. Hit? "), Typed(b"s")), accepted_session, files) is None
    )
    assert (
        finding_in(sanitized_transcript(report, Shown(b"Card 7. Hit? "), InputEnded()), accepted_session, files) is None
    )
    assert (
        finding_in(sanitized_transcript(report, Shown(b"Card 7. Hit? "), Typed(b"h"), code=1), accepted_session, files)
        is None
    )


def test_a_failed_rerun_gives_neither_remark_nor_fault(toy, tmp_path, monkeypatch):
    def raise_session_error(*_, **__):
        raise SessionError("no folder can be made")

    monkeypatch.setattr("pitboss.checking.memory_misuse.build", raise_session_error)
    folder = write_teller(tmp_path, *MISUSED["memory of the heap, one too few"][:2])
    (stage,) = check_assignment(toy, folder).stages
    assert (stage.verdict, stage.memory, stage.faults) == (Verdict.ACCEPTED, "", ())
    monkeypatch.setattr("pitboss.checking.memory_misuse.memory_misuse_in", raise_session_error)
    (stage,) = check_assignment(toy, folder).stages
    assert (stage.verdict, stage.memory, stage.faults) == (Verdict.ACCEPTED, "", ())
