"""Free texts are read from few sessions, and nothing is accepted that reading all of them would not accept."""

import pytest

from pitboss.compare.side_outputs import first_difference
from pitboss.compare.submission_texts import ObservedSession, texts_in
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.unseeded import likely
from pitboss.unseeded.likely import Likely, texts_of_all

PUSH = FreeText("push", "Push.", "line")
BROKE = FreeText("broke", "You are broke!", "line", may_be_missing=True)
FREE = Policy(free=(PUSH, BROKE), reserved=("Dealer wins.",))


def hand(number, push="Push.", broke="You are broke!\n"):
    """A session in which the hands are told apart by a number."""
    output = f"Cards {number}\n{push}\nCards {number + 1}\n{broke}The end.\n"
    return Transcript((Shown(b"Bet: "), Typed(b"5"), Shown(output.encode())))


def seen(*pairs):
    return [ObservedSession(FREE, expected.events, actual.events) for expected, actual in pairs]


def explaining(sessions):
    """A function that returns whether texts explain all sessions."""

    def explain(texts):
        taken = FREE.with_accepted_texts(texts)
        return all(
            first_difference(Transcript(one.expected), Transcript(one.actual), taken) is None for one in sessions
        )

    return explain


@pytest.fixture
def counted(monkeypatch):
    """How many sessions were read at a time."""
    counts = []

    def counting(some, **more):
        some = list(some)
        counts.append(len(some))
        return texts_in(some, **more)

    monkeypatch.setattr(likely, "texts_in", counting)
    return counts


def test_texts_that_one_session_reported_explain_the_others():
    known = Likely()
    ours, theirs = hand(1), hand(1, push="It is a tie!", broke="")
    assert not known.explain(ours, theirs, FREE)
    known.learn(ours, theirs, FREE)
    assert known.explain(ours, theirs, FREE)
    assert known.explain(hand(7), hand(7, push="It is a tie!", broke=""), FREE)
    assert not known.explain(hand(7), hand(7, push="It is no tie!", broke=""), FREE)


def test_nothing_learned_means_the_texts_of_the_reference():
    assert Likely().explain(hand(1), hand(1), FREE)


def test_few_sessions_are_read_where_they_tell_all(counted):
    sessions = seen(*((hand(number), hand(number, push="It is a tie!", broke="")) for number in range(30)))
    assert texts_of_all(sessions, explaining(sessions)) == texts_in(sessions)
    assert counted == [4]


def test_all_are_read_where_the_texts_of_few_do_not_explain_all(counted):
    """The short sessions show another text than most."""
    short = [(hand(number), hand(number, push="Tie!")) for number in range(4)]
    long = [(hand(number), hand(number, push="It is a tie!")) for number in range(100, 120)]
    sessions = seen(*short, *long)
    assert texts_of_all(sessions, explaining(sessions)) == texts_in(sessions)
    assert texts_in(sessions)["push"] == b"It is a tie!"
    assert counted == [4, 24]


def test_a_line_of_a_session_that_is_not_read_is_no_free_text():
    """Only the longest session says what it means."""
    ours = Transcript((*hand(1).events, Shown(b"The dealer is lucky.\n" * 9)))
    output = "The dealer is lucky."
    short = [(hand(number), hand(number, push=output)) for number in range(8)]
    sessions = seen(*short, (ours, ours))
    assert texts_of_all(sessions[:-1], explaining(sessions[:-1]))["push"] == output.encode()
    texts = texts_of_all(sessions, explaining(sessions))
    assert texts == texts_in(sessions)
    assert texts["push"] == b"Push."
