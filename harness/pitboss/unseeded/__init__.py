"""Stages without a seed: a program's draws are read from its screen, and the reference replays them.

Here: the reader, the replay, the choice among tolerated references, findings about draws, judging such a stage.
In: sessions and a program. Out: an Outcome, as for a stage with a seed.
May use: model to compare.
"""
