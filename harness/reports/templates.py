"""Filling in Jinja2 templates: the only module that imports jinja2."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import jinja2
import markupsafe

#: The templates of pages, and their style.
PAGES = Path(__file__).parent / "html"


def filled(folder: Path, name: str, values: Mapping[str, object]) -> str:
    """The template `name` of a folder of plain texts, programs and the like, with these values.

    An unknown value is an error of the template's author, not an empty text.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["quoted"] = _quoted
    return environment.get_template(name).render(values)


def page(name: str, values: Mapping[str, object]) -> str:
    """A page of our own with these values, every one of them escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGES), undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True
    )
    return environment.get_template(name).render(values)


def style() -> str:
    """The style sheet of all pages, which stands in each of them."""
    return markupsafe.Markup((PAGES / "style.css").read_text(encoding="utf-8"))


def _quoted(text: str) -> str:
    """A text as a literal that C, C++, C# and Python all read alike."""
    return json.dumps(text, ensure_ascii=False)
