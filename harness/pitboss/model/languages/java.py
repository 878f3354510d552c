"""Programs in Java."""

from __future__ import annotations

from pitboss.model.languages.language import COMMENT, QUOTED, Language, Tool

_HELLO = """\
import java.util.Scanner;

public class Greet {
    public static void main(String[] args) {
        System.out.print("Name: ");
        System.out.println("Hello, " + new Scanner(System.in).nextLine() + "!");
    }
}
"""

_CONSTRUCTS = {
    "array": """
        (local_variable_declaration type: (array_type) @it)
        (field_declaration type: (array_type) @it)
        (array_creation_expression) @it
        ((generic_type (type_identifier) @type) @it (#any-of? @type "ArrayList" "List"))
    """,
    "loop": "[(for_statement) (enhanced_for_statement) (while_statement) (do_statement)] @it",
    "switch": "(switch_expression) @it",
    "global variable": """
        ((field_declaration (modifiers) @modifiers) @it (#match? @modifiers "static") (#not-match? @modifiers "final"))
    """,
    "function": "(method_declaration name: (identifier) @name) @it",
    "call": "(method_invocation name: (identifier) @name) @it",
}

JAVA = Language(
    "java",
    "Java",
    suffixes=(".java",),
    tools=(Tool("javac", ("default-jdk-headless",)), Tool("java", ("default-jdk-headless",))),
    hello=_HELLO,
    has_capitalized_program_names=True,
    is_named_by_class=True,
    # An exception in another thread does not end the program.
    uncaught=r'Exception in thread "main" ([^\n]+)|(There is insufficient memory for the Java Runtime[^\n]*)'
    r"|(A fatal error has been detected by the Java Runtime[^\n]*)",
    frame=r"^\tat [^\s(/]+\(([^\s():/]+\.java):(\d+)\)",  # classes of Java's own follow the name of a module and `/`
    grammar="tree_sitter_java",
    constructs=_CONSTRUCTS,
    # """…""" is a text block.
    not_code=rf'(?P<comment>{COMMENT})|"""(?:\\.|[^\\])*?(?:"""|\Z)|{QUOTED}',
    has_kit=True,
)
