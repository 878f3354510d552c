"""Makes a grade of a report and the assignment's grading policy, exactly, and says how in lines that add up to it.

Here: `grade` (a grade, its lines and its circumstances as values), `outcomes` (what a stage earned), `arithmetic` (the
sum), `shown` (a number as people read it), `days` (how many days late), `changes` (what another policy would change).
In: a Report, a GradingPolicy, the circumstances of one person. Out: a Grade. Nothing is read or written, no float.
May use: transcripts, machine, assignments, running, judging.
"""
