"""Compares the expected and the actual transcript; returns the verdict and the findings as values.

Here: `comparison` under a policy, with the place of a difference; `results` with verdicts, from difference, ending and
exit code; `findings`; judging a stage with a seed (`seeded`). `reports.finding_sentences` words the findings.
In: sessions and a program, or two transcripts. Out: a Result for each session, an Outcome for a stage.
May use: model to sessions.
"""
