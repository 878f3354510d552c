"""Compares the expected and the actual transcript: the verdict, and a sentence that says what differs.

Here: `comparison` under a policy, the `location` of a difference, `verdicts` (from difference, ending and exit code),
the wording, `results` as values, and how a stage with a seed is judged (`seeded`).
In: sessions and a program, or two transcripts. Out: a Result for each session, an Outcome for a stage.
May use: transcripts, machine, assignments, running.
"""
