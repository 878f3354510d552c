"""A hook of MkDocs that adds pages from outside of docs/ to the site.

CONTRIBUTING.md and CHANGELOG.md are at the top of the repository, where people look for them. So their links
begin with docs/, which must be removed on the site.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent.parent
#: By the path of a page on the site: its source at the top of the repository.
FROM_THE_TOP = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages whose sources are at the top of the repository, with links relative to docs/."""
    for page, source in FROM_THE_TOP.items():
        text = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, page, content=re.sub(r"\]\(docs/", "](", text)))
    return files
