"""The record that describes a programming language."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

#: A comment in C and the languages that adopted its comments. An unterminated comment extends to the end of its line
#: or of the file, so that matching takes linear time.
COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
#: A string or character literal in C. The apostrophes of 1'000'000 do not begin a literal.
QUOTED = r'"(?:\\.|[^"\\\n])*"?|(?<![0-9])' + r"'(?:\\.|[^'\\\n])*'?"
#: The keywords of languages with braces. Keywords of one language that are ordinary names in another are omitted.
_KEYWORDS = """
abstract break case catch class continue default delete do else enum extern false finally for foreach goto if
instanceof interface namespace new null nullptr operator return sizeof struct super switch template this throw throws
true try typedef typename union while
"""
KEYWORDS = tuple(_KEYWORDS.split())


class Tool(msgspec.Struct, frozen=True):
    """A command that builds or runs programs."""

    command: str
    #: The packages of Debian, or of Ubuntu if Debian has none, that provide the command.
    packages: tuple[str, ...]
    #: How to install the command; empty if Debian has the packages.
    install_hint: str = ""


class ConditionSyntax(msgspec.Struct, frozen=True):
    """How the conditions of a language are written and negated."""

    #: The keywords before a condition.
    words: tuple[str, ...] = ("if", "while")
    #: The tokens that end a condition; empty if conditions are in parentheses.
    ends: tuple[str, ...] = ()
    #: The negation of the condition `{}`.
    negated: str = "!({})"


class Language(msgspec.Struct, frozen=True):
    """A programming language."""

    #: The language's name in options and in our files.
    name: str
    #: The language's name in a sentence.
    title: str
    #: The suffixes of sources, in lower case, the usual suffix first.
    suffixes: tuple[str, ...]
    #: The suffixes of header files, in lower case, the usual suffix first.
    headers: tuple[str, ...] = ()
    #: The language's other names, in lower case.
    also_called: tuple[str, ...] = ()
    #: The commands that build and run programs, with their packages.
    tools: tuple[Tool, ...] = ()
    #: The command that compiles a program, where `{file}` is the source and `{program}` the compiled program. A command
    #: without `{program}` only checks the syntax. Empty if there is nothing to compile, or if building takes more than
    #: one command: see submissions/toolchains.
    compile: tuple[str, ...] = ()
    #: The command that runs a program, where `{file}` is its source. Empty if the compiled program can be run directly,
    #: or if building takes more than one command.
    run: tuple[str, ...] = ()
    #: A program that prints `Name: `, reads a name and greets, used to test the tools.
    hello: str = ""
    #: Whether names of programs begin with a capital letter, like names of classes.
    has_capitalized_program_names: bool = False
    #: Whether a source must be named after the class in it.
    is_named_by_class: bool = False
    #: A regular expression for the line that says why compiling failed; empty if that line has the word "error". The
    #: expression is tried on the output of builds in every language, since a Makefile may call any compiler.
    error: str = ""
    #: A regular expression for what the runtime prints about an error that ends the program, such as an uncaught
    #: exception or the reason why it aborts; its groups name the error. A match must begin where the message begins.
    #: `^` and `$` match at the ends of lines; but a message after a typed line may begin in the middle of a line, where
    #: `^` does not match. The expression is tried on the output of programs in every language.
    uncaught: str = ""
    #: A regular expression for the beginning of such a message about an error that did not end the program: the program
    #: caught the error itself, or the error ended one thread. Empty if the runtime prints no such messages.
    survived: str = ""
    #: A regular expression for the place of such an error in the program's own sources; its two groups are the file and
    #: the line. Empty if the message itself names the place, or nothing does.
    frame: str = ""
    #: Whether the last of several messages and places belongs to the error that ended the program, not the first.
    prints_innermost_last: bool = False
    #: The characters that begin a comment up to the end of the line.
    line_comment: str = "//"
    #: A regular expression for a block comment; its group `text` is the comment's content. It is matched where the
    #: comment begins, and its dots match newlines.
    block_comment: str = r"/\*(?P<text>.*?)\*/"
    #: Whether blocks are in braces.
    has_braces: bool = True
    #: Whether building a program only checks its syntax.
    is_interpreted: bool = False
    #: A regular expression for comments and literals: a match with the group `comment` is a comment, any other match is
    #: a literal. Empty for a language whose sources are not compared for similarity.
    not_code: str = ""
    #: The Python module with the tree-sitter grammar; empty if sources are not searched for constructs.
    grammar: str = ""
    #: A tree-sitter query for each construct that a course may require or forbid, by the construct's name in
    #: assignment.yaml. A query captures the construct as `it`, and the name of a defined or called function as `name`.
    #: `call` is a call of a function by its name.
    constructs: Mapping[str, str] = {}
    #: The words that cannot be names in a program.
    keywords: tuple[str, ...] = KEYWORDS
    #: The syntax of conditions, for mechanical changes of a program.
    conditions: ConditionSyntax = ConditionSyntax()
    #: A statement that does nothing, for mechanical changes of a program.
    empty_statement: str = ";"
    #: Whether student_templates/ has skeletons of programs in the language.
    has_kit: bool = False

    @property
    def packages(self) -> tuple[str, ...]:
        """The Debian packages that provide all tools of the language."""
        return tuple(dict.fromkeys(package for tool in self.tools for package in tool.packages))
