import random

import pytest

from pitboss.compare.comparison import difference_between, first_difference, located_difference
from pitboss.errors import SpecError
from pitboss.model.comparison_policy import Policy
from pitboss.model.equality import equality
from pitboss.model.notation import events_in
from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, canonical
from pitboss.reports.difference_sentences import sentence_of
from pitboss.reports.finding_sentences import near_miss
from pitboss.reports.screen import screen_difference

POLICY = Policy(not_judged=("^#", "date"), begins="^Go")
LINES = [b"a\n", b"b\n", b"# x\n", b"date 1\n", b"Go\n", b"Go on: ", b"# Go\n", b"\n", b"free\n", b"a", b"\xc3\xa9\r\n"]
OTHER_EVENTS = [Typed(b"t"), Typed(b"# u"), Paused(500), InputEnded()]


def random_session(rng):
    events = []
    for _ in range(rng.randint(0, 9)):
        events.append(rng.choice(OTHER_EVENTS) if rng.random() < 0.25 else Shown(rng.choice(LINES)))
    return canonical(events)


def judged_by_definition(events):
    """The events that are judged under POLICY, by a simple definition that looks at one byte at a time."""
    lines, line = [], []
    for event in events:
        for piece in [Shown(bytes([byte])) for byte in event.text] if isinstance(event, Shown) else [event]:
            line.append(piece)
            if piece == Shown(b"\n") or isinstance(piece, Typed):
                lines.append(line)
                line = []
    lines.append(line)
    judged, has_begun = [], False
    for line in lines:
        text = b"".join(piece.text for piece in line if isinstance(piece, Shown)).removesuffix(b"\n")
        is_first_judged_line = not has_begun and text.startswith(b"Go")
        has_begun = has_begun or is_first_judged_line
        is_left_out = text.startswith(b"#") or b"date" in text
        has_shown_text = False
        for item in line:
            has_shown_text = has_shown_text or isinstance(item, Shown)
            if isinstance(item, Shown) and (not has_begun or is_left_out):
                continue
            if isinstance(item, Paused) and (not has_begun or (is_first_judged_line and not has_shown_text)):
                continue
            judged.append(item)
    return canonical(judged)


@pytest.mark.parametrize("seed", range(40))
def test_the_judged_part_agrees_with_the_definition(seed):
    rng = random.Random(seed)
    for _ in range(50):
        events = random_session(rng)
        assert equality(POLICY).judged_part(events) == judged_by_definition(events), events


@pytest.mark.parametrize("seed", range(40))
def test_sessions_differ_exactly_if_their_judged_parts_differ(seed):
    rng = random.Random(seed)
    for _ in range(40):
        expected = random_session(rng)
        actual = random_session(rng) if rng.random() < 0.4 else canonical(_with_noise(expected, rng))
        difference = difference_between(expected, actual, POLICY)
        assert (difference is None) == (judged_by_definition(expected) == judged_by_definition(actual))
        if difference is not None:
            location = located_difference(difference, expected, actual, POLICY)
            quoted = location.quoted
            assert canonical((*quoted.expected_before, *quoted.expected)) == expected
            assert canonical((*quoted.before, *quoted.actual)) == actual
            assert count_typed_lines(quoted.before) >= count_typed_lines(difference.matched)
            assert sentence_of(location)
            near_miss(location)  # must not fail


def count_typed_lines(events):
    return sum(isinstance(event, Typed) for event in events)


def _with_noise(events, rng):
    """The events, with an unjudged line inserted after some of the lines."""
    for event in events:
        yield event
        ends_line = isinstance(event, Typed) or (isinstance(event, Shown) and event.text.endswith(b"\n"))
        if ends_line and rng.random() < 0.5:
            yield Shown(rng.choice([b"# noise\n", b"the date is 3\n"]))


def test_a_free_line_may_be_any_one_line_with_the_same_kind_of_end():
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
def test_patterns_of_free_lines_match_the_line_as_it_is_shown(policy, line):
    expected = events_in(f"{line}\nend\n")
    assert difference_between(expected, events_in("Zoe\nend\n"), policy) is None
    assert difference_between(expected, events_in("Zoe\nEnd\n"), policy) is not None


def test_optional_lines_do_not_shift_free_lines():
    policy = Policy(free_lines=("^NAME$",), alternatives=(("Welcome!\n", ""),), blank_lines="ignored")
    expected = events_in("Welcome!\n\nNAME\nend\n")
    for text in ("Zoe\nend\n", "\nWelcome!\nZoe\n\nend\n", "Zoe\n\n\nend\n"):
        assert difference_between(expected, events_in(text), policy) is None
    assert difference_between(expected, events_in("Welcome!\nend\n"), policy) is not None


def test_unjudged_lines_are_counted():
    assert equality(POLICY).count_unjudged_lines(events_in("x\n\nGo\n# a\n\nb\n# c<no-eol>")) == 3
    assert equality(Policy()).count_unjudged_lines(events_in("x\n\nGo\n# a\n")) == 0


def test_a_session_in_which_judging_never_begins_is_rejected():
    policy = Policy(begins="^$", blank_lines="ignored")
    expected, actual = Transcript(events_in("a\n\n")), Transcript(events_in("b<no-eol>"))
    assert difference_between(expected.events, actual.events, policy) is None
    difference = first_difference(expected, actual, policy)
    assert sentence_of(difference) == "It never shows a line such as “”, which is where judging begins."
    assert near_miss(difference) == ""
    assert screen_difference(difference).number == 1


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (
            Policy(begins="^Go"),
            "x.yaml:3: the reference never shows a line with '^Go', where judging begins — correct `judged_from`, or "
            'write `compare: {judged_from: ""}` in this case',
        ),
        (
            Policy(not_judged=("^a", "^b")),
            "x.yaml:3: nothing that the reference shows is judged: all of it matches `not_judged`",
        ),
    ],
)
def test_a_case_in_which_nothing_would_be_judged_is_an_error(policy, sentence):
    with pytest.raises(SpecError) as raised:
        equality(policy).check_anything_is_judged(events_in("a\n\nb <<Go>>\n"), "x.yaml:3")
    assert str(raised.value) == sentence
