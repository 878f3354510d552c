from decimal import Decimal
from fractions import Fraction

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.model.construct_rules import Requirement, UnmetRequirement
from pitboss.model.languages import CONSTRUCTS, LANGUAGES
from pitboss.reports.finding_sentences import sentence_on_construct
from pitboss.submissions import constructs
from pitboss.submissions.constructs import unmet_requirements
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
#: For each language and source, the lines on which each construct is found.
LINES = {
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


def requirement(name, **fields):
    """The requirement of a construct by its name, or of a call of a function by `call FUNCTION`."""
    called = name.removeprefix("call ") if name.startswith("call ") else ""
    return Requirement("call" if called else name, called, **fields)


def write_source(folder, name, text, **fields):
    """Write a source file; its language follows from its suffix."""
    language = next(language.name for language in LANGUAGES.values() if name.endswith(language.suffixes))
    (folder / name).write_text(text)
    return Source(folder, language, name, name.partition(".")[0], **fields)


@pytest.mark.parametrize(("language", "text"), LINES, ids=[language for language, _ in LINES])
def test_constructs_are_found_in_code_but_not_in_strings_and_comments(tmp_path, language, text):
    program = write_source(tmp_path, f"game{LANGUAGES[language].suffixes[0]}", text)
    lines_by_construct = LINES[language, text]
    forbidden = unmet_requirements(program, [requirement(name, is_forbidden=True) for name in lines_by_construct])
    assert [(unmet.line, unmet.count) for unmet in forbidden] == [
        (lines[0], len(lines)) for lines in lines_by_construct.values() if lines
    ]
    required = unmet_requirements(program, [requirement(name) for name in lines_by_construct])
    assert [unmet.called or unmet.construct for unmet in required] == [
        name.removeprefix("call ") for name, lines in lines_by_construct.items() if not lines
    ]
    for name, lines in lines_by_construct.items():
        query = LANGUAGES[language].constructs[requirement(name).construct]
        search = constructs._Search(LANGUAGES[language].grammar, query, requirement(name).called, text)
        assert constructs._matching_lines(search) == lines, name


def test_each_query_is_valid_in_the_grammar_of_its_language():
    for language in LANGUAGES.values():
        for query in language.constructs.values():
            constructs._parser(language.grammar, query)


def test_the_construct_call_cannot_be_named_without_a_function():
    assert "call" not in CONSTRUCTS


def test_the_search_follows_names_of_files_but_leaves_out_other_programs(tmp_path):
    """Any word that is the name of a file counts, even in a comment; but deal.c is listed as another program."""
    (tmp_path / "hand.h").write_text("int total(void);\n")
    (tmp_path / "hand.c").write_text('#include "deck.h"\nint total(void) { return 1; }\n')
    (tmp_path / "deck.h").write_text("\n\nint cards[52];\n")
    (tmp_path / "deal.c").write_text("int x[3]; int main(void) { goto a; a: return 0; }\n")
    (tmp_path / "unused.c").write_text("int main(void) { goto a; a: return 0; }\n")
    program = write_source(tmp_path, "play.c", '#include "hand.h"\nint main(void) { return total() - 1; /* deal */ }\n')
    requirements = [
        requirement("function"),
        requirement("global variable", is_forbidden=True),
        requirement("goto", is_forbidden=True),
    ]
    assert unmet_requirements(program, requirements, {"deal.c"}) == (
        UnmetRequirement("global variable", is_forbidden=True, file="deck.h", line=3, count=1),
    )
    single_file = write_source(tmp_path, "play.c", (tmp_path / "play.c").read_text(), is_alone=True)
    assert unmet_requirements(single_file, requirements) == (UnmetRequirement("function"),)  # main does not count


@pytest.mark.parametrize("text", ["int a[" * 5_000, "\0\xff{{{{", "goto " * 10_000, ""])
def test_no_source_makes_the_search_raise(tmp_path, text):
    program = write_source(tmp_path, "play.c", text)
    requirements = [
        requirement(name, is_forbidden=is_forbidden)
        for name in (*CONSTRUCTS, "call system")
        for is_forbidden in (True, False)
    ]
    unmet_requirements(program, requirements)


def test_a_crashed_search_is_reported_and_the_other_searches_continue(tmp_path, monkeypatch):
    crash_at_arrays = (
        "import os\n"
        "matching_lines = constructs._matching_lines\n"
        "constructs._matching_lines = lambda search: os.abort() if 'array' in search.query else matching_lines(search)"
    )
    code = constructs._CODE.replace("constructs.answer_searches()", f"{crash_at_arrays}\nconstructs.answer_searches()")
    monkeypatch.setattr(constructs, "_CODE", code)
    program = write_source(tmp_path, "play.c", "int main(void) { crash(); }")
    first, second = unmet_requirements(program, [requirement("array", is_forbidden=True), requirement("loop")])
    assert (first.why_not_searched, second.why_not_searched) == ("play.c could not be read by its parser", "")


def test_a_construct_that_pitboss_cannot_search_for_is_reported(tmp_path, monkeypatch):
    lua, c = write_source(tmp_path, "a.lua", "x = 1\n"), write_source(tmp_path, "b.c", "int main(void) { return 0; }\n")
    assert [unmet.why_not_searched for unmet in unmet_requirements(lua, [requirement("array")])] == [
        "pitboss does not look for constructs in Lua"
    ]
    assert [unmet.why_not_searched for unmet in unmet_requirements(c, [requirement("class")])] == [
        "pitboss does not look for this construct in C"
    ]
    assert unmet_requirements(c, [requirement("class", is_forbidden=True)]) == ()
    monkeypatch.setattr("pitboss.extras.find_spec", lambda name: None)
    reason = "it needs tree-sitter and tree-sitter-c, which are not installed here: pip install 'pitboss[constructs]'"
    for is_forbidden in (True, False):
        (unmet,) = unmet_requirements(c, [requirement("array", is_forbidden=is_forbidden)])
        assert unmet.why_not_searched == reason


def test_an_unmet_requirement_is_worded_as_a_sentence():
    sentence = sentence_on_construct
    assert sentence(UnmetRequirement("array")) == "The program has no array, which is required."
    assert sentence(UnmetRequirement("function", says="Write methods.", points=Decimal("2.5"))) == (
        "The program has no function besides main, which is required. Write methods. (2.5 points off)"
    )
    assert sentence(UnmetRequirement("call", "system", is_forbidden=True, file="a.c", line=3, count=2)) == (
        "a.c:3: there is a call of system, and 1 more, which is not allowed."
    )
    assert sentence(UnmetRequirement("goto", is_forbidden=True, why_not_searched="it is late")) == (
        "The program was not searched for a goto, which it must not contain: it is late."
    )


ASSIGNMENT = "title: One\nseeded: no\nforbids: [goto]\nstages:\n  - name: one\n    reference: own:main\n"


def load_requirements(folder, text):
    """The requirements of the stage `one` of an assignment with this assignment.yaml."""
    (folder / "assignment.yaml").write_text(text)
    (folder / "own.py").write_text("def main(console): console.write('a')\n")
    (folder / "one.yaml").write_text("program: one\ncases:\n  - name: a\n    transcript: |\n      a<no-eol>\n")
    return load_assignment(folder).stages[0].requirements


def test_requirements_are_read(tmp_path):
    text = f"{ASSIGNMENT}    requires: [array, {{construct: call draw, says: Use it., points: 2.5}}]\n"
    assert load_requirements(tmp_path, text) == (
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
            "an item of requires lacks the key 'construct': the construct to search for in the sources, such as",
        ),
    ],
)
def test_a_mistake_in_a_requirement_is_reported_with_file_and_line(tmp_path, item, sentence):
    with pytest.raises(SpecError) as error:
        load_requirements(tmp_path, f"{ASSIGNMENT}    requires:\n      - {item}\n")
    assert str(error.value).startswith(f"{tmp_path}/assignment.yaml:8: {sentence}")
