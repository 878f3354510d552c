"""Facts about how sources are written, for grading their style: never a score.

`facts` collects them, `masking` blanks strings and comments, `function_sizes` measures functions by way of lizard, and
`indentation` compares the beginnings of lines.
In: paths and texts, which may be anything. Out: Facts, each a true sentence at a line.
Without lizard, which the extra `review` installs, facts leave out functions and say so.
May use: nothing but errors and extras.
"""
