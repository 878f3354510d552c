"""Fills in Jinja2 templates. Only this module imports jinja2, and only when a template is filled in."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pitboss.model.quoting import printable

if TYPE_CHECKING:
    import jinja2

#: The folder with the templates, style sheets and scripts of our HTML pages.
PAGES = Path(__file__).parent / "html"


def fill_template(folder: Path, name: str, values: Mapping[str, object]) -> str:
    """Returns the template `name` in `folder`, filled in with these values.

    Values are not escaped, since these templates are plain text or programs. A missing value raises an error instead
    of becoming empty text.
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
    """Returns the HTML page of the template `name`, filled in with these values, which are escaped."""
    return _pages().get_template(name).render(values)


@functools.cache
def _pages() -> jinja2.Environment:
    """Returns the Jinja2 environment of our pages, which reads and compiles each template once."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGES),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=_printable,
        trim_blocks=True,
    )


def _printable(value: object) -> object:
    """Returns a text without what a browser acts on, of the same type; other values as they are."""
    return type(value)(printable(value)) if isinstance(value, str) else value


def asset(name: str) -> bytes:
    """Returns a file that our pages refer to: a style sheet or a script."""
    return (PAGES / name).read_bytes()


def style(name: str = "style.css") -> str:
    """Returns a style sheet to embed in a page; by default the style sheet that every page has."""
    import markupsafe

    return markupsafe.Markup((PAGES / name).read_text(encoding="utf-8"))


def _quoted(text: str) -> str:
    """Returns a text as a string literal that is valid in C, C++, C#, Java and Python."""
    return json.dumps(text, ensure_ascii=False)
