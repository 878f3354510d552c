"""A mistake is named although the program also prints some text otherwise throughout; and only where that is so."""

import msgspec
import pytest

from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.naming.composed import found_through
from pitboss.experiments.naming.diagnosis import diagnosed
from pitboss.model.transcript import with_texts
from pitboss.sessions.drivers import expected_run_here
from tests.experiments.naming.sessions import witnesses

COUNT = 40


def with_habit(run, change, is_done=lambda transcript: True):
    """A program that prints other texts, in those of its sessions for which that is so."""

    def changed(*arguments, **keywords):
        output = run(*arguments, **keywords)
        return msgspec.structs.replace(output, events=with_texts(output.events, change)) if is_done(output) else output

    return changed


def said(text):
    return text.replace(b"Dealer stands", b"Dealer stays")


def some(stage):
    """Mistakes of a stage that change no text and no line as long as others."""
    return [one for one in mistakes_of(stage) if one.id in IDS]


IDS = ("dealer-stands-at-16", "ties-won", "push-ends-game", "bust-at-21", "ace-always-1")


@pytest.fixture(scope="module")
def play(blackjack):
    return blackjack.stage("play")


@pytest.mark.parametrize(
    ("change", "habit", "title"),
    [
        (said, "text-one-change", "“stays” is printed for “stands” each time"),
        (bytes.upper, "text-case", "upper and lower case"),
        (lambda text: text.replace(b"\n", b" \n"), "text-blanks-at-ends", "spaces at the ends of lines"),
    ],
)
def test_a_mistake_is_named_beside_a_habit_of_the_text(play, change, habit, title):
    mistakes = some(play)
    assert mistakes
    for mistake in mistakes:
        seen = list(witnesses(play, with_habit(mistake.run_of("play"), change), COUNT))
        found = {one.id: one for one in diagnosed(play, seen)}
        name = found[f"{mistake.id}+{habit}"]
        assert name.title == f"{mistake.title}; besides, in its texts: {title}"
        assert name.hint == f"{mistake.hint} Compare its texts with those of the assignment letter by letter."
        assert (name.explains, name.of) == (sum(not one.is_accepted for one in seen),) * 2


def test_a_text_that_is_right_in_some_sessions_is_no_habit(play):
    for mistake in some(play):
        odd = with_habit(mistake.run_of("play"), said, lambda transcript: len(transcript.text) % 2)
        seen = list(witnesses(play, odd, COUNT))
        failed, accepted = ([one for one in seen if one.is_accepted is wanted] for wanted in (False, True))
        assert found_through(play, mistakes_of, failed, accepted) is None


def test_a_habit_alone_is_reported_without_a_mistake(play):
    seen = list(witnesses(play, with_habit(expected_run_here(play), said), COUNT))
    assert [one.title for one in diagnosed(play, seen)] == ["“stays” is printed for “stands” each time"]
