"""`pitboss verify --mutants` as its user sees it, on small assignments."""

import re

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
        texts = {"assignment.yaml": ASSIGNMENT, "sums.py": REFERENCE, "sums.yaml": SPEC}
        texts |= {name.replace("_", "."): text for name, text in files.items()}
        for name, text in texts.items():
            (folder / name).write_text(text.lstrip("\n"))
        return folder

    return made


def said(text):
    """What was said, without the seconds that it took."""
    return re.sub(r"[0-9.]+ s\)", "… s)", text)


def test_a_mutant_that_gets_through_is_reported_with_the_case_that_would_catch_it(sums, pitboss):
    sums()
    done = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert (done.code, done.err) == (1, "")
    assert (
        said(done.out)
        == """\
sums: the only recorded case matches the reference
sums sums: 85 mutants: 82 caught, 0 equivalent, 3 not caught (… s)
  not caught; this case would catch it:
    sums: LIMIT = 100 → LIMIT = 101
    sums:main: total >= LIMIT → total > LIMIT
  - name: "shows sums: LIMIT = 100 → LIMIT = 101"
    transcript: |
      Number? <<100>>
      Enough.

  not caught; this case would catch it:
    sums: LIMIT = 100 → LIMIT = 99
  - name: "shows sums: LIMIT = 100 → LIMIT = 99"
    transcript: |
      Number? <<99>>
      Number? <<5>>
      Enough.

"""
    )


def test_sessions_are_added_until_all_is_caught_and_nothing_else_changes(sums, pitboss):
    folder = sums()
    done = pitboss("verify", "--mutants", "--grow", "-a", "./sums", "-j", "1")
    assert done.code == 1
    assert [line for line in done.out.splitlines() if "added" in line] == [
        "  sums/sums.yaml: added case 'shows sums: LIMIT = 100 → LIMIT = 99'",
    ]
    assert (folder / "sums.yaml").read_text().startswith(SPEC.lstrip("\n"))
    done = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert (done.code, said(done.out)) == (
        0,
        "sums: all 2 recorded cases match the reference\n"
        "sums sums: 85 mutants: 85 caught, 0 equivalent, 0 not caught (… s)\n",
    )


#: A spec with which all is caught.
WHOLE = f"""{SPEC}
  - name: just enough
    answers: ["100"]
  - name: not yet enough
    transcript: |
      Number? <<99>>
      Number? <eof>Total 99
"""


def test_what_no_session_shows_is_listed_with_its_reason_or_fails(sums, pitboss):
    lenient = REFERENCE.replace("total += int(line)", "total += max(int(line), -1000)")
    folder = sums(sums_py=lenient, sums_yaml=WHOLE)
    done = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    through = [line for line in done.out.splitlines() if line.startswith("    ")]
    assert done.code == 1
    assert "  not caught, and none of " in done.out
    assert "further sessions shows it; fix the spec, or give the reason in sums/mutants.yaml:" in done.out
    (folder / "mutants.yaml").write_text(
        f"equivalent:\n  - {{mutants: ['*max(int(line), -1000)*'], count: {len(through)}, reason: nobody owes so much}}\n"
    )
    done = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert (done.code, f"{len(through)} equivalent, 0 not caught" in done.out) == (0, True), done.out


def test_a_line_that_no_session_runs_is_reported(sums, pitboss):
    quitting = REFERENCE.replace(
        "        total += int(line)\n",
        """\
        if line == "quit":
            console.write("Bye.\\n")
            return
        total += int(line)
""",
    )
    sums(sums_py=quitting, sums_yaml=WHOLE)
    done = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert done.code == 1
    assert "    sums:main: console.write('Bye.\\n')\n    sums:main: return\n" in done.out


def test_mutants_of_a_command_are_changes_of_what_it_shows_and_of_its_source(pitboss):
    teller = ROOT / "tests" / "toy" / "teller"
    done = pitboss("verify", "--mutants", "-a", str(teller), "-j", "1")
    assert (done.code, done.err) == (1, "")
    assert said(done.out) == (
        "teller: all 4 recorded cases match the reference\n"
        "teller teller: 138 mutants of its output: 138 caught, 0 equivalent, 0 not caught (… s)\n"
        "teller teller: 37 changes of its program: 36 caught, 0 equivalent, 1 not caught (… s)\n"
        "  not caught; record sessions that show them (pitboss record teller --assignment teller --play), or explain in "
        f"{teller}/mutants.yaml why none can:\n"
        f"    {teller}/teller:19\n"
        "      teller: elif amount > balance: → elif amount >= balance:\n"
    )
