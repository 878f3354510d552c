"""Markdown as HTML: the only module that imports markdown_it. Markup in the text stays text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import markupsafe
import msgspec

from pitboss.extras import missing_for

if TYPE_CHECKING:
    from markdown_it.token import Token

_TYPED = re.compile(r"«([^»\n]*)»")


class Heading(msgspec.Struct, frozen=True):
    """A heading that a table of contents leads to."""

    text: str
    id: str


class Html(msgspec.Struct, frozen=True):
    """A text in Markdown as HTML, with its headings of the second level."""

    body: markupsafe.Markup
    headings: tuple[Heading, ...]


def missing_library(what: str) -> str:
    """A message that `what` needs a library, and how to install it; empty if it is installed."""
    return missing_for(what, "markdown_it")


def as_html(text: str) -> Html:
    """The HTML of a text; in blocks of code, text between « and » is marked as typed.

    Needs markdown-it-py, see `missing_library`.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _render_block)
    parser.add_render_rule("code_block", _render_block)
    tokens = parser.parse(text)
    headings: list[Heading] = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            heading = Heading(_plain_text(tokens[number + 1]), f"part-{len(headings) + 1}")
            token.attrSet("id", heading.id)
            headings.append(heading)
    return Html(markupsafe.Markup(parser.renderer.render(tokens, parser.options, {})), tuple(headings))


def _plain_text(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _render_block(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A block of code that can be reached and scrolled by keyboard."""
    content = str(markupsafe.escape(tokens[index].content.rstrip("\n")))
    newline = "\n" if content.startswith("\n") else ""  # HTML drops a newline right after <pre>
    return f'<pre tabindex="0">{newline}{_TYPED.sub(_typed_span, content)}</pre>\n'


def _typed_span(typed: re.Match[str]) -> str:
    return f'<span class="typed">«{typed[1]}»</span>'
