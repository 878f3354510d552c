"""Each assignment imports from a path of its own: what has the same name elsewhere is something else."""

import importlib
import shutil
import sys

import pytest

from pitboss.assignments.functions import file_of, module_locations, parts_of, qualified_name, resolve_function
from pitboss.assignments.specfile import load_assignment
from pitboss.data import SHIPPED
from pitboss.errors import SpecError


def folder(path, files):
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def found(path, module, function="main"):
    return resolve_function(qualified_name(module, function, path), "the reference")


@pytest.mark.parametrize("module", ["reference.game", "game"])
def test_two_assignments_have_modules_of_the_same_names(tmp_path, module):
    """Also what a function imports when it is called comes from its own assignment."""
    text = "import {0}rules\n\ndef main():\n    from {0}late import NAME\n    return {0}rules.NAME + NAME\n"
    prefix = "reference." if "." in module else ""
    mains = []
    for name in ("one", "two"):
        inside = prefix.replace(".", "/")
        files = {"game": text.format(prefix), "rules": f"NAME = '{name}'\n", "late": f"NAME = '{name}'\n"}
        files |= {"__init__": ""} if inside else {}
        mains.append(found(folder(tmp_path / name, {f"{inside}{one}.py": it for one, it in files.items()}), module))
    assert [main() for main in mains] == ["oneone", "twotwo"]
    assert "rules" not in sys.modules


def test_every_way_to_import_finds_what_is_beside_it(tmp_path):
    files = {
        "shop/__init__.py": "",
        "shop/till/__init__.py": "from ..goods import PRICE\n",
        "shop/goods.py": "from dataclasses import dataclass, field\n\nPRICE = 3\n\n\n@dataclass\nclass Ware:\n    x: 'int' = 4\n",
        "loose/more.py": "SUM = 5\n",
        "game.py": "import shop.till, loose.more as more, json\nfrom shop import goods\nfrom shop.goods import Ware\n"
        "from math import pi\n\n"
        "def main():\n    return json.dumps([shop.till.PRICE, goods.PRICE, Ware().x, more.SUM, int(pi)])\n",
    }
    assert found(folder(tmp_path, files), "game")() == "[3, 3, 4, 5, 3]"


def test_a_module_with_the_name_of_one_of_pythons_is_found_only_where_it_is_named(tmp_path):
    files = {
        "calendar.py": "import string\n\ndef main():\n    return string.digits\n",
        "string.py": "digits = 'none'\n",
    }
    assert found(folder(tmp_path, files), "calendar")() == "0123456789"
    assert importlib.import_module("calendar").__file__ != str(tmp_path / "calendar.py")


def test_a_module_that_lacks_another_is_reported_by_the_names_that_stand_in_it(tmp_path):
    files = {
        "game.py": "import shop.nothing\n",
        "till.py": "from shop import nothing\n",
        "shop/__init__.py": "",
    }
    for module, output in (
        ("game", "ModuleNotFoundError: No module named 'shop.nothing'"),
        ("till", "ImportError: cannot import name 'nothing' from 'shop'"),
    ):
        with pytest.raises(SpecError) as error:
            found(folder(tmp_path, files), module)
        place = f"{tmp_path}/{module}.py:1: the reference: '{module}:main' cannot be imported: it failed"
        assert str(error.value).startswith(f"{place}: {output}")
    with pytest.raises(
        SpecError, match=r"^the reference: 'shop.more:main' cannot be imported: No module named 'shop.more'$"
    ):
        found(tmp_path, "shop.more")


def test_a_reference_of_ones_own_comes_before_the_one_that_pitboss_brings(tmp_path):
    assert module_locations(str(tmp_path), "reference") == [SHIPPED / "reference"]
    assert file_of(str(tmp_path), "reference.cards") == SHIPPED / "reference" / "cards.py"
    folder(tmp_path, {"reference/__init__.py": ""})
    assert module_locations(str(tmp_path), "reference") == [tmp_path / "reference"]
    assert file_of(str(tmp_path), "reference.cards") is None


def test_a_copy_of_our_specs_may_name_the_reference_as_it_was_called(tmp_path):
    text = (SHIPPED / "specs" / "blackjack" / "assignment.yaml").read_text()
    shutil.copytree(SHIPPED / "specs" / "blackjack", tmp_path / "blackjack")
    (tmp_path / "blackjack" / "assignment.yaml").write_text(text.replace(" reference.", " pitboss.reference."))
    stage = load_assignment(tmp_path / "blackjack").stages[0]
    assert stage.reference.function == f"{tmp_path}/blackjack:reference.blackjack.shuffle:main"


def test_what_lies_where_somebody_works_is_taken_for_no_library(tmp_path, monkeypatch):
    path = folder(tmp_path / "specs" / "meter", {"game.py": "import yaml\n\ndef main():\n    return yaml.__name__\n"})
    folder(tmp_path, {"yaml.py": "raise ValueError\n", "numpy.py": "raise ValueError\n"})
    monkeypatch.chdir(tmp_path)
    assert found(path, "game")() == "yaml"
    folder(path, {"yaml.py": "", "late.py": "import yaml\n\ndef main():\n    return yaml.__file__\n"})
    importlib.invalidate_caches()
    assert module_locations(str(path), "yaml") == [path / "yaml.py"]


def test_nothing_else_of_the_repository_is_found(tmp_path):
    assert module_locations(str(tmp_path), "tests") is None


def test_what_is_beside_the_specs_is_found_from_there_alone(tmp_path, monkeypatch):
    path = folder(tmp_path / "specs" / "meter", {"assignment.yaml": ""})
    folder(tmp_path, {"rates/__init__.py": "def main():\n    return 7\n"})
    assert module_locations(str(path), "rates") is None
    monkeypatch.chdir(tmp_path)
    assert parts_of(qualified_name("rates", "main", path)).folder == str(path)
    assert found(path, "rates")() == 7
