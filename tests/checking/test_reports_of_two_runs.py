import shutil

import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import UsageError
from tests.conftest import ROOT

DICE = ROOT / "tests" / "toy" / "dice"
#: A correct program that seeds its rolls from the time and its process id; PROGRAMS add a mistake in place of A_ONE.
PIG = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
    char line[99];
    int points = 0;
    srand(time(NULL) ^ getpid());
    for (;;) {
        printf("Roll or hold? [r/h] ");
        if (!fgets(line, 99, stdin)) { puts(""); return 0; }
        if (line[0] == 'h') { printf("You keep %d.\\n", points); return 0; }
        int roll = rand() % 6 + 1;
        points += roll;
        if (roll == 1) { puts("You rolled 1: 0 points."); A_ONE; puts("A one costs you all your points."); return 0; }
        printf("You rolled %d: %d points.\\n", roll, points);
    }
}
"""
PROGRAMS = {"ann": "", "bob": 'if (points > 9) puts("!")', "cat": "if (points == 5) abort()"}


@pytest.fixture
def class_folder(reachable):
    """A class of four: ann's program is correct, and each of the others is wrong in its own way."""
    for name, mistake in PROGRAMS.items():
        (reachable / name).mkdir()
        (reachable / name / "pig.c").write_text(PIG.replace("A_ONE", mistake))
    (reachable / "dan").mkdir()
    text = (DICE / "pig").read_text()
    # A wrong program in Python: it prints a number within “keep”, and divides by zero if the player keeps 8 points.
    (reachable / "dan" / "pig.py").write_text(text.replace("You keep", "You k{points // (points - 8)}eep"))
    return reachable


@pytest.mark.slow
def test_grading_a_class_twice_writes_identical_reports(pitboss, class_folder, tmp_path):
    for run, jobs in (("first", 1), ("again", 2)):
        files = ["--json", f"{run}.json", "--csv", f"{run}.csv", "--html", f"{run}.html"]
        done = pitboss("grade", class_folder, "-a", DICE, "-j", jobs, *files)
        assert done.code in (0, 1), done.err
        (tmp_path / f"{run}.txt").write_text(done.out.replace(run, "RUN"))
    for suffix in ("txt", "json", "csv"):
        assert (tmp_path / f"first.{suffix}").read_bytes() == (tmp_path / f"again.{suffix}").read_bytes(), suffix
    pages = sorted(path.name for path in (tmp_path / "first.html").iterdir())
    assert pages
    for page in pages:
        assert (tmp_path / "first.html" / page).read_bytes() == (tmp_path / "again.html" / page).read_bytes(), page


@pytest.mark.slow
def test_checking_a_submission_twice_writes_identical_reports(pitboss, class_folder, tmp_path):
    output = []
    for _ in range(2):
        done = pitboss("check", class_folder / "dan", "-a", DICE, "--json", "report.json", "--html", "page.html")
        output.append((done.out, (tmp_path / "report.json").read_bytes(), (tmp_path / "page.html").read_bytes()))
    assert output[0] == output[1]


@pytest.mark.parametrize("flags", ["", "-static"])
def test_a_statically_linked_program_gets_a_note_that_its_draws_vary(pitboss, reachable, flags):
    (reachable / "pig.c").write_text(PIG.replace("A_ONE", ""))
    (reachable / "Makefile").write_text(f"pig: pig.c\n\tcc {flags} -o pig pig.c\n")
    done = pitboss("check", reachable, "pig", "-a", DICE, "--case", "a bold player #3", COLUMNS="200")
    note = (
        "pig is statically linked, so it sees this machine's own time and process ids: random values that it derives "
        "from them differ in each run.\n"
    )
    assert (note in done.out) == (flags == "-static"), done.out + done.err


def test_a_session_of_any_number_can_be_selected_by_name():
    (stage,) = load_assignment(DICE).stages
    (selected,) = sessions_of(stage, ("a bold player #1717",))
    assert (selected.name, selected.case.name, selected.number, selected.seed) == (
        "a bold player #1717",
        "a bold player",
        1717,
        None,
    )
    assert [session.name for session in sessions_of(stage, ("a bold player #2",))] == ["a bold player #2"]
    for invalid_name in ("a bold player #0", "a bold player #-1", "a bold player #x", "nobody #3", "three rolls #2"):
        with pytest.raises(UsageError):
            sessions_of(stage, (invalid_name,))


def test_environment_seeds_depend_only_on_names_and_numbers(tmp_path):
    (stage,) = load_assignment(DICE).stages
    seeds = {session.environment_seed for session in sessions_of(stage)}
    assert len(seeds) == len(sessions_of(stage)) == 12
    shutil.copytree(DICE, tmp_path / "dice")
    (copied_stage,) = load_assignment(tmp_path / "dice").stages
    assert [session.environment_seed for session in sessions_of(copied_stage)] == [
        session.environment_seed for session in sessions_of(stage)
    ]
    # The seed must be the same in later versions of pitboss too, so that regrading repeats the draws.
    assert sessions_of(stage)[0].environment_seed == 16_771_714_784_669_272_745
