"""Each assignment imports from its own folder: a module of the same name elsewhere is a different module."""

import importlib
import shutil
import sys

import pytest

from pitboss.assignments.functions import (
    module_locations,
    parse_function_name,
    qualified_name,
    resolve_function,
    source_file_of_module,
)
from pitboss.assignments.specfile import load_assignment
from pitboss.data import SHIPPED
from pitboss.errors import SpecError


def write_files(path, files):
    """Write the files, texts by name, below the folder `path`, and return this folder."""
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def import_function(path, module, function="main"):
    """The function, as the assignment in the folder `path` would import it."""
    return resolve_function(qualified_name(module, function, path), "the reference")


@pytest.mark.parametrize("module", ["reference.game", "game"])
def test_two_assignments_can_have_modules_of_the_same_name(tmp_path, module):
    """Modules that a function imports only when it is called come from its own assignment too."""
    game_source = "import {0}rules\n\ndef main():\n    from {0}late import NAME\n    return {0}rules.NAME + NAME\n"
    package = "reference." if "." in module else ""
    mains = []
    for name in ("one", "two"):
        files = {
            "game.py": game_source.format(package),
            "rules.py": f"NAME = '{name}'\n",
            "late.py": f"NAME = '{name}'\n",
        }
        if package:
            files["__init__.py"] = ""
        write_files(tmp_path / name / package.removesuffix("."), files)
        mains.append(import_function(tmp_path / name, module))
    assert [main() for main in mains] == ["oneone", "twotwo"]
    assert "rules" not in sys.modules


def test_every_form_of_import_finds_modules_of_the_assignment(tmp_path):
    files = {
        "shop/__init__.py": "",
        "shop/till/__init__.py": "from ..goods import PRICE\n",
        "shop/goods.py": "from dataclasses import dataclass, field\n\nPRICE = 3\n\n\n@dataclass\nclass Ware:\n    x: 'int' = 4\n",
        "loose/more.py": "SUM = 5\n",
        "game.py": "import shop.till, loose.more as more, json\nfrom shop import goods\nfrom shop.goods import Ware\n"
        "from math import pi\n\n"
        "def main():\n    return json.dumps([shop.till.PRICE, goods.PRICE, Ware().x, more.SUM, int(pi)])\n",
    }
    assert import_function(write_files(tmp_path, files), "game")() == "[3, 3, 4, 5, 3]"


def test_imports_prefer_the_stdlib_to_a_module_of_the_assignment(tmp_path):
    """`calendar` is found as a module of the assignment, but its `import string` finds Python's own module."""
    files = {
        "calendar.py": "import string\n\ndef main():\n    return string.digits\n",
        "string.py": "digits = 'none'\n",
    }
    assert import_function(write_files(tmp_path, files), "calendar")() == "0123456789"
    assert importlib.import_module("calendar").__file__ != str(tmp_path / "calendar.py")


def test_a_failed_import_is_reported_with_the_names_in_the_source(tmp_path):
    files = {
        "game.py": "import shop.nothing\n",
        "till.py": "from shop import nothing\n",
        "shop/__init__.py": "",
    }
    for module, message in (
        ("game", "ModuleNotFoundError: No module named 'shop.nothing'"),
        ("till", "ImportError: cannot import name 'nothing' from 'shop'"),
    ):
        with pytest.raises(SpecError) as error:
            import_function(write_files(tmp_path, files), module)
        prefix = f"{tmp_path}/{module}.py:1: the reference: '{module}:main' cannot be imported: it failed"
        assert str(error.value).startswith(f"{prefix}: {message}")
    with pytest.raises(
        SpecError, match=r"^the reference: 'shop.more:main' cannot be imported: No module named 'shop.more'$"
    ):
        import_function(tmp_path, "shop.more")


def test_an_assignment_s_reference_package_hides_the_shipped_one(tmp_path):
    assert module_locations(str(tmp_path), "reference") == [SHIPPED / "reference"]
    assert source_file_of_module(str(tmp_path), "reference.cards") == SHIPPED / "reference" / "cards.py"
    write_files(tmp_path, {"reference/__init__.py": ""})
    assert module_locations(str(tmp_path), "reference") == [tmp_path / "reference"]
    assert source_file_of_module(str(tmp_path), "reference.cards") is None


def test_copied_specs_may_use_the_old_module_name_pitboss_reference(tmp_path):
    text = (SHIPPED / "specs" / "blackjack" / "assignment.yaml").read_text()
    shutil.copytree(SHIPPED / "specs" / "blackjack", tmp_path / "blackjack")
    (tmp_path / "blackjack" / "assignment.yaml").write_text(text.replace(" reference.", " pitboss.reference."))
    stage = load_assignment(tmp_path / "blackjack").stages[0]
    assert stage.reference.function == f"{tmp_path}/blackjack:reference.blackjack.shuffle:main"


def test_the_assignment_s_folder_can_hide_a_library_but_the_working_directory_cannot(tmp_path, monkeypatch):
    path = write_files(
        tmp_path / "specs" / "meter", {"game.py": "import yaml\n\ndef main():\n    return yaml.__name__\n"}
    )
    write_files(tmp_path, {"yaml.py": "raise ValueError\n", "numpy.py": "raise ValueError\n"})
    monkeypatch.chdir(tmp_path)
    assert import_function(path, "game")() == "yaml"
    files = {"yaml.py": "", "game.py": "import yaml\n\ndef main():\n    return yaml.__file__\n"}
    path = write_files(tmp_path / "specs" / "parking", files)
    assert module_locations(str(path), "yaml") == [path / "yaml.py"]
    assert import_function(path, "game")() == str(path / "yaml.py")


def test_other_packages_of_the_repository_are_not_found(tmp_path):
    assert module_locations(str(tmp_path), "tests") is None


def test_modules_beside_specs_are_found_only_from_that_directory(tmp_path, monkeypatch):
    path = write_files(tmp_path / "specs" / "meter", {"assignment.yaml": ""})
    write_files(tmp_path, {"rates/__init__.py": "def main():\n    return 7\n"})
    assert module_locations(str(path), "rates") is None
    monkeypatch.chdir(tmp_path)
    assert parse_function_name(qualified_name("rates", "main", path)).folder == str(path)
    assert import_function(path, "rates")() == 7
