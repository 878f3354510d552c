"""Checks a submission on all cores and returns its report, and grades a class into a gradebook.

Here: `check.check` (build, run, judge, diagnose), `class_grading.ClassGrading`, what a result depends on and
cached reports of earlier runs (`causes`), and the workers of a cluster (`cluster/`).
In: a job and submissions. Out: a report for each; an error in one session is a fault of that session only.
May use: all rooms below it, and the gradebook.
"""
