"""What people read: the report in a terminal, pages, JSON and CSV. Nothing here opens a file for writing or prints.

Here: screens, the terminal report, pages and their templates (html/), data, the names of pages.
In: a Report. Out: text.
May use: transcripts, submissions, judging.
"""
