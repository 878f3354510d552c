"""A program that is accepted may misuse memory all the same: that is told with its line, costs nothing, and is true."""

from pathlib import Path

import msgspec
import pytest

from harness.assignments.specfile import load_assignment
from harness.grading.check import check
from harness.grading.misuse import COSTS_NOTHING
from harness.judging.verdicts import Verdict
from harness.running.drivers import find_conditions
from harness.running.job import Job
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
    "large arrays": ("static int table[1 << 20];", "volatile int many[100000]; many[99999] = 1; table[amount & 7] = 1;"),
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
    "shifts and a number that is moved": ("", "int word = -1; word <<= 1; char four[5] = {0}; count += *(int *)(four + 1);"),
    "a large memory that it does not get": ("", "void *all = malloc((size_t)1 << 50); free(all);"),
    "a value that was never set": ("", "int answer; if (amount < 1) answer = 3; count += answer == 77777;"),
    "a report that it prints itself": (
        'static void lies(void) { fputs("teller.c:9:1: runtime error: index 3 out of bounds for type \'int [3]\'\\n", '
        "fopen(\"/dev/null\", \"w\")); }",
        "lies();",
    ),
}


def teller(tmp_path: Path, functions: str, line: str, name: str = "teller.c") -> Path:
    (tmp_path / name).write_text(TELLER % (functions, line), encoding="utf-8")
    return tmp_path


def checked(assignment, folder, **changes):
    job = Job(assignment, assignment.stages, find_conditions("watched", "landlock"), "x", remarks_on_memory=True)
    return check(msgspec.structs.replace(job, **changes), folder, count=1)


@pytest.mark.parametrize("name", MISUSED)
def test_misuse_in_an_accepted_program_is_told_with_its_line(toy, tmp_path, name):
    functions, line, cause = MISUSED[name]
    (stage,) = checked(toy, teller(tmp_path, functions, line)).stages
    number = TELLER.split("%s")[0].count("\n") + TELLER.split("%s")[1].count("\n") + 1
    assert (stage.verdict, stage.crash) == (Verdict.ACCEPTED, "")
    assert stage.memory == f"In teller.c, line {number}, “{line}”: {cause}. {COSTS_NOTHING}"


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_of_a_right_program(toy, tmp_path, name):
    (stage,) = checked(toy, teller(tmp_path, *SILENT[name])).stages
    assert (stage.verdict, stage.memory) == (Verdict.ACCEPTED, "")
