"""Checks a class on more than one machine: Dask runs it, and this package defines the requests and their answers.

Here: the distribution of a class, even if workers are lost (`sharing`), what is sent to a worker (`cluster_packing`),
and the code that runs there (`worker`): the comparison with the requesting machine that a worker must pass before it
may grade, and a process for each submission.
In: a job and submissions. Out: the same reports as from the local pool, each as soon as it is ready.
distributed is imported only here, and only when a cluster is requested.
"""
