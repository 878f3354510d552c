"""An assignment as the instructor wrote it: stages, specs, cases, players, limits. Values only."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path

import msgspec

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.assignments.options import Option, Rule
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
        """Return line `number` of the input, counted from 0; None if the input has ended by then, or has no lines."""
        if number < len(self.lines):
            return self.lines[number]
        if not self.lines or self.then is Then.END:
            return None
        return self.lines[-1 if self.then is Then.LAST_AGAIN else number % len(self.lines)]


class PromptAnswers(msgspec.Struct, frozen=True):
    """The answers that a player gives at one prompt."""

    #: These answers are typed when the text on the screen ends with this prompt.
    prompt: str
    answers: Answers
    #: Where the spec or assignment file has this prompt, as file:line; empty if no file has it.
    place: str = ""


class Player(msgspec.Struct, frozen=True):
    """A named player, which chooses each typed line from the session so far."""

    name: str
    #: `module:function`, called with the program's text and the lines typed so far; empty if `prompt_answers` has the
    #: answers.
    function: str = ""
    #: The answers by prompt; empty if a function chooses the lines.
    prompt_answers: tuple[PromptAnswers, ...] = ()
    #: Pairs of a keyword argument and its value: the key that the submission declares for a feature, such as the x that
    #: is typed to use the feature. The function gets only the keyword arguments that it accepts.
    keys: tuple[tuple[str, str], ...] = ()
    #: Where the player is named, as file:line; empty if no file names the player.
    place: str = ""


class Prompt(msgspec.Struct, frozen=True):
    """A prompt, and the classes of lines that the cases must type there, or must not."""

    #: The end of the line on the screen at which the program reads.
    text: str
    #: The name of each class, and a regular expression for its whole lines. The end of the input is a NUL.
    classes: tuple[tuple[str, str], ...]
    #: The names of the classes of which no case types a line.
    not_typed: frozenset[str]
    #: Where the assignment has the prompt, as file:line.
    place: str


class Recorded(msgspec.Struct, frozen=True):
    """A session whose transcript is in the spec file."""

    events: tuple[Event, ...]
    #: The number of the transcript's first line in the spec file, from 1.
    line: int


class Generated(msgspec.Struct, frozen=True):
    """Sessions whose expected transcripts the reference computes."""

    #: The seed of each session, typed as its first line; all None in an assignment without seeds.
    seeds: tuple[int | None, ...]
    #: Types the lines after the seed.
    answers: Answers | Player


class Case(msgspec.Struct, frozen=True):
    """One case of a spec file; a generated case may have many sessions."""

    name: str
    session: Recorded | Generated
    policy: Policy
    exit_code: ExitCode = 0
    points: Decimal = Decimal(1)
    #: `public`, `hidden` or `after due`: whether students may see the case, or only after the due date.
    visibility: str = "public"
    #: The rules of the assignment that come up in the case, in the instructor's words.
    rules: tuple[str, ...] = ()
    #: A sentence for the student, shown if the case fails; may be empty.
    hint: str = ""
    #: Where the spec file defines the case, as file:line.
    place: str = ""
    #: The arguments, files, environment and standard error of the case's sessions.
    invocation: Invocation = PLAIN


class Spec(msgspec.Struct, frozen=True):
    """The spec file of one stage."""

    path: Path
    program: str
    cases: tuple[Case, ...]

    @property
    def public_cases(self) -> tuple[Case, ...]:
        """The cases that students may see."""
        return tuple(case for case in self.cases if case.visibility == "public")

    def with_keys(self, keys: tuple[tuple[str, str], ...], replacements: tuple[tuple[str, str], ...] = ()) -> Spec:
        """Return a copy of the spec for a submission that declares these keys.

        `keys` are pairs of a player's keyword argument and the declared key: see `Player.keys`. `replacements` are
        pairs of a substring and the substring that replaces it in the texts of the reference that policies contain,
        such as free texts (texts that a program may word freely).
        """
        return msgspec.structs.replace(self, cases=tuple(_with_keys(case, keys, replacements) for case in self.cases))


def _with_keys(case: Case, keys: tuple[tuple[str, str], ...], replacements: tuple[tuple[str, str], ...]) -> Case:
    """Returns a copy of the case for a submission that declares these keys: see `Spec.with_keys`."""
    session, policy = case.session, case.policy.with_replaced_texts(replacements)
    case = msgspec.structs.replace(case, policy=policy)
    if not isinstance(session, Generated) or not isinstance(session.answers, Player):
        return case
    player = msgspec.structs.replace(session.answers, keys=keys)
    return msgspec.structs.replace(case, session=msgspec.structs.replace(session, answers=player))


class Reference(msgspec.Struct, frozen=True):
    """The program that is correct by definition: a Python function that gets a console, a source, or any command.

    All fields are empty in a bundle for students, unless the instructor ships the reference.
    """

    #: `module:function`; empty if the reference is a command.
    function: str = ""
    #: The argv of the command; empty if the reference is a function. A program with a relative path, and arguments that
    #: begin with ./, are relative to the assignment's folder.
    command: tuple[str, ...] = ()
    #: Whether the only word of `command` is the path of a source, which is built first.
    is_source: bool = False


class Draws(msgspec.Struct, frozen=True):
    """The source of the random values that a program without a seed draws: dice, tickets, questions."""

    #: All values that can be drawn, as text.
    values: tuple[str, ...]
    #: The number of draws without replacement before the bag is refilled; 0 if all values are always possible.
    bag: int = 0
    #: A lower bound for the probability of the rarest value in each draw; None if all values are equally likely.
    rarest: Fraction | None = None
    #: What a value, a bag and a round are called in reports.
    nouns: tuple[str, ...] = ("value", "set", "round")

    @property
    def min_probability(self) -> float:
        """A lower bound for the probability of any value."""
        return 1 / len(self.values) if self.rarest is None else float(self.rarest)

    @property
    def max_probability(self) -> float:
        """An upper bound for the probability of any value."""
        return 1 - (len(self.values) - 1) * self.min_probability


class Tolerated(msgspec.Struct, frozen=True):
    """Another behaviour that the instructor accepts, defined by a further reference."""

    #: The name of the behaviour, for reports of submissions that were judged by this reference.
    name: str
    reference: Reference


class Words(msgspec.Struct, frozen=True):
    """The texts for one known mistake, read from a words file."""

    id: str
    title: str
    #: For the student: where to look.
    hint: str
    #: For instructors: how the mistake arises, and its other effects.
    note: str
    #: Where the mistake was observed, or what invites it.
    source: str
    #: Why no session can show the mistake; empty if sessions can.
    invisible: str = ""
    #: Where the file has the mistake's id, as file:line.
    place: str = ""


class WordFile(msgspec.Struct, frozen=True):
    """The file with the texts for an assignment's known mistakes."""

    path: Path
    #: The location for messages about a missing entry, as file:line.
    place: str
    words: tuple[Words, ...]


class MistakeFolder(msgspec.Struct, frozen=True):
    """A known mistake as a program, or as a patch of the reference, in its own folder."""

    folder: Path
    words: Words
    #: The names of the stages that the mistake may concern.
    stages: tuple[str, ...]


class Stage(msgspec.Struct, frozen=True):
    """One program of the assignment."""

    name: str
    title: str
    reference: Reference
    spec: Spec
    #: Stages that must be accepted before this stage is graded.
    needs: tuple[str, ...] = ()
    #: Whether a submission may lack the stage's program; the report then omits the stage.
    is_optional: bool = False
    #: Whether the stage is graded manually: its program is built, run and shown, but the output is not judged.
    is_manual: bool = False
    #: Whether the first line typed is a seed.
    is_seeded: bool = True
    #: The programming language of the course, such as C; empty if the assignment names no language.
    language: str = ""
    limits: Limits = Limits()
    policy: Policy = Policy()
    #: The constructs that the program's sources must have, or must not have.
    requirements: tuple[Requirement, ...] = ()
    #: `module:function` of the reader; empty if programs draw nothing, or if a seed determines the draws.
    reader: str = ""
    draws: Draws = Draws(())
    tolerated: tuple[Tolerated, ...] = ()
    #: The permitted variations of the stage's programs; the reference and the reader get each option's first value.
    options: tuple[Option, ...] = ()
    rules: tuple[Rule, ...] = ()
    #: Names of rules that every correct program reaches: a program that never reaches one of these rules is wrong.
    required: tuple[str, ...] = ()
    #: `module:function` that returns the known mistakes; may be empty.
    mistakes: str = ""
    #: The texts for the known mistakes that `mistakes` returns; None if that function returns the texts too.
    words: WordFile | None = None
    #: Known mistakes that have their own folders, which may have a program of this stage.
    mistake_folders: tuple[MistakeFolder, ...] = ()
    #: The maximum number of sessions to run until every rule has come up. Up to 10 times as many are run if a known
    #: mistake could not have been detected yet, and up to 20 times as many if a value was never drawn, or if draws may
    #: not be random.
    most_sessions: int = 200
    #: Whether the assignment has no other program: no other stage, or only stages that share a name of `submitted_as`.
    is_only: bool = False
    #: Other names under which the stage's program may be handed in.
    submitted_as: tuple[str, ...] = ()
    #: The source files of the program, built together with the files in `given`. Empty if the program is a single file
    #: named like the stage.
    sources: tuple[str, ...] = ()
    #: Further flags for compilers of C and C++.
    flags: tuple[str, ...] = ()
    #: The folder of files that the course provides, or None; files of the submission replace these files.
    given: Path | None = None
    #: The name of the folder `given` in messages.
    given_as: str = ""
    #: Whether the command line named the folder `given`.
    is_given_by_option: bool = False
    #: A Markdown file with the task, for the handout; None if the samples are enough.
    handout: Path | None = None
    #: The arguments, files, environment and standard error of the stage's sessions, unless a case has its own.
    invocation: Invocation = PLAIN
    #: The prompts of the stage's program; empty if the assignment does not list any.
    prompts: tuple[Prompt, ...] = ()
    #: In a bundle for students: why the stage's program is built but not run; empty if it is run.
    not_checked: str = ""

    @property
    def has_reference(self) -> bool:
        """Whether the stage's reference is available: a bundle for students may lack it."""
        return bool(self.reference.function or self.reference.command)

    @property
    def references(self) -> tuple[Reference, ...]:
        """The stage's own reference, and the tolerated ones."""
        return (self.reference, *(tolerated.reference for tolerated in self.tolerated))

    @property
    def invocations(self) -> tuple[Invocation, ...]:
        """The stage's own invocation, and those of its cases."""
        return (self.invocation, *(case.invocation for case in self.spec.cases))

    def with_cases(self, cases: Iterable[Case]) -> Stage:
        """Return the stage with these cases instead of its own."""
        return msgspec.structs.replace(self, spec=msgspec.structs.replace(self.spec, cases=tuple(cases)))

    @property
    def checkers(self) -> tuple[Checker, ...]:
        """The distinct checkers of the stage's sessions."""
        policies = (self.policy, *(case.policy for case in self.spec.cases))
        return tuple(dict.fromkeys(policy.checker for policy in policies if policy.checker is not None))

    @property
    def lenient_policy(self) -> Policy:
        """The policy of sessions that belong to no case: it ignores all that the policy of any case ignores."""
        return self.policy.with_ignored_fields(name for case in self.spec.cases for name in case.policy.ignored)


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
    #: The programming language of the course, such as C; empty if the assignment names no language.
    language: str = ""
    #: The lowest versions of languages that a machine must have, by the name of the language in LANGUAGES.
    versions: tuple[tuple[str, str], ...] = ()
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
        """All functions in the assignment, as `module:function`: references, players, readers, mistakes, checkers."""
        names = {player.function for player in (*self.players, *self.players_of_cases.values())}
        for stage in self.stages:
            names |= {stage.reader, stage.mistakes, *(reference.function for reference in stage.references)}
            names |= {checker.function for checker in stage.checkers}
        return frozenset(names - {""})

    @property
    def players_of_cases(self) -> dict[str, Player]:
        """The players of the stages' cases, by name."""
        sessions = (case.session for stage in self.stages for case in stage.spec.cases)
        answers = (session.answers for session in sessions if isinstance(session, Generated))
        return {player.name: player for player in answers if isinstance(player, Player)}

    def stage(self, name: str) -> Stage | None:
        """Return the stage with this name; None if no stage has it."""
        return next((stage for stage in self.stages if stage.name == name), None)
