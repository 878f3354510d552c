import pytest

from pitboss.model.crashes import last_words

#: The output of a program that failed, and what of it is quoted.
LAST_WORDS = {
    'Age? Exception in thread "main" java.util.InputMismatchException\n\tat java.base/java.util.Scanner.next(Scanner.java:1)\n'
    "\tat Ask.main(Ask.java:5)\n": "java.util.InputMismatchException (line 5 of Ask.java)",
    "java.io.IOException: no\n\tat Ask.f(Ask.java:9)\nCaused by: java.lang.Error: full\n\tat Ask.g(Ask.java:7)\n\t... 1 more\n": (
        "Caused by: java.lang.Error: full"
    ),
    "Error: no\n    at Object.<anonymous> (/b/ask.js:3:7)\n    at node:internal/main:23:47\n": "Error: no",
    "panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/b/ask.go:4 +0x1d\nexit status 2\n": "exit status 2",
    "usage: ask FILE\n\n  cannot read it\n": "usage: ask FILE",
    "  indented alone\n": "indented alone",
    "": "",
}


@pytest.mark.parametrize("output", LAST_WORDS)
def test_the_error_is_quoted_and_no_stack_frame(output):
    assert last_words(output.encode()) == LAST_WORDS[output]
