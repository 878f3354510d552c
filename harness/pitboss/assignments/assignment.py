"""An assignment as the instructor wrote it: stages, specs, cases, players, limits. Values only."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path

import msgspec

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.assignments.options import Option
from pitboss.assignments.rules import Rule
from pitboss.model.comparison_policy import Checker, Policy
from pitboss.model.construct_rules import Requirement
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.model.transcript import Event, ExitCode
from pitboss.sandbox.limits import Limits


class Then(Enum):
    """What is typed after the last answer."""

    LAST_AGAIN = "the last answer, for as long as the program reads"
    FIRST_AGAIN = "all of the answers again, from the first"
    END = "nothing: the input ends"


class Answers(msgspec.Struct, frozen=True):
    """Lines to type in order, and what is typed after them."""

    lines: tuple[bytes, ...]
    then: Then = Then.LAST_AGAIN

    def line(self, number: int) -> bytes | None:
        """Return line `number` of the input, from 0; None if the input ends there, or if there are no lines."""
        if number < len(self.lines):
            return self.lines[number]
        if not self.lines or self.then is Then.END:
            return None
        return self.lines[-1 if self.then is Then.LAST_AGAIN else number % len(self.lines)]


class Scripted(msgspec.Struct, frozen=True):
    """One habit of a player written as data: the answers to give at a prompt."""

    #: The habit applies when the text on the screen ends with this.
    prompt: str
    answers: Answers
    #: Where the instructor wrote it, as file:line; empty if in no file.
    place: str = ""


class Player(msgspec.Struct, frozen=True):
    """A named player, which chooses each typed line from the session so far."""

    name: str
    #: `module:function`, called with the program's text and the lines typed so far; empty if the player has habits.
    function: str = ""
    habits: tuple[Scripted, ...] = ()
    #: Keys that a submission declares. The function gets those that it accepts, as keyword arguments.
    keys: tuple[tuple[str, str], ...] = ()
    #: Where the player is named, as file:line; empty if in no file.
    place: str = ""


class Recorded(msgspec.Struct, frozen=True):
    """A session whose transcript is in the spec file."""

    events: tuple[Event, ...]
    #: The first line of its text in the file, from 1.
    line: int


class Generated(msgspec.Struct, frozen=True):
    """Sessions whose expected transcripts the reference computes."""

    #: The seed of each session, typed as its first line; all None in an assignment without seeds.
    seeds: tuple[int | None, ...]
    #: The source of the lines after the seed.
    answers: Answers | Player


class Case(msgspec.Struct, frozen=True):
    """One case of a spec file; a generated case may have many sessions."""

    name: str
    session: Recorded | Generated
    policy: Policy
    exit_code: ExitCode = 0
    points: Decimal = Decimal(1)
    #: public, hidden or after due
    visibility: str = "public"
    #: The rules of the assignment that it exercises, as the instructor calls them.
    rules: tuple[str, ...] = ()
    #: A sentence for the student, shown if the case fails; may be empty.
    hint: str = ""
    #: Where the spec file defines it, as file:line.
    place: str = ""
    #: Arguments, files and the like of its sessions.
    invocation: Invocation = PLAIN


class Spec(msgspec.Struct, frozen=True):
    """The spec file of one stage."""

    path: Path
    program: str
    cases: tuple[Case, ...]

    def with_keys(self, keys: tuple[tuple[str, str], ...], parts: tuple[tuple[str, str], ...] = ()) -> Spec:
        """Return a copy of the spec in which players type these keys, which a submission declares.

        `parts` pairs substrings of the reference's free texts with their replacements.
        """
        return msgspec.structs.replace(self, cases=tuple(_with_keys(case, keys, parts) for case in self.cases))


def _with_keys(case: Case, keys: tuple[tuple[str, str], ...], parts: tuple[tuple[str, str], ...]) -> Case:
    """Returns a copy of the case for a submission that declares these keys: see `Spec.with_keys`."""
    session, case = case.session, msgspec.structs.replace(case, policy=case.policy.with_parts(parts))
    if not isinstance(session, Generated) or not isinstance(session.answers, Player):
        return case
    player = msgspec.structs.replace(session.answers, keys=keys)
    return msgspec.structs.replace(case, session=msgspec.structs.replace(session, answers=player))


class Reference(msgspec.Struct, frozen=True):
    """The program that is correct by definition: a Python function that gets a console, or any command.

    Both fields are empty in a bundle for students, unless the instructor ships the reference.
    """

    #: `module:function`; empty if it is a command.
    function: str = ""
    #: argv; a program with a relative path, and arguments that begin with ./, are relative to the assignment's folder.
    command: tuple[str, ...] = ()


class Draws(msgspec.Struct, frozen=True):
    """The source of the random values that a program without a seed draws: dice, tickets, questions."""

    #: All values that can be drawn, as text.
    values: tuple[str, ...]
    #: The number of draws without replacement before the bag is refilled; 0 if all values are always possible.
    bag: int = 0
    #: A lower bound for the probability of each value in each draw; None if all are equally likely.
    rarest: Fraction | None = None

    @property
    def least_chance(self) -> float:
        """The probability of the least likely value."""
        return 1 / len(self.values) if self.rarest is None else float(self.rarest)

    @property
    def max_chance(self) -> float:
        """An upper bound for the probability of any value."""
        return 1 - (len(self.values) - 1) * self.least_chance


class Tolerated(msgspec.Struct, frozen=True):
    """Another behaviour that the instructor accepts, defined by a further reference."""

    #: Its name in the report of a submission that was judged by it.
    name: str
    reference: Reference


class Words(msgspec.Struct, frozen=True):
    """The texts for one known mistake, read from a words file."""

    id: str
    title: str
    hint: str
    note: str
    source: str
    invisible: str = ""
    #: Where the id is written, as file:line.
    place: str = ""


class WordFile(msgspec.Struct, frozen=True):
    """The file with the texts for an assignment's known mistakes."""

    path: Path
    #: The file:line to report for a missing entry.
    place: str
    words: tuple[Words, ...]


class MistakeFolder(msgspec.Struct, frozen=True):
    """A known mistake as a program, or as a patch of the reference, in its own folder."""

    folder: Path
    words: Words
    #: The names of the stages that it may concern.
    stages: tuple[str, ...]


class Stage(msgspec.Struct, frozen=True):
    """One program of the assignment."""

    name: str
    title: str
    reference: Reference
    spec: Spec
    #: Stages that must be accepted before this stage is graded.
    needs: tuple[str, ...] = ()
    #: Whether a submission may lack it; the report then omits it.
    is_optional: bool = False
    #: Whether it is graded manually: it is built, run and shown, but its output is not judged.
    is_manual: bool = False
    #: Whether the first line typed is a seed.
    is_seeded: bool = True
    #: The language of the course, such as C; empty if it does not matter.
    language: str = ""
    limits: Limits = Limits()
    policy: Policy = Policy()
    #: The constructs that its sources must have, or must not have.
    requirements: tuple[Requirement, ...] = ()
    #: `module:function` that reads back a program's draws; empty if there are none or a seed determines them.
    reader: str = ""
    draws: Draws = Draws(())
    tolerated: tuple[Tolerated, ...] = ()
    #: The permitted variations of its programs; the reference and the reader get the first value of each.
    options: tuple[Option, ...] = ()
    rules: tuple[Rule, ...] = ()
    #: Rules that come up in every correct program: a program in which one of them never does is wrong.
    required: tuple[str, ...] = ()
    #: `module:function` that returns the known mistakes; may be empty.
    mistakes: str = ""
    #: The texts for these mistakes; None if the function returns the texts too.
    words: WordFile | None = None
    #: Known mistakes that have their own folders, which may have a program of this stage.
    mistake_folders: tuple[MistakeFolder, ...] = ()
    #: The maximum number of sessions to run until every rule has come up; ten times as many until every known mistake
    #: could have been detected.
    most_sessions: int = 200
    #: Other names under which its program may be handed in.
    submitted_as: tuple[str, ...] = ()
    #: The source files of the program, unless it is a single file named like the stage; built together with `given`.
    sources: tuple[str, ...] = ()
    #: The folder of files that the course provides, or None; files of the submission replace them.
    given: Path | None = None
    #: The name of that folder in messages, and whether it was named on the command line.
    given_as: str = ""
    is_given_by_option: bool = False
    #: A Markdown file with the task, for the handout; None if the samples are enough.
    handout: Path | None = None
    #: Arguments, files and the like of its sessions, unless a case has its own.
    invocation: Invocation = PLAIN
    #: In a bundle for students: why the stage is built but not run; empty if it is run.
    not_checked: str = ""

    @property
    def has_reference(self) -> bool:
        """Whether its reference is available; in a bundle for students it may not be."""
        return bool(self.reference.function or self.reference.command)

    @property
    def checkers(self) -> tuple[Checker, ...]:
        """The distinct checkers of its sessions."""
        policies = (self.policy, *(case.policy for case in self.spec.cases))
        return tuple(dict.fromkeys(policy.checker for policy in policies if policy.checker is not None))

    @property
    def lenient(self) -> Policy:
        """The policy of sessions that belong to no case. It ignores everything that the policy of any case ignores."""
        return self.policy.ignoring(name for case in self.spec.cases for name in case.policy.ignored)


class Assignment(msgspec.Struct, frozen=True):
    """An assignment folder, loaded and checked."""

    name: str
    title: str
    folder: Path
    stages: tuple[Stage, ...]
    players: tuple[Player, ...] = ()
    #: Whether the first line typed is a seed; only then are `--seed` and `seeds:` allowed.
    is_seeded: bool = True
    #: How a grade is computed from a report.
    grading: GradingPolicy = GradingPolicy()
    #: The language of the course, such as C; empty if it does not matter.
    language: str = ""
    #: A Markdown file for the handout, about all stages.
    handout: Path | None = None
    #: The random number generator that the handout explains; may be empty.
    generator: str = ""
    #: The file in which a submission declares its features; may be empty.
    declared_in: str = ""
    #: Whether a bundle for students has the reference.
    ships_reference: bool = False
    #: Whether this assignment is a bundle for students.
    is_bundle: bool = False

    @property
    def functions(self) -> frozenset[str]:
        """All functions that it may call, as `module:function`: references, players, readers, mistakes, checkers."""
        names = {player.function for player in (*self.players, *self.players_of_cases.values())}
        for stage in self.stages:
            names |= {stage.reference.function, *(tolerated.reference.function for tolerated in stage.tolerated)}
            names |= {stage.reader, stage.mistakes, *(checker.function for checker in stage.checkers)}
        return frozenset(names - {""})

    @property
    def players_of_cases(self) -> dict[str, Player]:
        """The players of the stages' cases, by name."""
        sessions = (case.session for stage in self.stages for case in stage.spec.cases)
        answers = (session.answers for session in sessions if isinstance(session, Generated))
        return {player.name: player for player in answers if isinstance(player, Player)}

    def stage(self, name: str) -> Stage | None:
        """Return the stage of that name, or None."""
        return next((stage for stage in self.stages if stage.name == name), None)
