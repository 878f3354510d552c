"""Explains compilers' messages to a student in the eighth week of programming.

The patterns match messages of gcc, g++, javac, dotnet, make and Python. The messages are always in English, since builds
pin the locale.
"""

from __future__ import annotations

import re
from typing import Any

from pitboss.submissions.compilers import Build, error_index

#: Patterns of the opening (Q for quote) and the closing (E for end) quotation mark around a name in a message.
_Q, _E = "[‘'`]", "[’']"
_SEMICOLON = "A semicolon is missing here, or at the end of the line before."
_BRACKET = "A closing round bracket is missing here, or a comma or an operator just before this point."
_BRACE = "A closing brace is missing: count { and } in every function, from the top down."
_UNKNOWN_NAME = "This name is unknown here: it is misspelt, declared later, or declared in another block."
_DEFINED_TWICE = "The same name is defined twice."
_TOO_FEW_VALUES = "The function needs more values than it is given here."
_TOO_MANY_VALUES = "The function is given more values than it takes."
_OTHER_TYPE = "A value has a different type than the one needed here."
_UNSET = "This variable can be used before it is given a value; until then its value is unknown."
_NO_RETURN = "The function can end without returning a value: some path through its ifs and loops has no return."
_LONE_ELSE = "This else has no if: often there is a semicolon after the if, or braces are missing."
_OUTSIDE = "This is outside the switch or loop that it belongs to: check the braces."
_UNCLOSED_TEXT = "A text is not closed with a quotation mark on its line."
_UNUSED = "This variable is never used."
_LIBRARY = "This needs a library, such as JavaFX, that is not installed: use only the libraries that come with Java."

#: Patterns of messages and their meanings; the first pattern that matches a message applies.
_MEANINGS = (
    # Punctuation, as worded by gcc, javac and dotnet.
    (rf"expected {_Q};{_E} before {_Q}\){_E}", "A for has three parts, which are separated by two semicolons."),
    (rf"expected {_Q};{_E} before {_Q}{{{_E}", "A closing round bracket is missing before this {, or a semicolon."),
    (
        rf"expected (?:{_Q},{_E} or )?{_Q};{_E} (?:before|after|at end)|error: expected ';'|';' expected|CS1002",
        _SEMICOLON,
    ),
    (rf"expected {_Q}\){_E} before|'\)' (?:or ',' )?expected|CS1026", _BRACKET),
    (
        rf"expected {_Q}\({_E} before|'\(' expected",
        "An opening round bracket is missing: the condition after if, while and for is in brackets.",
    ),
    (rf"expected {_Q}\]{_E} before|'\]' expected|Syntax error, '\]' expected", "A closing square bracket is missing."),
    (
        rf"expected {_Q}}}{_E} at end|expected declaration or statement at end of input|reached end of file while parsing|"
        r"CS1513",
        _BRACE,
    ),
    (
        rf"expected identifier or {_Q}[(]{_E} before|expected declaration before {_Q}}}{_E}|<identifier> expected|CS1519|CS1022",
        "This is outside every function: often there is one } too many, or a ; before the function's {.",
    ),
    (
        r"class, interface, enum, or record expected",
        "This is outside every class: often there is one } too many. Only Java 25 and later have methods outside classes.",
    ),
    (
        r"preview feature|not supported in -source|CS8652|is not available in C#",
        "This needs a newer version of the language.",
    ),
    (rf"{_Q}else{_E} without a previous {_Q}if{_E}|CS8641|'else' without 'if'", _LONE_ELSE),
    (
        r"CS1525|CS1003: Syntax error, ',' expected",
        "This is not allowed here: often a semicolon, a bracket or a brace is missing just before.",
    ),
    (
        r"missing terminating ' character|unclosed character literal|CS1012",
        "A character is not closed with ' on its line.",
    ),
    (r'missing terminating " character|unclosed string literal|CS1010', _UNCLOSED_TEXT),
    (r"unterminated comment|unterminated #|unclosed comment|CS1035", "A comment or an #if is opened but never closed."),
    (
        rf"stray {_Q}|extended character|illegal character|CS1056",
        "There is a character that the language does not know, such as a quotation mark copied from a web page or a word processor.",
    ),
    # Names.
    (
        rf"{_Q}(?:bool|true|false){_E} undeclared|unknown type name {_Q}bool{_E}",
        "In C, bool, true and false need #include <stdbool.h>.",
    ),
    (
        rf"unknown type name|{_Q}\w+{_E} does not name a type|CS0246|CS0234",
        "This type is not known here: its name is misspelt, or an #include or using is missing.",
    ),
    (r"package (?:javafx|org|com|net|io|lombok|kotlin)\b[\w.]* does not exist", _LIBRARY),
    (r"package [\w.]+ does not exist", "The source of this package was not handed in, or its name is misspelt."),
    (
        rf"{_Q}[\w:]+{_E} undeclared|{_Q}[\w:]+{_E} was not declared|cannot find symbol|CS0103|is not a member of {_Q}std{_E}",
        _UNKNOWN_NAME,
    ),
    (
        rf"implicit declaration of function {_Q}\w+{_E}|implicitly declaring|call to undeclared",
        "This function is not known here: an #include is missing, it is defined further down without a prototype, or its name is misspelt.",
    ),
    (rf"undefined reference to {_Q}main{_E}|CS5001", "There is no function main in the program."),
    (
        r"undefined reference to",
        "The definition of a function was not found: the name is misspelt in the call or in the definition, or its file is not compiled with the others.",
    ),
    (
        r"multiple definition of",
        "The same function or variable is defined in two files: a header should only declare it, and no .c file is included.",
    ),
    (r"redefinition of|redeclaration of|CS0111|CS0128|CS0136|is already defined|CS0101", _DEFINED_TWICE),
    (
        r"conflicting types for",
        "A function is declared in one way and written in another, or used before it is declared: compare the types of its parameters and of its result.",
    ),
    (
        r"CS0120|non-static (?:method|variable) .* cannot be referenced",
        "This needs an object, or the word static in its declaration.",
    ),
    (r"CS0117|CS1061", "The class has no member of this name: check the spelling, upper and lower case too."),
    # Calls, and texts with %.
    (r"too few arguments to function|CS7036", _TOO_FEW_VALUES),
    (r"too many arguments to function", _TOO_MANY_VALUES),
    (
        r"CS1501|cannot be applied to given types|no matching function for call",
        "The function is called with a different number of values, or with other types, than it takes.",
    ),
    (
        r"CS1502|CS1503|incompatible type for argument",
        "A value that is given to the function has a different type than it takes.",
    ),
    (
        rf"format {_Q}%[^’']*{_E} expects argument of type {_Q}(\w[\w ]*?) ?\*{_E}.*has type {_Q}\1{_E}",
        "scanf needs the & before a variable that is not an array.",
    ),
    (
        rf"format {_Q}%[^’']*{_E} expects argument of type {_Q}[^’']*{_E}.*has type {_Q}[^’']*{_E}",
        "The printed or read value does not have the type that this % stands for.",
    ),
    (
        rf"more {_Q}%{_E} conversions than data|too few arguments for format|expects a matching {_Q}",
        "There are more % in the text than values after it.",
    ),
    (r"too many arguments for format", "There are more values than % in the text."),
    # Conditions, values and returns.
    (
        r"suggest parentheses around assignment used as truth value|CS0665",
        "A single = sets a value; a comparison is written ==.",
    ),
    (
        r"suggest braces around empty body|-Wempty-body",
        "There is a semicolon right after the condition, so the next statement does not depend on it.",
    ),
    (
        r"statement (?:with no|has no) effect|CS0201|not a statement",
        "This line changes nothing: perhaps = is meant where == is written, or the brackets of a call are missing.",
    ),
    (
        r"control reaches end of non-void function|no return statement in function|CS0161|missing return statement",
        _NO_RETURN,
    ),
    (
        rf"{_Q}return{_E} with no value|return-statement with no value|should return a value|CS0126",
        "The function must return a value: write it after return.",
    ),
    (
        rf"{_Q}return{_E} with a value|return-statement with a value|should not return a value|CS0127|unexpected return value",
        "A function that is declared void returns no value.",
    ),
    (r"unused variable|CS0168", _UNUSED),
    (r"set but not used|CS0219", "This variable is given a value that is never used."),
    (r"is used uninitialized|may be used uninitialized|CS0165|might not have been initialized", _UNSET),
    (
        r"comparison between pointer and integer",
        "A text or an address is compared with a number: a single letter is written 'h', not \"h\".",
    ),
    (r"comparison with string literal", "Texts cannot be compared with == in C: use strcmp."),
    (
        r"multi-character character constant|character constant too long",
        "Single quotation marks enclose one letter; a text needs double ones.",
    ),
    (
        r"makes (?:integer from pointer|pointer from integer) without a cast|invalid conversion from|(?:integer|pointer) conversion",
        "A number is used where a text or an address is needed, or the other way round: look for a missing & or *, or for \"h\" instead of 'h'.",
    ),
    (
        r"CS0266|possible lossy conversion",
        "A number with digits after the point is not converted to an integer automatically: convert it, as with (int).",
    ),
    (r"defaults to .int.", "A type is missing here: write int before the name."),
    (r"incompatible (?:function )?(?:pointer )?types?|CS0029|cannot convert", _OTHER_TYPE),
    (r"CS0019|invalid operands", "This operator cannot be used with values of these types."),
    (
        r"assignment to expression with array type|invalid array assignment",
        "An array cannot be set with =: copy its elements, or a text with strcpy.",
    ),
    (
        r"lvalue required as left operand",
        "The left side of the = cannot be given a value; a comparison is written ==.",
    ),
    # Arrays, structs and pointers.
    (
        r"subscripted value is neither array nor pointer|invalid types .* for array subscript|CS0021|array required",
        "Square brackets come after something that is not an array.",
    ),
    (
        rf"is a pointer; did you mean|which is of pointer type|maybe you meant to use {_Q}->",
        "This is a pointer to a struct: its parts are reached with -> and not with a dot.",
    ),
    (
        rf"invalid type argument of {_Q}->{_E}|base operand of {_Q}->{_E} has non-pointer",
        "This is a struct, not a pointer: its parts are reached with a dot and not with ->.",
    ),
    (r"request for member .* in", "A dot comes after something that is not a struct."),
    (r"has no member named", "The struct has no part of this name."),
    (
        r"dereferencing pointer to incomplete type|incomplete type|storage size of",
        "The struct is not known here: its definition is missing, or its header not included.",
    ),
    (
        r"array subscript .* (?:is above|is outside|is below) array bounds",
        "This index is outside its array: an array of 10 has the indexes 0 to 9.",
    ),
    (
        r"function returns address of local variable|reference to local variable",
        "The function returns the address of an array or variable of its own, which is gone when the function ends.",
    ),
    (
        r"forbids converting a string constant",
        "A text in quotation marks cannot be changed: declare the variable as const char *, or as an array.",
    ),
    (
        r"case label .*not within|(?:break|continue) statement not within|break outside switch|continue outside|CS0139",
        _OUTSIDE,
    ),
    (r"division by zero|CS0020", "Something is divided by zero."),
    # Files, makefiles and Python.
    (
        r"No such file or directory",
        "A file is not here: its name is misspelt, it was not handed in, or this system lacks it, as with conio.h.",
    ),
    (r"cannot find -l", "The library after -l is not installed on this machine."),
    (r"missing separator", "In a makefile the command lines of a rule begin with a tab, not with spaces."),
    (r"No rule to make target", "The makefile needs a file that is missing, and has no rule to make it."),
    (
        r"IndentationError|TabError",
        "The lines are not indented consistently: check the spaces and tabs at the start of each.",
    ),
    (
        r"SyntaxError: .*Non-UTF-8",
        "The file has letters such as ä or é but is not saved as UTF-8: save it as UTF-8 in your editor.",
    ),
    (
        r"SyntaxError: f-string",
        "Look for a missing bracket in this f-string. Before Python 3.12 its {…} cannot have the quotation marks that are around the f-string, or a backslash.",
    ),
    (
        r"SyntaxError",
        "Python cannot read this line: look for a missing bracket, quotation mark or colon there or just before.",
    ),
)
#: An error message of a compiler, a linker, make or Python, but not a quoted source line or a note.
_ERROR_MESSAGE = re.compile(
    r": (?:fatal )?error(?: CS\d+)?: |cannot find -l|undefined reference to|multiple definition of|\*\*\* |"
    r"^(?:\w+Error): |^error(?: CS\d+)?: "
)
#: The warnings that are errors with later compilers, as gcc and clang word them.
_LATER_ERROR = re.compile(
    r"\[-W(?:implicit-(?:int|function-declaration)|int-conversion|incompatible-(?:function-)?pointer-types"
    r"|return-mismatch|declaration-missing-parameter-type)\]|.return. with (?:no|a) value|should (?:not )?return a value"
)
_WARNING_MESSAGE = re.compile(r": warning(?: CS\d+)?: ")
#: A source line that the compiler quotes, or the marks under a quoted line.
_QUOTED_SOURCE = re.compile(r" *\d* \| ")
#: The file and line at the start of a message: `play.c:3:` from gcc and javac, `play.cs(3,1):` from C# compilers.
_LOCATION = re.compile(r"(\S+?)(?::(\d+)|\((\d+),\d+\)):")


def fields_on_build(build: Build) -> dict[str, Any]:
    """Returns the fields of a stage's report that say how its program was built, by their names in StageReport."""
    return {
        "build_command": build.command,
        "build_messages": build.messages,
        "build_explanation": "" if build.is_fault else explanation_of(build.messages),
        "tool": build.tool,
        "made_with": build.made_with,
    }


def explanation_of(messages: str) -> str:
    """Explains the first error in a compiler's messages; without errors, the first warning with a known meaning.

    Warnings that are errors with later compilers come before others. The location of the warning is added if other
    warnings come before it. Returns an empty text if the meaning of the first error is unknown: readers would take the
    meaning of a later error for the meaning of the first error.
    """
    lines = [line for line in messages.splitlines() if not _QUOTED_SOURCE.match(line)]
    errors = [line for line in lines if _ERROR_MESSAGE.search(line)]
    if errors:
        return _meaning_of(errors[0])
    warnings = [line for line in lines if _WARNING_MESSAGE.search(line)]
    for number, line in sorted(enumerate(warnings), key=lambda warning: not _LATER_ERROR.search(warning[1])):
        if meaning := _meaning_of(line):
            meaning += " This is an error with gcc 14 and later." if _LATER_ERROR.search(line) else ""
            location = _LOCATION.match(line) if number else None
            return f"{location[1]}, line {location[2] or location[3]}: {meaning}" if location else meaning
    return ""


def _meaning_of(message: str) -> str:
    """The meaning of a message; empty if no pattern matches."""
    # `re` caches compiled patterns. Compiling all patterns at import would double the time of the import, and most
    # programs have no messages.
    return next((meaning for pattern, meaning in _MEANINGS if re.search(pattern, message)), "")


#: A line before an error message that names the file and the line, as in Python, or the function, as by gcc.
_HEAD = re.compile(r'^ *File ".*", line [0-9]+$|: In \w.*:$')


def first_error_index(lines: list[str]) -> int:
    """The index of the line where the first error begins; 0 if there is no error.

    Lines before the error message that name the function or the line of the error belong to the error.
    """
    index = error_index(lines)
    # Python prints the source line too, and the error message last.
    heads = (number for number in range(index, max(-1, index - 4), -1) if _HEAD.search(lines[number]))
    return next(heads, index)
