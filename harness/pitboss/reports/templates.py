"""Filling in Jinja2 templates: the only module that imports jinja2, and only where one is filled in."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

#: The folder of the pages' templates and style sheet.
PAGES = Path(__file__).parent / "html"


def filled(folder: Path, name: str, values: Mapping[str, object]) -> str:
    """Fill in the template `name` of a folder of plain texts, programs and the like, with these values.

    An unknown value is an error in the template, not an empty text.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["quoted"] = _quoted
    return environment.get_template(name).render(values)


def page(name: str, values: Mapping[str, object]) -> str:
    """Fill in a page of our own with these values, each of them escaped."""
    return _pages().get_template(name).render(values)


@functools.cache
def _pages() -> jinja2.Environment:
    """Our own pages, each of which is read and compiled once."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGES), undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True
    )


def asset(name: str) -> bytes:
    """A file that belongs to our pages: a style sheet or a script."""
    return (PAGES / name).read_bytes()


def style(name: str = "style.css") -> str:
    """A style sheet to be embedded: that of every page, or one beside it."""
    import markupsafe

    return markupsafe.Markup((PAGES / name).read_text(encoding="utf-8"))


def _quoted(text: str) -> str:
    """A text as a string literal that is valid in C, C++, C#, Java and Python."""
    return json.dumps(text, ensure_ascii=False)
