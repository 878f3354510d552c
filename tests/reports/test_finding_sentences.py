from decimal import Decimal

import msgspec
import pytest

from pitboss.compare.comparison import Split, difference_between, first_difference, located_difference
from pitboss.compare.findings import Compared, OddDraws, Oddity
from pitboss.compare.results import Result, StageReport, Verdict
from pitboss.model.comparison_policy import EXACT, Policy, Tolerance
from pitboss.model.crashes import begins_with_crash
from pitboss.model.line_rules import LineOutsideBlock, NumberOutOfTolerance, Unmatched
from pitboss.model.transcript import Ending, EndingKind, InputEnded, Paused, Shown, Transcript, Typed, exited
from pitboss.reports.difference_sentences import sentence_of
from pitboss.reports.endings import ending_sentence
from pitboss.reports.finding_sentences import sentence_on_rule, stage_summary, summary_of
from pitboss.reports.screen import screen_difference
from pitboss.sandbox.limits import Limits

LIMITS = Limits(cpu_s=1, idle_s=2, memory_mb=128, output_kb=128, processes=16)
SEED_READ = (Shown(b"Seed: "), Typed(b"3"))
LONG_TEXT = b"x" * 70  # longer than a quotation may be

#: The expected and the actual events, and the sentence on their first difference.
SENTENCES = {
    "a newline after the prompt": (
        SEED_READ,
        (Shown(b"Seed: \n"), Typed(b"3")),
        "It prints a newline (\\n) after “Seed: ” (line 1), where it should have read the line “3” first.",
    ),
    "no prompt at all": (
        SEED_READ,
        (Typed(b"3"),),
        "It reads the line “3” at the start of line 1 without showing “Seed: ” first.",
    ),
    "a prompt without its space": (
        SEED_READ,
        (Shown(b"Seed:"), Typed(b"3")),
        "The prompt “Seed:” on line 1 lacks a space at its end.",
    ),
    "a newline forgotten before reading": (
        (Shown(b"Hello\n"), Typed(b"5")),
        (Shown(b"Hello"), Typed(b"5")),
        "It reads the line “5” after “Hello” (line 1), where a newline (\\n) is expected.",
    ),
    "a prompt printed after reading": (
        (*SEED_READ, Shown(b"a\n")),
        (Typed(b"3"), Shown(b"Seed: a\n")),
        "It reads the line “3” at the start of line 1 before it shows “Seed: ”: it prints that too late, or its output "
        "is still in a buffer: then flush it before reading (fflush(stdout) in C, std::cout.flush() in C++, print with "
        "flush=True in Python).",
    ),
    "text where it should have tried to read": (
        (*SEED_READ, InputEnded()),
        (*SEED_READ, Shown(b"\nbye\n")),
        "It should have tried to read more at the start of line 2, and found no input left; it shows “bye” instead.",
    ),
    "text after the end of input, with blanks before it": (
        (*SEED_READ, Shown(b"More?"), InputEnded()),
        (*SEED_READ, Shown(b"More? "), InputEnded(), Shown(b"Bye.\n")),
        "It found no input left after “More?” (line 2), where it should have ended; it shows “Bye.” instead.",
    ),
    "blanks before the end of input, after which both show the same": (
        (*SEED_READ, InputEnded(), Shown(b"b\n")),
        (*SEED_READ, Shown(b"  "), InputEnded(), Shown(b"b\n")),
        "It should have tried to read more at the start of line 2, and found no input left; it shows 2 spaces instead.",
    ),
    "a newline where it should have tried to read": (
        (*SEED_READ, InputEnded()),
        (*SEED_READ, Shown(b"\n")),
        "It should have tried to read more at the start of line 2, and found no input left; it shows a newline (\\n) "
        "instead.",
    ),
    "asks for more where a space is expected": (
        (Shown(b"a "), Typed(b"x")),
        (Shown(b"a"), InputEnded()),
        "It tries to read more input than there is, after “a” (line 1), where a space is expected.",
    ),
    "two newlines missing": (
        (Shown(b"a\n\n"),),
        (Shown(b"a"),),
        "It ended too early, after “a” (line 1): a newline (\\n) is expected next.",
    ),
    "an empty line missing at the end": (
        (Shown(b"a\n\n"),),
        (Shown(b"a\n"),),
        "An empty line is missing at the end (line 2).",
    ),
    "a newline too many": (
        (Shown(b"a"),),
        (Shown(b"a\n"),),
        "It shows a newline (\\n) after “a” (line 1), where it should have ended.",
    ),
    "more text after empty lines": (
        (Shown(b"a\n"),),
        (Shown(b"a\n\n\nBye\n"),),
        "It shows “Bye” on line 4, where it should have ended.",
    ),
    "a pause before a line is read": (
        (Shown(b"a? "), Paused(2000), Typed(b"d"), Shown(b"Amount: ")),
        (Shown(b"a? "), Typed(b"d"), Shown(b"Amount: ")),
        "A pause of 2 s is missing before it reads the line “d” (line 1).",
    ),
    "ended instead of a pause": (
        (Shown(b"a\n"), Paused(2000), Shown(b"b\n")),
        (Shown(b"a\n"),),
        "The last line, “b”, is missing, with the pause of 2 s before it.",
    ),
    "ended before a pause and a line": (
        (Shown(b"a? "), Paused(2000), *SEED_READ),
        (Shown(b"a? "),),
        "It ended too early, after “a? ” (line 1): a pause of 2 s is expected next.",
    ),
    "ended before a line is read": (
        SEED_READ,
        (Shown(b"Seed: "),),
        "It ended after “Seed: ” (line 1), where it should have read the line “3”.",
    ),
    "text before a line is read": (
        SEED_READ,
        (Shown(b"Seed: Number? "),),
        "On line 1 it shows “Number? ” where it should have read the line “3”.",
    ),
    "a line read where it should have tried to read more": (
        (*SEED_READ, InputEnded()),
        (*SEED_READ, Typed(b"4")),
        "It reads the line “4” at the start of line 2, where it should have tried to read more.",
    ),
    "a line read after the end": (
        SEED_READ,
        (*SEED_READ, Typed(b"4")),
        "It reads the line “4” at the start of line 2, where it should have ended.",
    ),
    "a pause in microseconds": (
        (Paused(500), Shown(b"Dealer stands.\n")),
        (Paused(500_000_000), Shown(b"Dealer stands.\n")),
        "It pauses for 500000 s before “Dealer stands.”; the pause should be 0.5 s. That is 1,000,000 times as long: is "
        "it given in microseconds to a function that takes seconds?",
    ),
    "a pause two lines late": (
        (Shown(b"a\n"), Paused(2000), Shown(b"b\nc\nd\n")),
        (Shown(b"a\n"), Shown(b"b\nc\n"), Paused(2000), Shown(b"d\n")),
        "A pause of 2 s is missing before “b”: the pause comes after “c” instead.",
    ),
    "a pause only before the end": (
        (Shown(b"a\n"),),
        (Shown(b"a\n"), Paused(500)),
        "It pauses for 0.5 s on line 2, before the end; no pause is expected there.",
    ),
    "a difference far along a line": (
        (Shown(LONG_TEXT + b"right\n"),),
        (Shown(LONG_TEXT + b"wrong\n"),),
        f"Line 1 is “…{'x' * 20}wrong” where “…{'x' * 20}right” is expected.",
    ),
    "a long line that ends early": (
        (Shown(LONG_TEXT + b"yz\n"),),
        (Shown(LONG_TEXT + b"y\n"),),
        f"Line 1 ends after “…{'x' * 58}y”; “z” is missing on it.",
    ),
    "bytes that are not valid characters": (
        (Shown("1 €\n".encode()),),
        (Shown(b"1 \x80\n"),),
        "Line 1 has bytes that are not valid characters: it is “1 \\x80” where “1 €” is expected. Most often a string is "
        "not terminated, or the source file is not saved as UTF-8.",
    ),
    "a character cut off by the end of the session": (
        (Shown("1 €€\n".encode()),),
        (Shown("1 €€".encode()[:-1]),),
        "Line 1 is “1 €\\xe2\\x82” where “1 €€” is expected.",
    ),
    "the NUL at the end of a string in C": (
        (Shown(b"2\n"),),
        (Shown(b"2\0\n"),),
        "Line 1 is “2\\x00” where “2” is expected. \\x00 is the '\\0' at the end of a string, which should not be "
        "printed.",
    ),
    "a line end of Windows": (
        (Shown(b"a\n"),),
        (Shown(b"a\r\n"),),
        "Line 1 ends in \\r\\n, as on Windows; a newline (\\n) alone is expected.",
    ),
    "a carriage return inside a line": (
        (Shown(b"Loading\n"),),
        (Shown(b"\rLoading\n"),),
        "Line 1 is “\\x0dLoading” where “Loading” is expected.",
    ),
    "a space too many at the end of a line": (
        (Shown(b"Hit? [h/s] \n"),),
        (Shown(b"Hit? [h/s]  \n"),),
        "Line 1 is “Hit? [h/s]··” where “Hit? [h/s]·” is expected (· is a space).",
    ),
    "a space too many between words": (
        (Shown(b"a b\n"),),
        (Shown(b"a  b\n"),),
        "Line 1 is “a··b” where “a·b” is expected (· is a space).",
    ),
    "a space too many where dots are shown": (
        (Shown("a · b\n".encode()),),
        (Shown("a ·  b\n".encode()),),
        "Line 1 is “a ·␣␣b” where “a ·␣b” is expected (␣ is a space).",
    ),
    "a space too many, and others that do not differ": (
        (Shown(b" one or  two\n"),),
        (Shown(b" one  or  two\n"),),
        "Line 1 is “ one··or  two” where “ one·or  two” is expected (· is a space).",
    ),
    "a pause in milliseconds": (
        (Paused(2_000), Shown(b"Dealer stands.\n")),
        (Paused(2_000_000), Shown(b"Dealer stands.\n")),
        "It pauses for 2000 s before “Dealer stands.”; the pause should be 2 s. That is 1,000 times as long: is it "
        "given in milliseconds to a function that takes seconds?",
    ),
    "a space too few": ((Shown(b" 8\n"),), (Shown(b"8\n"),), "Line 1 is “8” where “·8” is expected (· is a space)."),
    "a number that ends too early is quoted whole": (
        (Shown(b"Total: 12.50\n"),),
        (Shown(b"Total: 12.5\n"),),
        "Line 1, “Total: 12.5”, has “12.5” where “12.50” is expected.",
    ),
    "a number without its decimals, alone on its line": (
        (Shown(b"3.14\n"),),
        (Shown(b"3\n"),),
        "Line 1 is “3” where “3.14” is expected.",
    ),
    "a letter missing at the end of a line": (
        (Shown(b"the a1\n"),),
        (Shown(b"the a\n"),),
        "Line 1 ends after “the a”; “1” is missing on it.",
    ),
    "spaces missing at the end of a line": (
        (Shown(b"a  \n"),),
        (Shown(b"a\n"),),
        "Line 1 ends after “a”; 2 spaces are missing on it.",
    ),
    "a long line that is cut never ends inside an escape": (
        (Shown(b"x" * 10 + b"\xff" * 30 + b"right\n"),),
        (Shown(b"x" * 10 + b"\xff" * 30 + b"wrong\n"),),
        "Line 1 has bytes that are not valid characters: it is “…"
        + "\\xff" * 5
        + "wrong” where “…"
        + "\\xff" * 5
        + "right” is expected. Most often a string is not terminated, or the source file is not saved as UTF-8.",
    ),
}


@pytest.mark.parametrize(
    ("output", "command"),
    [
        ("sh: 1: pause: not found\n", "pause"),
        ("\nsh: 1: cls: not found\n", "cls"),
        ("sh: line 1: cls: command not found\n", "cls"),
        ("she: 1: pause: not found\n", ""),
    ],
)
def test_a_shell_command_of_another_system_is_named(output, command):
    expected, actual = (Shown(b"Bye.\n"),), (Shown(b"Bye.\n" + output.encode()),)
    result = Result(
        "play",
        "first",
        Verdict.WRONG_ANSWER,
        Transcript(expected),
        Transcript(actual),
        difference_between(expected, actual),
        Compared(LIMITS),
    )
    remark = f" It calls the shell command {command}, which this system does not have: leave that call out."
    # Without a command in its message, the line is reported like any other text.
    assert summary_of(result).endswith(remark if command else " on line 2, where it should have ended.")


def test_unknown_draws_are_reported_as_a_missing_ellipsis():
    """An expected line has … in place of the draws that are unknown."""
    line = "Dealer: AS, 2H"
    expected, actual = (Shown(f"{line}, …\n".encode()),), (Shown(f"{line}\n".encode()),)
    difference = difference_between(expected, actual)
    split = Split(expected_before=(), before=(Shown(line.encode()),), expected=expected, actual=(Shown(b"\n"),))
    sentence = sentence_of(msgspec.structs.replace(difference, split=split))
    assert sentence == "Line 1 ends after “Dealer: AS, 2H”; “, …” is missing on it."


@pytest.mark.parametrize("name", SENTENCES)
def test_a_difference_is_reported_in_a_sentence(name):
    expected, actual, sentence = SENTENCES[name]
    difference = difference_between(expected, actual)
    assert difference is not None
    assert sentence_of(difference) == sentence


@pytest.mark.parametrize(
    ("signal", "sentence"),
    [
        ("SIGTERM", "It was stopped by a signal (SIGTERM), perhaps one that it sent to itself."),
        ("SIGXFSZ", "It was stopped because it wrote a file that is larger than allowed."),
        (
            "SIGBUS",
            "It crashed: it accessed memory in a way that is not allowed (a bus error). Most often the cause is a wrong "
            "index or pointer.",
        ),
        (
            "SIGILL",
            "It crashed: it reached code that cannot be run. Most often a function that must return a value has no "
            "return statement.",
        ),
        (
            "SIGSYS",
            "It was stopped: it was built for another kind of machine than this one (is there an -m32 in the Makefile?).",
        ),
    ],
)
def test_a_signal_is_reported_in_plain_words(signal, sentence):
    actual = Transcript((), Ending(EndingKind.SIGNALLED, signal=signal))
    assert ending_sentence(actual, Compared(LIMITS), 0) == sentence


def test_a_java_exception_is_quoted():
    traceback = (
        b'Exception in thread "main" java.lang.NumberFormatException: For input string: "ten"\n\tat A.main(A.java:3)\n'
    )
    actual = Transcript((*SEED_READ, Shown(traceback)), Ending(EndingKind.EXITED, exit_code=1))
    sentence = 'It stopped with an error in line 3 of A.java: java.lang.NumberFormatException: For input string: "ten".'
    assert ending_sentence(actual, Compared(LIMITS), 0) == sentence
    assert begins_with_crash(traceback) and not begins_with_crash(b"1 " + traceback)
    other_thread = Transcript((*SEED_READ, Shown(traceback.replace(b'"main"', b'"Thread-0"'))), actual.ending)
    assert "stopped with an error" not in ending_sentence(other_thread, Compared(LIMITS), 0)


ABORTED = Ending(EndingKind.SIGNALLED, signal="SIGABRT")
EXITED = Ending(EndingKind.EXITED, exit_code=1)
RECURSION = "Most likely a function calls itself, or functions call one another, without end."
MEMORY = (
    "It needs more memory than it may have: most likely a loop takes more and more of it, or an array is too large."
)
#: In languages without a limit of their own.
LIMIT = MEMORY.replace("more memory than it", "more than the 128 MB of memory that it")
#: What the runtimes of the languages print: the ending, and what the sentence on it says after “It stopped with an error”.
CRASHES = {
    "C#": (
        "Unhandled exception. System.ArgumentException: no\n   at System.Int32.Parse(String s)\n"
        "   at P.F() in /b/stage/Cards/Hand.cs:line 12\n   at P.Main() in /b/stage/Program.cs:line 3\n",
        ABORTED,
        " in line 12 of Hand.cs: System.ArgumentException: no.",
    ),
    "C# without symbols": (
        "Unhandled exception. System.DivideByZeroException: Attempted to divide by zero.\n   at P.Main()\n",
        ABORTED,
        ": System.DivideByZeroException: Attempted to divide by zero.",
    ),
    "C#: FailFast": ("Process terminated.\nbad\n   at System.Environment.FailFast(System.String)\n", ABORTED, ": bad."),
    "C#: FailFast of .NET 8": ("Process terminated. bad\n   at P.Main()\n", ABORTED, ": bad."),
    "C#: FailFast without text": ("Process terminated.\n   at P.Main()\n", ABORTED, ": Process terminated."),
    "C#: memory": ("Out of memory.\n", ABORTED, f": Out of memory. {MEMORY}"),
    "C#: recursion": (
        "Stack overflow.\nRepeated 261776 times:\n---------\n   at Program.<<Main>$>g__F|0_0(Int32)\n---------\n",
        ABORTED,
        f": Stack overflow: F. {RECURSION}",
    ),
    "C#: recursion in a method": (
        "Stack overflow.\n   at Sums.Node.Depth[[System.Int32]](Int32)\n",
        ABORTED,
        f": Stack overflow: Depth. {RECURSION}",
    ),
    "Java: recursion": (
        'Exception in thread "main" java.lang.StackOverflowError\n\tat java.base/java.lang.A.b(A.java:2)\n'
        "\tat Sum.f(Sum.java:7)\n\tat Sum.g(Sum.java:9)\n",
        EXITED,
        f" in line 7 of Sum.java: java.lang.StackOverflowError. {RECURSION}",
    ),
    "Java: memory": (
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n\tat Sum.main(Sum.java:4)\n',
        EXITED,
        f" in line 4 of Sum.java: java.lang.OutOfMemoryError: Java heap space. {MEMORY}",
    ),
    "Java itself": (
        "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  SIGSEGV (0xb) at pc=0x7f\n",
        ABORTED,
        ": A fatal error has been detected by the Java Runtime Environment.",
    ),
    "Python: a chain": (
        'Traceback (most recent call last):\n  File "/b/a.py", line 2, in <module>\n    f()\nKeyError: 1\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "/b/a.py", line 4, in <module>\n    f()\n'
        '  File "/usr/lib/python3.11/json.py", line 9, in f\n    raise\nmod.Error: one\ntwo\n',
        EXITED,
        " in line 4 of a.py: mod.Error: one.",
    ),
    "Python: a group": (
        '  + Exception Group Traceback (most recent call last):\n  |   File "/b/a.py", line 3, in f\n  |     g()\n'
        "  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n",
        EXITED,
        " in line 3 of a.py: ExceptionGroup: many (2 sub-exceptions).",
    ),
    "Python: recursion": (
        'Traceback (most recent call last):\n  File "/b/a.py", line 1, in f\n'
        "  [Previous line repeated 996 more times]\nRecursionError: maximum recursion depth exceeded\n",
        EXITED,
        f" in line 1 of a.py: RecursionError: maximum recursion depth exceeded. {RECURSION}",
    ),
    "Python: a locale": (
        'Traceback (most recent call last):\n  File "a.py", line 2, in f\nlocale.Error: unsupported locale setting\n',
        EXITED,
        " in line 2 of a.py: locale.Error: unsupported locale setting. The locale that it asks for is not installed on "
        "this machine; where it is, the program may be right.",
    ),
    "Python itself": ("Fatal Python error: boom\nPython runtime state: initialized\n", ABORTED, ": boom."),
    "C++": (
        "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector: 5 >= 5\n",
        ABORTED,
        ": std::out_of_range: vector: 5 >= 5.",
    ),
    "C++: memory": (
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
        ABORTED,
        f": std::bad_alloc: std::bad_alloc. {LIMIT}",
    ),
    "C++: a thread": (
        "terminate called without an active exception\n",
        ABORTED,
        ": terminate called without an active exception.",
    ),
    "C++: an index": (
        "/usr/include/c++/12/v.h:11: std::vector<int>: [with T = int]: Assertion '__n < this->size()' failed.\n",
        ABORTED,
        ": Assertion '__n < this->size()' failed.",
    ),
    "C: assert": (
        "a: src/a.c:7: main: Assertion `n > 7' failed.\n",
        ABORTED,
        " in line 7 of src/a.c: Assertion `n > 7' failed.",
    ),
    "C: the heap": (
        "free(): double free detected in tcache 2\n",
        ABORTED,
        ": free(): double free detected in tcache 2.",
    ),
    "C: the stack": (
        "*** stack smashing detected ***: terminated\n",
        ABORTED,
        ": *** stack smashing detected ***: terminated.",
    ),
    "Rust": (
        "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run with RUST_BACKTRACE=1\n",
        EXITED,
        " in line 2 of src/main.rs: index out of bounds.",
    ),
    "Rust before 1.73": (
        "thread '<unnamed>' panicked at 'no card is left', src/main.rs:2:5\nnote: run with RUST_BACKTRACE=1\n",
        EXITED,
        " in line 2 of src/main.rs: no card is left.",
    ),
    "Rust: recursion": (
        "thread 'main' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n",
        ABORTED,
        f": has overflowed its stack. {RECURSION}",
    ),
    "Rust: memory": (
        "memory allocation of 1024 bytes failed\n",
        ABORTED,
        f": memory allocation of 1024 bytes failed. {LIMIT}",
    ),
    "Lua": (
        "/usr/bin/lua5.4: /tmp/build/pig.lua:3: attempt to call a nil value\nstack traceback:\n\t[C]: in ?\n",
        EXITED,
        ": pig.lua:3: attempt to call a nil value.",
    ),
}


@pytest.mark.parametrize(("output", "ending", "sentence"), CRASHES.values(), ids=CRASHES)
def test_what_a_runtime_prints_about_an_error_is_quoted(output, ending, sentence):
    actual = Transcript((*SEED_READ, Shown(output.encode())), ending)
    assert ending_sentence(actual, Compared(LIMITS), 0) == f"It stopped with an error{sentence}"
    assert begins_with_crash(output.encode()) or output.startswith(("#", "  +"))


def test_a_long_message_of_an_error_is_shortened():
    actual = Transcript((), exited(1), complaint=b"thread 'main' panicked at a.rs:9:5:\n" + b"9" * 60_000 + b"\n")
    sentence = ending_sentence(actual, Compared(LIMITS), 0)
    assert sentence.startswith("It stopped with an error in line 9 of a.rs: 999") and sentence.endswith("9….")
    assert len(sentence) < 400


@pytest.mark.parametrize("exit_code", [0, 3])
def test_an_error_that_the_program_survived_is_named_if_the_session_is_wrong(exit_code):
    traceback = b'Traceback (most recent call last):\n  File "a.py", line 4, in f\nKeyError: 1\n'
    expected = Transcript((Shown(b"Sum: 3\n"),), exited(exit_code))
    actual = Transcript((Shown(b"Sum: 0\n"),), exited(exit_code), complaint=traceback)
    difference = first_difference(expected, actual, EXACT)
    result = Result("s", "c", Verdict.WRONG_ANSWER, expected, actual, difference, Compared(LIMITS))
    assert summary_of(result).endswith(" It reported an error in line 4 of a.py: KeyError: 1.")
    assert "reported" not in summary_of(
        msgspec.structs.replace(result, expected=msgspec.structs.replace(expected, complaint=traceback))
    )


@pytest.mark.parametrize("signal", ["SIGABRT", "SIGSEGV"])
def test_a_crash_of_which_nothing_is_printed_has_its_usual_causes(signal):
    actual = Transcript((*SEED_READ, Shown(b"Your cards: 7\n")), Ending(EndingKind.SIGNALLED, signal=signal))
    assert "Most often" in ending_sentence(actual, Compared(LIMITS), 0)


def test_too_many_program_starts_are_not_reported_as_simultaneous():
    actual = Transcript(SEED_READ, Ending(EndingKind.OVER_STARTS))
    sentence = (
        "It started other programs more than 1000 times (with system or fork), most likely in a loop that never ends."
    )
    assert ending_sentence(actual, Compared(LIMITS), 0) == sentence


READING_ADVICE = (
    "check what its reading function returns when no input is left (scanf returns EOF, fgets returns NULL)."
)


@pytest.mark.parametrize(
    ("kind", "events", "sentence"),
    [
        (
            EndingKind.OVER_OUTPUT,
            (*SEED_READ, Shown(b"x" * 999)),
            "It printed more than 128 kB, most likely in a loop that never ends.",
        ),
        (
            EndingKind.OVER_OUTPUT,
            (*SEED_READ, InputEnded(), Shown(b"x" * 999)),
            f"No input was left, and from then on it kept printing, more than 128 kB in all: {READING_ADVICE}",
        ),
        (  # both limits in one sentence: the sandbox does not say which was exceeded, and empty files take no space
            EndingKind.OVER_FOLDER,
            SEED_READ,
            f"It wrote more than {LIMITS.folder_mb} MB to files, or made more than 50,000 files, most likely in a loop that never ends.",
        ),
        (
            EndingKind.OUT_OF_CPU_TIME,
            (*SEED_READ, InputEnded()),
            f"No input was left, and from then on it kept computing, for more than 1 s: {READING_ADVICE}",
        ),
        (
            EndingKind.IGNORED_END_OF_INPUT,
            (*SEED_READ, InputEnded()),
            f"No input was left, but it tried to read again and again: {READING_ADVICE}",
        ),
    ],
)
def test_an_endless_loop_is_explained_by_the_end_of_input_if_that_came_first(kind, events, sentence):
    assert ending_sentence(Transcript(events, Ending(kind)), Compared(LIMITS), 0) == sentence


def test_a_busy_wait_in_place_of_a_pause_gets_the_advice_to_sleep():
    expected = Transcript((*SEED_READ, Paused(2000), Shown(b"a\n")))
    actual = Transcript(SEED_READ, Ending(EndingKind.OUT_OF_CPU_TIME))
    difference = difference_between(expected.events, actual.events)
    assert summary_of(Result("play", "one", Verdict.WRONG_ANSWER, expected, actual, difference, Compared(LIMITS))) == (
        "It used more than 1 s of computing time, most likely in a loop that never ends. On the screen it had reached the start of "
        "line 2. A pause is expected there: if it waits in a loop until the time is up, call a function that sleeps "
        "instead (such as sleep, Thread.sleep or time.sleep)."
    )


def test_a_crash_is_reported_with_its_position_on_the_screen():
    expected = Transcript((*SEED_READ, Shown(b"a\nb\n")))
    actual = Transcript((*SEED_READ, Shown(b"a\n")), Ending(EndingKind.SIGNALLED, signal="SIGFPE"))
    difference = difference_between(expected.events, actual.events)
    assert summary_of(Result("play", "one", Verdict.WRONG_ANSWER, expected, actual, difference, Compared(LIMITS))) == (
        "It crashed while dividing whole numbers (with / or %), most likely by zero. "
        "On the screen it had reached the start of line 3."
    )


LENIENT = Policy(
    blank_lines="ignored", trailing_blanks="ignored", alternatives=(("Push.", "It is a tie, nobody wins."),)
)


@pytest.mark.parametrize(
    ("expected", "actual", "position"),
    [
        (b"a\nright\n", b"\n\na\n\nwrong\n", (5, 1)),
        (b"a\nPush.\nright\n", b"a   \n\nIt is a tie, nobody wins.\n\n\nwrong\n", (6, 1)),
        (b"a\nPush. right\n", b"\na\nIt is a tie, nobody wins. wrong\n", (3, 27)),
        (b"a\nb\n", b"\na\n\n", (4, 1)),
    ],
)
def test_the_position_of_a_difference_is_that_in_the_actual_output(expected, actual, position):
    difference = difference_between((Shown(expected),), (Shown(actual),), LENIENT)
    assert difference is not None
    difference = located_difference(difference, (Shown(expected),), (Shown(actual),), LENIENT)
    assert (difference.line, difference.column) == position


def test_the_lines_before_a_difference_are_quoted_from_the_actual_output():
    actual = (Shown(b"a   \n\nIt is a tie, nobody wins.\n\n\nb wrong\n"),)
    expected = (Shown(b"a\nPush.\nb right\n"),)
    difference = difference_between(expected, actual, LENIENT)
    assert difference is not None
    difference = located_difference(difference, expected, actual, LENIENT)
    screen = screen_difference(difference)
    assert [piece.text for line in screen.context for piece in line] == ["a   ", "It is a tie, nobody wins."]
    assert (screen.first_number, len(screen.context), screen.number) == (1, 5, 6)
    assert sentence_of(difference) == "Line 6, “b wrong”, has “wrong” where “right” is expected."


#: Expected lines with pauses between them; without a flush they would all be shown after the pauses.
BUFFERED = (Shown(b"a\n"), Paused(2000), Shown(b"Dealer hits.\n"), Paused(2000), Shown(b"Dealer stands.\n"))


# The expected pauses take 4000 ms together, and a program without a flush seems to pause once for that long.
@pytest.mark.parametrize(("pause_ms", "is_reported"), [(4000, True), (4100, True), (3000, False)])
@pytest.mark.parametrize("later_events", [(), (Typed(b"n"), Shown(b"bye\n"))], ids=["at the end", "before a line"])
def test_text_that_stayed_in_a_buffer_during_all_pauses_is_reported(pause_ms, is_reported, later_events):
    actual = (*SEED_READ, Paused(pause_ms), Shown(b"a\nDealer hits.\nDealer stands.\n"), *later_events)
    sentence = sentence_of(difference_between((*SEED_READ, *BUFFERED, *later_events), actual))
    buffer_sentence = (
        f"“a” comes only after the pause of {pause_ms / 1000:g} s, and should come before the pause: the text is still in "
        "a buffer while the program sleeps. Show the text at once, before the sleep: fflush(stdout) in C, "
        "std::cout.flush() in C++, print with flush=True in Python."
    )
    assert (sentence == buffer_sentence) is is_reported
    assert ("buffer" in sentence) is is_reported


def test_wrong_text_after_a_pause_is_not_reported_as_buffered():
    actual = (*SEED_READ, Paused(4000), Shown(b"a\nDealer stands.\nDealer hits.\n"))
    assert "buffer" not in sentence_of(difference_between((*SEED_READ, *BUFFERED), actual))


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (
            NumberOutOfTolerance("2.00", "2.02", Tolerance(Decimal("0.010"))),
            "A number may be off by 0.010; 2.02 differs by more than that from 2.00.",
        ),
        (
            NumberOutOfTolerance("2", "3", Tolerance(Decimal(0), Decimal("0.105"))),
            "A number may be off by 10.5 %; 3 differs by more than that from 2.",
        ),
        (
            NumberOutOfTolerance("2", "3", Tolerance(Decimal("1e-3"), Decimal("1e-6"))),
            "A number may be off by 0.001 or 0.0001 %; 3 differs by more than that from 2.",
        ),
        (Unmatched("^a"), "Any line in which the regular expression “^a” matches is accepted here."),
        (
            LineOutsideBlock(),
            "Lines like the expected line may come in any order; the expected line is not among the shown lines.",
        ),
    ],
)
def test_a_broken_line_rule_is_explained(rule, sentence):
    assert sentence_on_rule(rule) == sentence


CARDS = ("card", "deck", "hand")
#: What is not random about draws, and the sentence.
ODD_DRAWS = [
    (
        OddDraws(Oddity.SAME, ("1", "2"), 60, 60, 60),
        "Every session draws the same, beginning with 1, 2: each run must draw new values.",
    ),
    (OddDraws(Oddity.SAME, (), 60, 60, 60), "Every session draws the same: each run must draw new values."),
    (
        OddDraws(Oddity.REPEATED, (), 6017, 6017, 68, 462.8, nouns=CARDS),
        "The same card comes again and again: 6,017 of 6,017 times it was the one before, where about 463 are usual. "
        "Most often srand is called (or new Random is made) for each card: do it once, where the program begins.",
    ),
    (OddDraws(Oddity.MISSING, ("5", "6"), 0, 1500, 30), "In 1,500 draws over 30 sessions 5 and 6 never came."),
    (
        OddDraws(Oddity.SHARE, ("A",), 1700, 13700, 30, 1053.8),
        "A came 1,700 times in 13,700 draws; about 1,054 are usual: all values should be equally likely.",
    ),
    (
        OddDraws(Oddity.PLACE, ("AS",), 37, 100, 100, 1.9, place=1, bag=52, nouns=CARDS),
        "AS came first in 37 of 100 sessions; about 2 are usual: it mixes the deck too little.",
    ),
    (
        OddDraws(Oddity.PLACE, ("20",), 60, 61, 80, 3, place=7),
        "20 came as number 7 in 60 of 61 sessions; about 3 are usual: each session must draw new values.",
    ),
    (
        OddDraws(Oddity.SAME_ORDER, (), 40, 41, 9, bag=52, nouns=CARDS),
        "A new deck has the order of the one before, in 40 of 41 cards: each deck must be mixed anew.",
    ),
    (
        OddDraws(Oddity.NEW_BAG, (), 0, 0, 9, bag=52, nouns=CARDS),
        "It takes a new deck for each hand: cards come again although the deck is not used up. A new deck begins only "
        "when all 52 cards are drawn.",
    ),
]


@pytest.mark.parametrize(("odd", "sentence"), ODD_DRAWS, ids=[odd.kind.name for odd, _ in ODD_DRAWS])
def test_draws_that_are_not_random_come_first_in_a_stage_summary(odd, sentence):
    stage = StageReport("a", "a", Verdict.WRONG_ANSWER, summary="'push' was not reached.", draws=odd)
    assert stage_summary(stage) == f"{sentence} 'push' was not reached."
