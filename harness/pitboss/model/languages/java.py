"""Programs in Java."""

from __future__ import annotations

from pitboss.model.languages.record import COMMENT, QUOTED, Language, Tool

_HELLO = """\
import java.util.Scanner;

public class Greet {
    public static void main(String[] args) {
        System.out.print("Name: ");
        System.out.println("Hello, " + new Scanner(System.in).nextLine() + "!");
    }
}
"""

JAVA = Language(
    "java",
    "Java",
    suffixes=(".java",),
    tools=(Tool("javac", ("default-jdk-headless",)), Tool("java", ("default-jdk-headless",))),
    hello=_HELLO,
    has_capitals=True,
    is_named_by_class=True,
    uncaught=r'Exception in thread "main" ([^\n]+)',  # one of another thread ends no program
    not_code=rf'(?P<comment>{COMMENT})|"""(?:\\.|[^\\])*?(?:"""|\Z)|{QUOTED}',
)
