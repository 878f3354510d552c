"""Uses the operating system for ourselves: processes, users, temporary folders, a cache, worker processes.

Here: system calls (`abi`), /proc, lent users, scratch folders and their removal, the user's store, the worker pool and
its progress, retries of what this machine is short of for a moment.
In: a task, or a name. Out: its result; ShortageError if the machine is short of something. No programs of others.
May use: model.
"""
