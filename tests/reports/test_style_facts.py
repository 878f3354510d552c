import time

import lizard
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.reports.style_facts import MAX_CHARACTERS, facts_of
from tests.conftest import ROOT

SUFFIXES = [".c", ".h", ".cpp", ".cs", ".java", ".py"]


def facts_in(text, path="a.c"):
    return [(fact.line, fact.kind, fact.text) for fact in facts_of([(path, text)])]


def statements(count, indent="    "):
    return f"{indent}x = x + 1;\n" * count


def test_a_short_tidy_program_has_no_facts():
    tidy = "/* Adds. */\n#include <stdio.h>\n\nint main(void)\n{\n    int x = 1;\n    return x - 1;\n}\n"
    assert facts_in(tidy) == []
    assert facts_in('"""Adds."""\n\n\ndef main():\n    print(1)\n\n\nmain()\n', "a.py") == []


def test_a_long_function_is_reported_with_its_lines():
    text = f"// A.\nint f(int x)\n{{\n{statements(61)}    return x;\n}}\nint g;\n" + "int h;\n" * 100
    assert facts_in(text) == [(2, "function_length", "f has 65 lines, over 60")]


def test_a_function_of_sixty_lines_is_not_long():
    text = f"// A.\nint f(int x)\n{{\n{statements(56)}    return x;\n}}\n" + "int h;\n" * 100
    assert facts_in(text) == []


def test_many_parameters_are_reported():
    text = "// A.\nint f(int a, int b, int c, int d, int e)\n{\n    return a;\n}\n"
    assert facts_in(text) == []
    assert facts_in(text.replace("int e", "int e, int g")) == [(2, "parameters", "f has 6 parameters, over 5")]


def test_a_function_with_many_branches_is_reported():
    text = "# A.\ndef f(x):\n" + "    if x:\n        x = 1\n" * 15 + "    return x\n"
    assert facts_in(text, "a.py") == [(2, "complexity", "f has a cyclomatic complexity of 16, over 15")]


@pytest.mark.parametrize(
    "comment", ["/* lizard forgives */", "//#lizard forgives", "// GENERATED CODE", "//#lizard forgive global"]
)
def test_no_string_and_no_comment_hides_a_function(comment):
    before = comment + '\nchar *s = "if (x) { /* ";\n// if (x) {\n'
    assert facts_in(
        before + f"int f(int a, int b, int c, int d, int e, int g)\n{{\n{comment}\n    return a;\n}}\n"
    ) == [(4, "parameters", "f has 6 parameters, over 5")]


def test_empty_files_and_files_in_other_languages_are_skipped():
    assert facts_of([("Makefile", "x"), ("notes.txt", "y"), ("a.c", " \n"), ("", "z"), ("a.sh", "w")]) == ()


def test_files_beyond_the_size_limit_are_reported_as_not_examined():
    long = "// A.\n" + "int a;\n" * (MAX_CHARACTERS // 7)
    assert facts_in("// A.\n" + long + long) == [
        (0, "not_examined", "not examined: the files together have over 131,072 characters")
    ]


def test_a_failure_of_lizard_is_reported(monkeypatch):
    def fails(*_):
        raise RecursionError

    monkeypatch.setattr(lizard.analyze_file, "analyze_source_code", fails)
    assert facts_in("// A.\nint f(void)\n{\n    return 1;\n}\n") == [
        (0, "not_examined", "its functions could not be found")
    ]


def test_a_very_long_function_name_is_cut():
    text = f"// A.\nint {'f' * 500}(int a, int b, int c, int d, int e, int g)\n{{\n    return a;\n}}\n"
    assert facts_in(text) == [(2, "parameters", f"{'f' * 60}… has 6 parameters, over 5")]


HOSTILE_FRAGMENTS = [
    "(",
    "{",
    "}",
    '"',
    "'",
    "/*",
    "\\",
    "<",
    "a<",
    "a::",
    'R"(',
    'f"{',
    "class A{",
    '"""',
    "\x00\xff",
    "#if\n",
    "def f(:\n ",
    '@"',
    "x=>",
    "if(x){\n",
    "f(a,\n",
    "}\n{",
    "'\n",
    '"\n',
    "[",
    "\r",
    "int f(){\n",
    "\t \t{;\n",
]


@pytest.mark.parametrize("piece", HOSTILE_FRAGMENTS)
def test_pathological_sources_are_examined_quickly(piece):
    count = MAX_CHARACTERS // len(piece)
    start = time.process_time()
    for suffix in (".cpp", ".py"):
        facts_of([(f"a{suffix}", piece * count)])
    assert time.process_time() - start < 5


@given(
    st.sampled_from(SUFFIXES),
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(
                [*HOSTILE_FRAGMENTS, "int", "main", "(x)", "{\n", "}\n", ";\n", " ", "\n", "case 1:", "else"]
            )
        ).map("".join),
    ),
)
def test_any_text_is_examined_without_an_error(suffix, text):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for fact in facts_of([(f"a{suffix}", text)]):
        assert 0 <= fact.line <= lines and fact.text.isprintable()


def test_all_example_programs_are_examined():
    sources = [(path.name, path.read_text()) for path in sorted((ROOT / "examples").rglob("*.c"))]
    assert len(sources) > 20
    assert [fact for fact in facts_of(sources) if fact.kind == "not_examined"] == []
