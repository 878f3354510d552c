"""Two small assignments whose own code each test replaces, mostly by faulty code; see the fixtures greet and dice."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.errors import SpecError
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job

#: An assignment in which a program asks for a name and greets: its files, the code of its reference and of its player,
#: and GREET, a correct program.
ASSIGNMENT = """\
title: Greetings
seeded: no
stages:
  - {name: greet, reference: "own:main"}
players:
  ada: [{prompt: "Name? ", answers: [Ada]}]
  other: own:player
"""
SPEC = """\
program: greet
cases:
  - {name: by ada, player: ada}
  - {name: by the other, player: other}
"""
MAIN = 'def main(console):\n    console.write("Name? ")\n    console.write(f"Hello {console.read_line()}!\\n")\n'
PLAYER = 'def player(shown, typed):\n    return "Bob"\n'
GREET = 'print("Hello " + input("Name? ") + "!")\n'

#: A game that draws: the program rolls once and shows it.
DICE = """\
title: Dice
seeded: no
draws: {values: ["1", "2"]}
mistakes: own:catalogue
stages:
  - name: dice
    reference: own:main
    reader: own:read
    rules: {a one: "a 1", a two: "a 2"}
    most_sessions: 12
    tolerated: {"in other words": own:other}
players:
  somebody: own:player
"""
DICE_SPEC = "program: dice\ncases:\n  - {name: rolls, player: somebody, sessions: 6}\n"
DICE_OWN = """\
import re
from types import SimpleNamespace

def main(console, draw):
    console.write("Roll? ")
    console.read_line()
    console.write(f"a {draw()}\\n")

def other(console, draw):
    console.write("Roll? ")
    console.read_line()
    console.write(f"it is a {draw()}\\n")

def read(conversation):
    shown = "".join(text for kind, text in conversation if kind == "shown")
    return SimpleNamespace(draws=re.findall("a ([12])", shown), problem=None)

def player(shown, typed):
    return "y"

def catalogue():
    return []
"""
DICE_PROGRAM = 'import random\ninput("Roll? ")\nprint("a", random.choice("12"))\n'


#: By the name of the stage: an assignment, its spec, and a correct program; each test adds the assignment's own code.
TEXTS_BY_NAME = {"greet": (ASSIGNMENT, SPEC, GREET), "dice": (DICE, DICE_SPEC, DICE_PROGRAM)}


class AssignmentTrial:
    """One of the assignments and a submission to it, each in its own folder; `check_with` writes and checks them."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.specs, self.submission = folder / name / "specs", folder / name / "submission"
        self.specs.mkdir(parents=True)
        self.submission.mkdir()
        #: The file of the assignment's own code, whose path is at the beginning of messages.
        self.own_code_file = self.specs / "own.py"

    def check_with(self, own, *, assignment="", spec="", program="", core_count=1):
        """The report on the program, with `own` as the assignment's own code; TEXTS_BY_NAME has the default texts."""
        default_assignment, default_spec, default_program = TEXTS_BY_NAME[self.name]
        (self.specs / "assignment.yaml").write_text(assignment or default_assignment)
        (self.specs / f"{self.name}.yaml").write_text(spec or default_spec)
        self.own_code_file.write_text(own)
        (self.submission / f"{self.name}.py").write_text(program or default_program)
        loaded = load_assignment(self.specs)
        job = Job(loaded, loaded.stages, find_conditions("watched", "none"), called="it")
        return check(job, self.submission, cores=core_count)


def verdicts(report):
    return [(result.session, result.verdict) for stage in report.stages for result in stage.results]


#: How the fault of a session that could not be run begins.
SESSION_FAULT = "This session could not be run, which is not the program's fault: "
#: The verdicts on `greet` if only the sessions of the player `other` could not be run.
ONLY_OTHER_FAILED = [("by ada", Verdict.ACCEPTED), ("by the other", Verdict.JUDGE_ERROR)]


def load_error(folder):
    """The message of the SpecError that loading the assignment in this folder raises."""
    with pytest.raises(SpecError) as caught:
        load_assignment(folder)
    return str(caught.value)
