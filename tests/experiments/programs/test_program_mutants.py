"""`verify --mutants` of a reference that is a source: it is changed, built and run in the stage's sessions."""

import re
import shutil
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import ShortageError
from pitboss.experiments.mutants import stages
from pitboss.experiments.mutants.edits import Edit, SourceChange
from pitboss.experiments.mutants.mutant_list import ExclusionReason, MutantResult, load_listed
from pitboss.experiments.mutants.source_mutants import spread_evenly
from pitboss.experiments.mutants.stages import summary_of, trial_of
from pitboss.experiments.mutants.tokens import digest_of
from pitboss.submissions.compilers import Build
from pitboss.submissions.reference_source import ReferenceSource

CASTLE = Path(__file__).parent / "castle"
ASSIGNMENT = "title: Sum\nseeded: no\nstages: [{name: sum, reference: reference/sum.c}]\n"
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
#: Shows the difference between `number > 2` and `number >= 2`.
BOUNDARY_CASE = '  - name: two is left out\n    answers: ["2", "3", "0"]\n'


@pytest.fixture
def sums(tmp_path):
    """Writes an assignment whose reference is a C program, and returns its folder.

    `source`, `spec` and further files, such as `assignment_yaml`, replace the default texts.
    """

    def write_assignment(source=SUM, spec=SPEC, **files):
        folder = tmp_path / "sum"
        (folder / "reference").mkdir(parents=True)
        texts = {"assignment.yaml": ASSIGNMENT, "sum.yaml": spec, "reference/sum.c": source}
        for name, text in {**texts, **{name.replace("_", "."): text for name, text in files.items()}}.items():
            (folder / name).write_text(text)
        return folder

    return write_assignment


def without_times(text):
    """The output without the seconds that it took."""
    return re.sub(r"[0-9.]+ s\)", "… s)", text)


def mutant_summary(folder, **options):
    """The summary of the mutants of the reference, for an assignment with one stage."""
    assignment = load_assignment(folder)
    return summary_of(assignment, assignment.stages[0], load_listed(assignment), 1, **options)


def test_an_uncaught_change_is_reported_with_its_line_and_a_remedy(sums, pitboss):
    folder = sums()
    done = pitboss("verify", "--mutants", "-a", "./sum", "-j", "2")
    assert (done.code, done.err) == (1, "")
    assert without_times(done.out) == (
        "sum: no case is recorded\n"
        "sum sum: 34 mutants: 31 caught, 0 equivalent, 1 not caught; left out: 1 without effect on the "
        "compiled program, 1 identical to another mutant (… s)\n"
        "  not caught; record sessions that show them (pitboss record sum --assignment sum --play), or explain in "
        "sum/mutants.yaml why none can:\n"
        "    sum/reference/sum.c:7\n"
        "      reference/sum.c: if (number > 2) → if (number >= 2)\n"
    )
    (folder / "sum.yaml").write_text(SPEC + BOUNDARY_CASE)
    done = pitboss("verify", "--mutants", "-a", "./sum", "-j", "2")
    assert (done.code, "33 caught, 0 equivalent, 0 not caught; left out: 1 without" in done.out) == (0, True), done.out


def test_listed_changes_pass_and_wrong_entries_are_reported(sums, pitboss):
    equivalent, caught = "reference/sum.c: if (number > 2) → if (number >= 2)", "reference/sum.c: return 0; → return 1;"
    folder = sums()
    listed = f"equivalent:\n  - {{mutants: ['{equivalent}'], reason: nobody types a two}}\n"
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


#: Code for two changes that are left out: a negative array size does not compile, and last[0] is never read.
UNUSED_ARRAY = """\
    enum { ONE = 1 };
    char last[ONE - 0 * 2];
    last[0] = 1 ? '\\0' : 'x';
    printf("%d\\n", sum * twice / 2);
"""


def try_changes(folder, *names):
    """The result of each of these changes, which are named by the part of their ids after the file."""
    assignment = load_assignment(folder)
    trial = trial_of(assignment, assignment.stages[0])
    ids = [change.id.partition(": ")[2] for change in trial.mutants.changes]
    return {ids[number]: result for number, result in trial.try_mutants(map(ids.index, names))}


def test_changes_that_do_not_compile_or_have_no_effect_are_left_out(sums):
    refused, without_effect = (
        "char last[ONE - 0 * 2]; → char last[ONE - 1 * 2];",
        "last[0] = 1 ? '\\0' : 'x'; → left out",
    )
    caught, identical = (
        "sum += number; → left out",
        ("if (number > 2) → if (number > 1)", "if (number > 2) → if (number >= 2)"),
    )
    results = try_changes(
        sums(source=SUM.replace('    printf("%d\\n", sum * twice / 2);\n', UNUSED_ARRAY)),
        refused,
        without_effect,
        caught,
        *identical,
    )
    assert [results[change].exclusion for change in (refused, without_effect, caught)] == [
        ExclusionReason.NOT_BUILT,
        ExclusionReason.EQUAL,
        None,
    ]
    assert [result.caught_by for result in results.values()] == ["", "", "a sum", "", ""]
    assert results[identical[0]].program == results[identical[1]].program != results[caught].program


@pytest.mark.slow
def test_the_option_at_most_tries_so_many_changes_and_the_same_each_time(sums, pitboss):
    folder = sums()
    done = pitboss("verify", "--mutants", "--at-most", "9", "-a", "./sum", "-j", "1")
    (line,) = (line for line in done.out.splitlines() if " were tried" in line)
    assert line.startswith("sum sum: 9 of 34 mutants were tried: ")
    summary = mutant_summary(folder, max_changes=9)
    second_summary = mutant_summary(folder, max_changes=9)
    assert [result.id for result in summary.tried] == [result.id for result in second_summary.tried]
    assert len(summary.tried) + len(summary.left_out) == 9
    untried = [change.id for change in summary.trial.mutants.untried]
    assert len(untried) == 25
    # An entry for a change that was not tried is not reported as one that matches nothing.
    entry = "equivalent:\n" + "".join(f"  - {{mutants: ['{id_}'], reason: any}}\n" for id_ in untried if "'" not in id_)
    (folder / "mutants.yaml").write_text(entry)
    done = pitboss("verify", "--mutants", "--at-most", "9", "-a", "./sum", "-j", "1")
    assert "matches no mutant" not in done.out
    done = pitboss("verify", "--at-most", "9", "-a", "./sum")
    assert (done.code, done.err) == (
        2,
        "pitboss: --at-most is for --mutants: it limits how many changes of a command's source are tried\n",
    )


def test_the_tried_changes_are_spread_evenly_and_stable_when_a_file_is_added():
    changes = [SourceChange(f"a.c: line {number}", "a.c", number, Edit(0, 0, "")) for number in range(500)]
    chosen = spread_evenly(changes, 100)
    assert (len(chosen), chosen) == (100, sorted(chosen))
    assert all(any(start <= number < start + 50 for number in chosen) for start in range(0, 500, 50))
    assert spread_evenly(changes, 500) == list(range(500))
    chosen_with_new_file = spread_evenly([*changes, SourceChange("b.c: line 1", "b.c", 1, Edit(0, 0, ""))], 100)
    assert len(set(chosen) - set(chosen_with_new_file)) <= 1


#: By the reason why the changes of a program cannot be tried: the reference, and the beginning of the report.
UNTESTED = {
    "a command": (
        "{command: [sh, -c, 'read a; read b; echo $a']}",
        "the reference is a command — name its source, as in `reference: meter.c`",
    ),
    "behaves differently": (
        "reference/sum.py",
        "its source, built and run like a submission, behaves differently in a sum — does it need files that no "
        "submission may read?",
    ),
}


@pytest.mark.parametrize("reason", UNTESTED)
def test_a_program_whose_changes_cannot_be_tried_is_reported_with_the_reason(sums, pitboss, reason):
    reference, sentence = UNTESTED[reason]
    spec = "program: sum\ncases:\n  - name: a sum\n    answers: ['3', '0']\n"
    folder = sums(spec=spec, assignment_yaml=ASSIGNMENT.replace("reference/sum.c", reference))
    script = f"input()\ninput()\nimport os\nprint(os.access('{folder}/sum.yaml', os.R_OK))\n"
    (folder / "reference/sum.py").write_text(script)
    # Where no mutants are made, an entry of mutants.yaml that matches none is not reported: elsewhere it may match one.
    (folder / "mutants.yaml").write_text(
        "equivalent: [{mutants: ['reference/sum.c: a → b'], reason: for another machine}]\n"
    )
    done = pitboss("verify", "--mutants", "-a", "./sum", "-j", "1")
    (line,) = (line for line in done.out.splitlines() if "no mutants of its program" in line)
    assert line.startswith(f"sum sum: no mutants of its program: {sentence}")
    assert done.code == 0, done.out


def test_a_weak_spec_leaves_most_changes_uncaught(tmp_path, pitboss):
    folder = tmp_path / "castle"
    shutil.copytree(CASTLE, folder)
    spec = (folder / "castle.yaml").read_text()
    (folder / "castle.yaml").write_text(spec.partition("  - name: win\n")[0])
    (folder / "mutants.yaml").unlink()
    done = pitboss("verify", "--mutants", "--at-most", "40", "-a", "./castle")
    counts = re.search(
        r"40 of 135 mutants were tried: \d+ caught, 0 equivalent, (?P<uncaught>\d+) not caught", done.out
    )
    assert done.code == 1
    assert int(counts["uncaught"]) > 25
    assert "    castle/reference/castle.py:" in done.out


@pytest.mark.slow
def test_a_good_spec_catches_every_change_except_the_listed_ones(tmp_path, pitboss):
    shutil.copytree(CASTLE, tmp_path / "castle")
    done = pitboss("verify", "--mutants", "-a", "./castle")
    assert (done.code, done.err) == (0, ""), done.out
    assert without_times(done.out) == (
        "castle: all 7 recorded cases match the reference\n"
        "castle castle: 135 mutants: 132 caught, 3 equivalent, 0 not caught (… s)\n"
    )


def test_files_that_students_are_given_are_not_changed(sums):
    folder = sums(
        source=SUM.replace("#include <stdio.h>\n", '#include <stdio.h>\n#include "least.h"\n').replace(
            "> 2", "> LEAST"
        ),
        assignment_yaml=ASSIGNMENT.replace("reference/sum.c}", "reference/sum.c, given: given}"),
    )
    (folder / "given").mkdir()
    for path in (folder / "reference/least.h", folder / "given/least.h"):
        path.write_text("#define LEAST (2)\n")
    assignment = load_assignment(folder)
    trial = trial_of(assignment, assignment.stages[0])
    assert {change.file for change in trial.mutants.changes} == {"reference/sum.c"}


def test_a_mutant_whose_differences_are_accepted_is_left_out(sums):
    source = SUM.replace('"%d\\n"', '"Sum %d\\n"')
    folder = sums(source=source, assignment_yaml=ASSIGNMENT + "compare: {not_judged: ['(?i)^sum']}\n")
    assignment = load_assignment(folder)
    trial = trial_of(assignment, assignment.stages[0])
    number = next(number for number, change in enumerate(trial.mutants.changes) if '"sum %d' in change.id)
    ((_, result),) = trial.try_mutants([number])
    assert (result.caught_by, result.exclusion) == ("", ExclusionReason.ACCEPTED)


def test_a_mutant_that_does_not_end_or_crashes_is_caught(sums):
    source = SUM.replace(
        "    while (scanf", "    for (int i = 0; i < 3; i++)\n        sum += 6 / (i + 1);\n    while (scanf"
    )
    endless, crashing = (
        "for (int i = 0; i < 3; i++) → for (int i = 0; i < 3; i--)",
        "sum += 6 / (i + 1); → sum += 6 / (i + 0);",
    )
    results = try_changes(sums(source=source), endless, crashing)
    assert [results[change].caught_by for change in (endless, crashing)] == ["a sum", "a sum"]


def test_scripts_that_differ_only_in_layout_or_comments_are_the_same():
    before, after = "x = 1\n\n\n# one\nprint(x)\n", "# two\nx = 1\nprint( x )\n"
    assert digest_of(before, "python") == digest_of(after, "python")
    assert digest_of(before, "python") != digest_of(before.replace("1", "True"), "python")
    assert digest_of("echo a # b\n", "shell") == digest_of("echo  a\n", "shell")
    assert digest_of("x = (\n", "python") == digest_of("x =  (\n", "python")


def test_uncaught_changes_with_the_same_program_count_once():
    results = [
        MutantResult("a", "", program="1"),
        MutantResult("b", "", program="1"),
        MutantResult("c", "a case", program="1"),
        MutantResult("d", "", program="2"),
    ]
    exclusions = [result.exclusion for result in stages._with_twins_excluded(results)]
    assert exclusions == [None, ExclusionReason.TWICE, None, None]


def test_a_failed_build_of_this_machine_is_no_compile_error(sums, monkeypatch):
    assignment = load_assignment(sums())
    trial = trial_of(assignment, assignment.stages[0])
    monkeypatch.setattr(ReferenceSource, "built", lambda *_: Build(None, reason="the disk is full", is_fault=True))
    with pytest.raises(ShortageError, match="the disk is full"):
        trial.try_mutants([0])
    with pytest.raises(ShortageError, match="the disk is full"):
        trial_of(assignment, assignment.stages[0])


@pytest.mark.slow
def test_mutants_of_an_unseeded_program_are_given_their_draws(tmp_path):
    folder = tmp_path / "coin"
    (folder / "reference").mkdir(parents=True)
    texts = {
        "assignment.yaml": "title: Coin\nseeded: no\ndraws: {values: [head, tail]}\nstages:\n  - name: coin\n"
        "    reference: reference/coin.py\n    reader: reading:read\n    most_sessions: 20\n",
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
    summary = mutant_summary(folder)
    caught = {result.id.partition(": ")[2] for result in summary.tried if result.caught_by}
    assert caught >= {
        "print(coin) → left out",
        "if coin == 'head': → if coin != 'head':",
        "if coin == 'head': → if coin == 'Head':",
        "print('You win.') → left out",
        "print('Bet? ', end='', flush=True) → print('bet? ', end='', flush=True)",
    }
    # The judge reads back the draws that a program shows, and accepts whichever of the given draws it uses.
    draw_line = "coin = given.split()[0] if given else random.choice(['head', 'tail'])"
    left_out = {
        result.id.partition(": ")[2]: result.exclusion
        for result in summary.left_out
        if result.id.startswith("reference")
    }
    assert left_out[f"{draw_line} → {draw_line.replace('[0]', '[1]')}"] is ExclusionReason.ACCEPTED
