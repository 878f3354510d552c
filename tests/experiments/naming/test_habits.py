"""A habit - a deviation in the texts of every session - is named if it alone explains all failed sessions."""

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
from pitboss.sessions.job import Job
from pitboss.sessions.references import expectation_of
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def games(blackjack):
    """The expected events of every seventh session of the stage “play”."""
    stage = blackjack.stage("play")
    expected_run = expected_run_here(stage)
    return [expectation_of(session, expected_run).events for session in sessions_of(stage)[::7]]


def change_texts(events, change):
    """The events with `change` applied to each printed text."""
    return canonical(Shown(change(event.text)) if isinstance(event, Shown) else event for event in events)


def failed_and_accepted(sessions):
    """The sessions, pairs of expected and actual events, in which the two differ; and those in which they are equal."""
    failed = [(expected, actual) for expected, actual in sessions if expected != actual]
    return failed, [(expected, actual) for expected, actual in sessions if expected == actual]


#: By the id of a habit: what a program with this habit does to its texts.
HABIT_CHANGES = {
    "text-crlf": lambda text: text.replace(b"\n", b"\r\n"),
    "text-blanks-at-ends": lambda text: text.replace(b"\n", b" \n"),
    "text-case": lambda text: text.replace(b"Player", b"player").replace(b"stands", b"STANDS"),
    "text-blanks": lambda text: text.replace(b"  ", b"\t").replace(b"or ", b"or  "),
    "text-blank-lines": lambda text: text.replace(b".\n", b".\n\n"),
}


@pytest.mark.parametrize("habit", HABIT_CHANGES)
def test_a_deviation_in_all_texts_is_named(games, habit):
    sessions = [(game, change_texts(game, HABIT_CHANGES[habit])) for game in games]
    assert habit_of(sessions).id == habit


def test_another_encoding_is_named(games):
    """The suits ♠♣♥♦ are printed as characters of Latin-1, one byte each."""
    latin1_sessions = [
        (
            game,
            change_texts(
                game,
                lambda text: (
                    text.decode().translate({0x2660: 0xA4, 0x2663: 0xA3, 0x2665: 0xA5, 0x2666: 0xA6}).encode("latin-1")
                ),
            ),
        )
        for game in games
    ]
    assert habit_of(latin1_sessions).id == "text-encoding"


SUITS = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}


def exchange_suits(games, **suits):
    """Pairs of expected and actual events in which some suits are printed as others."""
    table = {ord(SUITS[suit]): SUITS[printed_suit] for suit, printed_suit in suits.items()}
    return [(game, change_texts(game, lambda text: text.decode().translate(table).encode())) for game in games]


def test_exchanged_suits_are_not_taken_for_another_encoding(games):
    habit = habit_of(exchange_suits(games, spades="clubs", clubs="spades"))
    assert habit.id == "text-characters-exchanged"
    assert sorted(habit.title.split("; ")) == ["“♠” is printed for “♣” each time", "“♣” is printed for “♠” each time"]


def test_one_suit_printed_for_another_is_named(games):
    failed, accepted = failed_and_accepted(exchange_suits(games, hearts="diamonds"))
    habit = habit_of(failed, accepted)
    assert (habit.id, habit.title) == ("text-characters-exchanged", "“♦” is printed for “♥” each time")


def test_suits_exchanged_in_some_sessions_only_are_no_habit(games):
    sessions = exchange_suits(games, hearts="diamonds", diamonds="hearts")
    assert habit_of(sessions[:5], [(game, game) for game in games[5:]]) is None
    assert habit_of([*sessions[:5], *exchange_suits(games[5:], hearts="spades", spades="hearts")]) is None


def games_with_line(games, line):
    """Pairs of expected and actual events, with this extra line before each question; only of games with a question."""
    sessions = [
        (game, change_texts(game, lambda text: text.replace(b"|\nHit", b"|\n" + line + b"Hit"))) for game in games
    ]
    return failed_and_accepted(sessions)[0]


def test_an_extra_line_is_named(games):
    habit = habit_of(games_with_line(games, b"-----\n"))
    title = "“-----” is printed on a line of its own and does not belong there"
    assert (habit.id, habit.title) == ("text-line-too-many", title)


@pytest.mark.parametrize(
    "added",
    [
        b"Dealer hits.\n",  # the correct program prints it elsewhere, so the game itself may have taken another course
        b"---\n-----\n",  # two lines
    ],
)
def test_two_lines_or_a_line_printed_elsewhere_are_no_extra_line(games, added):
    assert habit_of(games_with_line(games, added)) is None


def test_an_extra_line_is_not_named_if_something_else_differs(games):
    sessions = games_with_line(games, b"-----\n")
    sessions_with_two_changes = [
        (expected, change_texts(actual, lambda text: text.replace(b" 1", b" 7"))) for expected, actual in sessions
    ]
    assert habit_of(sessions_with_two_changes) is None


def test_a_missing_last_newline_is_named(games):
    sessions = [(game, (*game[:-1], Shown(game[-1].text.removesuffix(b"\n")))) for game in games]
    assert habit_of(sessions).id == "text-last-newline"


@pytest.mark.parametrize(
    ("correct_text", "printed_text", "clause"),
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
def test_a_changed_word_is_named_with_the_old_and_new_word(games, correct_text, printed_text, clause):
    sessions = [(game, change_texts(game, lambda text: text.replace(correct_text, printed_text))) for game in games]
    failed, accepted = failed_and_accepted(sessions)
    assert habit_of(failed, accepted).title == clause


@pytest.mark.parametrize(
    ("correct_text", "printed_text"),
    [
        (b"Dealer wins!", b"Player wins!"),  # another outcome, which the correct program prints elsewhere
        (b"Dealer stands.", b"Dealer hits."),
        (b"Dealer 20.", b"Dealer 21."),  # a number, which the program computes
        (b"|  J", b"|  Q"),
    ],
)
def test_a_line_that_the_correct_program_prints_elsewhere_is_no_habit(games, correct_text, printed_text):
    sessions = [(game, change_texts(game, lambda text: text.replace(correct_text, printed_text))) for game in games]
    failed, _ = failed_and_accepted(sessions)
    assert len(failed) > 2
    assert habit_of(failed, [(game, game) for game in games]) is None


def test_a_text_that_is_correct_in_an_accepted_session_is_no_habit(games):
    sessions = [
        (game, change_texts(game, lambda text: text.replace(b"Dealer stands.", b"Dealer stays."))) for game in games
    ]
    failed, accepted = failed_and_accepted(sessions)
    assert habit_of(failed, accepted).title == "“stays” is printed for “stands” each time"
    expected, _ = failed[0]
    assert habit_of(failed[1:], [*accepted, (expected, expected)]) is None


def test_a_number_printed_for_a_word_is_a_habit(games):
    sessions = [(game, change_texts(game, lambda text: text.replace(b"|  J", b"| 11"))) for game in games]
    failed, accepted = failed_and_accepted(sessions)
    assert habit_of(failed, accepted) is not None


def test_two_changed_words_are_no_habit(games):
    sessions = [
        (game, change_texts(game, lambda text: text.replace(b"stands", b"stays").replace(b"Final", b"Last")))
        for game in games
    ]
    assert habit_of(sessions) is None


@given(
    st.lists(st.sampled_from([Typed(b"x"), Paused(1000), InputEnded(), Shown(b"a 1\n"), Shown(b"b 2\n")]), max_size=6)
)
def test_an_additional_typed_line_is_no_habit(events):
    expected = canonical(events)
    actual = canonical([*events, Typed(b"more")])
    assert habit_of([(expected, actual)] * 3) is None


def test_without_failed_sessions_there_is_no_habit():
    assert habit_of([]) is None


def test_sessions_that_failed_despite_correct_texts_have_no_habit(games):
    assert habit_of([(game, game) for game in games]) is None


def test_the_report_on_a_submission_names_its_habit(blackjack):
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        folder.chmod(0o755)
        source = (ROOT / "examples" / "blackjack" / "ada" / "play.c").read_text()
        (folder / "play.c").write_text(source.replace("Dealer stands.", "Dealer stays."))
        stage = blackjack.stage("play")
        (report,) = check(Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack"), folder).stages
    (diagnosis,) = report.diagnosis
    assert (diagnosis.id, diagnosis.title, diagnosis.explains == diagnosis.of) == (
        "text-one-change",
        "“stays” is printed for “stands” each time",
        True,
    )
