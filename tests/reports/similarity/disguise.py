"""Disguises for a copied program, as people use them: other names, texts, numbers, layout, comments and order."""

import re

_WORDS = """
int char void long double float unsigned const static struct return if else for while do switch case break
continue default sizeof include define main def class import from in is not and or None True False pass with
as try except raise global lambda yield elif del new public private using namespace string bool var foreach
this null true false throw catch String boolean goto enum typedef assert finally nonlocal async await signed
short
"""
#: Words that keep their names: keywords, types and constants of C, C++, Python, Java and C#.
KEYWORDS = set(_WORDS.split())
_TOKEN = re.compile(
    r'"""[^"]*"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/|[^\W\d]\w*|\d+', re.DOTALL
)


def renamed(text):
    """Replace all names, strings and numbers of a program, and remove its comments."""

    def disguised_token(match):
        token = match[0]
        if token.startswith(("//", "/*")):
            return ""
        if token[0] in "\"'":
            return f"{token[0]}?{token[0]}"
        if token[0].isdigit():
            return "7"
        return token if token in KEYWORDS else f"x{len(token)}_{token[::-1]}"

    return _TOKEN.sub(disguised_token, text)


def laid_out_otherwise(text):
    """Change spaces and line breaks of a program in a language with braces, and add comments."""
    return (
        re.sub(r"\n[ \t]*", "\n\t\t", text).replace("{", "\n{ /* begins */\n").replace(";", " ; ").replace(",", " , ")
    )


def reordered(text):
    """Reverse the order of the functions of a C program; the part before the first one remains at the top."""
    head, *functions = re.split(r"(?m)^(?=(?:static )?\w+ [\w*]+\([^;]*$)", text)
    return "".join([head, *reversed(functions)])
