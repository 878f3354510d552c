"""Names and titles are printed on one line: newlines and control characters in them are refused, with their place."""

import pytest

from pitboss.assignments.specfile import load_assignment
from tests.authors import load_error

ASSIGNMENT = """\
title: "TITLE"
language: "LANGUAGE"
seeded: no
mistakes: own:catalogue
words: mistakes.yaml
rules: {"RULE": "a 1"}
tolerated: {"TOLERATED": "own:main"}
compare: {free: {"FREE": {line: "Hi"}}}
options:
  "OPTION":
    keyword: loud
    values: {"VALUE": no, speaking loud: yes}
    shows: an exclamation
    rules: {an exclamation: "!", "FEATURE": "a 2"}
    with_others: {"OTHERS": {pattern: "a 3", says: All at once.}}
stages:
  - {name: one, title: "STAGE", reference: "own:main", without: ["OPTION"], rules: {"OWN": "a 4"}}
players:
  "PLAYER": own:player
  own: ["LISTED"]
"""
SPEC = """\
program: one
cases:
  - name: "CASE"
    transcript: "a\\n"
    covers: ["EXERCISED"]
"""
WORDS = """\
source: "SOURCE"
mistakes:
  "MISTAKE": {title: "WRONG", hint: "HINT", note: "NOTE"}
"""
FILES = {"assignment.yaml": ASSIGNMENT, "one.yaml": SPEC, "mistakes.yaml": WORDS}
#: For each placeholder: the file and line it is on, and how the message begins.
PLACES = {
    "TITLE": ("assignment.yaml:1", "title"),
    "LANGUAGE": ("assignment.yaml:2", "language"),
    "RULE": ("assignment.yaml:6", "a name under rules"),
    "TOLERATED": ("assignment.yaml:7", "a name under tolerated"),
    "FREE": ("assignment.yaml:8", "a name under free"),
    "OPTION": ("assignment.yaml:10", "a name under options"),
    "VALUE": ("assignment.yaml:12", "a name under values"),
    "FEATURE": ("assignment.yaml:14", "a name under rules"),
    "OTHERS": ("assignment.yaml:15", "a name under with_others"),
    "STAGE": ("assignment.yaml:17", "title"),
    "OWN": ("assignment.yaml:17", "a name under rules"),
    "PLAYER": ("assignment.yaml:19", "a name under players"),
    "LISTED": ("assignment.yaml:20", "a player of own"),
    "CASE": ("one.yaml:3", "name"),
    "EXERCISED": ("one.yaml:5", "an item of covers"),
    "SOURCE": ("mistakes.yaml:1", "source"),
    "MISTAKE": ("mistakes.yaml:3", "a name under mistakes"),
    "WRONG": ("mistakes.yaml:3", "title of mistake 'MISTAKE'"),
    "HINT": ("mistakes.yaml:3", "hint of mistake 'MISTAKE'"),
    "NOTE": ("mistakes.yaml:3", "note of mistake 'MISTAKE'"),
}


@pytest.fixture
def write_assignment(tmp_path):
    """A function that writes the assignment, with one placeholder of FILES replaced, and returns its folder.

    The replacement is inserted between double quotes, so YAML reads its backslash escapes.
    """
    folder = tmp_path / "small"
    folder.mkdir()

    def write(placeholder="", replacement=""):
        for file, text in FILES.items():
            (folder / file).write_text(text.replace(f'"{placeholder}"', f'"{replacement}"') if placeholder else text)
        return folder

    return write


def test_the_placeholders_are_read_as_names_and_titles(write_assignment):
    assignment = load_assignment(write_assignment())
    assert (assignment.title, assignment.stages[0].spec.cases[0].name) == ("TITLE", "CASE")
    assert [player.name for player in assignment.players] == ["PLAYER", "LISTED"]


@pytest.mark.parametrize("placeholder", PLACES)
def test_a_name_with_a_terminal_escape_sequence_is_refused(write_assignment, placeholder):
    folder = write_assignment(placeholder, r"seven\e]0;title\a")
    place, subject = PLACES[placeholder]
    sentence = r"is 'seven\x1b]0;title\x07' — it must not have control characters such as '\x1b'"
    assert load_error(folder) == f"{folder}/{place}: {subject} {sentence}"


@pytest.mark.parametrize(
    ("escaped", "quoted", "reason"),
    [
        (r"a\nb", r"a\nb", "it must be one line; to write it on several lines, begin with >-"),
        (r"a\n", r"a\n", "it must be one line; to write it on several lines, begin with >-"),
        (r"a\u2028b", r"a\u2028b", "it must be one line; to write it on several lines, begin with >-"),
        (r"a\tb", r"a\tb", r"it must not have control characters such as '\t'"),
        (r"a\x9b2J", r"a\x9b2J", r"it must not have control characters such as '\x9b'"),
        (r"a\u202eb", r"a\u202eb", r"it must not have control characters such as '\u202e'"),
    ],
)
def test_a_name_that_one_line_cannot_show_is_refused(write_assignment, escaped, quoted, reason):
    folder = write_assignment("CASE", escaped)
    assert load_error(folder) == f"{folder}/one.yaml:3: name is '{quoted}' — {reason}"


@pytest.mark.parametrize(
    "name",
    ["Zwölf", "十七", "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}", "cafe\u0301", "un\u00a0: deux", "\u05d0\u200f", "[red]"],
)
def test_letters_of_all_scripts_and_emoji_are_accepted_in_names(write_assignment, name):
    assert load_assignment(write_assignment("CASE", name)).stages[0].spec.cases[0].name == name
