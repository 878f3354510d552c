"""What judging gives: a result for each session, and for each stage and submission what they come to. Values."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

import msgspec

from harness.judging.comparison import Difference
from harness.judging.verdicts import Verdict
from harness.transcripts.transcript import Transcript


class Result(msgspec.Struct, frozen=True):
    """One judged session."""

    stage: str
    case: str
    verdict: Verdict
    #: What happened, in a sentence; empty where there is nothing to say.
    summary: str
    expected: Transcript
    actual: Transcript
    difference: Difference | None = None
    points: int = 1
    visibility: str = "public"
    #: The command that runs this session again in the submission's folder; empty where there is none.
    replay: str = ""
    #: Whether it draws anew then.
    draws_anew: bool = False
    #: Where the case stands, as file:line.
    place: str = ""


class Diagnosis(msgspec.Struct, frozen=True):
    """A known mistake that explains sessions that failed."""

    id: str
    title: str
    #: For the student.
    hint: str
    #: For the instructor.
    note: str
    #: How many of the sessions that failed it explains, and how many those are.
    explains: int
    of: int


class StageReport(msgspec.Struct, frozen=True):
    """One stage of one submission."""

    stage: str
    title: str
    verdict: Verdict
    results: tuple[Result, ...] = ()
    #: How many sessions the stage has, run or not.
    total: int = 0
    #: Why there are no results, or why a stage that has some is not what they say.
    summary: str = ""
    #: The command that built it, and what the compiler said.
    build_command: str = ""
    build_messages: str = ""
    #: What the compiler's first message means, in plain words; empty where it said nothing, or nothing known.
    build_explanation: str = ""
    #: Where it crashed, as a sentence with the student's own line; empty where it did not, or that is not known.
    crash: str = ""
    #: The session in which that was seen.
    crash_case: str = ""
    #: Which tolerated reference it was judged by; empty for the stage's own.
    judged_as: str = ""
    #: How often each rule of the stage was met in accepted sessions, where it is counted.
    rules: tuple[tuple[str, int], ...] = ()
    #: Known mistakes that explain what failed, best first.
    diagnosis: tuple[Diagnosis, ...] = ()
    #: What was wrong on our side besides its sessions, in sentences.
    faults: tuple[str, ...] = ()
    #: How many sessions of hidden cases were accepted, and how many there are; None where all are shown.
    hidden: tuple[int, int] | None = None

    @property
    def passed(self) -> int:
        """How many sessions were accepted."""
        return sum(result.verdict is Verdict.ACCEPTED for result in self.results)


class Report(msgspec.Struct, frozen=True):
    """A whole submission."""

    assignment: str
    title: str
    submission: str
    stages: tuple[StageReport, ...]
    #: What was wrong on our side, in sentences.
    faults: tuple[str, ...] = ()
    #: How sessions were run and what confined them, in sentences.
    conditions: tuple[str, ...] = ()
    #: Where in the submission its programs were found, in sentences; empty where they are right in its folder.
    notes: tuple[str, ...] = ()
    #: The folder of the submission as a word of a command line; empty where it is the working folder.
    folder: str = ""
    #: How the assignment is called on the command line; empty where that is its name.
    called: str = ""
    #: Whether some cases of the assignment are not public, so that it has to be asked who may see what.
    has_hidden: bool = False

    def command(self, text: str) -> str:
        """A command of pitboss, such as `pitboss check play`, as it is given from where the submission was checked."""
        return in_folder(text, self.folder)

    @property
    def verdict(self) -> Verdict:
        """The first verdict that is not ACCEPTED, a JUDGE_ERROR before all others."""
        return worst(stage.verdict for stage in self.stages)


def in_folder(command: str, folder: str) -> str:
    """A command of pitboss for the programs of a folder, a word of a command line; empty for the working folder.

    >>> in_folder("pitboss check play --seed 3", "class/ada")
    'pitboss check class/ada play --seed 3'
    """
    program, verb, rest = command.split(" ", 2)
    return " ".join((program, verb, *([shlex.quote(folder)] if folder else []), rest))


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """JUDGE_ERROR where there is one, else the first that is not ACCEPTED, else ACCEPTED."""
    failed = [verdict for verdict in verdicts if verdict is not Verdict.ACCEPTED]
    if Verdict.JUDGE_ERROR in failed:
        return Verdict.JUDGE_ERROR
    return failed[0] if failed else Verdict.ACCEPTED
