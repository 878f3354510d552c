"""A hook of MkDocs: pages of the site that stand elsewhere in the repository, and what the site does not have.

CONTRIBUTING.md and CHANGELOG.md are at the top, where people look for them; their links begin with docs/.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent.parent
#: The page of the site, and the file at the top that it is.
FROM_THE_TOP = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand at the top of the repository."""
    for page, source in FROM_THE_TOP.items():
        text = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, page, content=re.sub(r"\]\(docs/", "](", text)))
    return files
