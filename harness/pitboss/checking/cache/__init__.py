"""A cache of reports, keyed by a digest of everything they depend on.

Here: the key, from digests of files, this machine, pitboss itself and an assignment's code; and which reports may be
cached. Looking up a report imports little, so that it is quick.
In: a command's request, and its report. Out: the report of an earlier run, or none.
"""
