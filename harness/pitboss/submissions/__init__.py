"""Submissions: finding a student's programs in folders and archives, and building them.

Here: sources, archives, folders of classes, a build for each language,
importers of downloads from course platforms (importers/).
In: a folder, an archive or a file. Out: a Program for each stage, or a sentence that tells the student
why it is missing.
May use: model to sessions.
"""
