"""The gradebook: one SQLite file with a class, its submissions, their results, and everything that graders added.

Here: the file and its versions (database), reading and writing (book), stored values (packing), marks and their merging
(marking), grades (arithmetic, outcomes) and scores with their history (scoring).
In: people and their submissions, reports, style scores, comments, overrides. Out: records of people, for tables
and exports.
May use: model to submissions.
"""
