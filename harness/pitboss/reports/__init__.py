"""Reports as text for the terminal, web pages, JSON and CSV. Nothing here writes files or prints.

Here: findings as sentences, screens, the terminal report, pages and their templates (html/), JSON, names of pages.
In: a Report. Out: text.
May use: model to submissions, gradebook.
"""
