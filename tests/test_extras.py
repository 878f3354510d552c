"""Without the libraries of an extra: a sentence says what needs them and how to install them, and the rest works."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from pitboss.extras import LIBRARIES, missing_for
from tests.conftest import ROOT, TOY
from tests.forked import ENVIRONMENT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REVIEW = tuple(name for name, library in LIBRARIES.items() if library.extra == "review")
INSTALL = "not installed here: pip install 'pitboss[review]'\n"
STYLE = f"pitboss: style facts leave out functions; measuring them needs lizard, which is {INSTALL}"
HANDOUT = f"pitboss: the handout is HANDOUT.md alone; its page needs markdown-it-py, which is {INSTALL}"
PROGRAM = ROOT / "tests" / "submissions" / "ACCEPTED" / "python"
HELLO = ROOT / "tests" / "toy" / "hello"
#: Imports each module of pitboss but those of the review, which a command imports when it has its libraries.
IMPORTED = """
import importlib, pkgutil
import pitboss
for module in pkgutil.walk_packages(pitboss.__path__, "pitboss."):
    if module.name not in ("pitboss.reports.review.access", "pitboss.reports.review.application", "pitboss.pytest_plugin"):
        importlib.import_module(module.name)
"""


@pytest.fixture
def without(tmp_path_factory):
    """Makes the environment of a Python that finds none of these libraries."""

    def environment(*names):
        folder = tmp_path_factory.mktemp("without")
        (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({names}))\n")
        return {"PYTHONPATH": f"{folder}:{ROOT}/harness"}

    return environment


@pytest.fixture
def graded(tmp_path, pitboss):
    """Grade a class of one into a gradebook of this name."""
    shutil.copytree(PROGRAM, tmp_path / "class" / "ada")

    def grade(name, **environment):
        output = pitboss("grade", "class", "-a", f"{TOY}/", "--fresh", "--gradebook", name, **environment)
        assert (output.code, "needs" in output.err) == (0, False), output
        return name

    return grade


def library_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0]


def test_extras_install_their_libraries_and_nothing_else_does():
    extras = PROJECT["optional-dependencies"]
    assert set(map(library_of, extras["review"])) == {LIBRARIES[name].title for name in REVIEW}
    assert list(map(library_of, extras["cluster"])) == ["distributed"]
    assert set(map(library_of, extras["constructs"])) == {
        library.title for library in LIBRARIES.values() if library.extra == "constructs"
    }
    optional = extras["review"] + extras["cluster"] + extras["constructs"]
    assert not {*map(library_of, PROJECT["dependencies"])} & {*map(library_of, optional)}
    assert "pitboss[cluster,constructs,docs,review]" in extras["dev"]


def test_what_is_missing_is_named_with_its_extra(monkeypatch):
    assert missing_for("a test", *LIBRARIES) == ""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert missing_for("a test", "lizard", "uvicorn") == f"a test needs uvicorn, which is {INSTALL}".rstrip()
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert missing_for("a test", "starlette", "uvicorn") == (
        f"a test needs starlette and uvicorn, which are {INSTALL}".rstrip()
    )


def test_modules_import_libraries_of_extras_only_when_they_are_used(without):
    environment = {**ENVIRONMENT, **without(*LIBRARIES)}
    done = subprocess.run([sys.executable, "-c", IMPORTED], env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_review_says_what_it_needs(graded, pitboss, without):
    book = graded("book")
    for missing, named in ((REVIEW, "starlette and uvicorn, which are"), (("uvicorn",), "uvicorn, which is")):
        output = pitboss("review", book, "--no-browser", **without(*missing))
        assert output == (2, "", f"pitboss: `pitboss review` needs {named} {INSTALL}")
    assert pitboss("review", "--help", **without(*REVIEW)).code == 0


def test_the_review_says_that_style_facts_are_incomplete(graded, tmp_path, without):
    command = [sys.executable, "-m", "pitboss", "review", graded("book"), "--no-browser"]
    environment = {**ENVIRONMENT, **without("lizard"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=-1, stderr=-1, text=True) as review:
        begun = review.stdout.readline()
        review.kill()
        assert begun.startswith("Review of book, for you alone: http://127.0.0.1:")
        assert review.stderr.read() == STYLE


def test_scores_are_the_same_and_pages_say_that_functions_were_not_measured(graded, pitboss, without, tmp_path):
    missing = without(*REVIEW)
    texts = {}
    for name, environment, sentence in (("whole", {}, ""), ("bare", missing, STYLE)):
        graded(name, **environment)
        output = pitboss("scores", name, "--csv", f"{name}.csv", "--html", f"{name}-pages", **environment)
        assert (output.code, output.err) == (0, sentence)
        (page,) = (tmp_path / f"{name}-pages").iterdir()
        texts[name] = ((tmp_path / f"{name}.csv").read_text(), "its functions were not measured" in page.read_text())
    assert texts["whole"][0] == texts["bare"][0]
    assert (texts["whole"][1], texts["bare"][1]) == (False, True)


def test_a_kit_has_its_handout_as_markdown_alone(pitboss, without, tmp_path):
    output = pitboss("starter", HELLO, "--into", "kit", **without(*REVIEW))
    assert (output.code, output.err.count("HANDOUT"), output.err.startswith(HANDOUT)) == (0, 1, True)
    assert output.out == "kit: .vscode/tasks.json, HANDOUT.md, Makefile, goodbye.c, hello.c\n"
    assert not (tmp_path / "kit" / "HANDOUT.html").exists()


def test_a_bundle_has_its_handout_as_markdown_alone(pitboss, without, tmp_path):
    output = pitboss("export", HELLO, "--into", "bundle", **without(*REVIEW))
    assert (output.code, output.out) == (
        0,
        "bundle: .vscode/, HANDOUT.md, Makefile, README.md, goodbye.c, hello.c, specs/\n",
    )
    assert HANDOUT in output.err
    assert pitboss("export", HELLO, "--into", "whole").out.count("HANDOUT.html") == 1


def test_a_check_and_the_archive_for_gradescope_need_no_extra(pitboss, without):
    missing = without(*LIBRARIES)
    output = pitboss("check", PROGRAM, "-a", f"{TOY}/", "--fresh", **missing)
    assert (output.code, output.err) == (0, "")
    assert pitboss("gradescope", f"{TOY}/", "-o", "archive.zip", **missing).code == 0
