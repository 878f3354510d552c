import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.reports.similarity.pair_search import compare_works, passages_of
from pitboss.reports.similarity.works import (
    ALWAYS_FOUND,
    MAX_CHARACTERS,
    Alike,
    K,
    Tokens,
    Work,
    code_of,
    fingerprints,
    tokens_of,
)
from tests.conftest import ROOT
from tests.reports.similarity.disguise import laid_out_otherwise, renamed, reordered

EXAMPLES = ROOT / "examples" / "blackjack"


def files_in(folder):
    return tuple((file.name, file.read_text()) for file in sorted(folder.iterdir()) if file.is_file())


def work(key, *texts, suffix=".c", earlier=""):
    """The work of a person: a source file for each text, named 0.c, 1.c and so on."""
    return Work(key, key.title(), tuple((f"{n}{suffix}", text) for n, text in enumerate(texts)), earlier)


def c_function(name, seed, count=12):
    """A C function of `count` + 3 lines; functions with different seeds share no run of tokens.

    Each of the last three digits of the seed selects an operator.
    """
    operators = "+-*/%&|^<>"
    op1, op2, op3 = (operators[seed // 10**position % 10] for position in range(3))
    lines = []
    for n in range(count):
        lines.append(f"    a{n} = (b {op1} {'(' * (n % 5)}c{')' * (n % 5)}) {op2} {'!' * (n % 4)}d[{n}] {op3} e;")
    return f"int {name}(int b)\n{{\n" + "\n".join(lines) + "\n}\n"


def pair_keys(comparison):
    return [(pair.left.key, pair.right.key) for pair in comparison.pairs]


def test_a_copy_is_found_with_the_lines_of_both():
    original, copied = c_function("f", 123), c_function("g", 456)
    comparison = compare_works(
        [work("ada", original + copied), work("bob", "/* Mine. */\n" + copied), work("eve", original[:30])]
    )
    [pair] = comparison.pairs
    [passage] = pair.passages
    assert pair_keys(comparison) == [("ada", "bob")]
    assert (passage.left.path, passage.left.first, passage.left.last) == ("0.c", 16, 30)
    assert (passage.right.first, passage.right.last) == (2, 16)
    assert passage.right.text == copied.rstrip("\n")
    assert pair.share_of_right > 0.9 and 0.3 < pair.share_of_left < 0.7


@pytest.mark.parametrize("change", [renamed, laid_out_otherwise, reordered], ids=lambda change: change.__name__)
@pytest.mark.parametrize("author", ["ada", "dennis", "grace", "linus"])
def test_a_disguised_copy_in_c_ranks_first(author, change):
    """Only pairs of examples that were derived from each other may rank higher.

    Examples that were derived from the author's are left out: the copy would be similar to them too.
    """
    works = [
        Work(folder.name, folder.name, files_in(folder)) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()
    ]
    [original] = [submission for submission in works if submission.key == author]
    disguised = tuple((name, change(text) if name.endswith(".c") else text) for name, text in original.files)
    assert disguised != original.files
    related = {"linus": {"brian", "ken"}, "dennis": {"barbara", "edsger"}}.get(author, set())
    unrelated = [submission for submission in works if submission.key not in related]
    [top_pair] = compare_works([*unrelated, Work("eve", "Eve", disguised)], max_pairs=1).pairs
    pair = compare_works([original, Work("eve", "Eve", disguised)], max_pairs=1).pairs[0]
    assert {top_pair.left.key, top_pair.right.key} in (
        {author, "eve"},
        {"barbara", "edsger"},
        {"brian", "ken"},
        {"brian", "linus"},
    )
    assert max(pair.share_of_left, pair.share_of_right) > 0.6


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
def test_a_disguised_copy_in_a_language_with_braces_is_found(suffix):
    disguised = laid_out_otherwise(renamed(JAVA)).replace("public static", "private final")
    [pair] = compare_works([work("a", JAVA, suffix=suffix), work("b", disguised, suffix=suffix)]).pairs
    assert pair.shared == pair.of_left == pair.of_right


def test_a_copy_into_a_similar_language_is_found():
    assert pair_keys(compare_works([work("a", JAVA, suffix=".java"), work("b", JAVA, suffix=".cs")])) == [("a", "b")]


def test_programs_written_independently_rank_below_copies():
    """Six pairs of the nine example programs have a common origin; all others were written independently."""
    works = [
        Work(folder.name, folder.name, files_in(folder)) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()
    ]
    comparison = compare_works(works)
    related_pairs = [{"barbara", "edsger"}, {"brian", "linus"}, {"brian", "ken"}, {"ken", "linus"}]
    related_pairs += [{"barbara", "dennis"}, {"dennis", "edsger"}]
    top_pairs = [{pair.left.key, pair.right.key} for pair in comparison.pairs[: len(related_pairs)]]
    assert sorted(map(sorted, top_pairs)) == sorted(map(sorted, related_pairs))
    independent_pairs = comparison.pairs[len(related_pairs) :]
    assert max(max(pair.share_of_left, pair.share_of_right) for pair in independent_pairs) < 0.1


def test_starter_code_is_left_out():
    starter, own = c_function("f", 123), c_function("g", 456)
    works = [work("ada", starter + own), work("bob", starter + c_function("g", 789)), work("eve", own + starter)]
    comparison = compare_works(works, [("kit.c", starter)])
    assert pair_keys(comparison) == [("ada", "eve")]
    assert comparison.given > 0 and comparison.common == 0
    assert all(passage.left.first >= 15 for passage in comparison.pairs[0].passages)  # the starter has 15 lines


def test_submissions_of_starter_code_alone_have_nothing_left_to_compare():
    starter = c_function("f", 123)
    comparison = compare_works([work("ada", starter), work("bob", starter)], [("kit.c", starter)])
    assert comparison.pairs == () and comparison.nothing_left == ("Ada", "Bob")


def test_code_that_more_than_ten_people_share_is_left_out():
    idiom = c_function("f", 123)
    works = [work(f"p{n:02}", idiom) for n in range(11)]
    assert compare_works(works[:10]).count == 45
    comparison = compare_works(works)
    assert comparison.count == 0 and comparison.common > 0
    assert compare_works(works, max_people=11).count == 55


def test_nearly_identical_works_of_many_people_are_listed_as_alike():
    program, unrelated = c_function("f", 123) + c_function("g", 456), c_function("h", 789)
    works = [work(f"p{n:02}", program) for n in range(12)] + [work("ada", unrelated), work("kit", program[:-8])]
    comparison = compare_works(works)
    assert comparison.alike == (Alike((*(f"P{n:02}" for n in range(12)), "Kit"), 13),)
    assert compare_works(works, max_people=13).count == 13 * 12 // 2
    assert comparison.nothing_left == ()
    assert compare_works(works[:10]).alike == ()  # their pairs are shown


def test_works_that_share_only_an_idiom_are_not_alike():
    idiom = c_function("f", 123)
    works = [work(f"p{n:02}", idiom + c_function("g", 1000 + n) * 2) for n in range(12)]
    assert compare_works(works).common > 0
    assert compare_works(works).alike == ()


def test_people_who_share_code_are_counted_separately_in_each_class():
    idiom = c_function("f", 123)
    works = [work(f"p{n}", idiom, earlier=str(n % 2 or "")) for n in range(20)]
    assert compare_works(works).count == 145  # 45 pairs in this class, and 100 with the earlier class


def test_earlier_classes_are_compared_only_with_the_current_class():
    text = c_function("f", 123)
    comparison = compare_works(
        [work("ada", text), work("bob", text, earlier="2025"), work("eve", text, earlier="2024")]
    )
    assert [(pair.left.title, pair.right.title) for pair in comparison.pairs] == [
        ("Ada", "Bob (2025)"),
        ("Ada", "Eve (2024)"),
    ]
    assert (comparison.works, comparison.earlier_works) == (1, 2)


def test_no_passage_extends_over_the_end_of_a_file():
    first, last = c_function("f", 123), c_function("g", 456)
    [pair] = compare_works([work("ada", first, last), work("bob", first + last)]).pairs
    assert [(passage.left.path, passage.left.last) for passage in pair.passages] == [("0.c", 15), ("1.c", 15)]


def test_a_pair_with_the_same_persons_earlier_work_is_marked():
    text = c_function("f", 123)
    [pair] = compare_works([work("ada", text), work("ada", text, earlier="2025")]).pairs
    assert pair.is_same_person


def test_passages_do_not_overlap_and_are_as_long_as_possible():
    parts = [c_function(f"f{n}", seed) for n, seed in enumerate((123, 456, 789, 321))]
    left, right = work("a", "".join(parts)), work("b", "".join(parts[::-1]))
    [pair] = compare_works([left, right]).pairs
    tokens, _ = tokens_of(left.files)
    assert sum(passage.tokens for passage in pair.passages) <= len(tokens.symbols)
    for sides in ([passage.left for passage in pair.passages], [passage.right for passage in pair.passages]):
        lines = [set(range(side.first, side.last + 1)) for side in sides]
        all_lines = set().union(*lines)
        assert len(all_lines) >= 4 * 13  # nearly all of the 15 lines of each function
        # Passages share no more than the line on which one ends and the next begins.
        assert sum(map(len, lines)) - len(all_lines) < len(lines)
    assert [passage.tokens for passage in pair.passages] == sorted((p.tokens for p in pair.passages), reverse=True)


def tokens_with(symbols):
    return Tokens((("a.c", "x" * len(symbols)),), symbols, tuple((0, offset) for offset in range(len(symbols))))


def test_two_passages_in_swapped_order_are_both_found():
    """Their fingerprints start at tokens 0 and K of one file, and at K and 0 of the other file."""
    rng = random.Random(272)
    first, last = (bytes(rng.choices(range(start, start + 100), k=K)) for start in (100, 0))
    left, right = (tokens_with(symbols) for symbols in (first + last, last + first))
    passages = passages_of(left, right, {first, last}, (), ())
    assert [passage.tokens for passage in passages] == [K, K]


@pytest.mark.parametrize("later_is_first", [False, True])
def test_passages_before_and_after_one_changed_token_are_both_found(later_is_first):
    """Also if the fingerprints of the later passage come first when sorted as bytes."""
    length = 2 * ALWAYS_FOUND
    earlier, later = (bytes(range(start, start + length)) for start in ((100, 0) if later_is_first else (0, 100)))
    left, right = (tokens_with(earlier + changed + later) for changed in (b"\xfe", b"\xff"))
    shared = {gram for _, gram in fingerprints(left.symbols)} & {gram for _, gram in fingerprints(right.symbols)}
    passages = passages_of(left, right, shared, (), ())
    assert [passage.tokens for passage in passages] == [length, length]


def test_only_the_beginning_of_a_long_program_is_compared():
    text = c_function("f", 123) + "x = y;\n" * (MAX_CHARACTERS // 7)
    comparison = compare_works([work("ada", text), work("bob", c_function("g", 123))])
    assert comparison.cut == ("Ada",) and comparison.count == 1


def test_empty_submissions_are_not_counted():
    comparison = compare_works([work("ada", "int x;"), work("bob"), work("eve", earlier="2025")])
    assert (comparison.works, comparison.earlier_works, comparison.nothing_left) == (1, 0, ())


def test_files_that_are_not_source_code_are_not_compared():
    text = c_function("f", 123)
    assert compare_works([work("a", text, suffix=".txt"), work("b", text, suffix=".txt")]).count == 0
    assert compare_works([]).pairs == ()


def test_imports_and_docstrings_yield_no_tokens():
    tokens, _ = tokens_of([("a.py", '"""Text."""\nimport os\nfrom a import (b)\nx = 1\n')])
    assert len(tokens.symbols) == 3 + 1
    tokens, _ = tokens_of([("a.py", 'def f():\n\t"""Text.\n\n\tMore."""\n\tg("text")\n')])
    assert len(tokens.symbols) == 9 + 1
    tokens, _ = tokens_of([("a.c", "#include <stdio.h>\n// c\nconst static int x;\n")])
    assert len(tokens.symbols) == 3 + 1


@given(st.sampled_from(["c", "cpp", "csharp", "java", "python"]), st.text(alphabet="\"'/*\\\n#R@()x{ ", max_size=80))
def test_masking_keeps_the_length_and_all_line_breaks(language, text):
    mask = code_of(text, language)
    assert len(mask) == len(text)
    assert [index for index, character in enumerate(mask) if character == "\n"] == [
        index for index, character in enumerate(text) if character == "\n"
    ]


@pytest.mark.parametrize("piece", ["(", '"', "/*", "a ", "\r", "x=1;\n", 'R"('])
def test_pathological_sources_are_compared_quickly(piece):
    start = time.process_time()
    works = [work(key, piece * (MAX_CHARACTERS // len(piece)), suffix=".cpp") for key in ("a", "b")]
    compare_works(works)
    assert time.process_time() - start < 10


SOURCE_FRAGMENTS = [
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
        st.one_of(st.text(max_size=200), st.lists(st.sampled_from(SOURCE_FRAGMENTS), max_size=200).map("".join)),
        max_size=3,
    ),
    st.sampled_from([".c", ".cs", ".java", ".py"]),
)
def test_any_text_is_compared_and_each_passage_has_its_line_numbers(texts, suffix):
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
def test_a_shared_run_of_32_tokens_is_a_pair_with_a_passage(run, ending):
    run = "".join(run).replace("//", "/ ").replace("/*", "/ ") + "+" * ALWAYS_FOUND
    comparison = compare_works([work("a", "x = 1;\n" + run), work("b", run + "\n" + ending)])
    [pair] = comparison.pairs
    assert pair.passages


def test_there_are_nine_examples():
    """The tests above name all pairs of these with a common origin; a tenth example may have to be added there."""
    assert len([folder for folder in EXAMPLES.iterdir() if folder.is_dir()]) == 9
