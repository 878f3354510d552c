"""What is said to explain a difference is so in the whole session, and is never said where something else is wrong."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.cause import cause_of
from pitboss.compare.findings import OtherStream, PassedOver
from pitboss.compare.side_outputs import first_difference
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.transcript import (
    Ending,
    EndingKind,
    FileKind,
    InputEnded,
    Remark,
    Shown,
    Transcript,
    Typed,
    WrittenFile,
    canonical,
    exited,
)
from pitboss.reports.finding_sentences import sentence_of, sentence_on_cause, summary_of
from tests.authors import ASSIGNMENT


def session(*parts, **rest):
    """A session: what is shown and, in lists, what is typed; None is the end of input."""
    events = (InputEnded() if one is None else Typed(one[0]) if isinstance(one, list) else Shown(one) for one in parts)
    return Transcript(canonical(events), **rest)


def cause(expected, actual, policy=EXACT):
    difference = first_difference(expected, actual, policy)
    return None if difference is None else cause_of(difference, expected, actual, policy)


ASK, BAD, BYE = b"Choice: ", b"Please enter 1 to 3.\n", b"Bye\n"
REFUSE = BAD + ASK
#: A word, an empty line and a number, each but the last refused.
EXPECTED = session(ASK, [b"x"], REFUSE, [b""], REFUSE, [b"3"], BYE)
SKIPPED = session(ASK, [b"x"], REFUSE, [b""], [b"3"], BYE)


def test_an_empty_line_that_is_skipped_is_named():
    found = cause(EXPECTED, SKIPPED)
    assert found == PassedOver(b"", b"3", 3, REFUSE, answers_words=True)
    assert sentence_on_cause(found) == (
        "It shows nothing for the empty line that was typed on line 3, where “Please enter 1 to 3.” is expected, and "
        "takes the next one, “3”, in its place. If it reads with scanf, std::cin >> or nextInt of a Scanner: these skip "
        "empty lines, so read whole lines (fgets, std::getline, nextLine) and look at what is in them."
    )


#: Sessions of the right program, of another, and whether it is said that lines of words are answered.
PASSED = {
    "no word was refused": (
        session(ASK, [b"9"], REFUSE, [b""], REFUSE, [b"3"], BYE),
        session(ASK, [b"9"], REFUSE, [b""], [b"3"], BYE),
        False,
    ),
    "a word is refused later": (
        session(ASK, [b""], REFUSE, [b"x"], REFUSE, [b"3"], BYE),
        session(ASK, [b""], [b"x"], REFUSE, [b"3"], BYE),
        True,
    ),
    "several": (
        session(ASK, [b""], REFUSE, [b""], REFUSE, [b"x"], REFUSE, [b""], REFUSE, [b"3"], BYE),
        session(ASK, [b""], [b""], [b"x"], REFUSE, [b""], [b"3"], BYE),
        True,
    ),
    "a line of blanks": (
        session(ASK, [b"x"], REFUSE, [b" \t"], REFUSE, [b"3"], BYE),
        session(ASK, [b"x"], REFUSE, [b" \t"], [b"3"], BYE),
        True,
    ),
    "a line of blanks is answered": (
        session(ASK, [b"x"], REFUSE, [b" "], REFUSE, [b""], REFUSE, [b"3"], BYE),
        session(ASK, [b"x"], REFUSE, [b" "], REFUSE, [b""], [b"3"], BYE),
        False,
    ),
    "other words for a word": (
        session(ASK, [b"x"], b"No number.\n" + ASK, [b""], b"Say something.\n" + ASK, [b"3"], BYE),
        session(ASK, [b"x"], b"No number.\n" + ASK, [b""], [b"3"], BYE),
        False,
    ),
    "the question is a line of its own": (
        session(b"How many?\n", [b"x"], b"What?\nHow many?\n", [b""], b"What?\nHow many?\n", [b"3"], BYE),
        session(b"How many?\n", [b"x"], b"What?\nHow many?\n", [b""], [b"3"], BYE),
        True,
    ),
    "the input ends after another one": (
        session(ASK, [b"x"], REFUSE, [b""], REFUSE, [b"3"], b"Three\n" + ASK, [b""], REFUSE, None, BYE),
        session(ASK, [b"x"], REFUSE, [b""], [b"3"], b"Three\n" + ASK, [b""], None, BYE),
        True,
    ),
}


@pytest.mark.parametrize("name", PASSED)
def test_empty_lines_that_are_passed_over_are_named(name):
    expected, actual, answers_words = PASSED[name]
    found = cause(expected, actual)
    assert isinstance(found, PassedOver)
    assert found.answers_words is answers_words
    assert ("scanf" in sentence_on_cause(found)) is answers_words


#: Sessions that look like it at first, and of which it is not said: each with what is wrong there.
OTHER_CAUSES = {
    "all is shown at the end": (EXPECTED, session([b"x"], [b""], [b"3"], ASK + REFUSE + REFUSE + BYE)),
    "a buffer is full in the middle": (EXPECTED, session(ASK, [b"x"], REFUSE, [b""], [b"3"], REFUSE + BYE)),
    "each answer is one line late": (EXPECTED, session(ASK, [b"x"], REFUSE, [b""], [b"3"], REFUSE, None)),
    "nothing is shown from there on": (EXPECTED, session(ASK, [b"x"], REFUSE, [b""], [b"3"])),
    "nothing is shown for any wrong line": (
        session(ASK, [b""], REFUSE, [b"x"], REFUSE, [b"3"], BYE),
        session(ASK, [b""], [b"x"], [b"3"], BYE),
    ),
    "another question is forgotten": (
        session(b"Name? ", [b""], b"Age? ", [b"x"], b"Age? ", [b"3"], BYE),
        session(b"Name? ", [b""], [b"x"], b"Age? ", [b"3"], BYE),
    ),
    "the next line is not taken in its place": (
        EXPECTED,
        session(ASK, [b"x"], REFUSE, [b""], [b"3"], REFUSE, None, BYE),
    ),
    "it ends with the next line": (EXPECTED, session(ASK, [b"x"], REFUSE, [b""], [b"3"], b"Aborted\n")),
    "something else is wrong too": (EXPECTED, session(ASK, [b"x"], REFUSE, [b""], [b"3"], b"bye\n")),
    "it ends with another exit code": (EXPECTED, msgspec.structs.replace(SKIPPED, ending=exited(1))),
    "it crashes": (EXPECTED, msgspec.structs.replace(SKIPPED, ending=Ending(EndingKind.SIGNALLED, signal="SIGSEGV"))),
    "it was stopped": (EXPECTED, msgspec.structs.replace(SKIPPED, ending=Ending(EndingKind.OUT_OF_LINES))),
    "it reads single keys": (EXPECTED, msgspec.structs.replace(SKIPPED, remarks=(Remark.RAW,))),
    "the answer is on a standard error that is ignored": (
        EXPECTED,
        msgspec.structs.replace(SKIPPED, complaint=BAD + ASK),
    ),
    "the answer is on a standard error that is compared": (
        msgspec.structs.replace(EXPECTED, errors=b""),
        msgspec.structs.replace(SKIPPED, errors=BAD),
    ),
    "a word is passed over": (
        session(ASK, [b"x"], REFUSE, [b"y"], REFUSE, [b"3"], BYE),
        session(ASK, [b"x"], REFUSE, [b"y"], [b"3"], BYE),
    ),
    "one empty line of two is answered": (
        session(ASK, [b"x"], REFUSE, [b""], REFUSE, [b"2"], b"Two\n" + ASK, [b""], REFUSE, [b"3"], BYE),
        session(ASK, [b"x"], REFUSE, [b""], [b"2"], b"Two\n" + ASK, [b""], REFUSE, [b"3"], BYE),
    ),
    "an empty line is an answer like any other": (
        session(b"Bet? ", [b""], b"You bet 1.\nHit? ", [b"3"], BYE),
        session(b"Bet? ", [b""], [b"3"], BYE),
    ),
    "only a part of the answer is missing": (EXPECTED, session(ASK, [b"x"], REFUSE, [b""], ASK, [b"3"], BYE)),
}


@pytest.mark.parametrize("name", OTHER_CAUSES)
def test_it_is_not_said_where_something_else_is_wrong(name):
    assert not isinstance(cause(*OTHER_CAUSES[name]), PassedOver)


def test_the_case_of_letters_is_compared_as_the_policy_says():
    actual = session(ASK.lower(), [b"x"], REFUSE, [b""], [b"3"], BYE)
    assert cause(EXPECTED, actual) is None
    assert isinstance(cause(EXPECTED, actual, Policy(letter_case="ignored")), PassedOver)


#: It asks until it gets a number from 1 to 3.
ASKING = """\
def main(console):
    while True:
        console.write("Choice: ")
        line = console.read_line()
        if line in ("1", "2", "3"):
            break
        console.write("Please enter 1 to 3.\\n")
    console.write("Bye\\n")

def player(shown, typed):
    return ("x", "", "3")[len(typed)]
"""
#: Of the lines it reads the words alone, as scanf does.
WORDS = """\
import sys

words = (word for line in iter(sys.stdin.readline, "") for word in line.split())
print("Choice: ", end="", flush=True)
while next(words) not in ("1", "2", "3"):
    print("Please enter 1 to 3.\\nChoice: ", end="", flush=True)
print("Bye")
"""


def test_a_program_that_reads_words_is_told_so(greet):
    spec = "program: greet\ncases:\n  - {name: words, player: other}\n"
    (result,) = greet.checked(ASKING, spec=spec, program=WORDS).stages[0].results
    assert result.finding.cause == PassedOver(b"", b"3", 3, REFUSE, answers_words=True)
    assert summary_of(result) == sentence_on_cause(result.finding.cause)


LINES = st.lists(st.sampled_from([b"", b" ", b"x", b"9", b"1"]), max_size=6)


@given(lines=LINES, shown=st.lists(st.sampled_from([b"", BAD, ASK, REFUSE, BYE]), min_size=7, max_size=7))
def test_whatever_a_program_shows_it_is_reported_only_of_one_that_shows_nothing_for_each_empty_line(lines, shown):
    """And the rest of whose session is as the right program's."""
    expected = session(ASK, *(part for line in lines for part in ([line], REFUSE)), [b"3"], BYE)
    actual = session(
        ASK, *(part for line, text in zip(lines, shown, strict=False) for part in ([line], text)), [b"3"], BYE
    )
    found = cause(expected, actual)
    answers = list(zip(lines, shown, strict=False))
    blanks = {line for line in lines if not line.strip()}
    passes = {line for line, text in answers if line in blanks and not text}
    is_right = all(text == (b"" if line in passes else REFUSE) for line, text in answers)
    assert (found is not None) == (is_right and bool(passes) and passes in ({b""}, blanks))


def test_a_text_that_another_line_gets_too_is_not_called_late():
    """The next line may be refused in the same words."""
    expected = session(ASK, [b"x"], REFUSE, [b""], REFUSE, [b"y"], REFUSE, [b"3"], BYE)
    for last in (BYE, b"bye\n"):
        actual = session(ASK, [b"x"], REFUSE, [b""], [b"y"], REFUSE, [b"3"], last)
        sentence = sentence_of(first_difference(expected, actual, EXACT))
        assert sentence == "It reads the line “y” at the start of line 4 before “Please enter 1 to 3.” is shown."


def test_a_text_that_is_shown_late_is_called_late():
    actual = session(ASK, [b"x"], REFUSE, [b""], [b"3"], REFUSE + BYE)
    assert "it prints that too late, or its output is still in a buffer" in sentence_of(
        first_difference(EXPECTED, actual, EXACT)
    )


# Texts on the other stream

USAGE, COUNT = b"usage: grades DATA\n", b"4 grades read\n"
#: What is expected and what a program does, and the texts that are moved and whether they are on its standard error.
MOVED = {
    "all of the standard error": (session(errors=USAGE), session(USAGE, errors=b""), (USAGE,), False),
    "all of the output": (session(COUNT, errors=b""), session(errors=COUNT), (COUNT,), True),
    "with another exit code": (
        session(errors=USAGE, ending=exited(2)),
        session(USAGE, errors=b"", ending=exited(0)),
        (USAGE,),
        False,
    ),
    "one line of several, between others": (
        session(b"a\nb\nc\n", errors=b"x\ny\n"),
        session(b"a\nc\n", errors=b"x\nb\ny\n"),
        (b"b\n",),
        True,
    ),
    "several lines, apart": (
        session(b"a\nb\n", errors=b"x\ny\nz\n"),
        session(b"x\na\nz\nb\n", errors=b"y\n"),
        (b"x\n", b"z\n"),
        False,
    ),
    "what a wrong line gets": (
        session(ASK, [b"x"], ASK, [b"3"], BYE, errors=BAD),
        session(ASK, [b"x"], BAD + ASK, [b"3"], BYE, errors=b""),
        (BAD,),
        False,
    ),
    "questions": (
        session(ASK, [b"x"], BAD + ASK, [b"3"], BYE, errors=b""),
        session([b"x"], BAD, [b"3"], BYE, errors=ASK + ASK),
        (ASK, ASK),
        True,
    ),
    "an empty line among others": (
        session(b"a\n", errors=b"x\n\ny\n"),
        session(b"a\nx\n\ny\n", errors=b""),
        (b"x\n", b"\n", b"y\n"),
        False,
    ),
    "a line that is on both": (
        session(b"a\n", errors=b"a\nb\n"),
        session(b"a\na\n", errors=b"b\n"),
        (b"a\n",),
        False,
    ),
    "on a standard error that is ignored": (
        session(COUNT),
        session(complaint=b"reading\n" + COUNT + b"done\n"),
        (COUNT,),
        True,
    ),
    "the answer to an empty line": (
        EXPECTED,
        msgspec.structs.replace(SKIPPED, complaint=REFUSE),
        (BAD, ASK),
        True,
    ),
    "from a standard error that is ignored": (
        session(COUNT, complaint=b"reading\ndone\n"),
        session(b"reading\n" + COUNT, complaint=b"done\n"),
        (b"reading\n",),
        False,
    ),
}


@pytest.mark.parametrize("name", MOVED)
def test_what_is_on_the_other_stream_is_named(name):
    expected, actual, texts, is_on_errors = MOVED[name]
    assert cause(expected, actual) == OtherStream(texts, is_on_errors)


def test_the_policy_counts_for_what_is_on_the_other_stream_and_for_the_rest():
    expected, actual = session(b"A\n" + COUNT, errors=b"X\n"), session(b"a\n", errors=b"x\n" + COUNT)
    assert cause(expected, actual) is None
    assert cause(expected, actual, Policy(letter_case="ignored")) == OtherStream((COUNT,), is_on_errors=True)


IN_PLACE = {
    "it is on both": (session(errors=USAGE), session(USAGE, errors=USAGE)),
    "it is on both, and one is ignored": (session(complaint=USAGE), session(USAGE, complaint=USAGE)),
    "in other words": (session(errors=USAGE), session(USAGE.upper(), errors=b"")),
    "it is missing on either": (session(COUNT, errors=b""), session(errors=b"")),
    "more is on the standard error": (session(COUNT, errors=b""), session(errors=COUNT + b"done\n")),
    "not in order": (session(b"a\nb\n", errors=b""), session(errors=b"b\na\n")),
    "in the midst of a line": (session(COUNT), session(complaint=b"I have 4 grades read\n")),
    "only a part of it": (session(COUNT, errors=b""), session(errors=b"4 grades")),
    "behind another text on its line": (session(b"... ", errors=USAGE), session(b"... " + USAGE, errors=b"")),
    "another line is wrong": (session(b"a\n" + COUNT, errors=b""), session(b"b\n", errors=COUNT)),
    "a line of the standard error is wrong": (session(COUNT, errors=b"x\n"), session(errors=COUNT + b"y\n")),
    "only an empty line": (session(b"a\n\nb\n", errors=b""), session(b"a\nb\n", errors=b"\n")),
    "both streams are exchanged": (session(b"a\n", errors=b"x\n"), session(b"x\n", errors=b"a\n")),
    "the standard error is on the terminal": (session(COUNT), session()),
    "it crashes": (
        session(COUNT, errors=b""),
        session(errors=COUNT, ending=Ending(EndingKind.SIGNALLED, signal="SIGSEGV")),
    ),
    "a file is wrong": (
        session(COUNT, errors=b"", written=(WrittenFile("out.txt", FileKind.REGULAR, b"a"),)),
        session(errors=COUNT, written=(WrittenFile("out.txt", FileKind.REGULAR, b"b"),)),
    ),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_it_is_not_said_to_be_on_the_other_stream(name):
    assert not isinstance(cause(*IN_PLACE[name]), OtherStream)


ANY = session(ASK, [b"x"], errors=b"wrong\n", has_any_errors=True)


def test_a_message_in_words_of_its_own_is_named_where_it_is_on_the_screen():
    assert cause(ANY, session(ASK, [b"x"], b"No!\n", errors=b"")) == OtherStream((b"No!\n",), is_on_errors=False)


@pytest.mark.parametrize(
    "actual",
    [
        session(ASK, [b"x"], b"No!\n", errors=b"No!\n"),
        session(ASK, [b"x"], b"No!\n", ASK, [b"y"], errors=b""),
        session(b"Your choice: ", [b"x"], b"No!\n", errors=b""),
        session(ASK, [b"x"], b"\n", errors=b""),
    ],
    ids=["it is on both", "it goes on", "the question is another", "it is blank"],
)
def test_a_text_that_is_too_much_is_no_message_of_its_own(actual):
    assert not isinstance(cause(ANY, actual), OtherStream)


def moved_between(screen, errors, places, *, to_errors):
    """The expected session, one in which some lines of a text are in the other one, and these lines."""
    start, end = (screen, errors) if to_errors else (errors, screen)
    numbers = sorted({place for place in places if place < len(start)})
    moved = [start[number] for number in numbers]
    left = [line for number, line in enumerate(start) if number not in numbers]
    onto = list(end)
    for number, line in zip(sorted(place % (len(end) + 1) for place in places), moved, strict=False):
        onto.insert(number + len(onto) - len(end), line)
    on_screen, on_errors = (left, onto) if to_errors else (onto, left)
    expected = session(b"".join(screen), errors=b"".join(errors))
    return expected, session(b"".join(on_screen), errors=b"".join(on_errors)), moved


PLACES, ONE_LINE = st.lists(st.integers(0, 5), max_size=3), st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"])


@given(st.lists(ONE_LINE, unique=True), st.sampled_from([[], [b"x\n"], [b"x\n", b"y\n"]]), PLACES, st.booleans())
def test_lines_that_were_moved_are_found(screen, errors, places, to_errors):
    expected, actual, moved = moved_between(screen, errors, places, to_errors=to_errors)
    found = OtherStream(tuple(moved), to_errors) if b"".join(moved).strip() else None
    assert cause(expected, actual) == found


@given(st.lists(ONE_LINE, max_size=5), st.lists(ONE_LINE, max_size=5), PLACES, st.booleans())
def test_of_lines_that_come_more_than_once_nothing_false_is_reported(screen, errors, places, to_errors):
    expected, actual, moved = moved_between(screen, errors, places, to_errors=to_errors)
    found = cause(expected, actual)
    if found is not None:
        assert found.is_on_errors is to_errors
        assert sorted(found.texts) == sorted(moved)


WORDS_OF_STREAMS = {
    "a line": (OtherStream((USAGE,), is_on_errors=False), "“usage: grades DATA” to its standard output; it belongs on"),
    "two": (
        OtherStream((b"\n", COUNT, b"\n", b"x\n"), is_on_errors=True),
        "“4 grades read” and 1 more line to its standard error; they belong on",
    ),
    "many": (
        OtherStream((b"a\n",) * 3, is_on_errors=True),
        "“a” and 2 more lines to its standard error; they belong on",
    ),
}


@pytest.mark.parametrize("name", WORDS_OF_STREAMS)
def test_what_is_on_the_other_stream_is_reported_in_a_sentence(name):
    found, output = WORDS_OF_STREAMS[name]
    wanted = {
        True: "output (printf in C, std::cout in C++, System.out in Java, print in Python).",
        False: "error (fprintf(stderr, …) in C, std::cerr in C++, System.err in Java, print with file=sys.stderr in Python).",
    }
    assert sentence_on_cause(found) == f"It prints {output} the standard {wanted[found.is_on_errors]}"


@pytest.mark.parametrize("stderr", ["compared", "ignored"])
@pytest.mark.parametrize(("right", "wrong"), [("write", "write_error"), ("write_error", "write")])
def test_a_program_that_prints_to_the_other_stream_is_told_so(greet, stderr, right, wrong):
    own = f"def main(console):\n    console.write('Hello\\n')\n    console.{right}('Bye\\n')\n    return 3\n"
    files = {"write": "sys.stdout", "write_error": "sys.stderr"}
    program = f"import sys\nprint('Hello')\nprint('Bye', file={files[wrong]})\nsys.exit(3)\n"
    spec = "program: greet\ncases:\n  - {name: bye, exit: 3, answers: []}\n"
    assignment = ASSIGNMENT.replace('"own:main"', f'"own:main", stderr: {stderr}')
    (result,) = greet.checked(own, assignment=assignment, spec=spec, program=program).stages[0].results
    assert result.finding.cause == OtherStream((b"Bye\n",), is_on_errors=wrong == "write_error")
    assert summary_of(result) == sentence_on_cause(result.finding.cause)


def test_it_is_said_too_of_a_program_that_ends_with_a_wrong_exit_code(greet):
    own = "def main(console):\n    console.write('Hello\\n')\n"
    program = "import sys\nprint('Hello', file=sys.stderr)\nsys.exit(4)\n"
    spec = "program: greet\ncases:\n  - {name: hello, answers: []}\n"
    assignment = ASSIGNMENT.replace('"own:main"', '"own:main", stderr: compared')
    (result,) = greet.checked(own, assignment=assignment, spec=spec, program=program).stages[0].results
    assert summary_of(result) == (
        "It ended with exit code 4 instead of 0: that is the number that main returns (an arbitrary one if it returns "
        "none) or that is passed to exit. Before that: it prints “Hello” to its standard error; it belongs on the standard "
        "output (printf in C, std::cout in C++, System.out in Java, print in Python)."
    )
