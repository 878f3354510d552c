"""Explains compilers' messages to a student in the eighth week of programming.

The patterns match messages of gcc, g++, javac, dotnet, make and Python. The messages are always in English, since
builds pin the locale.
"""

from __future__ import annotations

import re
from typing import Any

from pitboss.submissions.compilers import Build, error_index

#: Meanings, each with the patterns of its messages in the indented lines below it; the first pattern that matches a
#: message applies. In a pattern, ‘ and ’ match any opening and closing quotation mark. Lines with # are comments.
_TABLE = r"""
# Punctuation, as worded by gcc, javac and dotnet.
A for has three parts, which are separated by two semicolons.
    expected ‘;’ before ‘\)’
A closing round bracket is missing before this {, or a semicolon.
    expected ‘;’ before ‘{’
A semicolon is missing here, or at the end of the line before.
    expected (?:‘,’ or )?‘;’ (?:before|after|at end)|error: expected ';'|';' expected|CS1002
A closing round bracket is missing here, or a comma or an operator just before this point.
    expected ‘\)’ before|'\)' (?:or ',' )?expected|CS1026
An opening round bracket is missing: the condition after if, while and for is in brackets.
    expected ‘\(’ before|'\(' expected
A closing square bracket is missing.
    expected ‘\]’ before|'\]' expected|Syntax error, '\]' expected
A closing brace is missing: count { and } in every function, from the top down.
    expected ‘}’ at end|expected declaration or statement at end of input|reached end of file while parsing|CS1513
This is outside every function: often there is one } too many, or a ; before the function's {.
    expected identifier or ‘[(]’ before|expected declaration before ‘}’|<identifier> expected|CS1519|CS1022
This is outside every class: often there is one } too many. Only Java 25 and later have methods outside classes.
    class, interface, enum, or record expected
This needs a newer version of the language.
    preview feature|not supported in -source|CS8652|is not available in C#
This else has no if: often there is a semicolon after the if, or braces are missing.
    ‘else’ without a previous ‘if’|CS8641|'else' without 'if'
This is not allowed here: often a semicolon, a bracket or a brace is missing just before.
    CS1525|CS1003: Syntax error, ',' expected
A character is not closed with ' on its line.
    missing terminating ' character|unclosed character literal|CS1012
A text is not closed with a quotation mark on its line.
    missing terminating " character|unclosed string literal|CS1010
A comment or an #if is opened but never closed.
    unterminated comment|unterminated #|unclosed comment|CS1035
There is a character that the language does not know, such as a quotation mark copied from a web page or a word
processor.
    stray ‘|extended character|illegal character|CS1056
# Names.
In C, bool, true and false need #include <stdbool.h>.
    ‘(?:bool|true|false)’ undeclared|unknown type name ‘bool’
This type is not known here: its name is misspelt, or an #include or using is missing.
    unknown type name|‘\w+’ does not name a type|CS0246|CS0234
This needs a library, such as JavaFX, that is not installed: use only the libraries that come with Java.
    package (?:javafx|org|com|net|io|lombok|kotlin)\b[\w.]* does not exist
The source of this package was not handed in, or its name is misspelt.
    package [\w.]+ does not exist
This name is unknown here: it is misspelt, declared later, or declared in another block.
    ‘[\w:]+’ undeclared|‘[\w:]+’ was not declared|cannot find symbol|CS0103|is not a member of ‘std’
This function is not known here: an #include is missing, it is defined further down without a prototype, or its name
is misspelt.
    implicit declaration of function ‘\w+’|implicitly declaring|call to undeclared
There is no function main in the program.
    undefined reference to ‘main’|CS5001
The definition of a function was not found: the name is misspelt in the call or in the definition, or its file is not
compiled with the others.
    undefined reference to
The same function or variable is defined in two files: a header should only declare it, and no .c file is included.
    multiple definition of
The same name is defined twice.
    redefinition of|redeclaration of|CS0111|CS0128|CS0136|is already defined|CS0101
A function is declared in one way and written in another, or used before it is declared: compare the types of its
parameters and of its result.
    conflicting types for
This needs an object, or the word static in its declaration.
    CS0120|non-static (?:method|variable) .* cannot be referenced
The class has no member of this name: check the spelling, upper and lower case too.
    CS0117|CS1061
# Calls, and texts with %.
The function needs more values than it is given here.
    too few arguments to function|CS7036
The function is given more values than it takes.
    too many arguments to function
The function is called with a different number of values, or with other types, than it takes.
    CS1501|cannot be applied to given types|no matching function for call
A value that is given to the function has a different type than it takes.
    CS1502|CS1503|incompatible type for argument
scanf needs the & before a variable that is not an array.
    format ‘%[^\u2019']*’ expects argument of type ‘(\w[\w ]*?) ?\*’.*has type ‘\1’
The printed or read value does not have the type that this % stands for.
    format ‘%[^\u2019']*’ expects argument of type ‘[^\u2019']*’.*has type ‘[^\u2019']*’
There are more % in the text than values after it.
    more ‘%’ conversions than data|too few arguments for format|expects a matching ‘
There are more values than % in the text.
    too many arguments for format
# Conditions, values and returns.
A single = sets a value; a comparison is written ==.
    suggest parentheses around assignment used as truth value|CS0665
There is a semicolon right after the condition, so the next statement does not depend on it.
    suggest braces around empty body|-Wempty-body
This line changes nothing: perhaps = is meant where == is written, or the brackets of a call are missing.
    statement (?:with no|has no) effect|CS0201|not a statement
The function can end without returning a value: some path through its ifs and loops has no return.
    control reaches end of non-void function|no return statement in function|CS0161|missing return statement
The function must return a value: write it after return.
    ‘return’ with no value|return-statement with no value|should return a value|CS0126
A function that is declared void returns no value.
    ‘return’ with a value|return-statement with a value|should not return a value|CS0127|unexpected return value
This variable is never used.
    unused variable|CS0168
This variable is given a value that is never used.
    set but not used|CS0219
This variable can be used before it is given a value; until then its value is unknown.
    is used uninitialized|may be used uninitialized|CS0165|might not have been initialized
A text or an address is compared with a number: a single letter is written 'h', not "h".
    comparison between pointer and integer
Texts cannot be compared with == in C: use strcmp.
    comparison with string literal
Single quotation marks enclose one letter; a text needs double ones.
    multi-character character constant|character constant too long
A number is used where a text or an address is needed, or the other way round: look for a missing & or *, or for "h"
instead of 'h'.
    makes (?:integer from pointer|pointer from integer) without a cast|invalid conversion from
    (?:integer|pointer) conversion
A number with digits after the point is not converted to an integer automatically: convert it, as with (int).
    CS0266|possible lossy conversion
A type is missing here: write int before the name.
    defaults to .int.
A value has a different type than the one needed here.
    incompatible (?:function )?(?:pointer )?types?|CS0029|cannot convert
This operator cannot be used with values of these types.
    CS0019|invalid operands
An array cannot be set with =: copy its elements, or a text with strcpy.
    assignment to expression with array type|invalid array assignment
The left side of the = cannot be given a value; a comparison is written ==.
    lvalue required as left operand
# Arrays, structs and pointers.
Square brackets come after something that is not an array.
    subscripted value is neither array nor pointer|invalid types .* for array subscript|CS0021|array required
This is a pointer to a struct: its parts are reached with -> and not with a dot.
    is a pointer; did you mean|which is of pointer type|maybe you meant to use ‘->
This is a struct, not a pointer: its parts are reached with a dot and not with ->.
    invalid type argument of ‘->’|base operand of ‘->’ has non-pointer
A dot comes after something that is not a struct.
    request for member .* in
The struct has no part of this name.
    has no member named
The struct is not known here: its definition is missing, or its header not included.
    dereferencing pointer to incomplete type|incomplete type|storage size of
This index is outside its array: an array of 10 has the indexes 0 to 9.
    array subscript .* (?:is above|is outside|is below) array bounds
The function returns the address of an array or variable of its own, which is gone when the function ends.
    function returns address of local variable|reference to local variable
A text in quotation marks cannot be changed: declare the variable as const char *, or as an array.
    forbids converting a string constant
This is outside the switch or loop that it belongs to: check the braces.
    case label .*not within|(?:break|continue) statement not within|break outside switch|continue outside|CS0139
Something is divided by zero.
    division by zero|CS0020
# Files, makefiles and Python.
A file is not here: its name is misspelt, it was not handed in, or this system lacks it, as with conio.h.
    No such file or directory
The library after -l is not installed on this machine.
    cannot find -l
In a makefile the command lines of a rule begin with a tab, not with spaces.
    missing separator
The makefile needs a file that is missing, and has no rule to make it.
    No rule to make target
The lines are not indented consistently: check the spaces and tabs at the start of each.
    IndentationError|TabError
The file has letters such as ä or é but is not saved as UTF-8: save it as UTF-8 in your editor.
    SyntaxError: .*Non-UTF-8
Look for a missing bracket in this f-string. Before Python 3.12 its {…} cannot have the quotation marks that are
around the f-string, or a backslash.
    SyntaxError: f-string
Python cannot read this line: look for a missing bracket, quotation mark or colon there or just before.
    SyntaxError
"""
#: Pairs of a pattern and its meaning.
_MEANINGS = tuple(
    ("|".join(map(str.strip, patterns.splitlines())), " ".join(meaning.split()))
    for meaning, patterns in re.findall(
        r"((?:^[^ #\n].*\n)+)((?:^ .*\n)+)", _TABLE.replace("‘", "[‘'`]").replace("’", "[’']"), re.MULTILINE
    )
)
#: An error message of a compiler, a linker, make or Python, but not a quoted source line or a note.
_ERROR_MESSAGE = re.compile(
    r": (?:fatal )?error(?: CS\d+)?: |cannot find -l|undefined reference to|multiple definition of|\*\*\* |"
    r"^(?:\w+Error): |^error(?: CS\d+)?: "
)
#: The warnings that are errors with later compilers, as gcc and clang word them.
_LATER_ERROR = re.compile(
    r"\[-W(?:implicit-(?:int|function-declaration)|int-conversion|incompatible-(?:function-)?pointer-types"
    r"|return-mismatch|declaration-missing-parameter-type)\]"
    r"|.return. with (?:no|a) value|should (?:not )?return a value"
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
