"""Fills in Jinja2 templates: the only module that imports jinja2, and only when it fills one in."""

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


def filled_template(folder: Path, name: str, values: Mapping[str, object]) -> str:
    """Fill in the template `name` of a folder of plain text or programs with these values.

    A missing value raises an error instead of becoming empty text.
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
    """Fill in one of our pages with these values, which are escaped."""
    return _pages().get_template(name).render(values)


@functools.cache
def _pages() -> jinja2.Environment:
    """The environment of our pages, which reads and compiles each page once."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGES), undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True
    )


def asset(name: str) -> bytes:
    """A file that belongs to our pages: a style sheet or a script."""
    return (PAGES / name).read_bytes()


def style(name: str = "style.css") -> str:
    """A style sheet to embed in a page; by default the style sheet of every page."""
    import markupsafe

    return markupsafe.Markup((PAGES / name).read_text(encoding="utf-8"))


def _quoted(text: str) -> str:
    """A text as a string literal that is valid in C, C++, C#, Java and Python."""
    return json.dumps(text, ensure_ascii=False)
