"""Mechanical changes of a reference: one thing of its code at a time, each with an id.

`places`, `expressions`, `texts`, `statements` and `changes` make the changes of a module's syntax tree; `copies` loads
a changed copy of the reference beside Python's own modules; `ran` tells which statements a session runs, and `uses`
what they use; `limits` keeps what is changed from computing or filling the memory without end.
In: the name of a reference's function. Out: its mutants, as functions that run them.
May use: transcripts, machine, assignments, running.
"""
