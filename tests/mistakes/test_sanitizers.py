"""Memory mistakes of the usual kinds are told with the student's own line of code."""

import pytest

from harness.grading.check import check
from harness.judging.verdicts import Verdict
from harness.running.drivers import find_conditions
from harness.running.job import Job
from harness.transcripts.transcript import EndingKind
from tests.conftest import ROOT

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct hand { int cards[10]; int size; };
static int deck[52];
static int *values(void)
{
    int mine[3] = {1, 2, 3};
    int *all = mine;
    return all;
}
static int down(int n) { return n == -1 ? 0 : 1 + down(n + 1) + n; }
int main(void)
{
    int n = 0;
    printf("Opening balance: ");
    if (scanf("%d", &n) != 1) return 0;
"""
TAIL = """
    printf("%d", n);
    return 0;
}
"""
LINE = HEAD.count("\n") + 1
PLANTED = {
    "hand array of 10": "struct hand h = {{0}, 0}; for (int i = 0; i < 12; i++) h.cards[i] = n;",
    "off-by-one deck": "for (int i = 0; i <= 52; i++) deck[i] = n;",
    "returned local array": "n = values()[1];",
    "null pointer": "int *p = NULL; *p = n;",
    "freed twice": 'int *p = malloc(4); *p = n; printf("%d", *p); free(p); free(p);',
    "used after free": "int *p = malloc(4); free(p); n = *p;",
    "malloc too small": "int *p = malloc(4); p[3] = n; free(p);",
    "endless recursion": "n = down(n < 0 ? 5 : n + 5);",
    "division by zero": "n = 7 / (n - n);",
    "text too long": 'char t[4]; strcpy(t, n > -1 ? "much too long" : ""); n = t[0];',
    "realloc through a copy": 'int *a = malloc(8), *b = a; a = realloc(a, 80000); b[1] = n; printf("%d", b[1]); free(a);',
}


UNSET = {
    "uninitialised answer": "int answer; if (n == -77) answer = 1; if (answer == 3) n++;",
    "uninitialised part of a hand": 'int *hand = malloc(8); if (hand[1] > 99) printf("x"); free(hand);',
}


@pytest.mark.needs("valgrind")
@pytest.mark.parametrize("name", UNSET)
def test_a_value_that_was_never_set_is_told_with_its_line(toy, tmp_path, name):
    """Valgrind finds them, where it is installed."""
    (tmp_path / "teller.c").write_text(HEAD + f"    {UNSET[name]}" + TAIL)
    (stage,) = check(Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller"), tmp_path).stages
    assert stage.crash == (
        f"In teller.c, line {LINE}, “{UNSET[name]}”: it uses the value of a variable that was never given one."
    )


@pytest.mark.parametrize("name", PLANTED)
def test_a_memory_mistake_is_told_with_its_line(toy, tmp_path, name):
    (tmp_path / "teller.c").write_text(HEAD + f"    {PLANTED[name]}" + TAIL)
    (stage,) = check(Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller"), tmp_path).stages
    line = 12 if name == "endless recursion" else LINE
    code = (HEAD + f"    {PLANTED[name]}").splitlines()[line - 1].strip()
    assert stage.crash.startswith(f"In teller.c, line {line}, “{code}”: "), stage.crash
    assert stage.crash.endswith(".")
    for word in ("SIGSEGV", "stdout", "EOF", "AddressSanitizer"):
        assert word not in stage.crash


def test_a_program_that_does_not_end_is_not_run_again_to_find_out_why(toy, monkeypatch):
    """It would not end then either, and each of the checks would take its whole limit."""
    monkeypatch.setattr("harness.grading.memory.misused_memory", lambda *_: pytest.fail("it was run again"))
    folder = ROOT / "tests" / "submissions" / "WRONG_ANSWER" / "endless_after_the_input"
    (stage,) = check(Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller"), folder, count=1).stages
    assert stage.verdict is Verdict.WRONG_ANSWER
    assert stage.results[0].actual.ending.kind is EndingKind.OUT_OF_CPU_TIME
