"""Reports that are known already: kept by all that they hang on, and found again while none of it has changed.

Here: digests of files and folders, of this machine, of pitboss itself and of an assignment's code; a private folder of
entries; and which reports may be kept at all.
In: what a command was asked, and the report that it came to. Out: the report of an earlier run, or none.
May use: assignments, judging, machine, running, transcripts. Looking for a report imports little: it has to be quick.
"""
