import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.compare.comparison import difference_between, located_difference
from pitboss.compare.findings import Compared
from pitboss.compare.results import Result, Verdict
from pitboss.model.comparison_policy import Policy
from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, canonical
from pitboss.reports.difference_sentences import sentence_of
from pitboss.reports.finding_sentences import summary_of
from pitboss.sandbox.limits import Limits

HEAD = " Player Dealer\n"
FIRST_TABLE, SECOND_TABLE = f"{HEAD}|  8♣  |  9♠  |\n|  7♦  |  **  |\n", f"{HEAD}|  8♣  |  9♠  |\n|  7♦  | 10♦  |\n"
QUESTION = (Shown(b"Hit? "), Typed(b"h"))


def shown_texts(*texts):
    return canonical(Shown(text.encode()) for text in texts)


#: The expected and the actual events, and the sentence on their difference.
LINES = {
    "a line in another place": (
        shown_texts("a\n", "b\n", "c\n", "d\n", "e\n"),
        shown_texts("a\n", "d\n", "b\n", "c\n", "e\n"),
        "All lines from line 2 on are there, in another order: line 2 is “d” where “b” is expected.",
    ),
    "all lines in another order": (
        shown_texts("Seed: 1\n", "10♠\n", " Q♦\n", " 2♣\n", " 3♥\n", " 4♥\n"),
        shown_texts("Seed: 1\n", " Q♦\n", " 4♥\n", " 3♥\n", " 2♣\n", "10♠\n"),
        "All lines from line 2 on are there, in another order: line 2 is “ Q♦” where “10♠” is expected.",
    ),
    "a line missing": (
        shown_texts("a\n", "Dealer stands.\n", "Dealer wins.\n", "Bye.\n"),
        shown_texts("a\n", "Dealer wins.\n", "Bye.\n"),
        "The line “Dealer stands.” is missing before “Dealer wins.” (line 2).",
    ),
    "a line missing before a question": (
        (*shown_texts("a\n", "Your turn.\n"), *QUESTION, *shown_texts("b\n")),
        (*shown_texts("a\n"), *QUESTION, *shown_texts("b\n")),
        "The line “Your turn.” is missing before “Hit? ” (line 2).",
    ),
    "a line missing with the pause before it": (
        (*shown_texts("a\n"), Paused(2000), *shown_texts("Dealer hits.\n", "b\n", "c\n")),
        shown_texts("a\n", "b\n", "c\n"),
        "The line “Dealer hits.” is missing before “b” (line 2), with the pause of 2 s before it.",
    ),
    "the last line missing": (shown_texts("a\n", "b\n"), shown_texts("a\n"), "The last line, “b”, is missing."),
    "several lines missing": (
        shown_texts("a\n", "b\n", "\n", "c\n", "d\n", "e\n"),
        shown_texts("a\n", "d\n", "e\n"),
        "3 lines are missing before “d” (line 2), from “b” to “c”.",
    ),
    "a table missing": (
        shown_texts("Hit.\n", "\n", FIRST_TABLE, "\n", SECOND_TABLE, "Dealer stands.\n", "Push.\n"),
        shown_texts("Hit.\n", "\n", FIRST_TABLE, "Dealer stands.\n", "Push.\n"),
        "3 lines are missing before “Dealer stands.” (line 6), from “ Player Dealer” to “|  7♦  | 10♦  |”.",
    ),
    "a row missing": (
        shown_texts("\n", FIRST_TABLE, "Dealer stands.\n", "Push.\n"),
        shown_texts("\n", f"{HEAD}|  8♣  |  9♠  |\n", "Dealer stands.\n", "Push.\n"),
        "The line “|  7♦  |  **  |” is missing before “Dealer stands.” (line 4).",
    ),
    "an empty line missing": (
        shown_texts("a\n", "\n", "b\n", "c\n"),
        shown_texts("a\n", "b\n", "c\n"),
        "An empty line is missing before “b” (line 2).",
    ),
    "two empty lines missing": (
        shown_texts("a\n", "\n", "\n", "b\n", "c\n"),
        shown_texts("a\n", "b\n", "c\n"),
        "2 empty lines are missing before “b” (line 2).",
    ),
    "a line too many": (
        shown_texts("a\n", "b\n", "c\n"),
        shown_texts("a\n", "Hello!\n", "b\n", "c\n"),
        "There is a line too many: “Hello!” (line 2).",
    ),
    "an empty line too many": (
        shown_texts("a\n", "b\n", "c\n"),
        shown_texts("a\n", "\n", "b\n", "c\n"),
        "There is an empty line too many before “b” (line 3).",
    ),
    "lines too many": (
        shown_texts("a\n", "b\n", "c\n"),
        shown_texts("a\n", "Hello!\n", "\n", "It is Monday.\n", "b\n", "c\n"),
        "There are 3 lines too many (lines 2 to 4), from “Hello!” to “It is Monday.”.",
    ),
    "two lines swapped": (
        shown_texts("a\n", "Money: 90\n", "Dealer wins.\n", "b\n"),
        shown_texts("a\n", "Dealer wins.\n", "Money: 90\n", "b\n"),
        "Lines 2 and 3 are swapped: “Money: 90” should come before “Dealer wins.”.",
    ),
    "a word for another": (
        shown_texts("Player's total: 15\n"),
        shown_texts("Player's total: 14\n"),
        "Line 1, “Player's total: 14”, has “14” where “15” is expected.",
    ),
    "a word for a longer one in its column": (
        shown_texts("| 10♣  |  9♠  |\n"),
        shown_texts("|  8♣  |  9♠  |\n"),
        "Line 1, “|  8♣  |  9♠  |”, has “8♣” where “10♣” is expected.",
    ),
    "a line typed after the same prompt": (
        QUESTION,
        (Shown(b"Hit? "), Typed(b"s")),
        "It reads the line “s” after “Hit? ” (line 1), where it should have read the line “h”.",
    ),
    "two words for others": (
        shown_texts("Dealer has 15\n"),
        shown_texts("Player has 14\n"),
        "Line 1 is “Player has 14” where “Dealer has 15” is expected.",
    ),
    "one word alone": (shown_texts("15\n"), shown_texts("14\n"), "Line 1 is “14” where “15” is expected."),
    "a word and its spaces": (
        shown_texts("a  b c\n"),
        shown_texts("a x c\n"),
        "Line 1 is “a x c” where “a  b c” is expected.",
    ),
    # Two equal lines with text are needed to say that lines before them are missing.
    "only one equal line after what could be missing": (
        shown_texts("a\n", "b\n", "c\n", "d\n"),
        shown_texts("a\n", "c\n", "x\n", "y\n"),
        "Line 2 is “c” where “b” is expected.",
    ),
    "a line missing, and another mistake after two equal lines with text": (
        shown_texts("a\n", "b\n", "c\n", "\n", "d\n", "e\n"),
        shown_texts("a\n", "c\n", "\n", "d\n", "x\n"),
        "The line “b” is missing before “c” (line 2).",
    ),
    "only one equal line with text after what could be missing": (
        shown_texts("a\n", "b\n", "c\n", "\n", "d\n"),
        shown_texts("a\n", "c\n", "\n", "x\n"),
        "Line 2 is “c” where “b” is expected.",
    ),
    "one line for another": (
        shown_texts("a\n", "Dealer wins.\n", "b\n", "c\n"),
        shown_texts("a\n", "Nobody.\n", "b\n", "c\n"),
        "Line 2 is “Nobody.” where “Dealer wins.” is expected.",
    ),
    "a question that does not come": (
        (*shown_texts("a\n"), *QUESTION, *QUESTION, *shown_texts("b\n", "c\n")),
        (*shown_texts("a\n"), *QUESTION, *shown_texts("b\n", "c\n")),
        "Line 3 is “b” where “Hit? ” is expected.",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_difference_in_whole_lines_is_reported_as_such(name):
    expected, actual, sentence = LINES[name]
    difference = difference_between(canonical(expected), canonical(actual))
    assert difference is not None
    assert sentence_of(difference) == sentence


def test_a_difference_that_the_policy_ignores_is_not_reported():
    policy = Policy(blank_lines="ignored", trailing_blanks="ignored")
    expected, actual = shown_texts("a\n", "\n", "b\n", "c\n", "d\n"), shown_texts("a\n", "\n", "\n", "c  \n", "d\n")
    difference = difference_between(expected, actual, policy)
    assert difference is not None
    # Without located_difference, the line number counts only the compared lines.
    assert sentence_of(difference) == "The line “b” is missing before “c” (line 2)."


def test_the_sentence_begins_with_how_little_differs():
    expected, actual = shown_texts("a\n", "\n", "b\n", "c\n"), shown_texts("a\n", "b\n", "c\n")
    summary = summary_of(
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
    assert summary == "Only empty lines differ: an empty line is missing before “b” (line 2)."


#: Lines for random screens, among them empty ones and rows of a table.
TEXTS = ["a", "b", "Dealer hits.", "Dealer stands.", " Player Dealer", "|  8♣  |  9♠  |", "|  7♦  |", "", "", "Push."]
screens = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=16)


def session_events(lines, question_after):
    """A session that shows these lines, and a question with its answer after the line with this index, if any."""
    return canonical(
        event
        for index, line in enumerate(lines)
        for event in (Shown(f"{line}\n".encode()), *(QUESTION if index == question_after else ()))
    )


@st.composite
def changed_screens(draw):
    """Two screens as lists of lines: the second is the first after one or two random changes."""
    first = draw(screens)
    second = list(first)
    for _ in range(draw(st.integers(1, 2))):
        index = draw(st.integers(0, len(second)))
        match draw(st.sampled_from(["left out", "put in", "swapped", "other"])):
            case "left out":
                del second[index : index + draw(st.integers(1, 4))]
            case "put in":
                second[index:index] = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4))
            case "swapped" if second:
                i, j = draw(st.integers(0, len(second) - 1)), draw(st.integers(0, len(second) - 1))
                second[i], second[j] = second[j], second[i]
            case _:
                second[index : index + 1] = [draw(st.sampled_from([*TEXTS, "x y"]))]
    return first, second


def agree(expected, actual):
    """Whether two lists of lines are equal, or have two equal lines with text before their first difference."""
    shared = 0
    for expected_line, actual_line in zip(expected, actual, strict=False):
        if expected_line != actual_line:
            break
        shared += bool(expected_line.strip())
    else:
        return shared >= 2 or len(expected) == len(actual)
    return shared >= 2


def screen_lines(events):
    screen = b"".join(event.text if isinstance(event, Shown) else b"%s\n" % event.line for event in events).decode()
    return screen.removesuffix("\n").split("\n") if screen else []


def is_claim_true(sentence, expected, actual):
    """Whether a sentence's claim about whole lines is true; None if the sentence makes no such claim."""
    pairs = enumerate(zip(expected, actual, strict=False))
    first_difference = next(
        (index for index, (expected_line, actual_line) in pairs if expected_line != actual_line),
        min(len(expected), len(actual)),
    )
    if claim := re.search(r"^Lines (\d+) and (\d+) are swapped", sentence):
        # Swapping the two lines back must give the expected lines, up to the second of them.
        first_index, second_index = (int(number) - 1 for number in claim.groups())
        repaired = list(actual)
        repaired[first_index], repaired[second_index] = repaired[second_index], repaired[first_index]
        return (
            repaired[: second_index + 1] == expected[: second_index + 1] and actual[first_index] != actual[second_index]
        )
    if re.search(r"missing (?:before|at the end)|^The last line, .* is missing", sentence):
        quotation = re.search(r"“(.*?)” is missing before|^The last line, “(.*?)”|from “(.*?)” to", sentence)
        first_missing = next(filter(None, quotation.groups())) if quotation else None
        # A stretch of expected lines must exist such that the expected lines after it agree with the actual lines from
        # where it is missing; and the quoted line must be the first line with text in the stretch.
        return any(
            agree(expected[end:], actual[start:])
            and next(filter(str.strip, expected[start:end]), None) == first_missing
            for start in range(first_difference + 1)
            for end in range(start + 1, len(expected) + 1)
        )
    if "too many" in sentence and "where it should have ended" not in sentence and "at the end" not in sentence:
        # Without some of the actual lines, the rest must agree.
        return any(
            agree(expected[start:], actual[end:])
            for start in range(first_difference + 1)
            for end in range(start + 1, len(actual) + 1)
        )
    if claim := re.search(r"^Line (\d+), .*, has “(.*?)” where “(.*?)” is expected", sentence):
        # Replacing the actual word by the expected one, wherever it occurs or once, must give the expected line.
        line_index, actual_word, expected_word = int(claim[1]) - 1, claim[2], claim[3]
        words, expected_words = actual[line_index].split(), expected[line_index].split()
        all_replaced = [expected_word if word == actual_word else word for word in words]
        return all_replaced == expected_words or any(
            [*words[:index], expected_word, *words[index + 1 :]] == expected_words for index in range(len(words))
        )
    return None


@settings(max_examples=600)
@given(changed_screens(), st.integers(-1, 10))
def test_each_claim_about_whole_lines_is_true(screen_pair, question_after):
    first, second = screen_pair
    expected, actual = session_events(first, question_after), session_events(second, question_after)
    difference = difference_between(expected, actual)
    if difference is None:
        return
    sentence = sentence_of(difference)
    assert is_claim_true(sentence, screen_lines(expected), screen_lines(actual)) is not False, sentence


#: Lines of which no two are equal.
UNIQUE = [f"line {number}, which is unlike others" for number in range(9)]


@given(st.integers(0, 8), st.sampled_from(["left out", "put in", "other"]))
def test_a_single_changed_line_is_reported_as_such(index, change):
    lines, line, number = list(UNIQUE), UNIQUE[index], index + 1
    match change:
        case "put in":
            lines.insert(index, "Hello")
            expected_sentence = f"There is a line too many: “Hello” (line {number})."
        case "other":
            lines[index] = "Hello"
            expected_sentence = f"Line {number} is “Hello” where “{line}” is expected."
        case _:
            del lines[index]
            expected_sentence = (
                f"The last line, “{line}”, is missing."
                if line == UNIQUE[-1]
                else f"The line “{line}” is missing before “{UNIQUE[index + 1]}” (line {number})."
            )
    assert sentence_of(difference_between(session_events(UNIQUE, -1), session_events(lines, -1))) == expected_sentence


def test_prompts_and_typed_lines_are_never_reported_as_missing_lines():
    expected = (*QUESTION, *QUESTION, *shown_texts("a\n", "b\n", "c\n"), InputEnded())
    actual = (*QUESTION, *shown_texts("a\n", "b\n", "c\n"), InputEnded())
    assert sentence_of(difference_between(expected, actual)) == "Line 2 is “a” where “Hit? ” is expected."


@settings(max_examples=300)
@given(
    changed_screens(),
    st.integers(-1, 10),
    st.builds(
        Policy,
        pauses=st.sampled_from(["exact", "ignored"]),
        trailing_blanks=st.sampled_from(["exact", "ignored"]),
        blank_lines=st.sampled_from(["exact", "ignored"]),
        letter_case=st.sampled_from(["exact", "ignored"]),
        begins=st.sampled_from(["", "^Dealer", "^ Player", "a"]),  # the line at which judging begins
        not_judged=st.sampled_from([(), ("^Push",), (r"\|",)]),
        free_lines=st.sampled_from([(), ("^Dealer",)]),
    ),
)
def test_a_sentence_can_be_formed_under_any_policy(screen_pair, question_after, policy):
    """A policy can ignore lines that are nevertheless on the screen."""
    expected, actual = (session_events(lines, question_after) for lines in screen_pair)
    difference = difference_between(expected, actual, policy)
    if difference is not None:
        assert sentence_of(located_difference(difference, expected, actual, policy)).endswith(".")


def test_an_unjudged_last_line_does_not_hide_a_missing_line():
    policy = Policy(not_judged=("^Push",))
    expected, actual = shown_texts("a\n", "b\n"), shown_texts("a\n", "Push.")
    difference = difference_between(expected, actual, policy)
    assert difference is not None
    assert sentence_of(located_difference(difference, expected, actual, policy)) == (
        "It ended too early, after “Push.” (line 2): “b” is expected next."
    )


def test_a_differently_shuffled_deck_has_no_lines_too_many():
    """After five other cards, two agree by chance: this must not be reported as five lines too many."""
    expected = shown_texts("Seed: 1\n", *(f"{card}\n" for card in "abcdefghij"))
    actual = shown_texts("Seed: 1\n", *(f"{card}\n" for card in "vwxyzabuts"))
    assert sentence_of(difference_between(expected, actual)) == "Line 2 is “v” where “a” is expected."


@settings(max_examples=200)
@given(st.permutations("abcdef"), st.permutations("abcdef"))
def test_lines_in_another_order_are_neither_missing_nor_too_many(expected_order, actual_order):
    expected, actual = (shown_texts(*(f"{letter}\n" for letter in order)) for order in (expected_order, actual_order))
    difference = difference_between(expected, actual)
    if difference is not None:
        assert re.search(r"are swapped|in another order", sentence_of(difference))
