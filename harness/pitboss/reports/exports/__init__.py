"""Scores and reports in the formats of course platforms and of tools that read test results.

Here: score columns of tables that platforms have exported (sheet, platform_tables), Gradescope's results, the archive
that produces them on Gradescope (autograder), GitHub's reports and workflow, JUnit's XML.
In: scores and reports, and the text of the platform's own export. Out: the content of a file. The only files opened are
pitboss's own scripts.
May use: model to submissions, gradebook, reports.
"""
