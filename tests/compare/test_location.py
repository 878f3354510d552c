import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitboss.compare.comparison import difference_between, located_difference
from pitboss.compare.findings import Compared
from pitboss.compare.results import Result, Verdict
from pitboss.model.comparison_policy import Policy
from pitboss.model.quoting import readable
from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, canonical
from pitboss.reports.difference_sentences import sentence_of
from pitboss.reports.finding_sentences import summary_of
from pitboss.sandbox.limits import Limits

LIMITS = Limits()
ALTERNATIVES = (("Push.", "It is a tie, nobody wins.", "Tie"), ("BLACK JACK", "BLACKJACK", ""), ("€", "Euro"))
strictness = st.sampled_from(["exact", "ignored"])
policies = st.builds(
    Policy,
    pauses=strictness,
    trailing_blanks=strictness,
    blank_lines=strictness,
    letter_case=strictness,
    alternatives=st.sampled_from([(), ALTERNATIVES[:1], ALTERNATIVES]),
)
fragments = st.sampled_from(
    [
        *["Player", "player", "wins!", "loses!", "a", "8♣", "Push.", "Tie", "BLACK", "JACK", "BLACKJACK", "€", "Euro"],
        *["<", "\\"],
        *["Hit? [h/s] ", "It is a tie, nobody wins.", "x" * 70],
        *[" ", "  ", "\t", "\n", "\n\n", " \n", "\r\n"],
    ]
)
events = st.one_of(
    fragments.map(lambda word: Shown(word.encode())),
    st.sampled_from([Typed(b"h"), Typed(b""), Paused(2000), Paused(1000), InputEnded(), Shown(b"\xe2\x82")]),
)
sessions = st.lists(events, max_size=14)


@st.composite
def pairs(draw):
    """Two sessions that have much in common: the second is the first with a few events removed, added or replaced."""
    first = draw(sessions)
    second = list(first)
    for _ in range(draw(st.integers(1, 3))):
        index = draw(st.integers(0, len(second)))
        second[index : index + draw(st.integers(0, 2))] = draw(st.lists(events, max_size=2))
    return canonical(first), canonical(second)


def without_ignored_pauses(session, policy):
    return canonical(event for event in session if policy.pauses == "exact" or not isinstance(event, Paused))


def difference_of(expected, actual, policy):
    difference = difference_between(expected, actual, policy)
    return difference and located_difference(difference, expected, actual, policy)


def lines_of(session):
    """The lines of the screen as sentences quote them, without typed text."""
    screen = b"".join(event.text if isinstance(event, Shown) else b"\n" * isinstance(event, Typed) for event in session)
    return [readable(line) for line in screen.split(b"\n")]


def typed_lines(session):
    return [readable(event.line) for event in session if isinstance(event, Typed)]


def essential_text(session, policy):
    """The output without everything that the policy may ignore: blanks, letter case, and alternative texts."""
    text = b"".join(event.text for event in session if isinstance(event, Shown)).decode("utf-8", "replace")
    text = re.sub(r"[ \t\r\n]", "", text.lower() if policy.letter_case == "ignored" else text)
    for group in policy.alternatives:
        texts = sorted((re.sub(" ", "", alternative) for alternative in group if alternative), key=len, reverse=True)
        for alternative in texts:
            text = re.sub(
                re.escape(alternative), "", text, flags=re.IGNORECASE if policy.letter_case == "ignored" else 0
            )
    return text


@settings(max_examples=400)
@given(pairs(), policies)
@example(((Shown(b"Player wins!\n"),), (Shown(b"Player  loses!\n"),)), Policy(trailing_blanks="ignored"))
@example(((), (Shown(b"\r\nPlayer"),)), Policy(blank_lines="ignored"))
@example(((Shown(b"Hit A\n"),), (Shown(b"hit B\n"),)), Policy(letter_case="ignored"))
def test_both_sessions_are_split_at_their_difference_without_loss(pair, policy):
    expected, actual = pair
    difference = difference_of(expected, actual, policy)
    if difference is None:
        return
    split = difference.quoted
    assert canonical((*split.before, *split.actual)) == without_ignored_pauses(actual, policy)
    assert canonical((*split.expected_before, *split.expected)) == without_ignored_pauses(expected, policy)
    assert essential_text(split.before, policy) == essential_text(split.expected_before, policy)
    screen = b"".join(
        event.text if isinstance(event, Shown) else b"\n" * isinstance(event, Typed) for event in split.before
    )
    assert difference.line == screen.count(b"\n") + 1
    assert difference.column == len(screen.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1


#: Forms of sentences, as regular expressions. The groups `expected` and `yours` are quotations from the expected session
#: and from the program's, `typed` is one of a typed line, and `line` is the number of the line of `yours`. "whole" marks
#: forms that quote a line from its beginning. `check_quotes` replaces a quotation that it has checked by ‘’, so forms
#: with ‘’ are for the next quotation of the same sentence.
FORMS = [
    (r"reads? the line (?P<typed>“.*?”)", ""),
    (r"[Tt]he line (?P<expected>“.*?”) is missing before (?P<yours>“.*?”) \(line (?P<line>\d+)\)", ""),
    (r"lines? (?:is|are) missing before (?P<yours>“.*?”) \(line (?P<line>\d+)\)", ""),
    (r"missing before ‘’ \(line \d+\), from (?P<expected>“.*?”) to", ""),
    (r"missing before ‘’ \(line \d+\), from ‘’ to (?P<expected>“.*?”)", ""),
    (r"[Tt]he last line, (?P<expected>“.*?”), is missing", ""),
    (r"too many before (?P<yours>“.*?”) \(line (?P<line>\d+)\)", ""),
    (r"[Aa] line too many: (?P<yours>“.*?”) \(line (?P<line>\d+)\)", ""),
    (r"too many \(lines (?P<line>\d+) to \d+\), from (?P<yours>“.*?”) to", ""),
    (r"too many \(lines \d+ to (?P<line>\d+)\), from ‘’ to (?P<yours>“.*?”)\.", ""),
    (r"[Ll]ines \d+ and (?P<line>\d+) are swapped: (?P<yours>“.*?”) should", ""),
    (r"[Ll]ines (?P<line>\d+) and \d+ are swapped: ‘’ should come before (?P<yours>“.*?”)\.", ""),
    (r"[Ll]ine (?P<line>\d+), (?P<yours>“.*?”), has “", "whole"),
    (r"[Ll]ine (?P<line>\d+), ‘’, has (?P<yours>“.*?”) where (?P<expected>“.*?”) is expected", ""),
    (r"[Ll]ine (?P<line>\d+) is (?P<yours>“.*?”) where (?P<expected>“.*?”) is expected", "whole"),
    (r"[Ll]ine \d+ is empty where (?P<expected>“.*?”) is expected", ""),
    (r"[Ll]ine (?P<line>\d+) is (?P<yours>“.*?”) where an empty line is expected", ""),
    (
        r"[Ll]ine (?P<line>\d+) has bytes that are not valid characters: it is (?P<yours>“.*?”) where (?P<expected>“.*?”) is",
        "whole",
    ),
    (r"[Ll]ine (?P<line>\d+) ends after (?P<yours>“.*?”);", ""),
    (r"[Tt]he prompt (?P<yours>“.*?”) on line (?P<line>\d+) lacks (?:a space|\d+ spaces|(?P<expected>“.*?”))", ""),
    (r"[Tt]he last line, (?P<yours>“.*?”), does not", ""),
    (r"comes after (?P<yours>“.*?”) instead", ""),
    (r"after (?P<yours>“.*?”) \(line (?P<line>\d+)\)", ""),
    (r"[Oo]n line (?P<line>\d+) it shows (?P<yours>“.*?”)", ""),
    (r"shows (?P<yours>“.*?”) (?:on|at the start of) line (?P<line>\d+)", ""),
    (r"shows (?P<yours>“.*?”) (?:instead|after)", ""),
    (r"before (?P<yours>“.*?”); no pause is expected", ""),
    (r"before it shows (?P<expected>“.*?”)", ""),
    (r"without showing (?P<expected>“.*?”) first", ""),
    (r"before (?P<expected>“.*?”)(?:; the pause should be| \(line|: the pause)", ""),
    (r"(?P<expected>“.*?”) (?:is|are) (?:missing|expected)", ""),
]


def quoted_text(quote, sentence):
    """The text inside a quotation, without ellipses and with its marked spaces as plain spaces."""
    text = quote[1:-1]
    for mark in "·␣":
        if f"{mark} is a space" in sentence:
            text = text.replace(mark, " ")
    return text.removeprefix("…").removesuffix("…")


def check_quotes(sentence, expected, actual):
    """Asserts that every quotation occurs where the sentence says."""
    remaining = sentence
    for form, extent in FORMS:
        while match := re.search(form, remaining, re.DOTALL):
            groups = match.groupdict()
            for whose, session in (("yours", actual), ("expected", expected)):
                if groups.get(whose) is None:
                    continue
                text, lines = quoted_text(groups[whose], sentence), lines_of(session)
                if whose == "yours" and groups.get("line"):
                    line = lines[int(groups["line"]) - 1]
                    assert text in line, (sentence, lines)
                    if extent == "whole" and not groups[whose].startswith("“…"):
                        assert line.startswith(text), (sentence, lines)
                else:
                    assert any(text in line for line in lines), (whose, sentence, lines)
            if groups.get("typed"):
                assert quoted_text(groups["typed"], sentence) in (*typed_lines(expected), *typed_lines(actual))
            checked = re.sub("“.*?”", "‘’", match[0], flags=re.DOTALL)
            remaining = remaining[: match.start()] + checked + remaining[match.end() :]
    assert "“" not in remaining, f"no form in FORMS matches a quotation of {remaining!r}, which was {sentence!r}"


@settings(max_examples=600)
@given(pairs(), policies)
@example(((Shown(b"Player wins!\n"),), (Shown(b"Player  loses!\n"),)), Policy(trailing_blanks="ignored"))
@example(((Shown(b"BLACK JACK\n"),), (Shown(b"BLACK  JACK\n"),)), Policy(trailing_blanks="ignored"))
@example(((Shown(b"Hit A\n"),), (Shown(b"hit B\n"),)), Policy(letter_case="ignored"))
@example(((Shown(b"Pull\n"),), (Shown(b"Tie\n"),)), Policy(alternatives=ALTERNATIVES))
@example(((Shown(b"Tie.\n"),), (Shown(b"Push!\n"),)), Policy(alternatives=ALTERNATIVES))
def test_each_quotation_occurs_in_the_session_on_the_reported_line(pair, policy):
    expected, actual = pair
    difference = difference_of(expected, actual, policy)
    if difference is None:
        return
    check_quotes(sentence_of(difference), expected, actual)
    summary = summary_of(
        Result(
            "play", "one", Verdict.WRONG_ANSWER, Transcript(expected), Transcript(actual), difference, Compared(LIMITS)
        )
    )
    check_quotes(summary, expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual", "policy", "sentence"),
    [
        (
            b"Player wins!\n",
            b"Player  loses!\n",
            Policy(trailing_blanks="ignored"),
            "Line 1 is “Player  loses!” where “Player wins!” is expected.",
        ),
        (
            b"BLACK JACK\n",
            b"BLACKJACK\n",
            Policy(trailing_blanks="ignored"),
            "Line 1 is “BLACKJACK” where “BLACK JACK” is expected.",
        ),
        (
            b"Player wins!\n",
            b"Player  \n",
            Policy(trailing_blanks="ignored"),
            "Line 1 ends after “Player  ”; “ wins!” is missing on it.",
        ),
        (b"Hit A\n", b"hit B\n", Policy(letter_case="ignored"), "Line 1 is “hit B” where “Hit A” is expected."),
        (
            b"Pull.\n",
            b"Tie.\n",
            Policy(alternatives=(("Push.", "Tie."),)),
            "Line 1 is “Tie.” where “Pull.” is expected.",
        ),
        (
            b"Tie. You: 20\n",
            b"Push. You: 21\n",
            Policy(alternatives=(("Push.", "Tie."),)),
            "Line 1 is “Push. You: 21” where “Tie. You: 20” is expected.",
        ),
    ],
)
def test_both_texts_of_a_difference_are_quoted_verbatim(expected, actual, policy, sentence):
    difference = difference_of((Shown(expected),), (Shown(actual),), policy)
    assert sentence_of(difference) == sentence


#: Forms of sentences that report something missing or too many, and what undoes that: in the expected or the actual
#: session, the first event of this type after the difference is removed.
REMEDIES = [
    (r"no pause is expected there\.$", "actual", Paused),
    (r"^A pause of .* is missing before .* \(line \d+\)\.$", "expected", Paused),
]


def without_first(events, kind):
    """The events without the first one of this type, which must be one of the first two events."""
    index = next(index for index, event in enumerate(events) if isinstance(event, kind))
    assert index <= 1
    return (*events[:index], *events[index + 1 :])


@settings(max_examples=400)
@given(pairs())
@example(((Paused(2000), Shown("€".encode())), (Shown("€".encode()[:2]),)))
def test_removing_what_is_reported_missing_or_too_many_moves_the_difference(pair):
    """After the removal, the sessions agree at least up to some event other than a pause."""
    expected, actual = pair
    difference = difference_between(expected, actual)
    if difference is None:
        return
    sentence = sentence_of(difference)
    for form, whose, kind in REMEDIES:
        if re.search(form, sentence, re.DOTALL):
            remainders = {"expected": difference.expected, "actual": difference.actual}
            remainders[whose] = canonical(without_first(remainders[whose], kind))
            next_difference = difference_between(remainders["expected"], remainders["actual"])
            assert next_difference is None or any(not isinstance(event, Paused) for event in next_difference.matched), (
                sentence
            )


TABLE = Shown(b"\n Player Dealer\n|  8  |  9  |\n")
STANDS = Shown(b"Dealer stands.\n")
PAUSE = Paused(2000)
#: By test id: the expected session, the actual one, and the sentence that is reported.
DIFFERENCES_BESIDE_PAUSES = {
    "a table missing before a pause": (
        (Shown(b"Hit.\n"), PAUSE, TABLE, PAUSE, STANDS),
        (Shown(b"Hit.\n"), Paused(4000), STANDS),
        "It pauses for 4 s on line 2, where a pause of 2 s is expected.",
    ),
    "a table missing after text": (
        (Shown(b"Hit.\n" + TABLE.text), PAUSE, STANDS),
        (Shown(b"Hit.\n"), PAUSE, STANDS),
        "2 lines are missing before “Dealer stands.” (line 2), from “ Player Dealer” to “|  8  |  9  |”.",
    ),
    "a table too many": (
        (Shown(b"Hit.\n"), PAUSE, STANDS),
        (Shown(b"Hit.\n" + TABLE.text), PAUSE, STANDS),
        "There are 2 lines too many (lines 3 to 4), from “ Player Dealer” to “|  8  |  9  |”.",
    ),
    "a table inside a pause": (
        (Shown(b"Hit.\n"), Paused(4000), STANDS),
        (Shown(b"Hit.\n"), PAUSE, TABLE, PAUSE, STANDS),
        "It pauses for 2 s on line 2, where a pause of 4 s is expected.",
    ),
    "a pause too many": (
        (Shown(b"Hit.\n" + TABLE.text), PAUSE, STANDS),
        (Shown(b"Hit.\n"), PAUSE, TABLE, PAUSE, STANDS),
        "It pauses for 2 s on line 2, before “ Player Dealer”; no pause is expected there.",
    ),
    "a pause too early": (
        (Shown(b"Hit.\n" + TABLE.text), PAUSE, STANDS),
        (Shown(b"Hit.\n"), PAUSE, Shown(TABLE.text + STANDS.text)),
        "It pauses for 2 s on line 2, before “ Player Dealer”; no pause is expected there.",
    ),
    "a pause missing": (
        (Shown(b"Hit.\n"), PAUSE, STANDS),
        (Shown(b"Hit.\n" + STANDS.text),),
        "A pause of 2 s is missing before “Dealer stands.” (line 2).",
    ),
    "the first of two pauses missing": (
        (Shown(b"Hit.\n"), PAUSE, STANDS, PAUSE, Shown(b"Push.\n")),
        (Shown(b"Hit.\n" + STANDS.text), PAUSE, Shown(b"Push.\n")),
        "A pause of 2 s is missing before “Dealer stands.” (line 2).",
    ),
    "a pause between lines that are alike": (
        (Shown(b"Hit.\n"), PAUSE, Shown(b"Push.\n"), STANDS, Shown(b"Push.\n")),
        (Shown(b"Hit.\nPush.\n"), STANDS, PAUSE, Shown(b"Push.\n")),
        "A pause of 2 s is missing before “Push.”: the pause comes after “Dealer stands.” instead.",
    ),
    "each pause after its line": (
        (Shown(b"Hit.\n"), PAUSE, STANDS, Shown(b"Push.\n")),
        (Shown(b"Hit.\n" + STANDS.text), PAUSE, Shown(b"Push.\n")),
        "A pause of 2 s is missing before “Dealer stands.”: the pause comes after “Dealer stands.” instead.",
    ),
    "a table missing of two that begin alike": (
        (TABLE, PAUSE, Shown(b"\n Player Dealer\n|  8  |  K  |\n")),
        (PAUSE, Shown(b"\n Player Dealer\n|  8  |  K  |\n")),
        "2 lines are missing before “ Player Dealer” (line 2), from “ Player Dealer” to “|  8  |  9  |”.",
    ),
    "another text and another pause": (
        (Shown(b"Hit.\n" + TABLE.text), PAUSE, STANDS),
        (Shown(b"Hit.\n"), PAUSE, Shown(b"Nobody.\n")),
        "It pauses for 2 s on line 2, where “ Player Dealer” is expected.",
    ),
    "another text where a pause is expected": (
        (Shown(b"Hit.\n"), PAUSE, STANDS),
        (Shown(b"Hit.\n" + TABLE.text), Shown(b"Nobody.\n")),
        "It shows “ Player Dealer” on line 3, where a pause of 2 s is expected.",
    ),
    "a pause of another length before another text": (
        (Shown(b"Hit.\n"), PAUSE, STANDS),
        (Shown(b"Hit.\n"), Paused(1000), Shown(b"Nobody.\n")),
        "It pauses for 1 s on line 2, where a pause of 2 s is expected.",
    ),
    "a pause of another length": (
        (Shown(b"Hit.\n"), PAUSE, STANDS),
        (Shown(b"Hit.\n"), Paused(1000), STANDS),
        "It pauses for 1 s before “Dealer stands.”; the pause should be 2 s.",
    ),
    "pauses of another length before tables that are alike": (
        (Shown(b"Hit.\n"), PAUSE, TABLE, PAUSE, TABLE, PAUSE, STANDS),
        (Shown(b"Hit.\n"), Paused(1000), TABLE, Paused(1000), TABLE, Paused(1000), STANDS),
        "It pauses for 1 s before “ Player Dealer”; the pause should be 2 s.",
    ),
    "a question where a pause is expected": (
        (Shown(b"Hit? "), PAUSE, Shown(b"No.\n")),
        (Shown(b"Hit? "), Typed(b"h"), Shown(b"Yes\n")),
        "It reads the line “h” after “Hit? ” (line 1), where a pause of 2 s is expected.",
    ),
    "a pause where a line should be read": (
        (Shown(b"Hit? "), Typed(b"h"), Shown(b"No.\n")),
        (Shown(b"Hit? "), PAUSE, Shown(b"Yes\n")),
        "It pauses for 2 s on line 1, where it should have read the line “h”.",
    ),
    "a pause before a line that is read": (
        (Shown(b"Hit? "), Typed(b"h"), Shown(b"No.\n")),
        (Shown(b"Hit? "), PAUSE, Typed(b"h"), Shown(b"No.\n")),
        "It pauses for 2 s on line 1, before it reads the line “h”; no pause is expected there.",
    ),
}


@pytest.mark.parametrize("name", DIFFERENCES_BESIDE_PAUSES)
def test_a_difference_beside_a_pause_is_reported_in_one_sentence(name):
    expected, actual, sentence = DIFFERENCES_BESIDE_PAUSES[name]
    difference = difference_between(canonical(expected), canonical(actual))
    assert sentence_of(difference) == sentence
