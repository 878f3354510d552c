"""An additional player may play longer than any case, and what a program does then is not specified.

A program that ends there is not wrong: its sessions with this player are discarded.
"""

import msgspec

from pitboss.assignments.assignment import Answers, PromptAnswers
from pitboss.compare.results import Verdict
from tests.experiments.adequacy.test_gathering import rolling, single_mistake

#: The name of the additional player, and how often the cases roll at most.
LONG_PLAYER, MAX_ROLLS = "rolls twenty times", 6
UNREACHABLE_MISTAKE = single_mistake("a stake of a million is refused", refused=("0", "1000000"))


class ProgramEnded(Exception):
    """Raised to end the program early."""


def program_ending_at(roll):
    """A program that is correct until this roll is requested, and then ends silently."""

    def main(console, draw):
        count = 0

        def counted_draw():
            nonlocal count
            count += 1
            if count > 3 * (roll - 1):
                raise ProgramEnded
            return draw()

        try:
            return rolling.right(console, counted_draw)
        except ProgramEnded:
            return 0

    return main


def judge_with_long_player(sixes, judge, main):
    """The outcome with the long player added; a mistake that no session exposes makes the harness try this player."""
    often = next(player for player in sixes.players if player.name == "often")
    stake, rolls = often.prompt_answers
    assert isinstance(rolls, PromptAnswers)
    long_player = msgspec.structs.replace(
        often,
        name=LONG_PLAYER,
        prompt_answers=(stake, msgspec.structs.replace(rolls, answers=Answers((b"r",) * 20 + (b"s",)))),
    )
    extended_assignment = msgspec.structs.replace(sixes, players=(*sixes.players, long_player))
    stage = msgspec.structs.replace(extended_assignment.stages[0], most_sessions=12)
    return judge(extended_assignment, stage, main, sources=(UNREACHABLE_MISTAKE,))


def long_player_rolls(outcome):
    """How often the player typed `r`, to roll, in each session of the long player."""
    return [result.actual.lines.count(b"r") for result in outcome.results if LONG_PLAYER in result.case]


def test_a_correct_program_also_plays_the_long_sessions(sixes, judge):
    outcome = judge_with_long_player(sixes, judge, rolling.right)
    assert outcome.verdict is Verdict.ACCEPTED
    assert set(long_player_rolls(outcome)) == {20}


def test_a_program_that_ends_later_than_all_cases_is_accepted(sixes, judge):
    outcome = judge_with_long_player(sixes, judge, program_ending_at(MAX_ROLLS + 2))
    assert outcome.verdict is Verdict.ACCEPTED
    assert long_player_rolls(outcome) == []


def test_a_program_that_ends_before_a_case_is_over_is_wrong(sixes, judge):
    assert judge_with_long_player(sixes, judge, program_ending_at(MAX_ROLLS)).verdict is Verdict.WRONG_ANSWER
