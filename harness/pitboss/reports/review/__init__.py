"""The review in the browser: a gradebook's class and people as pages, and the marks added there.

Here: the application and its pages (application), who may ask (access), what of the class is shown in which order
(view, overview), the values of a person's pages (person), sources with what is known of their lines (code).
In: a gradebook, an assignment, requests. Out: pages, and marks in the gradebook.
May use: model to submissions, gradebook, reports.
"""
