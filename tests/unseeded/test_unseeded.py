import re
import shutil
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.assignment import Draws
from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Report, Verdict
from pitboss.errors import SessionError
from pitboss.model.comparison_policy import EXACT
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.reports.finding_sentences import stage_summary, summary_of
from pitboss.reports.pages import submission_values
from pitboss.reports.screen import screen_difference
from pitboss.reports.templates import page
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.reader import DrawnSession
from pitboss.unseeded.replay import GivenDraws, draws_with_other_values, replay, with_open_line
from pitboss.unseeded.unseeded import Judge
from reference.csc101 import game
from reference.csc101.rules import RULES
from tests.conftest import ROOT

PIG = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void)
{
    int points = 0;
    char command;
    srand(time(NULL));
    for (;;) {
        printf("Roll or hold? [r/h] ");
        if (scanf(" %c", &command) != 1) {
            printf("\\n");
            return 0;
        }
        if (command == 'h') {
            printf("You keep %d.\\n", points);
            return 0;
        }
        int roll = rand() % 6 + 1;
        points += roll;
        if (roll == 1) {
            printf("You rolled 1: 0 points.\\nA one costs you all your points.\\n");
            return 0;
        }
        printf("You rolled %d: %d points.\\n", roll, points);
    }
}
"""
JAVA_PIG = r"""import java.util.Random;
import java.util.Scanner;

public class Pig {
    public static void main(String[] args) {
        Random random = new Random();
        Scanner in = new Scanner(System.in);
        int points = 0;
        while (true) {
            System.out.print("Roll or hold? [r/h] ");
            if (!in.hasNext()) {
                System.out.println();
                return;
            }
            String answer = in.next();
            if (answer.equals("h")) {
                System.out.println("You keep " + points + ".");
                return;
            }
            int roll = random.nextInt(6) + 1;
            if (roll == 1) {
                System.out.println("You rolled 1: 0 points.\nA one costs you all your points.");
                return;
            }
            points += roll;
            System.out.println("You rolled " + roll + ": " + points + " points.");
        }
    }
}
"""
DICE = Draws(("1", "2", "3", "4", "5", "6"))
DECK = Draws(tuple("abcdefgh"), 8)


@pytest.fixture(scope="module")
def dice():
    return load_assignment(ROOT / "tests" / "toy" / "dice")


def check_pig(dice, folder, source, *, sandbox="landlock"):
    """The report on the only stage of the dice assignment for a program in C."""
    (folder / "pig.c").write_text(source)
    (report,) = check(Job(dice, dice.stages, find_conditions("watched", sandbox), "dice"), folder).stages
    return report


@pytest.mark.parametrize("sandbox", ["none", "landlock", "bubblewrap"])
def test_a_correct_program_is_accepted_for_any_rolls(dice, tmp_path, sandbox):
    report = check_pig(dice, tmp_path, PIG, sandbox=sandbox)
    assert (report.verdict, report.judged_as, report.summary) == (Verdict.ACCEPTED, "", "")
    assert [name for name, _ in report.rules] == ["a one costs all", "held", "four rolls or more"]
    assert dict(report.rules)["held"] > 0


@pytest.mark.needs("Java")
@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
def test_a_correct_java_program_is_accepted(dice, tmp_path, sandbox):
    (tmp_path / "Pig.java").write_text(JAVA_PIG)
    (report,) = check(Job(dice, dice.stages, find_conditions("watched", sandbox), "dice"), tmp_path).stages
    assert (report.verdict, report.summary, report.build_messages) == (Verdict.ACCEPTED, "", "")


def test_sessions_in_the_same_second_differ_although_the_program_seeds_with_time(dice, tmp_path):
    report = check_pig(dice, tmp_path, PIG)
    transcripts = {result.expected.text for result in report.results}
    assert len(transcripts) > 3


#: Wrong programs, by what is wrong: code of PIG, the wrong code in its place, and a part of the report.
WRONG_PIGS = {
    "a wrong sum": ("points += roll;", "points += roll + (roll == 6);", "points.”, has “"),
    "another die": ("% 6", "% 5", " sessions 6 never came."),
    "one seed": ("srand(time(NULL));", "srand(5);", "Every session draws the same, beginning with "),
    "no number": (
        '"You rolled %d: %d points.\\n", roll, points',
        '"You rolled a die: %d points.\\n", points',
        "and should look like 'You rolled 5: 12 points.'.",
    ),
    "a six in words": (
        '"You rolled %d: %d points.\\n", roll, points',
        'roll == 6 ? "You rolled six: %2$d points.\\n" : "You rolled %d: %d points.\\n", roll, points',
        "and should look like 'You rolled 5: 12 points.'.",
    ),
    "a roll in silence": (
        'printf("You rolled %d: %d points',
        'if (points != roll) printf("You rolled %d: %d points',
        "“You rolled … points.” is expected. The … stands for a text that depends on what is drawn.",
    ),
    "more than there is": ("% 6 + 1", "% 6 + 3", "': what can be drawn is 1 to 6."),
    "a one forgiven": ("roll == 1", "roll == 7", " is expected"),
}


@pytest.mark.parametrize("name", WRONG_PIGS)
def test_a_report_explains_what_is_wrong(dice, tmp_path, name):
    old, new, sentence = WRONG_PIGS[name]
    report = check_pig(dice, tmp_path, PIG.replace(old, new))
    assert report.verdict is Verdict.WRONG_ANSWER
    failed = [result for result in report.results if result.verdict is not Verdict.ACCEPTED]
    assert sentence in (summary_of(failed[0]) if failed else stage_summary(report))
    if name == "a six in words":  # the six is not read, so it could seem never rolled
        assert report.draws is None
    if name == "no number":  # the roll is not known, so the expected line does not quote one
        expected_lines = screen_difference(failed[0].difference).expected
        assert "".join(piece.text for line in expected_lines for piece in line) == "You rolled … points."


def test_an_impossible_roll_is_reported_after_an_earlier_difference(dice, tmp_path):
    source = PIG.replace("% 6 + 1", "% 6 + 3").replace("Roll or hold? [r/h] ", "Roll or stay? [r/h] ")
    all_summaries = map(summary_of, check_pig(dice, tmp_path, source).results)
    summaries = [summary for summary in all_summaries if "drawn" in summary]
    prompt_pattern = r"Line 1, “Roll or stay\? \[r/h\] ”, has “stay\?” where “hold\?” is expected\. "
    assert re.fullmatch(
        prompt_pattern + r"Line \d+ is 'You rolled [78]: \d+ points\.': what can be drawn is 1 to 6\.", summaries[0]
    )


def test_a_roll_that_was_not_shown_is_not_quoted_as_expected(dice, tmp_path):
    """From four points on, the program ends where it should roll again."""
    pig_that_stops = PIG.replace(
        "        int roll = rand() % 6 + 1;", "        if (points >= 4) return 0;\n        int roll = rand() % 6 + 1;"
    )
    report = check_pig(dice, tmp_path, pig_that_stops)
    first_wrong = next(result for result in report.results if result.verdict is Verdict.WRONG_ANSWER)
    assert re.fullmatch(
        r"It ended too early, at the start of line (\d+): “You rolled … points.” is expected next\. "
        r"The … stands for a text that depends on what is drawn\.",
        summary_of(first_wrong),
    )
    difference = screen_difference(first_wrong.difference)
    assert "".join(piece.text for line in difference.expected for piece in line) == "You rolled … points."
    submission_page = page("submission.html.j2", submission_values(Report("dice", "Dice", "ada", (report,)), ""))
    assert submission_page.count("You rolled … points.") >= 3


def test_a_tolerated_variant_is_accepted_and_named(dice, tmp_path):
    report = check_pig(dice, tmp_path, PIG.replace('keep %d.\\n"', 'keep %d.\\nFarewell!\\n"'))
    assert (report.verdict, report.judged_as) == (Verdict.ACCEPTED, "who holds hears a farewell")


def test_a_program_with_a_tolerated_variant_only_sometimes_is_wrong(tmp_path):
    """The program says farewell after an odd number of points only.

    With 40 sessions, at most one run of the test in a billion would show only one of these two behaviours.
    """
    specs = tmp_path / "dice"
    shutil.copytree(ROOT / "tests" / "toy" / "dice", specs)
    (specs / "pig.yaml").write_text((specs / "pig.yaml").read_text().replace("sessions: 6", "sessions: 40"))
    dice = load_assignment(specs)
    pig_with_farewells = PIG.replace('keep %d.\\n", points', 'keep %d.\\n%s", points, points % 2 ? "Farewell!\\n" : ""')
    assert check_pig(dice, tmp_path, pig_with_farewells).verdict is Verdict.WRONG_ANSWER


def test_a_rule_that_no_session_reached_is_reported(pitboss, tmp_path):
    """The program never rolls a one, so the rule on ones is never reached."""
    (tmp_path / "pig.c").write_text(PIG.replace("roll == 1", "0 * roll").replace("% 6 + 1", "% 5 + 2"))
    output = pitboss("check", tmp_path, "--details", "--assignment", ROOT / "tests" / "toy" / "dice")
    assert output.code == 1
    assert "sessions: a one costs all" in " ".join(output.out.split())
    assert "1 never came." in output.out


def test_verify_replays_the_reference_with_its_draws_read_back(pitboss):
    output = pitboss("verify", "--assignment", ROOT / "tests" / "toy" / "dice")
    played_again = "each of the 2 cases was played, and its draws were read back and played again, with the same result"
    assert (output.code, output.out) == (0, f"dice: the only recorded case matches the reference; {played_again}\n")


@given(st.lists(st.sampled_from([*DECK.values, None]), max_size=20))
def test_given_draws_are_those_read_and_then_remaining_values(draws):
    """Five more draws are made than were read; any value may come for an unknown draw (None)."""
    source = GivenDraws(draws, DECK)
    given_draws = [source() for _ in range(len(draws) + 5)]
    for draw, given_draw in zip(draws, given_draws, strict=False):
        assert draw is None or given_draw == draw
    assert source.ran_out
    assert set(given_draws) <= set(DECK.values)


def test_a_card_drawn_twice_is_reported_unless_another_difference_comes_first():
    """If the deck is reshuffled too early, the report names only that, not the card that then comes again."""
    csc101 = load_assignment(ROOT / "specs" / "csc101")
    stage = csc101.stage("reshuffle")
    session = next(session for session in sessions_of(stage) if session.case.name == "one hand")
    judge = Judge(Job(csc101, (stage,), find_conditions("watched", "none"), "csc101"), stage)

    def summary(early, last_card):
        """The report on a game whose sixth card is `last_card`; if `early`, the deck is reshuffled after five cards."""
        rules = replace(RULES, reshuffle=True, cards_in_deck=5 if early else 52)
        cards = iter(("2H", "QH", "4C", "JS", "10C", last_card))
        run = expected_run_in_process(lambda console, draw: game.main(console, draw, rules), "reshuffle")
        output = run(script_of_lines((b"h", b"h", b"s", b"q")), lambda: next(cards))
        drawn = DrawnSession(session, output, judge.read(output.events))
        return summary_of(judge.outcome([drawn]).results[0])

    assert summary(early=False, last_card="2H") == (
        "It drew 2H twice, as number 1 and as number 6: among 52 draws each value comes once."
    )
    assert summary(early=True, last_card="2H") == "There is a line too many: “Reshuffling ...” (line 12)."


def test_a_reference_killed_by_a_signal_is_a_session_error(tmp_path):
    """So the transcript of such a reference is not compared with submissions."""
    folder = tmp_path / "dice"
    shutil.copytree(ROOT / "tests" / "toy" / "dice", folder)
    (folder / "pig").write_text("#!/bin/sh\nkill -9 $$\n")
    broken = load_assignment(folder)
    with pytest.raises(SessionError, match=r"^\S+pig: the reference did not end by itself: SIGKILL$"):
        expected_run_here(broken.stages[0])(lambda _: None)


def test_which_draws_a_difference_depends_on_is_shown_by_runs_up_to_the_next_read(dice):
    """The first roll is 2; the program hides the second, and differs there. What it shows later does not matter."""
    stage, longest = dice.stages[0], 0
    reference_run = expected_run_here(stage)

    def run(*arguments, **keywords):
        nonlocal longest
        transcript = reference_run(*arguments, **keywords)
        longest = max(longest, len(transcript.lines))
        return transcript

    question = b"Roll or hold? [r/h] "
    beginning = [Shown(question), Typed(b"r"), Shown(b"You rolled 2: 2 points.\n" + question), Typed(b"r")]
    later = [event for _ in range(5) for event in (Shown(b"Well.\n" + question), Typed(b"r"))]
    actual = Transcript((*beginning, *later, Shown(b"You keep it.\n")))
    replayed = replay(actual, ("2", None), stage, EXACT, run)
    assert (replayed.difference is None, replayed.open_line) == (False, None)
    longest = 0
    variants = draws_with_other_values(replayed, ("2", None), stage.draws)
    opened = with_open_line(replayed, variants, actual, stage, EXACT, run)
    assert opened == msgspec.structs.replace(replayed, open_line="You rolled … points.".encode())
    assert longest <= 3
