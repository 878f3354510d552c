"""What pitboss has to know of a language that programs are handed in."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

#: A comment of C, and of the languages that took theirs from it. What has no end counts up to the end of its line or of
#: the file, so that no text takes longer than its length.
COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
#: A text of C. The apostrophe of 1'000'000 begins nothing.
QUOTED = r'"(?:\\.|[^"\\\n])*"?|(?<![0-9])' + r"'(?:\\.|[^'\\\n])*'?"
#: The keywords of languages with braces, without those that are ordinary names in the others.
_KEYWORDS = """
abstract break case catch class continue default delete do else enum extern false finally for foreach goto if
instanceof interface namespace new null nullptr operator return sizeof struct super switch template this throw throws
true try typedef typename union while
"""
KEYWORDS = tuple(_KEYWORDS.split())


class Tool(msgspec.Struct, frozen=True):
    """A command that builds or runs programs."""

    command: str
    #: The Debian packages that bring it.
    packages: tuple[str, ...]


class ConditionSyntax(msgspec.Struct, frozen=True):
    """Where the conditions of a language stand, and how one is negated."""

    #: The words before one.
    words: tuple[str, ...] = ("if", "while")
    #: What ends one; empty where it stands in parentheses.
    ends: tuple[str, ...] = ()
    #: One that is true where `{}` is false.
    negated: str = "!({})"


class Language(msgspec.Struct, frozen=True):
    """A language."""

    #: Its name in options and in our files.
    name: str
    #: Its name in a sentence.
    title: str
    #: The suffixes of its sources and of its headers, in lower case, the usual one first.
    suffixes: tuple[str, ...]
    headers: tuple[str, ...] = ()
    #: What people also call it, in small letters.
    also_called: tuple[str, ...] = ()
    #: What builds and runs its programs.
    tools: tuple[Tool, ...] = ()
    #: The commands that compile a program and that run it, where `{file}` is its source and `{program}` what is made of
    #: it. What is not compiled has only the second, and what runs by itself only the first. A first one that names no
    #: `{program}` only says whether the source can be read. Neither where that is not enough: see
    #: submissions/toolchains.
    compile: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    #: A program that prints `Name: `, reads a name and greets: what builds and runs programs is tried with it.
    hello: str = ""
    #: Whether programs are called as classes are, with a capital letter.
    has_capitals: bool = False
    #: Whether a file must be called as the class in it.
    is_named_by_class: bool = False
    #: How a line looks that says why compiling failed, as a regular expression; empty where it has the word "error". It
    #: is tried on what the builds of every language say: a Makefile may call any compiler.
    error: str = ""
    #: How an error that nobody caught looks, as a regular expression whose groups name it, and which begins where what
    #: the language shows begins; `^` and `$` stand at lines, though after a typed line a text begins in the middle of
    #: one. It is tried on what the programs of every language show. Of Python see reports/endings.py.
    uncaught: str = ""
    #: What a comment begins with that ends with its line; what a comment at the top of a program may begin with; and
    #: one that ends elsewhere, as a regular expression with what it says as its group `text`; it is matched where the
    #: comment begins, and its dots match newlines.
    line_comment: str = "//"
    comments: tuple[str, ...] = ("/*", "//")
    block_comment: str = r"/\*(?P<text>.*?)\*/"
    #: Whether blocks stand in braces, so that their indentation can be compared.
    has_braces: bool = True
    #: Whether building a program is no more than to see whether it can be read.
    is_interpreted: bool = False
    #: What is no code, as a regular expression in which a group `comment` matches comments, and the rest texts. Empty
    #: for a language whose sources are not looked at for style and likeness.
    not_code: str = ""
    #: The module that has its grammar for tree-sitter; empty if constructs are not looked for in it.
    grammar: str = ""
    #: For each construct that a course may ask for or forbid, by its name in assignment.yaml, a query of tree-sitter
    #: that captures it as `it`, and its name as `name` where it has one. `call` is a call of a function by its name.
    constructs: Mapping[str, str] = {}
    #: The words that are no names.
    keywords: tuple[str, ...] = KEYWORDS
    #: For mechanical changes of a program: its conditions, and a statement that does nothing.
    conditions: ConditionSyntax = ConditionSyntax()
    nothing: str = ";"
    #: Whether there are skeletons in student_templates/.
    has_kit: bool = False

    @property
    def packages(self) -> tuple[str, ...]:
        """The Debian packages that bring all of its tools."""
        return tuple(dict.fromkeys(package for tool in self.tools for package in tool.packages))
