"""Folders of programs with a file beside them that says what they must earn."""

import pytest
import yaml

EXPECTED = "expect.yaml"


def labelled(root, depth):
    """The folders with such a file, `depth` levels below another, as parameters of a test; it may say `slow: true`."""
    folders = sorted(path.parent for path in root.glob("/".join(["*"] * depth + [EXPECTED])))
    return [
        pytest.param(
            folder, marks=[pytest.mark.slow] * expected_of(folder).get("slow", False), id=str(folder.relative_to(root))
        )
        for folder in folders
    ]


def expected_of(folder):
    """What the programs of a folder must earn."""
    return yaml.safe_load((folder / EXPECTED).read_text())
