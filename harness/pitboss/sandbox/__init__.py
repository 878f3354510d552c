"""Uses the operating system: processes, users, sandboxes, limits, scratch folders, worker processes.

Here: system calls, Landlock and the call filter, bubblewrap's command line, confined subprocesses, the worker pool.
In: a command with its limits, or a task. Out: how it ended, or its result; ShortageError if the machine is short of
something. No sessions, no assignments.
May use: model.
"""
