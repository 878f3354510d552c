"""`--answers`: parsing its text into typed lines, and formatting lines as such a text; each is the other's inverse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.answers import answers_from_items, format_answers, parse_answers
from pitboss.assignments.assignment import Answers, Then
from pitboss.errors import UsageError
from tests.conftest import ROOT

ADA = ROOT / "examples" / "blackjack" / "ada"
LINES = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=5),
        st.sampled_from(
            ["h", "s", "9", "0", "900", "-5", "+7", "2.5", "10,s", "", " ", "\\", "\\x41", ",", "\t", "hit"]
        ),
        st.sampled_from(["<eof>", "\\<eof>", "a<eof>", "<eof>,", "...", "..", "\\...", "."]),
    ),
    max_size=6,
).map(lambda lines: tuple(line.encode() for line in lines))
#: Answers that repeat from the first one on need at least one line.
ANSWERS = st.builds(Answers, LINES, st.sampled_from(Then)).filter(
    lambda answers: answers.lines or answers.then is not Then.FIRST_AGAIN
)


@given(ANSWERS)
def test_parsing_formatted_answers_gives_the_same_answers(answers):
    assert parse_answers(format_answers(answers)) == answers


@given(
    st.text(max_size=8)
    | st.text("hs09,.+-\\xt< ", max_size=8)
    | st.lists(st.sampled_from(["<eof>", *"h9,.\\"])).map("".join)
)
def test_parsed_answers_stay_the_same_when_formatted_and_parsed_again(text):
    try:
        answers = parse_answers(text)
        formatted = format_answers(answers)
    except (UsageError, UnicodeEncodeError):
        return
    assert formatted is None or parse_answers(formatted) == answers


@given(ANSWERS)
def test_a_backslash_escapes_list_items_that_look_like_marks(answers):
    """A line that is a mark after backslashes of its own, such as `\\<eof>`, needs one more backslash too."""
    texts = [line.decode() for line in answers.lines]
    escaped = [f"\\{text}" if text.lstrip("\\") in ("<eof>", "...") else text for text in texts]
    mark = {Then.LAST_AGAIN: [], Then.FIRST_AGAIN: ["..."], Then.END: ["<eof>"]}[answers.then]
    assert answers_from_items([*escaped, *mark]) == answers


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("hhs", ["h", "h", "s"]),
        ("900", ["900"]),
        ("-5", ["-5"]),
        ("2.5", ["2.5"]),
        ("10hs", ["10", "h", "s"]),
        ("h2s", ["h", "2", "s"]),
        ("9,0,0", ["9", "0", "0"]),
        ("10,s,q", ["10", "s", "q"]),
        ("hit,", ["hit"]),
        (",", [""]),
        ("h,,", ["h", ""]),
        ("", []),
        ("h s,", ["h s"]),
        (r"a\,b,\\,\t,\x41", ["a,b", "\\", "\t", "A"]),
    ],
)
def test_answers_are_split_at_commas_or_into_letters_and_numbers(text, lines):
    assert parse_answers(text) == Answers(tuple(line.encode() for line in lines))


@pytest.mark.parametrize(
    ("text", "lines", "then"),
    [
        ("<eof>", [], Then.END),
        ("<eof>,", [], Then.END),
        ("hs<eof>", ["h", "s"], Then.END),
        ("go north,look,<eof>", ["go north", "look"], Then.END),
        (",<eof>", [""], Then.END),
        (r"\<eof>,", ["<eof>"], Then.LAST_AGAIN),
        (r"\\\<eof>,<eof>", ["\\<eof>"], Then.END),
        (r"a\<eof>b,c", ["a<eof>b", "c"], Then.LAST_AGAIN),
        ("hs...", ["h", "s"], Then.FIRST_AGAIN),
        ("2.5...", ["2.5"], Then.FIRST_AGAIN),
        ("hit,stand,...", ["hit", "stand"], Then.FIRST_AGAIN),
        (r"\...,", ["..."], Then.LAST_AGAIN),
        (r"h\...", ["h", ".", ".", "."], Then.LAST_AGAIN),
        ("wait...,go", ["wait...", "go"], Then.LAST_AGAIN),
        ("a.b", ["a", ".", "b"], Then.LAST_AGAIN),
    ],
)
def test_a_mark_at_the_end_ends_the_input_or_repeats_the_answers(text, lines, then):
    assert parse_answers(text) == Answers(tuple(line.encode() for line in lines), then)


@pytest.mark.parametrize(
    ("then", "typed"),
    [
        (Then.LAST_AGAIN, [b"a", b"b", b"b", b"b", b"b"]),
        (Then.FIRST_AGAIN, [b"a", b"b", b"a", b"b", b"a"]),
        (Then.END, [b"a", b"b", None, None, None]),
    ],
)
def test_the_then_field_decides_what_follows_the_last_answer(then, typed):
    answers = Answers((b"a", b"b"), then)
    assert [answers.line(number) for number in range(5)] == typed
    assert Answers(()).line(0) is None


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["h", "h", "s"], "hhs"),
        (["900"], "900"),
        (["9", "0", "0"], "9,0,0"),
        (["2", "2"], "2,2"),
        (["h", "2"], "h2"),
        (["10", "h"], "10,h"),
        (["hit"], "hit,"),
        ([""], ","),
        (["a,b"], r"a\,b,"),
        (["\x01"], r"\x01,"),
        (["h", " "], "h, "),
    ],
)
def test_answers_are_formatted_without_commas_where_possible(lines, text):
    assert format_answers(Answers(tuple(line.encode() for line in lines))) == text


def test_answers_that_are_not_utf8_cannot_be_formatted():
    assert format_answers(Answers((b"\xff",))) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (r"h\q", r"--answers: \q is not an escape — allowed are \\ \, \< \. \t \xHH and \uHHHH"),
        ("h\\", "--answers: \\ is not an escape — allowed are \\\\ \\, \\< \\. \\t \\xHH and \\uHHHH"),
        (r"h\x0a", r"--answers 'h\x0a': a line cannot contain a newline — give two lines: h,s"),
        (
            "h<eof>s",
            "--answers 'h<eof>s': 's' after <eof>, which ends the input — <eof> must come last; to type this text, write "
            r"\<eof>",
        ),
        (
            "hit,<eof>,...",
            "--answers 'hit,<eof>,...': '...' after <eof>, which ends the input — <eof> must come last; to type this text, "
            r"write \<eof>",
        ),
        (
            "hit,...,stand",
            "--answers hit,...,stand: 'stand' after ..., which repeats the answers — ... must come last; to type this "
            r"text, write \...",
        ),
        (
            "hit,stand<eof>",
            "--answers 'hit,stand<eof>': <eof> is next to other text — separate them by a comma: "
            r"'stand,<eof>'; to type this text, write \<eof>",
        ),
        ("...", r"--answers ...: ... with no answer before it to repeat — to type this text, write \..."),
        ("h s", "--answers 'h s': blanks do not separate lines — write h,s, or 'h s,' for one line with blanks in it"),
    ],
)
def test_a_mistake_in_answers_is_reported(text, message):
    with pytest.raises(UsageError) as error:
        parse_answers(text)
    assert str(error.value) == message


def test_a_number_is_typed_as_one_line(pitboss):
    outcome = pitboss("check", "betting", "--seed", "3", "--answers", "900sq", cwd=ADA)
    assert outcome.code == 0, outcome.out
    refused_outcome = pitboss("check", "betting", "--seed", "3", "--answers", "9 0", cwd=ADA)
    assert (refused_outcome.code, refused_outcome.err) == (
        2,
        "pitboss: --answers '9 0': blanks do not separate lines — write 9,0, or '9 0,' for one line with blanks in it\n",
    )


@pytest.mark.parametrize("command", ["check", "record"])
def test_the_help_explains_how_answers_are_split(pitboss, command):
    output = " ".join(pitboss(command, "--help").out.split())
    assert (
        "Without commas, each letter and each number is a line: hhs is h, h and s; 900 is one line; 10hs is 10, h and "
        "s. With commas, each part is a line: hit,9,0. A single word needs a comma at its end (hit,)" in output
    )


def test_answers_may_begin_with_a_negative_number(pitboss):
    done = pitboss("check", "errors", "--seed", "3", "--answers", "-5,10,s,q", cwd=ADA)
    assert done.code == 0, done.err
