"""Constructs that a course asks for or forbids: found where they are, by their language's own grammar."""

from decimal import Decimal
from fractions import Fraction

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.model.construct_rules import Broken, Requirement
from pitboss.model.languages import CONSTRUCTS, LANGUAGES
from pitboss.reports.finding_sentences import sentence_on_construct
from pitboss.submissions import constructs
from pitboss.submissions.constructs import broken_by
from pitboss.submissions.sources import Source

C = """#include <stdio.h>
/* goto array[3] */
const char *names[] = {"a"};
int count;
static int table[3], *place;
extern int other;
struct card { int rank; int suits[4]; };
int twice(int n);
int *first(int a[]) { return a; }
int twice(int n) { return 2 * n; }
int main(int argc, char *argv[])
{
    for (;;) { goto out; }
out:
    switch (argc) { default: printf("goto %d", twice(3)); }
}
"""
CPP = """#include <vector>
std::vector<int> cards;
class Hand { public: int value() { return 1; } int total(); };
int Hand::total() { return value(); }
int &one(int &n) { return n; }
int main() { std::system("x"); for (int one : cards) {} Hand hand; hand.total(); }
"""
JAVA = """public class Game {
    static int count;
    static final int MOST = 3;
    int own;
    int[] cards = new int[52];
    static int draw() { return 1; }
    public static void main(String[] args) {
        String text = "goto while (true)";
        for (int i = 0; i < 3; i++) draw();
        switch (count) { case 1 -> System.exit(1); default -> {} }
    }
}
"""
PYTHON = """import os
count = 0
def draw():
    global count
    return [1, 2]
class Hand:
    def value(self):
        pass
while True:
    draw()
    os.system("ls")
match count:
    case 0:
        pass
"""
CSHARP = """class Game {
    static int count;
    static readonly int most = 3;
    static int Draw() { goto end; end: return 1; }
    static void Main(string[] args) {
        int[] cards = { 1, 2 };
        foreach (var one in cards) { Draw(); }
        System.Console.WriteLine("while");
        switch (count) { default: break; }
    }
}
"""
RUST = """static mut COUNT: i32 = 0;
struct Hand { cards: [i32; 3] }
fn draw() -> i32 { 4 }
fn main() {
    let cards = vec![1, 2];
    for one in cards { draw(); }
    match 3 { _ => std::process::exit(1) }
}
"""
PLACES = {
    ("c", C): {
        "array": [3, 5, 7],
        "global variable": [4, 5],
        "struct": [7],
        "function": [9, 10],
        "loop": [13],
        "goto": [13],
        "switch": [15],
        "call twice": [15],
        "call printf": [15],
        "call system": [],
    },
    ("cpp", CPP): {
        "array": [2],
        "class": [3],
        "function": [3, 4, 5],
        "global variable": [2],
        "call system": [6],
        "call total": [6],
        "loop": [6],
        "goto": [],
    },
    ("java", JAVA): {
        "array": [5],
        "function": [6],
        "global variable": [2],
        "loop": [9],
        "switch": [10],
        "call exit": [10],
        "call draw": [9],
    },
    ("python", PYTHON): {
        "array": [5],
        "function": [3, 7],
        "class": [6],
        "global variable": [4],
        "loop": [9],
        "call system": [11],
        "switch": [12],
    },
    ("csharp", CSHARP): {
        "array": [6],
        "function": [4],
        "global variable": [2],
        "goto": [4],
        "loop": [7],
        "switch": [9],
        "call WriteLine": [8],
    },
    ("rust", RUST): {
        "array": [2, 5],
        "function": [3],
        "struct": [2],
        "global variable": [1],
        "loop": [6],
        "switch": [7],
        "call exit": [7],
        "call draw": [6],
    },
}


def requirement(name, **more):
    called = name.removeprefix("call ") if name.startswith("call ") else ""
    return Requirement("call" if called else name, called, **more)


def source(folder, name, text, **more):
    language = next(one.name for one in LANGUAGES.values() if name.endswith(one.suffixes))
    (folder / name).write_text(text)
    return Source(folder, language, name, name.partition(".")[0], **more)


@pytest.mark.parametrize(("language", "text"), PLACES, ids=lambda one: one if len(one) < 9 else "")
def test_constructs_are_found_in_code_and_not_in_texts_and_comments(tmp_path, language, text):
    own = source(tmp_path, f"game{LANGUAGES[language].suffixes[0]}", text)
    places = PLACES[language, text]
    forbidden = broken_by(own, [requirement(name, is_forbidden=True) for name in places])
    assert [(one.line, one.count) for one in forbidden] == [(one[0], len(one)) for one in places.values() if one]
    required = broken_by(own, [requirement(name) for name in places])
    assert [one.called or one.construct for one in required] == [
        name.removeprefix("call ") for name, lines in places.items() if not lines
    ]
    for name, lines in places.items():
        query = LANGUAGES[language].constructs[requirement(name).construct]
        called = requirement(name).called
        assert (
            constructs._matching_lines(constructs._Search(LANGUAGES[language].grammar, query, called, text)) == lines
        ), name


def test_each_query_is_one_of_its_grammar():
    for language in LANGUAGES.values():
        for query in language.constructs.values():
            constructs._parser(language.grammar, query)
    assert "call" not in CONSTRUCTS


def test_a_program_is_the_files_that_it_names_and_no_other_program(tmp_path):
    (tmp_path / "hand.h").write_text("int total(void);\n")
    (tmp_path / "hand.c").write_text('#include "deck.h"\nint total(void) { return 1; }\n')
    (tmp_path / "deck.h").write_text("\n\nint cards[52];\n")
    (tmp_path / "deal.c").write_text("int x[3]; int main(void) { goto a; a: return 0; }\n")
    (tmp_path / "unused.c").write_text("int main(void) { goto a; a: return 0; }\n")
    own = source(tmp_path, "play.c", '#include "hand.h"\nint main(void) { return total() - 1; /* deal */ }\n')
    asked = [
        requirement("function"),
        requirement("global variable", is_forbidden=True),
        requirement("goto", is_forbidden=True),
    ]
    assert broken_by(own, asked, {"deal.c"}) == (
        Broken("global variable", is_forbidden=True, file="deck.h", line=3, count=1),
    )
    alone = source(tmp_path, "play.c", (tmp_path / "play.c").read_text(), is_alone=True)
    assert broken_by(alone, asked) == (Broken("function"),)


@pytest.mark.parametrize("text", ["int a[" * 5_000, "\0\xff{{{{", "goto " * 10_000, ""])
def test_no_source_raises_anything(tmp_path, text):
    own = source(tmp_path, "play.c", text)
    asked = [requirement(name, is_forbidden=one) for name in (*CONSTRUCTS, "call system") for one in (True, False)]
    broken_by(own, asked)


def test_a_search_that_does_not_end_or_crashes_is_no_verdict_and_the_others_go_on(tmp_path, monkeypatch):
    crashing = (
        "lines = constructs._matching_lines\n"
        "constructs._matching_lines = lambda one: os.abort() if 'array' in one.query else lines(one)"
    )
    code = constructs._CODE.replace("constructs.search()", f"import os\n{crashing}\nconstructs.search()")
    monkeypatch.setattr(constructs, "_CODE", code)
    own = source(tmp_path, "play.c", "int main(void) { crash(); }")
    first, second = broken_by(own, [requirement("array", is_forbidden=True), requirement("loop")])
    assert (first.unseen, second.unseen) == ("play.c could not be read by its parser", "")


def test_what_nobody_can_see_is_reported_and_not_held_against_it(tmp_path, monkeypatch):
    lua, c = source(tmp_path, "a.lua", "x = 1\n"), source(tmp_path, "b.c", "int main(void) { return 0; }\n")
    assert [one.unseen for one in broken_by(lua, [requirement("array")])] == [
        "pitboss does not look for constructs in Lua"
    ]
    assert [one.unseen for one in broken_by(c, [requirement("class")])] == [
        "pitboss does not look for this construct in C"
    ]
    assert broken_by(c, [requirement("class", is_forbidden=True)]) == ()
    monkeypatch.setattr("pitboss.extras.find_spec", lambda name: None)
    needs = "it needs tree-sitter and tree-sitter-c, which are not installed here: pip install 'pitboss[constructs]'"
    for is_forbidden in (True, False):
        found = broken_by(c, [requirement("array", is_forbidden=is_forbidden)])
        assert [one.unseen for one in found] == [needs]


def test_what_is_broken_is_reported_in_a_sentence():
    output = sentence_on_construct
    assert output(Broken("array")) == "The program has no array, which is asked for."
    assert output(Broken("function", says="Write methods.", points=Decimal("2.5"))) == (
        "The program has no function besides main, which is asked for. Write methods. (2.5 points off)"
    )
    assert output(Broken("call", "system", is_forbidden=True, file="a.c", line=3, count=2)) == (
        "a.c:3: there is a call of system, and 1 more, which is not allowed."
    )
    assert output(Broken("goto", is_forbidden=True, unseen="it is late")) == (
        "Nobody has looked for a goto, which must not be in the program: it is late."
    )


ASSIGNMENT = "title: One\nseeded: no\nforbids: [goto]\nstages:\n  - name: one\n    reference: own:main\n"


def loaded(folder, text):
    (folder / "assignment.yaml").write_text(text)
    (folder / "own.py").write_text("def main(console): console.write('a')\n")
    (folder / "one.yaml").write_text("program: one\ncases:\n  - name: a\n    transcript: |\n      a<no-eol>\n")
    return load_assignment(folder).stages[0].requirements


def test_requirements_are_read(tmp_path):
    text = f"{ASSIGNMENT}    requires: [array, {{construct: call draw, says: Use it., points: 2.5}}]\n"
    assert loaded(tmp_path, text) == (
        Requirement("array"),
        Requirement("call", "draw", says="Use it.", points=Fraction(5, 2)),
        Requirement("goto", is_forbidden=True),
    )


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        (
            "arrays",
            f"an item of requires is 'arrays' — it must be {', '.join(CONSTRUCTS)} or call NAME; did you mean 'array'?",
        ),
        ("call 3", f"an item of requires is 'call 3' — it must be {', '.join(CONSTRUCTS)} or call NAME"),
        ("{construct: goto, points: many}", "points is 'many' — it must be a number such as 40 or 2.5"),
        (
            "{says: a}",
            "an item of requires has no 'construct' — it needs one: the construct to search for in the sources, such as",
        ),
    ],
)
def test_a_mistake_in_a_requirement_is_reported_with_its_place(tmp_path, item, sentence):
    with pytest.raises(SpecError) as caught:
        loaded(tmp_path, f"{ASSIGNMENT}    requires:\n      - {item}\n")
    assert str(caught.value).startswith(f"{tmp_path}/assignment.yaml:8: {sentence}")
