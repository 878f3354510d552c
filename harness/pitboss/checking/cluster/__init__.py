"""Checks a class on more than one machine. Dask runs the workers; this package defines the requests and their answers.

Here: `sharing` distributes the submissions of a class, even if workers are lost. Before a worker may grade, it is
compared with the requesting machine. `cluster_packing` packs the job and the submissions that are sent to a worker.
`worker` is the code that runs on a worker, with a process for each submission.
In: a job and submissions. Out: the same reports as from the local pool, each as soon as it is ready.
The library `distributed` is imported only in this package, and only when a cluster is requested.
"""
