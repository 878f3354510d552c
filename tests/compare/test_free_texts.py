import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pitboss.assignments.specfile import load_assignment
from pitboss.compare import reading_texts
from pitboss.compare.comparison import difference_between, located_difference
from pitboss.compare.reading_texts import SessionPair, meaning_of, texts_by_majority, with_submission_texts
from pitboss.compare.submission_texts import (
    AcceptedDifference,
    ObservedSession,
    accepted_differences,
    remark_on,
    texts_in,
)
from pitboss.model import free_texts
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.free_texts import names_in, replace_free_texts, spans_of, without_free_texts
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed, canonical, flat
from pitboss.reports.finding_sentences import sentence_on_accepted, sentence_on_free_text
from tests.conftest import ROOT

PUSH = FreeText("push", "Push.", "line")
BUST = FreeText("bust", " You busted!", "end_of_line", may_be_missing=True, lines=2)
BROKE = FreeText("broke", "You are broke!", "line", may_be_missing=True, may_equal=(" You busted!",))
ASK = FreeText("question", "(h)it or (s)tand: ", "prompt", lines=2)
FREE = Policy(free=(PUSH, BUST, BROKE, ASK), reserved=("Player wins.", "Dealer wins."))


def session(*parts):
    """A session of these parts: events, or strings. A string is shown, or typed if it is in brackets."""
    events = []
    for part in parts:
        if not isinstance(part, str):
            events.append(part)
        elif part.startswith("["):
            events.append(Typed(part[1:-1].encode()))
        else:
            events.append(Shown(part.encode()))
    return canonical(events)


def hand(push="Push.\n", bust=" You busted!", broke="You are broke!\n", ask="(h)it or (s)tand: "):
    """A session that shows each free text of FREE, those for push and bust twice."""
    prompt = f"What? {ask}"
    return session(
        "Cards 9\n", prompt, "[h]", f"value 25.{bust}\n\nCards 8\n", prompt, "[s]", f"\n{push}\nCards 7\n", prompt, "[s]",
        f"{push}Cards 6\nvalue 26.{bust}\n{broke}",
    )  # fmt: skip


def observed_sessions(expected, *actual, policy=FREE):
    """The actual sessions, all with the same expected session and policy."""
    return [ObservedSession(policy, expected, session) for session in actual]


def find_differences(sessions):
    """For each session its difference, or None, once free texts are read as most of the sessions show them."""
    texts = texts_in(sessions)
    return [
        difference_between(observed.expected, observed.actual, observed.policy.with_accepted_texts(texts))
        for observed in sessions
    ]


#: Texts of a hand that already have a meaning, so that no free text may equal them.
OTHER_TEXTS = [b"Player wins.", b"Dealer wins.", b"You busted!", b"You are broke!", b"(h)it or (s)tand: ", b"Push."]
OTHER_TEXTS += [b"Cards %d" % number for number in range(10)]
OTHER_MEANINGS = {meaning_of(text) for text in OTHER_TEXTS}
#: Lines that a free text may have. `session` would take one that begins with a bracket for a typed line.
lines = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), min_size=1, max_size=30).filter(
    lambda text: text.strip() and text[0] != "[" and meaning_of(text.encode()) not in OTHER_MEANINGS
)


@given(lines)
@example("It is a push!")
@example("\xfd\x041\x04")  # the comparison itself puts such marks in place of a free text
@example("Cards")
def test_any_line_is_accepted_for_a_free_line_and_reported_verbatim(text):
    sessions = observed_sessions(hand(), hand(push=f"{text}\n"), hand(push=f"{text}\n"))
    assert find_differences(sessions) == [None, None]
    assert texts_in(sessions)["push"] == text.encode()
    assert accepted_differences(sessions, texts_in(sessions)) == (AcceptedDifference("push", "Push.", text.encode()),)


@given(st.binary(min_size=1, max_size=12))
@example(b"\xfd")
@example(b"\xfd\x00\xfd\x040\x04")
def test_a_free_line_may_have_any_bytes(text):
    assume(b"\n" not in text and text.strip() and meaning_of(text) not in OTHER_MEANINGS)
    expected, actual = session("a\nPush.\nb\n"), canonical((Shown(b"a\n%b\nb\n" % text),))
    assert difference_between(expected, actual, FREE) is None


@given(lines, lines)
def test_the_rarer_of_two_texts_is_rejected_at_its_line(text, other):
    assume(text != other)
    sessions = observed_sessions(hand(), *[hand(push=f"{line}\n") for line in (text, other, text)])
    first, second, third = find_differences(sessions)
    assert (first, third) == (None, None)
    assert second is not None
    assert second.line == 8  # where `hand` shows the text for push first


@given(lines, st.sampled_from([b"Cards 6\n", b"value 26.", b"Cards 7\n", b"Cards 9\n"]))
def test_a_difference_outside_free_texts_is_found_at_its_place(text, snippet):
    correct = hand(push=f"{text}\n")
    altered = canonical(
        Shown(event.text.replace(snippet, snippet[:2] + b"#" + snippet[2:])) if isinstance(event, Shown) else event
        for event in correct
    )
    difference = difference_between(hand(), altered, FREE)
    assert difference is not None
    assert difference.actual[0].text.startswith(b"#" + snippet[2:3])


@pytest.mark.parametrize("text", ["Player wins.", "player wins", "Dealer wins!", "Cards 7", "You busted!"])
def test_a_text_with_another_known_meaning_is_rejected(text):
    sessions = observed_sessions(hand(), hand(push=f"{text}\n"))
    (difference,) = find_differences(sessions)
    assert difference is not None
    assert difference_between(hand(), hand(push=f"{text}\n"), FREE.with_accepted_texts({"push": b"Push."})) is not None


def test_two_free_texts_must_differ_unless_they_are_allowed_to_be_equal():
    assert find_differences(observed_sessions(hand(), hand(push="Oh no!\n", bust=" Oh no!"))) != [None]
    assert find_differences(observed_sessions(hand(), hand(broke="Oh no!\n", bust=" Oh no!"))) == [None]


@pytest.mark.parametrize(
    "change",
    [
        {"bust": ""},
        {"bust": "\nYou lost!"},
        {"broke": ""},
        {"bust": "", "broke": ""},
        {"bust": "\nYou lost!", "broke": "You lost!\n"},
        {"bust": "", "broke": "You lost!\n"},
        {"ask": "(h)it, (s)tand:\n"},
        {"ask": "h/s"},
        {"push": "Tie\n", "bust": " Over 21", "broke": "No money\n", "ask": "? "},
    ],
    ids=str,
)
def test_several_changed_texts_are_accepted_together(change):
    assert find_differences(observed_sessions(hand(), *[hand(**change)] * 3)) == [None] * 3


@pytest.mark.parametrize(
    "change",
    [
        {"push": ""},
        {"push": "\n"},
        {"push": "One line.\nAnd another.\n"},
        {"bust": "\na\nb"},
        {"ask": "\n"},
        {"ask": "a\nb\n"},
        {"broke": "a\nb\n"},
    ],
    ids=str,
)
def test_a_text_with_too_many_lines_or_none_is_rejected(change):
    assert None not in find_differences(observed_sessions(hand(), *[hand(**change)] * 3))


def test_other_sessions_tell_which_of_two_free_texts_was_shown():
    """Where the reference shows both texts in a row, the program shows only one, which may stand for either."""
    both_texts = session("value 25. You busted!\nYou are broke!\n")
    only_broke = session("Dealer wins.\nYou are broke!\n")
    one_text_for_both = ObservedSession(FREE, both_texts, session("value 25.\nYou lost!\n"))
    sessions = [one_text_for_both, ObservedSession(FREE, only_broke, session("Dealer wins.\nYou lost!\n"))]
    assert find_differences(sessions) == [None, None]
    assert texts_in(sessions) == {"broke": b"You lost!", "bust": None}
    sessions = [one_text_for_both, ObservedSession(FREE, only_broke, session("Dealer wins.\n"))]
    assert find_differences(sessions) == [None, None]
    assert texts_in(sessions) == {"broke": None, "bust": b"\nYou lost!"}


@pytest.mark.parametrize("remaining_line", ["", "\n"], ids=["the empty line is missing too", "the empty line remains"])
def test_a_line_may_be_missing_with_or_without_an_adjacent_empty_line(remaining_line):
    expected, actual = session("a\n\nYou are broke!\n\nb\n"), session(f"a\n\n{remaining_line}b\n")
    assert find_differences(observed_sessions(expected, actual, actual)) == [None, None]
    differences = find_differences(
        observed_sessions(expected, actual, actual, session("a\n\nb\n"), session("a\n\n\nb\n"))
    )
    assert sum(difference is None for difference in differences) == 3
    assert None not in find_differences(observed_sessions(expected, session("a\n\n\n\nb\n"), session("a\nb\n")))


def test_a_text_shown_only_in_a_minority_of_sessions_is_rejected():
    sessions = observed_sessions(hand(), hand(broke=""), hand(broke="Done.\n"), hand(broke=""))
    assert [difference is None for difference in find_differences(sessions)] == [True, False, True]


@given(st.lists(st.sampled_from(["Push.", "Tie", "Draw"]), min_size=1, max_size=9))
def test_the_text_that_most_sessions_show_is_accepted(shown_texts):
    sessions = observed_sessions(
        session("a\nPush.\nb\n"), *[session(f"a\n{shown_text}\nb\n") for shown_text in shown_texts]
    )
    text = max(dict.fromkeys(shown_texts), key=shown_texts.count)
    assert texts_in(sessions) == {"push": text.encode()}
    assert [difference is None for difference in find_differences(sessions)] == [
        shown_text == text for shown_text in shown_texts
    ]


strictness = st.sampled_from(["exact", "ignored"])
relaxations = st.fixed_dictionaries(
    {
        "pauses": strictness,
        "trailing_blanks": strictness,
        "blank_lines": strictness,
        "letter_case": strictness,
        "alternatives": st.sampled_from([(), (("'", "’"),), (("Cards", "Karten", ""),)]),
    }
)
fragments = st.sampled_from(
    [
        "Push.",
        "Tie",
        "It’s a push",
        "a",
        "b ",
        " ",
        "\n",
        "\n\n",
        "Cards",
        "Karten",
        " You busted!",
        "\nYou are broke!\n",
        "\nPush.\n",
        "(h)it or (s)tand: ",
    ]
)
session_events = st.one_of(
    fragments.map(lambda word: Shown(word.encode())),
    st.sampled_from([Typed(b"h"), Paused(2000), InputEnded(), Shown(b"\xfd")]),
)
any_session = st.lists(session_events, max_size=12).map(canonical)


@settings(max_examples=300)
@given(any_session, any_session, relaxations)
def test_free_texts_accept_what_plain_comparison_with_own_texts_accepts(expected, actual, relaxation):
    """The plain comparison is with the expected session after the program's own texts were put into it."""
    policy = msgspec.structs.replace(FREE, **relaxation)
    expected_with_own_texts, policy_with_texts = with_submission_texts(expected, actual, policy)
    plain_policy = msgspec.structs.replace(policy_with_texts, free=(), accepted_texts=None)
    difference = difference_between(expected, actual, policy)
    assert (difference is None) == (difference_between(expected_with_own_texts, actual, plain_policy) is None)
    if difference is not None:
        split = located_difference(difference, expected, actual, policy).quoted
        observed_events = canonical(
            event for event in actual if policy.pauses == "exact" or not isinstance(event, Paused)
        )
        assert canonical((*split.before, *split.actual)) == observed_events
        remark_on(located_difference(difference, expected, actual, policy), ObservedSession(policy, expected, actual))


@settings(max_examples=300)
@given(any_session, relaxations)
def test_a_session_is_accepted_with_its_own_texts_under_any_policy(expected, relaxation):
    policy = msgspec.structs.replace(FREE, **relaxation)
    assert difference_between(expected, expected, policy) is None
    texts = texts_in([ObservedSession(policy, expected, expected)])
    assert difference_between(expected, expected, policy.with_accepted_texts(texts)) is None
    assert set(texts) == set(names_in(expected, policy.free))


@settings(max_examples=200)
@given(any_session, lines, relaxations)
def test_spans_of_free_texts_cover_the_inserted_texts(expected, text, relaxation):
    texts = {"push": text.encode(), "bust": None, "broke": b"x"}
    changed = replace_free_texts(flat(expected), FREE.free, texts)
    for span in spans_of(flat(expected), FREE.free, texts):
        inserted = texts.get(span.free.name, ASK.text.encode())
        assert changed[span.start : span.end] == (inserted or b"").decode("latin-1")


def test_the_free_texts_of_a_session_are_found_once_for_all_texts_that_are_tried():
    free_texts.occurrences_in.cache_clear()
    for text in (b"Tie.", b"Draw."):
        assert text.decode() in replace_free_texts(flat(session("Push.\n", "[x]")), (PUSH,), {PUSH.name: text})
    assert free_texts.occurrences_in.cache_info().misses == 1


def test_a_free_text_is_recognized_only_where_its_kind_allows():
    policy = Policy(free=(PUSH, ASK))
    changed_texts = {
        "Push. Again\n": "Tie. Again\n",
        "No Push.\n": "No Tie.\n",
        "Push.": "Tie.",
        "(h)it or (s)tand: \n": "(x) or (s)tand: \n",
    }
    for text, changed_text in changed_texts.items():
        expected = session(text, "[x]")
        assert names_in(expected, policy.free) == ()
        assert difference_between(expected, session(changed_text, "[x]"), policy) is not None
    assert names_in(session("a? ", "[x]", "Push.\n"), policy.free) == ("push",)
    assert names_in(session("a ", Paused(5), "Push.\n"), policy.free) == ()


def test_a_pause_within_a_free_text_is_a_difference():
    expected, actual = session("a\nPush.\nb\n"), session("a\nIt is", Paused(1000), " a push\nb\n")
    assert difference_between(expected, actual, FREE) is not None
    lenient = msgspec.structs.replace(FREE, pauses="ignored")
    assert difference_between(expected, actual, lenient) is None


def test_a_question_may_be_replaced_by_its_synonym_in_some_places():
    double = FreeText("double", "hit, stand or double? ", "prompt", synonyms=("hit or stand? ",))
    policy = Policy(free=(double,))
    expected = session(
        "Do: hit, stand or double? ", "[h]", "Do: hit or stand? ", "[h]", "Do: hit or stand? ", "[s]", "x\n"
    )
    mixed = session("Do: h/s/d? ", "[h]", "Do: h/s/d? ", "[h]", "Do: hit or stand? ", "[s]", "x\n")
    with_new_text = session("Do: h/s/d? ", "[h]", "Do: h/s? ", "[h]", "Do: hit or stand? ", "[s]", "x\n")
    assert find_differences(observed_sessions(expected, mixed, mixed, policy=policy)) == [None, None]
    assert None not in find_differences(observed_sessions(expected, with_new_text, with_new_text, policy=policy))


def test_a_synonym_may_be_replaced_by_a_text_that_is_not_utf_8():
    policy = Policy(free=(FreeText("push", "Push.", "line", synonyms=("Draw.",)),))
    own_text = policy.with_accepted_texts({"push": b"\xa0Tie"})
    actual = (Shown(b"\xa0Tie\n\xa0Tie\n"),)
    assert difference_between(session("Push.\nDraw.\n"), actual, own_text) is None
    assert difference_between(session("Push.\nDraw!\n"), actual, own_text) is not None


def test_a_text_before_an_event_is_read_even_if_the_events_differ():
    policy = Policy(free=(PUSH,))
    expected, actual = session("Push.\n", Paused(2000), "b\n"), session("Tie\n", "[x]", "b\n")
    assert SessionPair(expected, actual, policy).read() == {"push": b"Tie"}
    assert SessionPair(expected, session("Tie\nb\n"), policy).read() == {}


#: The prompt of ece2036.
HIT = "What would you like to do? Enter (h)it or (s)tand: "


@pytest.mark.parametrize("no_pair", ["These cards cannot be split.", "Invalid choice."])
@pytest.mark.parametrize("late", ["It is too late to split.", "Invalid choice.", "Too late!"])
def test_either_of_two_reasons_may_be_given_for_refusing_a_key(no_pair, late):
    """And not always the same reason, since a program may check them in another order than the reference."""
    policy = load_assignment(ROOT / "specs" / "ece2036").stage("split").policy

    def session_with(*texts):
        """A session in which the key p, for a split, is refused with each of these texts."""
        refusals = (part for text in texts for part in (HIT, "[p]", f"{text}\n"))
        return session(*refusals, HIT, "[s]", "Dealer wins.\n")

    reference_texts = "These cards cannot be split.", "There is not enough money to split.", "It is too late to split."
    program_texts = no_pair, "Too poor!", late
    expected = session_with(*reference_texts, reference_texts[0])
    assert find_differences(observed_sessions(expected, session_with(*program_texts, "Too poor!"), policy=policy)) == [
        None
    ]
    assert find_differences(observed_sessions(expected, session_with(*program_texts, no_pair), policy=policy)) == [None]
    assert None not in find_differences(
        observed_sessions(expected, session_with(*program_texts, "Player wins!"), policy=policy)
    )
    assert None not in find_differences(
        observed_sessions(expected, session_with(*program_texts, "Too rich!"), policy=policy)
    )


def remarks_on(expected, *actual, policy=FREE):
    """For each session the remark on its difference, or None."""
    sessions = observed_sessions(expected, *actual, policy=policy)
    texts = texts_in(sessions)
    remarks = []
    for observed in sessions:
        policy_with_texts = observed.policy.with_accepted_texts(texts)
        difference = difference_between(observed.expected, observed.actual, policy_with_texts)
        located = difference and located_difference(difference, observed.expected, observed.actual, policy_with_texts)
        remark = located and remark_on(located, ObservedSession(policy_with_texts, observed.expected, observed.actual))
        remarks.append(remark and sentence_on_free_text(remark))
    return remarks


def test_a_text_that_differs_from_the_accepted_one_is_remarked_on():
    tie = hand(push="Tie!\n")
    remark = "The text for “push” is free, but must be the same each time: elsewhere it is “Tie!”."
    for other_text in ("Push!\n", "Push.\n", "Tie!!\n"):
        assert remarks_on(hand(), tie, hand(push=other_text), tie) == [None, remark, None]


def test_a_text_missing_elsewhere_or_only_here_is_remarked_on():
    expected = session("a\nYou are broke!\nb\n")
    without_text, with_text = session("a\nb\n"), session("a\nOh no!\nb\n")
    assert remarks_on(expected, without_text, with_text, without_text) == [
        None,
        "The text for “broke” is free, but must be the same each time: elsewhere it is missing.",
        None,
    ]
    assert remarks_on(expected, with_text, without_text, with_text) == [
        None,
        "The text for “broke” is missing here: elsewhere it is “Oh no!”.",
        None,
    ]


def test_a_text_missing_elsewhere_is_remarked_on_if_blank_lines_are_ignored():
    policy = msgspec.structs.replace(FREE, blank_lines="ignored")
    expected = session("a\n\nYou are broke!\n\n\nb\n")
    without_text, with_text = session("a\n\nb\n"), session("a\nOh no!\n\n\nb\n")
    assert remarks_on(expected, without_text, with_text, without_text, policy=policy)[1] == (
        "The text for “broke” is free, but must be the same each time: elsewhere it is missing."
    )


def test_an_accepted_text_is_quoted_up_to_200_characters():
    assert sentence_on_accepted(AcceptedDifference("push", "Push.", b"x" * 200)).startswith(f"“{'x' * 200}” was taken")
    assert sentence_on_accepted(AcceptedDifference("push", "Push.", b"x" * 201)).startswith(f"“{'x' * 199}…” was taken")


def test_a_text_already_used_for_another_free_text_is_remarked_on():
    oh_no = hand(push="Oh no!\n", bust=" Oh no!")
    assert remarks_on(hand(), oh_no) == ["“Oh no!” cannot be the text for “push”, since it is the text for “bust”."]


@pytest.mark.parametrize(("name", "may_equal"), [("push", " You busted!"), ("bust", "Push.")])
def test_a_text_that_may_equal_another_is_not_remarked_on(name, may_equal):
    """Whichever of the two says so."""
    free = tuple(
        msgspec.structs.replace(text, may_equal=(may_equal,)) if text.name == name else text for text in FREE.free
    )
    stops_after_push = hand(push="Oh no!\nThe end.\n", bust=" Oh no!")
    assert remarks_on(hand(), stops_after_push) == [
        "“Oh no!” cannot be the text for “push”, since it is the text for “bust”."
    ]
    assert remarks_on(hand(), stops_after_push, policy=msgspec.structs.replace(FREE, free=free)) == [None]


def test_there_is_no_remark_if_something_else_is_wrong():
    tie = hand(push="Tie!\n")
    assert remarks_on(hand(), tie, hand(push="Player wins.\n"), tie)[1] is None
    assert remarks_on(hand(), tie, hand(push="Tie!\nCards 3\n"), tie)[1] is None
    assert remarks_on(hand(), hand(broke=""), (*hand(broke=""), Typed(b"x")), hand(broke=""))[1] is None


def test_an_accepted_text_is_reported_in_one_sentence():
    assert sentence_on_accepted(AcceptedDifference("push", "Push.", b"It is a push!")) == (
        "“It is a push!” was taken for “Push.”, the text for “push”."
    )
    assert sentence_on_accepted(AcceptedDifference("bust", " You busted!", b"\nYou lost!")) == (
        "“You lost!” was taken for “You busted!”, the text for “bust”."
    )
    assert sentence_on_accepted(AcceptedDifference("push", "Push.", b"A\nB")) == (
        "“A” and on the next line “B” was taken for “Push.”, the text for “push”."
    )
    assert (
        sentence_on_accepted(AcceptedDifference("broke", "Broke!", None))
        == "A missing text was taken for “Broke!”, the text for “broke”."
    )
    assert sentence_on_accepted(AcceptedDifference("", "'", "’".encode())) == "“’” was taken for “'”."


def test_only_alternatives_that_were_used_are_reported():
    policy = Policy(alternatives=(("Push.", "Tie.", "Draw."), ("Hi\n", "")))
    expected, actual = session("Hi\na\nPush.\nTie.\n"), session("a\nTie.\nTie.\n")
    sessions = observed_sessions(expected, actual, policy=policy)
    assert find_differences(sessions) == [None]
    assert accepted_differences(sessions, {}) == (
        AcceptedDifference("", "Push.", b"Tie."),
        AcceptedDifference("", "Hi\n", None),
    )
    assert accepted_differences(observed_sessions(expected, expected, policy=policy), {}) == ()


def test_a_session_is_searched_for_only_once_with_the_same_texts(monkeypatch):
    searched, accepted = [], reading_texts.with_permitted_lines
    pair = SessionPair(hand(), hand(push="Tie\n"), FREE)
    monkeypatch.setattr(
        reading_texts, "with_permitted_lines", lambda *arguments: searched.append(arguments) or accepted(*arguments)
    )
    pair.read()
    first_count = len(searched)
    pair.read()
    # Only whether the texts explain the session is compared again.
    assert len(searched) == first_count + 1 > 2


def test_the_majority_text_does_not_depend_on_the_order_of_sessions():
    pairs = [SessionPair(hand(), actual, FREE) for actual in [hand(push="Tie\n")] * 3 + [hand(push="Draw\n")] * 2]
    assert texts_by_majority(pairs) == texts_by_majority(pairs[::-1])
    assert texts_by_majority(pairs)["push"] == b"Tie"


@pytest.mark.parametrize(("synonyms", "read"), [((), "Again? "), (("Play? ",), "More? ")])
def test_of_two_texts_that_are_clear_the_one_is_read_that_is_not_accepted_anyway(synonyms, read):
    """Most sessions show the other question's text here, but texts with a common synonym are accepted for each other."""
    other = FreeText("other", "Again? ", "prompt", synonyms=("Play? ",))
    policy = Policy(
        free=(other, FreeText("question", "Once more? ", "prompt", may_equal=("Again? ",), synonyms=synonyms))
    )
    expected = session("Won.\nAgain? ", "[y]", "Lost.\nOnce more? ", "[n]")
    pairs = [
        SessionPair(expected, session("Won.\nAgain? ", "[y]", f"Lost.\n{question}", "[n]"), policy)
        for question in ("Again? ", "Again? ", "More? ")
    ]
    assert texts_by_majority(pairs)["question"] == read.encode()


LEAVE = FreeText("leaving", "Again? n", "after", lines=2)
LEAVING = Policy(free=(LEAVE,), reserved=("Won.",))


@pytest.mark.parametrize("text", ["Bye!\n", "\nBye!\n", "Bye!\nCome again.\n", "Bye!", "\n"])
def test_any_text_or_none_is_accepted_after_a_typed_line(text):
    expected = session("Again? ", "[y]", "Again? ", "[n]")
    actual = session("Again? ", "[y]", "Again? ", "[n]", text)
    assert find_differences(observed_sessions(expected, actual, actual, policy=LEAVING)) == [None, None]
    assert find_differences(observed_sessions(expected, expected, policy=LEAVING)) == [None]
    differences = find_differences(observed_sessions(expected, actual, actual, expected, policy=LEAVING))
    # An empty line at the end may be there at times: nobody would see that.
    assert [difference is None for difference in differences] == [True, True, text == "\n"]
    differences = find_differences(observed_sessions(expected, expected, expected, actual, policy=LEAVING))
    assert [difference is None for difference in differences] == [True, True, text == "\n"]
    early = session("Again? ", "[y]", text, "Again? ", "[n]", text)
    assert find_differences(observed_sessions(expected, early, policy=LEAVING)) != [None]


@pytest.mark.parametrize("text", ["\n\n\n", "a\nb\nc\n", "Won.\n"])
def test_a_long_or_reserved_text_after_a_typed_line_is_rejected(text):
    expected = session("Again? ", "[y]", "Again? ", "[n]")
    actual = session("Again? ", "[y]", "Again? ", "[n]", text)
    assert find_differences(observed_sessions(expected, actual, policy=LEAVING)) != [None]


@pytest.mark.parametrize(
    ("assignment", "prompt", "line", "reference_text", "program_text", "wrong_text"),
    [
        ("csc101", "Enter command: ", "q", "", "\nDealer wins.\n", "\nPlayer wins.\n"),
        (
            "csc101",
            "Enter command for second hand: ",
            "q",
            "",
            "\nDealer wins first hand.\nDealer wins second hand.\n",
            "\nPlayer wins first hand.\nDealer wins second hand.\n",
        ),
        (
            "csc101",
            "Enter command: ",
            "2",
            "\nCommand '2' unrecognized\n",
            "\nSplit can only be first or second command\n",
            "\nDealer wins.\n",
        ),
        (
            "ece2036",
            HIT,
            "d",
            "There is not enough money to double.\n",
            "You don't have that much money!  Enter a lower bet.\n",
            "Dealer wins.\n",
        ),
    ],
    ids=["given up", "split hands given up", "no pair", "no money"],
)
def test_the_text_of_another_outcome_is_accepted_where_it_hides_no_error(
    assignment, prompt, line, reference_text, program_text, wrong_text
):
    policy = load_assignment(ROOT / "specs" / assignment).stages[-1].policy
    # Earlier in the session the other outcome occurs, and pitboss reads its text there.
    too_high = "You don't have that much money!  Enter a lower bet.\n"
    too_late = ("[h]", "\nPlayer's Hand: 2S, 3S\n\n", prompt, "[2]", "\nSplit can only be first or second command\n\n")
    before = too_late if assignment == "csc101" else ("[900]", too_high)

    def session_with(text):
        return session(prompt, *before, prompt, f"[{line}]", f"{text}\n{prompt}")

    assert find_differences(
        observed_sessions(session_with(reference_text), session_with(program_text), policy=policy)
    ) == [None]
    assert find_differences(
        observed_sessions(session_with(reference_text), session_with(wrong_text), policy=policy)
    ) != [None]


def test_texts_after_two_typed_lines_may_be_the_same():
    """The reference shows nothing in either place, so equal texts do not hide any of its results."""
    give_up = FreeText("giving up", "Move? q", "after")
    policy = Policy(free=(LEAVE, give_up), reserved=("Won.",))
    expected = session("Move? ", "[q]", "Again? ", "[n]")

    def difference_with(first, last):
        """The difference of a session with these texts after the two typed lines, or None."""
        actual = session("Move? ", "[q]", first, "Again? ", "[n]", last)
        (difference,) = find_differences(observed_sessions(expected, actual, policy=policy))
        return difference

    assert difference_with("Bye!\n", "Bye!\n") is None
    assert difference_with("Oh no!\n", "Bye!\n") is None
    assert difference_with("Won.\n", "Bye!\n") is not None


def test_output_after_a_free_text_is_still_compared():
    expected = session("Again? ", "[n]", "Sum: 5\n")
    assert find_differences(
        observed_sessions(expected, session("Again? ", "[n]", "Bye!\nSum: 5\n"), policy=LEAVING)
    ) == [None]
    (difference,) = find_differences(
        observed_sessions(expected, session("Again? ", "[n]", "Bye!\nSum: 6\n"), policy=LEAVING)
    )
    assert difference.actual == (Shown(b"6\n"),)
    texts = texts_in(observed_sessions(expected, session("Again? ", "[n]", "Bye!\nSum: 5\n"), policy=LEAVING))
    (accepted,) = accepted_differences(
        observed_sessions(expected, session("Again? ", "[n]", "Bye!\nSum: 5\n"), policy=LEAVING), texts
    )
    assert sentence_on_accepted(accepted) == ("“Bye!” was taken for “leaving”, where the reference shows nothing.")


def test_numbers_in_a_free_text_may_vary_where_allowed():
    expected = session("? ", "[d]", "Sum: 5\n? ", "[d]", "Sum: 6\n")
    vary = Policy(free=(FreeText("doubling", "? d", "after", lines=2, numbers_vary=True),))
    fixed = Policy(free=(FreeText("doubling", "? d", "after", lines=2),))

    def session_with(first, second, total=6):
        return session("? ", "[d]", f"{first}Sum: 5\n? ", "[d]", f"{second}Sum: {total}\n")

    varied = session_with("Bet 40!\n", "Bet 62.5!\n")
    assert find_differences(
        observed_sessions(expected, varied, session_with("Bet 1!\n", "Bet 1,000!\n"), policy=vary)
    ) == [None, None]
    assert None not in find_differences(observed_sessions(expected, varied, policy=fixed))
    (accepted,) = accepted_differences(
        observed_sessions(expected, varied, policy=vary), texts_in(observed_sessions(expected, varied, policy=vary))
    )
    assert sentence_on_accepted(accepted) == ("“Bet #!” was taken for “doubling”, where the reference shows nothing.")
    assert None not in find_differences(
        observed_sessions(expected, session_with("Bet 40!\n", "Bat 60!\n"), policy=vary)
    )
    (difference,) = find_differences(
        observed_sessions(expected, session_with("Bet 40!\n", "Bet 60!\n", 7), policy=vary)
    )
    assert difference.actual == (Shown(b"7\n"),)


@pytest.mark.parametrize("kind", ["line", "end_of_line"])
def test_numbers_in_a_free_line_may_vary_where_allowed(kind):
    expected = session("? ", "[9]", "Too low!\nAgain? ", "[-5]", "Too low!\nAgain? ", "[x]", "Bye.\n")
    low = FreeText("low", "Too low!", kind, numbers_vary=True)

    def session_with(first, second):
        return session("? ", "[9]", f"{first}\nAgain? ", "[-5]", f"{second}\nAgain? ", "[x]", "Bye.\n")

    varied = session_with("Sorry, 9 is too low.", "Sorry, -5 is too low.")
    assert find_differences(observed_sessions(expected, varied, policy=Policy(free=(low,)))) == [None]
    assert None not in find_differences(
        observed_sessions(expected, varied, policy=Policy(free=(FreeText("low", "Too low!", kind),)))
    )
    changed = session_with("Sorry, 9 is too low.", "No, -5 is too low.")
    assert None not in find_differences(observed_sessions(expected, changed, policy=Policy(free=(low,))))


def test_numbers_in_a_free_prompt_may_vary_where_allowed():
    expected, varied = session("Bet? ", "[9]", "Bet? ", "[-5]"), session("1: ", "[9]", "2: ", "[-5]")
    policies = [Policy(free=(FreeText("bet", "Bet? ", "prompt", numbers_vary=varies),)) for varies in (True, False)]
    free, fixed = (find_differences(observed_sessions(expected, varied, policy=policy)) for policy in policies)
    assert free == [None]
    assert None not in fixed


@given(st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), min_size=2, max_size=3, unique=True))
@example(["o", "n", "is"])  # words and letters of the text itself
@example(["à", "é"])  # the last byte of à is a blank in Latin-1
def test_a_free_text_may_repeat_the_line_that_was_typed(keys):
    unknown = FreeText("unknown", "What?", "line", numbers_vary=True)
    own = msgspec.structs.replace(unknown, numbers_vary=False)

    def session_with(texts):
        turns = (part for key, text in zip(keys, texts, strict=True) for part in (f"[{key}]", f"{text}\n? "))
        return session("? ", *turns, "[q]", "Bye.\n")

    expected, repeated = session_with(["What?"] * len(keys)), session_with([f"'{key}' is no key." for key in keys])
    assert find_differences(observed_sessions(expected, repeated, policy=Policy(free=(unknown,)))) == [None]
    assert find_differences(observed_sessions(expected, repeated, policy=Policy(free=(own,)))) != [None]
    others = session_with([f"'{key}' is no key." for key in (*keys[1:], keys[0])])
    assert find_differences(observed_sessions(expected, others, policy=Policy(free=(unknown,)))) != [None]


def test_sessions_that_differ_in_free_texts_alone_are_the_same_without_them():
    """A refusal is no sign of a feature: without it, the same key is refused with another text."""
    unknown = FreeText("unknown", "No such key.", "line")
    late = FreeText("late", "Late.", "line", synonyms=(unknown.text,))
    double = FreeText("double", "hit, stand or double? ", "prompt", synonyms=("hit or stand? ",))

    def without_texts(*parts):
        return without_free_texts(flat(session(*parts)), (unknown, late, double))

    with_feature = without_texts(double.text, "[h]", "6 6\nhit or stand? ", "[d]", "Late.\nhit or stand? ", "[s]")
    without = without_texts(
        "hit or stand? ", "[h]", "6 6\nhit or stand? ", "[d]", "No such key.\nhit or stand? ", "[s]"
    )
    assert with_feature == without
    assert with_feature != without_texts("hit or stand? ", "[h]", "6 7\nhit or stand? ", "[d]", "hit or stand? ", "[s]")


def test_a_synonym_stands_for_a_whole_line_only():
    late = FreeText("too late", "Too late.", "line", synonyms=("No.",))
    policy = Policy(free=(late, FreeText("no", "No.", "line")))
    expected = session("Too late.\nNo.\nNo. 5\n")
    actual = session("Keys: hs\nKeys: hsd\nNo. 5\n")
    assert find_differences(observed_sessions(expected, actual, policy=policy)) == [None]
    wrong = session("Keys: hs\nKeys: hsd\nKeys: hs 5\n")
    assert find_differences(observed_sessions(expected, wrong, policy=policy)) != [None]


def test_a_text_after_a_synonym_of_its_question_is_recognized():
    double = FreeText("double", "hit, stand or double? ", "prompt", synonyms=("hit or stand? ",))
    policy = Policy(free=(double, FreeText("refused", "hit or stand? d", "after")))
    expected = session("hit or stand? ", "[d]", "hit or stand? ", "[s]", "x\n")
    actual = session("hit, stand or double? ", "[d]", "No money!\nhit, stand or double? ", "[s]", "x\n")
    assert find_differences(observed_sessions(expected, actual, actual, policy=policy)) == [None, None]
    assert texts_in(observed_sessions(expected, actual, policy=policy)) == {"refused": b"No money!\n"}


_NAME = st.from_regex(r"([a-zA-Z0-9#()'-]{1,7} ){0,2}[hH]and( [a-zA-Z0-9#()'-]{1,7}){0,2}", fullmatch=True)


@given(_NAME.map("Player's {}".format) | st.from_regex(r"Player [a-zA-Z0-9#()'-]{1,20}'s hand", fullmatch=True))
def test_the_hands_of_a_split_may_have_any_names(hand):
    policy = load_assignment(ROOT / "specs" / "ece2036").stage("split").policy
    line = "Player's hand is: Six Two\nPlayer's hand value is 8\nPlayer's hand is bust.\n"
    named = line.replace("Player's hand", hand)
    assert find_differences(observed_sessions(session(line), session(named), policy=policy)) == [None]
    for old, new in (("Two", "Ten"), ("8", "9"), ("value", "worth"), (": ", " "), ("Player", "Dealer")):
        wrong = line.replace(old, new).replace("Player's hand", hand)
        wrong = wrong.replace("r's hand", f"r{hand.removeprefix('Player')}")
        assert find_differences(observed_sessions(session(line), session(wrong), policy=policy)) != [None]


@pytest.mark.parametrize(
    "result", ["Player wins!", "Dealer wins.", "Player's hand is bust.", "Dealer's hand is bust. Player wins!"]
)
@given(name=_NAME, form=st.sampled_from(["{}: {}", "{} - {}", "{1} ({0})", "{1} on {0}!", "{1} (first)"]))
def test_the_results_of_a_split_may_be_named_before_or_after_them(result, name, form):
    policy = load_assignment(ROOT / "specs" / "ece2036").stage("split").policy
    is_named_after_bust = result == "Player's hand is bust." and form.startswith("{1}")
    # In parentheses alone, and no text of one's own is longer.
    assume(not is_named_after_bust or (form.endswith(")") and len(name) <= 30))
    named, expected = session(form.format(name, result) + "\n"), session(f"First hand: {result}\n")
    assert find_differences(observed_sessions(expected, named, policy=policy)) == [None]
    for other in ("Player wins!", "Dealer wins.", "Player's hand is bust.", "Dealer's hand is bust. Player wins!"):
        is_same = find_differences(observed_sessions(session(f"{other}\n"), named, policy=policy)) == [None]
        assert is_same == (other == result)


def test_equal_texts_with_other_numbers_may_follow_one_another():
    first = FreeText("push of the first", "First: Push.", "line", numbers_vary=True)
    second = FreeText("push of the second", "Second: Push.", "line", numbers_vary=True, may_equal=("First: Push.",))
    policy = Policy(free=(first, second))
    expected = session("Split? ", "[y]", "First: Push.\nSecond: Push.\nmoney 3\n")
    actual = session("Split? ", "[y]", "Hand 1: tie.\nHand 2: tie.\nmoney 3\n")
    other = session("Split? ", "[y]", "Hand 1: tie.\nHand 2: tie.\nmoney 4\n")
    assert find_differences(observed_sessions(expected, actual, policy=policy)) == [None]
    assert find_differences(observed_sessions(expected, other, policy=policy)) != [None]


def test_the_newline_of_ece2036s_last_line_may_be_missing():
    policy = load_assignment(ROOT / "specs" / "ece2036").stage("blackjack").policy
    ending = session("Dealer wins.\nPlayer has 0 dollars")
    assert find_differences(
        observed_sessions(session("Dealer wins.\nPlayer has 0 dollars\n"), ending, policy=policy)
    ) == [None]
    assert find_differences(
        observed_sessions(session("Dealer wins.\nPlayer has 5 dollars\n"), ending, policy=policy)
    ) != [None]


def test_an_accepted_text_is_reported_as_the_program_shows_it():
    policy = Policy(alternatives=(("Your hand is:", "Your{text}hand is:"),))
    sessions = observed_sessions(session("Your hand is: 3\n"), session("Your left lower hand is: 3\n"), policy=policy)
    assert accepted_differences(sessions, {}) == (AcceptedDifference("", "Your hand is:", b"Your left lower hand is:"),)


def test_a_text_that_the_program_never_shows_is_not_reported():
    """“Too late.” is the accepted text for “no money”, as a synonym, but the program shows “Not now.” in both places."""
    late = FreeText("too late", "Too late.", "line", synonyms=("No money.",))
    poor = FreeText("no money", "No money.", "line", synonyms=("Too late.",))
    policy = Policy(free=(late, poor))
    sessions = observed_sessions(session("Too late.\nNo money.\n"), session("Not now.\nNot now.\n"), policy=policy)
    assert accepted_differences(sessions, {"too late": b"Not now.", "no money": b"Too late."}) == (
        AcceptedDifference("too late", "Too late.", b"Not now."),
    )
    sessions = observed_sessions(session("Too late.\nNo money.\n"), session("Too late.\nToo late.\n"), policy=policy)
    assert accepted_differences(sessions, {"too late": b"Too late.", "no money": b"Too late."}) == (
        AcceptedDifference("no money", "No money.", b"Too late."),
    )


def test_another_line_with_other_numbers_is_no_text_whose_numbers_vary():
    broke = FreeText("broke", "You are broke with 3.", "line", numbers_vary=True)
    policy = Policy(free=(broke,))
    expected = session("Round 1, 9 left.\n", "[y]", "You are broke with 3.\n")
    ruined = session("Round 1, 9 left.\n", "[y]", "Ruined: 3 left.\n")
    goes_on = session("Round 1, 9 left.\n", "[y]", "Round 2, 3 left.\n")
    assert find_differences(observed_sessions(expected, ruined, policy=policy)) == [None]
    assert find_differences(observed_sessions(expected, goes_on, policy=policy)) != [None]


def test_a_report_says_that_an_empty_line_was_taken_for_a_text():
    assert sentence_on_accepted(AcceptedDifference("leaving", "", b"\n")) == (
        "An empty line was taken for “leaving”, where the reference shows nothing."
    )
