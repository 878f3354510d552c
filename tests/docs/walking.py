"""Following a page as a reader would: typing its commands and writing its files in a new folder, with a new home.

FOLDER/
home/       $HOME
bin/        the command `pitboss` alone
here/       the current folder of the commands, in which the files of the page are written

A block with the title `PATH` is written to that file; with the title `PATH, as it is now` the file must already have
that text. The commands of a `console` block are run in order, and their output, standard output and error together, is
compared with the output on the page. There a line `…` means any lines, and `…` within a line any text. Blanks at the
end of a line are not compared.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT, Block, Step, blocks_of, steps_of

_AS_IT_IS_NOW = ", as it is now"
#: Exit codes that a page may show: 1 means that a program is not accepted, which is no failure of pitboss.
_GOOD_EXIT_CODES = (0, 1)


class Walk:
    """A page whose blocks are followed in order."""

    def __init__(self, page: Path, folder: Path) -> None:
        """Follow `page` in the new folders of `folder`."""
        self._page, self._folder = page, folder
        self._here = folder / "here"
        for name in ("home", "bin", "here"):
            (folder / name).mkdir()
        command = folder / "bin" / "pitboss"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pitboss "$@"\n')
        command.chmod(0o755)

    def differences(self) -> list[str]:
        """Follow the page; return a message for each command or file that differs from what the page shows."""
        differences = []
        for block in blocks_of(self._page):
            if block.language == "console":
                differences += [difference for step in steps_of(block) if (difference := self._check_step(step))]
            elif block.title.endswith(_AS_IT_IS_NOW):
                differences += self._check_file(block)
            elif block.title:
                path = self._here / block.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, "utf-8")
        return differences

    def _check_file(self, block: Block) -> list[str]:
        name = block.title.removesuffix(_AS_IT_IS_NOW)
        actual = (self._here / name).read_text("utf-8")
        return [] if fits(block.text, actual) else [f"{self._page.name}:{block.line}: {name} is\n{actual}"]

    def _check_step(self, step: Step) -> str:
        completed = subprocess.run(
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
        if completed.returncode in _GOOD_EXIT_CODES and fits(step.output, completed.stdout):
            return ""
        return f"{self._page.name}:{step.line}: $ {step.command} (exit code {completed.returncode})\n{completed.stdout}"


def fits(expected: str, actual: str) -> bool:
    r"""Whether a text is as expected by a page, in which `…` stands for any text.

    >>> fits("one\n…\nfour …\n", "one\ntwo\nthree\nfour 4\n"), fits("…\none\n", "one\n"), fits("", "one\n")
    (True, True, False)
    """
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r" *\n"
    return re.fullmatch(pattern, actual if not actual or actual.endswith("\n") else actual + "\n") is not None
