import re

import msgspec
import pytest

from pitboss.assignments.specfile import assignments_in, load_assignment
from pitboss.errors import SpecError
from pitboss.kits.handouts import _free_text_sentence, as_html, fenced, leeway_sentences
from pitboss.kits.starters import kit_of
from pitboss.model.comparison_policy import FreeText
from pitboss.submissions.sources import declaration_in
from tests.conftest import ROOT

TEMPLATES = ROOT / "student_templates"
SHIPPED_SPECS = assignments_in((ROOT / "specs",))
#: The assignments whose programs have choices.
WITH_CHOICES = ("csc101", "ece2036", "tournament")

#: The files of an assignment with a permitted choice (order), two features (loud and polite), and input files.
GAME = {
    "assignment.yaml": """title: Dice
seeded: no
draws: {values: ["1", "2"]}
reader: own:read
needs: []
submitted_as: [game]
declared_in: features.txt
compare: {free: {nothing: {line: "Nothing.", may_be_missing: yes, when: "a 1 is rolled"}}}
options:
  loud:
    keyword: loud
    values: {speaking low: no, speaking loud: yes}
    shows: an exclamation
    rules: {an exclamation: "!"}
    with_others:
      both: {pattern: '^A 1! Bye$', says: "With `polite`: both at once."}
  polite:
    keyword: polite
    values: {being short: no, being polite: yes}
    shows: a farewell
    rules: {a farewell: "Bye"}
  order:
    keyword: order
    values: {a first: ab, b first: ba}
    choice: You may roll `a` first or last.
stages:
  - name: one
    reference: "own:main"
    files: {table.txt: "1 one\\n"}
  - {name: two, reference: "own:main", with: [loud]}
""",
    "own.py": (
        "def main(console, draw=None, files=None, loud=False, polite=False, order='ab'):\n"
        "    console.write('Roll? ')\n    console.read_line()\n    n = draw()\n"
        "    console.write(f\"A {n}{'!' * loud}{' Bye' * polite}\\nNothing.\\n\")\n    return 0\n"
        "def read(conversation):\n    return None\n"
    ),
    "one.yaml": """program: one
cases:
  - {name: rolls, answers: [r]}
  - {name: other, answers: [r], files: {more.txt: "more\\n", table.txt: "2 two\\n"}}
  - {name: secret, answers: [r], visibility: hidden, files: {secret.txt: s}}
""",
    "two.yaml": "program: two\ncases: [{name: rolls, answers: [r], sessions: 8}]\n",
}


@pytest.fixture(scope="module")
def handouts():
    """By name, each shipped assignment with choices, and its kit in the language of the course."""
    languages = {"C++": "cpp", "C#": "csharp", "C": "c"}
    loaded = {name: load_assignment(folder) for name, folder in SHIPPED_SPECS.items() if name in WITH_CHOICES}
    return {
        name: (assignment, kit_of(assignment, languages[assignment.language], TEMPLATES))
        for name, assignment in loaded.items()
    }


@pytest.fixture
def game(tmp_path):
    """The folder of the assignment GAME."""
    folder = tmp_path / "game"
    folder.mkdir()
    for name, text in GAME.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("name", WITH_CHOICES)
def test_each_choice_is_described(name, handouts):
    assignment, kit = handouts[name]
    options = {option.name: option for stage in assignment.stages for option in stage.options if option.choice}
    assert options
    assert "You may choose:" not in kit["HANDOUT.md"]
    for option in options.values():
        paragraph = f"\n**{option.name[:1].upper()}{option.name[1:]}.** {option.choice}\n"
        assert kit["HANDOUT.md"].count(paragraph) == 1, option.name


def test_rules_for_combined_features_are_described(handouts):
    assignment, kit = handouts["csc101"]
    rules = next(option.with_others for option in assignment.stage("errors").options if option.name == "errors")
    assert len(rules) == 4
    for rule in rules:
        paragraph = f"\n**{rule.name[:1].upper()}{rule.name[1:]}.** {rule.says}\n"
        assert kit["HANDOUT.md"].count(paragraph) == 1, rule.name


def test_an_empty_first_line_of_a_sample_is_visible_in_html(handouts):
    """HTML ignores a newline right after <pre>, so a block whose first line is empty starts with one more."""
    page = handouts["csc101"][1]["HANDOUT.html"]
    assert '<pre tabindex="0">\n\nPlayer&#39;s Hand: 3S, JC\n' in page
    assert as_html(fenced("a\n\nb")).body == '<pre tabindex="0">a\n\nb</pre>\n'


@pytest.mark.parametrize("free", [{"when": "the bet is low"}, {"kind": "after"}, {}], ids=lambda changes: str(changes))
def test_a_text_whose_numbers_may_vary_is_not_said_to_be_the_same_each_time(free):
    text = FreeText("low", "5 is too low!", free.pop("kind", "line"), **free)
    assert "the same each time" in _free_text_sentence(text)
    varying = msgspec.structs.replace(text, numbers_vary=True)
    assert "the same each time but for its numbers and what was typed" in _free_text_sentence(varying)


def test_the_condition_of_a_free_text_is_described(handouts):
    assignment, kit = handouts["csc101"]
    sentence = (
        "- When `2` is typed in a program with `errors`, and the cards do not count the same or it has no splitting, our "
        "program prints `Command '2' unrecognized`; you may print a text of your own instead, the same each time. You may also "
        "print nothing.\n"
    )
    assert sentence in kit["HANDOUT.md"]
    free = msgspec.structs.replace(
        assignment.stages[0].policy.free[0], when="it rains", may_be_missing=False, numbers_vary=False
    )
    policy = msgspec.structs.replace(assignment.stages[0].policy, free=(free,), pauses="exact")
    assert leeway_sentences(policy) == (
        "When it rains, our program prints `Push.`; you may print a text of your own instead, the same each time.",
    )


@pytest.mark.parametrize("name", ["csc101", "ece2036"])
def test_kit_and_handout_show_a_sample_of_the_features_file(name, handouts, tmp_path):
    assignment, kit = handouts[name]
    sample = kit["features.sample.txt"]
    assert "features.txt" not in kit  # it would declare these features for the student's program
    assert "\n### The file features.txt\n\nA file `features.txt` beside your program" in kit["HANDOUT.md"]
    assert f"```text\n{sample}```" in kit["HANDOUT.md"]
    assert ("as in `double: x`." in kit["HANDOUT.md"]) == (name == "ece2036")
    (tmp_path / "features.txt").write_text(sample)
    declaration = declaration_in(tmp_path, "features.txt", assignment.stages[0])
    assert (declaration.problem, dict(declaration.keys_by_feature)) == ("", dict.fromkeys(sample.split(), ""))


def test_kit_and_handout_show_the_input_files_of_public_cases(game):
    kit = kit_of(load_assignment(game), "python", TEMPLATES)
    assert (kit["table.txt"], kit["more.txt"]) == ("1 one\n", "more\n")
    assert "secret.txt" not in kit and "secret.txt" not in kit["HANDOUT.md"]
    text = re.sub(r"\n{3,}", "\n\n", kit["HANDOUT.md"])
    assert "The kit has a sample of `more.txt`; others have the same form:\n\n```text\nmore\n```\n" in text
    assert "`table.txt`; others have the same form:\n\n```text\n1 one\n```\n" in text


def test_a_long_file_is_cut_in_the_handout_and_complete_in_the_kit(game):
    lines = "".join(f"line {number}\\n" for number in range(20))
    (game / "assignment.yaml").write_text(GAME["assignment.yaml"].replace("1 one\\n", lines))
    kit = kit_of(load_assignment(game), "python", TEMPLATES)
    assert kit["table.txt"].count("\n") == 20
    assert "\nline 11\n…\n```" in kit["HANDOUT.md"]
    assert "line 12" not in kit["HANDOUT.md"]


def test_choices_and_rules_for_combined_features_are_in_their_authors_words(game):
    text = kit_of(load_assignment(game), "python", TEMPLATES)["HANDOUT.md"]
    assert "**Order.** You may roll `a` first or last.\n" in text.partition("\n## one: ")[0]
    assert "### The rules of two\n\n**Both.** With `polite`: both at once.\n" in text


#: What is replaced in the assignment file of GAME, the replacement, and the error that it causes.
INVALID_TEXTS = {
    "a choice of a feature": (
        "    shows: a farewell\n",
        "    shows: a farewell\n    choice: x\n",
        "option 'polite' has choice — the option is a feature, which its rules describe",
    ),
    "rules for combined features, of an option that is not a feature": (
        "    choice: ",
        "    with_others: {a: {pattern: x, says: y}}\n    choice: ",
        "option 'order' has with_others — only a feature can have it: give the rule that it shows",
    ),
    "a choice with a pattern": (
        "choice: You",
        "choice: {pattern: x, says: y}  # You",
        "the choice of option 'order' is a mapping — it must be text",
    ),
    "a condition of a text after a typed line": (
        'line: "Nothing."',
        'after: "Roll? r"',
        "the free text 'nothing' has when — a text after a typed line has no other condition",
    ),
}


@pytest.mark.parametrize("name", INVALID_TEXTS)
def test_invalid_texts_for_the_handout_are_refused(name, game):
    old, new, message = INVALID_TEXTS[name]
    assert old in GAME["assignment.yaml"]
    (game / "assignment.yaml").write_text(GAME["assignment.yaml"].replace(old, new))
    with pytest.raises(SpecError) as error:
        load_assignment(game)
    assert re.sub(r"^\S+:\d+: ", "", str(error.value)) == message
