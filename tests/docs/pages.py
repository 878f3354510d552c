"""Parsing of the pages in docs/: their fenced blocks, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"

_FENCED_BLOCK = re.compile(r'^( *)```(\w*)(?: title="([^"]*)")?\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
#: A pitboss command in a line of shell input, perhaps after a prompt, a pipe or another command.
_TYPED_COMMAND = re.compile(r"(?:^ *|^ *\$ |\| |&& |run: )(pitboss [^|;&<>]*)")
#: An explanation after a command in the same line.
_TRAILING_EXPLANATION = re.compile(r"\s#\s.*|\s{2,}[a-z].*")


class Block(NamedTuple):
    """A fenced block: its language, its title (a file's name), its text, and the page's line where the text begins."""

    language: str
    title: str
    text: str
    line: int


class Step(NamedTuple):
    """A command of a console block, its output according to the page, and its line in the page."""

    command: str
    output: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    blocks = []
    for match in _FENCED_BLOCK.finditer(text):
        lines = [line.removeprefix(match[1]) for line in match[4].splitlines(keepends=True)]
        blocks.append(Block(match[2], match[3] or "", "".join(lines), text.count("\n", 0, match.start(4)) + 1))
    return blocks


def steps_of(block: Block) -> list[Step]:
    """The commands of a console block, each with its output according to the page."""
    steps: list[Step] = []
    for number, line in enumerate(block.text.splitlines(keepends=True), block.line):
        if line.startswith("$ "):
            steps.append(Step(line[2:].rstrip("\n"), "", number))
        elif steps:
            last = steps[-1]
            steps[-1] = last._replace(output=last.output + line)
        else:
            raise ValueError(f"line {number}: a console block begins with a command")
    return steps


def commands_in(page: Path) -> Iterator[tuple[int, list[str]]]:
    """For each `pitboss …` command on a page, in a block or in running text, its line number and its words."""
    lines_in_blocks = {
        number
        for block in blocks_of(page)
        for number in range(block.line, block.line + block.text.count("\n"))
        if block.language in ("", "console", "text", "yaml", "sh")
    }
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if "<Tab>" in line:  # a command that is still to be completed
            continue
        is_typed = number in lines_in_blocks or line.startswith("    ")
        commands = _TYPED_COMMAND.findall(line) if is_typed else re.findall(r"`(pitboss [^`]*)`", line)
        for command in commands:
            yield number, shlex.split(_TRAILING_EXPLANATION.sub("", command), comments=True)
