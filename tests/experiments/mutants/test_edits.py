"""Small changes of programs in any language, each made to the tokens of the source text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.experiments.mutants.edits import apply_edit, changes_in
from pitboss.experiments.mutants.tokens import TokenKind, tokens_of
from pitboss.model.languages import LANGUAGES


def changed_programs(text, language):
    """The text after each of its possible changes, stripped of surrounding blanks."""
    return [apply_edit(text, change.edit).strip() for change in changes_in(text, "file", language)]


#: By what is tested: the language, a program, and all programs that one change makes of it.
EXPECTED_CHANGES = {
    "a comparison": ("c", "x = a < b;", ["x = a <= b;", "x = a >= b;"]),
    "operators without blanks": ("c", "x=a<=b&&c!=d;", ["x=a<b&&c!=d;", "x=a>b&&c!=d;", "x=a<=b||c!=d;", "x=a<=b&&c==d;"]),
    "arithmetic": ("c", "x += a * b % c;", ["x -= a * b % c;", "x += a + b % c;", "x += a * b / c;"]),
    "a difference that looks like a number": ("c", "x = a-1;", ["x = a+1;", "x = a-0;", "x = a-2;"]),
    "a negative number": ("c", "return -1;", ["return -0;", "return -2;"]),
    "signs": ("c", "x = -a + !b;", ["x = a + !b;", "x = -a - !b;", "x = -a + b;"]),
    "one more and one less": ("java", "x++; --y;", ["x--; --y;", "x++; ++y;"]),
    "pointers are left alone": ("c", "int *p = &q; f(&r, *p);", []),
    "arrows and qualified names": ("cpp", "a->b = std::c;", []),
    "numbers": ("c", "x = 10 + 0x0F + 1.5f;", [
        "x = 10 - 0x0F + 1.5f;", "x = 11 + 0x0F + 1.5f;", "x = 9 + 0x0F + 1.5f;", "x = 10 + 0x0F - 1.5f;",
        "x = 10 + 0x10 + 1.5f;", "x = 10 + 0xe + 1.5f;", "x = 10 + 0x0F + 0.5f;", "x = 10 + 0x0F + 2.5f;",
    ]),
    "zero after a sign": ("c", "x = a - 0;", ["x = a + 0;", "x = a - (-1);", "x = a - 1;"]),
    "what a macro stands for": ("c", "#define MOST (7)\n", ["#define MOST (6)", "#define MOST (8)"]),
    "includes and sizes of arrays": ("c", '#include "a.h"\nchar name[80];', []),
    "an index is no size": ("c", "x = name[1];", ["x = name[0];", "x = name[2];"]),
    "conditions": ("c", "if (f(a) && b) g();", ["if (!(f(a) && b)) g();", "if (f(a) || b) g();"]),
    "a single comparison is negated once": ("c", "while (a == f(b < c)) ;", ["while (a != f(b < c)) ;", "while (a == f(b <= c)) ;", "while (a == f(b >= c)) ;"]),
    "a negation is removed": ("c", "if (!f(a)) ;", ["if (f(a)) ;"]),
    "a condition that is always true": ("java", "while (true) { }", ["while (false) { }"]),
    "statements": ("c", "{ f(a); return b; }", ["{ ; return b; }", "{ f(a); ; }"]),
    "a statement after a head": ("c", "{ if (a) f(); else g(); }", ["{ if (!(a)) f(); else g(); }", "{ if (a) ; else g(); }", "{ if (a) f(); else ; }"]),
    "a statement in a case": ("c", "{ case 1: break; }", ["{ case 0: break; }", "{ case 2: break; }", "{ case 1: continue; }", "{ case 1: ; }"]),
    "a statement of several lines leaves as many lines": ("c", "{ f(a,\n  b); }", ["{ ;\n }"]),
    "declarations stay": ("java", "{ int a; String s = f(); List<Card> l = g(); Scanner in; final var x = h(); }", []),
    "steps of a loop are no statements": ("c", "{ for (;;) ; }", []),
    "types are no comparisons": ("java", "Map<String, List<Integer>> m; if (a < b) ;", ["Map<String, List<Integer>> m; if (a <= b) ;", "Map<String, List<Integer>> m; if (a >= b) ;"]),
    "streams are no shifts": ("cpp", '{ cout << x << "a"; y = a << b; }', [
        '{ ; y = a << b; }', '{ cout << x << "A"; y = a << b; }', '{ cout << x << "a"; ; }', '{ cout << x << "a"; y = a >> b; }',
    ]),
    "texts": ("c", 'f("%d Points\\n");', ['f("%d points\\n");']),
    "texts without letters": ("c", 'f("%d\\n", "> ");', ['f("x%d\\n", "> ");', 'f("%d\\n", "x> ");']),
    "characters": ("c", "a == 'y'; b == '0'; c == '\\n'; d == ' ';", [
        "a != 'y'; b == '0'; c == '\\n'; d == ' ';", "a == 'Y'; b == '0'; c == '\\n'; d == ' ';",
        "a == 'y'; b != '0'; c == '\\n'; d == ' ';", "a == 'y'; b == '1'; c == '\\n'; d == ' ';",
        "a == 'y'; b == '0'; c != '\\n'; d == ' ';", "a == 'y'; b == '0'; c == '\\n'; d != ' ';",
        "a == 'y'; b == '0'; c == '\\n'; d == 'x';",
    ]),
    "texts are joined": ("java", 'f("a" + b);', ['f("A" + b);']),
    "a text with an inserted value": ("csharp", 'f($"{Count} left");', ['f($"{Count} Left");']),
    "comments": ("c", "/* a < b */ // 1 + 2\n", []),
    "words of Python": ("python", "x = a and not b or True", ["x = a or not b or True", "x = a and b or True", "x = a and not b and True", "x = a and not b or False", "pass"]),
    "is and in": ("python", "f(a is None, b not in c, d in e)", ["f(a is not None, b not in c, d in e)", "f(a is None, b in c, d in e)", "f(a is None, b not in c, d not in e)", "pass"]),
    "the in of a loop": ("python", "for a in b: [c for c in d if e]", ["for a in b: [c for c in d if not (e)]"]),
    "conditions of Python": ("python", "if f(a): x = b if c else d", ["if not (f(a)): x = b if c else d", "if f(a): x = b if not (c) else d"]),
    "a text of Python with values": ("python", 'f"{a:>3} is {b}."', ['f"{a:>3} Is {b}."', 'f"{a:>3} is {b}x."', "pass"]),
    "documentation": ("python", 'def f():\n    """A < b."""\n', []),
    "lines of Python": ("python", "f(a,\n  b)\nreturn c\nimport d\n@e\ni: int\n", ["pass\n\nreturn c\nimport d\n@e\ni: int", "f(a,\n  b)\npass\nimport d\n@e\ni: int"]),
    "functions with a counterpart": ("python", "if min(a, b): x = min\n", ["if not (min(a, b)): x = min", "if max(a, b): x = min"]),
    "ranges of Rust": ("rust", "for i in 1..=n { }", ["for i in 0..=n { }", "for i in 2..=n { }", "for i in 1..n { }"]),
    "conditions of Rust": ("rust", "if f(a) { } if let Some(b) = c { }", ["if !(f(a)) { } if let Some(b) = c { }"]),
    "Lua": ("lua", "if a ~= b then f() end\nlocal x = a .. b\n", ["if a == b then f() end\nlocal x = a .. b", "if a ~= b then f() end"]),
    "a shell": ("shell", 'if [ "$a" -gt 3 ]; then\n  echo "$a"\nfi\n', [
        'if ! [ "$a" -gt 3 ]; then\n  echo "$a"\nfi', 'if [ "$a" -ge 3 ]; then\n  echo "$a"\nfi',
        'if [ "$a" -gt 2 ]; then\n  echo "$a"\nfi', 'if [ "$a" -gt 4 ]; then\n  echo "$a"\nfi', 'if [ "$a" -gt 3 ]; then\n  :\nfi',
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED_CHANGES)
def test_a_program_is_changed_in_exactly_the_expected_ways(name):
    language, text, expected = EXPECTED_CHANGES[name]
    assert sorted(changed_programs(text, language)) == sorted(expected)


def test_the_id_of_a_change_shows_the_old_and_new_line_not_its_number():
    text = "{\n    if (a < b) f();\n    g(1);\n    if (a < b) f();\n}\n"
    assert [(change.line, change.id) for change in changes_in(text, "src/a.c", "c")] == [
        (2, "src/a.c: if (a < b) f(); → if (a <= b) f();"),
        (2, "src/a.c: if (a < b) f(); → if (a >= b) f();"),
        (2, "src/a.c: if (a < b) f(); → if (a < b) ;"),
        (3, "src/a.c: g(1); → left out"),
        (3, "src/a.c: g(1); → g(0);"),
        (3, "src/a.c: g(1); → g(2);"),
        (4, "src/a.c: if (a < b) f(); → if (a <= b) f(); #2"),
        (4, "src/a.c: if (a < b) f(); → if (a >= b) f(); #2"),
        (4, "src/a.c: if (a < b) f(); → if (a < b) ; #2"),
    ]
    shifted_changes = changes_in(f"\n\n{text}", "src/a.c", "c")
    assert [change.id for change in shifted_changes] == [change.id for change in changes_in(text, "src/a.c", "c")]


def test_the_id_of_a_change_shortens_a_long_line():
    text = f"x = {' + '.join(['aaaaaaaa'] * 6)} + 7 + {' + '.join(['bbbbbbbb'] * 6)};"
    (id_,) = (change.id for change in changes_in(text, "a.c", "c") if "+ 8" in change.id)
    assert id_ == (
        "a.c: …aaaaa + aaaaaaaa + aaaaaaaa + 7 + bbbbbbbb + bbbbbbbb + bbbbbbbb + bbbbb… → "
        "…aaaaa + aaaaaaaa + aaaaaaaa + 8 + bbbbbbbb + bbbbbbbb + bbbbbbbb + bbbbb…"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sample_program_of_each_language_has_changes(language):
    """Each sample program has a change of its question, “Name? ”."""
    changes = changes_in(LANGUAGES[language].hello, "hello", language)
    assert any("name" in change.id.lower() for change in changes)


CODE = st.text(alphabet="ab0 1<>=+-*/%&|!?.:,;()[]{}\"'\\\n#$_~^", max_size=60) | st.text(max_size=30)


@given(CODE, st.sampled_from(sorted(LANGUAGES)))
def test_tokens_add_up_to_the_text_and_changes_keep_the_number_of_lines(text, language):
    tokens = tokens_of(text, language)
    assert "".join(token.text for token in tokens) == text
    assert [token.start for token in tokens] == [
        sum(len(previous.text) for previous in tokens[:index]) for index in range(len(tokens))
    ]
    changes = changes_in(text, "file", language)
    assert len({change.id for change in changes}) == len(changes)
    for change in changes:
        changed_text = apply_edit(text, change.edit)
        assert changed_text != text
        assert (changed_text.count("\n"), change.line) == (text.count("\n"), text.count("\n", 0, change.edit.start) + 1)


@given(st.text(alphabet="<>=+-*/%&|!.:~^?", min_size=1, max_size=6))
def test_a_less_or_equal_sign_is_never_split_into_two_operators(text):
    tokens = [token for token in tokens_of(f"a {text} b", "csharp") if token.kind is TokenKind.OPERATOR]
    assert all(
        token.text != "<" or next_token.text != "=" or token.end != next_token.start
        for token, next_token in pairwise(tokens)
    )
