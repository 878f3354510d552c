"""A submission from its folder to its report: build, run, judge, diagnose, on all cores.

Here: check.
In: a job and a submission. Out: a Report; an error in one session is a fault of that session only.
May use: all rooms below it: transcripts to mistakes.
"""
