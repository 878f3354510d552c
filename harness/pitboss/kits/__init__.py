"""For instructors: verifies the specs of an assignment, and makes what students get.

Here: the files of a new assignment, verification of recorded and generated cases, starter kits, handouts, bundles.
In: a program, or an Assignment. Out: the files of an assignment or a kit, or problems as sentences.
May use: model to experiments, reports.
"""
