"""Programs in C."""

from __future__ import annotations

from pitboss.model.languages.language import COMMENT, QUOTED, Language, Tool

_HELLO = """\
#include <stdio.h>

int main(void)
{
    char name[80];
    printf("Name: ");
    fflush(stdout);
    if (scanf("%79s", name) == 1) printf("Hello, %s!\\n", name);
    return 0;
}
"""

#: The tree-sitter queries of the constructs of C that C++ has too. A parameter such as argv is not an array.
SHARED_QUERIES = {
    "array": """
        (declaration declarator: (array_declarator) @it)
        (declaration declarator: (init_declarator declarator: (array_declarator) @it))
        (field_declaration declarator: (array_declarator) @it)
        (declaration declarator: (pointer_declarator declarator: (array_declarator) @it))
        (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (array_declarator) @it)))
        (field_declaration declarator: (pointer_declarator declarator: (array_declarator) @it))
    """,
    "loop": "[(for_statement) (while_statement) (do_statement)] @it",
    "switch": "(switch_statement) @it",
    "goto": "(goto_statement) @it",
    "struct": "(struct_specifier body: (_)) @it",
    "global variable": """
        ((translation_unit (declaration declarator: [
            (identifier) (init_declarator) (array_declarator) (pointer_declarator declarator: (identifier))
        ]) @it) (#not-match? @it "^[^=;]*(const|constexpr|extern)[^a-zA-Z0-9_]"))
    """,
}
_FUNCTION = """
    (function_definition declarator: (function_declarator
        declarator: (identifier) @name)) @it
    (function_definition declarator: (pointer_declarator declarator: (function_declarator
        declarator: (identifier) @name))) @it
"""

C = Language(
    "c",
    "C",
    suffixes=(".c",),
    headers=(".h",),
    tools=(Tool("cc", ("gcc",)),),
    hello=_HELLO,
    # What the C library and C++'s print before they abort; assert names a file and a line.
    uncaught=r"(?<![^\s:])(?:[^\s:]{1,999}: )?[^\s:]{1,999}:\d+: [^\n]{0,999}"
    r"(Assertion [`'][^\n]{1,999}' failed)\.?\r?$"
    r"|(?:free|malloc|realloc|calloc|munmap_chunk|malloc_consolidate)\(\): [^\n]+"
    r"|\*\*\* [^*\n]{1,99} \*\*\*: terminated",
    frame=r"(?<!\S)([^\s:/][^\s:]{0,99}):(\d+): [^\n]{0,999}Assertion",
    not_code=rf"(?P<comment>{COMMENT})|{QUOTED}",
    grammar="tree_sitter_c",
    constructs={**SHARED_QUERIES, "function": _FUNCTION, "call": "(call_expression function: (identifier) @name) @it"},
    has_kit=True,
)
