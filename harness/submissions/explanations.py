"""What a compiler's messages mean, for a student in the eighth week of programming.

The patterns match gcc's English messages, since builds pin the locale, and the corresponding messages of g++, javac
and mcs.
"""

from __future__ import annotations

import re

#: Patterns of messages, and what they mean; the first pattern found in a message counts.
_MEANINGS = (
    (
        r"expected (?:[‘'],[’'] or )?[‘'];[’'] (?:before|after)|error: expected ';'|CS1002",
        "A semicolon is missing, most often at the end of the line before.",
    ),
    (
        r"expected [‘'][)][’'] before",
        "A closing round bracket is missing, or a comma or operator just before the place.",
    ),
    (
        r"expected [‘']}[’'] at end|expected declaration or statement at end of input|reached end of file while parsing|CS1513",
        "A closing brace is missing: count { and } in every function, from the top down.",
    ),
    (
        r"expected identifier or [‘'][(][’'] before",
        "A name is wanted here, or this stands outside every function: often one } too many, or a ; before the function's {.",
    ),
    (
        r"[‘'](\w+)[’'] undeclared|[‘'](\w+)[’'] was not declared|cannot find symbol|CS0103",
        "This name is not known here: it is misspelt, not declared before, or declared in another block.",
    ),
    (
        r"implicit declaration of function [‘'](\w+)[’']",
        "This function is not known here: an #include is missing, it stands further down without a prototype, or its name is misspelt.",
    ),
    (r"undefined reference to [`‘']main[’']", "There is no function main in the program."),
    (
        r"undefined reference to",
        "A function is used but written nowhere: its name is misspelt in one of the two places, or its file is not compiled with the others.",
    ),
    (
        r"multiple definition of|redefinition of|CS0111|is already defined",
        "The same name is defined twice: in one file, in two files, or in a header that is included twice.",
    ),
    (
        r"conflicting types for",
        "A function is declared in one way and written in another, or used before it is declared: compare the types of its parameters and of its result.",
    ),
    (r"too few arguments to function|CS7036", "The function wants more values than are given to it."),
    (r"too many arguments to function|CS1501", "The function is given more values than it takes."),
    (
        r"format [‘']%[^’']*[’'] expects argument of type [‘']([^’']*)[’'].*has type [‘']([^’']*)[’']",
        "What is printed or read does not have the type that this % stands for; scanf also wants the & before a variable that is no array.",
    ),
    (
        r"more [‘']%[’'] conversions than data|too few arguments for format|expects a matching [‘']",
        "There are more % in the text than values after it.",
    ),
    (r"too many arguments for format", "There are more values than % in the text."),
    (
        r"suggest parentheses around assignment used as truth value",
        "A single = sets a value; a comparison is written ==.",
    ),
    (
        r"control reaches end of non-void function|CS0161|missing return statement",
        "The function can end without returning a value: some path through its ifs and loops has no return.",
    ),
    (r"unused variable|CS0168|CS0219", "This variable is never used."),
    (r"set but not used", "This variable is given a value that nobody looks at."),
    (
        r"is used uninitialized|may be used uninitialized|CS0165|might not have been initialized",
        "This variable can be used before it is given a value; until then its value is unknown.",
    ),
    (
        r"comparison between pointer and integer",
        "A text or an address is compared with a number: a single letter is written 'h', not \"h\".",
    ),
    (r"comparison with string literal", "Texts cannot be compared with ==: use strcmp."),
    (
        r"makes (?:integer from pointer|pointer from integer) without a cast",
        "A number stands where an address is wanted, or the other way round: look for a missing & or *, or for \"h\" instead of 'h'.",
    ),
    (
        r"incompatible (?:pointer )?types?|CS0029|incompatible types",
        "A value of one type stands where another type is wanted.",
    ),
    (r"lvalue required", "What stands left of the = cannot be given a value; a comparison is written ==."),
    (r"subscripted value is neither array nor pointer", "Square brackets stand after something that is no array."),
    (
        r"request for member [‘'](\w+)[’'] in something not a structure",
        "A dot comes after something that is not a struct; after a pointer to a struct, -> is written.",
    ),
    (r"has no member named", "The struct has no part of this name."),
    (
        r"dereferencing pointer to incomplete type|incomplete type|storage size of",
        "The struct is not known here: its definition is missing, or its header not included.",
    ),
    (
        r"array subscript .* (?:is above|is outside) array bounds",
        "This index is outside its array: an array of 10 has the indexes 0 to 9.",
    ),
    (
        r"function returns address of local variable",
        "The function returns the address of an array or variable of its own, which is gone when the function ends.",
    ),
    (
        r"[‘']else[’'] without a previous [‘']if[’']|CS8641|'else' without 'if'",
        "This else belongs to no if: often there is a semicolon after the if, or braces are missing.",
    ),
    (
        r"case label not within a switch|break statement not within",
        "This stands outside the switch or loop that it belongs to: look at the braces.",
    ),
    (
        r"missing terminating [\"'] character|unclosed string literal|CS1010",
        "A text is not closed with a quotation mark on its line.",
    ),
    (r"unterminated comment|unterminated #", "A comment or an #if is opened and never closed."),
    (
        r"No such file or directory",
        "A file is not here: its name is misspelt, it was not handed in, or this system lacks it, as with conio.h.",
    ),
    (
        r"stray [‘']\\",
        "There is a character that C does not know, such as a quotation mark copied from a web page or a word processor.",
    ),
    (r"division by zero|CS0020", "Something is divided by zero."),
    (r"missing separator", "In a makefile the command lines of a rule begin with a tab, not with spaces."),
    (r"No rule to make target", "The makefile needs a file that is not here and does not say how to make it."),
    (r"IndentationError|TabError", "The lines are not indented alike: look at the spaces and tabs in front."),
    (
        r"SyntaxError",
        "Python cannot read this line: look for a missing bracket, quotation mark or colon there or just before.",
    ),
)
_PATTERNS = tuple((re.compile(pattern), meaning) for pattern, meaning in _MEANINGS)
_IS_ERROR = re.compile(r"error|Error|undefined reference|multiple definition|\*\*\*")


def explanation_of(messages: str) -> str:
    """The meaning of the first known message, errors before warnings; empty if none is known."""
    lines = messages.splitlines()
    errors = [line for line in lines if _IS_ERROR.search(line)]
    for line in (*errors, *lines):
        for pattern, meaning in _PATTERNS:
            if pattern.search(line):
                return meaning
    return ""


def first_error(lines: list[str]) -> int:
    """The index of the line where the first error begins, including a line before it that names the function."""
    place = next((number for number, line in enumerate(lines) if _IS_ERROR.search(line)), 0)
    return place - 1 if place and re.search(r": In \w.*:$", lines[place - 1]) else place
