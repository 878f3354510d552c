"""The specs run every line and every branch of the stage programs, but for what no spec can ask for."""

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT

#: Not a stage's program, and tested by themselves: who types, who reads back, generators, the command line, catalogues.
OTHERS = ("players", "reading", "generators", "console", "consoles", "__main__", "mistakes", "variants", "changes")
#: Lines that no session of a spec can come to, by file, and why.
UNRULED = {
    ("blackjack/deal.py", "except InputEnded:"): "what there is at the end of input is not ruled in this stage",
    ("blackjack/deal.py", "return 0"): "the same",
    ("blackjack/shuffle.py", "except InputEnded:"): "the same",
    ("blackjack/shuffle.py", "return 0"): "the same",
    ("csc101/game.py", "if not self._rules.split_keeps_double:"): "only a known mistake forgets the double",
    ("csc101/game.py", "self._bet = self._first_bet"): "the same",
    ("cards.py", "self._decks = iter(decks)"): "decks that are laid: for the sessions printed in the rulings",
    ("cards.py", "laid = next(self._decks, ())"): "the same",
    ("cards.py", "known = set(laid)"): "the same",
    ("cards.py", "return [card for card in FRESH_DECK if card not in known] + list(laid)"): "the same",
}

#: What only another option leads to, and there only rare cards: chance decides whether a run comes there.
BY_CHANCE = {
    ("csc101/game.py", "if self._rules.shows_both_21 or not (self._is_finished(0) and self._is_finished(1)):"),
}


def missed(report):
    """Each line that was not run, and each that was never left one of its ways, with its file."""
    for path, found in report["files"].items():
        if any(part.removesuffix(".py") in OTHERS for part in path.split("/")) or "players" in path:
            continue
        lines = (ROOT / path).read_text().splitlines()
        numbers = {*found["missing_lines"], *(start for start, _ in found["missing_branches"])}
        yield from ((path.removeprefix("reference/"), lines[number - 1].strip()) for number in numbers)


@pytest.mark.slow
def test_the_specs_run_every_line_and_branch_of_the_reference(tmp_path):
    coverage = [sys.executable, "-m", "coverage"]
    data, report = tmp_path / "data", tmp_path / "report.json"
    run = ["run", "--branch", "--source", "reference", "--data-file", str(data), "-m", "tests.covered"]
    subprocess.run([*coverage, *run], check=True, cwd=ROOT)
    subprocess.run([*coverage, "json", "-q", "--data-file", str(data), "-o", str(report)], check=True, cwd=ROOT)
    assert set(missed(json.loads(report.read_text()))) - BY_CHANCE == set(UNRULED)
