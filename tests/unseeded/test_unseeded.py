"""Programs that draw as they like are judged exactly: their draws are read back and replayed. With dice, no cards."""

import re
import shutil
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.assignment import Draws
from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.findings import DrawnTwice
from pitboss.compare.results import Report
from pitboss.compare.verdicts import Verdict
from pitboss.errors import SessionError
from pitboss.model.comparison_policy import EXACT
from pitboss.model.scripts import typing
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.pages import submission_values
from pitboss.reports.screen import parting_of
from pitboss.reports.templates import page
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.randomness import about_beginnings, about_never_drawn, twice_in_a_bag
from pitboss.unseeded.replay import GivenDraws, replay
from pitboss.unseeded.unseeded import Judge
from reference.csc101 import game
from reference.csc101.rules import RIGHT
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


def checked(dice, folder, text, *, sandbox="landlock"):
    (folder / "pig.c").write_text(text)
    (report,) = check(Job(dice, dice.stages, find_conditions("watched", sandbox), "dice"), folder).stages
    return report


@pytest.mark.parametrize("sandbox", ["none", "landlock", "bubblewrap"])
def test_a_right_program_is_accepted_whatever_it_rolls(dice, tmp_path, sandbox):
    report = checked(dice, tmp_path, PIG, sandbox=sandbox)
    assert (report.verdict, report.judged_as, report.summary) == (Verdict.ACCEPTED, "", "")
    assert [name for name, _ in report.rules] == ["a one costs all", "held", "four rolls or more"]
    assert dict(report.rules)["held"] > 0


@pytest.mark.needs("Java")
@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
def test_a_right_program_in_java_is_accepted(dice, tmp_path, sandbox):
    (tmp_path / "Pig.java").write_text(JAVA_PIG)
    (report,) = check(Job(dice, dice.stages, find_conditions("watched", sandbox), "dice"), tmp_path).stages
    assert (report.verdict, report.summary, report.build_messages) == (Verdict.ACCEPTED, "", "")


def test_sessions_of_one_second_differ_though_the_program_is_seeded_with_the_second(dice, tmp_path):
    report = checked(dice, tmp_path, PIG)
    rolled = {result.expected.text for result in report.results}
    assert len(rolled) > 3


WRONG = {
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
        "“You rolled … points.” is expected. What … stands for depends on what is drawn.",
    ),
    "more than there is": ("% 6 + 1", "% 6 + 3", "': what can be drawn is 1 to 6."),
    "a one forgiven": ("roll == 1", "roll == 7", " is expected"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_explained(dice, tmp_path, name):
    old, new, output = WRONG[name]
    report = checked(dice, tmp_path, PIG.replace(old, new))
    assert report.verdict is Verdict.WRONG_ANSWER
    failed = [one for one in report.results if one.verdict is not Verdict.ACCEPTED]
    assert output in (summary_of(failed[0]) if failed else report.summary)
    if name == "a six in words":  # so nobody knows that it never came
        assert report.summary == ""
    if name == "no number":  # what it rolled is not known, so no roll is quoted as the expected one
        expected = parting_of(failed[0].difference).expected
        assert "".join(piece.text for line in expected for piece in line) == "You rolled … points."


def test_what_cannot_be_drawn_is_reported_besides_what_differs_before(dice, tmp_path):
    text = PIG.replace("% 6 + 1", "% 6 + 3").replace("Roll or hold? [r/h] ", "Roll or stay? [r/h] ")
    output = [summary_of(one) for one in checked(dice, tmp_path, text).results if "drawn" in summary_of(one)]
    first = r"Line 1, “Roll or stay\? \[r/h\] ”, has “stay\?” where “hold\?” is expected\. "
    assert re.fullmatch(
        first + r"Line \d+ is 'You rolled [78]: \d+ points\.': what can be drawn is 1 to 6\.", output[0]
    )


def test_what_would_be_drawn_next_is_not_invented(dice, tmp_path):
    """A program that ends where it should roll has not shown what it would have rolled."""
    stops = PIG.replace(
        "        int roll = rand() % 6 + 1;", "        if (points >= 4) return 0;\n        int roll = rand() % 6 + 1;"
    )
    report = checked(dice, tmp_path, stops)
    first = next(one for one in report.results if one.verdict is Verdict.WRONG_ANSWER)
    assert re.fullmatch(
        r"It ended too early, at the start of line (\d+): “You rolled … points.” is expected next\. "
        r"What … stands for depends on what is drawn\.",
        summary_of(first),
    )
    parting = parting_of(first.difference)
    assert "".join(piece.text for line in parting.expected for piece in line) == "You rolled … points."
    page_of_it = page("submission.html.j2", submission_values(Report("dice", "Dice", "ada", (report,)), ""))
    assert page_of_it.count("You rolled … points.") >= 3


def test_what_the_instructor_tolerates_is_accepted_and_named(dice, tmp_path):
    report = checked(dice, tmp_path, PIG.replace('keep %d.\\n"', 'keep %d.\\nFarewell!\\n"'))
    assert (report.verdict, report.judged_as) == (Verdict.ACCEPTED, "who holds hears a farewell")


def test_a_program_that_does_so_only_sometimes_is_not_tolerated(tmp_path):
    """In so many sessions that it does both, but for once in a billion times."""
    specs = tmp_path / "dice"
    shutil.copytree(ROOT / "tests" / "toy" / "dice", specs)
    (specs / "pig.yaml").write_text((specs / "pig.yaml").read_text().replace("sessions: 6", "sessions: 40"))
    dice = load_assignment(specs)
    sometimes = PIG.replace('keep %d.\\n", points', 'keep %d.\\n%s", points, points % 2 ? "Farewell!\\n" : ""')
    assert checked(dice, tmp_path, sometimes).verdict is Verdict.WRONG_ANSWER


def test_a_rule_that_never_came_up_is_reported(pitboss, tmp_path):
    (tmp_path / "pig.c").write_text(PIG.replace("roll == 1", "0 * roll").replace("% 6 + 1", "% 5 + 2"))
    done = pitboss("check", tmp_path, "--details", "--assignment", ROOT / "tests" / "toy" / "dice")
    assert done.code == 1
    assert "sessions: a one costs all" in " ".join(done.out.split())
    assert "1 never came." in done.out


def test_the_reference_reads_back_to_what_it_drew(pitboss):
    done = pitboss("verify", "--assignment", ROOT / "tests" / "toy" / "dice")
    read = "each of the 2 cases was played, read back, and played again with what was read: the same"
    assert (done.code, done.out) == (0, f"dice: the only recorded case matches the reference; {read}\n")


@given(st.lists(st.sampled_from([*DECK.values, None]), max_size=20))
def test_a_supply_gives_what_was_read_and_then_what_is_left(draws):
    supply = GivenDraws(draws, DECK)
    given_draws = [supply() for _ in range(len(draws) + 5)]
    assert all(read in (None, drawn) for read, drawn in zip(draws, given_draws, strict=False))
    assert supply.ran_out
    assert set(given_draws) <= set(DECK.values)


def test_findings_about_draws():
    assert twice_in_a_bag(DECK, tuple("abcda")) == DrawnTwice("a", first=1, second=5, among=8)
    assert twice_in_a_bag(DECK, (*"abcdefgh", *"abc")) is None
    assert about_never_drawn(DICE, [tuple("12345")] * 30) == "In 150 draws over 30 sessions 6 never came."
    assert about_never_drawn(DICE, [tuple("12345")] * 20) == ""
    alike = "Every session draws the same, beginning with 1, 2, 3, 4: each run must draw new values."
    assert about_beginnings(DICE, [tuple("1234"), tuple("12")] * 12) == alike
    assert about_beginnings(DICE, [tuple("1234")] * 4) == ""
    assert about_beginnings(DICE, [tuple("1234")] * 40 + [tuple("1235")]) == ""
    assert about_beginnings(DICE, []) == ""


@pytest.mark.parametrize(
    ("readings", "said"),
    [
        (
            [("1", "2", None, "4")] * 12,
            "Every session draws the same, beginning with 1, 2: each run must draw new values.",
        ),
        ([("1", "2", None), ("1", None, "3")] * 12, "Every session draws the same, beginning with 1, 2, 3: each run "),
        ([(None, "2", "3", "4")] * 12, "Every session draws the same: each run must draw new values."),
        ([(None,) * 4] * 100, ""),
        ([("1", "2", None), ("1", "3", None)] * 12, ""),
        ([(None, None, "3"), ("1", "2", None)], ""),
    ],
)
def test_a_draw_that_was_never_shown_is_no_evidence_and_is_not_quoted(readings, said):
    assert about_beginnings(DICE, readings).startswith(said)
    assert bool(about_beginnings(DICE, readings)) == bool(said)


def test_a_card_that_comes_twice_is_reported_where_nothing_differs_before():
    """A deck that is shuffled again too early is one difference, and each of its cards that were out another."""
    csc101 = load_assignment(ROOT / "specs" / "csc101")
    stage = csc101.stage("reshuffle")
    session = next(one for one in sessions_of(stage) if one.case.name == "one hand")
    judge = Judge(Job(csc101, (stage,), find_conditions("watched", "none"), "csc101"), stage)

    def summary(early, last_card):
        rules = replace(RIGHT, reshuffle=True, cards_in_deck=5 if early else 52)
        cards = iter(("2H", "QH", "4C", "JS", "10C", last_card))
        run = expected_run_in_process(lambda console, draw: game.main(console, draw, rules), "reshuffle")
        output = run(typing((b"h", b"h", b"s", b"q")), lambda: next(cards))
        drawn = DrawnSession(session, output, judge.read(output.events))
        return summary_of(judge.outcome([drawn]).results[0])

    assert summary(early=False, last_card="2H") == (
        "It drew 2H twice, as number 1 and as number 6: among 52 draws each comes once."
    )
    assert summary(early=True, last_card="2H") == "There is a line too many: “Reshuffling ...” (line 12)."


def test_what_is_chance_depends_on_how_likely_the_rarest_value_is():
    """With one in a hundred, 2,241 draws are needed of six values: 6 * 0.99 ** 2241 is 0.99e-9."""
    rare = Draws(DICE.values, rarest=Fraction(1, 100))
    assert about_never_drawn(rare, [tuple("12345")] * 448) == ""
    assert about_never_drawn(rare, [*[tuple("12345")] * 448, ("1",)]) == "In 2241 draws over 449 sessions 6 never came."
    # Five values come with 0.01 each at least, so the sixth with 0.95 at most: 0.95 ** 404 is 1.0e-9.
    assert about_beginnings(rare, [tuple("1111")] * 202) == ""
    assert about_beginnings(rare, [tuple("1111")] * 204)


def test_a_reference_that_does_not_end_by_itself_is_our_fault(dice, tmp_path):
    """And not a transcript that a submission would be held to."""
    folder = tmp_path / "dice"
    shutil.copytree(ROOT / "tests" / "toy" / "dice", folder)
    (folder / "pig").write_text("#!/bin/sh\nkill -9 $$\n")
    broken = load_assignment(folder)
    with pytest.raises(SessionError, match=r"^\S+pig: the reference did not end by itself: SIGKILL$"):
        expected_run_here(broken.stages[0])(lambda _: None)


def test_what_a_difference_hangs_on_is_found_out_only_where_it_is_reported(dice):
    """The first roll is 2; the second is not to be seen in what the program shows."""
    stage = dice.stages[0]
    right, runs = expected_run_here(stage), []

    def run(*arguments, **keywords):
        runs.append(arguments)
        return right(*arguments, **keywords)

    ask = "Roll or hold? [r/h] "
    seen = [Shown(ask.encode()), Typed(b"r"), Shown(f"You rolled 2: 2 points.\n{ask}".encode()), Typed(b"r")]
    actual = Transcript((*seen, Shown(f"Well.\n{ask}".encode()), Typed(b"h"), Shown(b"You keep it.\n")))
    output = replay(actual, ("2", None), stage, EXACT, run)
    needed = len(runs)
    untold = replay(actual, ("2", None), stage, EXACT, run, is_reported=False)
    assert output.difference == untold.difference is not None
    assert (output.open_line, untold.open_line) == ("You rolled … points.".encode(), None)
    assert len(runs) - needed < needed
