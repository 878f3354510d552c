"""Compares the expected and the actual transcript: the verdict, and what was found, as values.

Here: `comparison` under a policy, the `location` of a difference, `verdicts` (from difference, ending and exit code),
`findings` and `results`, and how a stage with a seed is judged (`seeded`). `reports.findings` has the words.
In: sessions and a program, or two transcripts. Out: a Result for each session, an Outcome for a stage.
May use: model to sessions.
"""
