"""Whole lines: what is said to be missing, too many, swapped or another word is so in the whole session."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.compare.comparison import difference_between
from pitboss.compare.findings import Compared
from pitboss.compare.location import located_difference
from pitboss.compare.results import Result
from pitboss.compare.verdicts import Verdict
from pitboss.model.comparison_policy import Policy
from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, canonical
from pitboss.reports.finding_sentences import sentence_of, summary_of
from pitboss.sandbox.limits import Limits

HEAD = " Player Dealer\n"
FIRST, SECOND = f"{HEAD}|  8♣  |  9♠  |\n|  7♦  |  **  |\n", f"{HEAD}|  8♣  |  9♠  |\n|  7♦  | 10♦  |\n"
ASKED = (Shown(b"Hit? "), Typed(b"h"))


def shown(*texts):
    return canonical(Shown(text.encode()) for text in texts)


LINES = {
    "a line too early": (
        shown("a\n", "b\n", "c\n", "d\n", "e\n"),
        shown("a\n", "d\n", "b\n", "c\n", "e\n"),
        "The line “d” (line 2) comes too early: it belongs after “c”.",
    ),
    "a line too early before a question": (
        (*shown("a\n", "b\n", "c\n", "d\n"), *ASKED, *shown("e\n")),
        (*shown("a\n", "d\n", "b\n", "c\n"), *ASKED, *shown("e\n")),
        "The line “d” (line 2) comes too early: it belongs after “c”.",
    ),
    "a line too late": (
        shown("a\n", "b\n", "c\n", "d\n", "e\n"),
        shown("a\n", "c\n", "d\n", "b\n", "e\n"),
        "The line “b” (line 4) comes too late: it belongs before “c”.",
    ),
    "all lines in another order": (
        shown("Seed: 1\n", "10♠\n", " Q♦\n", " 2♣\n", " 3♥\n", " 4♥\n"),
        shown("Seed: 1\n", " Q♦\n", " 4♥\n", " 3♥\n", " 2♣\n", "10♠\n"),
        "All lines from line 2 on are there, in another order: line 2 is “ Q♦” where “10♠” is expected.",
    ),
    "a line missing": (
        shown("a\n", "Dealer stands.\n", "Dealer wins.\n", "Bye.\n"),
        shown("a\n", "Dealer wins.\n", "Bye.\n"),
        "The line “Dealer stands.” is missing before “Dealer wins.” (line 2).",
    ),
    "a line missing before a question": (
        (*shown("a\n", "Your turn.\n"), *ASKED, *shown("b\n")),
        (*shown("a\n"), *ASKED, *shown("b\n")),
        "The line “Your turn.” is missing before “Hit? ” (line 2).",
    ),
    "a line missing with the pause before it": (
        (*shown("a\n"), Paused(2000), *shown("Dealer hits.\n", "b\n", "c\n")),
        shown("a\n", "b\n", "c\n"),
        "The line “Dealer hits.” is missing before “b” (line 2), with the pause of 2 s before it.",
    ),
    "the last line missing": (shown("a\n", "b\n"), shown("a\n"), "The last line, “b”, is missing."),
    "several lines missing": (
        shown("a\n", "b\n", "\n", "c\n", "d\n", "e\n"),
        shown("a\n", "d\n", "e\n"),
        "3 lines are missing before “d” (line 2), from “b” to “c”.",
    ),
    "a table missing": (
        shown("Hit.\n", "\n", FIRST, "\n", SECOND, "Dealer stands.\n", "Push.\n"),
        shown("Hit.\n", "\n", FIRST, "Dealer stands.\n", "Push.\n"),
        "A table of 3 lines is missing before “Dealer stands.” (line 6): it begins with “ Player Dealer”.",
    ),
    "a table missing of two that begin alike": (
        shown("\n", FIRST, "\n", SECOND, "Dealer stands.\n", "Push.\n"),
        shown("\n", SECOND, "Dealer stands.\n", "Push.\n"),
        "A table of 3 lines is missing before “ Player Dealer” (line 2): it begins with “ Player Dealer”.",
    ),
    "a row missing": (
        shown("\n", FIRST, "Dealer stands.\n", "Push.\n"),
        shown("\n", f"{HEAD}|  8♣  |  9♠  |\n", "Dealer stands.\n", "Push.\n"),
        "The line “|  7♦  |  **  |” is missing before “Dealer stands.” (line 4).",
    ),
    "an empty line missing": (
        shown("a\n", "\n", "b\n", "c\n"),
        shown("a\n", "b\n", "c\n"),
        "An empty line is missing before “b” (line 2).",
    ),
    "two empty lines missing": (
        shown("a\n", "\n", "\n", "b\n", "c\n"),
        shown("a\n", "b\n", "c\n"),
        "2 empty lines are missing before “b” (line 2).",
    ),
    "a line too many": (
        shown("a\n", "b\n", "c\n"),
        shown("a\n", "Hello!\n", "b\n", "c\n"),
        "There is a line too many: “Hello!” (line 2).",
    ),
    "an empty line too many": (
        shown("a\n", "b\n", "c\n"),
        shown("a\n", "\n", "b\n", "c\n"),
        "There is an empty line too many before “b” (line 3).",
    ),
    "lines too many": (
        shown("a\n", "b\n", "c\n"),
        shown("a\n", "Hello!\n", "\n", "It is Monday.\n", "b\n", "c\n"),
        "There are 3 lines too many (lines 2 to 4), from “Hello!” to “It is Monday.”.",
    ),
    "a table too many": (
        shown("Hit.\n", "Dealer stands.\n", "Push.\n"),
        shown("Hit.\n", "\n", FIRST, "Dealer stands.\n", "Push.\n"),
        "There is a table too many (lines 3 to 5): it begins with “ Player Dealer”.",
    ),
    "two lines swapped": (
        shown("a\n", "Money: 90\n", "Dealer wins.\n", "b\n"),
        shown("a\n", "Dealer wins.\n", "Money: 90\n", "b\n"),
        "Lines 2 and 3 are swapped: “Money: 90” should come before “Dealer wins.”.",
    ),
    "two lines swapped across an empty one": (
        shown("a\n", "Money: 90\n", "\n", "Dealer wins.\n", "b\n"),
        shown("a\n", "Dealer wins.\n", "\n", "Money: 90\n", "b\n"),
        "Lines 2 and 4 are swapped: “Money: 90” should come before “Dealer wins.”.",
    ),
    "a word for another": (
        shown("Player's total: 15\n"),
        shown("Player's total: 14\n"),
        "Line 1, “Player's total: 14”, has “14” where “15” is expected.",
    ),
    "a word for a longer one in its column": (
        shown("| 10♣  |  9♠  |\n"),
        shown("|  8♣  |  9♠  |\n"),
        "Line 1, “|  8♣  |  9♠  |”, has “8♣” where “10♣” is expected.",
    ),
    "a word in a prompt": (
        ASKED,
        (Shown(b"Hit? "), Typed(b"s")),
        "It reads the line “s” after “Hit? ” (line 1), where it should have read the line “h”.",
    ),
    "two words for others": (
        shown("Dealer has 15\n"),
        shown("Player has 14\n"),
        "Line 1 is “Player has 14” where “Dealer has 15” is expected.",
    ),
    "one word alone": (shown("15\n"), shown("14\n"), "Line 1 is “14” where “15” is expected."),
    "a word and its spaces": (
        shown("a  b c\n"),
        shown("a x c\n"),
        "Line 1 is “a x c” where “a  b c” is expected.",
    ),
    "no agreement after what could be missing": (
        shown("a\n", "b\n", "c\n", "d\n"),
        shown("a\n", "c\n", "x\n", "y\n"),
        "Line 2 is “c” where “b” is expected.",
    ),
    "a line missing, and another mistake two lines on": (
        shown("a\n", "b\n", "c\n", "\n", "d\n", "e\n"),
        shown("a\n", "c\n", "\n", "d\n", "x\n"),
        "The line “b” is missing before “c” (line 2).",
    ),
    "agreement in one line and an empty one after what could be missing": (
        shown("a\n", "b\n", "c\n", "\n", "d\n"),
        shown("a\n", "c\n", "\n", "x\n"),
        "Line 2 is “c” where “b” is expected.",
    ),
    "one line for another": (
        shown("a\n", "Dealer wins.\n", "b\n", "c\n"),
        shown("a\n", "Nobody.\n", "b\n", "c\n"),
        "Line 2 is “Nobody.” where “Dealer wins.” is expected.",
    ),
    "a question that does not come": (
        (*shown("a\n"), *ASKED, *ASKED, *shown("b\n", "c\n")),
        (*shown("a\n"), *ASKED, *shown("b\n", "c\n")),
        "Line 3 is “b” where “Hit? ” is expected.",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_what_is_wrong_with_whole_lines_comes_first(name):
    expected, actual, sentence = LINES[name]
    difference = difference_between(canonical(expected), canonical(actual))
    assert difference is not None
    assert sentence_of(difference) == sentence


def test_where_little_counts_what_counts_is_reported():
    policy = Policy(blank_lines="ignored", trailing_blanks="ignored")
    expected, actual = shown("a\n", "\n", "b\n", "c\n", "d\n"), shown("a\n", "\n", "\n", "c  \n", "d\n")
    difference = difference_between(expected, actual, policy)
    assert difference is not None
    # Not located in the original sessions, lines are those that were compared.
    assert sentence_of(difference) == "The line “b” is missing before “c” (line 2)."


def test_what_hardly_matters_is_reported_in_front():
    expected, actual = shown("a\n", "\n", "b\n", "c\n"), shown("a\n", "b\n", "c\n")
    output = summary_of(
        Result(
            "play",
            "one",
            Verdict.WRONG_ANSWER,
            Transcript(expected),
            Transcript(actual),
            difference_between(expected, actual),
            Compared(Limits()),
        )
    )
    assert output == "Only empty lines differ: an empty line is missing before “b” (line 2)."


# Whatever was changed, what is said of it is so.

TEXTS = ["a", "b", "Dealer hits.", "Dealer stands.", " Player Dealer", "|  8♣  |  9♠  |", "|  7♦  |", "", "", "Push."]
screens = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=16)


def session(lines, typed_after):
    """Lines as a session, with a question that is answered after the one with this number."""
    return canonical(
        event
        for number, line in enumerate(lines)
        for event in (Shown(f"{line}\n".encode()), *(ASKED if number == typed_after else ()))
    )


@st.composite
def changed(draw):
    """Two screens: the second is the first after some changes."""
    first = draw(screens)
    second = list(first)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(second)))
        match draw(st.sampled_from(["left out", "put in", "swapped", "other"])):
            case "left out":
                del second[place : place + draw(st.integers(1, 4))]
            case "put in":
                second[place:place] = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4))
            case "swapped" if second:
                one, other = draw(st.integers(0, len(second) - 1)), draw(st.integers(0, len(second) - 1))
                second[one], second[other] = second[other], second[one]
            case _:
                second[place : place + 1] = [draw(st.sampled_from([*TEXTS, "x y"]))]
    return first, second


def agree(expected, actual):
    """Whether two lists of lines agree to their ends, or in two lines with text."""
    shared = 0
    for one, other in zip(expected, actual, strict=False):
        if one != other:
            break
        shared += bool(one.strip())
    else:
        return shared >= 2 or len(expected) == len(actual)
    return shared >= 2


def lines_of(events):
    screen = b"".join(event.text if isinstance(event, Shown) else b"%s\n" % event.line for event in events).decode()
    return screen.removesuffix("\n").split("\n") if screen else []


def is_so(sentence, expected, actual):
    """Whether what a sentence claims of whole lines is so; None if it claims nothing of them."""
    pairs = enumerate(zip(expected, actual, strict=False))
    place = next((place for place, (one, other) in pairs if one != other), min(len(expected), len(actual)))
    if found := re.search(r"^Lines (\d+) and (\d+) are swapped", sentence):
        one, other = (int(number) - 1 for number in found.groups())
        mended = list(actual)
        mended[one], mended[other] = mended[other], mended[one]
        return mended[: other + 1] == expected[: other + 1] and actual[one] != actual[other]
    if re.search(r"missing (?:before|at the end)|^The last line, .* is missing", sentence):
        output = re.search(
            r"“(.*?)” is missing before|^The last line, “(.*?)”|from “(.*?)” to|begins with “(.*?)”", sentence
        )
        first = next(filter(None, output.groups())) if output else None
        return any(
            agree(expected[end:], actual[start:]) and next(filter(str.strip, expected[start:end]), None) == first
            for start in range(place + 1)
            for end in range(start + 1, len(expected) + 1)
        )
    if "too many" in sentence and "where it should have ended" not in sentence and "at the end" not in sentence:
        return any(
            agree(expected[start:], actual[end:])
            for start in range(place + 1)
            for end in range(start + 1, len(actual) + 1)
        )
    if found := re.search(r"^Line (\d+), .*, has “(.*?)” where “(.*?)” is expected", sentence):
        number, wrong, right = int(found[1]) - 1, found[2], found[3]
        words = actual[number].split()
        return [right if word == wrong else word for word in words] == expected[number].split() or any(
            [*words[:index], right, *words[index + 1 :]] == expected[number].split() for index in range(len(words))
        )
    return None


@settings(max_examples=600)
@given(changed(), st.integers(-1, 10))
def test_each_claim_about_whole_lines_is_so(pair, typed_after):
    first, second = pair
    expected, actual = session(first, typed_after), session(second, typed_after)
    difference = difference_between(expected, actual)
    if difference is None:
        return
    sentence = sentence_of(difference)
    assert is_so(sentence, lines_of(expected), lines_of(actual)) in (True, None), sentence


UNIQUE = [f"line {number}, which is unlike others" for number in range(9)]


@given(st.integers(0, 8), st.sampled_from(["left out", "put in", "other"]))
def test_one_change_is_reported_by_its_name(place, change):
    lines = list(UNIQUE)
    if change == "left out":
        del lines[place]
    else:
        lines[place : place + (change == "other")] = ["Hello"]
    sentence = sentence_of(difference_between(session(UNIQUE, -1), session(lines, -1)))
    last = UNIQUE[place]
    assert (
        sentence
        == {
            "left out": f"The line “{last}” is missing before “{UNIQUE[min(place + 1, 8)]}” (line {place + 1})."
            if place < 8
            else f"The last line, “{last}”, is missing.",
            "put in": f"There is a line too many: “Hello” (line {place + 1}).",
            "other": f"Line {place + 1} is “Hello” where “{last}” is expected.",
        }[change]
    )


def test_what_was_typed_or_asked_for_is_never_said_to_be_missing():
    expected = (*ASKED, *ASKED, *shown("a\n", "b\n", "c\n"), InputEnded())
    actual = (*ASKED, *shown("a\n", "b\n", "c\n"), InputEnded())
    assert sentence_of(difference_between(expected, actual)) == "Line 2 is “a” where “Hit? ” is expected."


@settings(max_examples=300)
@given(
    changed(),
    st.integers(-1, 10),
    st.builds(
        Policy,
        pauses=st.sampled_from(["exact", "ignored"]),
        trailing_blanks=st.sampled_from(["exact", "ignored"]),
        blank_lines=st.sampled_from(["exact", "ignored"]),
        letter_case=st.sampled_from(["exact", "ignored"]),
        begins=st.sampled_from(["", "^Dealer", "^ Player", "a"]),
        not_judged=st.sampled_from([(), ("^Push",), (r"\|",)]),
        free_lines=st.sampled_from([(), ("^Dealer",)]),
    ),
)
def test_no_policy_makes_a_sentence_fail(pair, typed_after, policy):
    """A policy leaves out lines that the screen still has."""
    expected, actual = (session(lines, typed_after) for lines in pair)
    difference = difference_between(expected, actual, policy)
    if difference is not None:
        assert sentence_of(located_difference(difference, expected, actual, policy)).endswith(".")


def test_a_last_line_that_is_not_judged_does_not_hide_the_one_that_is_missing():
    policy = Policy(not_judged=("^Push",))
    expected, actual = shown("a\n", "b\n"), shown("a\n", "Push.")
    difference = difference_between(expected, actual, policy)
    assert difference is not None
    assert sentence_of(located_difference(difference, expected, actual, policy)) == (
        "It ended too early, after “Push.” (line 2): “b” is expected next."
    )


def test_of_a_deck_in_another_order_some_cards_agree_by_chance_and_none_are_too_many():
    """After five cards two follow as expected, and part again: that is no sign of five too many."""
    expected = shown("Seed: 1\n", *(f"{card}\n" for card in "abcdefghij"))
    actual = shown("Seed: 1\n", *(f"{card}\n" for card in "vwxyzabuts"))
    assert sentence_of(difference_between(expected, actual)) == "Line 2 is “v” where “a” is expected."


@settings(max_examples=200)
@given(st.permutations("abcdef"), st.permutations("abcdef"))
def test_a_line_that_is_said_to_belong_elsewhere_does(right, wrong):
    expected, actual = shown(*(f"{one}\n" for one in right)), shown(*(f"{one}\n" for one in wrong))
    difference = difference_between(expected, actual)
    sentence = sentence_of(difference) if difference else ""
    if found := re.fullmatch(r"The line “(.)” \(line (.)\) comes too \w+: it belongs (after|before) “(.)”\.", sentence):
        moved, line, side, neighbour = found.groups()
        assert wrong[int(line) - 1] == moved
        mended = [one for one in wrong if one != moved]
        mended.insert(mended.index(neighbour) + (side == "after"), moved)
        assert mended == list(right)
    assert "missing" not in sentence
    assert "too many" not in sentence
