"""Programs in Python."""

from __future__ import annotations

import keyword

from pitboss.model.languages.language import ConditionSyntax, Language, Tool

_HELLO = "print(f\"Hello, {input('Name: ')}!\")\n"

#: The tree-sitter queries of the constructs (see `Language.constructs`).
_CONSTRUCTS = {
    "array": "[(list) (list_comprehension)] @it",
    "loop": "[(for_statement) (while_statement)] @it",
    "switch": "(match_statement) @it",
    "class": "(class_definition) @it",
    "global variable": "(global_statement) @it",
    "function": "(function_definition name: (identifier) @name) @it",
    "call": """
        (call function: (identifier) @name) @it
        (call function: (attribute attribute: (identifier) @name)) @it
    """,
}

PYTHON = Language(
    "python",
    "Python",
    suffixes=(".py",),
    also_called=("py", "python 3", "python3"),
    tools=(Tool("python3", ("python3",)),),
    hello=_HELLO,
    # The lines of a traceback are indented; those of a group of exceptions follow `|`.
    uncaught=r"Traceback \(most recent call last\):\r?\n(?:  (?!\| \S)[^\n]*\n)*(?:  \| )?([^\n]+)"
    r"|Fatal Python error: ([^\n]+)",
    survived=r"Traceback(?!(?:.|\n)*, in <module>)",
    frame=r'^[ |]*File "(?!<|[^"\n]*/lib(?:64)?/python3)([^"\n]+)", line (\d+)',
    prints_innermost_last=True,
    line_comment="#",
    block_comment=r'[rR]?(?P<quotes>"""|\'\'\')(?P<text>.*?)(?P=quotes)',
    has_braces=False,
    is_interpreted=True,
    not_code=r"(?P<comment>\#[^\n]*)"
    r"|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?",
    grammar="tree_sitter_python",
    constructs=_CONSTRUCTS,
    keywords=tuple(keyword.kwlist),
    conditions=ConditionSyntax(("if", "elif", "while"), (":", "else"), "not ({})"),
    empty_statement="pass",
    has_kit=True,
)
