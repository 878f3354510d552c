"""The reference a submission is judged by is the one that explains most, also where few sessions tell them apart."""

import msgspec

from harness.assignments.specfile import load_assignment
from harness.draws import choice as choices
from harness.draws.choice import Choice, DrawnSession
from harness.draws.replay import Replay
from harness.running.drivers import find_conditions
from harness.transcripts.transcript import Transcript
from tests.conftest import ROOT


def test_a_reference_that_one_session_in_forty_speaks_for_is_found(monkeypatch):
    """Among the sessions that are looked at first, a dozen references explain all alike."""
    stage = load_assignment(ROOT / "specs" / "csc101").stage("basic")
    choice = Choice(stage, find_conditions())
    held = [DrawnSession(msgspec.UNSET, Transcript(())) for _ in range(40)]
    names = [one.name for one in stage.tolerated]
    right, alike = names[-1], names[: len(names) // 2] + names[-1:]

    def replays(name, one, *, guesses=True):
        number = next(index for index, other in enumerate(held) if other is one)
        explains = name == right or (name in alike and number != 39) or (not name and number % 2)
        return Replay(Transcript(()), None if explains else DIFFERENCE, False)

    monkeypatch.setattr(choice, "_replay", replays)
    assert choice.made(held)[0] == right
    assert choices._SAMPLE < 20


class Difference:
    matched = ()
    place = ""


DIFFERENCE = Difference()
