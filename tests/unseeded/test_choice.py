"""A submission is judged by the setting that explains most sessions, even if few sessions tell two settings apart.

A setting is a tuple with the index of the value of each option. A setting explains a session if the reference with this
setting, given the draws of the session, shows the same.
"""

import random
from types import SimpleNamespace

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitboss.assignments.assignment import Answers, Case, Draws, Generated, Reference, Spec, Stage, Tolerated
from pitboss.assignments.cases import Session
from pitboss.assignments.options import Option, OptionValue, own_setting, with_setting
from pitboss.compare.comparison import Difference
from pitboss.model.comparison_policy import Policy
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import Shown, Transcript
from pitboss.sandbox.sandbox import find_sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.references import expected_run_of
from pitboss.unseeded import choice as choice_module
from pitboss.unseeded.choice import Choice
from pitboss.unseeded.reader import DrawnSession, reader_of
from pitboss.unseeded.replay import GivenDraws, Replay
from pitboss.unseeded.setting_search import SettingSearch, score_of
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
#: No reference here is a command, so no sandbox is needed.
CONDITIONS = Conditions("watched", find_sandbox("none"))
CASE = Case("rolls", Generated((None,), Answers((b"y",))), Policy())
SESSIONS = 40


def run_sessions(setting, seed=1, stage=STAGE, count=SESSIONS):
    """Sessions of a correct program with a setting; their draws are read with the stage's own setting."""
    rng = random.Random(seed)
    run, read = expected_run_of(with_setting(stage, setting), None), reader_of(stage)
    sessions = []
    for number in range(count):
        lines = [b"y"] * rng.randrange(1, 6) + [b"n"]
        rolls = [face for _ in range(4) for face in rng.sample(FACES, len(FACES))]
        transcript = run(script_of_lines(lines), GivenDraws(rolls, stage.draws))
        session = Session(stage, CASE, None, number + 1)
        sessions.append(DrawnSession(session, transcript, read(transcript.events)))
    return sessions


def with_mistake(session, correct=b"A 3", mistaken=b"A 4"):
    """The session with the text `mistaken` in place of `correct`, as a program with a mistake would show it."""
    events = tuple(
        Shown(event.text.replace(correct, mistaken)) if isinstance(event, Shown) else event
        for event in session.transcript.events
    )
    return msgspec.structs.replace(session, transcript=msgspec.structs.replace(session.transcript, events=events))


def count_explained(selection):
    """The number of sessions that the selected setting explains."""
    return sum(replay.explains for replay in selection.replays)


def test_the_stages_own_setting_costs_one_replay_a_session():
    choice = Choice(STAGE, CONDITIONS)
    selection = choice.select(run_sessions(own_setting(OPTIONS)))
    assert (selection.description, count_explained(selection), choice.replay_count) == ("", SESSIONS, SESSIONS)


@pytest.mark.parametrize(
    ("setting", "description"),
    [
        ((1, 0, 0, 0, 0, 0), "greets False"),
        ((0, 0, 1, 0, 0, 0), "order ba"),
        ((1, 1, 0, 0, 0, 0), "greets False, numbered True"),
        ((1, 1, 1, 1, 0, 2), "greets False, numbered True, order ba, signed True, ends Good bye"),
    ],
)
def test_a_setting_is_found_one_switch_at_a_time(setting, description):
    """Each round tries only the seven other values, not all 96 settings, and only the best of them on all 40 sessions.

    The seven are compared on a few sessions, for which 25 replays are allowed in each round.
    """
    choice = Choice(STAGE, CONDITIONS)
    selection = choice.select(run_sessions(setting))
    assert (selection.description, count_explained(selection)) == (description, SESSIONS)
    rounds = sum(map(bool, setting))
    assert choice.replay_count <= SESSIONS + (SESSIONS + 25) * rounds


def test_a_session_explained_by_texts_stays_explained_with_more_sessions(monkeypatch):
    """The first session has a hidden draw, and can be replayed only with the submission's own texts.

    A later selection is made without these texts, and must remember the replay.
    """
    choice, sessions = Choice(STAGE, CONDITIONS), run_sessions(own_setting(OPTIONS))
    reading = msgspec.structs.replace(sessions[0].reading, draws=(None, *sessions[0].reading.draws[1:]))
    sessions[0] = msgspec.structs.replace(with_mistake(sessions[0], b"A", b"a"), reading=reading)
    replay_without_texts, texts = choice._replay, {"a": b"a"}

    def replay(candidate, number, *, guesses, texts=None):
        if texts is None:
            return replay_without_texts(candidate, number, guesses=guesses)
        return Replay(sessions[number].transcript, None)

    monkeypatch.setattr(choice, "_replay", replay)
    selection = choice.select(sessions[:20])
    assert count_explained(selection) == 19
    results = [SimpleNamespace(difference=replayed.difference) for replayed in selection.replays]
    assert count_explained(choice.replay_wrong_sessions(selection, texts, results)) == 20
    assert count_explained(choice.select(sessions)) == SESSIONS


def test_a_session_explained_until_its_bag_is_used_up_is_cut_there(monkeypatch):
    """Also where only the submission's own texts explain it: it would be compared with what comes after."""
    choice, sessions = Choice(STAGE, CONDITIONS), run_sessions(own_setting(OPTIONS), count=8)
    reading = msgspec.structs.replace(sessions[0].reading, draws=(None, *sessions[0].reading.draws[1:]))
    sessions[0] = msgspec.structs.replace(with_mistake(sessions[0], b"A", b"a"), reading=reading)
    cut = msgspec.structs.replace(sessions[0], transcript=Transcript(sessions[0].transcript.events[:2]))
    replay_without_texts = choice._replay

    def replay(candidate, number, *, guesses, texts=None):
        if texts is None:
            return replay_without_texts(candidate, number, guesses=guesses)
        choice._cut_sessions[candidate, number] = cut
        return Replay(cut.transcript, None)

    monkeypatch.setattr(choice, "_replay", replay)
    selection = choice.select(sessions)
    results = [SimpleNamespace(difference=replayed.difference) for replayed in selection.replays]
    updated = choice.replay_wrong_sessions(selection, {"a": b"a"}, results)
    assert updated.drawn[0].transcript == updated.replays[0].expected == cut.transcript


def test_each_setting_replays_a_session_once():
    choice, sessions = Choice(STAGE, CONDITIONS), run_sessions((1, 0, 1, 0, 0, 0))
    choice.select(sessions)
    count = choice.replay_count
    assert choice.select(sessions).description == "greets False, order ba"
    assert choice.replay_count == count


def test_further_sessions_are_replayed_once_with_the_chosen_setting():
    choice, sessions = Choice(STAGE, CONDITIONS), run_sessions((1, 0, 1, 0, 0, 0), count=80)
    choice.select(sessions[:40])
    count = choice.replay_count
    assert count_explained(choice.select(sessions)) == 80
    assert choice.replay_count == count + 40


def test_sessions_with_a_mistake_are_searched_once():
    right = run_sessions((1, 0, 1, 0, 0, 0), count=80)
    sessions, choice = [*map(with_mistake, right[:40]), *right[40:]], Choice(STAGE, CONDITIONS)
    first_explained, count = count_explained(choice.select(sessions[:40])), choice.replay_count
    assert first_explained < 40
    assert count_explained(choice.select(sessions)) == first_explained + 40
    assert choice.replay_count <= count + 41  # the stage's own setting is tried on one more


def test_a_search_begins_with_the_setting_that_is_tried_first():
    sessions = [with_mistake(session) for session in run_sessions((1, 1, 1, 1, 0, 2))]
    plain = Choice(STAGE, CONDITIONS)
    found = plain.select(sessions)
    choice = Choice(STAGE, CONDITIONS, first=plain.selected)
    assert choice.select(sessions).setting == found.setting
    assert choice.replay_count < 0.6 * plain.replay_count


def test_each_changed_option_that_is_no_feature_may_have_the_own_value_again():
    options = tuple(
        msgspec.structs.replace(option, feature_rule="numbers" if option.name == "numbered" else "")
        for option in OPTIONS
    )
    choice = Choice(msgspec.structs.replace(STAGE, options=options), CONDITIONS)
    choice.select(run_sessions((1, 1, 0, 0, 0, 2)))
    assert choice.settings_with_fewer_changes() == [(0, 1, 0, 0, 0, 2), (1, 1, 0, 0, 0, 0)]
    selection = choice.select_setting((0, 1, 0, 0, 0, 2))
    assert (selection.setting, count_explained(selection)) == ((0, 1, 0, 0, 0, 2), 0)


def test_the_choice_is_the_same_every_time():
    sessions = [with_mistake(session) for session in run_sessions((1, 1, 0, 1, 0, 1))]
    descriptions = {Choice(STAGE, CONDITIONS).select(sessions).description for _ in range(3)}
    assert descriptions == {"greets False, numbered True, signed True, ends Bye"}


@settings(max_examples=15)
@given(st.tuples(*(st.integers(0, len(option.values) - 1) for option in OPTIONS)), st.integers(0, 1 << 30))
def test_any_setting_is_found(setting, seed):
    selection = Choice(STAGE, CONDITIONS).select(run_sessions(setting, seed))
    assert count_explained(selection) == SESSIONS


@example(setting=(0, 0, 0, 0, 0, 1), seed=346169291)
@settings(max_examples=10)
@given(st.tuples(*(st.integers(0, len(option.values) - 1) for option in OPTIONS)), st.integers(0, 1 << 30))
def test_the_setting_is_found_although_the_program_has_a_mistake(setting, seed):
    """The chosen setting explains at least as many sessions as the true one."""
    sessions = [with_mistake(session) for session in run_sessions(setting, seed)]
    true_stage = with_setting(STAGE, setting)
    fixed_options = tuple(msgspec.structs.replace(option, is_free=False) for option in true_stage.options)
    true_selection = Choice(msgspec.structs.replace(true_stage, options=fixed_options), CONDITIONS).select(sessions)
    assert count_explained(Choice(STAGE, CONDITIONS).select(sessions)) >= count_explained(true_selection)


def test_the_setting_is_found_although_no_session_is_explained():
    """A program with a slip in every session is compared with the correct program of the same setting."""
    sessions = [with_mistake(session, b"A ", b"a ") for session in run_sessions((0, 1, 0, 0, 0, 0))]
    selection = Choice(STAGE, CONDITIONS).select(sessions)
    assert (selection.description, count_explained(selection)) == ("numbered True", 0)


def test_a_fixed_option_keeps_its_value():
    options = tuple(msgspec.structs.replace(option, is_free=option.name != "signed") for option in OPTIONS)
    stage = msgspec.structs.replace(STAGE, options=options)
    selection = Choice(stage, CONDITIONS).select(run_sessions((1, 0, 0, 1, 0, 0)))
    assert selection.description == "greets False"
    assert count_explained(selection) < SESSIONS / 2


def test_the_chosen_stage_reads_and_runs_with_the_chosen_setting():
    sessions = run_sessions((0, 0, 1, 1, 0, 0))
    selection = Choice(STAGE, CONDITIONS).select(sessions)
    choice_from_that_stage = Choice(selection.stage, CONDITIONS)
    assert count_explained(choice_from_that_stage.select(selection.drawn)) == SESSIONS
    assert [session.reading for session in selection.drawn] == [
        reader_of(selection.stage)(session.transcript.events) for session in sessions
    ]
    assert selection.drawn[0].reading != sessions[0].reading


def test_a_reference_that_only_one_session_in_forty_favours_is_found(monkeypatch):
    """Some of the sessions that the stage's own reference does not explain are tried first.

    This reference, whose name is "", explains every second session, among them session 39. Thirteen others explain all
    sessions that are tried first, but twelve of them do not explain session 39.
    """
    names = [f"other {number}" for number in range(24)]
    tolerated = tuple(Tolerated(name, Reference("tests.unseeded.switches:main")) for name in names)
    choice = Choice(msgspec.structs.replace(STAGE, options=(), tolerated=tolerated), CONDITIONS)
    sessions = [DrawnSession(Session(STAGE, CASE, None, number), Transcript(())) for number in range(1, 41)]
    true_name, nearly_true_names = names[-1], names[:12]

    def replay(candidate, number, *, guesses=True):
        name, _ = candidate
        explains = {"": number % 2 == 1, true_name: True} | dict.fromkeys(nearly_true_names, number != 39)
        return Replay(Transcript(()), None if explains.get(name) else DIFFERENCE, False)

    monkeypatch.setattr(choice, "_replay", replay)
    assert choice.select(sessions).tolerated == true_name
    # Otherwise all 20 sessions that the stage's own reference does not explain would be tried first.
    assert choice_module._SAMPLE < 20


def test_a_session_with_known_draws_outweighs_sessions_with_unknown_draws():
    """Sessions 0 and 1, with unknown draws, favour `never`; session 9, with known draws, favours `push`."""
    always, push, never = (0,), (1,), (2,)
    shows = Option("shows", "shows", tuple(OptionValue(value, value) for value in ("always", "push", "never")))
    #: The sessions that each setting explains if the unknown draws are given arbitrary values.
    quickly_explained = {always: (), push: range(2, 10), never: range(9)}
    #: The sessions that it explains if they are given the best values.
    explained = {always: (), push: range(10), never: range(9)}

    class Sessions:
        def quick_replay(self, setting, number):
            difference = None if number in quickly_explained[setting] else DIFFERENCE
            return Replay(Transcript(()), difference, False)

        def has_unknown_draws(self, number):
            return number < 2

        def explains(self, setting, number):
            return number in explained[setting]

    assert SettingSearch([shows], Sessions()).best_setting(always, range(10)) == push


def test_sessions_with_a_mistake_do_not_hide_the_session_in_which_an_option_matters():
    """Sessions 0 and 1 have a mistake, and session 9 alone tells `push` from `never`; all have unknown draws.

    With arbitrary values `push` explains fewer sessions, and session 9 agrees with it for a shorter time.
    """
    always, never, push = (0,), (1,), (2,)
    shows = Option("shows", "shows", tuple(OptionValue(value, value) for value in ("always", "never", "push")))
    quickly_explained = {always: (), push: range(2, 8), never: range(2, 9)}
    explained = {always: (), push: range(2, 10), never: range(2, 9)}

    class Sessions:
        def quick_replay(self, setting, number):
            difference = None if number in quickly_explained[setting] else DIFFERENCE
            if (setting, number) == (never, 9):
                difference = SimpleNamespace(matched=(Shown(b"a"),), expected=(), actual=(), place="")
            return Replay(Transcript(()), difference, False)

        def has_unknown_draws(self, number):
            return True

        def explains(self, setting, number):
            return number in explained[setting]

    assert SettingSearch([shows], Sessions()).best_setting(always, range(10)) == push


def test_many_sessions_with_one_mistake_do_not_hide_a_session_that_only_a_guess_explains():
    """Sessions 0 to 3 have a mistake, and which option is chosen matters in 0. With arbitrary values it does not in 9."""
    always, push, never = (0,), (1,), (2,)
    shows = Option("shows", "shows", tuple(OptionValue(value, value) for value in ("always", "push", "never")))
    explained = {always: (), push: range(4, 9), never: range(4, 10)}

    class Sessions:
        def quick_replay(self, setting, number):
            matched = (Shown(b"hit?"),) if (setting, number) == (push, 0) else ()
            expected = Shown(b"No such key." if number < 4 else b"Blackjack!")
            difference = SimpleNamespace(matched=matched, expected=(expected,), actual=(), place="")
            is_explained = number in explained[setting] and number != 9
            return Replay(Transcript(()), None if is_explained else difference)

        def has_unknown_draws(self, number):
            return True

        def explains(self, setting, number):
            return number in explained[setting]

    assert SettingSearch([shows], Sessions()).best_setting(always, range(10)) == never


def test_a_needless_setting_is_given_up_after_as_many_misses_as_the_best_has():
    """Sessions 0 and 1 have a mistake; all others show that the option is not needless."""
    always, push = (0,), (1,)
    shows = Option("shows", "shows", tuple(OptionValue(value, value) for value in ("always", "push")))
    replayed = set()

    class Sessions:
        def quick_replay(self, setting, number):
            return Replay(Transcript(()), None if setting == push and number > 1 else DIFFERENCE, False)

        def has_unknown_draws(self, number):
            return True

        def explains(self, setting, number):
            replayed.add((setting, number))
            return setting == push and number > 1

    assert SettingSearch([shows], Sessions()).best_setting(always, range(100)) == push
    assert len([number for setting, number in replayed if setting == always]) < 10


#: The difference of a replay that does not explain its session; nothing of the session is the same.
DIFFERENCE = SimpleNamespace(matched=(), expected=(), actual=(), place="")


def test_later_lines_decide_between_replays_that_agree_equally_far():
    """A program without empty lines differs from every reference at once; it still shows which features it has."""

    def score(*expected):
        difference = Difference((), (Shown(b"\n" + b"\n".join(expected)),), (Shown(b"Hit!\nReshuffling\nHit!\n"),))
        return score_of([Replay(Transcript(()), difference)])

    assert score(b"Hit!", b"Hit!") == (0, 0, 2)
    assert score(b"Hit!", b"Reshuffling", b"Hit!") > score(b"Hit!", b"Hit!") > score(b"Hit!", b"No!")


@pytest.mark.parametrize(("explained", "best"), [((), (1,)), ((0,), (0,))])
def test_later_lines_give_a_program_no_option_where_a_setting_explains_a_session(explained, best):
    """In a session with a mistake the lines after it may agree with another value by chance."""
    shows = Option("shows", "shows", tuple(OptionValue(value, value) for value in ("always", "push")))
    differences = [Difference((), (Shown(text),), (Shown(b"Hit!\nPush\n"),)) for text in (b"\nHit!", b"\nHit!\nPush")]

    class Sessions:
        def quick_replay(self, setting, number):
            return Replay(Transcript(()), None if number in explained else differences[setting[0]])

        def has_unknown_draws(self, number):
            return False

        def explains(self, setting, number):
            return number in explained

    assert SettingSearch([shows], Sessions()).best_setting((0,), range(3)) == best
