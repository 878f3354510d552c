"""Experiments: programs that are wrong, or may be, run in the same sessions as the right one.

`relation` answers the question that they all ask: does a program behave differently in a session than another did
there? Adequacy, diagnosis, the table of cases and mistakes, and mutation testing all ask it.
In: programs and sessions. Out: which programs differ in which sessions.
May use: model to unseeded.
"""
