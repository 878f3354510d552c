"""The intake of a class: what was downloaded from a course platform as a list of what each person handed in.

Here: rosters, the names that Canvas, Moodle and Gradescope give to files, git repositories, rules for unpacking.
In: a folder or an archive, and a roster. Out: an Intake, a row for each person; what belongs to nobody is listed.
May use: transcripts, machine, assignments, running, submissions.
"""
