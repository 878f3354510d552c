"""The command that a report prints for a session of the built-in player reruns exactly that session."""

import json
import shlex
import shutil

import pytest

from tests.conftest import ROOT

#: A program that is correct except that it refuses a stake of 9, which no case types.
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
def work_folder(tmp_path):
    """A folder with an assignment, and with a program whose known mistake only the built-in player exposes."""
    shutil.copytree(ROOT / "tests" / "toy" / "sixes", tmp_path / "sixes")
    rolling = tmp_path / "sixes" / "rolling.py"
    rolling.write_text(rolling.read_text().replace("WRONG = {", 'WRONG = {\n    "nine": {"refused": ("0", "9")},'))
    with (tmp_path / "sixes" / "mistakes.yaml").open("a") as catalogue:
        catalogue.write(
            "\n  nine:\n    title: a stake of 9 is refused\n    hint: Stake 9.\n    note: There is no such rule.\n"
        )
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "sixes.c").write_text(REFUSES_9)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["none", "landlock", "bubblewrap"])
def test_the_printed_command_runs_the_session_again(pitboss, work_folder, sandbox):
    options = ["--sandbox", sandbox, "--json", "report.json"]
    pitboss("check", "mine", "-a", "./sixes", *options)
    results = json.loads((work_folder / "report.json").read_text())["results"]
    failed = [result for result in results if result["verdict"] != "ACCEPTED"]
    assert failed
    assert {result["case"].partition(" #")[0] for result in failed} == {"a wandering player"}
    for result in (failed[0], failed[-1]):
        command, *arguments = shlex.split(result["replay"])
        assert arguments[-2:] == ["--case", result["case"]]
        rerun = pitboss(*arguments, *options)
        assert (command, rerun.code, rerun.err) == ("pitboss", 1, "")
        assert json.loads((work_folder / "report.json").read_text())["results"] == [result]
