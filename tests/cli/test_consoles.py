import pytest

from pitboss.cli.consoles import error_console, report_console

#: Values of COLUMNS that no terminal has.
INVALID_SIZES = [
    "0",
    "00",
    "-5",
    "1",
    "19",
    "\N{SUPERSCRIPT TWO}",
    "\N{ARABIC-INDIC DIGIT EIGHT}0",
    "wide",
    " 80",
    "9" * 5000,
]


@pytest.mark.parametrize("console", [report_console, error_console])
@pytest.mark.parametrize("columns", [*INVALID_SIZES, ""])
def test_an_impossible_width_is_ignored(monkeypatch, console, columns):
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    default_size = console().size
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("LINES", "\N{SUPERSCRIPT TWO}")
    assert console().size == default_size


@pytest.mark.parametrize("columns", [20, 80, 200, 9999])
def test_a_possible_width_is_used(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert report_console().width == error_console().width == columns
