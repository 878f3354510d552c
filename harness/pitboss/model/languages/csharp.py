"""Programs in C#, built and run by .NET."""

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

#: Debian has no package of .NET; the script is Microsoft's.
_INSTALL_HINT = (
    "on Ubuntu: apt install dotnet-sdk-8.0; on Fedora: dnf install dotnet-sdk-8.0; on Debian: "
    "wget -qO- https://dot.net/v1/dotnet-install.sh | bash -s -- --channel 8.0"
)
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
    tools=(Tool("dotnet", ("dotnet-sdk-8.0",), install_hint=_INSTALL_HINT),),
    hello=_HELLO,
    has_capitalized_program_names=True,
    # The second is Environment.FailFast. A stack overflow names the method that is called again and again: the local
    # function F of Main is `Program.<<Main>$>g__F|0_0(Int32)`.
    uncaught=r"Unhandled [Ee]xception[.:]\s+([^\n]+)|Process terminated\.(?:\s+(?!at )(\S[^\n]*))?"
    r"|(Out of memory)\.\r?$|(Stack overflow)\.\r?\n(?:Repeat[^\n]*\n-+\r?\n)?\s+at [^\n(]*?(?:g__|\.)(\w+)[|\[(]",
    frame=r" in ([^\n]{1,999}):line (\d+)\r?$",
    # """…""" is a raw string. In a verbatim string, @"…", the characters "" are a quotation mark.
    not_code=rf'(?P<comment>{COMMENT})|"""+.*?(?:"""+|\Z)|(?:@\$?|\$@)"(?:[^"]|"")*"?|{QUOTED}',
    grammar="tree_sitter_c_sharp",
    constructs=_CONSTRUCTS,
    has_kit=True,
)
