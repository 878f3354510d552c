"""Experiments: programs that are known to be wrong, or may be, run in sessions beside the right one.

`relation` answers the one question of all of them: does a program do something else in a session than what was done
there? Adequacy of evidence, naming, confirming, the table of cases and mistakes, and mutants ask it.
In: programs and sessions. Out: which programs differ in which sessions.
May use: model to unseeded.
"""
