"""The sentences that describe the first difference, or the way a program ended, to its student."""

from decimal import Decimal

import msgspec
import pytest

from pitboss.compare.comparison import Split, difference_between
from pitboss.compare.findings import Compared
from pitboss.compare.location import located_difference
from pitboss.compare.results import Result
from pitboss.compare.verdicts import Verdict
from pitboss.model.comparison_policy import Policy, Tolerance
from pitboss.model.line_rules import LineOutsideBlock, NumberOutOfTolerance, Unmatched
from pitboss.model.transcript import Ending, EndingKind, InputEnded, Paused, Shown, Transcript, Typed
from pitboss.reports.endings import ending_sentence, is_traceback
from pitboss.reports.finding_sentences import sentence_of, sentence_on_rule, summary_of
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
        "It reads the line “5” after “Hello” (line 1) before a newline (\\n) is shown.",
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
        "It prints a newline (\\n) too many at the end of line 1.",
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
    "a space too few": (
        (Shown(b" 8\n"),),
        (Shown(b"8\n"),),
        "Line 1 is “8” where “·8” is expected (· is a space).",
    ),
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
    sentence = 'It stopped with an error: java.lang.NumberFormatException: For input string: "ten".'
    assert ending_sentence(actual, Compared(LIMITS), 0) == sentence
    assert is_traceback(traceback) and not is_traceback(b"1 " + traceback)
    other_thread = Transcript((*SEED_READ, Shown(traceback.replace(b'"main"', b'"Thread-0"'))), actual.ending)
    assert "stopped with an error" not in ending_sentence(other_thread, Compared(LIMITS), 0)


@pytest.mark.parametrize(
    ("output", "ending", "error"),
    [
        (
            "\nUnhandled Exception:\nSystem.FormatException: Wrong format.\n  at P.Main () [0x00001] in <1>:0\n"
            "[ERROR] FATAL UNHANDLED EXCEPTION: System.FormatException: Wrong format.\n",
            Ending(EndingKind.EXITED, exit_code=1),
            "System.FormatException: Wrong format",
        ),
        (
            "Unhandled exception. System.DivideByZeroException: Attempted to divide by zero.\n   at P.Main()\n",
            Ending(EndingKind.SIGNALLED, signal="SIGABRT"),
            "System.DivideByZeroException: Attempted to divide by zero",
        ),
        (
            "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector: 5 >= 5\n",
            Ending(EndingKind.SIGNALLED, signal="SIGABRT"),
            "std::out_of_range: vector: 5 >= 5",
        ),
        (
            "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run with RUST_BACKTRACE=1\n",
            Ending(EndingKind.EXITED, exit_code=101),
            "index out of bounds",
        ),
        (
            "thread '<unnamed>' panicked at 'no card is left', src/main.rs:2:5\nnote: run with RUST_BACKTRACE=1\n",
            Ending(EndingKind.EXITED, exit_code=101),
            "no card is left",
        ),
        (
            "/usr/bin/lua5.4: /tmp/build/pig.lua:3: attempt to call a nil value\nstack traceback:\n\t[C]: in ?\n",
            Ending(EndingKind.EXITED, exit_code=1),
            "pig.lua:3: attempt to call a nil value",
        ),
    ],
    ids=["Mono", ".NET", "C++", "Rust", "Rust before 1.73", "Lua"],
)
def test_an_uncaught_error_is_quoted_in_every_language(output, ending, error):
    actual = Transcript((*SEED_READ, Shown(output.encode())), ending)
    assert ending_sentence(actual, Compared(LIMITS), 0) == f"It stopped with an error: {error}."
    assert is_traceback(output.lstrip().encode())


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
