"""Hunting: plays games beyond the specs and finds the smallest one that a program gets wrong.

`questions` learns what a stage asks and what is typed there, `games` generates games from that, `shrinking` makes a
failing game smaller, and `hunter` plays until the time is up.
In: a job, a submission and a budget in seconds. Out: the smallest failing game, or the number of games played.
May use: transcripts, machine, assignments, running, submissions, judging, draws.
"""
