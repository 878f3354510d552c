"""A free text may be anything, the same each time; it absorbs nothing else, and no wrong program slips through."""

import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pitboss.assignments.specfile import load_assignment
from pitboss.compare.comparison import difference_between
from pitboss.compare.location import located_difference
from pitboss.compare.reading_texts import SessionPair, meaning_of, settled, texts_of
from pitboss.compare.submission_texts import (
    AcceptedDifference,
    ObservedSession,
    accepted_differences,
    remark_on,
    texts_in,
)
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.free_texts import names_in, replace_free_texts, spans_of
from pitboss.model.relaxation import Provenance, relaxed
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed, canonical
from pitboss.reports.finding_sentences import sentence_on_accepted, sentence_on_remark
from tests.conftest import ROOT

PUSH = FreeText("push", "Push.", "line")
BUST = FreeText("bust", " You busted!", "end_of_line", may_be_missing=True, lines=2)
BROKE = FreeText("broke", "You are broke!", "line", may_be_missing=True, may_equal=(" You busted!",))
ASK = FreeText("question", "(h)it or (s)tand: ", "prompt", lines=2)
FREE = Policy(free=(PUSH, BUST, BROKE, ASK), reserved=("Player wins.", "Dealer wins."))


def session(*events):
    """A session; a text is shown, and a line in brackets is typed."""
    made = []
    for one in events:
        is_typed = isinstance(one, str) and one[:1] == "["
        made.append(one if not isinstance(one, str) else Typed(one[1:-1].encode()) if is_typed else Shown(one.encode()))
    return canonical(made)


def hand(push="Push.\n", bust=" You busted!", broke="You are broke!\n", ask="(h)it or (s)tand: "):
    """A session in which each free text comes up, twice where it may."""
    ask = f"What? {ask}"
    return session(
        "Cards 9\n", ask, "[h]", f"value 25.{bust}\n\nCards 8\n", ask, "[s]", f"\n{push}\nCards 7\n", ask, "[s]",
        f"{push}Cards 6\nvalue 26.{bust}\n{broke}",
    )  # fmt: skip


def seen(expected, *actual, policy=FREE):
    return [ObservedSession(policy, expected, one) for one in actual]


def verdicts(sessions):
    """The differences of sessions under the texts that all of them show."""
    texts = texts_in(sessions)
    return [difference_between(one.expected, one.actual, one.policy.with_accepted_texts(texts)) for one in sessions]


lines = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), min_size=1, max_size=30).filter(
    lambda text: (
        text.strip() and text[0] != "[" and meaning_of(text.encode()) not in {meaning_of(one) for one in OTHERS}
    )
)
OTHERS = [b"Player wins.", b"Dealer wins.", b"You busted!", b"You are broke!", b"(h)it or (s)tand: ", b"Push."]
OTHERS += [b"Cards %d" % number for number in range(10)]


@given(lines)
@example("It is a push!")
@example("\xfd\x041\x04")
@example("Cards")
def test_free_lines_is_accepted_for_a_free_one_and_reported_as_it_is(text):
    sessions = seen(hand(), hand(push=f"{text}\n"), hand(push=f"{text}\n"))
    assert verdicts(sessions) == [None, None]
    assert texts_in(sessions)["push"] == text.encode()
    assert accepted_differences(sessions, texts_in(sessions)) == (AcceptedDifference("push", "Push.", text.encode()),)


@given(st.binary(min_size=1, max_size=12))
@example(b"\xfd")
@example(b"\xfd\x00\xfd\x040\x04")
def test_a_free_line_may_have_any_bytes(text):
    assume(b"\n" not in text and text.strip() and meaning_of(text) not in set(map(meaning_of, OTHERS)))
    expected, actual = session("a\nPush.\nb\n"), canonical((Shown(b"a\n%b\nb\n" % text),))
    assert difference_between(expected, actual, FREE) is None


@given(lines, lines)
def test_of_two_texts_the_rarer_one_is_rejected_where_it_stands(text, other):
    assume(text != other)
    sessions = seen(hand(), *[hand(push=f"{one}\n") for one in (text, other, text)])
    first, second, third = verdicts(sessions)
    assert (first, third) == (None, None)
    assert second is not None
    assert (second.line, second.column) >= (8, 1)


@given(lines, st.sampled_from([b"Cards 6\n", b"value 26.", b"Cards 7\n", b"Cards 9\n"]))
def test_what_differs_elsewhere_is_found_there(text, place):
    right = hand(push=f"{text}\n")
    wrong = canonical(
        Shown(one.text.replace(place, place[:2] + b"#" + place[2:])) if isinstance(one, Shown) else one for one in right
    )
    difference = difference_between(hand(), wrong, FREE)
    assert difference is not None
    assert difference.actual[0].text.startswith(b"#" + place[2:3])


@pytest.mark.parametrize("text", ["Player wins.", "player wins", "Dealer wins!", "Cards 7", "You busted!"])
def test_a_text_that_means_something_else_is_rejected(text):
    sessions = seen(hand(), hand(push=f"{text}\n"))
    (difference,) = verdicts(sessions)
    assert difference is not None
    assert difference_between(hand(), hand(push=f"{text}\n"), FREE.with_accepted_texts({"push": b"Push."})) is not None


def test_two_free_texts_may_not_be_the_same_unless_that_is_allowed():
    assert verdicts(seen(hand(), hand(push="Oh no!\n", bust=" Oh no!"))) != [None]
    assert verdicts(seen(hand(), hand(broke="Oh no!\n", bust=" Oh no!"))) == [None]


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
def test_other_texts_are_accepted_together(change):
    assert verdicts(seen(hand(), *[hand(**change)] * 3)) == [None] * 3


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
def test_a_text_with_too_mfree_liness_or_none_is_rejected(change):
    assert None not in verdicts(seen(hand(), *[hand(**change)] * 3))


def test_a_text_whose_place_one_session_leaves_open_is_read_from_the_others():
    """Where both texts stand in a row, and only one of two is shown, other sessions tell which it is."""
    both, broke = ("value 25. You busted!\nYou are broke!\n",), ("Dealer wins.\nYou are broke!\n",)
    open_, output = session("value 25.\nYou lost!\n"), session("Dealer wins.\nYou lost!\n")
    sessions = [ObservedSession(FREE, session(*both), open_), ObservedSession(FREE, session(*broke), output)]
    assert verdicts(sessions) == [None, None]
    assert texts_in(sessions) == {"broke": b"You lost!", "bust": None}
    sessions = [
        ObservedSession(FREE, session(*both), open_),
        ObservedSession(FREE, session(*broke), session("Dealer wins.\n")),
    ]
    assert verdicts(sessions) == [None, None]
    assert texts_in(sessions) == {"broke": None, "bust": b"\nYou lost!"}


@pytest.mark.parametrize("missing", ["", "\n"], ids=["with an empty line", "without it"])
def test_a_line_between_empty_lines_may_be_missing_with_one_of_them_or_without(missing):
    expected, actual = session("a\n\nYou are broke!\n\nb\n"), session(f"a\n\n{missing}b\n")
    assert verdicts(seen(expected, actual, actual)) == [None, None]
    both = verdicts(seen(expected, actual, actual, session("a\n\nb\n"), session("a\n\n\nb\n")))
    assert sum(one is None for one in both) == 3
    assert None not in verdicts(seen(expected, session("a\n\n\n\nb\n"), session("a\nb\n")))


def test_what_is_missing_once_and_shown_once_is_rejected():
    sessions = seen(hand(), hand(broke=""), hand(broke="Done.\n"), hand(broke=""))
    assert [one is None for one in verdicts(sessions)] == [True, False, True]


@given(st.lists(st.sampled_from(["Push.", "Tie", "Draw"]), min_size=1, max_size=9))
def test_the_text_of_most_sessions_is_the_one(shown):
    sessions = seen(session("a\nPush.\nb\n"), *[session(f"a\n{one}\nb\n") for one in shown])
    text = max(dict.fromkeys(shown), key=shown.count)
    assert texts_in(sessions) == {"push": text.encode()}
    assert [one is None for one in verdicts(sessions)] == [one == text for one in shown]


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
words = st.sampled_from(
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
shown = st.one_of(
    words.map(lambda word: Shown(word.encode())),
    st.sampled_from([Typed(b"h"), Paused(2000), InputEnded(), Shown(b"\xfd")]),
)
any_session = st.lists(shown, max_size=12).map(canonical)


@settings(max_examples=300)
@given(any_session, any_session, relaxations)
def test_what_is_accepted_is_accepted_with_the_texts_that_were_read(expected, actual, relaxation):
    """Free texts accept exactly what comparison without them accepts, of the session with the program's own texts."""
    policy = msgspec.structs.replace(FREE, **relaxation)
    changed, known = settled(expected, actual, policy)
    bare = msgspec.structs.replace(known, free=(), accepted_texts=None)
    difference = difference_between(expected, actual, policy)
    assert (difference is None) == (difference_between(changed, actual, bare) is None)
    if difference is not None:
        split = located_difference(difference, expected, actual, policy).quoted
        raw = canonical(one for one in actual if policy.pauses == "exact" or not isinstance(one, Paused))
        assert canonical((*split.before, *split.actual)) == raw
        remark_on(located_difference(difference, expected, actual, policy), ObservedSession(policy, expected, actual))
    else:
        assert Provenance(changed, bare).read == relaxed(changed, bare)


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
def test_the_spans_of_texts_put_in_are_those_texts(expected, text, relaxation):
    texts = {"push": text.encode(), "bust": None, "broke": b"x"}
    changed = replace_free_texts(expected, FREE.free, texts)
    flat = b"".join(one.text if isinstance(one, Shown) else b"\0" for one in changed)
    for span in spans_of(expected, FREE.free, texts):
        wanted = texts.get(span.name, ASK.text.encode())
        assert flat[span.start : span.end] == (wanted or b"")


def test_a_free_text_stands_only_where_its_kind_says():
    policy = Policy(free=(PUSH, ASK))
    for text in ("Push. Again\n", "No Push.\n", "Push.", "(h)it or (s)tand: \n"):
        expected = session(text, "[x]")
        assert names_in(expected, policy.free) == ()
        assert difference_between(
            expected, session(text.replace("Push", "Tie").replace("hit", "x"), "[x]"), policy
        ) or ("Push" not in text)
    assert names_in(session("a? ", "[x]", "Push.\n"), policy.free) == ("push",)
    assert names_in(session("a ", Paused(5), "Push.\n"), policy.free) == ()


def test_a_pause_within_a_free_text_is_a_difference():
    expected, actual = session("a\nPush.\nb\n"), session("a\nIt is", Paused(1000), " a push\nb\n")
    assert difference_between(expected, actual, FREE) is not None
    lenient = msgspec.structs.replace(FREE, pauses="ignored")
    assert difference_between(expected, actual, lenient) is None


def test_a_question_may_stand_for_another_one_here_and_there():
    double = FreeText("double", "hit, stand or double? ", "prompt", synonyms=("hit or stand? ",))
    policy = Policy(free=(double,))
    expected = session(
        "Do: hit, stand or double? ", "[h]", "Do: hit or stand? ", "[h]", "Do: hit or stand? ", "[s]", "x\n"
    )
    mixed = session("Do: h/s/d? ", "[h]", "Do: h/s/d? ", "[h]", "Do: hit or stand? ", "[s]", "x\n")
    other = session("Do: h/s/d? ", "[h]", "Do: h/s? ", "[h]", "Do: hit or stand? ", "[s]", "x\n")
    assert verdicts(seen(expected, mixed, mixed, policy=policy)) == [None, None]
    assert None not in verdicts(seen(expected, other, other, policy=policy))


@pytest.mark.parametrize("no_pair", ["These cards cannot be split.", "Invalid choice."])
@pytest.mark.parametrize("late", ["It is too late to split.", "Invalid choice.", "Too late!"])
def test_of_two_reasons_to_refuse_a_key_a_program_may_name_either(no_pair, late):
    """Here and there, since a program may look at them in another order than the reference."""
    policy = load_assignment(ROOT / "specs" / "ece2036").stage("split").policy

    def shown(*texts):
        refused = (part for text in texts for part in (HIT, "[p]", f"{text}\n"))
        return session(*refused, HIT, "[s]", "Dealer wins.\n")

    own = "These cards cannot be split.", "There is not enough money to split.", "It is too late to split."
    theirs = no_pair, "Too poor!", late
    expected = shown(*own, own[0])
    assert verdicts(seen(expected, shown(*theirs, "Too poor!"), policy=policy)) == [None]
    assert verdicts(seen(expected, shown(*theirs, no_pair), policy=policy)) == [None]
    assert None not in verdicts(seen(expected, shown(*theirs, "Player wins!"), policy=policy))
    assert None not in verdicts(seen(expected, shown(*theirs, "Too rich!"), policy=policy))


def remarked(expected, *actual, policy=FREE):
    """The remark on each session."""
    sessions = seen(expected, *actual, policy=policy)
    texts = texts_in(sessions)
    remarks = []
    for one in sessions:
        known = one.policy.with_accepted_texts(texts)
        difference = difference_between(one.expected, one.actual, known)
        output = difference and located_difference(difference, one.expected, one.actual, known)
        remark = output and remark_on(output, ObservedSession(known, one.expected, one.actual))
        remarks.append(remark and sentence_on_remark(remark))
    return remarks


def test_a_text_that_is_another_one_elsewhere_is_reported_with_both():
    tie, push = hand(push="Tie!\n"), hand(push="Push!\n")
    assert remarked(hand(), tie, push, tie) == [
        None,
        "The text for “push” is free, but must be the same each time: elsewhere it is “Tie!”.",
        None,
    ]
    assert remarked(hand(), tie, hand(), tie)[1] == (
        "The text for “push” is free, but must be the same each time: elsewhere it is “Tie!”."
    )
    assert remarked(hand(), tie, hand(push="Tie!!\n"), tie)[1] == (
        "The text for “push” is free, but must be the same each time: elsewhere it is “Tie!”."
    )


def test_a_text_that_is_missing_elsewhere_is_reported():
    expected = session("a\nYou are broke!\nb\n")
    without, shown_ = session("a\nb\n"), session("a\nOh no!\nb\n")
    assert remarked(expected, without, shown_, without) == [
        None,
        "The text for “broke” is free, but must be the same each time: elsewhere there is none.",
        None,
    ]
    assert remarked(expected, shown_, without, shown_) == [
        None,
        "The text for “broke” is missing here: elsewhere it is “Oh no!”.",
        None,
    ]


def test_a_text_that_is_missing_elsewhere_is_reported_also_where_empty_lines_do_not_count():
    policy = msgspec.structs.replace(FREE, blank_lines="ignored")
    expected = session("a\n\nYou are broke!\n\n\nb\n")
    without, shown_ = session("a\n\nb\n"), session("a\nOh no!\n\n\nb\n")
    assert remarked(expected, without, shown_, without, policy=policy)[1] == (
        "The text for “broke” is free, but must be the same each time: elsewhere there is none."
    )


def test_a_long_text_is_quoted_as_a_whole_unless_it_is_a_flood():
    assert sentence_on_accepted(AcceptedDifference("push", "Push.", b"x" * 200)).startswith(f"“{'x' * 200}” was taken")
    assert sentence_on_accepted(AcceptedDifference("push", "Push.", b"x" * 201)).startswith(f"“{'x' * 199}…” was taken")


def test_a_text_that_is_taken_by_another_one_is_reported():
    oh_no = hand(push="Oh no!\n", bust=" Oh no!")
    assert remarked(hand(), oh_no) == ["“Oh no!” cannot be the text for “push”, since it is the text for “bust”."]


def test_nothing_is_remarked_where_something_else_is_wrong():
    tie = hand(push="Tie!\n")
    assert remarked(hand(), tie, hand(push="Player wins.\n"), tie)[1] is None
    assert remarked(hand(), tie, hand(push="Tie!\nCards 3\n"), tie)[1] is None
    assert remarked(hand(), hand(broke=""), (*hand(broke=""), Typed(b"x")), hand(broke=""))[1] is None


def test_a_taken_text_is_reported_in_one_sentence():
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
        == "Nothing was taken for “Broke!”, the text for “broke”."
    )
    assert sentence_on_accepted(AcceptedDifference("", "'", "’".encode())) == "“’” was taken for “'”."


def test_alternatives_that_were_used_are_reported_and_others_are_not():
    policy = Policy(alternatives=(("Push.", "Tie.", "Draw."), ("Hi\n", "")))
    expected, actual = session("Hi\na\nPush.\nTie.\n"), session("a\nTie.\nTie.\n")
    sessions = seen(expected, actual, policy=policy)
    assert verdicts(sessions) == [None]
    assert accepted_differences(sessions, {}) == (
        AcceptedDifference("", "Push.", b"Tie."),
        AcceptedDifference("", "Hi\n", None),
    )
    assert accepted_differences(seen(expected, expected, policy=policy), {}) == ()


def test_few_sessions_are_enough_and_their_order_does_not_matter():
    pairs = [SessionPair(hand(), one, FREE) for one in [hand(push="Tie\n")] * 3 + [hand(push="Draw\n")] * 2]
    assert texts_of(pairs) == texts_of(pairs[::-1])
    assert texts_of(pairs)["push"] == b"Tie"


LEAVE = FreeText("leaving", "Again? n", "after", lines=2)
LEAVING = Policy(free=(LEAVE,), reserved=("Won.",))


@pytest.mark.parametrize("text", ["Bye!\n", "\nBye!\n", "Bye!\nCome again.\n", "Bye!"])
def test_a_text_after_a_typed_line_may_be_any_or_none(text):
    expected = session("Again? ", "[y]", "Again? ", "[n]")
    actual = session("Again? ", "[y]", "Again? ", "[n]", text)
    assert verdicts(seen(expected, actual, actual, policy=LEAVING)) == [None, None]
    assert verdicts(seen(expected, expected, policy=LEAVING)) == [None]
    assert sum(one is None for one in verdicts(seen(expected, actual, actual, expected, policy=LEAVING))) == 2
    early = session("Again? ", "[y]", text, "Again? ", "[n]", text)
    assert verdicts(seen(expected, early, policy=LEAVING)) != [None]


@pytest.mark.parametrize("text", ["\n", "a\nb\nc\n", "Won.\n"])
def test_a_text_after_a_typed_line_is_no_blank_line_not_too_long_and_means_nothing_else(text):
    expected = session("Again? ", "[y]", "Again? ", "[n]")
    actual = session("Again? ", "[y]", "Again? ", "[n]", text)
    assert verdicts(seen(expected, actual, policy=LEAVING)) != [None]


HIT = "What would you like to do? Enter (h)it or (s)tand: "


@pytest.mark.parametrize(
    ("assignment", "asked", "line", "own", "theirs", "wrong"),
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
def test_a_text_with_the_meaning_of_another_outcome_is_right_where_it_hides_nothing(
    assignment, asked, line, own, theirs, wrong
):
    policy = load_assignment(ROOT / "specs" / assignment).stages[-1].policy
    too_high = "You don't have that much money!  Enter a lower bet.\n"
    late = ("[h]", "\nPlayer's Hand: 2S, 3S\n\n", asked, "[2]", "\nSplit can only be first or second command\n\n")
    before = late if assignment == "csc101" else ("[900]", too_high)

    def shown(text):
        return session(asked, *before, asked, f"[{line}]", f"{text}\n{asked}")

    assert verdicts(seen(shown(own), shown(theirs), policy=policy)) == [None]
    assert verdicts(seen(shown(own), shown(wrong), policy=policy)) != [None]


def test_texts_after_two_typed_lines_may_be_the_same():
    """The reference shows nothing in either place, so they part no two results."""
    give_up = FreeText("giving up", "Move? q", "after")
    policy = Policy(free=(LEAVE, give_up), reserved=("Won.",))
    expected = session("Move? ", "[q]", "Again? ", "[n]")

    def verdict(first, last):
        return verdicts(seen(expected, session("Move? ", "[q]", first, "Again? ", "[n]", last), policy=policy))

    assert verdict("Bye!\n", "Bye!\n") == verdict("Oh no!\n", "Bye!\n") == [None]
    assert verdict("Won.\n", "Bye!\n") != [None]


def test_a_text_after_a_typed_line_is_followed_by_what_is_expected():
    expected = session("Again? ", "[n]", "Sum: 5\n")
    assert verdicts(seen(expected, session("Again? ", "[n]", "Bye!\nSum: 5\n"), policy=LEAVING)) == [None]
    (difference,) = verdicts(seen(expected, session("Again? ", "[n]", "Bye!\nSum: 6\n"), policy=LEAVING))
    assert difference.actual == (Shown(b"6\n"),)
    texts = texts_in(seen(expected, session("Again? ", "[n]", "Bye!\nSum: 5\n"), policy=LEAVING))
    (taken,) = accepted_differences(seen(expected, session("Again? ", "[n]", "Bye!\nSum: 5\n"), policy=LEAVING), texts)
    assert sentence_on_accepted(taken) == ("“Bye!” was taken for “leaving”, where the reference shows nothing.")


def test_numbers_in_a_text_after_a_typed_line_may_vary_where_that_is_allowed():
    expected = session("? ", "[d]", "Sum: 5\n? ", "[d]", "Sum: 6\n")
    vary = Policy(free=(FreeText("doubling", "? d", "after", lines=2, numbers_vary=True),))
    fixed = Policy(free=(FreeText("doubling", "? d", "after", lines=2),))

    def shown_(first, second, total=6):
        return session("? ", "[d]", f"{first}Sum: 5\n? ", "[d]", f"{second}Sum: {total}\n")

    right = shown_("Bet 40!\n", "Bet 62.5!\n")
    assert verdicts(seen(expected, right, shown_("Bet 1!\n", "Bet 1,000!\n"), policy=vary)) == [None, None]
    assert None not in verdicts(seen(expected, right, policy=fixed))
    (taken,) = accepted_differences(seen(expected, right, policy=vary), texts_in(seen(expected, right, policy=vary)))
    assert sentence_on_accepted(taken) == ("“Bet #!” was taken for “doubling”, where the reference shows nothing.")
    assert None not in verdicts(seen(expected, shown_("Bet 40!\n", "Bat 60!\n"), policy=vary))
    (difference,) = verdicts(seen(expected, shown_("Bet 40!\n", "Bet 60!\n", 7), policy=vary))
    assert difference.actual == (Shown(b"7\n"),)


def test_a_text_behind_a_question_that_stands_for_another_is_read_too():
    double = FreeText("double", "hit, stand or double? ", "prompt", synonyms=("hit or stand? ",))
    policy = Policy(free=(double, FreeText("refused", "hit or stand? d", "after")))
    expected = session("hit or stand? ", "[d]", "hit or stand? ", "[s]", "x\n")
    actual = session("hit, stand or double? ", "[d]", "No money!\nhit, stand or double? ", "[s]", "x\n")
    assert verdicts(seen(expected, actual, actual, policy=policy)) == [None, None]
    assert texts_in(seen(expected, actual, policy=policy)) == {"refused": b"No money!\n"}


@pytest.mark.parametrize("name", ["first hand", "Second Hand", "hand 2", "hand #1"])
def test_the_hands_of_a_split_may_be_named_in_their_lines(name):
    policy = load_assignment(ROOT / "specs" / "ece2036").stage("split").policy
    line = "Player's hand is: Six Two\nPlayer's hand value is 8\nPlayer's hand is bust.\n"
    named = line.replace("Player's hand", f"Player's {name}")
    assert verdicts(seen(session(line), session(named), policy=policy)) == [None]
    assert verdicts(seen(session(line), session(named.replace("Player", "Dealer")), policy=policy)) != [None]


def test_a_text_of_the_reference_that_the_program_never_shows_is_not_quoted_as_the_program_s():
    """It was read for one in whose place it may stand, where the program has a text of its own for both."""
    late = FreeText("too late", "Too late.", "line", synonyms=("No money.",))
    poor = FreeText("no money", "No money.", "line", synonyms=("Too late.",))
    policy = Policy(free=(late, poor))
    sessions = seen(session("Too late.\nNo money.\n"), session("Not now.\nNot now.\n"), policy=policy)
    assert accepted_differences(sessions, {"too late": b"Not now.", "no money": b"Too late."}) == (
        AcceptedDifference("too late", "Too late.", b"Not now."),
    )
    output = seen(session("Too late.\nNo money.\n"), session("Too late.\nToo late.\n"), policy=policy)
    assert accepted_differences(output, {"too late": b"Too late.", "no money": b"Too late."}) == (
        AcceptedDifference("no money", "No money.", b"Too late."),
    )
