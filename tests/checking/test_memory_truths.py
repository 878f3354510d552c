"""Reports on memory are true: misuse is reported with its line and cause, and correct use never is.

What each program does was written down before it was run. Each is checked as an accepted program, and again with wrong
output added.
"""

import pytest

from pitboss.checking.memory_misuse import COSTS_NOTHING
from pitboss.compare.results import Verdict
from tests.checking.test_memory_misuse import BEYOND_MALLOC, INDEX, OUTSIDE, TELLER, check_assignment

BALANCE = 'printf("Balance: %d €\\n", balance)'
AFTER_FREE = "it uses memory that was freed before"
UNINITIALIZED = "it uses the value of a variable that was never given one"
CPP_INCLUDES = "#include <cstdint>\n#include <memory>\n#include <new>\n#include <string>\n#include <vector>\n"
#: Functions before main, the line that runs for each amount typed, the line with the mistake, and its cause.
MISUSED = {
    "a history with room for two that is given three": (
        "static int *history; static void keep(int amount, int at)\n{\n    if (!history) history = malloc(2 * sizeof(int));\n"
        "    history[at] = amount;\n}",
        "keep(amount, count);",
        "history[at] = amount;",
        BEYOND_MALLOC,
    ),
    "a list that is freed before its next is read": (
        "struct node { long values[4]; struct node *next; };\nstatic void drop(struct node *one)\n{\n    while (one) {\n"
        "        free(one);\n        one = one->next;\n    }\n}",
        "{ struct node *one = calloc(1, sizeof *one); drop(one); }",
        "one = one->next;",
        AFTER_FREE,
    ),
    "an array on the stack that is one too short": (
        "static int first(const char *word)\n{\n    char copy[7];\n    for (int i = 0; i < 8; i++)\n"
        "        copy[i] = word[i];\n    return copy[0];\n}",
        'count += first("deposit") == 1;',
        "copy[i] = word[i];",
        INDEX.format(7, 7, 6),
    ),
    "a copy without room for its end": (
        "static char *copy_of(const char *word)\n{\n    char *copy = malloc(strlen(word));\n"
        "    strcpy(copy, word);\n    return copy;\n}",
        'free(copy_of("withdraw"));',
        "strcpy(copy, word);",
        BEYOND_MALLOC,
    ),
    "a loop over pointers that reads one too many": (
        "static int rates[5] = {1, 2, 3, 4, 5}; int spare;\nstatic int sum(void)\n{\n    int all = 0;\n"
        "    for (int *one = rates; one <= rates + 5; one++)\n        all += *one;\n    return all;\n}",
        "count += sum() < 0;",
        "all += *one;",
        OUTSIDE,
    ),
}
#: Functions before main, and the line that runs for each amount typed.
CORRECT = {
    "odd pointers": (
        "static int odd(void)\n{\n    int all[9] = {0}, *mid = all + 4, *end = all + 9;\n    char raw[9] = {0};\n"
        "    unsigned long hidden = (unsigned long)mid ^ 0xffff;\n    int low = -8;\n    low <<= 1;\n"
        "    for (int *one = end; one-- > all;) *one = 1;\n"
        "    return mid[-4] + *(int *)(hidden ^ 0xffff) + *(int *)(raw + 1) + 2[mid] + low;\n}",
        "count += odd() > 99;",
    ),
    "an allocator of its own": (
        "static char pool[4096]; static size_t used;\nstatic void *take(size_t size)\n{\n"
        "    size_t *at = (size_t *)(pool + used);\n    *at = size;\n    used += sizeof *at + (size + 7) / 8 * 8;\n"
        "    return at + 1;\n}\nstatic void give(void *one) { used -= sizeof(size_t) + (((size_t *)one)[-1] + 7) / 8 * 8; }",
        "{ char *one = take(13); memset(one, 1, 13); give(one); }",
    ),
    "a union read in another way": (
        "union word { float real; unsigned bits; unsigned char bytes[4]; };",
        "{ union word w; w.real = amount; w.bits ^= 1u << 31; count += w.bytes[3] > 999 || w.real > 1e30f; }",
    ),
    "an array whose length is computed": (
        "static int last(int n, int all[n]) { return all[n - 1]; }",
        "{ int row[count + 1]; for (int i = 0; i <= count; i++) row[i] = 1; count += last(count + 1, row) > 9; }",
    ),
    "a struct with an array without a length": (
        "struct row { int n; int of[]; };",
        "{ struct row *r = malloc(sizeof *r + 5 * sizeof(int)); for (r->n = 0; r->n < 5; r->n++) r->of[r->n] = 1; "
        "count += r->of[r->n - 1] > 9; free(r); }",
    ),
}
CPP_MISUSED = {
    "a reference into a vector that has moved": (
        "static int grown()\n{\n    std::vector<int> all(1, 7);\n    int &first = all.front();\n"
        "    all.insert(all.end(), 99, 1);\n    return first;\n}",
        "count += grown() == 12345678;",
        "return first;",
        AFTER_FREE,
    ),
    "a method that reads beyond its array": (
        "struct Rates {\n    int *of = new int[3]();\n    ~Rates() { delete[] of; }\n"
        "    int at(const std::string &, int i) const {\n        return of[i];\n    }\n};",
        'count += Rates().at("third", 3) == 12345678;',
        "return of[i];",
        BEYOND_MALLOC,
    ),
}
CPP_CORRECT = {
    "an object made in room of its own": (
        "struct Pair { std::string one, other; };",
        "{ alignas(Pair) unsigned char room[sizeof(Pair)]; auto *p = new (room) Pair{std::string(99, 'x'), \"y\"}; "
        "count += p->one.size() < 9; p->~Pair(); }",
    ),
    "pointers that own": (
        "static std::unique_ptr<int[]> made(int n) { return std::unique_ptr<int[]>(new int[n]()); }",
        "{ auto all = made(9); auto moved = std::move(all); std::vector<int> v(moved.get(), moved.get() + 9); v.pop_back(); "
        "count += v.back() > 9 || all; }",
    ),
}


def write_teller(tmp_path, functions, line, name="teller.c"):
    text = TELLER % (functions, line)
    (tmp_path / name).write_text((CPP_INCLUDES if name.endswith("cpp") else "") + text)
    return tmp_path


def break_balance(folder, name="teller.c"):
    """Make the program print wrong balances, in a way that pitboss knows no explanation for."""
    text = (folder / name).read_text()
    assert text.count(BALANCE) == 1
    (folder / name).write_text(text.replace(BALANCE, BALANCE.replace("balance)", "balance + count * count * 7)")))
    return folder


def sentence_on_line(folder, wrong_line, cause, name):
    lines = (folder / name).read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.strip() == wrong_line]
    return f"In {name}, line {number}, “{wrong_line}”: {cause}."


def params_needing_cpp(names):
    return [pytest.param(name, marks=pytest.mark.needs("C++")) for name in names]


@pytest.mark.parametrize("is_accepted", [True, False], ids=["accepted", "wrong"])
@pytest.mark.parametrize("name", [*MISUSED, *params_needing_cpp(CPP_MISUSED)])
def test_misuse_of_memory_is_reported_with_its_line(toy, tmp_path, name, is_accepted):
    file = "teller.c" if name in MISUSED else "teller.cpp"
    functions, line, wrong_line, cause = {**MISUSED, **CPP_MISUSED}[name]
    folder = write_teller(tmp_path, functions, line, file)
    if is_accepted:
        (stage,) = check_assignment(toy, folder).stages
        assert (stage.verdict, stage.crash) == (Verdict.ACCEPTED, "")
        assert stage.memory == f"{sentence_on_line(folder, wrong_line, cause, file)} {COSTS_NOTHING}"
    else:
        (stage,) = check_assignment(toy, break_balance(folder, file)).stages
        assert (stage.verdict, stage.memory) == (Verdict.WRONG_ANSWER, "")
        assert stage.crash == sentence_on_line(folder, wrong_line, cause, file)


@pytest.mark.parametrize("is_accepted", [True, False], ids=["accepted", "wrong"])
@pytest.mark.parametrize("name", [*CORRECT, *params_needing_cpp(CPP_CORRECT)])
def test_correct_use_of_memory_is_not_reported(toy, tmp_path, name, is_accepted):
    file = "teller.c" if name in CORRECT else "teller.cpp"
    folder = write_teller(tmp_path, *{**CORRECT, **CPP_CORRECT}[name], file)
    (stage,) = check_assignment(toy, folder if is_accepted else break_balance(folder, file)).stages
    assert stage.verdict is (Verdict.ACCEPTED if is_accepted else Verdict.WRONG_ANSWER)
    assert (stage.memory, stage.crash) == ("", "")


@pytest.mark.needs("valgrind")
def test_an_uninitialized_value_is_reported_only_if_the_program_fails(toy, tmp_path):
    """Only valgrind detects one, and valgrind is too slow for accepted programs."""
    line = "{ int fee; if (amount < -1000) fee = 5; if (fee == 123456) balance++; }"
    folder = write_teller(tmp_path, "", line)
    (stage,) = check_assignment(toy, folder).stages
    assert (stage.verdict, stage.memory, stage.crash) == (Verdict.ACCEPTED, "", "")
    (stage,) = check_assignment(toy, break_balance(folder)).stages
    assert stage.crash == sentence_on_line(folder, line, UNINITIALIZED, "teller.c")
