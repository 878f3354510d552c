"""Programs in C++."""

from __future__ import annotations

from pitboss.model.languages.c import SHARED_QUERIES
from pitboss.model.languages.language import COMMENT, QUOTED, Language, Tool

_HELLO = """\
#include <iostream>
#include <string>

int main()
{
    std::string name;
    std::cout << "Name: " << std::flush;
    if (std::getline(std::cin, name)) std::cout << "Hello, " << name << "!" << std::endl;
}
"""

_CONSTRUCTS = {
    **SHARED_QUERIES,
    "array": f"""{SHARED_QUERIES["array"]}
        ((template_type name: (type_identifier) @type) @it (#any-of? @type "array" "vector"))
    """,
    "loop": "[(for_statement) (for_range_loop) (while_statement) (do_statement)] @it",
    "class": "[(class_specifier body: (_)) (struct_specifier body: (_))] @it",
    "function": """
        (function_definition declarator: (function_declarator
            declarator: [(identifier) (field_identifier) (qualified_identifier)] @name)) @it
        (function_definition declarator: (pointer_declarator declarator: (function_declarator
            declarator: [(identifier) (field_identifier) (qualified_identifier)] @name))) @it
        (function_definition declarator: (reference_declarator (function_declarator
            declarator: [(identifier) (field_identifier) (qualified_identifier)] @name))) @it
    """,
    "call": """
        (call_expression function: (identifier) @name) @it
        (call_expression function: (qualified_identifier name: (identifier) @name)) @it
        (call_expression function: (field_expression field: (field_identifier) @name)) @it
    """,
}

CPP = Language(
    "cpp",
    "C++",
    suffixes=(".cpp", ".cc", ".cxx"),
    headers=(".h", ".hpp", ".hh", ".hxx"),
    also_called=("c++",),
    tools=(Tool("c++", ("g++",)),),
    hello=_HELLO,
    uncaught=r"terminate called after throwing an instance of '([^'\n]+)'(?:\r?\n +what\(\): +([^\n]+))?"
    r"|(pure virtual method called)|(terminate called [^\n]+)",
    # R"mark(…)mark" is a raw string.
    not_code=rf'(?P<comment>{COMMENT})|R"(?P<mark>[^()\\\s"]{{0,16}})\(.*?(?:\)(?P=mark)"|\Z)|{QUOTED}',
    grammar="tree_sitter_cpp",
    constructs=_CONSTRUCTS,
    has_kit=True,
)
