"""A class that is checked by more than one machine: the engine is Dask, ours is what it is asked and its report.

Here: the sharing out of a class, also when workers are lost (sharing), what a worker is sent (packing), and what runs
there: the comparison that it must pass before it may grade, and a process for each submission (worker).
In: a job and submissions. Out: the reports that the local pool comes to, as soon as each is there.
distributed is imported here alone, and only when a cluster is asked for.
"""
