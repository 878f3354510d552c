"""`verify --mutants` of a reference that is a command: its source is changed, built and run in the stage's sessions."""

import re
import shutil
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import ShortageError
from pitboss.experiments.mutants import program_mutants, stages
from pitboss.experiments.mutants.mutant_list import load_listed
from pitboss.experiments.mutants.program_mutants import spread_evenly, trial_of_program
from pitboss.experiments.mutants.stages import summaries_of
from pitboss.experiments.mutants.trial import ExclusionReason, MutantResult
from pitboss.experiments.mutation.edits import Edit, SourceChange
from pitboss.experiments.programs.reference_sources import ReferenceSource
from pitboss.submissions.compilers import Build
from tests.built import compile_c

CASTLE = Path(__file__).parent / "castle"
ASSIGNMENT = "title: Sum\nseeded: no\nstages: [{name: sum, reference: {command: [./reference/sum]}}]\n"
SUM = """\
#include <stdio.h>

int main(void) {
    int number, sum = 0;
    int twice = 1 - 1 + 2;
    while (scanf("%d", &number) == 1 && number != 0)
        if (number > 2)
            sum += number;
    printf("%d\\n", sum * twice / 2);
    return 0;
}
"""
SPEC = """\
program: sum
cases:
  - name: a sum
    answers: ["3", "1", "4", "0"]
"""
TWO = '  - name: two is left out\n    answers: ["2", "3", "0"]\n'


@pytest.fixture
def sums(tmp_path):
    """The folder of an assignment with a command of C as its reference, with other texts where they are given."""

    def made(source=SUM, spec=SPEC, **files):
        folder = tmp_path / "sum"
        (folder / "reference").mkdir(parents=True)
        texts = {"assignment.yaml": ASSIGNMENT, "sum.yaml": spec, "reference/sum.c": source}
        for name, text in {**texts, **{name.replace("_", "."): text for name, text in files.items()}}.items():
            (folder / name).write_text(text)
        compile_c(folder / "reference/sum.c", folder / "reference/sum")
        return folder

    return made


def said(text):
    """What was said, without the seconds that it took."""
    return re.sub(r"[0-9.]+ s\)", "… s)", text)


def program_of(folder, **options):
    """What became of the mutants of the program of an assignment with one stage."""
    assignment = load_assignment(folder)
    return list(summaries_of(assignment, assignment.stages[0], load_listed(assignment), 1, **options))[-1]


def test_a_change_that_no_session_shows_is_reported_by_file_and_line_with_how_to_add_one(sums, pitboss):
    folder = sums()
    done = pitboss("verify", "--mutants", "-a", "./sum", "-j", "2")
    assert (done.code, done.err) == (1, "")
    assert said(done.out) == (
        "sum: no case is recorded\n"
        "sum sum: 11 mutants of its output: 11 caught, 0 equivalent, 0 not caught (… s)\n"
        "sum sum: 34 changes of its program: 31 caught, 0 equivalent, 1 not caught; left out: 1 without effect on the "
        "compiled program, 1 the same as another (… s)\n"
        "  not caught; record sessions that show them (pitboss record sum --assignment sum --play), or explain in "
        "sum/mutants.yaml why none can:\n"
        "    sum/reference/sum.c:7\n"
        "      reference/sum.c: if (number > 2) → if (number >= 2)\n"
    )
    (folder / "sum.yaml").write_text(SPEC + TWO)
    done = pitboss("verify", "--mutants", "-a", "./sum", "-j", "2")
    assert (done.code, "33 caught, 0 equivalent, 0 not caught; left out: 1 without" in done.out) == (0, True), done.out


def test_what_is_listed_with_a_reason_passes_and_what_is_listed_wrongly_does_not(sums, pitboss):
    same, caught = "reference/sum.c: if (number > 2) → if (number >= 2)", "reference/sum.c: return 0; → return 1;"
    folder = sums()
    listed = f"equivalent:\n  - {{mutants: ['{same}'], reason: nobody types a two}}\n"
    (folder / "mutants.yaml").write_text(listed)
    done = pitboss("verify", "--mutants", "-a", "./sum", "-j", "2")
    assert (done.code, "31 caught, 1 equivalent, 0 not caught" in done.out) == (0, True), done.out
    (folder / "mutants.yaml").write_text(
        f"{listed}  - {{mutants: ['{caught}', 'reference/sum.c: retrun 0; → left out'], reason: wrong}}\n"
    )
    done = pitboss("verify", "--mutants", "-a", "./sum", "-j", "2")
    assert done.code == 1
    assert done.out.splitlines()[-2:] == [
        f"sum/mutants.yaml:3: {caught} is caught in sum by 'a sum' — it is not equivalent there: remove it, or name the other stages",
        "sum/mutants.yaml:3: reference/sum.c: retrun 0; → left out matches no mutant — remove it, or write it as it is printed",
    ]


#: The last line does the same as if it were not there, and the size of an array cannot be zero.
EXTRA = """\
    enum { ONE = 1 };
    char last[ONE - 0 * 2];
    last[0] = 1 ? '\\0' : 'x';
    printf("%d\\n", sum * twice / 2);
"""


def tried_of(folder, *words):
    """What becomes of the changes that are called so, by what follows the file in their ids."""
    assignment = load_assignment(folder)
    trial = trial_of_program(assignment, assignment.stages[0])
    ids = [change.id.partition(": ")[2] for change in trial.changes]
    return {ids[number]: found for number, found in trial.try_mutants(map(ids.index, words))}


def test_what_the_compiler_refuses_and_what_is_the_same_program_is_left_out(sums):
    refused, same = "char last[ONE - 0 * 2]; → char last[ONE - 1 * 2];", "last[0] = 1 ? '\\0' : 'x'; → left out"
    caught, twice = (
        "sum += number; → left out",
        ("if (number > 2) → if (number > 1)", "if (number > 2) → if (number >= 2)"),
    )
    found = tried_of(
        sums(source=SUM.replace('    printf("%d\\n", sum * twice / 2);\n', EXTRA)), refused, same, caught, *twice
    )
    assert [found[one].exclusion for one in (refused, same, caught)] == [
        ExclusionReason.NOT_BUILT,
        ExclusionReason.EQUAL,
        None,
    ]
    assert [one.caught_by for one in found.values()] == ["", "", "a sum", "", ""]
    assert found[twice[0]].program == found[twice[1]].program != found[caught].program


@pytest.mark.slow
def test_only_so_many_changes_are_tried_the_same_each_time(sums, pitboss):
    folder = sums()
    done = pitboss("verify", "--mutants", "--at-most", "9", "-a", "./sum", "-j", "1")
    (line,) = (line for line in done.out.splitlines() if "changes" in line)
    assert line.startswith("sum sum: 9 of 34 changes of its program were tried: ")
    summary = program_of(folder, most=9)
    again = program_of(folder, most=9)
    assert [one.id for one in summary.tried] == [one.id for one in again.tried]
    assert len(summary.tried) + len(summary.left_out) == 9
    assert len(summary.not_tried) == 25
    # What was not tried is not taken for an entry that matches nothing.
    entry = "equivalent:\n" + "".join(
        f"  - {{mutants: ['{id_}'], reason: any}}\n" for id_ in summary.not_tried if "'" not in id_
    )
    (folder / "mutants.yaml").write_text(entry)
    done = pitboss("verify", "--mutants", "--at-most", "9", "-a", "./sum", "-j", "1")
    assert "matches no mutant" not in done.out
    done = pitboss("verify", "--at-most", "9", "-a", "./sum")
    assert (done.code, done.err) == (
        2,
        "pitboss: --at-most is for --mutants: it limits how many changes of a command's source are tried\n",
    )


def test_of_many_changes_some_of_all_places_are_chosen_whatever_was_added_elsewhere():
    changes = [SourceChange(f"a.c: line {number}", "a.c", number, Edit(0, 0, "")) for number in range(500)]
    some = spread_evenly(changes, 100)
    assert (len(some), some) == (100, sorted(some))
    assert all(any(start <= number < start + 50 for number in some) for start in range(0, 500, 50))
    assert spread_evenly(changes, 500) == list(range(500))
    more = spread_evenly([*changes, SourceChange("b.c: line 1", "b.c", 1, Edit(0, 0, ""))], 100)
    assert len(set(some) - set(more)) <= 1


UNTESTED = {
    "elsewhere": (
        {"assignment_yaml": ASSIGNMENT.replace("./reference/sum", 'sh, -c, "read a; read b; echo $a"')},
        "sh is not in the assignment's folder, where its source would be looked for",
    ),
    "no source": ({}, "there is no source beside reference/sum"),
    "does not compile": ({}, "its source cannot be built: cc could not build sum: sum.c:1:1: error: "),
    "older than the program": (
        {},
        "its source, built and run as a submission is, does something else in a sum — is the reference older, or does it need "
        "files that no submission may read?",
    ),
}


@pytest.mark.parametrize("why", UNTESTED)
def test_where_the_source_cannot_be_built_it_is_reported_that_the_logic_was_not_tested(sums, pitboss, why):
    files, sentence = UNTESTED[why]
    spec = "program: sum\ncases:\n  - name: a sum\n    answers: ['3', '0']\n"
    folder = sums(spec=spec, **files)
    (folder / "mutants.yaml").write_text(
        "equivalent: [{mutants: ['reference/sum.c: a → b'], reason: for another machine}]\n"
    )
    source = folder / "reference/sum.c"
    if why == "no source":
        source.unlink()
    elif why != "elsewhere":
        source.write_text("int main(void) { return 0; }\n" if why.startswith("older") else "itn main(void) {}\n")
    done = pitboss("verify", "--mutants", "-a", "./sum", "-j", "1")
    (line,) = (line for line in done.out.splitlines() if "logic" in line)
    assert line.startswith(f"sum sum: its logic was not tested: {sentence}")
    assert done.code == 0, done.out


def test_a_spec_that_accepts_every_wrong_program_fails_and_a_good_one_of_the_same_program_passes(tmp_path, pitboss):
    folder = tmp_path / "castle"
    shutil.copytree(CASTLE, folder)
    whole = (folder / "castle.yaml").read_text()
    (folder / "castle.yaml").write_text(whole.partition("  - name: win\n")[0])
    (folder / "mutants.yaml").rename(folder / "kept")
    done = pitboss("verify", "--mutants", "--at-most", "40", "-a", "./castle")
    counts = re.search(
        r"40 of 135 changes of its program were tried: (\d+) caught, 0 equivalent, (\d+) not caught", done.out
    )
    assert done.code == 1
    assert int(counts[2]) > 25
    assert "    castle/reference/castle.py:" in done.out


@pytest.mark.slow
def test_a_good_spec_of_a_program_catches_every_change_but_those_that_it_lists(tmp_path, pitboss):
    shutil.copytree(CASTLE, tmp_path / "castle")
    done = pitboss("verify", "--mutants", "-a", "./castle")
    assert (done.code, done.err) == (0, ""), done.out
    assert said(done.out) == (
        "castle: all 7 recorded cases match the reference\n"
        "castle castle: 479 mutants of its output: 479 caught, 0 equivalent, 0 not caught (… s)\n"
        "castle castle: 135 changes of its program: 132 caught, 3 equivalent, 0 not caught (… s)\n"
    )


def test_a_mutant_that_does_not_end_or_crashes_is_caught(sums):
    source = SUM.replace(
        "    while (scanf", "    for (int i = 0; i < 3; i++)\n        sum += 6 / (i + 1);\n    while (scanf"
    )
    endless, crashes = (
        "for (int i = 0; i < 3; i++) → for (int i = 0; i < 3; i--)",
        "sum += 6 / (i + 1); → sum += 6 / (i + 0);",
    )
    found = tried_of(sums(source=source), endless, crashes)
    assert [found[one].caught_by for one in (endless, crashes)] == ["a sum", "a sum"]


def test_a_script_is_the_same_where_only_its_lines_or_comments_differ():
    before, after = "x = 1\n\n\n# one\nprint(x)\n", "# two\nx = 1\nprint( x )\n"
    assert program_mutants._meaning(before, "python") == program_mutants._meaning(after, "python")
    assert program_mutants._meaning(before, "python") != program_mutants._meaning(before.replace("1", "True"), "python")
    assert program_mutants._meaning("echo a # b\n", "shell") == program_mutants._meaning("echo  a\n", "shell")
    assert program_mutants._meaning("x = (\n", "python") == program_mutants._meaning("x =  (\n", "python")


def test_what_is_the_same_program_as_one_that_gets_through_counts_once():
    tried = [
        MutantResult("a", "", program="1"),
        MutantResult("b", "", program="1"),
        MutantResult("c", "a case", program="1"),
        MutantResult("d", "", program="2"),
    ]
    assert [one.exclusion for one in stages._without_twins(tried)] == [None, ExclusionReason.TWICE, None, None]


def test_what_this_machine_fails_to_build_is_no_mutant_that_does_not_compile(sums, monkeypatch):
    assignment = load_assignment(sums())
    trial = trial_of_program(assignment, assignment.stages[0])
    monkeypatch.setattr(ReferenceSource, "built", lambda *_: Build(None, reason="the disk is full", is_fault=True))
    with pytest.raises(ShortageError, match="the disk is full"):
        trial.try_mutants([0])
    with pytest.raises(ShortageError, match="the disk is full"):
        trial_of_program(assignment, assignment.stages[0])


@pytest.mark.slow
def test_without_a_seed_a_mutant_is_given_its_draws_and_the_judge_decides(tmp_path):
    folder = tmp_path / "coin"
    (folder / "reference").mkdir(parents=True)
    texts = {
        "assignment.yaml": "title: Coin\nseeded: no\ndraws: {values: [head, tail]}\nstages:\n  - name: coin\n"
        "    reference: {command: [python3, ./reference/coin.py]}\n    reader: reading:read\n    most_sessions: 20\n",
        "coin.yaml": "program: coin\ncases:\n  - {name: once, answers: ['y'], sessions: 12}\n",
        "reading.py": "from types import SimpleNamespace\n\n\ndef read(conversation):\n"
        "    shown = ''.join(text for kind, text in conversation if kind != 'typed')\n"
        "    return SimpleNamespace(draws=tuple(one for one in ('head', 'tail') if one in shown), problem=None)\n",
        "reference/coin.py": "import os\nimport random\n\ngiven = os.environ.get('PITBOSS_DRAWS')\n"
        "coin = given.split()[0] if given else random.choice(['head', 'tail'])\n"
        "print('Bet? ', end='', flush=True)\nos.read(0, 9)\nprint(coin)\nif coin == 'head':\n    print('You win.')\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    summary = program_of(folder)
    caught = {one.id.partition(": ")[2] for one in summary.tried if one.caught_by}
    assert caught >= {
        "print(coin) → left out",
        "if coin == 'head': → if coin != 'head':",
        "if coin == 'head': → if coin == 'Head':",
        "print('You win.') → left out",
        "print('Bet? ', end='', flush=True) → print('bet? ', end='', flush=True)",
    }
    # Which of its draws a program takes, and whether it draws by itself, is its own affair.
    first = "coin = given.split()[0] if given else random.choice(['head', 'tail'])"
    assert f"{first} → {first.replace('[0]', '[1]')}" in {one.partition(": ")[2] for one in summary.survivors}
