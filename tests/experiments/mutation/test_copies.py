"""Copies of a reference: beside Python's own modules, and of one piece."""

import sys

import pytest

from pitboss.assignments.functions import parts_of, path_from, resolve_function
from pitboss.errors import SpecError
from pitboss.experiments.mutants.trial import Ran
from pitboss.experiments.mutation.copies import Copy, Original

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
    """A package whose modules import each other in every way."""
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


def shown(main):
    console = Console()
    main(console)
    return console.text


def test_a_copy_is_of_one_piece_and_no_module_of_pythons(shop):
    goods = path_from(parts_of(shop).folder).load("shop.goods")
    before = dict(sys.modules)
    original = Original(shop)
    copy = Copy(original)
    assert shown(copy.main()) == "2\n"
    assert sys.modules == before
    assert copy.modules["shop.goods"].Size is not goods.Size
    assert set(original.modules) == {"shop", "shop.goods", "shop.till", "shop.main"}


def test_a_mutant_is_seen_by_the_modules_that_depend_on_it_and_by_no_other_copy(shop):
    original = Original(shop)
    Copy(original).main()
    (mutant,) = (
        one
        for one in original.module("shop.goods").mutants(range(original.module("shop.goods").size))
        if one.id == "shop.goods: PRICES = {Size.SMALL: 2, Size.LARGE: 3} → PRICES = {Size.SMALL: 3, Size.LARGE: 3}"
    )
    assert shown(Copy(original, {mutant.module: mutant.code()}).main()) == "3\n"
    assert shown(Copy(original).main()) == "2\n"
    goods = path_from(parts_of(shop).folder).load("shop.goods")
    assert goods.PRICES == {goods.Size.SMALL: 2, goods.Size.LARGE: 3}


def test_what_runs_is_noted_with_its_parts(shop):
    original = Original(shop)
    ran = Ran(original)
    assert shown(ran.main) == "2\n"
    module = original.module("shop.main")
    text = {module.scope_of(one) + ": " + line for one, line in _lines(module, ran.take(), "shop.main")}
    assert text == {
        "shop.main:main: console.write(json.dumps(till.price(Ware())) + '\\n')",
        "shop.main:main: if console.read_line() == 'more': …",
    }
    assert ran.take() == set()


def _lines(module, taken, name):
    from pitboss.experiments.mutation.places import headline

    return [(place, headline(place.node)) for place in module.places if (name, place.number) in taken]


def test_the_module_beside_the_assignment_is_copied_alone(tmp_path):
    path = tmp_path / "saying.py"
    path.write_text("from json import dumps\n\ndef hello(console):\n    console.write(dumps('hello'))\n")
    original = Original(f"{tmp_path}:saying:hello")
    assert shown(Copy(original).main()) == '"hello"'
    assert set(original.modules) == {"saying"}


def test_a_function_that_is_missing_is_an_error(tmp_path):
    path = tmp_path / "saying.py"
    path.write_text("def hello(console):\n    pass\n")
    with pytest.raises(SpecError, match=r"^saying has no function 'goodbye'$"):
        Copy(Original(f"{tmp_path}:saying:goodbye")).main()
