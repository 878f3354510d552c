"""Reports of earlier runs, each under a digest of all that it depends on: found again while none of it has changed.

Here: digests of files and folders, of this machine, of pitboss itself and of an assignment's code; and which reports
may be kept at all. Looking for a report imports little: it has to be quick.
In: what a command was asked, and the report that it came to. Out: the report of an earlier run, or none.
"""
