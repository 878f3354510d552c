"""Bundles for students: what they need to check their programs themselves, and no answers.

What goes in: an assignment as it was loaded. What comes out: the files of a folder, as values; the command line writes
them. It holds recorded sessions of the public cases in place of the reference, unless the instructor ships that.
What a bundle holds is asked here too, where `pitboss check` is given a seed in one.
May use: transcripts, machine, assignments, running, submissions, draws, hunting, reports, authoring.
"""
