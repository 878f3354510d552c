"""Scripts for a shell."""

from __future__ import annotations

from pitboss.model.languages.language import ConditionSyntax, Language

_HELLO = 'printf "Name: "\nread -r name\necho "Hello, $name!"\n'

SHELL = Language(
    "shell",
    "shell",
    suffixes=(".sh",),
    also_called=("sh", "bash"),
    hello=_HELLO,
    line_comment="#",
    block_comment="",
    has_braces=False,
    is_interpreted=True,
    conditions=ConditionSyntax(("if", "elif", "while"), (";", "then", "do"), "! {}"),
    empty_statement=":",
)
