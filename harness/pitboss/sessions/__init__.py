"""Runs programs on terminals: one protocol, two drivers that run sessions, and references that run like programs.

Here: the tracing driver (tracing/), the expecting driver, seeded environments, and expected runs.
In: a program, its limits, and an input script for each session. Out: transcripts; SessionError for a fault of ours.
May use: model to assignments.
"""
