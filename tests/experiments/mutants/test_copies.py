"""Copies of a reference are complete: their modules import each other, independently of `sys.modules`."""

import sys

import pytest

from pitboss.assignments.functions import import_path_from, parse_function_name, resolve_function
from pitboss.errors import SpecError
from pitboss.experiments.mutants.copies import Copy, Original
from pitboss.experiments.mutants.trial import StatementCoverage

PACKAGE = {
    "__init__.py": '"""A shop."""\n',
    "goods.py": """
from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True)
class Ware:
    size: Size = Size.SMALL
    marks: list[int] = field(default_factory=list)


UNUSED = 5
PRICES = {Size.SMALL: 2, Size.LARGE: 3}
""",
    "till.py": """
from . import goods
from .goods import PRICES, Size
import shop.goods as wares


def price(ware):
    assert isinstance(ware, goods.Ware) and ware.size is wares.Size.SMALL and Size is wares.Size
    assert ware == goods.Ware(Size.SMALL)
    return PRICES[ware.size]
""",
    "main.py": """
import json
from shop import till
from shop.goods import Ware


def main(console):
    console.write(json.dumps(till.price(Ware())) + "\\n")
    if console.read_line() == "more":
        console.write("more\\n")
""",
}


@pytest.fixture
def shop(tmp_path):
    """The name of the main function of a package whose modules import each other in every way."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / name).write_text(text)
    name = f"{tmp_path}:shop.main:main"
    resolve_function(name, "the reference")  # as the harness does before it makes copies
    return name


class Console:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def read_line(self):
        return None


def run_main(main):
    """What this main function writes to its console."""
    console = Console()
    main(console)
    return console.text


def test_the_modules_of_a_copy_import_each_other_and_stay_out_of_sys_modules(shop):
    goods = import_path_from(parse_function_name(shop).folder).load("shop.goods")
    before = dict(sys.modules)
    original = Original(shop)
    copy = Copy(original)
    assert run_main(copy.main()) == "2\n"
    assert sys.modules == before
    assert copy.modules["shop.goods"].Size is not goods.Size
    assert set(original.modules) == {"shop", "shop.goods", "shop.till", "shop.main"}


def test_a_mutated_module_affects_all_modules_of_its_copy_but_no_other_copy(shop):
    original = Original(shop)
    Copy(original).main()
    (mutant,) = (
        candidate
        for candidate in original.module("shop.goods").mutants(range(original.module("shop.goods").size))
        if candidate.id
        == "shop.goods: PRICES = {Size.SMALL: 2, Size.LARGE: 3} → PRICES = {Size.SMALL: 3, Size.LARGE: 3}"
    )
    assert run_main(Copy(original, {mutant.module: mutant.code()}).main()) == "3\n"
    assert run_main(Copy(original).main()) == "2\n"
    goods = import_path_from(parse_function_name(shop).folder).load("shop.goods")
    assert goods.PRICES == {goods.Size.SMALL: 2, goods.Size.LARGE: 3}


def test_statement_coverage_records_each_executed_statement(shop):
    original = Original(shop)
    coverage = StatementCoverage(original)
    assert run_main(coverage.main) == "2\n"
    module = original.module("shop.main")
    statements = {
        module.scope_of(place) + ": " + line for place, line in executed_lines(module, coverage.take(), "shop.main")
    }
    assert statements == {
        "shop.main:main: console.write(json.dumps(till.price(Ware())) + '\\n')",
        "shop.main:main: if console.read_line() == 'more': …",
    }
    assert coverage.take() == set()


def executed_lines(module, executed, name):
    """The executed statements of the module of this name: the place and the first line of each."""
    from pitboss.experiments.mutation.places import headline

    return [(place, headline(place.node)) for place in module.places if (name, place.number) in executed]


def test_only_modules_of_the_assignment_are_copied(tmp_path):
    path = tmp_path / "saying.py"
    path.write_text("from json import dumps\n\ndef hello(console):\n    console.write(dumps('hello'))\n")
    original = Original(f"{tmp_path}:saying:hello")
    assert run_main(Copy(original).main()) == '"hello"'
    assert set(original.modules) == {"saying"}


def test_a_missing_function_is_an_error(tmp_path):
    path = tmp_path / "saying.py"
    path.write_text("def hello(console):\n    pass\n")
    with pytest.raises(SpecError, match=r"^saying has no function 'goodbye'$"):
        Copy(Original(f"{tmp_path}:saying:goodbye")).main()
