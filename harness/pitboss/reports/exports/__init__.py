"""Scores and reports in the forms that others take: course platforms, and tools that read results of tests.

Here: columns of tables that a platform has exported (sheet, canvas, moodle), Gradescope's results and the archive that
makes them there, GitHub's reports, JUnit's XML.
In: scores and reports, and the text of the platform's own export. Out: what is to stand in a file; nothing is opened
but scripts of ours.
May use: transcripts, judging, intake, grades, reports.
"""
