"""What is said to explain a difference is so in the whole session, and is never said where something else is wrong."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.apart import first_difference
from pitboss.compare.cause import cause_of
from pitboss.compare.findings import PassedOver
from pitboss.model.policy import EXACT, Policy
from pitboss.model.transcript import (
    Ending,
    EndingKind,
    InputEnded,
    Remark,
    Shown,
    Transcript,
    Typed,
    canonical,
    exited,
)
from pitboss.reports.findings import sentence_of, sentence_on_cause, summary_of


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
    assert cause(*OTHER_CAUSES[name]) is None


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
def test_whatever_a_program_shows_it_is_said_only_of_one_that_shows_nothing_for_each_empty_line(lines, shown):
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
