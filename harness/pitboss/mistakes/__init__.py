"""Why a program is wrong: known mistakes, habits, memory errors, and which specs catch which mistake.

Here: the catalogue, the diagnosis, changes of the reference that nobody catalogued, the matrix, a rerun under
sanitizers.
In: the sessions of a stage and their results. Out: the name of a mistake, if every session supports it.
May use: transcripts, machine, assignments, running, mutation, submissions, judging, draws.
"""
