import re

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "coming-from.md").read_text().partition("## How many lines that is\n")[2]
CANNOT_BE_SAID = "cannot be said"


def test_the_table_has_the_line_counts_of_the_listings():
    table, *tasks = re.split(r"^### ", PAGE.partition("\n## ")[0], flags=re.MULTILINE)
    _header, _ruler, *rows = [line.split("|") for line in table.splitlines() if line.startswith("|")]
    # The first column names the task; the next three are the counts.
    assert [counts_in(task) for task in tasks] == [[cell.strip() for cell in row[2:5]] for row in rows]


def counts_in(task):
    """The numbers of non-empty lines in a task's listings for check50, Kattis and pitboss."""
    listings = dict(re.findall(r"^```\w+ title=\"(\w+).*?\"\n(.*?)^```", task, re.MULTILINE | re.DOTALL))
    counts = {name: str(sum(bool(line.strip()) for line in text.splitlines())) for name, text in listings.items()}
    return [counts.get(name, CANNOT_BE_SAID) for name in ("check50", "Kattis", "pitboss")]
