"""`pitboss verify --mutants` as its user sees it, on small assignments."""

import re
import textwrap

import pytest

from tests.conftest import ROOT

ASSIGNMENT = """
title: Sums
seeded: no
stages:
  - name: sums
    reference: sums:main
"""
REFERENCE = '''
"""Adds numbers up to a limit."""

LIMIT = 100


def main(console):
    total = 0
    while True:
        console.write("Number? ")
        line = console.read_line()
        if line is None:
            break
        total += int(line)
        if total >= LIMIT:
            console.write("Enough.\\n")
            return
    console.write(f"Total {total}\\n")
'''
SPEC = """
program: sums
cases:
  - name: two numbers
    transcript: |
      Number? <<3>>
      Number? <<4>>
      Number? <eof>Total 7
  - name: enough
    answers: ["60"]
"""


@pytest.fixture
def sums(tmp_path):
    """A small assignment of one stage, with other files where they are given."""

    def made(**files):
        folder = tmp_path / "sums"
        folder.mkdir(exist_ok=True)
        texts = {"assignment.yaml": ASSIGNMENT, "sums.py": REFERENCE, "sums.yaml": SPEC} | files
        for name, text in texts.items():
            (folder / name.replace("_", ".")).write_text(textwrap.dedent(text).lstrip("\n"))
        return folder

    return made


def said(text):
    """What was said, without the seconds that it took."""
    return re.sub(r"[0-9.]+ s\)", "… s)", text)


def test_a_mutant_that_gets_through_is_told_with_the_case_that_would_catch_it(sums, pitboss, tmp_path):
    sums()
    done = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert (done.code, done.err) == (1, "")
    assert said(done.out).splitlines()[:2] == [
        "sums: the one recorded case is what the reference does",
        "sums sums: 92 mutants: 83 caught, 0 equivalent, 9 not caught (… s)",
    ]


def test_a_session_is_added_that_catches_what_gets_through(sums, pitboss):
    folder = sums()
    done = pitboss("verify", "--mutants", "--grow", "-a", "./sums", "-j", "1")
    assert done.code == 1
    assert "  sums/sums.yaml: added case 'shows " in done.out
    assert (folder / "sums.yaml").read_text().startswith(SPEC.lstrip("\n"))
    assert pitboss("verify", "-a", "./sums").code == 0
