"""Doing what a page says, as somebody does who has only the page: in a new folder, with a home of their own.

FOLDER/
home/       $HOME
bin/        the command `pitboss`, and nothing else of ours
here/       where the commands are typed, and the files of the page are written

A block with the title `PATH` is written to that file; with `PATH, as it is now` the file must have that text by then. A
block of the language `console` is typed, one command after the other, and what the page shows is compared with what
comes, standard output and error together. A line `…` stands for any lines, and `…` in a line for any text in it. Blanks
at the end of a line are not compared.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT, Block, Step, blocks_of, steps_of

_AS_IT_IS = ", as it is now"
#: pitboss did what was asked; 1 says that a program is not accepted, which a page may well show.
_WELL = (0, 1)


class Walk:
    """A page that is followed from its first block to its last."""

    def __init__(self, page: Path, folder: Path) -> None:
        """Follow `page` in the new folders of `folder`."""
        self._page, self._folder = page, folder
        self._here = folder / "here"
        for name in ("home", "bin", "here"):
            (folder / name).mkdir()
        command = folder / "bin" / "pitboss"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pitboss "$@"\n')
        command.chmod(0o755)

    def taken(self) -> list[str]:
        """Do everything the page says; what it says and does not come true, a sentence each."""
        wrong = []
        for block in blocks_of(self._page):
            if block.language == "console":
                wrong += [output for step in steps_of(block) if (output := self._typed(step))]
            elif block.title.endswith(_AS_IT_IS):
                wrong += self._compared(block)
            elif block.title:
                path = self._here / block.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, "utf-8")
        return wrong

    def _compared(self, block: Block) -> list[str]:
        name = block.title.removesuffix(_AS_IT_IS)
        actual = (self._here / name).read_text("utf-8")
        return [] if fits(block.text, actual) else [f"{self._page.name}:{block.line}: {name} is\n{actual}"]

    def _typed(self, step: Step) -> str:
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=self._here,
            env={
                "PATH": f"{self._folder / 'bin'}:/usr/local/bin:/usr/bin:/bin",
                "HOME": str(self._folder / "home"),
                "PYTHONPATH": str(ROOT / "harness"),
                "LANG": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode in _WELL and fits(step.shown, done.stdout):
            return ""
        return f"{self._page.name}:{step.line}: $ {step.command} (exit code {done.returncode})\n{done.stdout}"


def fits(shown: str, actual: str) -> bool:
    r"""Whether a text is what a page shows, where `…` stands for what is left out.

    >>> fits("one\n…\nfour …\n", "one\ntwo\nthree\nfour 4\n"), fits("…\none\n", "one\n"), fits("", "one\n")
    (True, True, False)
    """
    pattern = ""
    for line in shown.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r" *\n"
    return re.fullmatch(pattern, actual if not actual or actual.endswith("\n") else actual + "\n") is not None
