"""What is done to the text throughout is named where it alone explains what failed, and only there."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.cases import sessions_of
from pitboss.checking.check import check
from pitboss.experiments.naming.habits import habit_of
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed, canonical
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.expected_transcript import expectation_of
from pitboss.sessions.job import Job
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def games(blackjack):
    stage = blackjack.stage("play")
    expected_run = expected_run_here(stage)
    return [expectation_of(session, expected_run).events for session in sessions_of(stage)[::7]]


def done(events, change):
    return canonical(Shown(change(event.text)) if isinstance(event, Shown) else event for event in events)


HABITS = {
    "text-crlf": lambda text: text.replace(b"\n", b"\r\n"),
    "text-blanks-at-ends": lambda text: text.replace(b"\n", b" \n"),
    "text-case": lambda text: text.replace(b"Player", b"player").replace(b"stands", b"STANDS"),
    "text-blanks": lambda text: text.replace(b"  ", b"\t").replace(b"or ", b"or  "),
    "text-blank-lines": lambda text: text.replace(b".\n", b".\n\n"),
}


@pytest.mark.parametrize("habit", HABITS)
def test_what_is_done_throughout_is_named(games, habit):
    sessions = [(game, done(game, HABITS[habit])) for game in games]
    assert habit_of(sessions).id == habit


def test_another_encoding_is_named(games):
    latin = [
        (
            game,
            done(
                game,
                lambda text: (
                    text.decode().translate({0x2660: 0xA4, 0x2663: 0xA3, 0x2665: 0xA5, 0x2666: 0xA6}).encode("latin-1")
                ),
            ),
        )
        for game in games
    ]
    assert habit_of(latin).id == "text-encoding"


SUITS = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}


def translated(games, **suits):
    """The games, with some suits printed as others."""
    table = {ord(SUITS[one]): SUITS[other] for one, other in suits.items()}
    return [(game, done(game, lambda text: text.decode().translate(table).encode())) for game in games]


def test_suits_in_another_order_are_no_other_encoding(games):
    habit = habit_of(translated(games, spades="clubs", clubs="spades"))
    assert habit.id == "text-characters-exchanged"
    assert sorted(habit.title.split("; ")) == ["“♠” is printed for “♣” each time", "“♣” is printed for “♠” each time"]


def test_one_suit_for_another_is_named(games):
    sessions = translated(games, hearts="diamonds")
    failed = [(expected, actual) for expected, actual in sessions if expected != actual]
    habit = habit_of(failed, [one for one in sessions if one not in failed])
    assert (habit.id, habit.title) == ("text-characters-exchanged", "“♦” is printed for “♥” each time")


def test_suits_that_are_exchanged_only_here_and_there_are_no_habit(games):
    sessions = translated(games, hearts="diamonds", diamonds="hearts")
    assert habit_of(sessions[:5], [(game, game) for game in games[5:]]) is None
    assert habit_of([*sessions[:5], *translated(games[5:], hearts="spades", spades="hearts")]) is None


def with_line(games, line):
    """The games that ask, with a line before each question."""
    sessions = [(game, done(game, lambda text: text.replace(b"|\nHit", b"|\n" + line + b"Hit"))) for game in games]
    return [(expected, actual) for expected, actual in sessions if expected != actual]


def test_one_line_too_many_is_named(games):
    habit = habit_of(with_line(games, b"-----\n"))
    title = "“-----” is printed on a line of its own and does not belong there"
    assert (habit.id, habit.title) == ("text-line-too-many", title)


@pytest.mark.parametrize(
    "added",
    [
        b"Dealer hits.\n",  # the right program prints it elsewhere, so another course of the game may lead there
        b"---\n-----\n",  # two lines
    ],
)
def test_other_lines_are_no_line_too_many(games, added):
    assert habit_of(with_line(games, added)) is None


def test_a_line_too_many_must_be_all_that_differs(games):
    sessions = with_line(games, b"-----\n")
    others = [(expected, done(actual, lambda text: text.replace(b" 1", b" 7"))) for expected, actual in sessions]
    assert habit_of(others) is None


def test_a_missing_last_newline_is_named(games):
    sessions = [(game, (*game[:-1], Shown(game[-1].text.removesuffix(b"\n")))) for game in games]
    assert habit_of(sessions).id == "text-last-newline"


@pytest.mark.parametrize(
    ("wanted", "shown", "clause"),
    [
        (b"stands", b"stays", "“stays” is printed for “stands” each time"),
        (b"Final scores", b"Final points", "“points” is printed for “scores” each time"),
        (b" wins!", b" wins", "“wins” is printed for “wins!” each time"),
        (b"busts!", b"busts!!", "“busts!!” is printed for “busts!” each time"),
        (b"Final scores", b"Final game scores", "“Final game” is printed for “Final” each time"),
        (b"Dealer wins!", b"Dealer wins", "“Dealer wins” is printed for “Dealer wins!” each time"),
        (b"Dealer stands.", b"Dealer stands!", "“stands!” is printed for “stands.” each time"),
        (b"Final scores", b"Final-scores", "“Final-scores” is printed for “Final scores” each time"),
    ],
)
def test_one_change_of_words_is_named_by_its_words(games, wanted, shown, clause):
    sessions = [(game, done(game, lambda text: text.replace(wanted, shown))) for game in games]
    failed = [(expected, actual) for expected, actual in sessions if expected != actual]
    accepted = [(expected, actual) for expected, actual in sessions if expected == actual]
    assert habit_of(failed, accepted).title == clause


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        (b"Dealer wins!", b"Player wins!"),  # another outcome, which the right program shows elsewhere
        (b"Dealer stands.", b"Dealer hits."),
        (b"Dealer 20.", b"Dealer 21."),  # numbers are computed
        (b"|  J", b"|  Q"),
    ],
)
def test_a_line_that_the_right_program_shows_elsewhere_is_no_slip_of_the_text(games, wanted, shown):
    sessions = [(game, done(game, lambda text: text.replace(wanted, shown))) for game in games]
    failed = [(expected, actual) for expected, actual in sessions if expected != actual]
    assert len(failed) > 2
    assert habit_of(failed, games_as_they_are(games)) is None


def games_as_they_are(games):
    return [(game, game) for game in games]


def test_a_text_that_an_accepted_session_shows_rightly_is_not_changed_each_time(games):
    sessions = [(game, done(game, lambda text: text.replace(b"Dealer stands.", b"Dealer stays."))) for game in games]
    failed = [(expected, actual) for expected, actual in sessions if expected != actual]
    others = [(game, game) for game, (expected, actual) in zip(games, sessions, strict=True) if expected == actual]
    assert habit_of(failed, others).title == "“stays” is printed for “stands” each time"
    assert habit_of(failed[1:], [*others, (failed[0][0], failed[0][0])]) is None


def test_a_number_for_a_word_is_a_slip(games):
    sessions = [(game, done(game, lambda text: text.replace(b"|  J", b"| 11"))) for game in games]
    failed = [(expected, actual) for expected, actual in sessions if expected != actual]
    others = [(expected, actual) for expected, actual in sessions if expected == actual]
    assert habit_of(failed, others) is not None


def test_two_changes_of_words_are_no_habit(games):
    sessions = [
        (game, done(game, lambda text: text.replace(b"stands", b"stays").replace(b"Final", b"Last"))) for game in games
    ]
    assert habit_of(sessions) is None


@given(
    st.lists(st.sampled_from([Typed(b"x"), Paused(1000), InputEnded(), Shown(b"a 1\n"), Shown(b"b 2\n")]), max_size=6)
)
def test_another_order_of_events_is_no_habit(events):
    expected = canonical(events)
    actual = canonical([*events, Typed(b"more")])
    assert habit_of([(expected, actual)] * 3) is None


def test_nothing_is_named_where_nothing_failed():
    assert habit_of([]) is None


def test_sessions_that_failed_for_another_reason_than_their_text_are_no_habit(games):
    assert habit_of([(game, game) for game in games]) is None


def test_a_submission_is_reported_of_its_habit(blackjack):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        source = (ROOT / "examples" / "blackjack" / "ada" / "play.c").read_text()
        (folder / "play.c").write_text(source.replace("Dealer stands.", "Dealer stays."))
        stage = blackjack.stage("play")
        (report,) = check(Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack"), folder).stages
    (output,) = report.diagnosis
    assert (output.id, output.title, output.explains == output.of) == (
        "text-one-change",
        "“stays” is printed for “stands” each time",
        True,
    )
