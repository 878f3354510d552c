import textwrap

import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.mutant_list import MutantList
from pitboss.experiments.mutants.stages import summary_of as mutant_summary_of
from pitboss.model.transcript import FileKind, WrittenFile
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expectation_of

DICE = {
    "assignment.yaml": """
        title: Dice in a file
        seeded: no
        draws: {values: ["1", "2", "3", "4", "5", "6"]}
        mistakes: roll:mistakes
        stages:
          - name: roll
            reference: roll:main
            reader: roll:read
            expected_files: [rolls.txt]
            stderr: compared
            tolerated: {with a title: roll:titled}
            most_sessions: 40
        """,
    "roll.yaml": """
        program: roll
        cases:
          - {name: three, arguments: ["3"], answers: [], sessions: 8}
          - {name: five, arguments: ["5"], answers: [], sessions: 8}
        """,
    "roll.py": """
        import random
        import re
        from types import SimpleNamespace

        def own():
            return random.choice("123456")

        def rolled(console, draw, arguments, files, title="", unit=""):
            rolls = [draw() for _ in range(int(arguments[0]))]
            for roll in rolls:
                console.write(f"rolled {roll}\\n")
            console.write_error(f"{len(rolls)} rolls\\n")
            files["rolls.txt"] = title + "".join(f"{roll}{unit}\\n" for roll in rolls)

        def main(console, draw=own, *, arguments, files):
            rolled(console, draw, arguments, files)

        def titled(console, draw=own, *, arguments, files):
            rolled(console, draw, arguments, files, "Rolls:\\n")

        def with_unit(console, draw=own, *, arguments, files):
            rolled(console, draw, arguments, files, unit=" pips")

        def read(events):
            text = "".join(text for kind, text in events if kind == "shown")
            return SimpleNamespace(draws=tuple(re.findall("rolled ([1-6])", text)), problem=None)

        def mistakes():
            return [SimpleNamespace(id="unit", title="a unit in the file", hint="What stands in the file?", note="-",
                source="-", invisible="", mains={"roll": with_unit})]
        """,
}
ROLL_PROGRAM = """
import random, sys
rolls = [random.randint(1, 6) for _ in range(int(sys.argv[1]))]
for roll in rolls:
    print("rolled", roll)
print(len(rolls), "rolls", file=sys.stderr)
with open("rolls.txt", "w") as file:
    TITLE
    for roll in rolls:
        print(roll, file=file)
"""


def write_folder(folder, files):
    """Create the folder with these files, given as indented texts by name."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(textwrap.dedent(text).lstrip())
    return folder


def check_program(assignment_folder, folder, sandbox="landlock", **programs):
    """Check programs: a keyword such as `roll_py` has the text of roll.py; returns the report on the only stage."""
    for name, text in programs.items():
        (folder / name.replace("_", ".")).write_text(text)
    assignment = load_assignment(assignment_folder)
    job = Job(assignment, assignment.stages, find_conditions("watched", sandbox), assignment.name)
    (stage,) = check(job, folder, cores=1).stages
    return stage


def test_a_file_must_match_the_draws_that_were_read_back(tmp_path):
    stage = check_program(
        write_folder(tmp_path / "dice", DICE), tmp_path, roll_py=ROLL_PROGRAM.replace("TITLE", "pass")
    )
    assert (stage.verdict, stage.judged_as) == (Verdict.ACCEPTED, "")
    assert (stage.unshown, stage.faults) == ((), ())  # the sessions would also have revealed the known mistake


def test_a_tolerated_reference_is_selected_by_the_file_it_writes(tmp_path):
    text = ROLL_PROGRAM.replace("TITLE", 'print("Rolls:", file=file)')
    stage = check_program(write_folder(tmp_path / "dice", DICE), tmp_path, roll_py=text)
    assert (stage.verdict, stage.judged_as) == (Verdict.ACCEPTED, "with a title")


def test_a_mistake_visible_only_in_a_file_is_named(tmp_path):
    text = ROLL_PROGRAM.replace("TITLE", "pass").replace("print(roll, file=file)", 'print(roll, "pips", file=file)')
    stage = check_program(write_folder(tmp_path / "dice", DICE), tmp_path, roll_py=text)
    assert stage.verdict is Verdict.WRONG_ANSWER
    assert summary_of(stage.results[0]).startswith("In rolls.txt, line 1 is “")
    assert [mistake.id for mistake in stage.diagnosis] == ["unit"]


def test_mutants_are_caught_by_the_files_they_write(tmp_path):
    assignment = load_assignment(write_folder(tmp_path / "dice", DICE))
    summary = mutant_summary_of(assignment, assignment.stages[0], MutantList(), jobs=1)
    caught = [mutant.id for mutant in summary.tried if mutant.caught_by]
    assert any(id_.startswith('roll.py: files["rolls.txt"] = ') for id_ in caught)
    assert len(caught) > len(summary.survivors)


def test_verify_accepts_an_assignment_with_files_and_draws(pitboss, tmp_path):
    write_folder(tmp_path / "dice", DICE)
    completed = pitboss("verify", "--assignment", "./dice")
    assert (completed.code, completed.err) == (0, "")
    assert (
        completed.out
        == "dice: no case is recorded; each of the 2 cases was played, and its draws were read back and played again, with the same result\ndice roll: 1 of 1 known mistakes are caught\n"
    )


COMMAND = {
    "assignment.yaml": """
        title: A command
        seeded: no
        stages:
          - name: count
            reference: {command: [./count]}
            files: {in.txt: "one two\\n"}
            expected_files: [out.txt]
            stderr: compared
        """,
    "count.yaml": """
        program: count
        cases:
          - {name: plain, answers: [x]}
          - {name: a word, arguments: [word, two words], files: {in.txt: "a\\n"}, answers: [x]}
          - {name: nothing, arguments: [--none], answers: [x]}
        """,
    "count": """
        #!/bin/sh
        echo "reading" >&2
        read -p "Go? " line
        [ "$1" = --none ] || cat in.txt > out.txt
        echo "$# $2 $line"
        """,
}


@pytest.fixture
def command(tmp_path):
    """The folder of the assignment whose reference is a command."""
    folder = write_folder(tmp_path / "command", COMMAND)
    (folder / "count").chmod(0o755)
    return folder


def test_a_reference_command_gets_files_arguments_and_a_separate_stderr(command):
    (stage,) = load_assignment(command).stages
    run = expected_run_here(stage)
    plain, word, none = (expectation_of(session, run) for session in sessions_of(stage))
    assert [expectation.text for expectation in (plain, word, none)] == [
        b"Go? 0  x\n",
        b"Go? 2 two words x\n",
        b"Go? 1  x\n",
    ]
    assert [expectation.errors for expectation in (plain, word, none)] == [b"reading\n"] * 3
    assert plain.written == (WrittenFile("out.txt", FileKind.REGULAR, b"one two\n"),)
    assert word.written == (WrittenFile("out.txt", FileKind.REGULAR, b"a\n"),)
    assert none.written == (WrittenFile("out.txt", FileKind.MISSING),)


def test_a_file_that_should_not_exist_is_reported(tmp_path, command):
    program = '#!/bin/bash\necho reading >&2\nread -p "Go? " line\ncat in.txt > out.txt\necho "$# $2 $line"\n'
    stage = check_program(command, tmp_path, count_sh=program)
    assert [summary_of(result) for result in stage.results] == [
        "",
        "",
        "After it ended there is a file out.txt, which should not be there.",
    ]


#: The keyword arguments of a reference, its body, and the error that is raised.
BROKEN_REFERENCES = {
    "a number in a file": (
        "files",
        "files['x'] = 3",
        "the reference of 'one' put 3 into files['x'] — it must put text there",
    ),
    "an error after None in a file": (
        "files",
        "files.clear(); files['x'] = None; raise KeyError('x')",
        "book.py:2: the reference of 'one' failed: KeyError: 'x'",
    ),
    "an unknown argument": ("files, wrong", "pass", "missing 1 required keyword-only argument: 'wrong'"),
}


@pytest.mark.parametrize("name", BROKEN_REFERENCES)
def test_a_reference_that_misuses_its_files_is_reported(tmp_path, name):
    keyword_arguments, body, sentence = BROKEN_REFERENCES[name]
    folder = write_folder(
        tmp_path / "broken",
        {
            "assignment.yaml": "title: T\nseeded: no\nstages:\n  - {name: one, reference: 'book:main', expected_files: [x]}\n",
            "one.yaml": "program: one\ncases:\n  - {name: a, answers: [x]}\n",
            "book.py": f"def main(console, *, {keyword_arguments}):\n    {body}\n",
        },
    )
    (stage,) = load_assignment(folder).stages
    with pytest.raises(HarnessError) as raised:
        expectation_of(sessions_of(stage)[0], expected_run_here(stage))
    assert sentence in str(raised.value)


def test_a_reference_that_leaves_a_link_is_reported(command):
    (command / "count").write_text("#!/bin/sh\nread line\nln -s in.txt out.txt\n")
    (stage,) = load_assignment(command).stages
    with pytest.raises(HarnessError) as raised:
        expectation_of(sessions_of(stage)[0], expected_run_here(stage))
    assert str(raised.value) == (
        f"{command}/count.yaml:3: the reference left out.txt, which is a link — fix the reference"
    )


def test_a_reference_command_gets_files_and_arguments_without_separate_stderr(command):
    file = command / "assignment.yaml"
    file.write_text(file.read_text().replace("    stderr: compared\n", ""))
    (command / "count").write_text((command / "count").read_text().replace('echo "reading" >&2\n', ""))
    (stage,) = load_assignment(command).stages
    run = expected_run_here(stage)
    expectations = [expectation_of(session, run) for session in sessions_of(stage)]
    assert [expectation.text for expectation in expectations] == [b"Go? 0  x\n", b"Go? 2 two words x\n", b"Go? 1  x\n"]
    assert [expectation.written[0].content for expectation in expectations] == [b"one two\n", b"a\n", b""]
    assert [expectation.errors for expectation in expectations] == [None] * 3
