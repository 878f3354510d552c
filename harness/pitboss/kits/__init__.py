"""For instructors: checks the specs of an assignment, and makes what is handed out to students.

Here: what a new assignment consists of, verification of recorded and generated cases, starter kits, handouts.
In: a program, or an Assignment. Out: the files of an assignment or a kit, or problems as sentences.
May use: model to experiments, reports.
"""
