"""Filling in Jinja2 templates: the only module that imports jinja2."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import jinja2
import markupsafe

#: The folder of the pages' templates and style sheet.
PAGES = Path(__file__).parent / "html"


def filled(folder: Path, name: str, values: Mapping[str, object]) -> str:
    """Fill in the template `name` of a folder of plain texts, programs and the like, with these values.

    An unknown value is an error in the template, not an empty text.
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
    """Fill in a page of our own with these values, each of them escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGES), undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True
    )
    return environment.get_template(name).render(values)


def style() -> str:
    """The style sheet, which is embedded in every page."""
    return markupsafe.Markup((PAGES / "style.css").read_text(encoding="utf-8"))


def _quoted(text: str) -> str:
    """A text as a string literal that is valid in C, C++, C# and Python."""
    return json.dumps(text, ensure_ascii=False)
