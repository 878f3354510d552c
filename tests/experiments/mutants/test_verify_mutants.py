"""What `pitboss verify --mutants` prints, on small assignments."""

import re

import pytest

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
    """A function that writes a small assignment; a keyword like `sums_py` replaces the text of the file `sums.py`."""

    def write_assignment(**files):
        folder = tmp_path / "sums"
        folder.mkdir(exist_ok=True)
        texts = {"assignment.yaml": ASSIGNMENT, "sums.py": REFERENCE, "sums.yaml": SPEC}
        texts |= {name.replace("_", "."): text for name, text in files.items()}
        for name, text in texts.items():
            (folder / name).write_text(text.lstrip("\n"))
        return folder

    return write_assignment


def without_seconds(text):
    """The output with the durations replaced."""
    return re.sub(r"[0-9.]+ s\)", "… s)", text)


def test_an_uncaught_mutant_is_reported_with_a_case_that_would_catch_it(sums, pitboss):
    sums()
    verification = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert (verification.code, verification.err) == (1, "")
    assert (
        without_seconds(verification.out)
        == """\
sums: the only recorded case matches the reference
sums sums: 22 mutants: 19 caught, 0 equivalent, 3 not caught (… s)
  not caught; this case would catch it:
    sums.py: LIMIT = 100 → LIMIT = 101
    sums.py: if total >= LIMIT: → if total > LIMIT:
  - name: "shows sums.py: LIMIT = 100 → LIMIT = 101"
    transcript: |
      Number? <<100>>
      Enough.

  not caught; this case would catch it:
    sums.py: LIMIT = 100 → LIMIT = 99
  - name: "shows sums.py: LIMIT = 100 → LIMIT = 99"
    transcript: |
      Number? <<99>>
      Number? <<5>>
      Enough.

"""
    )


def test_the_option_grow_adds_cases_until_all_mutants_are_caught(sums, pitboss):
    folder = sums()
    verification = pitboss("verify", "--mutants", "--grow", "-a", "./sums", "-j", "1")
    assert verification.code == 1
    assert [line for line in verification.out.splitlines() if "added" in line] == [
        "  sums/sums.yaml: added case 'shows sums.py: LIMIT = 100 → LIMIT = 99'",
    ]
    assert (folder / "sums.yaml").read_text().startswith(SPEC.lstrip("\n"))
    verification = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert (verification.code, without_seconds(verification.out)) == (
        0,
        "sums: all 2 recorded cases match the reference\n"
        "sums sums: 22 mutants: 22 caught, 0 equivalent, 0 not caught (… s)\n",
    )


#: A spec that catches all mutants of the reference.
FULL_SPEC = f"""{SPEC}
  - name: just enough
    answers: ["100"]
  - name: not yet enough
    transcript: |
      Number? <<99>>
      Number? <eof>Total 99
"""


def test_a_mutant_that_no_session_exposes_must_be_listed_with_a_reason(sums, pitboss):
    lenient_reference = REFERENCE.replace("total += int(line)", "total += max(int(line), -1000)")
    folder = sums(sums_py=lenient_reference, sums_yaml=FULL_SPEC)
    verification = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    uncaught_lines = [line for line in verification.out.splitlines() if line.startswith("    ")]
    assert verification.code == 1
    assert "  not caught, and none of " in verification.out
    assert "further sessions shows it; fix the spec, or give the reason in sums/mutants.yaml:" in verification.out
    (folder / "mutants.yaml").write_text(
        f"equivalent:\n  - {{mutants: ['*max(int(line), -1000)*'], count: {len(uncaught_lines)}, reason: nobody owes so much}}\n"
    )
    verification = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert (verification.code, f"{len(uncaught_lines)} equivalent, 0 not caught" in verification.out) == (0, True), (
        verification.out
    )


def test_a_line_that_no_session_runs_is_reported(sums, pitboss):
    quitting_reference = REFERENCE.replace(
        "        total += int(line)\n",
        """\
        if line == "quit":
            console.write("Bye.\\n")
            return
        total += int(line)
""",
    )
    sums(sums_py=quitting_reference, sums_yaml=FULL_SPEC)
    verification = pitboss("verify", "--mutants", "-a", "./sums", "-j", "1")
    assert verification.code == 1
    assert '    sums.py: console.write("Bye.\\n")\n    sums.py: return\n' in verification.out
