"""A lottery in C: an assignment whose reference is a source."""

from __future__ import annotations

import difflib

import pytest

ASSIGNMENT = """\
title: Lottery
seeded: no
stages:
  - name: lottery
    reference: reference/lottery.c
"""
SPEC = """\
program: lottery
cases:
  - name: two hits and the bonus
    transcript: |
      Bonus? <<7>>
      Number? <<14>>
      Number? <<50>>
      Not in 1 to 49.
      Number? <<7>>
      Number? <<3>>
      4 points
  - name: no hit
    answers: ["1", "2", "3", "4"]
  - name: the end
    transcript: |
      Bonus? <<1>>
      Number? <eof>0 points
"""
LOTTERY = """\
#include <stdio.h>

#define MOST 49

int main(void) {
    int bonus, number, count = 0, points = 0;
    printf("Bonus? ");
    fflush(stdout);
    if (scanf("%d", &bonus) != 1) return 1;
    while (count < 3) {
        printf("Number? ");
        fflush(stdout);
        if (scanf("%d", &number) != 1) break;
        if (number < 1 || number > MOST) {
            printf("Not in 1 to %d.\\n", MOST);
            continue;
        }
        count++;
        if (number % 7 == 0) points++;
        if (number == bonus) points += 2;
    }
    printf("%d points\\n", points);
    return 0;
}
"""


def diff(before, after, name="reference/lottery.c"):
    """The output of `diff -u`, for a file with this name."""
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), name, "changed.c")
    return "".join(lines)


class Lottery:
    """The lottery assignment in a folder, to which known mistakes can be added."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "reference").mkdir(parents=True)
        for name, text in {"assignment.yaml": ASSIGNMENT, "lottery.yaml": SPEC, "reference/lottery.c": LOTTERY}.items():
            (folder / name).write_text(text)

    def add_mistake(self, name, *, words="", **files):
        """Add a known mistake with these files, in whose names _ stands for a dot; returns the mistake's folder.

        `words` is the text of mistake.yaml; by default its title is the name.
        """
        mistake_folder = self.folder / "mistakes" / name
        mistake_folder.mkdir(parents=True)
        (mistake_folder / "mistake.yaml").write_text(words or f"title: {name}\nhint: Look at {name}.\n")
        for file, text in files.items():
            (mistake_folder / file.replace("_", ".")).write_text(text)
        return mistake_folder


@pytest.fixture
def lottery(tmp_path):
    return Lottery(tmp_path / "lottery")
