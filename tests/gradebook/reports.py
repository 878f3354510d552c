"""Reports for the tests of grades, made by hand: only what a grade hangs on."""

from pitboss.compare.results import Report, Result, StageReport, worst
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import Transcript

#: What stands for a session in a text: accepted, wrong, our fault, not run.
VERDICTS = {
    "+": Verdict.ACCEPTED,
    "-": Verdict.WRONG_ANSWER,
    "!": Verdict.JUDGE_ERROR,
    "0": Verdict.SKIPPED,
}


def session(name, mark, points=1, place="", seed=None):
    return Result("", name, VERDICTS[mark], Transcript(()), Transcript(()), seed=seed, points=points, place=place)


def stage(name, *cases, verdict=None, **fields):
    """A stage with cases, each given as its sessions: `++-`, or a pair of them and the points of the case."""
    results = []
    for number, case in enumerate(cases, 1):
        marks, points = case if isinstance(case, tuple) else (case, 1)
        results += [session(f"case {number}", mark, points, seed=seed) for seed, mark in enumerate(marks, 1)]
    verdict = verdict or worst(result.verdict for result in results)
    return StageReport(name, name, verdict, tuple(results), len(results), **fields)


def report(*stages, **fields):
    return Report("small", "Small", "ada", tuple(stages), **fields)


def said(grade):
    """The lines of a grade, each with what it adds."""
    return [(line.text, line.amount) for line in grade.lines]
