"""Importing a class: from the download of a course platform to a list of what each student submitted.

Contents: rosters, the file names of Canvas, Moodle and Gradescope, git repositories, rules for unpacking.
Input: a folder or an archive, and a roster. Output: an ImportedClass with a row for each person, and a list of
files that belong to no submission.
May use: model, assignments, sandbox, submissions.
"""
