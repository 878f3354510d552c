import random
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitboss.compare.comparison import difference_between, located_difference
from pitboss.model.comparison_policy import Policy, Tolerance
from pitboss.model.equality import equality
from pitboss.model.line_rules import LineOutsideBlock, NumberOutOfTolerance, Unmatched, line_rule_violation
from pitboss.model.notation import events_in
from pitboss.model.transcript import Paused, Shown, Typed, canonical
from pitboss.reports.difference_sentences import sentence_of


def is_accepted(expected, actual, policy):
    return difference_between(events_in(expected), events_in(actual), policy) is None


def difference_sentence(expected, actual, policy):
    """The sentence that reports the difference of two sessions in notation; None if they are equal."""
    expected, actual = events_in(expected), events_in(actual)
    difference = difference_between(expected, actual, policy)
    return difference and sentence_of(located_difference(difference, expected, actual, policy))


def tolerance_policy(within="0", relative="0", lines=()):
    """Numbers may differ by `within` or by the share `relative`, in lines with one of these patterns, or in all."""
    return Policy(numbers=(Tolerance(Decimal(within), Decimal(relative), lines),))


# Numbers

decimals = st.decimals(-1000, 1000, places=3)


@given(decimals, decimals, st.decimals(0, 10, places=3))
def test_a_number_may_differ_by_up_to_its_tolerance(expected, deviation, within):
    output = f"Mean: {expected + deviation}.\n"
    assert is_accepted(f"Mean: {expected}.\n", output, tolerance_policy(str(within))) is (abs(deviation) <= within)


@given(decimals, decimals, st.decimals(0, 1, places=3))
def test_a_number_may_differ_by_up_to_its_relative_tolerance(expected, deviation, share):
    output = f"[{expected + deviation}]\n"
    assert is_accepted(f"[{expected}]\n", output, tolerance_policy("0", str(share))) is (
        abs(deviation) <= share * abs(expected)
    )


@pytest.mark.parametrize(
    ("expected", "shown", "is_correct"),
    [
        ("3.50", "3.5", True),
        ("3.50", "3.51", True),
        ("3.50", "3.511", False),
        ("100000", "1e5", True),
        ("-0.00", "0.00", True),
        (".5", "0.50", True),
        ("7-3", "7-3.01", True),
        ("x2", "x2.001", False),
        ("2x", "2.001x", False),
        ("1.2.3", "1.2.3001", False),
        ("3.5", "3.5.0", False),
        ("3.5", "3.5 0", False),
        ("3,50", "3,51", False),
        ("nan", "NaN", False),
        ("5", "five", False),
        ("1" * 500, "1" * 499 + "2", False),
        ("1" * 500, "1" * 500, True),
        ("1e999", "1.0e999", True),
        ("3.50 €", "3.51 €", True),
    ],
)
def test_a_tolerance_applies_only_to_whole_words_that_are_numbers(expected, shown, is_correct):
    assert is_accepted(f"a {expected} b\n", f"a {shown} b\n", tolerance_policy("0.01")) is is_correct


def test_the_text_around_numbers_is_compared_exactly():
    policy = tolerance_policy("0.01")
    assert difference_sentence("mean 3.50 of 4\n", "mean 3.51 of 5\n", policy) == (
        "Line 1 is “mean 3.51 of 5” where “mean 3.50 of 4” is expected."
    )
    assert (
        difference_sentence("mean 3.50\n", "Mean 3.50\n", policy)
        == "Line 1, “Mean 3.50”, has “Mean” where “mean” is expected."
    )
    assert not is_accepted("mean 3.50\\x20\n", "mean 3.51\n", policy)


def test_the_first_tolerance_whose_pattern_fits_a_line_applies():
    policy = Policy(numbers=(Tolerance(Decimal("0.1"), lines=("^Mean",)), Tolerance(Decimal(1), lines=("^M", "^Sum"))))
    assert is_accepted("Mean 1.0\nMedian 5\nSum 9\n", "Mean 1.1\nMedian 6\nSum 8\n", policy)
    assert not is_accepted("Mean 1.0\n", "Mean 1.2\n", policy)
    assert not is_accepted("Count 3\n", "Count 4\n", policy)


def test_tolerances_apply_around_pauses_and_before_typed_lines():
    policy = tolerance_policy("0.01")
    assert is_accepted("a 1.00<pause 1s> 2.00\nSum 3.00? <<x>>\n", "a 1.01<pause 1s> 1.99\nSum 3.01? <<x>>\n", policy)
    assert not is_accepted("a 1.00<pause 1s> 2.00\n", "a 1.00 2.00<pause 1s>\n", policy)


# Patterns


def test_a_line_that_matches_a_pattern_accepts_any_other_match():
    policy = Policy(matches=(r"^Today is \d{4}-\d\d-\d\d$", "^Hello "))
    assert is_accepted("Today is 2020-01-01\nHello Ada\n", "Today is 1999-12-31\nHello Zoe\n", policy)
    assert difference_sentence("Today is 2020-01-01\n", "Today is 5 May\n", policy) is not None
    assert not is_accepted("Today is 2020-01-01\n", "Hello Zoe\n", policy)
    assert not is_accepted("Hello Ada\n", "Hello Ada<no-eol>", policy)
    assert not is_accepted("Bye\n", "Hello Ada\n", policy)


# Any order

BLOCK = Policy(any_order=("^- ",))
block_lines = st.lists(st.sampled_from(["- a", "- b", "- c", "- d 1.0", "- d 1.5"]), max_size=6)


@settings(max_examples=400)
@given(block_lines, block_lines, st.booleans())
def test_the_lines_of_a_block_are_compared_as_a_multiset(expected, shown, has_tolerance):
    def text(lines):
        return "".join(f"{line}\n" for line in ("List:", *lines, "end"))

    def multiset(lines):
        return Counter(line.replace("1.5", "1.0") if has_tolerance else line for line in lines)

    policy = Policy(any_order=("^- ",), numbers=(Tolerance(Decimal(1)),) if has_tolerance else ())
    assert is_accepted(text(expected), text(shown), policy) is (multiset(expected) == multiset(shown))


@settings(max_examples=300)
@given(st.lists(st.decimals(0, 9, places=1), max_size=6), st.lists(st.decimals(0, 9, places=1), max_size=6))
@example([Decimal(1), Decimal(2)], [Decimal(2), Decimal(3)])
def test_a_block_is_accepted_if_its_lines_can_be_paired_in_any_order(expected, shown):
    """If the numbers can be paired within the tolerance at all, pairing them in sorted order succeeds too."""

    def text(numbers):
        return "".join(f"- {number}\n" for number in numbers)

    policy = Policy(any_order=("^- ",), numbers=(Tolerance(Decimal(1)),))
    shuffled = random.Random(0).sample(expected, len(expected))
    pairs = list(zip(sorted(expected), sorted(shown), strict=False))
    is_correct = len(expected) == len(shown) and all(abs(first - second) <= 1 for first, second in pairs)
    assert is_accepted(text(shuffled), text(shown), policy) is is_correct


def test_reports_on_a_block_quote_only_its_unpaired_lines():
    expected = "List:\n- a\n- b\n- c\nend\n"
    assert (
        difference_sentence(expected, "List:\n- c\n- x\n- a\nend\n", BLOCK)
        == "Line 3, “- x”, has “x” where “b” is expected."
    )
    assert (
        difference_sentence(expected, "List:\n- c\n- a\nend\n", BLOCK)
        == "The line “- b” is missing before “end” (line 4)."
    )
    assert (
        difference_sentence(expected, "List:\n- c\n- a\n- a\nend\n", BLOCK)
        == "Line 4, “- a”, has “a” where “b” is expected."
    )
    assert difference_sentence(expected, "- a\nList:\n- b\n- c\nend\n", BLOCK) == (
        "Lines 1 and 2 are swapped: “List:” should come before “- a”."
    )


def test_lines_with_input_or_a_pause_keep_their_positions():
    assert not is_accepted("- a? <<x>>\n- b\n- c\n", "- b\n- a? <<x>>\n- c\n", BLOCK)
    assert is_accepted("- a<pause 1s>\n- b\n- c\n", "- a<pause 1s>\n- c\n- b\n", BLOCK)


# Blanks are ignored

WORDS_ONLY = Policy(blanks="ignored")
pieces = st.sampled_from(
    [Shown(text) for text in (b"a", b"bc", b" ", b"\n", b" \t", b"\r\n", b"d e\n")] + [Typed(b"x"), Paused(1000)]
)


def words_of(events):
    """The words, typed lines and pauses of a session, in order.

    Before the words of each text comes a bool: whether the first word began before a pause.
    """
    items, is_inside_word = [], False
    for event in events:
        if isinstance(event, Shown):
            is_inside_word = is_inside_word and bool(event.text[:1].strip())
            items += [is_inside_word, *event.text.split()] if event.text.strip() else []
            is_inside_word = bool(event.text[-1:].strip())
        elif isinstance(event, Paused) and items and isinstance(items[-1], Paused):
            items[-1] = Paused(items[-1].duration_ms + event.duration_ms)
        else:
            items.append(event)
            is_inside_word = is_inside_word and isinstance(event, Paused)
    return items


@settings(max_examples=600)
@given(st.lists(pieces, max_size=9).map(canonical), st.lists(pieces, max_size=9).map(canonical))
@example((Shown(b"a"), Paused(1000), Shown(b"bc")), (Shown(b"a "), Paused(1000), Shown(b"bc")))
@example((Shown(b"a "), Paused(1000), Shown(b"bc")), (Shown(b"a"), Paused(1000), Shown(b"\nbc")))
def test_words_are_compared_and_blanks_between_them_are_not(expected, actual):
    is_same = words_of(expected) == words_of(actual)
    assert (difference_between(expected, actual, WORDS_ONLY) is None) is is_same


# Broken rules


@pytest.mark.parametrize(
    ("policy", "expected", "actual", "rule"),
    [
        (
            tolerance_policy("0.01"),
            "a 1 b 2.00",
            "a 1 b 2.02",
            NumberOutOfTolerance("2.00", "2.02", Tolerance(Decimal("0.01"))),
        ),
        (tolerance_policy("0.01"), "a 1 b 2.00", "a 1 c 2.02", None),
        (tolerance_policy("0.01", lines=("^x",)), "a 2.00", "a 2.02", None),
        (tolerance_policy("0.01"), "a 2.00", "a", None),
        (tolerance_policy("0.01"), "a 1.0", f"a 1.{'0' * 60_000}", None),
        (Policy(matches=("^a ",)), "a 1", "b 1", Unmatched("^a ")),
        (Policy(matches=("^a ",)), "c 1", "b 1", None),
        (BLOCK, "- a", "- x", LineOutsideBlock()),
        (BLOCK, "a", "- x", None),
        (Policy(), "1.0", "1.1", None),
    ],
)
def test_the_rule_that_a_line_breaks_is_returned(policy, expected, actual, rule):
    assert line_rule_violation(expected, actual, equality(policy)) == rule
