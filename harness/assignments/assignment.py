"""An assignment as an instructor wrote it down: stages, specs, cases, players, limits. Values only."""

from __future__ import annotations

from pathlib import Path

import msgspec

from harness.machine.limits import Limits
from harness.transcripts.policy import Policy
from harness.transcripts.transcript import Event


class Answers(msgspec.Struct, frozen=True):
    """Lines typed in order; the last is typed again whenever another is asked for."""

    lines: tuple[bytes, ...]


class Scripted(msgspec.Struct, frozen=True):
    """One habit of a player that is written as data: at this prompt, these answers."""

    #: What the shown text ends with when this habit applies.
    prompt: str
    #: Answers in turn, the last repeated; None ends the input there.
    answers: tuple[str | None, ...]


class Player(msgspec.Struct, frozen=True):
    """A player with a name, which decides each line from the session so far."""

    name: str
    #: `module:function`, called with the text shown and the lines typed so far; empty when scripted.
    function: str = ""
    habits: tuple[Scripted, ...] = ()


class Recorded(msgspec.Struct, frozen=True):
    """A session written down in the spec."""

    events: tuple[Event, ...]
    #: Where its text stands in the file: first line, counted from 1.
    line: int


class Generated(msgspec.Struct, frozen=True):
    """Sessions whose expected transcript the reference computes: one per seed."""

    #: Each is typed as the first line; an assignment without seeds has a None here for each session.
    seeds: tuple[int | None, ...]
    #: How the lines after the seed are found.
    answers: Answers | Player


class Case(msgspec.Struct, frozen=True):
    """What an instructor wrote as one case; a generated one stands for many sessions."""

    name: str
    session: Recorded | Generated
    policy: Policy
    exit_code: int = 0
    points: int = 1
    #: public, hidden or after due
    visibility: str = "public"
    #: The rules of the assignment it exercises, in the instructor's words.
    rules: tuple[str, ...] = ()
    #: Where it stands, as file:line.
    place: str = ""


class Spec(msgspec.Struct, frozen=True):
    """The spec file of one stage."""

    path: Path
    program: str
    cases: tuple[Case, ...]


class Reference(msgspec.Struct, frozen=True):
    """The program that is right by definition: a Python function of a console, or any command."""

    #: `module:function`; empty when it is a command.
    function: str = ""
    #: argv, relative names resolved from the assignment's folder.
    command: tuple[str, ...] = ()


class Draws(msgspec.Struct, frozen=True):
    """What a program without a seed draws at random: dice, tickets, questions."""

    #: All that can be drawn, each a text.
    values: tuple[str, ...]
    #: How many draws there are before all can come again; within them each comes once. 0: each can always come.
    bag: int = 0


class Tolerated(msgspec.Struct, frozen=True):
    """Another behaviour that an instructor lets pass: a reference of its own."""

    #: Said in the report of a submission that was judged by it.
    name: str
    reference: Reference


class Rule(msgspec.Struct, frozen=True):
    """A rule of a stage, met when its pattern is found on the screen of a right session."""

    name: str
    #: A regular expression of Python's re, with MULTILINE; typed lines stand on the screen with their Enter.
    pattern: str


class Words(msgspec.Struct, frozen=True):
    """What is said of a known mistake, where that is not said in code."""

    id: str
    title: str
    hint: str
    note: str
    source: str
    invisible: str = ""
    #: Where its id stands, as file:line.
    place: str = ""


class WordFile(msgspec.Struct, frozen=True):
    """The words of an assignment's known mistakes."""

    path: Path
    #: Where what is missing from it would stand, as file:line.
    place: str
    words: tuple[Words, ...]


class Stage(msgspec.Struct, frozen=True):
    """One program of the assignment, in the order of the ladder."""

    name: str
    title: str
    reference: Reference
    spec: Spec
    #: Stages that must be accepted before this one counts.
    needs: tuple[str, ...] = ()
    #: Whether it may be left out; then it is not in the report.
    is_optional: bool = False
    #: Whether the first line typed is a seed.
    is_seeded: bool = True
    limits: Limits = Limits()
    policy: Policy = Policy()
    #: `module:function` that reads back what a program drew; empty where nothing is drawn or a seed says what is.
    reader: str = ""
    draws: Draws = Draws(())
    tolerated: tuple[Tolerated, ...] = ()
    rules: tuple[Rule, ...] = ()
    #: Rules without which a program is not the stage's: a program that never meets one of them is wrong.
    required: tuple[str, ...] = ()
    #: `module:function` that gives the known mistakes; empty where none are known.
    mistakes: str = ""
    #: What is said of them; None where the function says it.
    words: WordFile | None = None
    #: How many sessions are held at the most, until every rule has been met.
    most_sessions: int = 200
    #: Other names under which its program may be handed in.
    submitted_as: tuple[str, ...] = ()
    #: The files it is handed in as, where they are not a program of that name; built with `given`.
    sources: tuple[str, ...] = ()
    #: A folder of files the course gives; a submission's own take their place. None where there are none.
    given: Path | None = None
    #: A Markdown file that says what is asked, for the handout; None where the samples say it.
    handout: Path | None = None


class Assignment(msgspec.Struct, frozen=True):
    """A folder of specs, loaded and checked."""

    name: str
    title: str
    folder: Path
    stages: tuple[Stage, ...]
    players: tuple[Player, ...] = ()
    #: Whether the first line typed is a seed, so that `--seed` and `seeds:` mean something.
    is_seeded: bool = True
    #: Policy of grading (caps, late table) as the instructor wrote it; read by the gradebook.
    grading: dict[str, object] = {}
    #: The language of the course, as people call it; empty where it does not matter.
    language: str = ""
    #: A Markdown file that says what applies to all stages, for the handout.
    handout: Path | None = None

    def stage(self, name: str) -> Stage | None:
        """The stage of that name, or None."""
        return next((stage for stage in self.stages if stage.name == name), None)
