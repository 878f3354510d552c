"""What a `compare:` mapping may say of free texts, and the whole sentence on each mistake in it."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError
from pitboss.model.policy import FreeText

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
      stands_for: ["Stand? "]
  told_apart: [Won.]
"""
SPEC = "program: one\ncases:\n  - name: first\n    transcript: |\n      b\n"
PUSH = '    push: {line: "Push."}\n'


def written(folder, text=ASSIGNMENT, spec=SPEC):
    (folder / "assignment.yaml").write_text(text)
    (folder / "one.yaml").write_text(spec)
    (folder / "small.py").write_text("def main(console): return 0\n")
    return folder


def test_free_texts_are_read(tmp_path):
    (stage,) = load_assignment(written(tmp_path)).stages
    place = f"{tmp_path}/assignment.yaml"
    assert stage.policy.free == (
        FreeText("push", "Push.", "line", place=f"{place}:7"),
        FreeText("bust", " Bust!", "end_of_line", True, 2, may_equal=("Lost.",), place=f"{place}:8"),
        FreeText("question", "Hit? ", "prompt", stands_for=("Stand? ",), place=f"{place}:10"),
    )
    assert stage.policy.told_apart == ("Won.",)
    assert stage.policy.taken is None


def test_a_stage_adds_free_texts_and_replaces_those_of_its_name(tmp_path):
    added = "    compare: {free: {push: {line: Tie.}, broke: {line: Broke.}}, told_apart: [Lost.]}\n"
    text = ASSIGNMENT.replace("    reference: small:main\n", f"    reference: small:main\n{added}")
    (stage,) = load_assignment(written(tmp_path, text)).stages
    assert [(one.name, one.text) for one in stage.policy.free] == [
        ("push", "Tie."),
        ("bust", " Bust!"),
        ("question", "Hit? "),
        ("broke", "Broke."),
    ]
    assert stage.policy.told_apart == ("Won.", "Lost.")


FREE_KEYS = "line, end_of_line, prompt, after, when, may_be_missing, lines, numbers_vary, may_equal, stands_for"
MISTAKES = {
    "unknown key": (
        (PUSH, '    push: {lien: "Push."}\n'),
        f":7: the free text 'push' has no key 'lien' — allowed are {FREE_KEYS}; did you mean 'line'?",
    ),
    "no kind": (
        (PUSH, "    push: {lines: 2}\n"),
        ":7: the free text 'push' has no line, end_of_line, prompt or after — it has exactly one of them",
    ),
    "two kinds": (
        (PUSH, "    push: {line: a, prompt: b}\n"),
        ":7: the free text 'push' has line and prompt — it has exactly one of them",
    ),
    "empty": ((PUSH, '    push: {line: ""}\n'), ":7: line is empty — it is a text"),
    "blank": (
        (PUSH, '    push: {line: "  "}\n'),
        ":7: line of the free text 'push' is blank — it is the reference's text, on one line",
    ),
    "newline": (
        (PUSH, '    push: {line: "Push.\\n"}\n'),
        ":7: line of the free text 'push' has a newline — it is the reference's text, on one line",
    ),
    "no mapping": (
        (PUSH, "    push: Push.\n"),
        f":7: the free text 'push' is 'Push.' — it is a mapping with {FREE_KEYS}",
    ),
    "lines": ((PUSH, "    push: {line: a, lines: 0}\n"), ":7: lines is '0' — it is a whole number from 1 to 9"),
    "missing": (
        (PUSH, "    push: {line: a, may_be_missing: perhaps}\n"),
        ":7: may_be_missing is 'perhaps' — it is yes, no, true or false",
    ),
    "numbers": (
        (PUSH, "    push: {line: a, numbers_vary: yes}\n"),
        ":7: the free text 'push' has numbers_vary — only a text after a typed line has",
    ),
    "twice": (
        (PUSH, PUSH + '    tie: {line: "Push."}\n'),
        ":8: the free text 'tie' is 'Push.', and so is 'push' — each stands for a text of its own",
    ),
    "told apart": (
        ("told_apart: [Won.]", "told_apart: [Push.]"),
        ":7: the free text 'push' is 'Push.', which is told_apart too — told_apart has the texts that no free text may be",
    ),
    "alternatives": (
        ("  told_apart", '  alternatives: [["Tie.", "Push."]]\n  told_apart'),
        ":7: the free text 'push' is 'Push.', and the alternatives have 'Push.' — a text is free, or has alternatives",
    ),
    "alternatives that hold it": (
        ("  told_apart", '  alternatives: [["A Push.", "b"]]\n  told_apart'),
        ":7: the free text 'push' is 'Push.', and the alternatives have 'A Push.' — a text is free, or has alternatives",
    ),
    "alternatives within it": (
        ("  told_apart", '  alternatives: [["X", "Pu"]]\n  told_apart'),
        ":7: the free text 'push' is 'Push.', and the alternatives have 'Pu' — a text is free, or has alternatives",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_free_texts_is_told_with_its_place(tmp_path, name):
    (old, new), sentence = MISTAKES[name]
    assert old in ASSIGNMENT
    with pytest.raises(HarnessError) as caught:
        load_assignment(written(tmp_path, ASSIGNMENT.replace(old, new)))
    assert str(caught.value) == f"{tmp_path}/assignment.yaml{sentence}"


def test_free_is_a_mapping(tmp_path):
    text = ASSIGNMENT[: ASSIGNMENT.index("  free:")] + "  free: [push]\n"
    with pytest.raises(HarnessError) as caught:
        load_assignment(written(tmp_path, text))
    assert str(caught.value) == f"{tmp_path}/assignment.yaml:6: free is a list — it is a mapping from names"


def test_an_alternative_that_reads_the_free_text_as_it_is_overlaps_nothing(tmp_path):
    text = ASSIGNMENT.replace("  told_apart", '  alternatives: [["P", "p"]]\n  told_apart')
    (stage,) = load_assignment(written(tmp_path, text)).stages
    assert stage.policy.alternatives == (("P", "p"),)
