from types import SimpleNamespace

import pytest

from pitboss.assignments.assignment import Draws
from pitboss.compare.comparison import first_difference
from pitboss.compare.submission_texts import ObservedSession, texts_in
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.unseeded import likely
from pitboss.unseeded import replay as replay_module
from pitboss.unseeded.likely import LikelyTexts, texts_of_all
from pitboss.unseeded.replay import replay

PUSH = FreeText("push", "Push.", "line")
BROKE = FreeText("broke", "You are broke!", "line", may_be_missing=True)
FREE = Policy(free=(PUSH, BROKE), reserved=("Dealer wins.",))


def hand_transcript(number, push="Push.", broke="You are broke!\n"):
    """The transcript of a session with one hand; `number` makes the transcript differ from others."""
    output = f"Cards {number}\n{push}\nCards {number + 1}\n{broke}The end.\n"
    return Transcript((Shown(b"Bet: "), Typed(b"5"), Shown(output.encode())))


def observe_sessions(*pairs):
    """The observed sessions of pairs of transcripts, each the expected and the actual one."""
    return [ObservedSession(FREE, expected.events, actual.events) for expected, actual in pairs]


def build_explain(sessions):
    """A function that returns whether the texts given to it explain all these sessions."""

    def explain(texts):
        policy = FREE.with_accepted_texts(texts)
        return all(
            first_difference(Transcript(session.expected), Transcript(session.actual), policy) is None
            for session in sessions
        )

    return explain


@pytest.fixture
def session_counts(monkeypatch):
    """From how many sessions each call of `texts_in` reads texts."""
    counts = []

    def counted_texts_in(sessions, **options):
        sessions = list(sessions)
        counts.append(len(sessions))
        return texts_in(sessions, **options)

    monkeypatch.setattr(likely, "texts_in", counted_texts_in)
    return counts


def test_texts_learned_from_one_session_explain_other_sessions():
    likely_texts = LikelyTexts()
    expected, actual = hand_transcript(1), hand_transcript(1, push="It is a tie!", broke="")
    assert likely_texts.difference(expected, actual, FREE)
    likely_texts.learn(expected, actual, FREE)
    assert likely_texts.difference(expected, actual, FREE) is None
    assert likely_texts.difference(hand_transcript(7), hand_transcript(7, push="It is a tie!", broke=""), FREE) is None
    assert likely_texts.difference(hand_transcript(7), hand_transcript(7, push="It is no tie!", broke=""), FREE)


def test_before_learning_only_the_texts_of_the_reference_explain():
    assert LikelyTexts().difference(hand_transcript(1), hand_transcript(1), FREE) is None


def test_few_sessions_are_read_if_their_texts_explain_all(session_counts):
    sessions = observe_sessions(
        *((hand_transcript(number), hand_transcript(number, push="It is a tie!", broke="")) for number in range(30))
    )
    assert texts_of_all(sessions, build_explain(sessions)) == texts_in(sessions)
    assert session_counts == [likely._FIRST_SESSIONS] == [4]


def test_all_sessions_are_read_if_the_texts_of_few_do_not_explain_all(session_counts):
    """The four short sessions, which are read first, show another text than the twenty long sessions."""
    short_sessions = [(hand_transcript(number), hand_transcript(number, push="Tie!")) for number in range(4)]
    long_sessions = [
        (hand_transcript(number), hand_transcript(number, push="It is a tie!")) for number in range(100, 120)
    ]
    sessions = observe_sessions(*short_sessions, *long_sessions)
    assert texts_of_all(sessions, build_explain(sessions)) == texts_in(sessions)
    assert texts_in(sessions)["push"] == b"It is a tie!"
    assert session_counts == [4, 24]


def test_a_line_that_another_session_shows_for_something_else_is_no_free_text():
    """Only the longest session shows that the line has another meaning."""
    expected = Transcript((*hand_transcript(1).events, Shown(b"The dealer is lucky.\n" * 9)))
    lucky = "The dealer is lucky."
    short_sessions = [(hand_transcript(number), hand_transcript(number, push=lucky)) for number in range(8)]
    sessions = observe_sessions(*short_sessions, (expected, expected))
    assert texts_of_all(sessions[:-1], build_explain(sessions[:-1]))["push"] == lucky.encode()
    texts = texts_of_all(sessions, build_explain(sessions))
    assert texts == texts_in(sessions)
    assert texts["push"] == b"Push."


def test_own_texts_are_read_only_where_a_free_text_comes_up(monkeypatch):
    compared, stage = [], SimpleNamespace(draws=Draws(("1", "2")))

    def counted(*arguments):
        compared.append(arguments)
        return first_difference(*arguments)

    monkeypatch.setattr(replay_module, "first_difference", counted)
    step = (Shown(b"Hit or stand? "), Typed(b"h"))
    expected = Transcript((*step, *step, *step, Shown(b"Push.\n")))
    for number, line, reads in [(0, b"Well? ", 0), (4, b"Well? ", 0), (6, b"Tie!\n", 1)]:
        actual = Transcript((*expected.events[:number], Shown(line), *expected.events[number + 1 :]))
        replayed = replay(actual, (), stage, FREE, lambda *_, **__: expected, likely=LikelyTexts())
        assert (replayed.difference is None, len(compared)) == (reads == 1, reads)
        compared.clear()


def test_a_question_of_the_programs_own_is_read_from_the_session():
    policy, stage = (
        Policy(free=(FreeText("ask", "Hit or stand? ", "prompt"),)),
        SimpleNamespace(draws=Draws(("1", "2"))),
    )
    expected, actual = (
        Transcript((Shown(question), Typed(b"h"), Shown(b"5\n" + question), Typed(b"s"), Shown(b"The end.\n")))
        for question in (b"Hit or stand? ", b"h or s? ")
    )
    assert replay(actual, (), stage, policy, lambda *_, **__: expected, likely=LikelyTexts()).difference is None
