"""Copies of a reference are complete: their modules import each other, independently of `sys.modules`."""

import sys

import pytest

from pitboss.assignments.functions import import_path_from, parse_function_name, resolve_function
from pitboss.errors import SpecError
from pitboss.experiments.mutants.copies import Copy, Original
from pitboss.experiments.mutants.coverage import Coverage

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
    assert set(copy.modules) == {"shop", "shop.goods", "shop.till", "shop.main"}


def test_a_mutated_module_affects_all_modules_of_its_copy_but_no_other_copy(shop):
    original = Original(shop)
    Copy(original).main()
    path = original.path_of("shop.goods")
    code = compile(path.read_text().replace("SMALL: 2", "SMALL: 3"), str(path), "exec")
    assert run_main(Copy(original, {"shop.goods": code}).main()) == "3\n"
    assert run_main(Copy(original).main()) == "2\n"
    goods = import_path_from(parse_function_name(shop).folder).load("shop.goods")
    assert goods.PRICES == {goods.Size.SMALL: 2, goods.Size.LARGE: 3}


def statement_texts(coverage, lines):
    """The first line of each of these statements, after the name of the file."""
    return {
        f"{file.name}: {statement.text}"
        for file in coverage.files
        for statement in file.statements
        if (file.path, statement.lines[0]) in lines
    }


def test_coverage_records_the_statements_that_ran_and_the_definitions_that_they_use(shop):
    coverage = Coverage(Original(shop))
    assert run_main(coverage.main) == "2\n"
    ran = coverage.take()
    in_main = {
        'shop/main.py: console.write(json.dumps(till.price(Ware())) + "\\n")',
        'shop/main.py: if console.read_line() == "more":',
    }
    assert {text for text in statement_texts(coverage, ran) if "main.py" in text} == in_main
    assert coverage.take() == set()
    used = statement_texts(coverage, coverage.used())
    assert used >= in_main | {
        "shop/goods.py: PRICES = {Size.SMALL: 2, Size.LARGE: 3}",
        'shop/goods.py: SMALL = "small"',
        "shop/goods.py: size: Size = Size.SMALL",
    }
    assert "shop/goods.py: UNUSED = 5" not in used
    assert coverage.unreached() == ['shop/main.py: console.write("more\\n")']


def test_only_modules_of_the_assignment_are_copied(tmp_path):
    path = tmp_path / "saying.py"
    path.write_text("from json import dumps\n\ndef hello(console):\n    console.write(dumps('hello'))\n")
    original = Original(f"{tmp_path}:saying:hello")
    copy = Copy(original)
    assert run_main(copy.main()) == '"hello"'
    assert set(copy.modules) == {"saying"}


def test_a_missing_function_is_an_error(tmp_path):
    path = tmp_path / "saying.py"
    path.write_text("def hello(console):\n    pass\n")
    with pytest.raises(SpecError, match=r"^saying has no function 'goodbye'$"):
        Copy(Original(f"{tmp_path}:saying:goodbye")).main()
