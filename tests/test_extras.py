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
HOW_TO_INSTALL = "not installed here: pip install 'pitboss[review]'\n"
STYLE_NOTICE = f"pitboss: measuring functions needs lizard, which is {HOW_TO_INSTALL}"
HANDOUT_NOTICE = f"pitboss: the handout is HANDOUT.md alone; its page needs markdown-it-py, which is {HOW_TO_INSTALL}"
PROGRAM = ROOT / "tests" / "submissions" / "ACCEPTED" / "python"
HELLO = ROOT / "tests" / "toy" / "hello"
#: Imports every module of pitboss, except those of the review (imported only by the command, once its libraries are
#: there) and the pytest plugin.
IMPORT_ALL_MODULES = """
import importlib, pkgutil
import pitboss
for module in pkgutil.walk_packages(pitboss.__path__, "pitboss."):
    if module.name not in ("pitboss.reports.review.access", "pitboss.reports.review.application", "pitboss.pytest_plugin"):
        importlib.import_module(module.name)
"""


@pytest.fixture
def environment_lacking(tmp_path_factory):
    """A function that returns the environment variables of a Python which cannot import the named libraries."""

    def build_environment(*names):
        folder = tmp_path_factory.mktemp("without")
        (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({names}))\n")
        return {"PYTHONPATH": f"{folder}:{ROOT}/harness"}

    return build_environment


@pytest.fixture
def grade_class(tmp_path, pitboss):
    """A function that grades a class of one student into a gradebook of the given name, and returns that name."""
    shutil.copytree(PROGRAM, tmp_path / "class" / "ada")

    def grade(name, **environment):
        output = pitboss("grade", "class", "-a", f"{TOY}/", "--fresh", "--gradebook", name, **environment)
        assert (output.code, "needs" in output.err) == (0, False), output
        return name

    return grade


def distribution_name(requirement):
    """The name in a requirement: "lizard" of "lizard>=1.17"."""
    return re.match(r"[\w.-]+", requirement)[0]


def test_extras_install_their_libraries_and_nothing_else_does():
    extras = PROJECT["optional-dependencies"]
    assert set(map(distribution_name, extras["review"])) == {LIBRARIES[name].title for name in REVIEW}
    assert list(map(distribution_name, extras["cluster"])) == ["distributed"]
    assert set(map(distribution_name, extras["constructs"])) == {
        library.title for library in LIBRARIES.values() if library.extra == "constructs"
    }
    optional = extras["review"] + extras["cluster"] + extras["constructs"]
    assert not {*map(distribution_name, PROJECT["dependencies"])} & {*map(distribution_name, optional)}
    assert "pitboss[cluster,constructs,docs,review]" in extras["dev"]


def test_missing_libraries_are_named_with_their_extra(monkeypatch):
    assert missing_for("a test", *LIBRARIES) == ""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert missing_for("a test", "lizard", "uvicorn") == f"a test needs uvicorn, which is {HOW_TO_INSTALL}".rstrip()
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert missing_for("a test", "starlette", "uvicorn") == (
        f"a test needs starlette and uvicorn, which are {HOW_TO_INSTALL}".rstrip()
    )


def test_importing_pitboss_modules_needs_no_library_of_an_extra(environment_lacking):
    environment = {**ENVIRONMENT, **environment_lacking(*LIBRARIES)}
    process = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL_MODULES], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (process.returncode, process.stderr) == (0, "")


def test_the_review_names_the_libraries_it_needs(grade_class, pitboss, environment_lacking):
    book = grade_class("book")
    for missing, requirement in ((REVIEW, "starlette and uvicorn, which are"), (("uvicorn",), "uvicorn, which is")):
        output = pitboss("review", book, "--no-browser", **environment_lacking(*missing))
        assert output == (2, "", f"pitboss: `pitboss review` needs {requirement} {HOW_TO_INSTALL}")
    assert pitboss("review", "--help", **environment_lacking(*REVIEW)).code == 0


def test_the_review_reports_that_functions_are_not_measured(grade_class, tmp_path, environment_lacking):
    command = [sys.executable, "-m", "pitboss", "review", grade_class("book"), "--no-browser"]
    environment = {**ENVIRONMENT, **environment_lacking("lizard"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as review:
        first_line = review.stdout.readline()
        review.kill()
        assert first_line.startswith("Review of book, for you alone: http://127.0.0.1:")
        assert review.stderr.read() == STYLE_NOTICE


def test_without_the_review_extra_scores_stay_and_pages_name_what_is_missing(
    grade_class, pitboss, environment_lacking, tmp_path
):
    lacking_review = environment_lacking(*REVIEW)
    score_files, has_notice = {}, {}
    for name, environment, notice in (("whole", {}, ""), ("bare", lacking_review, STYLE_NOTICE)):
        grade_class(name, **environment)
        output = pitboss("scores", name, "--csv", f"{name}.csv", "--html", f"{name}-pages", **environment)
        assert (output.code, output.err) == (0, notice)
        (page,) = (tmp_path / f"{name}-pages").iterdir()
        score_files[name] = (tmp_path / f"{name}.csv").read_text()
        has_notice[name] = "its functions were not measured" in page.read_text()
    assert score_files["whole"] == score_files["bare"]
    assert has_notice == {"whole": False, "bare": True}


def test_without_the_review_extra_a_kit_and_a_bundle_have_a_markdown_handout_only(
    pitboss, environment_lacking, tmp_path
):
    output = pitboss("starter", HELLO, "--into", "kit", **environment_lacking(*REVIEW))
    assert (output.code, output.err.count("HANDOUT"), output.err.startswith(HANDOUT_NOTICE)) == (0, 1, True)
    assert output.out == "kit: .vscode/tasks.json, HANDOUT.md, Makefile, goodbye.c, hello.c\n"
    assert not (tmp_path / "kit" / "HANDOUT.html").exists()
    output = pitboss("export", HELLO, "--into", "bundle", **environment_lacking(*REVIEW))
    assert (output.code, HANDOUT_NOTICE in output.err, "HANDOUT.html" in output.out) == (0, True, False)
    assert "HANDOUT.html" in pitboss("export", HELLO, "--into", "whole").out


def test_check_and_gradescope_need_no_extra(pitboss, environment_lacking):
    lacking_all = environment_lacking(*LIBRARIES)
    output = pitboss("check", PROGRAM, "-a", f"{TOY}/", "--fresh", **lacking_all)
    assert (output.code, output.err) == (0, "")
    assert pitboss("gradescope", f"{TOY}/", "-o", "archive.zip", **lacking_all).code == 0
