"""Checks a class on more than one machine: Dask is the engine, and this package has the requests and their answers.

Here: the distribution of a class, even if workers are lost (`sharing`), what is sent to a worker (`cluster_packing`),
and what runs there: the comparison that it must pass before it may grade, and a process for each submission (`worker`).
In: a job and submissions. Out: the same reports as from the local pool, each as soon as it is ready.
distributed is imported only here, and only when a cluster is requested.
"""
