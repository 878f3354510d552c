"""A mistake is named even if the program also has a habit: a deviation in its texts that occurs in every session."""

import msgspec
import pytest

from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.naming.composed import explanation_with_habit
from pitboss.experiments.naming.diagnosis import diagnoses_of_sessions
from pitboss.model.transcript import with_texts
from pitboss.sessions.drivers import expected_run_here
from tests.experiments.naming.sessions import judged_sessions

SESSION_COUNT = 40


def add_habit(run, change, applies_to=lambda transcript: True):
    """The program `run`, but with changed texts in each session for whose transcript `applies_to` returns True."""

    def run_with_habit(*arguments, **keywords):
        output = run(*arguments, **keywords)
        return (
            msgspec.structs.replace(output, events=with_texts(output.events, change)) if applies_to(output) else output
        )

    return run_with_habit


def replace_word(text):
    return text.replace(b"Dealer stands", b"Dealer stays")


#: Mistakes that change how the game is played, but no fixed text.
GAME_MISTAKE_IDS = ("dealer-stands-at-16", "ties-won", "push-ends-game", "bust-at-21", "ace-always-1")


def mistakes_without_text_changes(stage):
    return [mistake for mistake in mistakes_of(stage) if mistake.id in GAME_MISTAKE_IDS]


@pytest.fixture(scope="module")
def play(blackjack):
    return blackjack.stage("play")


@pytest.mark.parametrize(
    ("change", "habit", "title"),
    [
        (replace_word, "text-one-change", "“stays” is printed for “stands” each time"),
        (bytes.upper, "text-case", "upper and lower case"),
        (lambda text: text.replace(b"\n", b" \n"), "text-blanks-at-ends", "spaces at the ends of lines"),
    ],
)
def test_a_mistake_is_named_together_with_a_habit_in_the_texts(play, change, habit, title):
    mistakes = mistakes_without_text_changes(play)
    assert mistakes
    for mistake in mistakes:
        sessions = list(judged_sessions(play, add_habit(mistake.run_of("play"), change), SESSION_COUNT))
        diagnoses = {diagnosis.id: diagnosis for diagnosis in diagnoses_of_sessions(play, sessions)}
        diagnosis = diagnoses[f"{mistake.id}+{habit}"]
        assert diagnosis.title == f"{mistake.title}; besides, in its texts: {title}"
        assert diagnosis.hint == f"{mistake.hint} Compare its texts with those of the assignment letter by letter."
        assert (diagnosis.explains, diagnosis.of) == (sum(not session.is_accepted for session in sessions),) * 2


def test_a_text_that_is_correct_in_some_sessions_is_no_habit(play):
    for mistake in mistakes_without_text_changes(play):
        occasional_habit = add_habit(mistake.run_of("play"), replace_word, lambda transcript: len(transcript.text) % 2)
        sessions = list(judged_sessions(play, occasional_habit, SESSION_COUNT))
        failed, accepted = (
            [session for session in sessions if session.is_accepted is is_accepted] for is_accepted in (False, True)
        )
        assert explanation_with_habit(play, mistakes_of, failed, accepted) is None


def test_a_habit_alone_is_reported_without_a_mistake(play):
    sessions = list(judged_sessions(play, add_habit(expected_run_here(play), replace_word), SESSION_COUNT))
    assert [diagnosis.title for diagnosis in diagnoses_of_sessions(play, sessions)] == [
        "“stays” is printed for “stands” each time"
    ]
