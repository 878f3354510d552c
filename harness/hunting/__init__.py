"""Hunting: games beyond the specs, and the smallest one that a program gets wrong.

`questions` knows what a stage asks and what is typed there, `games` makes games of it, `shrinking` makes a game that
fails smaller, `hunter` plays until the time is over. It imports what runs and judges sessions; only the command line
imports it.
"""
