"""The record of a programming language of submissions."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

#: A comment in C and the languages that adopted its comments. An unterminated comment extends to the end of its line
#: or of the file, so that matching takes linear time.
COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
#: A string or character literal in C. The apostrophe of 1'000'000 does not begin one.
QUOTED = r'"(?:\\.|[^"\\\n])*"?|(?<![0-9])' + r"'(?:\\.|[^'\\\n])*'?"
#: The keywords of languages with braces, without keywords that are ordinary names in some of them.
_KEYWORDS = """
abstract break case catch class continue default delete do else enum extern false finally for foreach goto if
instanceof interface namespace new null nullptr operator return sizeof struct super switch template this throw throws
true try typedef typename union while
"""
KEYWORDS = tuple(_KEYWORDS.split())


class Tool(msgspec.Struct, frozen=True):
    """A command that builds or runs programs."""

    command: str
    #: The Debian packages that provide it.
    packages: tuple[str, ...]


class ConditionSyntax(msgspec.Struct, frozen=True):
    """How the conditions of a language are written and negated."""

    #: The keywords before a condition.
    words: tuple[str, ...] = ("if", "while")
    #: The tokens that end it; empty if it is in parentheses.
    ends: tuple[str, ...] = ()
    #: The negation of the condition `{}`.
    negated: str = "!({})"


class Language(msgspec.Struct, frozen=True):
    """A programming language."""

    #: Its name in options and in our files.
    name: str
    #: Its name in a sentence.
    title: str
    #: The suffixes of its sources and of its headers, in lower case, the usual one first.
    suffixes: tuple[str, ...]
    headers: tuple[str, ...] = ()
    #: Its other names, in lower case.
    also_called: tuple[str, ...] = ()
    #: The commands that build and run its programs.
    tools: tuple[Tool, ...] = ()
    #: The commands that compile and run a program, where `{file}` is its source and `{program}` the compiled program.
    #: An interpreted program has only the second; a compiled program that can be run directly only the first. A compile
    #: command without `{program}` only checks the syntax. Both are empty if building takes more than a command: see
    #: submissions/toolchains.
    compile: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    #: A program that prints `Name: `, reads a name and greets, used to test the tools.
    hello: str = ""
    #: Whether names of programs begin with a capital letter, like classes.
    has_capitalized_program_names: bool = False
    #: Whether a file must have the name of the class in it.
    is_named_by_class: bool = False
    #: A regular expression for the line that says why compiling failed; empty if that line has the word "error". It is
    #: tried on the output of builds in every language, since a Makefile may call any compiler.
    error: str = ""
    #: A regular expression for an uncaught error, whose groups name it. It must match from the beginning of the
    #: language's message. `^` and `$` match at line ends, but after a typed line, text may begin in the middle of a
    #: line. It is tried on the output of programs in every language. For Python see reports/endings.py.
    uncaught: str = ""
    #: The start of a comment that ends with its line; the possible starts of a comment at the top of a program; and a
    #: regular expression for a block comment, whose group `text` is its content. It is matched where the comment
    #: begins, and its dots match newlines.
    line_comment: str = "//"
    comments: tuple[str, ...] = ("/*", "//")
    block_comment: str = r"/\*(?P<text>.*?)\*/"
    #: Whether blocks are in braces, so that their indentation can be compared.
    has_braces: bool = True
    #: Whether building a program only checks its syntax.
    is_interpreted: bool = False
    #: A regular expression for comments and literals: its group `comment` matches comments, the rest literals. Empty
    #: for a language whose sources are not examined for style and similarity.
    not_code: str = ""
    #: The module with its tree-sitter grammar; empty if its sources are not searched for constructs.
    grammar: str = ""
    #: A tree-sitter query for each construct that a course may require or forbid, by its name in assignment.yaml. It
    #: captures the construct as `it`, and its name, if any, as `name`. `call` is a call of a function by its name.
    constructs: Mapping[str, str] = {}
    #: The words that cannot be names.
    keywords: tuple[str, ...] = KEYWORDS
    #: The syntax of conditions, and a statement that does nothing, for mechanical changes of a program.
    conditions: ConditionSyntax = ConditionSyntax()
    nothing: str = ";"
    #: Whether there are skeletons in student_templates/.
    has_kit: bool = False

    @property
    def packages(self) -> tuple[str, ...]:
        """The Debian packages that provide all of its tools."""
        return tuple(dict.fromkeys(package for tool in self.tools for package in tool.packages))
