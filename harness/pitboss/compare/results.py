"""What judging returns, as values: a result for each session, and a report for each stage and submission."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal

import msgspec

from pitboss.assignments.answers import Rerun
from pitboss.assignments.cases import session_name
from pitboss.compare.comparison import Difference
from pitboss.compare.findings import Finding
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.compare.verdicts import FAILED, Verdict
from pitboss.model.construct_rules import Broken
from pitboss.model.invocation import Started
from pitboss.model.transcript import EndingKind, Transcript


class Result(msgspec.Struct, frozen=True):
    """One judged session."""

    stage: str
    #: The case that it is of; of several sessions of one the seed, or else the number from 1, says which.
    case: str
    verdict: Verdict
    expected: Transcript
    actual: Transcript
    difference: Difference | None = None
    #: What else was found; None if there is nothing to say, or it is not kept.
    finding: Finding | None = None
    #: What the instructor says to whoever fails the case; empty where it is accepted, or nothing is said.
    hint: str = ""
    #: How its program was started, where it failed; None if that says nothing.
    started: Started | None = None
    points: Decimal = Decimal(1)
    visibility: str = "public"
    seed: int | None = None
    number: int = 0
    #: What runs this session again; None if nothing does.
    rerun: Rerun | None = None
    #: Whether running it again makes other draws, since its number is not that of the session that is run then.
    draws_anew: bool = False
    #: Whether what is expected where the sessions part hangs on draws that nobody saw.
    is_open: bool = False
    #: Where the case is defined, as file:line.
    place: str = ""
    #: How many lines that the program showed are not judged.
    not_judged: int = 0

    @property
    def session(self) -> str:
        """The session's name, which is unique within the stage."""
        return session_name(self.case, self.seed, self.number)

    @property
    def fault(self) -> str:
        """A sentence on what went wrong on our side; empty if nothing did."""
        ending = self.actual.ending
        is_fault = ending.kind is EndingKind.FAULT
        return f"This session could not be run, which is not the program's fault: {ending.detail}" if is_fault else ""

    @property
    def is_accepted(self) -> bool:
        """Whether nothing is wrong with it."""
        return self.verdict is Verdict.ACCEPTED


class Diagnosis(msgspec.Struct, frozen=True):
    """A known mistake that explains sessions that failed."""

    id: str
    title: str
    #: Shown to the student.
    hint: str
    #: Shown to the instructor.
    note: str
    #: How many of the failed sessions it explains, and how many failed.
    explains: int
    of: int
    #: In how many further sessions it was put to the test: it would have failed there in the same way, and did.
    tested: int = 0
    #: The failed sessions, by their names, that it does not explain.
    beyond: tuple[str, ...] = ()


class StageReport(msgspec.Struct, frozen=True):
    """One stage of one submission."""

    stage: str
    title: str
    verdict: Verdict
    results: tuple[Result, ...] = ()
    #: How many sessions the stage has, run or not.
    total: int = 0
    #: Whether anything was handed in for it that says more than that it is missing.
    is_begun: bool = True
    #: Why there are no results, as a clause that continues the verdict; empty if a summary says that.
    reason: str = ""
    #: Why there are no results, or why the verdict differs from that of the results.
    summary: str = ""
    #: The command that built it, and what the compiler said.
    build_command: str = ""
    build_messages: str = ""
    #: What the compiler's first message means, in plain words; empty if there is no message or an unknown one.
    build_explanation: str = ""
    #: Which files of the submission and of the course it was built with; empty if the course gives none.
    made_with: str = ""
    #: The folder of the course's files that was named on the command line; empty if none was.
    given: str = ""
    #: Where it crashed, as a sentence with the student's own line; empty without a crash, or if that is not known.
    crash: str = ""
    #: The case whose session showed the crash.
    crash_case: str = ""
    #: A remark on the student's own line that misuses memory, although the sessions went well; empty if none does, or
    #: nobody looked. It is known from public cases.
    memory: str = ""
    #: What was tolerated, in words: another reference, other options; empty if nothing was.
    judged_as: str = ""
    #: How often each rule of the stage came up in accepted sessions, if that is counted.
    rules: tuple[tuple[str, int], ...] = ()
    #: Sentences on known mistakes that the sessions of an accepted program could not have shown.
    unshown: tuple[str, ...] = ()
    #: Texts that were accepted in place of the reference's.
    taken: tuple[AcceptedDifference, ...] = ()
    #: The constructs that its sources should have, or should not.
    broken: tuple[Broken, ...] = ()
    #: Known mistakes that explain what failed, best first.
    diagnosis: tuple[Diagnosis, ...] = ()
    #: Faults on our side other than those of its sessions, in sentences.
    faults: tuple[str, ...] = ()
    #: Whether a person grades it: the verdict on the submission does not depend on it.
    is_for_person: bool = False
    #: For a person: the comment at the top of the program; empty if there is none.
    comment: str = ""
    #: How many sessions of hidden cases were accepted, and how many there are; None if all are shown.
    hidden: tuple[int, int] | None = None
    #: Whether judging it was stopped: it has some of its sessions that failed, and nothing else is known of it.
    is_partial: bool = False
    #: Whether its build was stopped at a limit, which another machine, or a quieter one, may not reach.
    build_was_stopped: bool = False

    @property
    def passed(self) -> int:
        """How many sessions were accepted."""
        return sum(result.verdict is Verdict.ACCEPTED for result in self.results)

    @property
    def failures(self) -> list[Result]:
        """The sessions that failed, the simplest first; those that could not be judged, or were not run, come last.

        That is one in which few lines are typed, and of such the one that differs early. Where it is known in which
        line of a program it crashed, that session is the first; what a mistake that is named does not explain comes
        after what it does.
        """
        beyond = {name for one in self.diagnosis for name in one.beyond}

        def difficulty(one: Result) -> tuple[bool, bool, bool, int, float]:
            line = one.difference.line if one.difference is not None else math.inf
            is_another = one.session != self.crash_case
            return one.verdict not in FAILED, is_another, one.session in beyond, len(one.actual.lines), line

        good = (Verdict.ACCEPTED, Verdict.FOR_A_PERSON)
        return sorted((one for one in self.results if one.verdict not in good), key=difficulty)


class Report(msgspec.Struct, frozen=True):
    """A whole submission."""

    assignment: str
    title: str
    submission: str
    stages: tuple[StageReport, ...]
    #: Faults on our side, in sentences.
    faults: tuple[str, ...] = ()
    #: How sessions were run and confined, in sentences.
    conditions: tuple[str, ...] = ()
    #: Where in the submission its programs were found, in sentences; empty if they are at the top of its folder.
    notes: tuple[str, ...] = ()
    #: The folder of the submission as a word of a command line; empty for the working folder.
    folder: str = ""
    #: Whether that is no folder but the source of one program.
    is_one_file: bool = False
    #: How the assignment is called on the command line; empty if by its name.
    called: str = ""
    #: Whether some cases of the assignment are not public, so that not everyone may see everything.
    has_hidden: bool = False
    #: Where the check was stopped, and what is missing therefore, in sentences; empty if it came to its end.
    stopped: str = ""
    #: The stages of the assignment that were not asked for, so that nothing is known of them.
    unasked: tuple[str, ...] = ()
    #: Whether this machine cannot fix all that its programs draw from, so that the next run may draw otherwise.
    draws_vary: bool = False
    #: Whether the references are here; those of a bundle for students are not, so that nothing can be hunted.
    has_reference: bool = True

    @property
    def verdict(self) -> Verdict:
        """The first verdict that is not ACCEPTED; JUDGE_ERROR takes precedence over all others.

        Stages that a person grades do not count; FOR_A_PERSON if there are no others.
        """
        judged = [stage.verdict for stage in self.stages if not stage.is_for_person]
        return worst(judged) if judged or not self.stages else Verdict.FOR_A_PERSON


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """JUDGE_ERROR if there is one, else the first verdict that is not ACCEPTED, else ACCEPTED.

    NOT_OFFERED comes after all others that are not ACCEPTED.
    """
    failed = [verdict for verdict in verdicts if verdict is not Verdict.ACCEPTED]
    if Verdict.JUDGE_ERROR in failed:
        return Verdict.JUDGE_ERROR
    wrong = [verdict for verdict in failed if verdict is not Verdict.NOT_OFFERED]
    return next(iter((*wrong, *failed)), Verdict.ACCEPTED)
