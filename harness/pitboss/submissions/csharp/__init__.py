"""Rewriting current C# as C# 7 for Mono's compiler: tokens, statements, and replacements for newer syntax.

Other packages call `lowering`: it rewrites the text of a program for Mono's compiler and reports what it could not
rewrite. Each of the other modules rewrites one kind of syntax, text to text, and keeps the line numbers, so that a
compiler's messages name the student's lines. In all modules, a `number` is the index of a token. Nothing here runs a
process or imports other packages than the standard library.
"""
