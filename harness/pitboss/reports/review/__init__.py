"""The review in the browser: a gradebook's class and people as pages, and the marks added there.

Here: the application and its pages (application), who gets access (access), filters and order of the class (view,
overview), the values of a person's pages (person), sources with remarks on their lines (source_view).
In: a gradebook, an assignment, requests. Out: pages, and marks in the gradebook.
May use: model to submissions, gradebook, reports.
"""
