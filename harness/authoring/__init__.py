"""For instructors: checks the specs of an assignment, and makes what is handed out to students.

Here: verification of recorded and generated cases, starter kits, handouts.
In: an Assignment. Out: problems as sentences, or the files of a kit.
May use: transcripts, assignments, running, draws, hunting, reports.
"""
