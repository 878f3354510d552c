"""Facts about style: each kind is found only where it occurs, and no text raises an exception."""

import time

import lizard
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.reports.style.facts import MAX_CHARACTERS, MAX_OF_A_KIND, facts_of
from pitboss.reports.style.masking import blank_comments_and_strings
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


@pytest.mark.parametrize(
    ("path", "begin", "end", "name"),
    [
        ("a.c", "// A.\nint main(void)\n{\n", "}\nint f(void)\n{\n    return 1;\n}\n", "main"),
        ("A.java", "// A.\nclass A {\n static void main(String[] a) {\n", " }\n}\n", "A::main"),
        ("A.cs", "// A.\nclass A {\n static void Main() {\n", " }\n}\n", "A::Main"),
    ],
)
def test_a_main_that_is_most_of_the_program_is_reported_with_its_share(path, begin, end, name):
    [(_, kind, text)] = facts_in(begin + statements(80) + "\n" * 3 + end, path)
    assert kind == "monolithic_main"
    assert text.startswith(f"{name} has 8") and text.endswith(" % of this file's code")


def test_the_share_of_main_counts_lines_of_code():
    text = f"// A.\nint main(void)\n{{\n{statements(77)}}}\n" + "\n// Nothing.\n" * 90 + "int f;\n" * 20
    assert facts_in(text) == [(2, "monolithic_main", "main has 80 lines, 80 % of this file's code")]


def test_a_long_main_in_a_much_longer_file_is_not_monolithic():
    text = f"// A.\nint main(void)\n{{\n{statements(77)}}}\n" + "int f;\n" * 90
    assert facts_in(text) == [(2, "function_length", "main has 80 lines, over 60")]


def test_a_python_program_mostly_outside_of_functions_is_monolithic():
    text = "# A.\n" + "x = 1\n" * 90 + "def f():\n" + "    return 1\n" * 9
    expected = "90 lines of code, 90 % of this file's, are outside of functions"
    assert facts_in(text, "a.py") == [(2, "monolithic_main", expected)]


def test_many_parameters_are_reported():
    text = "// A.\nint f(int a, int b, int c, int d, int e)\n{\n    return a;\n}\n"
    assert facts_in(text) == []
    assert facts_in(text.replace("int e", "int e, int g")) == [(2, "parameters", "f has 6 parameters, over 5")]


def test_a_function_with_many_branches_is_reported():
    text = "# A.\ndef f(x):\n" + "    if x:\n        x = 1\n" * 15 + "    return x\n"
    assert facts_in(text, "a.py") == [(2, "complexity", "f has a cyclomatic complexity of 16, over 15")]


def test_strings_and_comments_are_not_taken_for_code():
    masked = "// A.\n/* lizard forgives */\n" + 'char *s = "if (x) { /* ";\n// if (x) {\n'
    assert facts_in(masked + "int f(int a, int b, int c, int d, int e, int g)\n{\n    return a;\n}\n") == [
        (5, "parameters", "f has 6 parameters, over 5")
    ]


def test_tabs_and_spaces_are_reported_at_the_first_line_of_the_rarer_kind():
    text = "// A.\nint f(void)\n{\n\tint a;\n\tint b;\n        return 1;\n}\n"
    expected = "2 lines are indented with tabs, and 1 line is with spaces"
    assert facts_in(text) == [(6, "indentation", expected)]


def test_a_comment_aligned_with_spaces_is_not_mixed_indentation():
    assert facts_in("/* A.\n * B.\n */\nint f(void)\n{\n\treturn 1;\n}\n") == []


def test_a_line_that_leaves_its_block_is_reported():
    text = "// A.\nint f(int x)\n{\n    int a;\n  x = 1;\n    return x;\n}\n"
    expected = "indented by 2 spaces, while line 4 of the same block is indented by 4 spaces"
    assert facts_in(text) == [(5, "indentation", expected)]


def test_a_block_that_is_not_indented_is_reported_once():
    text = "// A.\nint f(int x)\n{\n    if (x) {\n    x = 1;\n    x = 2;\n    }\n    return x;\n}\n"
    assert facts_in(text) == [(5, "indentation", "indented by 4 spaces, no more than line 4, which opens the block")]


@pytest.mark.parametrize(
    "body",
    [
        "    switch (x) {\n    case 1:\n        x = 2;\n        break;\n    default: x = 1; break;\n    }\n",
        "    if (x)\n        x = 1;\n    else if (x)\n        x = 2;\n    else\n        x = 3;\n    x = 4;\n",
        "    for (;;)\n        for (x = 0;\n             x < 3;\n             x++)\n            f(x,\n  x);\n    x = 1;\n",
        "    int a[2][2] = {\n        {1, 2},\n          {3, 4},\n    };\n    do {\n        x = 1;\n    } while (x);\n",
        "#define TWO(x) \\\n  x; \\\n x\n    x = 1;\nagain:\n    x = 2;\n    TWO(x);\n",
        "#ifdef A\n    if (x) {\n#else\n    if (!x) {\n#endif\n  x = 1;\n    }\n",
        "  }}}\n x = 1;\n",
    ],
    ids=["cases", "no braces", "conditions", "tables", "macros", "conditional texts", "braces that do not match"],
)
def test_layouts_of_common_styles_are_not_reported(body):
    facts = facts_in(f"// A.\nint f(int x)\n{{\n{body}    return x;\n}}\n")
    assert [fact for fact in facts if fact[1] == "indentation"] == []


def test_a_namespace_need_not_be_indented():
    assert facts_in('// A.\nnamespace cards {\nint a;\nint b;\n}\nextern "C" {\nint c;\n}\n', "a.cpp") == []


@pytest.mark.parametrize(
    ("path", "begin"),
    [("a.c", "#include <stdio.h>\n// A.\n"), ("a.py", "#!/usr/bin/env python3\nimport os\n"), ("A.cs", "using A;\n")],
)
def test_a_file_that_does_not_begin_with_a_comment_is_reported(path, begin):
    assert facts_in(begin, path) == [(0, "header_comment", "does not begin with a comment")]


@pytest.mark.parametrize(
    ("path", "begin"),
    [("a.c", "\ufeff\n /* A. */"), ("a.py", "#!/usr/bin/python3\n# A.\n"), ("a.py", "'''A.'''\n"), ("A.cs", "/// A.")],
)
def test_a_file_that_begins_with_a_comment_is_not_reported(path, begin):
    assert facts_in(begin, path) == []


def test_empty_files_and_files_in_other_languages_are_skipped():
    assert facts_of([("Makefile", "x"), ("notes.txt", "y"), ("a.c", " \n"), ("", "z"), ("a.sh", "w")]) == ()


def test_facts_beyond_the_limit_of_their_kind_are_only_counted():
    block = "    if (x) {\n    x = 1;\n    }\n"
    facts = facts_in(f"// A.\nint f(int x)\n{{\n{block * (MAX_OF_A_KIND + 3)}    return x;\n}}\n")
    assert facts[0] == (0, "indentation", "3 more remarks of this kind: indentation")
    assert len(facts) == MAX_OF_A_KIND + 1


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


@given(st.sampled_from(["c", "cpp", "csharp", "java", "python"]), st.text(alphabet="\"'/*\\\n#R@()x{ ", max_size=80))
def test_masking_keeps_the_length_and_all_line_breaks(language, text):
    mask = blank_comments_and_strings(text, language)
    assert len(mask) == len(text)
    assert [index for index, character in enumerate(mask) if character == "\n"] == [
        index for index, character in enumerate(text) if character == "\n"
    ]


def test_all_example_programs_are_examined():
    sources = [(path.name, path.read_text()) for path in sorted((ROOT / "examples").rglob("*.c"))]
    assert len(sources) > 20
    assert [fact for fact in facts_of(sources) if fact.kind == "not_examined"] == []
