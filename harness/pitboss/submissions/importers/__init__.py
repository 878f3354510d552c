"""Importing a class: from the download of a course platform to a list of what each student submitted.

Here: rosters, the file names of Canvas, Moodle and Gradescope, git repositories, rules for unpacking.
In: a folder or an archive, and a roster. Out: an ImportedClass with a submission for each person, and a list of files
that belong to no submission.
May use: model, assignments, sandbox, submissions.
"""
