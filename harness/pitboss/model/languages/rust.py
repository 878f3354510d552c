"""Programs in Rust."""

from __future__ import annotations

from pitboss.model.languages.language import COMMENT, ConditionSyntax, Language, Tool

_HELLO = """\
use std::io::{self, Write};

fn main() {
    print!("Name: ");
    io::stdout().flush().unwrap();
    let mut name = String::new();
    io::stdin().read_line(&mut name).unwrap();
    println!("Hello, {}!", name.trim());
}
"""
#: The keywords in the Rust Reference, without types and rarely used keywords.
_KEYWORDS = """
as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub
ref return self Self static struct super trait true type unsafe use where while
"""

#: The tree-sitter queries of the constructs (see `Language.constructs`).
_CONSTRUCTS = {
    "array": """
        [(array_expression) (array_type)] @it
        ((macro_invocation macro: (identifier) @macro) @it (#eq? @macro "vec"))
    """,
    "loop": "[(loop_expression) (for_expression) (while_expression)] @it",
    "switch": "(match_expression) @it",
    "struct": "(struct_item) @it",
    "global variable": "(static_item (mutable_specifier)) @it",
    "function": "(function_item name: (identifier) @name) @it",
    "call": """
        (call_expression function: (identifier) @name) @it
        (call_expression function: (scoped_identifier name: (identifier) @name)) @it
        (call_expression function: (field_expression field: (field_identifier) @name)) @it
    """,
}

RUST = Language(
    "rust",
    "Rust",
    suffixes=(".rs",),
    also_called=("rs",),
    tools=(Tool("rustc", ("rustc",)),),
    compile=("rustc", "--edition", "2021", "-O", "-o", "{program}", "{file}"),
    hello=_HELLO,
    # Up to Rust 1.72 the message is on the same line as "panicked at"; in later versions it is on the next line.
    uncaught=r"thread '[^'\n]{0,99}' [^\n]{0,99}panicked at (?:'([^\n]*)', [^'\n]+:\d+:\d+$|[^\n]+:\r?\n([^\n]+))"
    r"|thread '[^'\n]{0,99}' [^\n]{0,99}(has overflowed its stack)|(memory allocation of \d+ bytes failed)",
    survived=r"thread '(?!main'|.*overflowed)",
    frame=r"panicked at (?:'[^\n]*', )?([^\s:/][^\n:]*):(\d+):\d+",  # a path from the root is one of Rust's library
    # An apostrophe begins a character literal only if another one closes it; otherwise it begins a lifetime.
    not_code=rf"""(?P<comment>{COMMENT})|r(?P<mark>#{{0,8}})".*?(?:"(?P=mark)|\Z)|"(?:\\.|[^"\\])*"?|'(?:\\.[^'\n]*|[^'\\\n])'""",
    grammar="tree_sitter_rust",
    constructs=_CONSTRUCTS,
    keywords=tuple(_KEYWORDS.split()),
    conditions=ConditionSyntax(("if", "while"), ("{", "=>"), "!({})"),
    has_kit=True,
)
