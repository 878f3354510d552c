import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.model.languages import LANGUAGES
from pitboss.model.languages.language import Language, Tool
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.similarity.works import code_of, tokens_of
from pitboss.reports.style_facts import facts_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions import toolchains
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.sources import Source
from pitboss.submissions.texts import top_comment
from tests.conftest import ROOT

DICE = load_assignment(ROOT / "tests" / "toy" / "dice")
#: A correct program of the game Pig in each of these languages.
PIGS = {
    language: (ROOT / "tests" / "checking" / "pigs" / language / f"pig{LANGUAGES[language].suffixes[0]}").read_text()
    for language in ("rust", "lua")
}


def skip_missing_languages(*rows):
    """Rows of parameters that begin with a language; a row is skipped where its language is not installed."""
    return [pytest.param(*row, marks=pytest.mark.needs(LANGUAGES[row[0]].title), id=row[0]) for row in rows]


def check_pig(folder, language, old="", new=""):
    """The report on the program in this language, in which `old`, if any, is replaced by `new`."""
    assert old in PIGS[language]
    text = PIGS[language].replace(old, new) if old else PIGS[language]
    (folder / f"pig{LANGUAGES[language].suffixes[0]}").write_text(text)
    (stage,) = check(Job(DICE, DICE.stages, find_conditions(), "dice"), folder).stages
    return stage


@pytest.mark.parametrize("language", skip_missing_languages(*((language,) for language in PIGS)))
def test_a_correct_program_is_accepted_and_a_wrong_one_is_not(reachable, language):
    assert check_pig(reachable, language).verdict is Verdict.ACCEPTED
    assert check_pig(reachable, language, "You keep", "You have").verdict is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(
    ("language", "old", "new", "message"),
    skip_missing_languages(
        (
            "rust",
            "fn roll()",
            "fn rolled()",
            "rustc could not build pig: error[E0425]: cannot find function `roll` in this scope",
        ),
        ("lua", " then", "", "luac5.4 could not build pig: luac5.4: pig.lua:8: 'then' expected near 'print'"),
    ),
)
def test_the_first_error_of_the_compiler_is_the_reason(reachable, language, old, new, message):
    stage = check_pig(reachable, language, old, new)
    assert (stage.verdict, stage.summary) == (Verdict.COMPILE_ERROR, message)


@pytest.mark.parametrize(
    ("language", "old", "new", "message"),
    skip_missing_languages(
        (
            "rust",
            "let number = roll();",
            'let number: u64 = "six".parse().unwrap();',
            " in line 24 of pig.rs: called `Result::unwrap()` on an `Err` value: ParseIntError",
        ),
        ("lua", "math.random(", "math.rndom(", ": pig.lua:15: attempt to call a nil value (field 'rndom')"),
    ),
)
def test_the_summary_names_an_uncaught_error(reachable, language, old, new, message):
    stage = check_pig(reachable, language, old, new)
    failed = next(result for result in stage.results if result.verdict is Verdict.RUN_TIME_ERROR)
    assert summary_of(failed).startswith(f"It stopped with an error{message}")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("rust", """fn f<'a>(x: &'a str) -> char { /* { */ let y = r#"}"{"#; '{' } // {"""),
        ("lua", "f{[==[ { ]] ]==], '{', \"{\"} --[[ {\n]] --{"),
    ],
)
def test_strings_and_comments_are_blanked(language, text):
    blanked = code_of(text, language)
    assert (blanked.count("{"), blanked.count("}")) == (1, 1)  # those of the code


def test_a_rust_lifetime_is_not_taken_for_a_character():
    assert "'a" in code_of("fn f<'a>(x: &'a str) -> char { '{' }", "rust")


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
def test_the_comment_at_the_top_is_read(tmp_path, language, text):
    name = f"pig{LANGUAGES[language].suffixes[0]}"
    (tmp_path / name).write_text(text)
    assert top_comment(Source(tmp_path, language, name, "pig")) == "Pig,\nby me."


def test_the_similarity_and_the_style_of_programs_are_measured():
    renamed = PIGS["rust"].replace("points", "sum").replace("number", "n")
    (original, _), (copy, _) = tokens_of([("pig.rs", PIGS["rust"])]), tokens_of([("other.rs", renamed)])
    assert original.symbols == copy.symbols
    assert len(set(original.symbols)) > 20
    long = "fn main() {\n" + "    println!();\n" * 90 + "}\n"
    assert any(fact.kind == "function_length" for fact in facts_of([("pig.rs", long)]))


def test_rust_names_the_package_that_installs_rustc():
    assert LANGUAGES["rust"].packages == ("rustc",)


class CommandRecorder:
    """Stands in for the commands of a toolchain: records each, writes a script as the program, and may fail."""

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


def test_a_language_may_have_an_interpreter_with_or_without_a_compiler(tmp_path):
    """Without a compiler it runs the source, and with one the compiled program, such as bytecode."""
    commands, cat = CommandRecorder(tmp_path), toolchains.runtime_path("cat")
    assert commands.build(run=("cat", "-n", "{file}")).program.argv == (cat, "-n", f"{tmp_path}/a.one")
    assert commands.ran == []
    result = commands.build(compile=("make", "-o{program}", "{file}"), run=("cat", "{program}"))
    assert result.program.argv == (cat, f"{tmp_path}/a")
    assert commands.ran == [("make", "-oa", "a.one")]


@pytest.mark.parametrize("compile_command", [("make", "-o{program}", "{file}"), ("make", "-n", "{file}")])
@pytest.mark.parametrize("run_command", [(), ("cat", "{file}")])
def test_a_program_that_fails_to_compile_or_parse_is_not_run(tmp_path, compile_command, run_command):
    result = CommandRecorder(tmp_path, fails=True).build(compile=compile_command, run=run_command)
    assert result.program is None
    assert result.reason.startswith("make could not build a: ")


def test_a_program_that_passes_its_syntax_check_is_interpreted(tmp_path):
    result = CommandRecorder(tmp_path).build(compile=("make", "-n", "{file}"), run=("cat", "{file}"))
    assert result.program.argv == (toolchains.runtime_path("cat"), f"{tmp_path}/a.one")
