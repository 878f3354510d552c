"""Common memory mistakes are reported with the student's own line of code."""

import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.experiments import sanitizers
from pitboss.experiments.sanitizers import crash_place_in, unset_value_in
from pitboss.model.invocation import Script
from pitboss.model.transcript import EndingKind
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT, TOY

#: A teller in C, before and after the line on which a mistake is planted.
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
#: The number of the line on which a mistake is planted.
PLANTED_LINE = HEAD.count("\n") + 1
MEMORY_MISTAKES = {
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


UNINITIALISED_VALUES = {
    "uninitialised answer": "int answer; if (n == -77) answer = 1; if (answer == 3) n++;",
    "uninitialised part of a hand": 'int *hand = malloc(8); if (hand[1] > 99) printf("x"); free(hand);',
}


@pytest.mark.needs("valgrind")
@pytest.mark.parametrize("name", UNINITIALISED_VALUES)
def test_an_uninitialised_value_is_reported_with_its_line(toy, tmp_path, name):
    """Valgrind finds these, the sanitizers do not."""
    (tmp_path / "teller.c").write_text(HEAD + f"    {UNINITIALISED_VALUES[name]}" + TAIL)
    (stage,) = check(Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller"), tmp_path).stages
    assert stage.crash == (
        f"In teller.c, line {PLANTED_LINE}, “{UNINITIALISED_VALUES[name]}”: "
        "it uses the value of a variable that was never given one."
    )


#: Statements that behave differently under the checks, which have more memory and use more stack, and what is said.
OTHER_UNDER_THE_CHECKS = {
    "much memory that is hardly used": (
        "volatile char *p = malloc(400 << 20); p[5] = 1; int q[2]; q[n != 0] = 3; if (q[n == 0] == 3) n++;",
        "In teller.c, line 18, “volatile char *p = malloc(400 << 20); p[5] = 1; int q[2]; q[n != 0] = 3; if (q[n == 0] == 3) "
        "n++;”: it uses the value of a variable that was never given one.",
    ),
    "deep recursion that ends": ("n = down(-40000);", ""),
    "deep recursion before a crash": ('n = down(-40000); printf("%d\\n", n); raise(SIGSEGV);', ""),
    "recursion too deep": (
        "n = down(-2000000);",
        "In teller.c, line 12, “static int down(int n) { volatile char b[90]; b[n & 7] = 1; return n == -1 ? 0 : b[n & 7] + "
        "down(n + 1) + n; }”: its stack of 8 MB is full: functions call one another too often or without end, or an array "
        "is huge.",
    ),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.needs("valgrind")] if "never given" in sentence else [])
        for name, (_, sentence) in OTHER_UNDER_THE_CHECKS.items()
    ],
)
def test_nothing_is_said_of_a_session_that_was_not_judged(toy, tmp_path, name):
    statement, sentence = OTHER_UNDER_THE_CHECKS[name]
    head = HEAD.replace("return n == -1 ? 0 : 1", "volatile char b[90]; b[n & 7] = 1; return n == -1 ? 0 : b[n & 7]")
    head = head.replace("#include <string.h>", "#include <signal.h>")
    (tmp_path / "teller.c").write_text(head + f"    {statement}" + TAIL)
    assert crash_of(toy, tmp_path) == sentence


@pytest.mark.parametrize("name", MEMORY_MISTAKES)
def test_a_memory_mistake_is_reported_with_its_line(toy, tmp_path, name):
    (tmp_path / "teller.c").write_text(HEAD + f"    {MEMORY_MISTAKES[name]}" + TAIL)
    (stage,) = check(Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller"), tmp_path).stages
    line = 12 if name == "endless recursion" else PLANTED_LINE  # the recursive function is on line 12
    code = (HEAD + f"    {MEMORY_MISTAKES[name]}").splitlines()[line - 1].strip()
    assert stage.crash.startswith(f"In teller.c, line {line}, “{code}”: "), stage.crash
    assert stage.crash.endswith(".")
    for word in ("SIGSEGV", "stdout", "EOF", "AddressSanitizer"):  # terms that beginners need not know
        assert word not in stage.crash


def test_the_line_is_reported_even_where_stderr_is_ignored(tmp_path):
    """The sanitizers write their reports to stderr."""
    assignment = tmp_path / "teller" / "assignment.yaml"
    shutil.copytree(TOY, assignment.parent)
    assignment.write_text(assignment.read_text().replace("    reference:", "    stderr: ignored\n    reference:"))
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "teller.c").write_text(HEAD + f"    {MEMORY_MISTAKES['null pointer']}" + TAIL)
    assert crash_of(load_assignment(assignment.parent), tmp_path / "ada").startswith(
        f"In teller.c, line {PLANTED_LINE}, "
    )


def test_an_endless_program_is_run_again_only_to_the_end_of_its_input(toy, monkeypatch):
    """It would not end under a sanitizer either, and each such run would take its whole time limit.

    A session ends at its first end of input if `has_left_expected_path` of its script returns True.
    """
    has_left_functions = []
    monkeypatch.setattr(
        sanitizers,
        "Script",
        lambda *arguments, **options: (
            has_left_functions.append(options["has_left_expected_path"]) or Script(*arguments, **options)
        ),
    )
    folder = ROOT / "tests" / "submissions" / "WRONG_ANSWER" / "endless_after_the_input"
    (stage,) = check(Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller"), folder, cores=1).stages
    assert stage.verdict is Verdict.WRONG_ANSWER
    assert stage.results[0].actual.ending.kind is EndingKind.OUT_OF_LINES
    assert has_left_functions and all(has_left(()) for has_left in has_left_functions)


#: A wrong teller in C++, with a planted statement in its main.
CPP = """#include <cstdio>
#include <cstdlib>
struct Card { int rank; };
struct Out {};
struct Hand {
    int *cards = new int[2];
    int count = 0;
    void add(Card const &card) {
        cards[count++] = card.rank;
    }
};
static Out &operator<<(Out &out, const Hand &hand) {
    std::printf("%%d", hand.cards[2]);
    return out;
}
template <typename T> static T last(T const *all, int n) {
    return all[n];
}
template <typename T> static void tell(T const *all, int n) {
    if (all[n] > 9) std::puts("large");
}
static int compared(const void *one, const void *other) {
    return *static_cast<const int *>(one) - static_cast<const int *>(other)[9];
}
int main() {
    Hand hand;
    Out out;
    int n = 0;
    std::printf("Opening balance: ");
    if (std::scanf("%%d", &n) != 1) return 0;
    %s
    hand.add({1});
    out << hand;
    std::printf("%%d", n);
}
"""
#: The planted statement, and the line that must be reported: its number, and how it begins.
CPP_LINES = {
    "a method with parameters": ("for (int i = 0; i < 2; i++) hand.add({i});", 9, "cards[count++] = card.rank;"),
    "an operator": ("n++;", 13, 'std::printf("%d", hand.cards[2]);'),
    "a template": ("n = last<int>(hand.cards, 2);", 17, "return all[n];"),
    "a lambda": ("n = [&hand](int i) { return hand.cards[i]; }(2);", 31, "n = [&hand]"),
    "a function that a library calls": ("std::qsort(hand.cards, 2, 4, compared);", 23, "return *static_cast"),
    "an exception that nothing catches": ("throw n;", 31, "throw n;"),
}


def crash_of(assignment, folder):
    """The description of a submission's crash, for an assignment with one stage; empty without a crash."""
    (stage,) = check(Job(assignment, assignment.stages, find_conditions("watched", "landlock"), "x"), folder).stages
    assert stage.verdict in (Verdict.WRONG_ANSWER, Verdict.RUN_TIME_ERROR)
    return stage.crash


@pytest.mark.needs("C++")
@pytest.mark.parametrize("name", CPP_LINES)
def test_a_line_of_cpp_is_reported_in_every_kind_of_function(toy, tmp_path, name):
    statement, line, code = CPP_LINES[name]
    (tmp_path / "teller.cpp").write_text(CPP % statement)
    assert crash_of(toy, tmp_path).startswith(f"In teller.cpp, line {line}, “{code}")


@pytest.mark.slow
@pytest.mark.needs("valgrind")
@pytest.mark.parametrize(
    ("planted", "line", "code"),
    [
        ("tell<int>(hand.cards, 0);", 20, 'if (all[n] > 9) std::puts("large");'),
        ("[&](int i) { if (hand.cards[i] > 9) n = 9; }(0);", 31, "[&]("),
    ],
    ids=["a template", "a lambda"],
)
def test_an_uninitialised_value_is_reported_in_functions_of_cpp(toy, tmp_path, planted, line, code):
    text = (CPP % planted).replace("    out << hand;\n", "")
    (tmp_path / "teller.cpp").write_text(text)
    crash = crash_of(toy, tmp_path)
    assert crash.startswith(f"In teller.cpp, line {line}, “{code}"), crash
    assert crash.endswith("”: it uses the value of a variable that was never given one.")


PIG = (ROOT / "tests" / "checking" / "pigs" / "c" / "pig.c").read_text()


@pytest.mark.slow
def test_a_program_with_random_draws_is_run_again_with_the_same_draws(tmp_path):
    """The library that fixes the draws is preloaded, and by default the sanitizers refuse to be loaded after it."""
    line = "int *all = malloc(4); all[roll + 9] = roll; free(all + 1);"
    (tmp_path / "pig.c").write_text(PIG.replace("points += roll;", line))
    dice = load_assignment(ROOT / "tests" / "toy" / "dice")
    (stage,) = check(Job(dice, dice.stages, find_conditions("watched", "landlock"), "x"), tmp_path, cores=1).stages
    assert stage.crash.startswith(f"In pig.c, line 26, “{line}”: it uses memory outside what "), stage.crash


@pytest.mark.parametrize(
    ("compiler", "is_reported"), [("$(CC)", True), ("gcc", False)], ids=["its usual variable", "a compiler by name"]
)
def test_a_crash_of_a_makefile_program_is_reported_if_its_compiler_can_be_set(toy, tmp_path, compiler, is_reported):
    statement = MEMORY_MISTAKES["malloc too small"]
    (tmp_path / "teller.c").write_text(HEAD + f"    {statement}" + TAIL)
    (tmp_path / "Makefile").write_text(f"CC = gcc\nCFLAGS = -O1\nteller: teller.c\n\t{compiler} $(CFLAGS) -o $@ $<\n")
    crash = crash_of(toy, tmp_path)
    assert crash.startswith(f"In teller.c, line {PLANTED_LINE}, “{statement}”: ") if is_reported else crash == ""


#: A report of AddressSanitizer, for a kind of misuse and the path of the file with the misuse, which is on its line 12.
#: The memory was allocated in another file.
REPORT = """Opening balance: =================================================================
==7==ERROR: AddressSanitizer: %s on address 0x7f at pc 0x55 bp 0x7f sp 0x7f
READ of size 4 at 0x7f thread T0
    #0 0x55 in memcpy ../../../../src/libsanitizer/asan/asan_interceptors.cpp:22
    #1 0x55 in Hand::add(Card const&) %s:12

0x602000000018 is located 0 bytes to the right of 8-byte region [0x602000000010,0x602000000018)
allocated by thread T0 here:
    #1 0x55 in main /tmp/x/play.cpp:9

SUMMARY: AddressSanitizer: heap-buffer-overflow /tmp/x/play.cpp:9 in main
"""
FILES = frozenset({"play.cpp", "Hand.cpp", "card.cpp"})


@pytest.mark.parametrize(
    ("kind", "path", "location"),
    [
        ("heap-buffer-overflow", "/tmp/x/Hand.cpp", ("Hand.cpp", 12)),
        ("heap-buffer-overflow", "Hand.cpp", ("Hand.cpp", 12)),
        ("heap-buffer-overflow", "/usr/include/c++/12/bits/stl_vector.h", None),
        ("heap-use-after-free", "/usr/include/c++/12/bits/stl_vector.h", None),
        ("heap-buffer-overflow", "/tmp/x/my card.cpp", None),
        ("requested allocation size 0x9", "/tmp/x/Hand.cpp", None),
        ("out-of-memory", "/tmp/x/Hand.cpp", None),
    ],
)
def test_the_calls_that_allocated_memory_are_not_mistaken_for_its_misuse(kind, path, location):
    place = crash_place_in((REPORT % (kind, path)).encode(), FILES)
    assert (place and (place.file, place.line)) == location


def test_a_report_with_the_line_ends_of_a_terminal_is_read():
    place = crash_place_in((REPORT % ("heap-buffer-overflow", "/tmp/x/Hand.cpp")).replace("\n", "\r\n").encode(), FILES)
    assert (place.file, place.line) == ("Hand.cpp", 12)
    library_report = REPORT % ("heap-buffer-overflow", "/tmp/x/vector.h")
    assert crash_place_in(library_report.replace("\n", "\r\n").encode(), FILES) is None


#: By a message of UndefinedBehaviorSanitizer: the text that pitboss shows instead.
UNDEFINED = {
    "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'": "a number grows larger than its type can hold",
    "signed integer overflow: -2147483648 - 1 cannot be represented in type 'int'": "a number becomes smaller than its type can hold",
    "signed integer overflow: -65536 * -65536 cannot be represented in type 'int'": "a number grows larger than its type can hold",
    "division by zero": "it divides by zero",
    "load of null pointer of type 'int'": "it follows a pointer that points nowhere",
    "null pointer passed as argument 1, which is declared to never be null": "it passes a pointer that points nowhere to a function that needs what it points to",
    "load of address 0x60 with insufficient space for an object of type 'int'": "it uses memory outside what it asked for, or outside an array",
    "index 3 out of bounds for type 'int [3]'": "it uses index 3 of an array of 3, whose indexes go from 0 to 2",
    "pointer index expression with base 0x1 overflowed to 0x0": "pointer index expression with base 0x1 overflowed to 0x0",
}


@pytest.mark.parametrize("message", UNDEFINED)
def test_undefined_behaviour_is_explained_in_plain_words(message):
    place = crash_place_in(f"Amount: play.cpp:3:9: runtime error: {message}\n".encode(), FILES)
    assert (place.file, place.line, place.why) == ("play.cpp", 3, UNDEFINED[message])


def test_a_file_with_blanks_in_its_name_is_not_mistaken_for_another():
    output = b"my card.cpp:3:9: runtime error: division by zero\n"
    assert crash_place_in(output, frozenset({"my card.cpp", "card.cpp"})).file == "my card.cpp"
    assert crash_place_in(b"discard.cpp:3:9: runtime error: division by zero\n", FILES) is None


VALGRIND_REPORT = b"""==7== Conditional jump or move depends on uninitialised value(s)
==7==    at 0x484: strlen (in /usr/libexec/valgrind/vgpreload.so)
==7==    by 0x109: main::{lambda(int)#2}::operator()(int) const (%s:30)
==7== 
==7==    by 0x109: main (play.cpp:31)
"""


def test_an_uninitialised_value_is_reported_at_the_students_innermost_call():
    place = unset_value_in(VALGRIND_REPORT % b"Hand.cpp", FILES)
    assert (place.file, place.line) == ("Hand.cpp", 30)
    assert unset_value_in(VALGRIND_REPORT % b"vector.h", FILES) is None
    assert unset_value_in(b"==7== Invalid read of size 4\n==7==    at 0x109: main (play.cpp:31)\n", FILES) is None


def test_a_script_built_by_a_makefile_is_not_run_again(toy, tmp_path, monkeypatch):
    """Under valgrind its interpreter would take the whole time limit."""
    monkeypatch.setattr("pitboss.experiments.sanitizers.script_of_lines", lambda *_: pytest.fail("it was run again"))
    (tmp_path / "made.sh").write_text('#!/bin/sh\nprintf "Opening balance: "\nread balance\n')
    (tmp_path / "Makefile").write_text("teller: made.sh\n\tcp made.sh teller\n\tchmod +x teller\n")
    assert crash_of(toy, tmp_path) == ""
