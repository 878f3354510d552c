"""Bundles for students: what they need to check their programs themselves, and no answers.

In: an assignment as loaded. Out: the files of a folder, as values; the command line writes them. They contain recorded
sessions of the public cases instead of the reference, unless the instructor ships that. `pitboss check` also finds out
here what a bundle contains.
May use: model to experiments, reports, and the other modules of kits.
"""
