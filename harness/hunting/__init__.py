"""Hunting: games beyond the specs, and the smallest one that a program gets wrong.

`questions` knows what a stage asks and what is typed there, `games` makes games of it, `shrinking` makes a game that
fails smaller, `hunter` plays until the time is over.
In: a job, a submission and a budget in seconds. Out: the smallest game that fails, or how many were played.
May use: transcripts, machine, assignments, running, submissions, judging, draws.
"""
