from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.console import InputEnded
from reference.words import BLANKS, Words, integer_in, scanned_int
from tests.reference.consoles import ScriptedConsole

BINARY_LINES = st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b"").decode("utf-8", "surrogateescape"))


def read_all_words(*lines: str) -> list[str]:
    source, words = Words(ScriptedConsole(lines)), []
    with suppress(InputEnded):
        while True:
            words.append(source.ask(""))
    return words


def test_a_line_is_split_into_words_at_blanks() -> None:
    assert read_all_words("1 h  h\ts", "", "   ", "\vs\f\r") == ["1", "h", "h", "s", "s"]


def test_only_the_blanks_of_c_separate_words() -> None:
    assert sorted(BLANKS) == ["\t", "\n", "\v", "\f", "\r", " "]
    assert read_all_words("a\u00a0b\u2003c\x1cd\x85e") == ["a\u00a0b\u2003c\x1cd\x85e"]


def test_a_line_is_read_only_when_a_word_is_needed() -> None:
    console = ScriptedConsole(["1 2", "3"])
    words = Words(console)
    assert [words.ask("") for _ in range(2)] == ["1", "2"]
    assert console.reads == 1


def test_a_prompt_is_printed_even_if_its_answer_was_already_read() -> None:
    console = ScriptedConsole(["a b"])
    words = Words(console)
    words.ask("One? ")
    words.ask("Two? ")
    assert console.text == "One? Two? "


@given(st.lists(BINARY_LINES))
def test_words_of_random_lines_are_split_at_blanks(lines: list[str]) -> None:
    blanks_to_spaces = str.maketrans(dict.fromkeys(BLANKS, " "))
    expected = [word for line in lines for word in line.translate(blanks_to_spaces).split(" ") if word]
    assert read_all_words(*lines) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [(["7"], 7), (["-7"], -7), (["+7"], 7), (["7up"], 7), (["007"], 7), (["x", "-", "", "7"], 7), (["7.9"], 7)],
    ids=str,
)
def test_words_are_skipped_until_one_begins_with_an_integer(lines: list[str], expected: int) -> None:
    assert Words(ScriptedConsole(lines)).ask_integer("") == expected


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("2147483648", -2147483648),
        ("4294967295", -1),
        ("4294967296", 0),
        ("-4294967297", -1),
        ("9223372036854775807", -1),
        ("9223372036854775808", -1),
        ("-9223372036854775809", 0),
        ("9" * 5000, -1),
        ("-" + "9" * 5000, 0),
        ("0" * 5000 + "8", 8),
    ],
    ids=lambda value: str(value)[:22],
)
def test_an_integer_that_overflows_int_becomes_the_value_glibc_stores(digits: str, expected: int) -> None:
    assert scanned_int(digits) == expected


@given(st.integers(-(1 << 31), (1 << 31) - 1))
def test_an_integer_that_fits_into_an_int_is_unchanged(number: int) -> None:
    assert scanned_int(str(number)) == number


@pytest.mark.parametrize(
    "text", ["", "+", "-", "x", "1.5", "1 2", "+-1", "1-", "0x10", "1e3", "1,000", "٣", "1\0", "¹", "１"], ids=repr
)
def test_text_that_is_not_exactly_an_integer_is_refused(text: str) -> None:
    assert integer_in(text, -9999, 9999) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("-0", 0),
        ("+0", 0),
        ("+9", 9),
        ("-9", -9),
        ("0009", 9),
        ("10", None),
        ("-10", None),
        ("9" * 9999, None),
    ],
    ids=lambda value: str(value)[:12],
)
def test_an_integer_is_accepted_only_within_the_bounds(text: str, expected: int | None) -> None:
    assert integer_in(text, -9, 9) == expected


@given(st.integers(), st.integers(), st.integers())
def test_random_integers_are_accepted_only_within_the_bounds(number: int, low: int, high: int) -> None:
    assert integer_in(str(number), low, high) == (number if low <= number <= high else None)
