"""The `compare:` mapping: free texts, rules for lines, and the whole sentence on each mistake in them."""

import re
from decimal import Decimal

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError, SpecError
from pitboss.model.comparison_policy import FreeText, Tolerance

ASSIGNMENT = """title: Small
stages:
  - name: one
    reference: small:main
compare:
  free:
    push: {line: "Push."}
    bust: {end_of_line: " Bust!", may_be_missing: yes, lines: 2, may_equal: [Lost.]}
    question:
      prompt: "Hit? "
      synonyms: ["Stand? "]
  reserved: [Won.]
"""
SPEC = "program: one\ncases:\n  - name: first\n    transcript: |\n      b\n"
PUSH = '    push: {line: "Push."}\n'


def write_assignment(folder, text=ASSIGNMENT, spec=SPEC):
    """Write the files of the assignment to the folder, and return the folder."""
    (folder / "assignment.yaml").write_text(text)
    (folder / "one.yaml").write_text(spec)
    (folder / "small.py").write_text("def main(console): return 0\n")
    return folder


def test_free_texts_are_read(tmp_path):
    (stage,) = load_assignment(write_assignment(tmp_path)).stages
    file = f"{tmp_path}/assignment.yaml"
    assert stage.policy.free == (
        FreeText("push", "Push.", "line", place=f"{file}:7"),
        FreeText("bust", " Bust!", "end_of_line", True, 2, may_equal=("Lost.",), place=f"{file}:8"),
        FreeText("question", "Hit? ", "prompt", synonyms=("Stand? ",), place=f"{file}:10"),
    )
    assert stage.policy.reserved == ("Won.",)
    assert stage.policy.accepted_texts is None


def test_a_stage_adds_free_texts_and_replaces_those_of_the_same_name(tmp_path):
    added = "    compare: {free: {push: {line: Tie.}, broke: {line: Broke.}}, reserved: [Lost.]}\n"
    text = ASSIGNMENT.replace("    reference: small:main\n", f"    reference: small:main\n{added}")
    (stage,) = load_assignment(write_assignment(tmp_path, text)).stages
    assert [(free_text.name, free_text.text) for free_text in stage.policy.free] == [
        ("push", "Tie."),
        ("bust", " Bust!"),
        ("question", "Hit? "),
        ("broke", "Broke."),
    ]
    assert stage.policy.reserved == ("Won.", "Lost.")


FREE_KEYS = "line, end_of_line, prompt, after, when, may_be_missing, lines, numbers_vary, may_equal, synonyms"
#: By test id: the old and new text of an edit of ASSIGNMENT, and the sentence that is reported, after the file's path.
MISTAKES = {
    "unknown key": (
        (PUSH, '    push: {lien: "Push."}\n'),
        f":7: the free text 'push' has no key 'lien' — allowed are {FREE_KEYS}; did you mean 'line'?",
    ),
    "no kind": (
        (PUSH, "    push: {lines: 2}\n"),
        ":7: the free text 'push' has no line, end_of_line, prompt or after — it must have exactly one of them",
    ),
    "two kinds": (
        (PUSH, "    push: {line: a, prompt: b}\n"),
        ":7: the free text 'push' has line and prompt — it must have exactly one of them",
    ),
    "empty": ((PUSH, '    push: {line: ""}\n'), ":7: line of the free text 'push' is empty — it must be text"),
    "blank": (
        (PUSH, '    push: {line: "  "}\n'),
        ":7: line of the free text 'push' is '  ' — it must be a text on one line that is not blank",
    ),
    "newline": (
        (PUSH, '    push: {line: "Push.\\n"}\n'),
        ":7: line of the free text 'push' is 'Push.\\n' — it must be a text on one line that is not blank",
    ),
    "no mapping": (
        (PUSH, "    push: Push.\n"),
        f":7: the free text 'push' is 'Push.' — it must be a mapping with {FREE_KEYS}",
    ),
    "lines": ((PUSH, "    push: {line: a, lines: 0}\n"), ":7: lines is '0' — it must be a whole number from 1 to 9"),
    "missing": (
        (PUSH, "    push: {line: a, may_be_missing: perhaps}\n"),
        ":7: may_be_missing is 'perhaps' — it must be yes, no, true or false",
    ),
    "twice": (
        (PUSH, PUSH + '    tie: {line: "Push."}\n'),
        ":8: the free text 'tie' is 'Push.', and so is 'push' — each must be a different text",
    ),
    "reserved": (
        ("reserved: [Won.]", "reserved: [Push.]"),
        ":7: the free text 'push' is 'Push.', which is in `reserved` too — no free text may equal a reserved text",
    ),
    "alternatives": (
        ("  reserved", '  alternatives: [["Tie.", "Push."]]\n  reserved'),
        ":7: the free text 'push' is 'Push.', and the alternatives have 'Push.' — a text is free or has alternatives",
    ),
    "alternatives that contain the text": (
        ("  reserved", '  alternatives: [["A Push.", "b"]]\n  reserved'),
        ":7: the free text 'push' is 'Push.', and the alternatives have 'A Push.' — a text is free or has alternatives",
    ),
    "alternatives within the text": (
        ("  reserved", '  alternatives: [["X", "Pu"]]\n  reserved'),
        ":7: the free text 'push' is 'Push.', and the alternatives have 'Pu' — a text is free or has alternatives",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_free_texts_is_reported_with_its_place(tmp_path, name):
    (old, new), sentence = MISTAKES[name]
    assert old in ASSIGNMENT
    with pytest.raises(HarnessError) as caught:
        load_assignment(write_assignment(tmp_path, ASSIGNMENT.replace(old, new)))
    assert str(caught.value) == f"{tmp_path}/assignment.yaml{sentence}"


def test_free_must_be_a_mapping(tmp_path):
    text = ASSIGNMENT[: ASSIGNMENT.index("  free:")] + "  free: [push]\n"
    with pytest.raises(HarnessError) as caught:
        load_assignment(write_assignment(tmp_path, text))
    assert (
        str(caught.value) == f"{tmp_path}/assignment.yaml:6: free is a list — it must be a mapping with names as keys"
    )


def test_alternatives_that_leave_a_free_text_unchanged_are_allowed(tmp_path):
    text = ASSIGNMENT.replace("  reserved", '  alternatives: [["P", "p"]]\n  reserved')
    (stage,) = load_assignment(write_assignment(tmp_path, text)).stages
    assert stage.policy.alternatives == (("P", "p"),)


UP_TO_COMPARE = ASSIGNMENT[: ASSIGNMENT.index("compare:")] + "compare:\n"


def policy_with(folder, lines):
    """The policy of the only stage, with these lines under `compare`; the first is line 6 of the file."""
    (stage,) = load_assignment(write_assignment(folder, f"{UP_TO_COMPARE}  {lines}\n")).stages
    return stage.policy


def test_the_first_text_of_a_group_of_alternatives_is_fixed(tmp_path):
    message = "assignment.yaml:6: 'A{text}b' is the first text of its group — write it without {text}"
    with pytest.raises(SpecError, match=re.escape(message)):
        policy_with(tmp_path, "alternatives: [['A{text}b', 'a']]")


def test_rules_for_lines_are_read(tmp_path):
    policy = policy_with(
        tmp_path,
        """matches: [^a]
  lines_in_any_order: [^b]
  free_lines: [^c]
  numbers: [{within: 0.01, lines: [^d]}, {relative: 1e-6}]""",
    )
    assert (policy.matches, policy.any_order, policy.free_lines) == (("^a",), ("^b",), ("^c",))
    assert policy.numbers == (Tolerance(Decimal("0.01"), lines=("^d",)), Tolerance(relative=Decimal("1e-6")))
    assert policy_with(tmp_path, "numbers: {within: 2, relative: 0.5}").numbers == (
        Tolerance(Decimal(2), Decimal("0.5")),
    )


def test_tolerances_of_a_stage_come_before_those_of_the_assignment(tmp_path):
    text = f"{UP_TO_COMPARE}  numbers: {{within: 1}}\n".replace(
        "    reference: small:main\n", "    reference: small:main\n    compare: {numbers: {within: 2, lines: [^a]}}\n"
    )
    (stage,) = load_assignment(write_assignment(tmp_path, text)).stages
    assert [tolerance.within for tolerance in stage.policy.numbers] == [2, 1]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("numbers: {lines: [a]}", "numbers has no within or relative — say how far off a number may be"),
        ("numbers: {within: -1}", "within is '-1' — it must be a number such as 0.01 or 1e-6"),
        ("numbers: {within: 1%}", "within is '1%' — it must be a number such as 0.01 or 1e-6"),
        ("numbers: []", "numbers is an empty list — give at least 1"),
        (
            "numbers: {witin: 1}",
            "numbers has no key 'witin' — allowed are within, relative, lines; did you mean 'within'?",
        ),
        (
            "matches: ['x*']",
            "an item of matches is 'x*' — it matches an empty line, and so every line; write how those lines begin",
        ),
        ("lines_in_any_order: yes", "lines_in_any_order is 'yes' — it must be a list"),
    ],
)
def test_a_mistake_in_a_rule_for_lines_is_reported_with_its_place(tmp_path, lines, sentence):
    with pytest.raises(HarnessError) as caught:
        policy_with(tmp_path, lines)
    assert str(caught.value) == f"{tmp_path}/assignment.yaml:6: {sentence}"


@pytest.mark.parametrize("rule", ["matches: [^a]", "lines_in_any_order: [^a]", "free_lines: [^a]"])
def test_rules_for_lines_are_refused_where_words_are_compared(tmp_path, rule):
    with pytest.raises(HarnessError) as caught:
        policy_with(tmp_path, f"blanks: ignored\n  {rule}")
    name = rule.partition(":")[0]
    assert str(caught.value) == (
        f"{tmp_path}/assignment.yaml:6: blanks are ignored, so words are compared — {name} applies to lines"
    )
    assert policy_with(tmp_path, "blanks: ignored\n  numbers: {within: 1}").ignored == ("blanks",)
