"""Similarity between submissions: which programs share passages, for instructors to judge, and never a score.

`works` makes programs comparable, selects their fingerprints, and has the resulting values; `pair_search` ranks the
pairs that share fingerprints and finds the passages that a pair shares.
In: the sources of a class, and of earlier classes; files that were given. Out: Pairs with Passages, in a Comparison.
May use: nothing but errors and model.
"""
