"""Which lines are judged: against a definition that is too simple to be wrong, on generated sessions."""

import random

import pytest

from pitboss.compare.comparison import difference_between
from pitboss.compare.location import located_difference
from pitboss.compare.side_outputs import first_difference
from pitboss.errors import SpecError
from pitboss.model.comparison_policy import Policy
from pitboss.model.notation import events_in
from pitboss.model.relaxation import check_anything_is_judged, judged_part, unjudged_lines
from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, canonical
from pitboss.reports.finding_sentences import near_miss, sentence_of
from pitboss.reports.screen import parting_of

POLICY = Policy(not_judged=("^#", "date"), begins="^Go")
LINES = [b"a\n", b"b\n", b"# x\n", b"date 1\n", b"Go\n", b"Go on: ", b"# Go\n", b"\n", b"free\n", b"a", b"\xc3\xa9\r\n"]
OTHERS = [Typed(b"t"), Typed(b"# u"), Paused(500), InputEnded()]


def session(chance):
    events = []
    for _ in range(chance.randint(0, 9)):
        events.append(chance.choice(OTHERS) if chance.random() < 0.25 else Shown(chance.choice(LINES)))
    return canonical(events)


def simply(events):
    """The events that are judged, one character at a time."""
    lines, line = [], []
    for event in events:
        for piece in [Shown(bytes([one])) for one in event.text] if isinstance(event, Shown) else [event]:
            line.append(piece)
            if piece == Shown(b"\n") or isinstance(piece, Typed):
                lines.append(line)
                line = []
    lines.append(line)
    kept, has_begun = [], False
    for line in lines:
        text = b"".join(one.text for one in line if isinstance(one, Shown)).removesuffix(b"\n")
        begins = not has_begun and text.startswith(b"Go")
        has_begun = has_begun or begins
        is_left_out = text.startswith(b"#") or b"date" in text
        seen = False
        for one in line:
            seen = seen or isinstance(one, Shown)
            if isinstance(one, Shown) and (not has_begun or is_left_out):
                continue
            if isinstance(one, Paused) and (not has_begun or (begins and not seen)):
                continue
            kept.append(one)
    return canonical(kept)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_judged_is_what_the_definition_says(seed):
    chance = random.Random(seed)
    for _ in range(50):
        events = session(chance)
        assert judged_part(events, POLICY) == simply(events), events


@pytest.mark.parametrize("seed", range(40))
def test_two_sessions_differ_if_what_is_judged_of_them_does(seed):
    chance = random.Random(seed)
    for _ in range(40):
        expected = session(chance)
        actual = session(chance) if chance.random() < 0.4 else canonical(_with_noise(expected, chance))
        difference = difference_between(expected, actual, POLICY)
        assert (difference is None) == (simply(expected) == simply(actual))
        if difference is not None:
            place = located_difference(difference, expected, actual, POLICY)
            output = place.quoted
            assert canonical((*output.expected_before, *output.expected)) == expected
            assert canonical((*output.before, *output.actual)) == actual
            assert simply_shown(output.before) >= simply_shown(difference.matched)
            assert sentence_of(place)
            near_miss(place)


def simply_shown(events):
    return sum(isinstance(event, Typed) for event in events)


def _with_noise(events, chance):
    """The events with lines that are not judged between others, at the ends of lines."""
    for event in events:
        yield event
        ends = isinstance(event, Typed) or (isinstance(event, Shown) and event.text.endswith(b"\n"))
        if ends and chance.random() < 0.5:
            yield Shown(chance.choice([b"# noise\n", b"the date is 3\n"]))


def test_free_lines_is_one_line_that_ends_in_the_same_way():
    policy = Policy(free_lines=("^NAME$", "^KEY: $"))
    expected = events_in("NAME\nKEY: <<x>>\nend\n")

    def summary(text):
        actual = events_in(text)
        difference = difference_between(expected, actual, policy)
        return difference and sentence_of(located_difference(difference, expected, actual, policy))

    assert summary("Zoe\nyour key? <<x>>\nend\n") is None
    assert summary("Zoe\nyour key? <<x>>\nEnd\n") == "Line 3 is “End” where “end” is expected."
    assert summary("\nyour key? <<x>>\nend\n") == "Line 1 is empty where “NAME” is expected."
    assert summary("your key? <<x>>\nend\n") == "Line 1 is “your key? ” where “NAME” is expected."
    assert summary("Zoe\nAda\nyour key? <<x>>\nend\n") == "Line 2 is “Ada” where “KEY: ” is expected."
    assert summary("Zoe\n<<x>>\nend\n") == "It reads the line “x” at the start of line 2 without showing “KEY: ” first."


@pytest.mark.parametrize(
    ("policy", "line"),
    [
        (Policy(free_lines=("^Hello",), alternatives=(("Hi", "Hello"),)), "Hello Ada"),
        (Policy(free_lines=("^NAME: $",), trailing_blanks="ignored"), "NAME:\\x20"),
    ],
    ids=["another text of its group", "blanks at its end"],
)
def test_a_line_may_be_any_by_a_pattern_for_the_line_as_it_is_shown(policy, line):
    expected = events_in(f"{line}\nend\n")
    assert difference_between(expected, events_in("Zoe\nend\n"), policy) is None
    assert difference_between(expected, events_in("Zoe\nEnd\n"), policy) is not None


def test_lines_that_may_be_missing_do_not_move_a_line_that_may_be_any():
    policy = Policy(free_lines=("^NAME$",), alternatives=(("Welcome!\n", ""),), blank_lines="ignored")
    expected = events_in("Welcome!\n\nNAME\nend\n")
    for text in ("Zoe\nend\n", "\nWelcome!\nZoe\n\nend\n", "Zoe\n\n\nend\n"):
        assert difference_between(expected, events_in(text), policy) is None
    assert difference_between(expected, events_in("Welcome!\nend\n"), policy) is not None


def test_lines_that_are_not_judged_are_counted():
    assert unjudged_lines(events_in("x\n\nGo\n# a\n\nb\n# c<no-eol>"), POLICY) == 3
    assert unjudged_lines(events_in("x\n\nGo\n# a\n"), Policy()) == 0


def test_a_session_that_never_begins_is_wrong_even_if_nothing_else_is_expected():
    policy = Policy(begins="^$", blank_lines="ignored")
    expected, actual = Transcript(events_in("a\n\n")), Transcript(events_in("b<no-eol>"))
    assert difference_between(expected.events, actual.events, policy) is None
    difference = first_difference(expected, actual, policy)
    assert sentence_of(difference) == "It never shows a line such as “”, which is where judging begins."
    assert near_miss(difference) == ""
    assert parting_of(difference).number == 1


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (
            Policy(begins="^Go"),
            "x.yaml:3: the reference never shows a line with '^Go', from which on it is judged — correct `judged_from`, or write "
            '`compare: {judged_from: ""}` in this case',
        ),
        (
            Policy(not_judged=("^a", "^b")),
            "x.yaml:3: nothing that the reference shows is judged: all of it matches `not_judged`",
        ),
    ],
)
def test_a_case_in_which_nothing_would_be_judged_is_an_error(policy, sentence):
    with pytest.raises(SpecError) as raised:
        check_anything_is_judged(events_in("a\n\nb <<Go>>\n"), policy, "x.yaml:3")
    assert str(raised.value) == sentence
