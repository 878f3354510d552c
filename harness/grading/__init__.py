"""A submission from its folder to its report: build, run, judge, diagnose, on all cores.

Here: check.
In: a job and a submission. Out: a Report; whatever fails in one session is a fault of that session, and no more.
May use: all rooms below it: transcripts to mistakes.
"""
