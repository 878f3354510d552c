"""How wide what is printed is, by COLUMNS and LINES as terminals and containers set them."""

import pytest

from pitboss.cli.consoles import error_console, report_console
from pitboss.cli.main import exit_code_of
from tests.conftest import ROOT

HELLO = ROOT / "tests" / "toy" / "hello"
#: Sizes that no terminal has: they count as not given.
NO_SIZES = [
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
@pytest.mark.parametrize("given", [*NO_SIZES, ""])
def test_a_width_that_no_terminal_has_counts_as_not_given(monkeypatch, console, given):
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    usual = console().size
    monkeypatch.setenv("COLUMNS", given)
    monkeypatch.setenv("LINES", "\N{SUPERSCRIPT TWO}")
    assert console().size == usual


@pytest.mark.parametrize("given", [20, 80, 200, 9999])
def test_a_width_that_a_terminal_can_have_counts(monkeypatch, given):
    monkeypatch.setenv("COLUMNS", str(given))
    assert report_console().width == error_console().width == given


@pytest.mark.parametrize("given", ["0", "\N{SUPERSCRIPT TWO}"])
def test_a_session_is_explained_whatever_width_is_given(monkeypatch, capsys, tmp_path, given):
    monkeypatch.chdir(tmp_path)
    words = ["explain", "goodbye", "once", "-a", str(HELLO)]
    monkeypatch.setenv("COLUMNS", "80")
    assert exit_code_of(words) == 0
    usual = capsys.readouterr()
    monkeypatch.setenv("COLUMNS", given)
    assert exit_code_of(words) == 0
    assert capsys.readouterr() == usual
