"""Languages that are a record and skeletons alone: built, judged, explained, measured and compared like the others."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.model.languages import LANGUAGES
from pitboss.model.languages.language import Language, Tool
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.similarity.symbols import tokens_of
from pitboss.reports.style.facts import facts_of
from pitboss.reports.style.masking import masked
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions import toolchains
from pitboss.submissions.comments import top_comment
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.sources import Source
from tests.conftest import ROOT

DICE = load_assignment(ROOT / "tests" / "toy" / "dice")
PIGS = {
    language: (ROOT / "tests" / "checking" / "pigs" / language / f"pig{LANGUAGES[language].suffixes[0]}").read_text()
    for language in ("rust", "lua")
}


def needing(*rows):
    """Parameters that begin with a language, each skipped where that is missing."""
    return [pytest.param(*row, marks=pytest.mark.needs(LANGUAGES[row[0]].title), id=row[0]) for row in rows]


def checked(folder, language, old="", new=""):
    assert old in PIGS[language]
    (folder / f"pig{LANGUAGES[language].suffixes[0]}").write_text(
        PIGS[language].replace(old, new) if old else PIGS[language]
    )
    (stage,) = check(Job(DICE, DICE.stages, find_conditions(), "dice"), folder).stages
    return stage


@pytest.mark.parametrize("language", needing(*zip(PIGS)))
def test_a_right_program_is_accepted_and_a_wrong_one_is_not(reachable, language):
    assert checked(reachable, language).verdict is Verdict.ACCEPTED
    assert checked(reachable, language, "You keep", "You have").verdict is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(
    ("language", "old", "new", "said"),
    needing(
        (
            *("rust", "fn roll()", "fn rolled()"),
            "rustc could not build pig: error[E0425]: cannot find function `roll` in this scope",
        ),
        (
            *("lua", " then", ""),
            "luac5.4 could not build pig: luac5.4: pig.lua:8: 'then' expected near 'print'",
        ),
    ),
)
def test_the_first_error_of_the_compiler_is_the_reason(reachable, language, old, new, said):
    stage = checked(reachable, language, old, new)
    assert (stage.verdict, stage.summary) == (Verdict.COMPILE_ERROR, said)


@pytest.mark.parametrize(
    ("language", "old", "new", "said"),
    needing(
        (
            *("rust", "let number = roll();", 'let number: u64 = "six".parse().unwrap();'),
            "called `Result::unwrap()` on an `Err` value: ParseIntError",
        ),
        ("lua", "math.random(", "math.rndom(", "pig.lua:15: attempt to call a nil value (field 'rndom')"),
    ),
)
def test_an_error_that_nobody_caught_is_named(reachable, language, old, new, said):
    stage = checked(reachable, language, old, new)
    failed = next(one for one in stage.results if one.verdict is Verdict.RUN_TIME_ERROR)
    assert summary_of(failed).startswith(f"It stopped with an error: {said}")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("rust", """fn f<'a>(x: &'a str) -> char { /* { */ let y = r#"}"{"#; '{' } // {"""),
        ("lua", "f{[==[ { ]] ]==], '{', \"{\"} --[[ {\n]] --{"),
    ],
)
def test_texts_and_comments_are_no_code(language, text):
    assert masked(text, language).count("{") == masked(text, language).count("}") == 1


def test_a_lifetime_is_code():
    assert "'a" in masked("fn f<'a>(x: &'a str) -> char { '{' }", "rust")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("rust", "//! Pig,\n//! by me.\nfn main() {}\n"),
        ("rust", "/* Pig,\n * by me. */\n"),
        ("rust", "// Pig,\n// by me.\n"),
        ("lua", "-- Pig,\n-- by me.\nx = 1\n"),
        ("lua", "#!/usr/bin/lua\n--[[Pig,\nby me.]]\n"),
    ],
)
def test_the_comment_at_the_top_is_read_and_asked_for(tmp_path, language, text):
    name = f"pig{LANGUAGES[language].suffixes[0]}"
    (tmp_path / name).write_text(text)
    assert top_comment(Source(tmp_path, language, name, "pig")) == "Pig,\nby me."
    assert facts_of([(name, text)]) == ()


def test_the_style_and_the_likeness_of_programs_are_measured():
    renamed = PIGS["rust"].replace("points", "sum").replace("number", "n")
    (one, other), _ = tokens_of([("pig.rs", PIGS["rust"]), ("other.rs", renamed)])
    assert one.symbols == other.symbols
    assert len(set(one.symbols)) > 20
    long = "fn main() {\n" + "    println!();\n" * 90 + "}\n"
    assert any(fact.kind == "monolithic_main" for fact in facts_of([("pig.rs", long)]))


def test_what_compiles_it_and_its_package_are_known():
    assert LANGUAGES["rust"].packages == ("rustc",)


class Commands:
    """A build by commands that make a script, or fail."""

    def __init__(self, folder, *, fails=False):
        self.folder, self.fails, self.ran = folder, fails, []

    def run(self, *argv):
        self.ran.append(argv)
        (self.folder / "a").write_text("#!/bin/sh\n")
        (self.folder / "a").chmod(0o755)
        return CommandOutcome(int(self.fails), "a.one:1: no")

    def build(self, **commands):
        toolchain = toolchains._toolchain_by_command(
            Language("one", "One", (".one",), tools=(Tool("cat", ()),), **commands)
        )
        return toolchain.build(Source(self.folder, "one", "a.one", "a"), self.folder, self.run)


def test_a_language_may_be_run_by_a_command_and_compiled_by_none(tmp_path):
    """As an interpreter does; what is compiled may be run by one too, as an interpreter of bytes is."""
    commands, cat = Commands(tmp_path), toolchains.program_path("cat")
    assert commands.build(run=("cat", "-n", "{file}")).program.argv == (cat, "-n", f"{tmp_path}/a.one")
    assert commands.ran == []
    made = commands.build(compile=("make", "-o{program}", "{file}"), run=("cat", "{program}"))
    assert made.program.argv == (cat, f"{tmp_path}/a")
    assert commands.ran == [("make", "-oa", "a.one")]


@pytest.mark.parametrize("compiles", [("make", "-o{program}", "{file}"), ("make", "-n", "{file}")])
@pytest.mark.parametrize("run", [(), ("cat", "{file}")])
def test_what_cannot_be_compiled_or_read_is_not_run(tmp_path, compiles, run):
    made = Commands(tmp_path, fails=True).build(compile=compiles, run=run)
    assert made.program is None
    assert made.reason.startswith("make could not build a: ")


def test_what_can_be_read_is_run_by_its_command(tmp_path):
    made = Commands(tmp_path).build(compile=("make", "-n", "{file}"), run=("cat", "{file}"))
    assert made.program.argv == (toolchains.program_path("cat"), f"{tmp_path}/a.one")
