"""Confines the programs of others: sandboxes, limits, the commands that may be called.

Here: Landlock and the call filter, bubblewrap's command line, resource limits, confined subprocesses, digests of tools.
In: a command with its limits. Out: how it ended. No sessions, no assignments.
May use: model, machine.
"""
