"""A class that is checked by more than one machine: the engine is Dask, ours is the job and its report.

Here: what a worker is sent and what it sends back, the comparison that it must pass before it may grade, the process
beside it that checks submissions, and the sharing out of a class, also when workers are lost.
In: a job and submissions. Out: the reports that the local pool comes to, as soon as each is there.
May use: machine, assignments, submissions, running, judging, grading, kept. distributed is imported here alone, and
only when a cluster is asked for.
"""
