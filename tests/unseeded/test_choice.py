"""A submission is judged by the setting that explains most, also where few sessions tell settings apart."""

import random
from types import SimpleNamespace

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitboss.assignments.assignment import Answers, Case, Draws, Generated, Reference, Spec, Stage, Tolerated
from pitboss.assignments.cases import Session
from pitboss.assignments.options import Option, OptionValue, own_setting, with_setting
from pitboss.model.comparison_policy import Policy
from pitboss.model.scripts import typing
from pitboss.model.transcript import Shown, Transcript
from pitboss.sandbox.sandbox import find_sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.references import expected_run_of
from pitboss.unseeded import choice as choices
from pitboss.unseeded.choice import Choice
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.reader import reader_of
from pitboss.unseeded.replay import GivenDraws, Replay
from pitboss.unseeded.setting_search import SettingSearch
from tests.conftest import ROOT
from tests.unseeded.switches import FACES

SWITCHES = {
    "greets": (True, False),
    "numbered": (False, True),
    "order": ("ab", "ba"),
    "signed": (False, True),
    "fives": ("twice", "once"),
    "ends": ("silent", "Bye", "Good bye"),
}
OPTIONS = tuple(
    Option(name, name, tuple(OptionValue(f"{name} {value}", value) for value in values))
    for name, values in SWITCHES.items()
)
SPEC = Spec(ROOT / "switches.yaml", "switches", ())
STAGE = Stage(
    "switches",
    "switches",
    Reference("tests.unseeded.switches:main"),
    SPEC,
    reader="tests.unseeded.switches:read",
    draws=Draws(FACES, len(FACES)),
    options=OPTIONS,
    is_seeded=False,
)
#: No reference here is a command, so nothing is confined.
CONDITIONS = Conditions("watched", find_sandbox("none"))
CASE = Case("rolls", Generated((None,), Answers((b"y",))), Policy())
SESSIONS = 40


def held(setting, seed=1, stage=STAGE, count=SESSIONS):
    """Sessions of a right program with a setting, their draws read as the stage itself reads them."""
    chance = random.Random(seed)
    run, read = expected_run_of(with_setting(stage, setting), None), reader_of(stage)
    drawn = []
    for number in range(count):
        lines = [b"y"] * chance.randrange(1, 6) + [b"n"]
        rolls = [face for _ in range(4) for face in chance.sample(FACES, len(FACES))]
        transcript = run(typing(lines), GivenDraws(rolls, stage.draws))
        session = Session(stage, CASE, None, number + 1)
        drawn.append(DrawnSession(session, transcript, read(transcript.events)))
    return drawn


def spoilt(one, wanted=b"A 3", shown=b"A 4"):
    """The session as a program with a mistake would show it."""
    events = tuple(
        Shown(event.text.replace(wanted, shown)) if isinstance(event, Shown) else event
        for event in one.transcript.events
    )
    return msgspec.structs.replace(one, transcript=msgspec.structs.replace(one.transcript, events=events))


def explained(chosen):
    return sum(one.explains for one in chosen.replays)


def test_the_own_setting_costs_one_replay_a_session():
    choice = Choice(STAGE, CONDITIONS)
    chosen = choice.select(held(own_setting(OPTIONS)))
    assert (chosen.said, explained(chosen), choice.count) == ("", SESSIONS, SESSIONS)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ((1, 0, 0, 0, 0, 0), "greets False"),
        ((0, 0, 1, 0, 0, 0), "order ba"),
        ((1, 1, 0, 0, 0, 0), "greets False, numbered True"),
        ((1, 1, 1, 1, 0, 2), "greets False, numbered True, order ba, signed True, ends Good bye"),
    ],
)
def test_a_setting_is_found_one_switch_at_a_time(setting, said):
    """There are 96 settings. Each round tries the seven other values on a few sessions; all are held to the last."""
    choice = Choice(STAGE, CONDITIONS)
    chosen = choice.select(held(setting))
    assert (chosen.said, explained(chosen)) == (said, SESSIONS)
    rounds = sum(map(bool, setting))
    assert choice.count <= SESSIONS + 65 * rounds


def test_a_session_that_the_texts_explain_stays_explained_when_others_come(monkeypatch):
    """The values of its hidden draws were found by the submission's own texts, which `made` does not know."""
    choice, drawn = Choice(STAGE, CONDITIONS), held(own_setting(OPTIONS))
    reading = msgspec.structs.replace(drawn[0].reading, draws=(None, *drawn[0].reading.draws[1:]))
    drawn[0] = msgspec.structs.replace(spoilt(drawn[0], b"A", b"a"), reading=reading)
    replay, texts = choice._replay, {"a": b"a"}

    def by_texts(candidate, number, *, guesses, texts=None):
        found = replay(candidate, number, guesses=guesses)
        return found if texts is None else Replay(drawn[number].transcript, None)

    monkeypatch.setattr(choice, "_replay", by_texts)
    chosen = choice.select(drawn[:20])
    assert explained(chosen) == 19
    results = [SimpleNamespace(difference=one.difference) for one in chosen.replays]
    assert explained(choice.again(chosen, texts, results)) == 20
    assert explained(choice.select(drawn)) == SESSIONS


def test_each_setting_replays_a_session_once():
    choice, drawn = Choice(STAGE, CONDITIONS), held((1, 0, 1, 0, 0, 0))
    choice.select(drawn)
    count = choice.count
    assert choice.select(drawn).said == "greets False, order ba"
    assert choice.count == count


def test_further_sessions_are_replayed_by_what_was_chosen():
    choice, drawn = Choice(STAGE, CONDITIONS), held((1, 0, 1, 0, 0, 0), count=80)
    choice.select(drawn[:40])
    count = choice.count
    assert explained(choice.select(drawn)) == 80
    assert choice.count == count + 40


def test_the_choice_is_the_same_every_time():
    drawn = [spoilt(one) for one in held((1, 1, 0, 1, 0, 1))]
    found = {Choice(STAGE, CONDITIONS).select(drawn).said for _ in range(3)}
    assert found == {"greets False, numbered True, signed True, ends Bye"}


@settings(max_examples=15)
@given(st.tuples(*(st.integers(0, len(option.values) - 1) for option in OPTIONS)), st.integers(0, 1 << 30))
def test_any_setting_is_found(setting, seed):
    chosen = Choice(STAGE, CONDITIONS).select(held(setting, seed))
    assert explained(chosen) == SESSIONS


@example(setting=(0, 0, 0, 0, 0, 1), seed=346169291)
@settings(max_examples=10)
@given(st.tuples(*(st.integers(0, len(option.values) - 1) for option in OPTIONS)), st.integers(0, 1 << 30))
def test_the_setting_is_found_though_the_program_has_a_mistake_too(setting, seed):
    """As many sessions are explained as the true setting explains."""
    drawn, true = [spoilt(one) for one in held(setting, seed)], with_setting(STAGE, setting)
    held_at = tuple(msgspec.structs.replace(option, is_free=False) for option in true.options)
    truth = Choice(msgspec.structs.replace(true, options=held_at), CONDITIONS).select(drawn)
    assert explained(Choice(STAGE, CONDITIONS).select(drawn)) >= explained(truth)


def test_the_setting_is_found_though_no_session_is_explained():
    """What is told of a program with a slip in every session is told beside the right program with its features."""
    drawn = [spoilt(one, b"A ", b"a ") for one in held((0, 1, 0, 0, 0, 0))]
    chosen = Choice(STAGE, CONDITIONS).select(drawn)
    assert (chosen.said, explained(chosen)) == ("numbered True", 0)


def test_a_fixed_option_keeps_its_value():
    fixed = tuple(msgspec.structs.replace(one, is_free=one.name != "signed") for one in OPTIONS)
    stage = msgspec.structs.replace(STAGE, options=fixed)
    chosen = Choice(stage, CONDITIONS).select(held((1, 0, 0, 1, 0, 0)))
    assert chosen.said == "greets False"
    assert explained(chosen) < SESSIONS / 2


def test_the_chosen_stage_reads_and_runs_by_itself_as_the_setting_does():
    drawn = held((0, 0, 1, 1, 0, 0))
    chosen = Choice(STAGE, CONDITIONS).select(drawn)
    again = Choice(chosen.stage, CONDITIONS)
    assert explained(again.select(chosen.drawn)) == SESSIONS
    assert [one.reading for one in chosen.drawn] == [reader_of(chosen.stage)(one.transcript.events) for one in drawn]
    assert chosen.drawn[0].reading != drawn[0].reading


def test_a_reference_that_one_session_in_forty_speaks_for_is_found(monkeypatch):
    """Among the sessions that are looked at first, a dozen references explain all alike."""
    names = [f"other {number}" for number in range(24)]
    tolerated = tuple(Tolerated(name, Reference("tests.unseeded.switches:main")) for name in names)
    choice = Choice(msgspec.structs.replace(STAGE, options=(), tolerated=tolerated), CONDITIONS)
    sessions = [DrawnSession(Session(STAGE, CASE, None, number), Transcript(())) for number in range(1, 41)]
    right, alike = names[-1], names[: len(names) // 2] + names[-1:]

    def replays(candidate, number, *, guesses=True):
        name, _ = candidate
        explains = name == right or (name in alike and number != 39) or (not name and number % 2)
        return Replay(Transcript(()), None if explains else DIFFERENCE, False)

    monkeypatch.setattr(choice, "_replay", replays)
    assert choice.select(sessions).tolerated == right
    assert choices._SAMPLE < 20


def test_a_session_in_which_all_was_shown_speaks_for_what_unknown_draws_seem_to_speak_against():
    """Arbitrary values for the draws of sessions 0 and 1 speak for `never`, and session 9 alone tells it from `push`."""
    shows = Option("shows", "shows", tuple(OptionValue(one, one) for one in ("always", "push", "never")))

    class Sessions:
        def quick(self, setting, number):
            explains = (setting != (0,) and number > 1) or setting == (2,)
            return Replay(Transcript(()), None if explains and (setting, number) != ((2,), 9) else DIFFERENCE, False)

        def has_unknown(self, number):
            return number < 2

        def explains(self, setting, number):
            return setting == (1,) or (setting == (2,) and number != 9)

    assert SettingSearch([shows], Sessions()).best_setting((0,), range(10)) == (1,)


class Difference:
    matched = ()
    place = ""


DIFFERENCE = Difference()
