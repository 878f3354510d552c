import subprocess

import pytest

from pitboss.submissions.compilers import first_error
from pitboss.submissions.explanations import explanation_of, first_error_index

#: A mistake in the body of main, and the explanation of the message that gcc prints.
MISTAKES = {
    "int a = 1\nreturn a;": "A semicolon is missing here, or at the end of the line before.",
    "return b;": "This name is unknown here: it is misspelt, declared later, or declared in another block.",
    'scanf("%d", 1);': "scanf needs the & before a variable that is not an array.",
    'printf("%d", "a");': "The printed or read value does not have the type that this % stands for.",
    "int a; if (a = 1) return a;": "A single = sets a value; a comparison is written ==.",
    "int a = 2; int unused; return a;": "This variable is never used.",
    "char c = 'h'; if (c == \"h\") return 1;": "A text or an address is compared with a number: "
    "a single letter is written 'h', not \"h\".",
    "foo();": "The definition of a function was not found: the name is misspelt in the call or in the definition, "
    "or its file is not compiled with the others.",
    "else return 1;": "This else has no if: often there is a semicolon after the if, or braces are missing.",
    'printf("%d %d\\n", 1);': "There are more % in the text than values after it.",
    'printf("a);': "A text is not closed with a quotation mark on its line.",
    "struct none x; x.a = 1;": "The struct is not known here: its definition is missing, or its header not included.",
    "break;": "This is outside the switch or loop that it belongs to: check the braces.",
    "if (1) {": "A closing brace is missing: count { and } in every function, from the top down.",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_message_of_gcc_is_explained(tmp_path, text):
    (tmp_path / "a.c").write_text(f"#include <stdio.h>\nint main(void)\n{{\n{text}\n}}\n")
    done = subprocess.run(
        ["cc", "-std=gnu17", "-Wall", "-Wextra", "-o", "a", "a.c"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert explanation_of(done.stderr) == MISTAKES[text], done.stderr


#: Messages of g++, gcc, dotnet, javac, ld, make and Python, and their explanations.
MESSAGES = {
    "m.cpp:8:11: error: expected ‘;’ before ‘{’ token": "A closing round bracket is missing before this {, or a semicolon.",
    "m.c:8:23: error: expected ‘;’ before ‘)’ token": "A for has three parts, which are separated by two semicolons.",
    "m.cpp:10:2: error: expected ‘}’ at end of input": "A closing brace is missing: count { and } in every function, from the top down.",
    "m.cpp:8:5: error: redeclaration of ‘int x’": "The same name is defined twice.",
    "m.cpp:8:7: error: ‘time’ was not declared in this scope": "This name is unknown here: it is misspelt, declared later, or declared in another block.",
    "m.cpp:8:3: error: request for member ‘rank’ in ‘p’, which is of pointer type ‘card*’ (maybe you meant to use ‘->’ ?)": "This is a pointer to a struct: its parts are reached with -> and not with a dot.",
    "m.cpp:8:3: error: request for member ‘rank’ in ‘x’, which is of non-class type ‘int’": "A dot comes after something that is not a struct.",
    "m.c:8:9: warning: format ‘%d’ expects argument of type ‘int *’, but argument 2 has type ‘int’ [-Wformat=]": "scanf needs the & before a variable that is not an array.",
    "m.c:8:10: warning: format ‘%s’ expects argument of type ‘char *’, but argument 2 has type ‘int’ [-Wformat=]": "The printed or read value does not have the type that this % stands for.",
    "m.c:8:1: error: unknown type name ‘bool’": "In C, bool, true and false need #include <stdbool.h>.",
    "m.c:8:12: warning: suggest braces around empty body in an ‘if’ statement [-Wempty-body]": "There is a semicolon right after the condition, so the next statement does not depend on it.",
    "/usr/bin/ld: b.o: in function `f':\nb.c:(.text+0x0): multiple definition of `f'; a.o:a.c:(.text+0x0): first defined here": "The same function or variable is defined in two files: a header should only declare it, and no .c file is included.",
    "M.cs(8,6): error CS1026: ) expected": "A closing round bracket is missing here, or a comma or an operator just before this point.",
    "M.cs(9,10): error CS1003: Syntax error, ',' expected": "This is not allowed here: often a semicolon, a bracket or a brace is missing just before.",
    "M.cs(11,246): error CS1513: } expected": "A closing brace is missing: count { and } in every function, from the top down.",
    "M.cs(8,1): error CS8641: 'else' cannot start a statement.": "This else has no if: often there is a semicolon after the if, or braces are missing.",
    "M.cs(8,5): error CS0128: A local variable or function named 'x' is already defined in this scope": "The same name is defined twice.",
    "M.cs(8,1): error CS1501: No overload for method 'V' takes 1 arguments": "The function is called with a different number of values, or with other types, than it takes.",
    "M.cs(8,9): error CS0117: 'Console' does not contain a definition for 'Writeline'": "The class has no member of this name: check the spelling, upper and lower case too.",
    "M.cs(8,9): error CS0266: Cannot implicitly convert type 'double' to 'int'. An explicit conversion exists (are you missing a cast?)": "A number with digits after the point is not converted to an integer automatically: convert it, as with (int).",
    "M.cs(5,13): error CS0161: 'M.W(int)': not all code paths return a value": "The function can end without returning a value: some path through its ifs and loops has no return.",
    "M.cs(8,5): warning CS0665: Assignment in conditional expression is always constant; did you mean to use == instead of = ?": "A single = sets a value; a comparison is written ==.",
    "M.java:6: error: ';' expected\n        int x = 1\n                 ^": "A semicolon is missing here, or at the end of the line before.",
    "M.java:6: error: cannot find symbol": "This name is unknown here: it is misspelt, declared later, or declared in another block.",
    "M.java:6: error: variable x is already defined in method main(String[])": "The same name is defined twice.",
    "M.java:6: error: method V in class M cannot be applied to given types;": "The function is called with a different number of values, or with other types, than it takes.",
    "M.java:7: error: <identifier> expected": "This is outside every function: often there is one } too many, or a ; before the function's {.",
    "M.java:6: error: incompatible types: possible lossy conversion from double to int": "A number with digits after the point is not converted to an integer automatically: convert it, as with (int).",
    "M.java:9: error: reached end of file while parsing": "A closing brace is missing: count { and } in every function, from the top down.",
    "Makefile:2: *** missing separator.  Stop.": "In a makefile the command lines of a rule begin with a tab, not with spaces.",
    "make: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.": "The makefile needs a file that is missing, and has no rule to make it.",
    "  File \"a.py\", line 1\n    if x\n        ^\nSyntaxError: expected ':'": "Python cannot read this line: look for a missing bracket, quotation mark or colon there or just before.",
}


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_of_another_compiler_is_explained(message):
    assert explanation_of(message) == MESSAGES[message]


def test_only_the_first_error_is_explained():
    """If the first error is unknown, the explanation of a later one would be taken for the first one's."""
    unknown = "a.c:3:1: error: something nobody has ever seen"
    known = "a.c:9:1: error: ‘x’ undeclared (first use in this function)"
    warning = "a.c:1:5: warning: unused variable ‘y’ [-Wunused-variable]"
    assert explanation_of(f"{warning}\n{unknown}\n{known}") == ""
    assert explanation_of(f"{warning}\n{known}\n{unknown}") == (
        "This name is unknown here: it is misspelt, declared later, or declared in another block."
    )


def test_a_source_line_quoted_by_a_compiler_is_not_explained():
    quoted = "    7 |     printf(\"error: expected ';' before you die\");"
    underline = "      |     ^~~~~~"
    note = "a.c:2:1: note: previous definition of ‘x’"
    error = "a.c:7:5: error: something nobody has ever seen"
    assert explanation_of("\n".join([error, quoted, underline, note])) == ""


def test_the_explanation_of_a_later_warning_names_its_file_and_line():
    first = "a.c:3:1: warning: something nobody has ever seen"
    second = "a.c:9:13: warning: ‘x’ is used uninitialized [-Wuninitialized]"
    meaning = "This variable can be used before it is given a value; until then its value is unknown."
    assert explanation_of(second) == meaning
    assert explanation_of(f"{first}\n{second}") == f"a.c, line 9: {meaning}"


def test_an_unknown_message_is_not_explained():
    assert explanation_of("") == ""
    assert explanation_of("something nobody has ever seen") == ""


def test_a_python_error_begins_at_the_line_with_its_file():
    output = ['File "deal.py", line 1', "    def main()", "              ^", "SyntaxError: expected ':'"]
    assert first_error_index(output) == 0
    assert first_error_index(["SyntaxError: expected ':'"]) == 0


#: What tools print when a build fails, and the line that names the reason.
REASONS = {
    "cp ask ~/bin/\ncp: cannot create regular file '/root/bin/': Permission denied\nmake: *** [Makefile:3: ask] Error 1": (
        "cp: cannot create regular file '/root/bin/': Permission denied"
    ),
    "cc -o ask errors.c -lcs50\n/usr/bin/ld: cannot find -lcs50: No such file or directory\n"
    "collect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: ask] Error 1": (
        "/usr/bin/ld: cannot find -lcs50: No such file or directory"
    ),
    "a.c:3:5: warning: unused variable ‘x’\n    3 | int x;\n      |     ^\ntest -e gone\nmake[1]: *** [Makefile:2: ask] Error 1\n"
    "make[1]: Leaving directory '/b'\nmake: *** [Makefile:5: all] Error 2": "test -e gone",
    "./configure\nchecking for ncurses... no\nmake: *** [Makefile:2: ask] Error 77": "checking for ncurses... no",
    "-- The C compiler is GNU\nCMake Error at CMakeLists.txt:2 (message):\n\n  no ncurses\n\n-- Incomplete": (
        "CMake Error at CMakeLists.txt:2 (message): no ncurses"
    ),
    "gmake[3]: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.\ngmake: *** [Makefile:91: all] Error 2": (
        "gmake[3]: *** No rule to make target 'a.c', needed by 'a.o'.  Stop."
    ),
    "MSBUILD : error MSB1003: Specify a project file.\n": "MSBUILD : error MSB1003: Specify a project file.",
    "make: *** [Makefile:2: ask] Error 1": "make: *** [Makefile:2: ask] Error 1",
    "\n": "it printed no reason.",
}


@pytest.mark.parametrize("output", REASONS)
def test_the_line_that_names_the_reason_is_found(output):
    assert first_error(output) == REASONS[output]
    lines = output.splitlines()
    assert REASONS[output].startswith((lines[first_error_index(lines)], "it printed"))


def test_a_reason_has_no_address_of_the_object_file():
    """With gcc 14 of Debian 13; gcc 12 of Debian 12 prints none."""
    output = "/usr/bin/ld: /tmp/cc.o: in function `main':\nteller.c:22:(.text+0x61): undefined reference to `deposit'"
    assert first_error(output) == "teller.c:22: undefined reference to `deposit'"


def test_a_long_reason_is_shortened():
    reason = first_error(f"a.c:1:5: error: ‘{'x' * 60_000}’ undeclared")
    assert (len(reason), reason[:20], reason[-2:]) == (500, "a.c:1:5: error: ‘xxx", "x…")
