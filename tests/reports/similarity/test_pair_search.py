"""Pairs of a class: copies are found however disguised, and what is everybody's is not."""

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.reports.similarity.pair_search import compare_works
from pitboss.reports.similarity.passages import passages_of
from pitboss.reports.similarity.symbols import MAX_CHARACTERS, Tokens, tokens_of
from pitboss.reports.similarity.winnowing import ALWAYS_FOUND, K
from pitboss.reports.similarity.works import Alike, Work
from tests.conftest import ROOT
from tests.reports.similarity.disguise import laid_out_otherwise, renamed, reordered

EXAMPLES = ROOT / "examples" / "blackjack"


def files_in(folder):
    return tuple((file.name, file.read_text()) for file in sorted(folder.iterdir()) if file.is_file())


def work(key, *texts, suffix=".c", earlier=""):
    return Work(key, key.title(), tuple((f"{n}{suffix}", text) for n, text in enumerate(texts)), earlier)


def function(name, seed, count=12):
    """A function in C; those of different seeds have no run of tokens in common."""
    marks = "+-*/%&|^<>"
    lines = []
    for n in range(count):
        one, two, three = (marks[seed // 10**m % 10] for m in range(3))
        lines.append(f"    a{n} = (b {one} {'(' * (n % 5)}c{')' * (n % 5)}) {two} {'!' * (n % 4)}d[{n}] {three} e;")
    return f"int {name}(int b)\n{{\n" + "\n".join(lines) + "\n}\n"


def names(comparison):
    return [(pair.left.key, pair.right.key) for pair in comparison.pairs]


def test_a_copy_is_found_with_the_lines_of_both():
    own, copied = function("f", 123), function("g", 456)
    comparison = compare_works(
        [work("ada", own + copied), work("bob", "/* Mine. */\n" + copied), work("eve", own[:30])]
    )
    [pair] = comparison.pairs
    [passage] = pair.passages
    assert names(comparison) == [("ada", "bob")]
    assert (passage.left.path, passage.left.first, passage.left.last) == ("0.c", 16, 30)
    assert (passage.right.first, passage.right.last) == (2, 16)
    assert passage.right.text == copied.rstrip("\n")
    assert pair.share_of_right > 0.9 and 0.3 < pair.share_of_left < 0.7


@pytest.mark.parametrize("change", [renamed, laid_out_otherwise, reordered], ids=lambda change: change.__name__)
@pytest.mark.parametrize("who", ["ada", "dennis", "grace", "linus"])
def test_a_disguised_copy_in_c_is_found_above_all_others(who, change):
    works = [
        Work(folder.name, folder.name, files_in(folder)) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()
    ]
    [original] = [one for one in works if one.key == who]
    disguised = tuple((name, change(text) if name.endswith(".c") else text) for name, text in original.files)
    assert disguised != original.files
    kin = {"linus": {"brian", "ken"}, "dennis": {"barbara", "edsger"}}.get(who, set())
    others = [one for one in works if one.key not in kin]
    [first] = compare_works([*others, Work("eve", "Eve", disguised)], max_pairs=1).pairs
    found = compare_works([original, Work("eve", "Eve", disguised)], max_pairs=1).pairs[0]
    assert {first.left.key, first.right.key} in (
        {who, "eve"},
        {"barbara", "edsger"},
        {"brian", "ken"},
        {"brian", "linus"},
    )
    assert max(found.share_of_left, found.share_of_right) > 0.6


def test_a_disguised_copy_in_python_is_found():
    original = files_in(EXAMPLES / "margaret")
    text = next(text for name, text in original if name == "play.py")
    assert "#" in text or '"""' in text
    disguised = renamed(text).replace("    ", "\t").replace("\n\n", "\n# Well.\n\n\n")
    [pair] = compare_works([Work("m", "M", original), work("eve", disguised, suffix=".py")]).pairs
    assert pair.share_of_right > 0.8


JAVA = """
class A {
    /** Counts. */
    public static int count(int[] numbers, String word) {
        int total = 0;
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] % 2 == 0 && word.length() > i) { total += numbers[i]; } else { total--; }
            while (total > 100) total /= 3;
        }
        System.out.println("There are " + total + " of " + word);
        return total > 0 ? total : -total;
    }
}
"""


@pytest.mark.parametrize("suffix", [".java", ".cs", ".cpp"])
def test_languages_with_braces(suffix):
    other = laid_out_otherwise(renamed(JAVA)).replace("public static", "private final")
    [pair] = compare_works([work("a", JAVA, suffix=suffix), work("b", other, suffix=suffix)]).pairs
    assert pair.shared == pair.of_left == pair.of_right


def test_who_copies_from_another_language_alike_is_found():
    assert names(compare_works([work("a", JAVA, suffix=".java"), work("b", JAVA, suffix=".cs")])) == [("a", "b")]


def test_programs_written_apart_rank_below_copies():
    """Nine people's programs: some are made of others, all others were written apart."""
    works = [
        Work(folder.name, folder.name, files_in(folder)) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()
    ]
    comparison = compare_works(works)
    kin = [{"barbara", "edsger"}, {"brian", "linus"}, {"brian", "ken"}, {"ken", "linus"}]
    kin += [{"barbara", "dennis"}, {"dennis", "edsger"}]
    first = [{pair.left.key, pair.right.key} for pair in comparison.pairs[: len(kin)]]
    assert sorted(map(sorted, first)) == sorted(map(sorted, kin))
    apart = comparison.pairs[len(kin) :]
    assert max(max(pair.share_of_left, pair.share_of_right) for pair in apart) < 0.1


def test_what_was_given_is_left_out():
    given, own = function("f", 123), function("g", 456)
    works = [work("ada", given + own), work("bob", given + function("g", 789)), work("eve", own + given)]
    comparison = compare_works(works, [("kit.c", given)])
    assert names(comparison) == [("ada", "eve")]
    assert comparison.given > 0 and comparison.common == 0
    assert all(passage.left.first >= 15 for passage in comparison.pairs[0].passages)


def test_who_handed_in_what_was_given_has_nothing_left():
    given = function("f", 123)
    comparison = compare_works([work("ada", given), work("bob", given)], [("kit.c", given)])
    assert comparison.pairs == () and comparison.nothing_left == ("Ada", "Bob")


def test_what_more_than_ten_people_have_is_left_out_and_that_of_ten_is_not():
    idiom = function("f", 123)
    works = [work(f"p{n:02}", idiom) for n in range(11)]
    assert compare_works(works[:10]).count == 45
    comparison = compare_works(works)
    assert comparison.count == 0 and comparison.common > 0
    assert compare_works(works, max_people=11).count == 55


def test_works_that_are_alike_are_found_however_many_they_are():
    program, other = function("f", 123) + function("g", 456), function("h", 789)
    works = [work(f"p{n:02}", program) for n in range(12)] + [work("ada", other), work("kit", program[:-8])]
    comparison = compare_works(works)
    assert comparison.alike == (Alike((*(f"P{n:02}" for n in range(12)), "Kit"), 13),)
    assert compare_works(works, max_people=13).count == 13 * 12 // 2
    assert comparison.nothing_left == ()
    assert compare_works(works[:10]).alike == ()  # their pairs are shown


def test_works_that_have_an_idiom_in_common_are_not_alike():
    idiom = function("f", 123)
    works = [work(f"p{n:02}", idiom + function("g", 1000 + n) * 2) for n in range(12)]
    assert compare_works(works).common > 0
    assert compare_works(works).alike == ()


def test_people_of_different_classes_are_counted_apart():
    idiom = function("f", 123)
    works = [work(f"p{n}", idiom, earlier=str(n % 2 or "")) for n in range(20)]
    assert compare_works(works).count == 145


def test_an_earlier_class_is_compared_and_not_with_itself():
    text = function("f", 123)
    comparison = compare_works(
        [work("ada", text), work("bob", text, earlier="2025"), work("eve", text, earlier="2024")]
    )
    assert [(pair.left.title, pair.right.title) for pair in comparison.pairs] == [
        ("Ada", "Bob (2025)"),
        ("Ada", "Eve (2024)"),
    ]
    assert (comparison.works, comparison.earlier_works) == (1, 2)


def test_the_same_person_in_an_earlier_class_is_marked():
    text = function("f", 123)
    [pair] = compare_works([work("ada", text), work("ada", text, earlier="2025")]).pairs
    assert pair.is_same_person


def test_passages_are_apart_and_as_long_as_can_be():
    parts = [function(f"f{n}", seed) for n, seed in enumerate((123, 456, 789, 321))]
    [pair] = compare_works([work("a", "".join(parts)), work("b", "".join(parts[::-1]))]).pairs
    lines = [set(range(passage.left.first, passage.left.last + 1)) for passage in pair.passages]
    assert sum(map(len, lines)) >= len(set().union(*lines)) >= 4 * 13
    assert [passage.tokens for passage in pair.passages] == sorted((p.tokens for p in pair.passages), reverse=True)


def test_two_passages_that_change_places_are_both_found():
    """From a fingerprint of each, as far from the middle on one side as the other's on the other side."""
    chance = random.Random(272)
    first, last = (bytes(chance.choices(range(start, start + 100), k=K)) for start in (100, 0))
    left, right = (Tokens("a.c", "x" * 2 * K, symbols, tuple(range(2 * K))) for symbols in (first + last, last + first))
    found = passages_of([left], [right], {first, last}, (), ())
    assert [passage.tokens for passage in found] == [K, K]


def test_what_is_too_long_is_compared_at_its_beginning_and_reported():
    long = function("f", 123) + "x = y;\n" * (MAX_CHARACTERS // 7)
    comparison = compare_works([work("ada", long), work("bob", function("g", 123))])
    assert comparison.cut == ("Ada",) and comparison.count == 1


def test_who_handed_in_nothing_is_not_counted():
    comparison = compare_works([work("ada", "int x;"), work("bob"), work("eve", earlier="2025")])
    assert (comparison.works, comparison.earlier_works, comparison.nothing_left) == (1, 0, ())


def test_other_files_are_not_compared():
    text = function("f", 123)
    assert compare_works([work("a", text, suffix=".txt"), work("b", text, suffix=".txt")]).count == 0
    assert compare_works([]).pairs == ()


def test_imports_and_lone_texts_are_no_tokens():
    [tokens], _ = tokens_of([("a.py", '"""Text."""\nimport os\nfrom a import (b)\nx = 1\n')])
    assert len(tokens.places) == 3
    [tokens], _ = tokens_of([("a.py", 'def f():\n\t"""Text.\n\n\tMore."""\n\tg("text")\n')])
    assert len(tokens.places) == 9
    [tokens], _ = tokens_of([("a.c", "#include <stdio.h>\n// c\nconst static int x;\n")])
    assert len(tokens.places) == 3


@pytest.mark.parametrize("piece", ["(", '"', "/*", "a ", "\r", "x=1;\n", 'R"('])
def test_endless_texts_take_no_time(piece):
    begun = time.process_time()
    works = [work(key, piece * (MAX_CHARACTERS // len(piece)), suffix=".cpp") for key in ("a", "b")]
    compare_works(works)
    assert time.process_time() - begun < 10


PIECES = [
    "int ",
    "x",
    "(",
    ")",
    "{",
    "}",
    ";\n",
    '"',
    "'",
    "/*",
    "*/",
    "//",
    "\n",
    "\r",
    "#include ",
    "'''",
    "é",
    "²",
    "\u2028",
]


@settings(max_examples=60)
@given(
    st.lists(
        st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=200).map("".join)), max_size=3
    ),
    st.sampled_from([".c", ".cs", ".java", ".py"]),
)
def test_no_text_whatever_raises_and_each_passage_is_where_it_says(texts, suffix):
    works = [work("a", *texts, suffix=suffix), work("b", *texts[::-1], suffix=suffix)]
    for pair in compare_works(works).pairs:
        assert 0 < pair.share_of_left <= 1 and pair.passages
        for passage in pair.passages:
            for side in (passage.left, passage.right):
                assert 1 <= side.first <= side.last
                assert side.text.count("\n") == side.last - side.first


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from("+-*/%&|^<>()[]"), min_size=ALWAYS_FOUND, max_size=2 * ALWAYS_FOUND), st.text(max_size=80)
)
def test_a_shared_run_of_32_tokens_is_a_pair_with_a_passage(run, other):
    run = "".join(run).replace("//", "/ ").replace("/*", "/ ") + "+" * ALWAYS_FOUND
    comparison = compare_works([work("a", "x = 1;\n" + run), work("b", run + "\n" + other)])
    [pair] = comparison.pairs
    assert pair.passages


def test_the_examples_are_there():
    assert len([folder for folder in Path(EXAMPLES).iterdir() if folder.is_dir()]) == 9
