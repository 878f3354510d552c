import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.cause import cause_of
from pitboss.compare.comparison import first_difference
from pitboss.compare.findings import OtherStream, PassedOver
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
from pitboss.reports.difference_sentences import sentence_of
from pitboss.reports.finding_sentences import sentence_on_cause, summary_of
from tests.authors import ASSIGNMENT


def session(*parts, **fields):
    """A transcript: bytes are shown, a list has a typed line, and None is the end of the input.

    Of the fields of Transcript, `errors` is a compared standard error, and `complaint` an ignored one.
    """
    events = (
        InputEnded() if part is None else Typed(part[0]) if isinstance(part, list) else Shown(part) for part in parts
    )
    return Transcript(canonical(events), **fields)


def find_cause(expected, actual, policy=EXACT):
    """The cause that pitboss finds for the difference between two sessions, or None."""
    difference = first_difference(expected, actual, policy)
    return None if difference is None else cause_of(difference, expected, actual, policy)


#: The question of the program, its message for a wrong answer, and its last line.
ASK, BAD, BYE = b"Choice: ", b"Please enter 1 to 3.\n", b"Bye\n"
#: What the program shows after a wrong answer: the message, and the question again.
REFUSE = BAD + ASK
#: The user types a word and an empty line, which are refused, and a number. SKIPPED ignores the empty line.
EXPECTED = session(ASK, [b"x"], REFUSE, [b""], REFUSE, [b"3"], BYE)
SKIPPED = session(ASK, [b"x"], REFUSE, [b""], [b"3"], BYE)


def test_a_skipped_empty_line_is_named_as_the_cause():
    cause = find_cause(EXPECTED, SKIPPED)
    assert cause == PassedOver(b"", b"3", 3, REFUSE, answers_words=True)
    assert sentence_on_cause(cause) == (
        "It shows nothing for the empty line that was typed on line 3, where “Please enter 1 to 3.” is expected, and "
        "takes the next line, “3”, in its place. If it reads with scanf, std::cin >> or nextInt of a Scanner: these skip "
        "empty lines, so read whole lines (fgets, std::getline, nextLine) and look at what is in them."
    )


#: The expected session, that of a program that skips lines, and whether this program answers a word with the text that it
#: should have shown for the skipped lines. If so, it probably reads with scanf.
SKIPPED_LINES = {
    "no word is refused": (
        session(ASK, [b"9"], REFUSE, [b""], REFUSE, [b"3"], BYE),
        session(ASK, [b"9"], REFUSE, [b""], [b"3"], BYE),
        False,
    ),
    "a word is refused later": (
        session(ASK, [b""], REFUSE, [b"x"], REFUSE, [b"3"], BYE),
        session(ASK, [b""], [b"x"], REFUSE, [b"3"], BYE),
        True,
    ),
    "several lines": (
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
    "a word is refused with another message": (
        session(ASK, [b"x"], b"No number.\n" + ASK, [b""], b"Say something.\n" + ASK, [b"3"], BYE),
        session(ASK, [b"x"], b"No number.\n" + ASK, [b""], [b"3"], BYE),
        False,
    ),
    "the question is a line of its own": (
        session(b"How many?\n", [b"x"], b"What?\nHow many?\n", [b""], b"What?\nHow many?\n", [b"3"], BYE),
        session(b"How many?\n", [b"x"], b"What?\nHow many?\n", [b""], [b"3"], BYE),
        True,
    ),
    "the input ends after a second skipped line": (
        session(ASK, [b"x"], REFUSE, [b""], REFUSE, [b"3"], b"Three\n" + ASK, [b""], REFUSE, None, BYE),
        session(ASK, [b"x"], REFUSE, [b""], [b"3"], b"Three\n" + ASK, [b""], None, BYE),
        True,
    ),
}


@pytest.mark.parametrize("name", SKIPPED_LINES)
def test_scanf_is_named_for_skipped_lines_only_if_words_are_answered(name):
    expected, actual, answers_words = SKIPPED_LINES[name]
    cause = find_cause(expected, actual)
    assert isinstance(cause, PassedOver)
    assert cause.answers_words is answers_words
    assert ("scanf" in sentence_on_cause(cause)) is answers_words


#: Expected and actual sessions that only resemble a program that skips empty lines, by what is really wrong.
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
    "it is stopped": (EXPECTED, msgspec.structs.replace(SKIPPED, ending=Ending(EndingKind.OUT_OF_LINES))),
    "it reads single keys": (EXPECTED, msgspec.structs.replace(SKIPPED, remarks=(Remark.RAW,))),
    "the answer is on a standard error that is ignored": (
        EXPECTED,
        msgspec.structs.replace(SKIPPED, complaint=BAD + ASK),
    ),
    "the answer is on a standard error that is compared": (
        msgspec.structs.replace(EXPECTED, errors=b""),
        msgspec.structs.replace(SKIPPED, errors=BAD),
    ),
    "a word is skipped": (
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
def test_no_skipped_line_is_named_if_something_else_is_wrong(name):
    assert not isinstance(find_cause(*OTHER_CAUSES[name]), PassedOver)


def test_the_policy_on_letter_case_applies_to_the_rest_of_the_session():
    actual = session(ASK.lower(), [b"x"], REFUSE, [b""], [b"3"], BYE)
    assert find_cause(EXPECTED, actual) is None
    assert isinstance(find_cause(EXPECTED, actual, Policy(letter_case="ignored")), PassedOver)


#: A program that asks until it gets a number from 1 to 3, and a player who types a word, an empty line and a number.
REFERENCE = """\
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
#: The same program, except that it reads words instead of lines, as scanf does.
WORD_READER = """\
import sys

words = (word for line in iter(sys.stdin.readline, "") for word in line.split())
print("Choice: ", end="", flush=True)
while next(words) not in ("1", "2", "3"):
    print("Please enter 1 to 3.\\nChoice: ", end="", flush=True)
print("Bye")
"""


def test_the_finding_on_a_program_that_reads_words_names_the_skipped_line(greet):
    spec = "program: greet\ncases:\n  - {name: words, player: other}\n"
    (result,) = greet.check_with(REFERENCE, spec=spec, program=WORD_READER).stages[0].results
    assert result.finding.cause == PassedOver(b"", b"3", 3, REFUSE, answers_words=True)
    assert summary_of(result) == sentence_on_cause(result.finding.cause)


TYPED_LINES = st.lists(st.sampled_from([b"", b" ", b"x", b"9", b"1"]), max_size=6)


@given(lines=TYPED_LINES, replies=st.lists(st.sampled_from([b"", BAD, ASK, REFUSE, BYE]), min_size=7, max_size=7))
def test_a_cause_is_found_only_if_all_empty_or_all_blank_lines_are_skipped(lines, replies):
    """The reply to a skipped line is empty. All other lines must get the correct reply."""
    exchanges = list(zip(lines, replies, strict=False))  # there may be more replies than lines
    expected = session(ASK, *(part for line in lines for part in ([line], REFUSE)), [b"3"], BYE)
    actual = session(ASK, *(part for line, reply in exchanges for part in ([line], reply)), [b"3"], BYE)
    cause = find_cause(expected, actual)
    blank_lines = {line for line in lines if not line.strip()}
    skipped_lines = {line for line, reply in exchanges if line in blank_lines and not reply}
    is_otherwise_correct = all(reply == (b"" if line in skipped_lines else REFUSE) for line, reply in exchanges)
    assert (cause is not None) == (
        is_otherwise_correct and bool(skipped_lines) and skipped_lines in ({b""}, blank_lines)
    )


def test_a_text_that_the_next_line_may_also_get_is_not_called_late():
    """Here the next line, `y`, is refused with the same text."""
    expected = session(ASK, [b"x"], REFUSE, [b""], REFUSE, [b"y"], REFUSE, [b"3"], BYE)
    for last in (BYE, b"bye\n"):
        actual = session(ASK, [b"x"], REFUSE, [b""], [b"y"], REFUSE, [b"3"], last)
        sentence = sentence_of(first_difference(expected, actual, EXACT))
        assert sentence == "It reads the line “y” at the start of line 4, where “Please enter 1 to 3.” is expected."


def test_a_text_that_is_shown_late_is_called_late():
    actual = session(ASK, [b"x"], REFUSE, [b""], [b"3"], REFUSE + BYE)
    assert "it prints that too late, or its output is still in a buffer" in sentence_of(
        first_difference(EXPECTED, actual, EXACT)
    )


# Texts on the other stream

USAGE, COUNT = b"usage: grades DATA\n", b"4 grades read\n"
#: The expected and the actual session, the texts that are on the wrong stream, and whether that is standard error.
MOVED_TEXTS = {
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
    "the message for a wrong line": (
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
    "a line that is on both": (session(b"a\n", errors=b"a\nb\n"), session(b"a\na\n", errors=b"b\n"), (b"a\n",), False),
    "on a standard error that is ignored": (
        session(COUNT),
        session(complaint=b"reading\n" + COUNT + b"done\n"),
        (COUNT,),
        True,
    ),
    "the answer to an empty line": (EXPECTED, msgspec.structs.replace(SKIPPED, complaint=REFUSE), (BAD, ASK), True),
    "from a standard error that is ignored": (
        session(COUNT, complaint=b"reading\ndone\n"),
        session(b"reading\n" + COUNT, complaint=b"done\n"),
        (b"reading\n",),
        False,
    ),
}


@pytest.mark.parametrize("name", MOVED_TEXTS)
def test_texts_on_the_wrong_stream_are_named_as_the_cause(name):
    expected, actual, texts, is_on_errors = MOVED_TEXTS[name]
    assert find_cause(expected, actual) == OtherStream(texts, is_on_errors)


def test_the_policy_on_letter_case_applies_to_both_streams():
    expected, actual = session(b"A\n" + COUNT, errors=b"X\n"), session(b"a\n", errors=b"x\n" + COUNT)
    assert find_cause(expected, actual) is None
    assert find_cause(expected, actual, Policy(letter_case="ignored")) == OtherStream((COUNT,), is_on_errors=True)


#: Expected and actual sessions in which the streams differ, but not because texts are on the wrong stream.
OTHER_STREAM_DIFFERENCES = {
    "it is on both": (session(errors=USAGE), session(USAGE, errors=USAGE)),
    "it is on both, and one is ignored": (session(complaint=USAGE), session(USAGE, complaint=USAGE)),
    "in other words": (session(errors=USAGE), session(USAGE.upper(), errors=b"")),
    "it is on neither": (session(COUNT, errors=b""), session(errors=b"")),
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


@pytest.mark.parametrize("name", OTHER_STREAM_DIFFERENCES)
def test_other_differences_are_not_blamed_on_the_wrong_stream(name):
    assert not isinstance(find_cause(*OTHER_STREAM_DIFFERENCES[name]), OtherStream)


#: An expected session that accepts any text on standard error, as long as there is some.
ANY_ERROR_EXPECTED = session(ASK, [b"x"], errors=b"wrong\n", accepts_any_errors=True)


def test_a_free_error_message_on_standard_output_is_named_as_the_cause():
    assert find_cause(ANY_ERROR_EXPECTED, session(ASK, [b"x"], b"No!\n", errors=b"")) == OtherStream(
        (b"No!\n",), is_on_errors=False
    )


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
def test_other_extra_output_is_not_taken_for_an_error_message(actual):
    assert not isinstance(find_cause(ANY_ERROR_EXPECTED, actual), OtherStream)


def session_and_moved_lines(screen, errors, indexes, *, to_errors):
    """The expected session, an actual session with lines of one stream moved to the other, and the moved lines.

    `screen` and `errors` are the lines expected on the two streams. `indexes` determine which lines are moved, and also
    before which lines of the other stream they are inserted.
    """
    source, target = (screen, errors) if to_errors else (errors, screen)
    source_indexes = sorted({index for index in indexes if index < len(source)})
    moved_lines = [source[index] for index in source_indexes]
    remaining_lines = [line for index, line in enumerate(source) if index not in source_indexes]
    target_indexes = sorted(index % (len(target) + 1) for index in indexes)
    target_lines = list(target)
    for index, line in zip(target_indexes, moved_lines, strict=False):
        inserted_count = len(target_lines) - len(target)
        target_lines.insert(index + inserted_count, line)
    on_screen, on_errors = (remaining_lines, target_lines) if to_errors else (target_lines, remaining_lines)
    expected = session(b"".join(screen), errors=b"".join(errors))
    return expected, session(b"".join(on_screen), errors=b"".join(on_errors)), moved_lines


LINE_INDEXES, SHOWN_LINE = st.lists(st.integers(0, 5), max_size=3), st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"])


@given(
    st.lists(SHOWN_LINE, unique=True), st.sampled_from([[], [b"x\n"], [b"x\n", b"y\n"]]), LINE_INDEXES, st.booleans()
)
def test_lines_moved_to_the_other_stream_are_found(screen, errors, indexes, to_errors):
    expected, actual, moved_lines = session_and_moved_lines(screen, errors, indexes, to_errors=to_errors)
    expected_cause = OtherStream(tuple(moved_lines), to_errors) if b"".join(moved_lines).strip() else None
    assert find_cause(expected, actual) == expected_cause


@given(st.lists(SHOWN_LINE, max_size=5), st.lists(SHOWN_LINE, max_size=5), LINE_INDEXES, st.booleans())
def test_repeated_lines_never_give_a_false_cause(screen, errors, indexes, to_errors):
    expected, actual, moved_lines = session_and_moved_lines(screen, errors, indexes, to_errors=to_errors)
    cause = find_cause(expected, actual)
    if cause is not None:
        assert cause.is_on_errors is to_errors
        assert sorted(cause.texts) == sorted(moved_lines)


#: A cause, and what the sentence on it says between "It prints" and "the standard ...".
STREAM_SENTENCES = {
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


@pytest.mark.parametrize("name", STREAM_SENTENCES)
def test_the_sentence_on_the_cause_names_texts_and_stream(name):
    cause, middle = STREAM_SENTENCES[name]
    endings = {
        True: "output (printf in C, std::cout in C++, System.out in Java, print in Python).",
        False: "error (fprintf(stderr, …) in C, std::cerr in C++, System.err in Java, print with file=sys.stderr in Python).",
    }
    assert sentence_on_cause(cause) == f"It prints {middle} the standard {endings[cause.is_on_errors]}"


@pytest.mark.parametrize("stderr", ["compared", "ignored"])
@pytest.mark.parametrize(("expected", "actual"), [("write", "write_error"), ("write_error", "write")])
def test_the_finding_on_a_program_names_the_wrong_stream(greet, stderr, expected, actual):
    reference = f"def main(console):\n    console.write('Hello\\n')\n    console.{expected}('Bye\\n')\n    return 3\n"
    streams = {"write": "sys.stdout", "write_error": "sys.stderr"}
    program = f"import sys\nprint('Hello')\nprint('Bye', file={streams[actual]})\nsys.exit(3)\n"
    spec = "program: greet\ncases:\n  - {name: bye, exit: 3, answers: []}\n"
    assignment = ASSIGNMENT.replace('"own:main"', f'"own:main", stderr: {stderr}')
    (result,) = greet.check_with(reference, assignment=assignment, spec=spec, program=program).stages[0].results
    assert result.finding.cause == OtherStream((b"Bye\n",), is_on_errors=actual == "write_error")
    assert summary_of(result) == sentence_on_cause(result.finding.cause)


def test_the_wrong_stream_is_also_named_after_a_wrong_exit_code(greet):
    reference = "def main(console):\n    console.write('Hello\\n')\n"
    program = "import sys\nprint('Hello', file=sys.stderr)\nsys.exit(4)\n"
    spec = "program: greet\ncases:\n  - {name: hello, answers: []}\n"
    assignment = ASSIGNMENT.replace('"own:main"', '"own:main", stderr: compared')
    (result,) = greet.check_with(reference, assignment=assignment, spec=spec, program=program).stages[0].results
    assert summary_of(result) == (
        "It ended with exit code 4 instead of 0: the exit code is the number that is passed "
        "to exit. Before that: it prints “Hello” to its standard error; it belongs on the standard "
        "output (printf in C, std::cout in C++, System.out in Java, print in Python)."
    )
