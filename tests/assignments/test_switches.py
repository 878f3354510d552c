"""The options of an assignment, the keys that its stages inherit, and the sentence that reports each mistake."""

import pytest

from pitboss.assignments.assignment import Answers
from pitboss.assignments.options import (
    OptionValue,
    Rule,
    own_keywords,
    stage_features,
    with_declared_features,
    without_features,
)
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.experiments.hunting.games import session_of
from pitboss.model.comparison_policy import Policy
from pitboss.model.invocation import script_of_lines
from pitboss.sessions.drivers import expected_run_here

ASSIGNMENT = """title: Dice
seeded: no
draws: {values: ["1", "2"]}
reader: own:read
needs: []
most_sessions: 30
submitted_as: [game]
rules: {a one: "a 1"}
required: [a one]
declared_in: features.txt
options:
  loud:
    keyword: loud
    values: {speaking low: no, speaking loud: yes}
    shows: an exclamation
    rules: {an exclamation: "!"}
  order: {keyword: order, values: {a first: ab, b first: ba, both at once: both}}
stages:
  - {name: one, reference: "own:main"}
  - {name: two, reference: "own:main", with: [loud], rules: {a two: "a 2"}, most_sessions: 40}
  - {name: three, reference: "own:main", without: [loud], rules: {a one: "A 1"}, required: []}
players:
  own: [says yes, "no, thanks"]
"""
SPEC = "program: {name}\ncases:\n  - {{name: rolls, player: says yes}}\n"


@pytest.fixture
def folder(tmp_path):
    """The folder of ASSIGNMENT, with a spec of one case for each stage."""
    path = tmp_path / "dice"
    path.mkdir()
    (path / "assignment.yaml").write_text(ASSIGNMENT)
    for name in ("one", "two", "three"):
        (path / f"{name}.yaml").write_text(SPEC.format(name=name))
    return path


def test_stages_inherit_the_keys_that_they_do_not_set(folder):
    one, two, three = load_assignment(folder).stages
    assert [stage.reader for stage in (one, two, three)] == [f"{folder.resolve()}:own:read"] * 3
    assert [stage.needs for stage in (one, two, three)] == [()] * 3
    assert [stage.submitted_as for stage in (one, two, three)] == [("game",)] * 3
    assert [stage.most_sessions for stage in (one, two, three)] == [30, 40, 30]
    assert [stage.required for stage in (one, two, three)] == [("a one",), ("a one",), ()]
    assert one.rules == (Rule("a one", "a 1"),)
    assert two.rules == (Rule("a one", "a 1"), Rule("an exclamation", "!"), Rule("a two", "a 2"))
    assert three.rules == (Rule("a one", "A 1"),)


def test_a_reference_can_be_inherited_too(folder):
    text = ASSIGNMENT.replace("needs: []", "needs: []\nreference: own:main")
    text = text.replace('{name: one, reference: "own:main"}', "{name: one}").replace(
        '{name: two, reference: "own:main"', '{name: two, reference: "own:other"'
    )
    (folder / "assignment.yaml").write_text(text)
    functions = [stage.reference.function for stage in load_assignment(folder).stages]
    assert functions == [f"{folder.resolve()}:own:{name}" for name in ("main", "other", "main")]


def test_a_stage_fixes_the_options_under_with_and_without(folder):
    one, two, three = load_assignment(folder).stages
    assert [[option.is_free for option in stage.options] for stage in (one, two, three)] == [
        [True, True],
        [False, True],
        [False, True],
    ]
    assert [own_keywords(stage.options) for stage in (one, two, three)] == [
        {"loud": False, "order": "ab"},
        {"loud": True, "order": "ab"},
        {"loud": False, "order": "ab"},
    ]
    assert one.options[1].values == (
        OptionValue("a first", "ab"),
        OptionValue("b first", "ba"),
        OptionValue("both at once", "both"),
    )
    assert [[option.name for option in stage_features(stage)] for stage in (one, two, three)] == [[], ["loud"], []]
    assert own_keywords(without_features(two, stage_features(two)).options) == {"loud": False, "order": "ab"}


def test_declared_features_fix_only_the_options_that_are_features(folder):
    one, two, _ = load_assignment(folder).stages
    loud_stage, quiet_stage = with_declared_features(one, {"loud": ""}), with_declared_features(one, {})
    assert [own_keywords(stage.options)["loud"] for stage in (loud_stage, quiet_stage)] == [True, False]
    assert [[option.is_free for option in stage.options] for stage in (loud_stage, quiet_stage)] == [[False, True]] * 2
    assert stage_features(with_declared_features(two, {"loud": ""}))[0].is_declared


def test_free_texts_get_the_declared_key(folder):
    compare = "compare:\n  free:\n    how: {prompt: 'Loud (l)? ', synonyms: ['Loud (l) or not? ']}\n"
    texts = "    key: louder\n    key_texts: {'(l) or': '({key}) or', (l): '[{key}]'}\n    keyword: loud"
    (folder / "assignment.yaml").write_text(ASSIGNMENT.replace("    keyword: loud", texts, 1) + compare)
    stage = load_assignment(folder).stages[0]
    for policy in (
        with_declared_features(stage, {"loud": "x"}).policy,
        with_declared_features(stage, {"loud": "x"}).spec.cases[0].policy,
    ):
        assert [(free_text.text, free_text.synonyms) for free_text in policy.free] == [
            ("Loud [x]? ", ("Loud (x) or not? ",))
        ]
    assert with_declared_features(stage, {"loud": ""}).policy == stage.policy


def test_a_player_listed_under_a_module_is_its_function_of_that_name(folder):
    (folder / "own.py").write_text("")
    players = load_assignment(folder).players
    assert [(player.name, player.function) for player in players] == [
        ("says yes", f"{folder.resolve()}:own:says_yes"),
        ("no, thanks", f"{folder.resolve()}:own:no_thanks"),
    ]


def test_the_reference_gets_the_options_of_the_stage(folder):
    (folder / "own.py").write_text(
        "def main(console, draw=None, *, loud, order):\n    console.write(f'{loud} {order}\\n')\n"
    )
    stages = load_assignment(folder).stages
    assert [expected_run_here(stage)(script_of_lines(())).text for stage in stages[:2]] == [b"False ab\n", b"True ab\n"]


def test_a_command_finds_the_options_in_its_environment(folder):
    command = "{command: [/bin/sh, -c, 'echo \"$PITBOSS_OPTIONS\"']}"
    (folder / "assignment.yaml").write_text(ASSIGNMENT.replace('"own:main", with', f"{command}, with"))
    stage = load_assignment(folder).stages[1]
    assert expected_run_here(stage)(script_of_lines(())).text == b"loud=yes\norder=ab\n"


def test_a_reference_without_the_keyword_of_an_option_is_an_error(folder):
    (folder / "own.py").write_text("def main(console, draw=None, *, loud):\n    pass\n")
    with pytest.raises(SpecError) as caught:
        expected_run_here(load_assignment(folder).stages[0])
    assert str(caught.value) == (
        f"{folder}/assignment.yaml: stage 'one': the reference of 'one' has no keyword 'order' — an option has this name, and "
        "the reference gets all options"
    )


def edit_assignment(old, new):
    """ASSIGNMENT with the first occurrence of `old` replaced."""
    assert old in ASSIGNMENT
    return ASSIGNMENT.replace(old, new, 1)


#: By test id: the text of assignment.yaml, and the sentence that is reported, after the file's path.
MISTAKES = {
    "an unknown key of an option": (
        edit_assignment("    keyword: loud", "    keywrd: loud"),
        ":13: option 'loud' has no key 'keywrd' — allowed are keyword, values, key, key_texts, shows, rules, with_others, choice; did you mean 'keyword'?",
    ),
    "no keyword": (
        edit_assignment("    keyword: loud\n", ""),
        ":13: option 'loud' lacks the key 'keyword': a keyword argument of the reference, and of the reader if the reader accepts it",
    ),
    "no identifier": (
        edit_assignment("keyword: order", "keyword: the order"),
        ":17: keyword is 'the order' — it must be a keyword of the reference",
    ),
    "one keyword twice": (
        edit_assignment("keyword: order", "keyword: loud"),
        ":17: option 'order' has the keyword 'loud', like 'loud' — each option needs its own keyword",
    ),
    "one value": (
        edit_assignment("values: {a first: ab, b first: ba, both at once: both}", "values: {a first: ab}"),
        ":17: option 'order' has 1 value — give at least two",
    ),
    "a value twice": (
        edit_assignment("b first: ba", "b first: ab"),
        ":17: option 'order' has the value 'ab' twice — each value needs one description",
    ),
    "a list as a value": (
        edit_assignment("b first: ba", "b first: [b, a]"),
        ":17: the value of 'b first' is a list — it must be text",
    ),
    "shows no rule": (
        edit_assignment("shows: an exclamation", "shows: an exclamatoin"),
        ":15: shows is 'an exclamatoin' — it must be one of the option's rules; did you mean 'an exclamation'?",
    ),
    "a feature without no and yes": (
        edit_assignment("{speaking low: no, speaking loud: yes}", "{speaking low: no, speaking loud: very}"),
        ":15: option 'loud' has shows — its values must then be no and yes, in this order",
    ),
    "a feature whose first value is yes": (
        edit_assignment("{speaking low: no, speaking loud: yes}", "{speaking loud: yes, speaking low: no}"),
        ":15: option 'loud' has shows — its values must then be no and yes, in this order",
    ),
    "texts of a key without a key": (
        edit_assignment("    keyword: loud", "    key_texts: {a: b}\n    keyword: loud"),
        ":13: option 'loud' has key_texts — only a feature with a key can have them",
    ),
    "a text of a key without {key}": (
        edit_assignment("    keyword: loud", "    key: louder\n    key_texts: {(l)oud: (x) loud}\n    keyword: loud"),
        ":14: key_texts of (l)oud is '(x) loud' — it must be a text with {key}",
    ),
    "no such option": (
        edit_assignment("with: [loud]", "with: [lout]"),
        ":20: 'lout' is under with — it must be one of the options: loud, order; did you mean 'loud'?",
    ),
    "an option without yes and no": (
        edit_assignment("without: [loud]", "without: [order]"),
        ":21: 'order' is under without — only an option with the values yes and no can be listed there",
    ),
    "with and without": (
        edit_assignment("without: [loud]", "with: [loud], without: [loud]"),
        ":21: 'loud' is under with and without — list it once",
    ),
    "named twice": (
        edit_assignment("with: [loud]", "with: [loud, loud]"),
        ":20: 'loud' is under with twice — list it once",
    ),
    "no reader to distinguish programs": (
        edit_assignment("reader: own:read\n", ""),
        ":18: the stage has no reader, so its programs cannot be distinguished — name the option 'loud' under with or without",
    ),
    "no reference": (
        edit_assignment('{name: one, reference: "own:main"}', "{name: one}"),
        ":19: a stage lacks the key 'reference': the correct program: module:function, a source such as meter.c, or a command",
    ),
    "a required rule that is not there": (
        edit_assignment("required: [a one]", "required: [a on]"),
        ":9: required has 'a on' — it must be one of the stage's rules; did you mean 'a one'?",
    ),
    "a declaration in a folder": (
        edit_assignment("declared_in: features.txt", "declared_in: its/features.txt"),
        ":10: declared_in is 'its/features.txt' — it must be a name of a file, without a slash",
    ),
    "nothing to declare": (
        edit_assignment("    shows: an exclamation\n", ""),
        ":10: declared_in has no effect — no option has the key shows, so no feature can be declared",
    ),
    "a player twice": (
        edit_assignment('"no, thanks"', "says yes"),
        ":23: player 'says yes' is listed twice — each player needs its own name",
    ),
    "a rule that is no pattern": (
        edit_assignment('{an exclamation: "!"}', '{an exclamation: "("}'),
        ":16: rule 'an exclamation' is '(' — it is no regular expression: missing ), unterminated subpattern at "
        "position 0",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_an_option_is_reported_as_one_sentence(folder, name):
    text, sentence = MISTAKES[name]
    (folder / "assignment.yaml").write_text(text)
    with pytest.raises(SpecError) as caught:
        load_assignment(folder)
    assert str(caught.value) == f"{folder}/assignment.yaml{sentence}"


def test_further_sessions_ignore_all_that_any_case_ignores(folder):
    """`lenient_policy` is the policy of the sessions that pitboss runs besides those of the cases."""
    spec = SPEC.format(name="one") + "  - {name: more, player: says yes, compare: {blank_lines: ignored}}\n"
    (folder / "one.yaml").write_text(spec)
    one, two, _ = load_assignment(folder).stages
    assert two.lenient_policy == two.policy == Policy()
    assert one.lenient_policy == Policy(blank_lines="ignored")
    game = session_of(one, Answers(()))
    assert (game.case.policy, one.spec.cases[0].policy) == (one.lenient_policy, Policy())
