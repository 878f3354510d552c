"""Stages without a seed: what a program drew is read from its screen, and replayed by the reference.

Here: the reader, the replay, the choice among tolerated references, findings about draws, how such a stage is judged.
In: sessions and a program. Out: an Outcome, as for a stage with a seed.
May use: transcripts, machine, assignments, running, judging.
"""
