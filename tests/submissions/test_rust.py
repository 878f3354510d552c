"""Rust, a language that is a record and skeletons alone. Built, judged, explained, measured and compared like the others."""

import pytest

from pitboss.harness.assignments.specfile import load_assignment
from pitboss.harness.grading.check import check
from pitboss.harness.judging.verdicts import Verdict
from pitboss.harness.languages import LANGUAGES
from pitboss.harness.languages.record import Language, Tool
from pitboss.harness.running.drivers import find_conditions
from pitboss.harness.running.job import Job
from pitboss.harness.similarity.tokens import tokens_of
from pitboss.harness.style.facts import facts_of
from pitboss.harness.style.masking import masked
from pitboss.harness.submissions import toolchains
from pitboss.harness.submissions.commands import Outcome
from pitboss.harness.submissions.comments import top_comment
from pitboss.harness.submissions.sources import Source
from tests.conftest import ROOT

DICE = load_assignment(ROOT / "tests" / "toy" / "dice")
PIG = (ROOT / "tests" / "grading" / "pigs" / "rust" / "pig.rs").read_text()
NEEDS = pytest.mark.needs("Rust")


def checked(folder, text):
    (folder / "pig.rs").write_text(text)
    (stage,) = check(Job(DICE, DICE.stages, find_conditions(), "dice"), folder).stages
    return stage


@NEEDS
def test_a_right_program_is_accepted_and_a_wrong_one_is_not(reachable):
    assert checked(reachable, PIG).verdict is Verdict.ACCEPTED
    assert checked(reachable, PIG.replace("You keep", "You have")).verdict is Verdict.WRONG_ANSWER


@NEEDS
def test_the_first_error_of_the_compiler_is_the_reason(reachable):
    stage = checked(reachable, PIG.replace("fn roll()", "fn rolled()"))
    assert stage.verdict is Verdict.COMPILE_ERROR
    assert stage.summary == ("rustc could not build pig: error[E0425]: cannot find function `roll` in this scope")


@NEEDS
def test_a_panic_is_an_error_that_nobody_caught(reachable):
    stage = checked(reachable, PIG.replace("let number = roll();", 'let number: u64 = "six".parse().unwrap();'))
    failed = next(one for one in stage.results if one.verdict is Verdict.RUN_TIME_ERROR)
    assert failed.summary.startswith(
        "It stopped with an error: called `Result::unwrap()` on an `Err` value: ParseIntError"
    )


def test_texts_and_comments_are_no_code_and_a_lifetime_is():
    text = """fn f<'a>(x: &'a str) -> char { /* { */ let y = r#"}"{"#; '{' } // {"""
    assert masked(text, "rust").count("{") == masked(text, "rust").count("}") == 1
    assert "'a" in masked(text, "rust")


def test_the_style_and_the_likeness_of_programs_are_measured():
    renamed = PIG.replace("points", "sum").replace("number", "n")
    (one, other), _ = tokens_of([("pig.rs", PIG), ("other.rs", renamed)])
    assert one.symbols == other.symbols
    assert len(set(one.symbols)) > 20
    long = "fn main() {\n" + "    println!();\n" * 90 + "}\n"
    assert any(fact.kind == "monolithic_main" for fact in facts_of([("pig.rs", long)]))


def test_what_compiles_it_and_its_package_are_known():
    assert LANGUAGES["rust"].packages == ("rustc",)


def test_a_language_may_be_run_by_a_command_and_compiled_by_none(tmp_path):
    """As an interpreter does; what is compiled may be run by one too, as an interpreter of bytes is."""

    def program(**commands):
        toolchain = toolchains._by_command(Language("one", "One", (".one",), tools=(Tool("cat", ()),), **commands))
        return toolchain.build(Source(tmp_path, "one", "a.one", "a"), tmp_path, run).program

    def run(*argv):
        ran.append(argv)
        (tmp_path / "a").write_text("#!/bin/sh\n")
        (tmp_path / "a").chmod(0o755)
        return Outcome(0, "")

    ran, cat = [], toolchains.found("cat")
    assert program(run=("cat", "-n", "{file}")).argv == (cat, "-n", f"{tmp_path}/a.one")
    assert ran == []
    assert program(compile=("make", "-o{program}", "{file}"), run=("cat", "{program}")).argv == (cat, f"{tmp_path}/a")
    assert ran == [("make", "-oa", "a.one")]


@pytest.mark.parametrize(
    "text", ["//! Pig,\n//! by me.\nfn main() {}\n", "/* Pig,\n * by me. */\n", "// Pig,\n// by me.\n"]
)
def test_the_comment_at_the_top_is_read(tmp_path, text):
    (tmp_path / "pig.rs").write_text(text)
    assert top_comment(Source(tmp_path, "rust", "pig.rs", "pig")) == "Pig,\nby me."
