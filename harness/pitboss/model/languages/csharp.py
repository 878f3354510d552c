"""C#: built with dotnet, or with Mono if dotnet is missing or does not work."""

from __future__ import annotations

from pitboss.model.languages.language import COMMENT, QUOTED, Language, Tool

_HELLO = """\
using System;

class Greet
{
    static void Main()
    {
        Console.Write("Name: ");
        Console.WriteLine("Hello, " + Console.ReadLine() + "!");
    }
}
"""

_CONSTRUCTS = {
    "array": """
        (variable_declaration type: (array_type) @it)
        [(array_creation_expression) (implicit_array_creation_expression)] @it
        ((generic_name (identifier) @type) @it (#eq? @type "List"))
    """,
    "loop": "[(for_statement) (foreach_statement) (while_statement) (do_statement)] @it",
    "switch": "[(switch_statement) (switch_expression)] @it",
    "goto": "(goto_statement) @it",
    "struct": "(struct_declaration) @it",
    "global variable": """
        ((field_declaration (modifier) @modifier) @it (#eq? @modifier "static")
            (#not-match? @it "^[^=;]*readonly[^a-zA-Z0-9_]"))
    """,
    "function": """
        (method_declaration name: (identifier) @name) @it
        (local_function_statement name: (identifier) @name) @it
    """,
    "call": """
        (invocation_expression function: (identifier) @name) @it
        (invocation_expression function: (member_access_expression name: (identifier) @name)) @it
    """,
}

CSHARP = Language(
    "csharp",
    "C#",
    suffixes=(".cs",),
    also_called=("c#", "cs"),
    tools=(Tool("mcs", ("mono-mcs",)), Tool("mono", ("mono-runtime",))),
    hello=_HELLO,
    has_capitalized_program_names=True,
    uncaught=r"Unhandled [Ee]xception[.:]\s+([^\n]+)",  # the wording of .NET and of Mono
    # """…""" is a raw string. In a verbatim string, @"…", the characters "" are a quotation mark.
    not_code=rf'(?P<comment>{COMMENT})|"""+.*?(?:"""+|\Z)|(?:@\$?|\$@)"(?:[^"]|"")*"?|{QUOTED}',
    grammar="tree_sitter_c_sharp",
    constructs=_CONSTRUCTS,
    has_kit=True,
)
