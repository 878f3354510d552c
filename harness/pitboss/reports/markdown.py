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
    """What needs HTML of Markdown, and what to install for it; empty if that is installed."""
    return missing_for(what, "markdown_it")


def as_html(text: str) -> Html:
    """The HTML of a text; in blocks of code what stands between « and » is marked as typed.

    Needs markdown-it-py, see `missing_library`.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _block)
    parser.add_render_rule("code_block", _block)
    tokens = parser.parse(text)
    headings: list[Heading] = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            heading = Heading(_plain(tokens[number + 1]), f"part-{len(headings) + 1}")
            token.attrSet("id", heading.id)
            headings.append(heading)
    return Html(markupsafe.Markup(parser.renderer.render(tokens, parser.options, {})), tuple(headings))


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _block(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A block of code that can be reached and scrolled by keyboard."""
    content = str(markupsafe.escape(tokens[index].content.rstrip("\n")))
    first = "\n" if content.startswith("\n") else ""  # HTML leaves out a newline right behind <pre>
    return f'<pre tabindex="0">{first}{_TYPED.sub(_marked, content)}</pre>\n'


def _marked(typed: re.Match[str]) -> str:
    return f'<span class="typed">«{typed[1]}»</span>'
