"""Similarity between submissions: which programs share passages, for a person to look at, and never a score.

`tokens` makes programs comparable, `winnowing` chooses their fingerprints, `comparison` ranks the pairs that share
some, and `passages` finds what the two of a pair have in common; `values` are what comes out.
In: the sources of a class, and of earlier ones; what everybody was given. Out: Pairs with Passages, in a Comparison.
May use: style, for sources whose strings and comments are blanked.
"""
