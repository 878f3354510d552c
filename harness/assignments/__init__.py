"""What the instructor wrote: assignment.yaml and spec files, cases, players, and calls of the assignment's own code.

Here: strict YAML with its lines, the keys of the files and their schema, sessions' names, recording cases back.
In: a folder of YAML files. Out: an Assignment, its stages and cases; SpecError with `file:line:` where one is wrong.
May use: transcripts, machine.
"""
