"""Programs in Lua."""

from __future__ import annotations

from pitboss.model.languages.language import ConditionSyntax, Language, Tool

_HELLO = 'io.write("Name: ")\nprint("Hello, " .. io.read() .. "!")\n'
#: The keywords in the manual of Lua 5.4.
_KEYWORDS = """
and break do else elseif end false for function goto if in local nil not or repeat return then true until while
"""

LUA = Language(
    "lua",
    "Lua",
    suffixes=(".lua",),
    also_called=("lua5.4", "lua 5.4"),
    tools=(Tool("lua5.4", packages=("lua5.4",)), Tool("luac5.4", packages=("lua5.4",))),
    compile=("luac5.4", "-p", "{file}"),
    run=("lua5.4", "{file}"),
    hello=_HELLO,
    # The message follows the name by which the interpreter was called. The source's folder is not captured.
    uncaught=r"(?:/[\w./-]{0,99}/|\b)lua5\.4: (?:(?:/|\.\.\.)\S{0,99}/(?=[^\s/]+:\d+: ))?([^\n]+)",
    error=r"^luac[0-9.]*: ",
    line_comment="--",
    block_comment=r"--\[(?P<level>=*)\[(?P<text>.*?)\](?P=level)\]",
    has_braces=False,
    is_interpreted=True,
    # A long bracket such as `[==[` is closed by the long bracket with as many `=`: `]==]`.
    not_code=r"(?P<comment>--\[(?P<level>=*)\[.*?(?:\](?P=level)\]|\Z)|--[^\n]*)"
    r"|\[(?P<mark>=*)\[.*?(?:\](?P=mark)\]|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?",
    keywords=tuple(_KEYWORDS.split()),
    conditions=ConditionSyntax(("if", "elseif", "while"), ("then", "do"), "not ({})"),
    empty_statement="",
    has_kit=True,
)
