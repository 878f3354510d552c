"""Compares the expected and the actual transcript: the verdict, and a sentence that says what differs.

Here: comparison under a policy, locating a difference, the wording, results, and judging stages with a seed.
In: sessions and a program, or two transcripts. Out: a Result for each session, an Outcome for a stage.
May use: transcripts, machine, assignments, running.
"""
