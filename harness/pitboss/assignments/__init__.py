"""Loads what the instructor wrote: assignment.yaml and spec files, cases, players; calls the assignment's own code.

Here: strict YAML with line numbers, the keys of all files (`keys`), their JSON Schemas, session names, recording.
In: a folder of YAML files. Out: an Assignment, its stages and cases; SpecError with `file:line:` for a wrong file.
May use: model, sandbox.
"""
