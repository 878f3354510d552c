"""Programs in C#, which dotnet builds, or Mono where it is missing."""

from __future__ import annotations

from pitboss.model.languages.record import COMMENT, QUOTED, Language, Tool

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

CSHARP = Language(
    "csharp",
    "C#",
    suffixes=(".cs",),
    also_called=("c#", "cs"),
    tools=(Tool("mcs", ("mono-mcs",)), Tool("mono", ("mono-runtime",))),
    hello=_HELLO,
    has_capitals=True,
    uncaught=r"Unhandled [Ee]xception[.:]\s+([^\n]+)",  # of .NET and of Mono
    not_code=rf'(?P<comment>{COMMENT})|"""+.*?(?:"""+|\Z)|(?:@\$?|\$@)"(?:[^"]|"")*"?|{QUOTED}',
    has_kit=True,
)
