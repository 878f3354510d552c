"""Facts about how sources are written, for grading their style: never a score.

`facts` collects the facts, `masking` blanks strings and comments, `function_sizes` measures functions with lizard, and
`indentation` compares the indentation of lines.
In: paths and any texts. Out: Facts, each a true sentence about a line or a file.
Without lizard, which the extra `review` installs, a fact says that functions were not measured.
May use: nothing but errors and extras.
"""
