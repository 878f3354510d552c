"""Reports as text for the terminal, web pages, JSON and CSV. Nothing here writes files or prints.

Here: `findings` in words, screens, the terminal report, pages and their templates (html/), data, the names of pages.
In: a Report. Out: text.
May use: model to submissions, gradebook.
"""
