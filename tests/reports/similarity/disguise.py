"""Disguising a copy as people do: other names, other texts and numbers, other layout and comments, another order."""

import re

_WORDS = """
int char void long double float unsigned const static struct return if else for while do switch case break
continue default sizeof include define main def class import from in is not and or None True False pass with
as try except raise global lambda yield elif del new public private using namespace string bool var foreach
this null true false throw catch String boolean goto enum typedef assert finally nonlocal async await signed
short
"""
KEPT = set(_WORDS.split())
_TOKEN = re.compile(
    r'"""[^"]*"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/|[^\W\d]\w*|\d+', re.DOTALL
)


def renamed(text):
    """All names, texts and numbers are others; comments are gone."""

    def other(found):
        token = found[0]
        if token.startswith(("//", "/*")):
            return ""
        if token[0] in "\"'":
            return f"{token[0]}?{token[0]}"
        if token[0].isdigit():
            return "7"
        return token if token in KEPT else f"x{len(token)}_{token[::-1]}"

    return _TOKEN.sub(other, text)


def laid_out_otherwise(text):
    """Other spaces and lines between the tokens of a language with braces, and comments."""
    return (
        re.sub(r"\n[ \t]*", "\n\t\t", text).replace("{", "\n{ /* begins */\n").replace(";", " ; ").replace(",", " , ")
    )


def reordered(text):
    """The functions of a C program in the opposite order, after all that stands before the first."""
    head, *functions = re.split(r"(?m)^(?=(?:static )?\w+ [\w*]+\([^;]*$)", text)
    return "".join([head, *reversed(functions)])
