"""Why a program is wrong: known mistakes, habits, memory errors, and which specs would catch which mistake.

Here: the catalogue, the diagnosis, the matrix, a rerun under sanitizers.
In: the sessions of a stage and their results. Out: the name of a mistake, where all that was seen supports it.
May use: transcripts, machine, assignments, running, submissions, judging, draws.
"""
