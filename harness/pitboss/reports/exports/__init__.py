"""Scores and reports in the formats of course platforms and of tools that read test results.

Here: columns of tables that a platform has exported (sheet, canvas, moodle), Gradescope's results and the archive that
makes them there, GitHub's reports, JUnit's XML.
In: scores and reports, and the text of the platform's own export. Out: the content of a file; only scripts of ours are
opened.
May use: model to submissions, gradebook, reports.
"""
