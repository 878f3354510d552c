"""The gradebook: one SQLite file with a class, what it handed in, what came of it, and all that people added.

Here: the file and its versions (schema, database), what is written and read (book), reports made small (light), and
scores with their history (scoring).
In: people and what they handed in, reports, style scores, comments, overrides. Out: rows for tables and exports.
May use: model to submissions.
"""
