"""The mutants of a Python module: what is changed, and the id of each mutant."""

import ast

import pytest

from pitboss.experiments.mutation.expressions import changed_expressions, changed_texts
from pitboss.experiments.mutation.module_mutants import Module


def changed_sources(source, texts=()):
    """What the expression `source` is changed to: the source text of each changed expression.

    `texts` are all texts of the program.
    """
    node = ast.parse(source, mode="eval").body
    return [ast.unparse(ast.fix_missing_locations(expression)) for expression in changed_expressions(node, texts)]


@pytest.mark.parametrize(
    ("source", "others"),
    [
        ("a < b", ["a <= b", "a > b", "a >= b", "a == b", "a != b"]),
        ("a == b", ["a != b", "a <= b", "a >= b"]),
        ("a is b", ["a is not b"]),
        ("a not in b", ["a in b"]),
        ("1 <= a <= 7", [
            "1 < a <= 7", "1 > a <= 7", "1 >= a <= 7", "1 == a <= 7", "1 != a <= 7",
            "1 <= a < 7", "1 <= a > 7", "1 <= a >= 7", "1 <= a == 7", "1 <= a != 7",
        ]),
        ("a and b", ["a or b", "b", "not a and b", "a", "a and (not b)"]),
        ("a > 1 or b", ["a > 1 and b", "b", "a > 1", "a > 1 or not b"]),
        ("not a", ["a"]),
        ("-a", ["a"]),
        ("a - b", ["a + b", "a", "b", "b - a"]),
        ("a * b", ["a + b", "a // b", "a", "b"]),
        ("7", ["8", "6", "0"]),
        ("1", ["2", "0"]),
        ("2.5", ["3.5", "1.5", "0"]),
        ("True", ["False"]),
        ("None", []),
        ("f(a, b)", ["f(b, a)", "f(b)", "f(a)", "a"]),
        ("f(a, a)", ["f(a)", "f(a)", "a"]),
        ("f(a, end=b)", ["f(a)", "a"]),
        ("min(a, b)", ["max(a, b)", "min(b)", "min(a)", "a"]),
        ("text.strip(a)", ["text"]),
        ("a if b > 1 else c", ["a", "c"]),
        ("a if b else c", ["a", "c", "a if not b else c"]),
        ("a[1:]", ["a[:]"]),
        ("a[0:b]", ["a[0:]"]),
        ("(a, b)", ["(b, a)", "(b,)", "(a,)"]),
        ("{a: b, c: d}", ["{a: d, c: b}"]),
        ("f'{a} and {b}'", ["f'{b} and {a}'", "f' and {b}'", "f'{a} and '"]),
        ("[a for a in b if c]", [
            "[a for a in b]", "[a for a in b if not c]",
            "[a for a in list(b)[1:] if c]", "[a for a in list(b)[:-1] if c]",
        ]),
    ],
)  # fmt: skip
def test_an_expression_is_changed_in_exactly_these_ways(source, others):
    assert changed_sources(source) == others


def test_a_text_is_changed_in_letters_blanks_and_line_ends():
    assert list(changed_texts("Hit me.", ("Hit me.", "Seed: "))) == [
        "hit me.", "Hit mE.", "it me.", "Hitme.", "Hit me", "Hit  me.", " Hit me.", "Hit me. ", "\nHit me.",
        "Hit me.\n", "", "Seed: ",
    ]  # fmt: skip
    assert list(changed_texts("", ())) == ["x"]


SOURCE = '''"""Says what a number is."""

from __future__ import annotations

LIMIT = 10


def kind(number: int, low: int = 1) -> str:
    """The kind of a number."""
    total = 0
    for one in range(number):
        total += one
    if total > LIMIT and number != low:
        return f"{number} is many\\n"
    print("few")
    return "few"
'''


def all_mutants(source=SOURCE):
    module = Module("kinds", source, "kinds.py")
    return list(module.mutants(range(module.size)))


def test_the_id_of_a_mutant_names_its_module_function_and_change():
    ids = [mutant.id for mutant in all_mutants()]
    for id_ in (
        "kinds: LIMIT = 10 → LIMIT = 11",
        "kinds: LIMIT = 10 → pass",
        "kinds:kind: total = 0 → total = 1",
        "kinds:kind: 1 → 2",
        "kinds:kind: total += one → total -= one",
        "kinds:kind: total += one → pass",
        "kinds:kind: for one in range(number): … → the loop runs once at most",
        "kinds:kind: if total > LIMIT and number != low: … → if True:",
        "kinds:kind: total > LIMIT and number != low → total >= LIMIT and number != low",
        "kinds:kind: total > LIMIT and number != low → total > LIMIT",
        "kinds:kind: return f'{number} is many\\n' → return f'{number} is many'",
        "kinds:kind: return 'few' → return None",
        "kinds:kind: print('few') → pass",
        "kinds:kind: total = 0; for one in range(number): … → for one in range(number): …; total = 0",
    ):
        assert id_ in ids, id_
    assert len(set(ids)) == len(ids)


def test_ids_stay_the_same_when_lines_move():
    moved_source = SOURCE.replace("LIMIT = 10", "# a remark\n\n\nLIMIT = 10").replace(
        "    total = 0", "\n    total = 0"
    )
    assert [mutant.id for mutant in all_mutants(moved_source)] == [mutant.id for mutant in all_mutants()]


def test_the_same_change_in_two_places_is_numbered():
    source = "def f(a):\n    if a:\n        return 0\n    return 0\n"
    ids = [mutant.id for mutant in all_mutants(source)]
    assert [id_ for id_ in ids if "return None" in id_] == [
        "kinds:f: return 0 → return None",
        "kinds:f: return 0 → return None #2",
    ]


def test_each_mutant_leaves_the_original_syntax_tree_unchanged():
    module = Module("kinds", SOURCE, "kinds.py")
    before = ast.unparse(module.tree)
    for mutant in module.mutants(range(module.size)):
        mutant.code()
        assert ast.unparse(module.tree) == before


def test_a_mutant_behaves_as_its_id_says():
    by_id = {mutant.id: mutant for mutant in all_mutants()}
    namespace = {}
    exec(by_id["kinds: LIMIT = 10 → LIMIT = 11"].code(), namespace)
    assert namespace["LIMIT"] == 11
    exec(by_id["kinds:kind: return 'few' → return None"].code(), namespace)
    assert namespace["kind"](1) is None
    exec(by_id["kinds:kind: if total > LIMIT and number != low: … → if True:"].code(), namespace)
    assert namespace["kind"](0) == "0 is many\n"


def test_annotations_docstrings_and_imports_are_not_changed():
    ids = [mutant.id for mutant in all_mutants()]
    for text in ("Says what", "The kind of", "__future__", "-> str", ": int"):
        assert not [id_ for id_ in ids if text in id_]


def test_independent_statements_are_not_swapped():
    ids = [
        mutant.id
        for mutant in all_mutants("A = 1\nB = 2\n\ndef f(c):\n    a = c\n    b = 1\n    d = a\n    return d\n")
    ]
    assert [id_ for id_ in ids if ";" in id_] == []


def test_dependent_statements_are_swapped():
    ids = [mutant.id for mutant in all_mutants("def f(c):\n    a = c\n    c = 2\n    return a\n")]
    assert [id_ for id_ in ids if ";" in id_] == ["kinds:f: a = c; c = 2 → c = 2; a = c"]
