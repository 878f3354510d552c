"""Evidence before acceptance: sessions without a seed are run until they could have shown each known mistake.

`wrong` lists what must have been shown, `showing` finds out which sessions show it, `candidates` chooses the further
sessions to run, `builtin` makes players that the assignment does not have, and `gathering` judges the stage.
In: the sessions of a stage's cases and a program. Out: an Outcome, with what could not be shown.
May use: transcripts, machine, assignments, running, judging, draws, mistakes, hunting.
"""
