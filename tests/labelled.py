"""Folders of programs, each with an `expect.yaml` that says what the programs must earn."""

import pytest
import yaml

EXPECTED = "expect.yaml"


def labelled_folders(root, depth):
    """Test parameters: the folders with an `expect.yaml`, `depth` levels below `root`; slow if it has `slow: true`."""
    folders = sorted(path.parent for path in root.glob("*/" * depth + EXPECTED))
    return [
        pytest.param(
            folder,
            marks=[pytest.mark.slow] if read_expected(folder).get("slow") else [],
            id=str(folder.relative_to(root)),
        )
        for folder in folders
    ]


def read_expected(folder):
    """The content of a folder's `expect.yaml`: what its programs must earn."""
    return yaml.safe_load((folder / EXPECTED).read_text())
