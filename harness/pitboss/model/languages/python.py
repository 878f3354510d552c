"""Programs in Python."""

from __future__ import annotations

import keyword

from pitboss.model.languages.record import Language, Tool

_HELLO = "print(f\"Hello, {input('Name: ')}!\")\n"

PYTHON = Language(
    "python",
    "Python",
    suffixes=(".py",),
    also_called=("py", "python 3", "python3"),
    tools=(Tool("python3", ("python3",)),),
    hello=_HELLO,
    line_comment="#",
    comments=("#", '"""', "'''", 'r"""', "r'''"),
    block_comment=r'[rR]?(?P<quotes>"""|\'\'\')(?P<text>.*?)(?P=quotes)',
    has_braces=False,
    is_interpreted=True,
    not_code=r"(?P<comment>\#[^\n]*)"
    r"|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?",
    keywords=tuple(keyword.kwlist),
    has_kit=True,
)
