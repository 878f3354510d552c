"""A program that is accepted may misuse memory all the same: that is told with its line, costs nothing, and is true."""

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
from pitboss.checking.memory_misuse import COSTS_NOTHING, is_nearly_accepted
from pitboss.checking.revealing import MAX_SELECTED, revealing_sessions
from pitboss.checking.sanitizer_findings import finding_in
from pitboss.compare.results import Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.errors import SessionError
from pitboss.model.transcript import Ending, EndingKind, InputEnded, Shown, Transcript, Typed, exited
from pitboss.reports.json_and_csv import check_json, grade_csv
from pitboss.reports.pages import submission_values
from pitboss.reports.report import as_text, report_of
from pitboss.reports.templates import page, style
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

#: A right teller, into which a line is planted that runs for each amount typed, and functions before main.
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
OUTSIDE, OVER = "it uses an element outside an array", "it uses memory outside what malloc or new gave it"
LARGE = "a number grows larger than its type can hold"
#: What each program does wrong, written down before it was run: functions before main, the line, and the cause.
MISUSED = {
    "an array on the stack that is too short": (
        "struct hand { int cards[3]; int spare[99]; } hand;",
        "hand.cards[count] = amount;",
        INDEX.format(3, 3, 2),
    ),
    "memory of the heap, one too few": (
        "",
        "int *all = malloc(3); *all = amount; free(all);",
        OVER,
    ),
    "memory that was freed before": (
        "",
        "int *all = malloc(64); all[9] = 1; free(all); count += all[9] < -1;",
        "it uses memory that was freed before",
    ),
    "a deck that is read beyond its end": (
        "int deck[52], after[52];",
        "for (int i = 0; i <= 52; i++) count += deck[i] > 99;",
        INDEX.format(52, 52, 51),
    ),
    "a deck that is read before its beginning": (
        "int before[52], deck[52];",
        "count += deck[-(amount > 0)] > 99;",
        INDEX.format(-1, 52, 51),
    ),
    "a sum that grows too large": ("int sum = 2147483000;", "sum += amount * 100;", LARGE),
    "a text that has no room for its end": (
        "char word[8], other[56];",
        'sscanf("deposits", "%s", word);',
        OUTSIDE,
    ),
    "a word copied into too short a text": (
        "struct word { char of[4], more[28]; } *w;",
        'w = malloc(4); strcpy((char *)w, "much"); free(w);',
        OVER,
    ),
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
#: Right programs, or such whose mistake the sanitizers do not see or call something else: nothing may be said.
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


def teller(tmp_path: Path, functions: str, line: str, name: str = "teller.c") -> Path:
    (tmp_path / name).write_text(TELLER % (functions, line), encoding="utf-8")
    return tmp_path


def checked(assignment, folder, **changes):
    job = Job(assignment, assignment.stages, find_conditions("watched", "landlock"), "x", remarks_on_memory=True)
    return check(msgspec.structs.replace(job, **changes), folder, count=1)


@pytest.mark.parametrize("name", MISUSED)
def test_misuse_in_an_accepted_program_is_reported_with_its_line(toy, tmp_path, name):
    functions, line, cause = MISUSED[name]
    (stage,) = checked(toy, teller(tmp_path, functions, line)).stages
    number = TELLER.split("%s")[0].count("\n") + TELLER.split("%s")[1].count("\n") + 1
    assert (stage.verdict, stage.crash) == (Verdict.ACCEPTED, "")
    assert stage.memory == f"In teller.c, line {number}, “{line}”: {cause}. {COSTS_NOTHING}"


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_of_a_right_program(toy, tmp_path, name):
    (stage,) = checked(toy, teller(tmp_path, *SILENT[name])).stages
    assert (stage.verdict, stage.memory) == (Verdict.ACCEPTED, "")


#: ada's `play` with room for three cards in each hand: what follows in the same struct keeps the others.
SHORT = ("int cards[CARDS];\n    int count;", "int cards[3];\n    int others[CARDS];\n    int count;")


def ada(tmp_path, *changes):
    text = (ROOT / "examples" / "blackjack" / "ada" / "play.c").read_text()
    for old, new in (SHORT, *changes):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "play.c").write_text(text)
    return tmp_path


def played(blackjack, folder, **changes):
    return checked(blackjack, folder, stages=(blackjack.stage("play"),), **changes)


TAKEN = (
    "In play.c, line 102, “hand->cards[hand->count++] = deck[--*top];”: it uses index 3 of an array of 3, whose indexes "
    f"go from 0 to 2. {COSTS_NOTHING}"
)


def test_a_hand_of_three_that_holds_more_is_reported_in_every_report(blackjack, tmp_path):
    report = played(blackjack, ada(tmp_path))
    (stage,) = report.stages
    assert (report.verdict, stage.passed, stage.memory) == (Verdict.ACCEPTED, stage.total, TAKEN)
    assert TAKEN in " ".join(as_text(report_of(report)).split())
    assert json.loads(check_json(report))["stages"][0]["memory"] == TAKEN
    assert f"<p>{html.escape(TAKEN, quote=False)}</p>" in page("submission.html.j2", submission_values(report, style()))
    (row,) = csv.DictReader(io.StringIO(grade_csv(["play"], [report])))
    assert row["memory"] == f"play: {TAKEN}"


def test_two_checks_say_the_same_and_nothing_else_differs(blackjack, tmp_path):
    one, other = (check_json(played(blackjack, ada(tmp_path))) for _ in range(2))
    assert one == other
    without = check_json(played(blackjack, tmp_path, remarks_on_memory=False))
    assert without == one.replace(json.dumps(TAKEN, ensure_ascii=False), '""')


@pytest.mark.parametrize(
    ("verdict", "failed", "is_nearly"),
    [
        (Verdict.ACCEPTED, {}, True),
        (Verdict.WRONG_ANSWER, {Verdict.WRONG_ANSWER: 2}, True),
        (Verdict.WRONG_ANSWER, {Verdict.WRONG_ANSWER: 3}, False),
        (Verdict.WRONG_ANSWER, {Verdict.WRONG_ANSWER: 1, Verdict.TIME_LIMIT_EXCEEDED: 1}, False),
        (Verdict.RUN_TIME_ERROR, {Verdict.RUN_TIME_ERROR: 1}, False),
        (Verdict.JUDGE_ERROR, {Verdict.JUDGE_ERROR: 1}, False),
        (Verdict.WRONG_ANSWER, {}, True),  # each session is right, and all draw the same
    ],
)
def test_a_stage_is_nearly_accepted_if_nine_of_ten_sessions_are_and_the_others_differ(verdict, failed, is_nearly):
    wrong = [result("failed", verdict=one) for one, count in failed.items() for _ in range(count)]
    results = (*wrong, *(result("right") for _ in range(20 - len(wrong))))
    assert is_nearly_accepted(StageReport("play", "", verdict, results, 20)) is is_nearly


def test_a_stage_that_is_nearly_accepted_is_looked_at_where_its_mistake_is_known(blackjack, tmp_path):
    """A player who busts with the dealer at 21 is told so in other words."""
    folder = ada(
        tmp_path, ('printf("Dealer wins!', 'printf(ours == 20 && theirs == 21 ? "House wins!\\n" : "Dealer wins!')
    )
    (stage,) = played(blackjack, folder).stages
    assert stage.verdict is Verdict.WRONG_ANSWER and 0.9 <= stage.passed / stage.total < 1
    assert TAKEN in (stage.memory, f"{stage.crash} {COSTS_NOTHING}")


def test_a_stage_that_fails_more_often_is_not_looked_at(blackjack, tmp_path, monkeypatch):
    monkeypatch.setattr("pitboss.checking.memory_misuse.memory_misuse_in", lambda *_: pytest.fail("it was run again"))
    (stage,) = played(blackjack, ada(tmp_path, ("Dealer hits.", "Dealer takes."))).stages
    assert stage.verdict is Verdict.WRONG_ANSWER


def test_one_session_asked_for_is_no_accepted_stage(blackjack, tmp_path, monkeypatch):
    monkeypatch.setattr("pitboss.checking.memory_misuse.memory_misuse_in", lambda *_: pytest.fail("it was run again"))
    assert played(blackjack, ada(tmp_path), only=("player busts",)).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("name", ["teller.py", "teller.c"])
def test_nothing_is_run_again_where_nothing_can_be_seen(toy, tmp_path, monkeypatch, name):
    """In a language without sanitizers; and where a machine has none of them, nothing is said either."""
    if name == "teller.c":
        monkeypatch.setattr("pitboss.checking.memory_misuse.FLAGS", ("-fsanitize=no-such-thing",))
        folder = teller(tmp_path, *MISUSED["memory of the heap, one too few"][:2])
    else:
        monkeypatch.setattr(
            "pitboss.checking.memory_misuse.memory_misuse_in", lambda *_: pytest.fail("it was run again")
        )
        folder = ROOT / "tests" / "submissions" / "ACCEPTED" / "python"
    (stage,) = checked(toy, folder).stages
    assert (stage.verdict, stage.memory, stage.faults) == (Verdict.ACCEPTED, "", ())


@pytest.mark.parametrize(
    ("compiler", "is_told"), [("$(CC)", True), ("gcc", False)], ids=["its usual variable", "a compiler by name"]
)
def test_a_program_of_a_makefile_is_looked_at_where_it_lets_its_compiler_be_chosen(toy, tmp_path, compiler, is_told):
    functions, line, cause = MISUSED["a deck that is read before its beginning"]
    teller(tmp_path, functions, line)
    (tmp_path / "Makefile").write_text(
        f"CC = gcc\nCFLAGS = -O2 -Wall\nteller: teller.c\n\t{compiler} $(CFLAGS) -o $@ $<\n"
    )
    (stage,) = checked(toy, tmp_path).stages
    output = f"In teller.c, line 24, “{line}”: {cause}. {COSTS_NOTHING}"
    assert (stage.verdict, stage.memory) == (Verdict.ACCEPTED, output if is_told else "")


PIG = (ROOT / "tests" / "checking" / "pigs" / "c" / "pig.c").read_text()


def test_a_program_that_draws_from_the_time_is_looked_at_in_the_same_world(tmp_path):
    """The library that fixes its draws is loaded before that of the sanitizers."""
    text = PIG.replace("int points = 0;", "int points = 0, count = 0, rolls[2];")
    text = text.replace("points += roll;", "points += rolls[count++] = roll;")
    (tmp_path / "pig.c").write_text(text)
    dice = load_assignment(ROOT / "tests" / "toy" / "dice")
    (stage,) = checked(dice, tmp_path).stages
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
CPP_LINES = {
    "nothing wrong": ("all.push_back(amount)", ""),
    "an element beyond the end of a vector": ("all[2] = amount", OVER),
    "a function of nothing": (
        "Teller *none = nullptr; amount += none->size() - 3",
        "it follows a pointer that points nowhere",
    ),
    "an array given back as one": ("delete new int[9]", ""),
}


@pytest.mark.needs("C++")
@pytest.mark.parametrize("name", CPP_LINES)
def test_a_method_in_cpp_is_reported_with_its_own_line(toy, tmp_path, name):
    line, cause = CPP_LINES[name]
    body = (TELLER % ("", "teller.keep(std::string(99, 'x'), 0);")).replace(
        "int main(void)\n{", "int main(void)\n{\n    Teller teller;"
    )
    (tmp_path / "teller.cpp").write_text(CPP % line + body)
    (stage,) = checked(toy, tmp_path).stages
    output = f"In teller.cpp, line 9, “void keep(const std::string &, int amount) {{ {line}; balance += amount; }}”: {cause}. {COSTS_NOTHING}"
    assert (stage.verdict, stage.memory) == (Verdict.ACCEPTED, output if cause else "")


@pytest.mark.slow
def test_the_same_remark_on_one_program_is_made_at_its_first_stage_only(tmp_path):
    """csc101 has several stages of one program; it is built once more for all of them."""
    csc101 = load_assignment(ROOT / "specs" / "csc101")
    folder = ROOT / "examples" / "csc101" / "kathleen"
    for path in folder.iterdir():
        if path.suffix in (".c", ".h"):
            (tmp_path / path.name).write_text(path.read_text())
    text = (tmp_path / "blackjack.c").read_text()
    main = re.search(r"int main\([^)]*\)\s*\{", text)
    planted = "\n    volatile char *kept = malloc(3); kept[3] = 0;\n"
    (tmp_path / "blackjack.c").write_text("#include <stdlib.h>\n" + text[: main.end()] + planted + text[main.end() :])
    stages = checked(csc101, tmp_path).stages
    output = [stage.memory for stage in stages if stage.memory]
    assert len([stage for stage in stages if stage.verdict is Verdict.ACCEPTED]) > 1
    assert output == [stages[0].memory]
    assert output[0].endswith(f"“volatile char *kept = malloc(3); kept[3] = 0;”: {OVER}. {COSTS_NOTHING}")


def result(case, *lines, shown="x", verdict=Verdict.ACCEPTED, visibility="public"):
    events = [event for line in lines for event in (Shown(f"{shown} ".encode()), Typed(line.encode()))]
    transcript = Transcript(tuple(events))
    return Result("play", case, verdict, transcript, transcript, visibility=visibility)


def test_long_sessions_and_unusual_lines_are_chosen():
    plain = [result(f"plain {number}", "1", "s") for number in range(40)]
    others = [
        result("many lines", *"1hshshsh"),
        result("the same line again and again", *"1hhhhs"),
        result("much is shown at once", "1", "s", shown="y" * 999),
        result("a long line", "1", "h" * 400, "s"),
        result("lines that are no answer", "1", "x", "", "99", "s"),
    ]
    hidden = [
        result("hidden", *"1hhhhhhhhhhhhhs", visibility="hidden"),
        result("failed", *"1" * 99, verdict=Verdict.WRONG_ANSWER),
    ]
    chosen = [one.case for one in revealing_sessions([*plain, *hidden, *others])]
    assert sorted(chosen) == sorted(one.case for one in others)
    assert revealing_sessions([]) == []


def test_a_session_is_chosen_while_it_shows_something_new_and_there_is_room():
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    every = [result(word, "1", shown=word) for word in words]
    chosen = revealing_sessions(every)
    assert len(chosen) == len({one.case for one in chosen}) == MAX_SELECTED
    alike = [result(str(number), "1", shown=f"{number} of 9") for number in range(1, 9)]
    assert [one.case for one in revealing_sessions(alike)] == ["1"]
    assert [one.case for one in revealing_sessions([*alike, result("longer", "1", shown="10 of 9")])] == ["1", "longer"]


def test_what_one_stage_shows_is_not_looked_for_in_another_of_the_same_program():
    stages = [
        [msgspec.structs.replace(result(f"{stage} {number}", "1", "2", shown="x"), stage=stage) for number in range(9)]
        for stage in ("deal", "play")
    ]
    longest = msgspec.structs.replace(result("longest", *"1234"), stage="play")
    assert [one.case for one in revealing_sessions([*stages[0], *stages[1]])] == ["deal 0", "play 0"]
    assert [one.case for one in revealing_sessions([*stages[0], *stages[1], longest])] == ["longest", "deal 0"]


REPORT = b"""=================================================================
==7==ERROR: AddressSanitizer: %s on address 0x7f at pc 0x55 bp 0x7f sp 0x7f
READ of size 4 at 0x7f thread T0
    #0 0x55 in sum(int const*, int) /tmp/x/%s:3
    #1 0x55 in main /tmp/x/play.c:9

allocated by thread T0 here:
    #1 0x55 in main /tmp/x/play.c:1
"""
UNSURE = {
    "a stack that is too small for the sanitizers": REPORT % (b"stack-overflow", b"play.c"),
    "an address that may be one of theirs": REPORT % (b"SEGV", b"play.c"),
    "memory that they do not get": REPORT % (b"out-of-memory", b"play.c"),
    "memory given back in another way than it was asked for": REPORT % (b"alloc-dealloc-mismatch", b"play.c"),
    "a call of which no line is the student's": (REPORT % (b"heap-buffer-overflow", b"given.c")).replace(
        b"play.c:9", b"given.c:9"
    ),
    "an order in which libraries are loaded": b"==7==ASan runtime does not come first in initial library list;\n",
    "a leak": b"==7==ERROR: LeakSanitizer: detected memory leaks\n    #1 0x55 in main /tmp/x/play.c:9\n",
    "a number that becomes small": b"play.c:3:9: runtime error: signed integer overflow: -9 + -9 cannot be represented in type 'int'\n",
    "an address computed from nothing": b"play.c:3:9: runtime error: member access within null pointer of type 'struct hand'\n",
}


def sanitized(report, *before, code=99):
    return Transcript((*before, Shown(report)), Ending(EndingKind.EXITED, exit_code=code))


def test_what_is_certain_is_reported_at_the_first_line_of_the_students():
    files = frozenset({"play.c"})
    place = finding_in(sanitized(REPORT % (b"heap-buffer-overflow", b"play.c")), Transcript(()), files)
    assert (place.file, place.line, place.why) == ("play.c", 3, OVER)
    place = finding_in(sanitized(REPORT % (b"heap-buffer-overflow", b"vector.h")), Transcript(()), files)
    assert (place.file, place.line, place.why) == ("play.c", 9, OVER)


@pytest.mark.parametrize("name", UNSURE)
def test_what_is_not_certain_is_not_reported(name):
    assert finding_in(sanitized(UNSURE[name]), Transcript(()), frozenset({"play.c"})) is None


def test_a_session_that_goes_another_way_under_the_sanitizers_tells_nothing():
    report, files = REPORT % (b"heap-buffer-overflow", b"play.c"), frozenset({"play.c"})
    accepted = Transcript((Shown(b"Card 7. Hit? "), Typed(b"h"), Shown(b"Card 9.\n")), exited())
    alike = sanitized(report, Shown(b"Card 7. Hit? "), Typed(b"h"), Shown(b"Card "))
    assert finding_in(alike, accepted, files) is not None
    assert finding_in(sanitized(report, Shown(b"Card 8. Hit? "), Typed(b"h")), accepted, files) is None
    assert finding_in(sanitized(report, Shown(b"Card 7. Hit? "), Typed(b"s")), accepted, files) is None
    assert finding_in(sanitized(report, Shown(b"Card 7. Hit? "), InputEnded()), accepted, files) is None
    assert finding_in(sanitized(report, Shown(b"Card 7. Hit? "), Typed(b"h"), code=1), accepted, files) is None


def test_a_remark_is_not_worth_a_fault(toy, tmp_path, monkeypatch):
    def fails(*_, **__):
        raise SessionError("no folder can be made")

    monkeypatch.setattr("pitboss.checking.memory_misuse.build", fails)
    folder = teller(tmp_path, *MISUSED["memory of the heap, one too few"][:2])
    (stage,) = checked(toy, folder).stages
    assert (stage.verdict, stage.memory, stage.faults) == (Verdict.ACCEPTED, "", ())
    monkeypatch.setattr("pitboss.checking.memory_misuse.memory_misuse_in", fails)
    (stage,) = checked(toy, folder).stages
    assert (stage.verdict, stage.memory, stage.faults) == (Verdict.ACCEPTED, "", ())
