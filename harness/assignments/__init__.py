"""What the instructor wrote: assignment.yaml and spec files, cases, players, and calls of the assignment's own code.

Here: strict YAML with its lines, the keys of all files (`keys`), their JSON Schemas, names of sessions, recording.
In: a folder of YAML files. Out: an Assignment, its stages and cases; SpecError with `file:line:` where one is wrong.
May use: transcripts, machine.
"""
