"""Players that no case has may come to what an assignment leaves open; sessions that end there are not used."""

import msgspec

from pitboss.assignments.assignment import Answers, Scripted
from pitboss.compare.verdicts import Verdict
from tests.experiments.adequacy.test_gathering import named, rolling

#: No case rolls more than six times.
LONG, MAX_ROLLS = "rolls twenty times", 6
NEVER = named("a stake of a million is refused", refused=("0", "1000000"))


class Left(Exception):
    """The program ends."""


def ending_at(roll):
    """A program that is right, and ends without a word when this roll is asked for."""

    def main(console, draw):
        count = 0

        def counted():
            nonlocal count
            count += 1
            if count > 3 * (roll - 1):
                raise Left
            return draw()

        try:
            return rolling.right(console, counted)
        except Left:
            return 0

    return main


def judged(sixes, judge, main):
    """The outcome with a further player, and with something that is never shown, so that this player is asked."""
    often = next(player for player in sixes.players if player.name == "often")
    stake, rolls = often.habits
    long = msgspec.structs.replace(
        often, name=LONG, habits=(stake, msgspec.structs.replace(rolls, answers=Answers((b"r",) * 20 + (b"s",))))
    )
    assert isinstance(rolls, Scripted)
    wide = msgspec.structs.replace(sixes, players=(*sixes.players, long))
    stage = msgspec.structs.replace(wide.stages[0], most_sessions=12)
    return judge(wide, stage, main, sources=(NEVER,))


def rolls_of(outcome):
    return [result.actual.lines.count(b"r") for result in outcome.results if LONG in result.case]


def test_a_right_program_plays_the_long_sessions_too(sixes, judge):
    outcome = judged(sixes, judge, rolling.right)
    assert outcome.verdict is Verdict.ACCEPTED
    assert set(rolls_of(outcome)) == {20}


def test_a_program_that_ends_where_no_case_has_come_is_not_wrong(sixes, judge):
    outcome = judged(sixes, judge, ending_at(MAX_ROLLS + 2))
    assert outcome.verdict is Verdict.ACCEPTED
    assert rolls_of(outcome) == []


def test_a_program_that_ends_where_a_case_goes_on_is_wrong(sixes, judge):
    assert judged(sixes, judge, ending_at(MAX_ROLLS)).verdict is Verdict.WRONG_ANSWER
