"""What a compiler said, in plain words: gcc's own messages for the mistakes of the first weeks."""

import subprocess

import pytest

from harness.submissions.explanations import explanation_of

MISTAKES = {
    "int a = 1\nreturn a;": "A semicolon is missing, most often at the end of the line before.",
    "return b;": "This name is not known here: it is misspelt, not declared before, or declared in another block.",
    'scanf("%d", 1);': "What is printed or read does not have the type that this % stands for; "
    "scanf also wants the & before a variable that is no array.",
    "int a; if (a = 1) return a;": "A single = sets a value; a comparison is written ==.",
    "int a = 2; int unused; return a;": "This variable is never used.",
    "char c = 'h'; if (c == \"h\") return 1;": "A text or an address is compared with a number: "
    "a single letter is written 'h', not \"h\".",
    "foo();": "A function is used but written nowhere: its name is misspelt in one of the two places, "
    "or its file is not compiled with the others.",
    "else return 1;": "This else belongs to no if: often there is a semicolon after the if, or braces are missing.",
    'printf("%d %d\\n", 1);': "There are more % in the text than values after it.",
    'printf("a);': "A text is not closed with a quotation mark on its line.",
    "struct none x; x.a = 1;": "The struct is not known here: its definition is missing, or its header not included.",
    "break;": "This stands outside the switch or loop that it belongs to: look at the braces.",
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


def test_what_is_not_known_is_not_explained():
    assert explanation_of("") == ""
    assert explanation_of("something nobody has ever seen") == ""
