"""A session of the built-in player is run again by the command that the report prints, to the byte."""

import json
import shlex
import shutil

import pytest

from tests.conftest import ROOT

#: Right, but a stake of 9 is refused; no case types that.
REFUSES_9 = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(void)
{
    char line[99];
    int points = 0;
    srand(time(NULL));
    for (;;) {
        printf("Stake? ");
        if (!fgets(line, sizeof line, stdin)) return 0;
        if (strcmp(line, "0\n") && strcmp(line, "9\n")) break;
        puts("Nobody stakes that.");
    }
    for (;;) {
        printf("Roll or stop? [r/s] ");
        if (!fgets(line, sizeof line, stdin) || strcmp(line, "r\n")) break;
        int dice[3], sum = 0;
        for (int i = 0; i < 3; i++) sum += dice[i] = rand() % 6 + 1;
        points += sum == 18 ? 118 : sum;
        printf("You rolled %d, %d, %d.\nYou have %d points.\n", dice[0], dice[1], dice[2], points);
    }
    printf("You keep %d points.\n", points);
    return 0;
}
"""


@pytest.fixture
def place(tmp_path):
    """The assignment with one more known mistake, which only the built-in player shows, and a program that makes it."""
    shutil.copytree(ROOT / "tests" / "toy" / "sixes", tmp_path / "sixes")
    rolling = tmp_path / "sixes" / "rolling.py"
    rolling.write_text(rolling.read_text().replace("WRONG = {", 'WRONG = {\n    "nine": {"refused": ("0", "9")},'))
    with (tmp_path / "sixes" / "mistakes.yaml").open("a") as words:
        words.write(
            "\n  nine:\n    title: a stake of 9 is refused\n    hint: Stake 9.\n    note: There is no such rule.\n"
        )
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "sixes.c").write_text(REFUSES_9)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["none", "landlock", "bubblewrap"])
def test_the_printed_command_runs_the_session_again(pitboss, place, sandbox):
    more = ["--sandbox", sandbox, "--json", "report.json"]
    pitboss("check", "mine", "-a", "./sixes", *more)
    results = json.loads((place / "report.json").read_text())["results"]
    failed = [one for one in results if one["verdict"] != "ACCEPTED"]
    assert failed
    assert {one["case"].partition(" #")[0] for one in failed} == {"a wandering player"}
    for one in (failed[0], failed[-1]):
        command, *arguments = shlex.split(one["replay"])
        assert arguments[-2:] == ["--case", one["case"]]
        done = pitboss(*arguments, *more)
        assert (command, done.code, done.err) == ("pitboss", 1, "")
        assert json.loads((place / "report.json").read_text())["results"] == [one]
