"""Reports for the tests of grades, made by hand: they contain only what a grade depends on."""

from pitboss.compare.results import Report, Result, StageReport, Verdict, overall_verdict
from pitboss.model.transcript import Transcript

#: The marks of sessions in the texts that are given to `stage`: accepted, wrong, not judged (our fault), not run.
VERDICTS = {"+": Verdict.ACCEPTED, "-": Verdict.WRONG_ANSWER, "!": Verdict.JUDGE_ERROR, "0": Verdict.SKIPPED}


def session(name, mark, points=1, place="", seed=None):
    """The result of one session of the case with this name; `mark` is a key of VERDICTS."""
    return Result("", name, VERDICTS[mark], Transcript(()), Transcript(()), seed=seed, points=points, place=place)


def stage(name, *cases, verdict=None, **fields):
    """A stage with these cases: each is a text with a mark for each session, such as `++-`, or a pair (marks, points)."""
    results = []
    for number, case in enumerate(cases, 1):
        marks, points = case if isinstance(case, tuple) else (case, 1)
        results += [session(f"case {number}", mark, points, seed=seed) for seed, mark in enumerate(marks, 1)]
    verdict = verdict or overall_verdict(result.verdict for result in results)
    return StageReport(name, name, verdict, tuple(results), len(results), **fields)


def report(*stages, **fields):
    return Report("small", "Small", "ada", tuple(stages), **fields)


def line_amounts(grade):
    """The lines of a grade: pairs of a text and the amount that it adds."""
    return [(line.text, line.amount) for line in grade.lines]
