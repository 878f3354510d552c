"""Converts Markdown to HTML; HTML tags in the Markdown are escaped. Only this module imports markdown_it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import markupsafe
import msgspec

from pitboss.extras import missing_for

if TYPE_CHECKING:
    from markdown_it.token import Token

#: Text between « and » in an example session: a user typed it.
_TYPED_TEXT = re.compile(r"«([^»\n]*)»")


class Heading(msgspec.Struct, frozen=True):
    """A heading that a table of contents links to, by its id."""

    text: str
    id: str


class Html(msgspec.Struct, frozen=True):
    """The HTML of a text, and the headings of the second level in that HTML."""

    body: markupsafe.Markup
    headings: tuple[Heading, ...]


def missing_library(what: str) -> str:
    """Returns a message on how to install the library that the feature `what` needs; empty if it is installed."""
    return missing_for(what, "markdown_it")


def as_html(text: str) -> Html:
    """Converts a text from Markdown to HTML; in blocks of code, text between « and » is marked as typed.

    Needs the library markdown-it-py, see `missing_library`.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _render_code_block)
    parser.add_render_rule("code_block", _render_code_block)
    tokens = parser.parse(text)
    headings: list[Heading] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            inline_token = tokens[index + 1]  # the text of the heading
            heading = Heading(_plain_text(inline_token), f"part-{len(headings) + 1}")
            token.attrSet("id", heading.id)
            headings.append(heading)
    return Html(markupsafe.Markup(parser.renderer.render(tokens, parser.options, {})), tuple(headings))


def _plain_text(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _render_code_block(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Returns the HTML of a block of code, which can be reached and scrolled by keyboard."""
    content = str(markupsafe.escape(tokens[index].content.rstrip("\n")))
    newline = "\n" if content.startswith("\n") else ""  # HTML drops a newline right after <pre>
    return f'<pre tabindex="0">{newline}{_TYPED_TEXT.sub(_typed_span, content)}</pre>\n'


def _typed_span(match: re.Match[str]) -> str:
    return f'<span class="typed">«{match[1]}»</span>'
